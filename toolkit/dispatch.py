"""Running calls: one place through which every call goes, and out of which every call comes with one result."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import itertools
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, cast

from toolmend.repairs.record import pointer
from toolmend.toolkit.awaiting import awaited, finished, is_async, loop_is_running
from toolmend.toolkit.dispatch_guard import Raised, guarded, guarded_async, in_thread
from toolmend.toolkit.errors import CallDeferred, ToolFailed, ToolSignal, ToolUsageError, UnknownToolError
from toolmend.toolkit.hooks import BeforeCall, Decision, Defer, Deny, Edit
from toolmend.toolkit.jobs import Job, Step, job_of
from toolmend.toolkit.outcome import CallError, ToolCall, ToolResult
from toolmend.toolkit.pipeline import parse_arguments
from toolmend.toolkit.results import failed_result, value_result
from toolmend.toolkit.spec import Handler, ToolSpec

__all__ = ("Dispatcher", "Step")

logger = logging.getLogger(__name__)


_NOT_ALLOWED: Final = "The call of {!r} was not allowed to run."
_DEFERRED: Final = "The call of {!r} was not run: it waits for {}."


class Dispatcher:
    """Runs calls with the tools of one moment; it keeps no state of a run."""

    def __init__(
        self,
        tools: Mapping[str, ToolSpec],
        *,
        handlers: Mapping[str, Handler] | None = None,
        before: BeforeCall | None = None,
        beside: Mapping[str, object] | None = None,
    ) -> None:
        """Prepare for running calls.

        Args:
            tools: the tools by name.
            handlers: what runs a tool, by its name; comes before what the tool itself declares.
            before: asked before each call runs.
            beside: what handlers may ask for beside the message, by name; the call itself is always there.

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
        self._beside = beside or {}

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
        return tuple(step.result for step in self.steps(items) if step.result is not None)

    async def run_async(self, items: Iterable[ToolCall | CallError]) -> tuple[ToolResult, ...]:
        """Run calls beside one another, sync handlers in threads; one after another if a tool asks for that.

        Args:
            items: calls and faulty calls, in order.

        Returns:
            One result for each, in the same order.

        Raises:
            MissingHandlerError: if nothing runs one of them; then none has run.
        """
        async with contextlib.aclosing(self.steps_async(items)) as steps:
            results = {step.index: step.result async for step in steps if step.result is not None}
        return tuple(results[index] for index in sorted(results))

    def steps(self, items: Iterable[ToolCall | CallError]) -> Iterator[Step]:
        """Run calls one after another, and tell of each as it starts and as it has its result.

        Args:
            items: calls and faulty calls, in order.

        Raises:
            MissingHandlerError: if nothing runs one of them; then none has run.
            ToolUsageError: if one has an async handler and an event loop is running; then none has run.
        """
        jobs = self._jobs(items, prefer_async=False)
        waiting = [f"the handler of {job.name!r}" for job in jobs if job.is_async]
        if self._before is not None and is_async(self._before):
            waiting.append("the hook")
        if waiting and loop_is_running():
            raise ToolUsageError(f"{', '.join(waiting)} is async and an event loop is running: await `dispatch_async`")
        return itertools.chain.from_iterable(map(self._run_one, jobs))

    async def steps_async(self, items: Iterable[ToolCall | CallError]) -> AsyncGenerator[Step, None]:
        """Run calls beside one another, and tell of each as it starts and as it has its result.

        Whoever stops asking before the end has to close it, so that none of the calls goes on.

        Args:
            items: calls and faulty calls, in order.

        Raises:
            MissingHandlerError: if nothing runs one of them; then none has run.
        """
        jobs = self._jobs(items, prefer_async=True)
        in_turn = any(job.spec is not None and job.spec.options.sequential for job in jobs)
        told: asyncio.Queue[Step | asyncio.Task[None]] = asyncio.Queue()
        tasks = [
            asyncio.create_task(self._run_async(group, told.put_nowait))
            for group in ([jobs] if in_turn else [[job] for job in jobs])
        ]
        for task in tasks:
            task.add_done_callback(told.put_nowait)
        try:
            running = len(tasks)
            while running:
                news = await told.get()
                if isinstance(news, Step):
                    yield news
                else:
                    news.result()  # interrupted or cancelled: it passes through
                    running -= 1
        finally:  # none goes on
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _jobs(self, items: Iterable[ToolCall | CallError], *, prefer_async: bool) -> list[Job]:
        found = (self._tools, self._handlers, self._beside)
        return [job_of(index, item, *found, prefer_async=prefer_async) for index, item in enumerate(items)]

    def _run_one(self, job: Job) -> Iterator[Step]:
        if isinstance(job.call, CallError):
            yield job.done(ToolResult(job.call, text=job.call.message, error=job.call))
            return
        call = self._decided(job.call, guarded(functools.partial(finished, functools.partial(self._ask, job.call))))
        if isinstance(call, ToolResult):
            yield job.done(call)
            return
        yield Step(job.index, call)
        yield job.done(self._settled(job, call))

    async def _run_async(self, jobs: Iterable[Job], tell: Callable[[Step], None]) -> None:
        for job in jobs:
            if isinstance(job.call, CallError):
                tell(job.done(ToolResult(job.call, text=job.call.message, error=job.call)))
                continue
            decision = await guarded_async(functools.partial(awaited, self._ask, job.call))
            call = self._decided(job.call, decision)
            if isinstance(call, ToolResult):
                tell(job.done(call))
                continue
            tell(Step(job.index, call))
            tell(job.done(await self._settled_async(job, call)))

    def _settled(self, job: Job, call: ToolCall) -> ToolResult:
        """Run one call within its time."""
        if job.is_async:
            return asyncio.run(self._settled_async(job, call))
        start = functools.partial(finished, functools.partial(job.start, call))
        if job.timeout is None:
            return self._result(job, call, guarded(start))
        future = in_thread(start)
        try:
            value: object = future.result(job.timeout)
        except concurrent.futures.TimeoutError as error:
            value = Raised(error if future.done() else _too_slow(job))
        except Exception as error:  # noqa: BLE001  # a handler may raise anything, and it becomes a result
            value = Raised(error)
        return self._result(job, call, value)

    async def _settled_async(self, job: Job, call: ToolCall) -> ToolResult:
        """Run one call within its time."""
        try:
            async with asyncio.timeout(job.timeout) as limit:
                value = await guarded_async(functools.partial(job.start_async, call))
        except TimeoutError:
            if not limit.expired():
                raise
            value = Raised(_too_slow(job))
        return self._result(job, call, value)

    def _ask(self, call: ToolCall) -> Decision | Awaitable[Decision]:
        return self._before(call) if self._before is not None else None

    def _decided(self, call: ToolCall, decision: Decision | Raised[Decision]) -> ToolCall | ToolResult:
        """The call as it may run, or the result that says why it must not: in doubt it must not."""
        if decision is None or decision is True:
            return call
        if decision is False:
            return failed_result(call, ToolFailed(_NOT_ALLOWED.format(call.name)))
        if isinstance(decision, Deny):
            return failed_result(call, ToolFailed(decision.text))
        if isinstance(decision, Defer):
            return failed_result(call, CallDeferred(_DEFERRED.format(call.name, decision.text)))
        what = f"decided by a {type(decision).__name__}, which is no decision"
        if isinstance(decision, Edit):
            edited = parse_arguments(self._tools[call.name], dict(decision.arguments), raw=call.raw)
            if isinstance(edited, ToolCall) and not edited.repairs:
                return replace(call, arguments=edited.arguments, message=edited.message)
            what = f"gave it arguments that do not fit as they stand, at {_places(edited)}"
        fault = decision.error if isinstance(decision, Raised) else None
        what = f"raised {type(fault).__name__}" if fault is not None else what
        logger.error("the hook before the call of %s %s: the call is denied", call.name, what)
        logger.debug("the decision was %r", decision, exc_info=fault)
        return failed_result(call, ToolFailed(_NOT_ALLOWED.format(call.name)))

    def _result(self, job: Job, ran: ToolCall, value: object) -> ToolResult:
        call = cast("ToolCall", job.call)
        edited = ran if ran is not call else None
        if not isinstance(value, Raised):
            return replace(value_result(call, value), edited=edited)
        # A signal is the tool's way to answer; anything else is a fault in it, which only a traceback finds.
        level = logging.DEBUG if isinstance(value.error, ToolSignal) else logging.WARNING
        logger.log(level, "the tool %s raised %s", call.name, type(value.error).__name__, exc_info=value.error)
        return replace(failed_result(call, value.error), edited=edited)


def _places(edited: ToolCall | CallError) -> str:
    """Where arguments had to be mended, or could not be; what stands there may be no text for a log."""
    faults = edited.repairs if isinstance(edited, ToolCall) else edited.problems
    return ", ".join(dict.fromkeys(pointer(fault.path) for fault in faults)) or pointer(())


def _too_slow(job: Job) -> Exception:
    return TimeoutError(f"it took longer than {job.timeout:g} seconds and was given up")
