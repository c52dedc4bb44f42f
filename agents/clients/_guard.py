"""The switch that forbids real requests; `toolmend.agents.testing` turns it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from toolmend.agents.errors import RealRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ("SWITCH", "check_real_requests", "switched")

SWITCH: Final = "TOOLMEND_FORBID_REAL_REQUESTS"

# The innermost comes last; one for the whole process, because a test may ask from any thread.
_allowed: list[bool] = []


def check_real_requests(model: str) -> None:
    """Refuse if real requests are forbidden.

    Args:
        model: who was to be asked.

    Raises:
        RealRequestError: they are.
    """
    by_default = os.environ.get(SWITCH, "").lower() in {"", "0", "false", "no"}
    if not (_allowed[-1] if _allowed else by_default):
        raise RealRequestError(
            f"{model} was to be asked, and real requests are forbidden here (toolmend.agents.testing, or {SWITCH}); "
            "give the agent a ScriptedClient"
        )


@contextmanager
def switched(*, allowed: bool) -> Iterator[None]:
    """Allow or forbid real requests for a while.

    Args:
        allowed: which of both.
    """
    _allowed.append(allowed)
    try:
        yield
    finally:
        _allowed.pop()
