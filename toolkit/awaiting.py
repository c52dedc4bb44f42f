"""Code that may be sync or async, for callers that are one of the two."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from typing import TypeVar

from toolmend.toolkit.errors import ToolUsageError

__all__ = ("awaited", "finished", "is_async", "loop_is_running")

T = TypeVar("T")


def is_async(code: Callable[..., object]) -> bool:
    """Whether it is async: a function, a partial of one, or an object that is called.

    Args:
        code: what is to be called.
    """
    called = getattr(type(code), "__call__", None)  # noqa: B004  # it is looked at, not only asked for
    return inspect.iscoroutinefunction(code) or inspect.iscoroutinefunction(called)


def finished(code: Callable[[], T | Awaitable[T]]) -> T:
    """What a sync caller gets of code that may turn out to be async.

    Args:
        code: called at once.

    Raises:
        ToolUsageError: if it did, and an event loop is running.
    """
    value = code()
    if not inspect.isawaitable(value):
        return value
    if loop_is_running():
        if inspect.iscoroutine(value):
            value.close()
        raise ToolUsageError("it turned out to be async while an event loop is running: await `dispatch_async`")
    return asyncio.run(awaited(lambda: value))


async def awaited(code: Callable[..., T | Awaitable[T]], *arguments: object) -> T:
    """What an async caller gets of code that may turn out to be sync.

    Args:
        code: called at once.
        arguments: what it is called with.
    """
    value = code(*arguments)
    return await value if inspect.isawaitable(value) else value


def loop_is_running() -> bool:
    """Whether an event loop is running in this thread: then nothing may be waited for in it but by `await`."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
