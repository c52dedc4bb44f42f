"""A run as a stream of events, for sync and async code."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Generic, cast

from typing_extensions import TypeVar

from toolmend.agents.events import RunEnded
from toolmend.toolkit.errors import ToolUsageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator

    from toolmend.agents.events import Event
    from toolmend.agents.result import TaskResult

__all__ = ("RunStream",)

T = TypeVar("T", default=Any)


class RunStream(Generic[T]):
    """The events of one run: `for event in stream`, or `async for event in stream`; it can be gone through once."""

    def __init__(
        self, events: Callable[[], Iterator[Event]], events_async: Callable[[], AsyncGenerator[Event, None]]
    ) -> None:
        """Start nothing yet.

        Args:
            events: starts the run in sync code.
            events_async: starts it in async code.
        """
        self._events = events
        self._events_async = events_async
        self._started = False
        self._result: TaskResult[T] | None = None

    @property
    def result(self) -> TaskResult[T]:
        """What came of the run, once it is over.

        Raises:
            ToolUsageError: it is not over yet.
        """
        if self._result is None:
            raise ToolUsageError("the run is not over: go through all its events first")
        return self._result

    def __iter__(self) -> Iterator[Event]:
        """Run in sync code."""
        self._start()
        for event in self._events():
            self._note(event)
            yield event

    async def __aiter__(self) -> AsyncIterator[Event]:
        """Run in async code."""
        self._start()
        async with contextlib.aclosing(self._events_async()) as events:
            async for event in events:
                self._note(event)
                yield event

    def drain(self) -> TaskResult[T]:
        """Run to the end in sync code.

        Returns:
            What came of it.
        """
        for _event in self:
            pass
        return self.result

    async def drain_async(self) -> TaskResult[T]:
        """Run to the end in async code.

        Returns:
            What came of it.
        """
        async for _event in self:
            pass
        return self.result

    def _start(self) -> None:
        if self._started:
            raise ToolUsageError("a stream is gone through once; start another run for more")
        self._started = True

    def _note(self, event: Event) -> None:
        if isinstance(event, RunEnded):
            self._result = cast("TaskResult[T]", event.result)
