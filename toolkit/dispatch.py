"""Running calls: one place through which every call goes, and out of which every call comes with one result."""

from __future__ import annotations

import asyncio
import concurrent.futures
import copy
import functools
import inspect
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar, cast

from pydantic import BaseModel

from toolmend.toolkit.dispatch_guard import Raised, guarded, guarded_async, in_thread
from toolmend.toolkit.errors import MissingHandlerError, ToolFailed, ToolSignal, ToolUsageError, UnknownToolError
from toolmend.toolkit.hooks import BeforeCall, Decision, Deny, Edit
from toolmend.toolkit.outcome import CallError, ToolCall, ToolResult
from toolmend.toolkit.pipeline import parse_arguments
from toolmend.toolkit.results import failed_result, value_result
from toolmend.toolkit.spec import Handler, ToolSpec

__all__ = ("Dispatcher",)

T = TypeVar("T")

logger = logging.getLogger(__name__)


_NOT_ALLOWED: Final = "The call of {!r} was not allowed to run."


class Dispatcher:
    """Runs calls with the tools of one moment; it keeps no state of a run."""

    def __init__(
        self,
        tools: Mapping[str, ToolSpec],
        *,
        handlers: Mapping[str, Handler] | None = None,
        before: BeforeCall | None = None,
    ) -> None:
        """Prepare for running calls.

        Args:
            tools: the tools by name.
            handlers: what runs a tool, by its name; comes before what the tool itself declares.
            before: asked before each call runs.

        Raises:
            UnknownToolError: if there is a handler for a tool that is not there.
            ToolUsageError: if a handler is none.
        """
        for name, handler in (handlers or {}).items():
            if name not in tools:
                raise UnknownToolError(name, tuple(tools))
            if not callable(handler):
                raise ToolUsageError(f"the handler of {name!r} must be a function, got {handler!r:.80}")
        self._tools = tools
        self._handlers = handlers or {}
        self._before = before

    def run(self, items: Iterable[ToolCall | CallError]) -> tuple[ToolResult, ...]:
        """Run calls one after another.

        Args:
            items: calls and faulty calls, in order.

        Returns:
            One result for each, in the same order.

        Raises:
            MissingHandlerError: if nothing runs one of them; then none has run.
            ToolUsageError: if one has an async handler and an event loop is running; then none has run.
        """
        jobs = [self._job(item, prefer_async=False) for item in items]
        waiting = [f"the handler of {job.name!r}" for job in jobs if job.is_async]
        if self._before is not None and _is_async(self._before):
            waiting.append("the hook")
        if waiting and _loop_is_running():
            raise ToolUsageError(f"{', '.join(waiting)} is async and an event loop is running: await `dispatch_async`")
        return tuple(self._run_one(job) for job in jobs)

    async def run_async(self, items: Iterable[ToolCall | CallError]) -> tuple[ToolResult, ...]:
        """Run calls beside one another, sync handlers in threads; one after another if a tool asks for that.

        Args:
            items: calls and faulty calls, in order.

        Returns:
            One result for each, in the same order.

        Raises:
            MissingHandlerError: if nothing runs one of them; then none has run.
        """
        jobs = [self._job(item, prefer_async=True) for item in items]
        if any(job.spec is not None and job.spec.options.sequential for job in jobs):
            return tuple([await self._run_one_async(job) for job in jobs])
        tasks = [asyncio.create_task(self._run_one_async(job)) for job in jobs]
        try:
            return tuple(await asyncio.gather(*tasks))
        except BaseException:  # interrupted or cancelled: none goes on, and it passes through
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise

    def _job(self, call: ToolCall | CallError, *, prefer_async: bool) -> _Job:
        if isinstance(call, CallError):
            return _Job(call)
        spec = self._tools.get(call.name)
        handler = self._handlers.get(call.name) or (spec.handler if spec is not None else None)
        if handler is None and isinstance(call.message, BaseModel):
            handler = _own_handler(type(call.message), prefer_async=prefer_async)
        if handler is None:
            raise MissingHandlerError(call.name)
        return _Job(call, spec, handler, is_async=_is_async(handler))

    def _run_one(self, job: _Job) -> ToolResult:
        if isinstance(job.call, CallError):
            return ToolResult(job.call, text=job.call.message, error=job.call)
        call = self._decided(job.call, guarded(functools.partial(_finished, functools.partial(self._ask, job.call))))
        if isinstance(call, ToolResult):
            return call
        if job.is_async:
            return asyncio.run(self._settled_async(job, call))
        start = functools.partial(_finished, functools.partial(job.start, call))
        if job.timeout is None:
            return self._result(job, guarded(start))
        future = in_thread(start)
        try:
            value: object = future.result(job.timeout)
        except concurrent.futures.TimeoutError as error:
            value = Raised(error if future.done() else _too_slow(job))
        except Exception as error:  # noqa: BLE001  # a handler may raise anything, and it becomes a result
            value = Raised(error)
        return self._result(job, value)

    async def _run_one_async(self, job: _Job) -> ToolResult:
        if isinstance(job.call, CallError):
            return ToolResult(job.call, text=job.call.message, error=job.call)
        call = self._decided(job.call, await guarded_async(functools.partial(_awaited, self._ask, job.call)))
        return call if isinstance(call, ToolResult) else await self._settled_async(job, call)

    async def _settled_async(self, job: _Job, call: ToolCall) -> ToolResult:
        """Run one call within its time."""
        try:
            async with asyncio.timeout(job.timeout) as limit:
                value = await guarded_async(functools.partial(job.start_async, call))
        except TimeoutError:
            if not limit.expired():
                raise
            value = Raised(_too_slow(job))
        return self._result(job, value)

    def _ask(self, call: ToolCall) -> Decision | Awaitable[Decision]:
        return self._before(call) if self._before is not None else None

    def _decided(self, call: ToolCall, decision: Decision | Raised[Decision]) -> ToolCall | ToolResult:
        """The call as it may run, or the result that says why it must not: in doubt it must not."""
        if decision is None:
            return call
        if isinstance(decision, Deny):
            return failed_result(call, ToolFailed(decision.text))
        if isinstance(decision, Edit):
            edited = parse_arguments(self._tools[call.name], dict(decision.arguments), raw=call.raw)
            if isinstance(edited, ToolCall) and not edited.repairs:
                return replace(call, arguments=edited.arguments, message=edited.message)
        fault = decision.error if isinstance(decision, Raised) else None
        what = f"raised {type(fault).__name__}" if fault is not None else "decided what cannot be done"
        logger.error("the hook before the call of %s %s: the call is denied", call.name, what)
        logger.debug("the decision was %r", decision, exc_info=fault)
        return failed_result(call, ToolFailed(_NOT_ALLOWED.format(call.name)))

    def _result(self, job: _Job, value: object) -> ToolResult:
        call = cast("ToolCall", job.call)
        if not isinstance(value, Raised):
            return value_result(call, value)
        # A signal is the tool's way to answer; anything else is a fault in it, which only a traceback finds.
        level = logging.DEBUG if isinstance(value.error, ToolSignal) else logging.WARNING
        logger.log(level, "the tool %s raised %s", call.name, type(value.error).__name__, exc_info=value.error)
        return failed_result(call, value.error)


