"""The loop: ask the model, run its calls, send back what they gave, until it answers or a bound is reached."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import TypeVar

from toolmend.agents.budgets import Budgets
from toolmend.agents.done import Done
from toolmend.agents.errors import ConfigError, ContextOverflowError, LLMError
from toolmend.agents.events import RunEnded, event_of
from toolmend.agents.result import StopReason, TaskResult
from toolmend.agents.run import DoneCondition, Limits, Run
from toolmend.agents.run_stream import RunStream
from toolmend.toolkit.spec import compile_class
from toolmend.toolkit.wire import ModelReply

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping

    from toolmend.agents.asking import Shown
    from toolmend.agents.chat_agent import ChatAgent
    from toolmend.agents.events import Event
    from toolmend.toolkit.hooks import BeforeCall, Decision

__all__ = ("StopReason", "Task", "TaskResult")

T = TypeVar("T", default=Any)

_ASKING_FAILED = (LLMError, ContextOverflowError)


class Task(Generic[T]):
    """Runs an agent until the model answers without a call, a tool or a condition ends it, or a bound is reached."""

    def __init__(
        self,
        agent: ChatAgent,
        *,
        output_type: type[T] | None = None,
        done: DoneCondition | None = None,
        budgets: Budgets | None = None,
        max_turns: int = 20,
        max_seconds: float | None = None,
        max_tokens: int | None = None,
    ) -> None:
        """Start nothing yet.

        Args:
            agent: who holds the conversation.
            output_type: class of the tool whose call ends a run and is its output, in place of words; the agent is
                given it.
            done: asked after each turn with calls, with what the model said and what the agent answered: True ends the
                run, a `Done` gives its output too; False and None let it go on.
            budgets: how many faulty calls are put up with; by default the agent's setting.
            max_turns: how often the model may be asked in a run.
            max_seconds: how long a run may take. It is looked at before the model is asked; an async run is interrupted
                as well.
            max_tokens: how many tokens the requests of a run may cost; looked at before the model is asked.

        Raises:
            ConfigError: the first is no agent, a setting has the wrong type, or a bound lets nothing happen.
            ToolDefinitionError: the class is no tool.
        """
        from toolmend.agents.chat_agent import ChatAgent

        if not isinstance(agent, ChatAgent):
            raise ConfigError(f"Task: a ChatAgent is needed, got {agent!r:.80}", fields=("agent",))
        if done is not None and not callable(done):
            raise ConfigError(f"done: a function of reply and response is needed, got {done!r:.80}", fields=("done",))
        if budgets is not None and not isinstance(budgets, Budgets):
            raise ConfigError(f"budgets: a Budgets(...) is needed, got {budgets!r:.80}", fields=("budgets",))
        self.agent = agent
        self.budgets = budgets or agent.config.budgets
        self.limits = Limits(max_turns=max_turns, max_seconds=max_seconds, max_tokens=max_tokens)
        self._done = done
        self._insist = self._enable(output_type) if output_type is not None else None

    def run(self, text: str | None = None, *, max_turns: int | None = None) -> TaskResult[T]:
        """Run until the end.

        Args:
            text: what the user says; None goes on with the conversation as it is.
            max_turns: how often the model may be asked, in place of the task's own bound.

        Returns:
            What came of it. Faults of the model and of its server are told there, not raised.
        """
        return self._stream(self._start(text, max_turns)).drain()

    async def run_async(self, text: str | None = None, *, max_turns: int | None = None) -> TaskResult[T]:
        """Run until the end, as `run` does, without blocking the event loop.

        Args:
            text: what the user says; None goes on with the conversation as it is.
            max_turns: how often the model may be asked, in place of the task's own bound.
        """
        return await self._stream(self._start(text, max_turns)).drain_async()

    def stream(self, text: str | None = None, *, max_turns: int | None = None) -> RunStream[T]:
        """Run, and tell what happens as it happens.

        Args:
            text: what the user says; None goes on with the conversation as it is.
            max_turns: how often the model may be asked, in place of the task's own bound.

        Returns:
            The events, for `for` or `async for`; the last one, a `RunEnded`, carries the result. Nothing happens before
            the first is asked for. Replies are shown as they are written, if the client can stream.
        """
        run = self._start(text, max_turns)
        run.shows_text = True
        return self._stream(run)

    def resume(self, decisions: Mapping[str, Decision] | BeforeCall, *, max_turns: int | None = None) -> TaskResult[T]:
        """Decide on the calls that a run left waiting, and go on.

        Args:
            decisions: what is decided of each, by its id, as `ChatAgentConfig.approve` says; or a function of a call.
            max_turns: how often the model may be asked, in place of the task's own bound.

        Returns:
            What came of it; counts and budgets start anew.

        Raises:
            ToolUsageError: no call waits, or none of that id.
            ConfigError: they are no decisions.
        """
        run = self._start(None, max_turns)
        run.book_results(self.agent.resolve(decisions))
        return self._stream(run).drain()

    async def resume_async(
        self, decisions: Mapping[str, Decision] | BeforeCall, *, max_turns: int | None = None
    ) -> TaskResult[T]:
        """Decide on the calls that a run left waiting, and go on, as `resume` does.

        Args:
            decisions: what is decided of each, by its id; or a function of a call.
            max_turns: how often the model may be asked, in place of the task's own bound.
        """
        run = self._start(None, max_turns)
        run.book_results(await self.agent.resolve_async(decisions))
        return await self._stream(run).drain_async()

    # ------------------------------------------------------------------ the loop

    def _events(self, run: Run) -> Iterator[Event]:
        while run.goes_on():
            reply: ModelReply | None = None
            try:
                for part in self._asked(run):
                    if isinstance(part, ModelReply):
                        reply = part
                    else:
                        yield part
            except _ASKING_FAILED as error:
                run.fail(error)
            if reply is None:
                break
            yield run.heard(reply)
            for step in self.agent.agent_steps(reply):
                yield event_of(step)
            nudged = run.book(reply, self.agent.agent_response(reply))
            if nudged is not None:
                yield nudged
        yield RunEnded(run.result())

    async def _events_async(self, run: Run) -> AsyncGenerator[Event, None]:
        try:
            while run.goes_on():
                reply: ModelReply | None = None
                try:
                    async with contextlib.aclosing(self._asked_async(run)) as parts:
                        async for part in _in_time(parts, run):
                            if isinstance(part, ModelReply):
                                reply = part
                            else:
                                yield part
                except _ASKING_FAILED as error:
                    run.fail(error)
                if reply is None:
                    break
                yield run.heard(reply)
                async with contextlib.aclosing(self.agent.agent_steps_async(reply)) as steps:
                    async for step in _in_time(steps, run):
                        yield event_of(step)
                nudged = run.book(reply, await self.agent.agent_response_async(reply))
                if nudged is not None:
                    yield nudged
        except TimeoutError:
            run.out_of_time()
        yield RunEnded(run.result())

    # ------------------------------------------------------------------ behind

    def _stream(self, run: Run) -> RunStream[T]:
        return RunStream(lambda: self._events(run), lambda: self._events_async(run))

    def _asked(self, run: Run) -> Iterator[Shown | ModelReply]:
        text = run.next_text()
        return self.agent.llm_stream(text) if run.shows_text else iter((self.agent.llm_response(text),))

    async def _asked_async(self, run: Run) -> AsyncGenerator[Shown | ModelReply, None]:
        text = run.next_text()
        if not run.shows_text:
            yield await self.agent.llm_response_async(text)
            return
        async with contextlib.aclosing(self.agent.llm_stream_async(text)) as parts:
            async for part in parts:
                yield part

    def _start(self, text: str | None, max_turns: int | None) -> Run:
        limits = self.limits if max_turns is None else replace(self.limits, max_turns=max_turns)
        return Run.of(self.agent, limits, self.budgets, text=text, insist=self._insist, condition=self._done)

    def _enable(self, output_type: type[Any]) -> str:
        """Give the agent the tool whose call is the output; returns what a model is told that answers in words."""
        spec = compile_class(output_type)
        self.agent.enable_message(output_type, handler=Done)
        return f"Give your answer by a call of the tool {spec.name!r}."


async def _in_time(steps: AsyncGenerator[Any, None], run: Run) -> AsyncIterator[Any]:
    """The steps, as long as there is time."""
    while True:
        try:
            async with asyncio.timeout(run.seconds_left):
                step = await anext(steps)
        except StopAsyncIteration:
            return
        yield step
