"""Answering the model's turn: which of its calls are run, and what goes back to it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolmend.agents.done import Done, hold_back
from toolmend.agents.errors import ConfigError
from toolmend.agents.faults import FaultMemory
from toolmend.agents.messages import joined_text
from toolmend.agents.result_limits import limited
from toolmend.agents.turn import AgentResponse
from toolmend.toolkit.awaiting import awaited, finished
from toolmend.toolkit.dispatch import Dispatcher
from toolmend.toolkit.errors import ToolFailed
from toolmend.toolkit.outcome import CallError, ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping

    from toolmend.agents.config import ChatAgentConfig
    from toolmend.agents.dialogue import Dialogue
    from toolmend.agents.toolbox import Toolbox
    from toolmend.agents.turn import Turn
    from toolmend.toolkit.hooks import BeforeCall
    from toolmend.toolkit.jobs import Step

__all__ = ("Acting",)


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is to be run of a turn: the calls, their places in it, and what runs them."""

    dispatcher: Dispatcher
    items: tuple[ToolCall | CallError, ...]
    places: tuple[int, ...]


class Acting:
    """Plans what is run of a turn, and makes the answer of what came of it."""

    def __init__(
        self, config: ChatAgentConfig, toolbox: Toolbox, dialogue: Dialogue, beside: Mapping[str, object]
    ) -> None:
        """Start with no faults to remember.

        Args:
            config: the settings of the agent.
            toolbox: its tools.
            dialogue: the conversation.
            beside: what handlers may ask for beside the message.
        """
        self._config = config
        self._toolbox = toolbox
        self._dialogue = dialogue
        self._beside = beside
        self._faults = FaultMemory()

    def steps(self, turn: Turn, approve: BeforeCall | None) -> Iterator[Step]:
        """Run the calls of a turn that have no result yet, and answer it.

        Args:
            turn: the turn.
            approve: asked before each call runs.

        Yields:
            What happens to each call, by its place in the turn.
        """
        if turn.is_open:
            plan = self._plan(turn, approve, prefer_async=False)
            try:  # in plain sight: an interrupt within a context manager could leave the conversation locked
                self._dialogue.busy = True
                for step in plan.dispatcher.steps(plan.items):
                    yield self._taken(turn, plan, step)
            finally:
                self._dialogue.busy = False
            self._answer(turn, finished(lambda: self._said_of(turn)))

    async def steps_async(self, turn: Turn, approve: BeforeCall | None) -> AsyncGenerator[Step, None]:
        """Run the calls of a turn, as `steps` does, beside one another.

        Args:
            turn: the turn.
            approve: asked before each call runs.

        Yields:
            What happens to each call, by its place in the turn.
        """
        if turn.is_open:
            plan = self._plan(turn, approve, prefer_async=True)
            async with contextlib.aclosing(plan.dispatcher.steps_async(plan.items)) as steps:
                try:
                    self._dialogue.busy = True
                    async for step in steps:
                        yield self._taken(turn, plan, step)
                finally:
                    self._dialogue.busy = False
            self._answer(turn, await awaited(lambda: self._said_of(turn)))

    def _plan(self, turn: Turn, approve: BeforeCall | None, *, prefer_async: bool) -> _Plan:
        """Say which calls are run now; those that may not be have their results at once."""
        places = turn.open_places()
        for place in places:
            item = turn.read.items[place]
            refusal = self._toolbox.refusal(item, trusted=turn.trusted) if isinstance(item, ToolCall) else None
            if refusal is not None:
                turn.results[place] = ToolResult(item, text=refusal, error=ToolFailed(refusal))
        places = [place for place in places if place not in turn.results or turn.results[place].deferred]
        dispatcher = Dispatcher(
            self._toolbox.known.specs,
            handlers=self._toolbox.handlers(prefer_async=prefer_async),
            before=approve,
            beside=self._beside,
        )
        return _Plan(dispatcher, tuple(turn.read.items[place] for place in places), tuple(places))

    def _taken(self, turn: Turn, plan: _Plan, step: Step) -> Step:
        """Note what happened to a call, with the text that the model is told."""
        place, result = plan.places[step.index], step.result
        if result is not None:
            result = self._faults.told(result, self._toolbox.known.specs)
            turn.wholes[place] = result.text
            result = replace(result, text=self._limited(result, "max_result_tokens"))
        step = replace(step, index=place, result=result)
        turn.take(step)
        return step

    def _answer(self, turn: Turn, said: object) -> None:
        """Answer a turn whose calls were run; `said` is what goes back if it holds no attempt at a call."""
        turn.answered = True
        if not turn.read.items:
            turn.response = _without_calls(said)
            turn.nudge = said if isinstance(said, str) else None
            return
        results = tuple(turn.results[place] for place in range(len(turn.read.items)))
        waits = any(result.deferred for result in results)
        results = results if waits else hold_back(results)
        turn.wholes = {place: text for place, text in turn.wholes.items() if results[place] is turn.results[place]}
        turn.results = dict(enumerate(results))
        self._faults.remember(results)
        done = next((result.value for result in results if isinstance(result.value, Done)), None)
        turn.response = AgentResponse(joined_text(results), results, None if waits else done)
        if any(result.ok and result.name == self._toolbox.forced for result in results):
            self._dialogue.obeyed = True

    def _said_of(self, turn: Turn) -> object:
        """What the settings say of a turn without an attempt at a call; it may have to be awaited."""
        said = self._config.handle_llm_no_tool if not turn.read.items else None
        return said(turn.reply) if callable(said) else said

    def retained(self, result: ToolResult) -> str:
        """What is kept of a result once the model has answered it: no more than it was told, and maybe less.

        Args:
            result: the result, with its whole text.
        """
        texts = (self._limited(result, name) for name in ("max_result_tokens", "max_retained_tokens"))
        return min(texts, key=len)

    def forget_faults(self) -> None:
        """Take the next fault for the first one."""
        self._faults.remember(())

    def _limited(self, result: ToolResult, name: str) -> str:
        """The text of a result that the handler gave, as long as it may be."""
        spec = self._toolbox.known.specs.get(result.name or "")
        own = getattr(spec.options, name) if spec is not None else None
        limit: int | None = own if own is not None else getattr(self._config, name)
        if limit is None or isinstance(result.call, CallError):
            return result.text
        return limited(result.text, limit, self._dialogue.window.counter)


def _without_calls(said: object) -> AgentResponse | None:
    """The answer to a turn without an attempt at a call."""
    if said is None or said == "":
        return None
    if isinstance(said, Done):
        return AgentResponse(said.text, done=said)
    if isinstance(said, str):
        return AgentResponse(said)
    wanted = "a text for the model, a Done, or None"
    raise ConfigError(f"handle_llm_no_tool: {wanted} is needed, got {said!r:.80}", fields=("handle_llm_no_tool",))
