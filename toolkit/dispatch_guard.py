"""The one place where foreign code is called: handlers, hooks, and the validators of a tool's class."""

from __future__ import annotations

import concurrent.futures
import contextvars
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar, TypeVarTuple

__all__ = ("Raised", "guarded", "guarded_async", "in_thread")

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


@dataclass(frozen=True, slots=True)
class Raised(Generic[T]):
    """An exception that foreign code raised, as a value.

    Attributes:
        error: the exception.
    """

    error: Exception


def guarded(call: Callable[[*Ts], T], *args: *Ts) -> T | Raised[T]:
    """Call foreign code; what it raises becomes a value. Interrupts and cancellation pass through.

    Args:
        call: the code.
        args: what it is called with.
    """
    try:
        return call(*args)
    except Exception as error:  # noqa: BLE001  # foreign code may raise anything, and none of it may crash a run
        return Raised(error)


async def guarded_async(call: Callable[[], Awaitable[T]]) -> T | Raised[T]:
    """Await foreign code; what it raises becomes a value. Interrupts and cancellation pass through.

    Args:
        call: makes what is awaited.
    """
    try:
        return await call()
    except Exception as error:  # noqa: BLE001  # foreign code may raise anything, and none of it may crash a run
        return Raised(error)


def _carried(error: BaseException) -> BaseException:
    """The exception as a future can hold it.

    `StopIteration` would leave whoever waits for it waiting, and the `CancelledError` of another future, an exception
    as any other, would be taken for the cancellation of this one.
    """
    if not isinstance(error, (StopIteration, concurrent.futures.CancelledError)):
        return error
    carried = RuntimeError(f"the handler raised {type(error).__name__}")
    carried.__cause__ = error
    return carried


def in_thread(call: Callable[[], object]) -> concurrent.futures.Future[object]:
    """Run foreign code in a thread of its own, which does not keep the program from ending if it hangs.

    Args:
        call: the code.
    """
    future: concurrent.futures.Future[object] = concurrent.futures.Future()
    context = contextvars.copy_context()

    def work() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(context.run(call))
        except BaseException as error:  # noqa: BLE001  # all of it is raised again where the result is asked for
            future.set_exception(_carried(error))

    threading.Thread(target=work, daemon=True, name="toolmend-handler").start()
    return future
