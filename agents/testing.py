"""For tests of programs that use agents: no model is asked by accident.

    @pytest.fixture(autouse=True)
    def no_real_requests() -> Iterator[None]:
        with forbid_real_requests():
            yield

`ScriptedClient` is the model to give an agent instead. The environment variable `TOOLMEND_FORBID_REAL_REQUESTS=1` does
the same for a whole process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.agents.clients._guard import switched

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ("allow_real_requests", "forbid_real_requests")


def forbid_real_requests() -> AbstractContextManager[None]:
    """Forbid real requests while the context is open, in all threads.

    Clients of servers and the embedded model then raise `RealRequestError`, which ends a test: it is no error of a
    model, so that no run takes it for one.
    """
    return switched(allowed=False)


def allow_real_requests() -> AbstractContextManager[None]:
    """Allow them again while the context is open, for the one test that needs a real model."""
    return switched(allowed=True)
