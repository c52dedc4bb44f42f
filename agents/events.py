"""What happens in a run, as it happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from toolmend.agents.asking import Shown
from toolmend.toolkit.outcome import ToolCall

if TYPE_CHECKING:
    from toolmend.agents.result import TaskResult
    from toolmend.toolkit.jobs import Step
    from toolmend.toolkit.outcome import CallError, ToolResult
    from toolmend.toolkit.wire import ModelReply

__all__ = ("CallFinished", "CallStarted", "Event", "Nudged", "ReplyReceived", "RunEnded", "event_of")


@dataclass(frozen=True, slots=True)
class ReplyReceived:
    """The model has said something.

    Attributes:
        turn: how often it was asked in this run.
        reply: what it said.
    """

    turn: int
    reply: ModelReply


@dataclass(frozen=True, slots=True)
class CallStarted:
    """A call begins to run.

    Attributes:
        call: the call, as it runs.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class CallFinished:
    """A call, or a faulty attempt at one, has its result.

    Attributes:
        result: what goes back to the model.
    """

    result: ToolResult

    @property
    def call(self) -> ToolCall | CallError:
        """The call that it answers."""
        return self.result.call


@dataclass(frozen=True, slots=True)
class Nudged:
    """The model made no attempt at a call, and is told that it should.

    Attributes:
        text: what it is told.
    """

    text: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over; the last event.

    Attributes:
        result: what came of it.
    """

    result: TaskResult[Any]


Event: TypeAlias = Shown | ReplyReceived | CallStarted | CallFinished | Nudged | RunEnded
"""`Shown` is what can be shown of a reply that is being written: `TextDelta`, `TextRestart` and `PartialCall`."""


def event_of(step: Step) -> CallStarted | CallFinished:
    """What happened to a call, as an event.

    Args:
        step: what happened.
    """
    if step.result is not None:
        return CallFinished(step.result)
    if not isinstance(step.call, ToolCall):
        raise TypeError("a faulty call never starts")
    return CallStarted(step.call)
