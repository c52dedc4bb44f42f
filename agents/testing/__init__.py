"""For tests of programs that use tools and agents.

- `forbid_real_requests`: no model is asked by accident; `ScriptedClient` is the one to give an agent instead. The
  environment variable `TOOLMEND_FORBID_REAL_REQUESTS=1` forbids it for a whole process, and
  `toolmend.agents.pytest_plugin` for the tests of a project.
- `assert_mends`, `assert_refuses`: what becomes of a call that a model wrote wrongly.
- `corrupt`: a valid call with each fault in it that is mended, one at a time, for tests of one's own rules and classes.
- `RecordedClient`: a conversation with a real model, recorded once and replayed from then on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.agents.clients._guard import switched
from toolmend.agents.clients.scripted import Interrupted, ScriptedClient
from toolmend.agents.testing.assertions import assert_mends, assert_refuses
from toolmend.agents.testing.corruption import CORRUPTIONS, Corrupted, Corruption, corrupt
from toolmend.agents.testing.recorded import RecordedClient

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = (
    "CORRUPTIONS",
    "Corrupted",
    "Corruption",
    "Interrupted",
    "RecordedClient",
    "ScriptedClient",
    "allow_real_requests",
    "assert_mends",
    "assert_refuses",
    "corrupt",
    "forbid_real_requests",
)


def forbid_real_requests() -> AbstractContextManager[None]:
    """Forbid real requests while the context is open, in all threads.

    Clients of servers and the embedded model then raise `RealRequestError`, which ends a test: it is no error of a
    model, so that no run takes it for one.
    """
    return switched(allowed=False)


def allow_real_requests() -> AbstractContextManager[None]:
    """Allow them again while the context is open, for the one test that needs a real model."""
    return switched(allowed=True)