@dataclass(frozen=True, slots=True)
class _Job:
    """A call with what runs it."""

    call: ToolCall | CallError
    spec: ToolSpec | None = None
    handler: Handler | None = None
    is_async: bool = False

    @property
    def name(self) -> str | None:
        """The name of the tool."""
        return self.call.name if isinstance(self.call, ToolCall) else self.call.tool

    @property
    def timeout(self) -> float | None:
        """Most seconds that the handler may take."""
        return self.spec.options.timeout if self.spec is not None else None

    def start(self, call: ToolCall) -> object:
        """Call the handler; a dict is copied, so that the record keeps what the model sent."""
        message = copy.deepcopy(call.message) if isinstance(call.message, dict) else call.message
        return cast("Handler", self.handler)(message)

    async def start_async(self, call: ToolCall) -> object:
        """Await the handler, or run it in a thread."""
        value = self.start(call) if self.is_async else await asyncio.wrap_future(in_thread(lambda: self.start(call)))
        return await value if inspect.isawaitable(value) else value


def _own_handler(kind: type, *, prefer_async: bool) -> Handler | None:
    """The method of a tool's class that runs it; a field of that name is none."""
    names = ("handle_async", "handle") if prefer_async else ("handle", "handle_async")
    return next((found for name in names if callable(found := getattr(kind, name, None))), None)


def _is_async(code: Callable[..., object]) -> bool:
    """Whether it is async: a function, a partial of one, or an object that is called."""
    called = getattr(type(code), "__call__", None)  # noqa: B004  # it is looked at, not only asked for
    return inspect.iscoroutinefunction(code) or inspect.iscoroutinefunction(called)


def _finished(code: Callable[[], T | Awaitable[T]]) -> T:
    """What a sync caller gets of code that may turn out to be async."""
    value = code()
    if not inspect.isawaitable(value):
        return value
    if _loop_is_running():
        if inspect.iscoroutine(value):
            value.close()
        raise ToolUsageError("it turned out to be async while an event loop is running: await `dispatch_async`")
    return asyncio.run(_awaited(lambda: value))


async def _awaited(code: Callable[..., T | Awaitable[T]], *arguments: object) -> T:
    """What an async caller gets of code that may turn out to be sync."""
    value = code(*arguments)
    return await value if inspect.isawaitable(value) else value


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _too_slow(job: _Job) -> Exception:
    return TimeoutError(f"it took longer than {job.timeout:g} seconds and was given up")
