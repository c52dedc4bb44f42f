"""What a stream tells while a reply is being written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.outcome import CallError, ParseResult, ToolCall
from toolmend.toolkit.streaming.partial import view_of_arguments, view_of_call
from toolmend.toolkit.wire import ModelReply

__all__ = (
    "CallCompleted",
    "CallFailed",
    "CallRetracted",
    "PartialCall",
    "StreamEvent",
    "StreamFinished",
    "TextDelta",
    "TextRestart",
    "replay",
)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More of the text for the user.

    Attributes:
        text: what is to be added to the text shown so far.
    """

    text: str


@dataclass(frozen=True, slots=True)
class TextRestart:
    """The text shown so far is void: later text made something else of it, reasoning say.

    Attributes:
        text: what is to be shown in its place.
    """

    text: str


@dataclass(frozen=True, slots=True)
class PartialCall:
    """A call that is still being written, for show. It was not validated, may turn out to be none, and cannot be run.

    Attributes:
        number: which call of the reply it is, from 0 on; calls through the API and those in the text are counted apart.
        id: id of the call in the provider's API, as far as it is known.
        written_name: the name so far of a call through the API.
        pieces: what was written, in parts; more may be added to them later.
        size: how many of the parts there were.
        in_text: whether it stands in the text of the reply.
    """

    number: int
    id: str | None = None
    written_name: str = ""
    pieces: Sequence[str] = field(default=(), repr=False, compare=False)
    size: int = 0
    in_text: bool = False

    @property
    def raw(self) -> str:
        """What was written so far: the arguments; for a call in the text all of it, its marker included."""
        return "".join(self.pieces[: self.size])

    @property
    def name(self) -> str:
        """The name so far, as the model writes it; empty if there is none yet."""
        return view_of_call(self.raw)[0] if self.in_text else self.written_name

    @property
    def arguments(self) -> JsonValue:
        """The arguments so far: a string in them may still go on; None if nothing can be told yet."""
        return view_of_call(self.raw)[1] if self.in_text else view_of_arguments(self.raw)


@dataclass(frozen=True, slots=True)
class CallCompleted:
    """A call that can be run.

    Attributes:
        call: the validated call.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class CallFailed:
    """An attempt at a call that cannot be run.

    Attributes:
        error: what is wrong with it.
    """

    error: CallError


@dataclass(frozen=True, slots=True)
class CallRetracted:
    """A call that an eager stream told too early: what came behind it made something else of it.

    Attributes:
        call: the call as it was told.
    """

    call: ToolCall


@dataclass(frozen=True, slots=True)
class StreamFinished:
    """The reply is whole. It is the last event of a stream.

    Attributes:
        result: what the reply holds, as `parse_reply` reads it.
        reply: the whole reply, unread.
    """

    result: ParseResult
    reply: ModelReply


StreamEvent: TypeAlias = (
    TextDelta | TextRestart | PartialCall | CallCompleted | CallFailed | CallRetracted | StreamFinished
)
"""Whatever a stream tells."""


def replay(events: Iterable[StreamEvent]) -> str:
    """The text that somebody sees who follows the events.

    Args:
        events: the events of one stream, so far.

    Returns:
        The text; at the end of the stream the text of the result, without blanks at its ends.
    """
    shown: list[str] = []
    for event in events:
        if isinstance(event, TextRestart):
            shown = [event.text]
        elif isinstance(event, TextDelta):
            shown.append(event.text)
    return "".join(shown)
