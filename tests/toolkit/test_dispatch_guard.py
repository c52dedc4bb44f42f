from __future__ import annotations

import asyncio
import threading

import pytest

from toolmend.toolkit.dispatch_guard import Raised, guarded, guarded_async, in_thread


def fail() -> int:
    raise LookupError("no")


async def fail_async() -> int:
    raise LookupError("no")


def test_what_foreign_code_raises_becomes_a_value() -> None:
    """What it returns stays what it is."""
    assert guarded(lambda: 3) == 3
    assert isinstance(guarded(fail), Raised)
    assert isinstance(asyncio.run(guarded_async(fail_async)), Raised)


def test_interrupts_pass_through() -> None:
    """They are meant for the program."""

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        guarded(stop)


def test_code_runs_in_a_thread_that_holds_nothing_up() -> None:
    """Its result, or what it raised, is had by the future."""
    thread = in_thread(threading.current_thread).result(5)
    assert isinstance(thread, threading.Thread)
    assert thread.daemon
    with pytest.raises(LookupError):
        in_thread(fail).result(5)
