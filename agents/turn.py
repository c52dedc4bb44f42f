"""The model's last turn: what it said, what was read out of it, and what its calls came to so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from toolmend.agents.done import Done
from toolmend.agents.held import HeldTurn, held_of, result_of
from toolmend.agents.messages import (
    NOT_EXECUTED,
    Entry,
    answer_messages,
    assistant_message,
    joined_text,
    user_message,
)
from toolmend.toolkit.errors import ToolFailed
from toolmend.toolkit.outcome import CallError, ParseResult, ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolmend.toolkit.jobs import Step
    from toolmend.toolkit.spec import ToolSpec
    from toolmend.toolkit.wire import ModelReply

__all__ = ("AgentResponse", "Turn")

INTERRUPTED = "Interrupted: this call was started, and nobody knows how far it came."


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """What an agent answers to the model's turn.

    Attributes:
        text: what goes back to the model, as one text.
        results: one result per call, faulty ones included, in the order in which they were made; none if the model made
            no attempt at a call and was told so.
        done: what a handler ended the run with, if one did.
    """

    text: str
    results: tuple[ToolResult, ...] = ()
    done: Done | None = None

    @property
    def deferred(self) -> tuple[ToolCall, ...]:
        """The calls that wait, for an approval say; `ChatAgent.resolve` decides on them."""
        waiting = (result.call for result in self.results if result.deferred)
        return tuple(call for call in waiting if isinstance(call, ToolCall))


@dataclass(slots=True)
class Turn:
    """The last turn; the history is made of it anew whenever it is asked for, so that it is valid at any moment.

    Attributes:
        reply: what the model said.
        read: what was read out of it.
        write: writes calls in the form that the model was asked for in text.
        trusted: whether it is known that the model said it.
        started: the calls that were begun, by their places.
        results: what came of the calls, by their places.
        wholes: the texts of those results of which the model was told only a part.
        nudge: what the model is told if it made no attempt at a call.
        response: the answer, once there is one.
        answered: whether it was answered, be it by nothing.
    """

    reply: ModelReply
    read: ParseResult
    write: Callable[[Sequence[ToolCall]], str]
    trusted: bool = True
    started: set[int] = field(default_factory=set)
    results: dict[int, ToolResult] = field(default_factory=dict)
    wholes: dict[int, str] = field(default_factory=dict)
    nudge: str | None = None
    response: AgentResponse | None = None
    answered: bool = False

    @property
    def is_open(self) -> bool:
        """Whether there is something left to be done about it."""
        return not self.answered or (self.response is not None and bool(self.response.deferred))

    @property
    def untouched(self) -> bool:
        """Whether nothing was done about it yet."""
        return self.response is None and not self.started and not self.results

    def open_places(self) -> list[int]:
        """The places of the calls that have no result yet, or wait."""
        places = range(len(self.read.items))
        return [place for place in places if place not in self.results or self.results[place].deferred]

    def take(self, step: Step) -> None:
        """Note what happened to a call.

        Args:
            step: the step; its index is the place of the call.
        """
        if step.result is None:
            self.started.add(step.index)
        else:
            self.results[step.index] = step.result

    def entries(self, text_of: Callable[[ToolResult], str] | None = None) -> list[Entry]:
        """The turn as it stands in the history, with an answer to every call.

        Args:
            text_of: gives what is told of a whole result; by default it is what the model was told of it.
        """
        results = [self._result_at(place) for place in range(len(self.read.items))]
        ran = replace(self.read, items=tuple(_as_it_ran(result) for result in results))
        entries = [Entry(assistant_message(self.reply, ran, self.write), "model", self.reply, self._held())]
        if text_of is not None:
            wholes = [replace(one, text=self.wholes.get(place, one.text)) for place, one in enumerate(results)]
            results = [replace(whole, text=text_of(whole)) for whole in wholes]
        answers = answer_messages(results)
        if self.nudge:
            answers.append(user_message(self.nudge))
        return entries + [Entry(message, "tool") for message in answers]

    def reopen(self, stored: Sequence[Entry], tools: Mapping[str, ToolSpec]) -> bool:
        """Let the calls wait again that waited when the turn was stored; the others are as they were answered then.

        Args:
            stored: the turn as `entries` gave it.
            tools: the tools by name.

        Returns:
            Whether it is the same turn then: other tools may read the reply in another way.
        """
        held = stored[0].held
        if held is None or len(held.calls) != len(self.read.items):
            return False
        pairs = zip(self.read.items, held.calls, strict=True)
        results = [result for result in (result_of(item, one, tools) for item, one in pairs) if result is not None]
        if len(results) != len(held.calls):
            return False
        self.trusted = held.trusted
        self.results = dict(enumerate(results))
        self.response, self.answered = AgentResponse(joined_text(results), tuple(results)), True
        return self.entries() == list(stored)

    def _held(self) -> HeldTurn | None:
        """What there is to be kept of the calls, if one of them waits."""
        if not any(result.deferred for result in self.results.values()):
            return None
        places = range(len(self.read.items))
        return HeldTurn(tuple(held_of(self.results.get(at) or self._result_at(at)) for at in places), self.trusted)

    def _result_at(self, place: int) -> ToolResult:
        """What a call came to; an answer that says so if nothing is known."""
        result = self.results.get(place)
        if result is not None and not result.deferred:
            return result
        text = INTERRUPTED if result is None and place in self.started else NOT_EXECUTED
        return ToolResult(self.read.items[place], text=text, error=ToolFailed(text))


def _as_it_ran(result: ToolResult) -> ToolCall | CallError:
    """The call; one that was edited has no text of the model any more."""
    return result.call if result.edited is None else replace(result.edited, raw="")
