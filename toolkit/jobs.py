"""One call with what runs it."""

from __future__ import annotations

import asyncio
import copy
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from pydantic import BaseModel

from toolmend.toolkit.awaiting import is_async
from toolmend.toolkit.dispatch_guard import in_thread
from toolmend.toolkit.errors import MissingHandlerError
from toolmend.toolkit.handlers import extras_of
from toolmend.toolkit.outcome import CallError, ToolCall, ToolResult
from toolmend.toolkit.spec import Handler, ToolSpec

__all__ = ("Job", "Step", "job_of")


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one call: it starts, or it has its result.

    Attributes:
        index: its place among the calls.
        call: the call, as it runs; or the faulty attempt.
        result: its result; None if it starts now.
    """

    index: int
    call: ToolCall | CallError
    result: ToolResult | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A call with what runs it.

    Attributes:
        index: its place among the calls.
        call: the call, or the faulty attempt, which nothing runs.
        spec: the tool.
        handler: what runs it.
        extras: what the handler is called with beside the message.
        is_async: whether the handler is async.
    """

    index: int
    call: ToolCall | CallError
    spec: ToolSpec | None = None
    handler: Handler | None = None
    extras: Mapping[str, object] = field(default_factory=dict)
    is_async: bool = False

    @property
    def name(self) -> str | None:
        """The name of the tool."""
        return self.call.name if isinstance(self.call, ToolCall) else self.call.tool

    @property
    def timeout(self) -> float | None:
        """Most seconds that the handler may take."""
        return self.spec.options.timeout if self.spec is not None else None

    def done(self, result: ToolResult) -> Step:
        """The step at the end.

        Args:
            result: what came of the call.
        """
        return Step(self.index, self.call, result)

    def start(self, call: ToolCall) -> object:
        """Call the handler; a dict is copied, so that the record keeps what the model sent.

        Args:
            call: the call as it runs.
        """
        message = copy.deepcopy(call.message) if isinstance(call.message, dict) else call.message
        extras = {key: call if value is self.call else value for key, value in self.extras.items()}
        return cast("Callable[..., object]", self.handler)(message, **extras)

    async def start_async(self, call: ToolCall) -> object:
        """Await the handler, or run it in a thread.

        Args:
            call: the call as it runs.
        """
        value = self.start(call) if self.is_async else await asyncio.wrap_future(in_thread(lambda: self.start(call)))
        return await value if inspect.isawaitable(value) else value


def job_of(
    index: int,
    call: ToolCall | CallError,
    tools: Mapping[str, ToolSpec],
    handlers: Mapping[str, Handler],
    beside: Mapping[str, object],
    *,
    prefer_async: bool,
) -> Job:
    """Find what runs a call.

    Args:
        index: its place among the calls.
        call: the call, or the faulty attempt.
        tools: the tools by name.
        handlers: what runs a tool, by its name; comes before what the tool itself declares.
        beside: what handlers may ask for beside the message.
        prefer_async: take the async method of a tool's class before the sync one.

    Raises:
        MissingHandlerError: if nothing runs it.
        ToolUsageError: if what runs it asks for something that is not there.
    """
    if isinstance(call, CallError):
        return Job(index, call)
    spec = tools.get(call.name)
    handler = handlers.get(call.name) or (spec.handler if spec is not None else None)
    if handler is None and isinstance(call.message, BaseModel):
        handler = _own_handler(type(call.message), prefer_async=prefer_async)
    if handler is None:
        raise MissingHandlerError(call.name)
    extras = extras_of(handler, {**beside, "call": call}, call.name)
    return Job(index, call, spec, handler, extras, is_async=is_async(handler))


def _own_handler(kind: type, *, prefer_async: bool) -> Handler | None:
    """The method of a tool's class that runs it; a field of that name is none."""
    names = ("handle_async", "handle") if prefer_async else ("handle", "handle_async")
    return next((found for name in names if callable(found := getattr(kind, name, None))), None)
