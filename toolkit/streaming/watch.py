"""Follows the text of a reply while it grows: shows what is prose, and holds back what may be something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from toolmend.toolkit.extract.ends import ENDS, PARAMETER
from toolmend.toolkit.extract.events import REPLY_CLOSERS, event_at
from toolmend.toolkit.extract.tooltag import names_tool
from toolmend.toolkit.streaming.blocks import open_block, open_fence, pass_fence
from toolmend.toolkit.streaming.buffer import Buffer
from toolmend.toolkit.streaming.events import CallCompleted, PartialCall, StreamEvent
from toolmend.toolkit.streaming.heads import Head, head_of_line, may_be_bare
from toolmend.toolkit.streaming.openings import front_of, held_back, may_grow, next_opening
from toolmend.toolkit.streaming.prose import Prose
from toolmend.toolkit.streaming.tags import EVENTS, hide_reasoning

if TYPE_CHECKING:
    from toolmend.toolkit.streaming.probe import Probe

__all__ = ("Watch",)

SLICE: Final = 512
"""Longest piece that is added at once: whatever is held back is copied with what follows it in its piece."""

_LINE_END: Final = re.compile(r"(?=\n)")


class Watch:
    """The text of one reply."""

    def __init__(self, probe: Probe, *, reasoning_first: bool) -> None:
        """Begin.

        Args:
            probe: reads stretches that may be calls.
            reasoning_first: whether the text begins within reasoning.
        """
        self._buffer = Buffer(probe)
        if reasoning_first:
            hide_reasoning(self._buffer)

    @property
    def prose(self) -> Prose:
        """What is shown."""
        return self._buffer.prose

    @property
    def read(self) -> int:
        """How many characters were looked at so far."""
        return self._buffer.read

    def feed(self, text: str) -> list[StreamEvent]:
        """Add text.

        Args:
            text: the next part of it.

        Returns:
            What can be told now.
        """
        buffer = self._buffer
        for start in range(0, len(text), SLICE):
            buffer.add(text[start : start + SLICE])
            while buffer.hold.try_end() if buffer.hold is not None else _step(buffer):
                pass
            if buffer.waits_too_long():
                buffer.hold_back_all()
        hold = buffer.hold
        if hold is not None and hold.is_call and text:
            buffer.out.append(PartialCall(buffer.calls, pieces=hold.pieces, size=len(hold.pieces), in_text=True))
        events = [*buffer.out, *buffer.prose.events()]
        buffer.out = []
        return events


# ---------------------------------------------------------------------- one step; False if more text is needed for it


def _step(buffer: Buffer) -> bool:
    return buffer.pos < len(buffer.text) and _STATES[buffer.state](buffer)


def _line(buffer: Buffer) -> bool:
    """Meet the start of a line."""
    tools = buffer.probe.tools
    head, pos = head_of_line(buffer.text, buffer.pos, tools)
    bare = buffer.first and may_be_bare(buffer.text, pos, tools)
    if head is Head.WAIT or bare is None:
        return False
    buffer.first = buffer.first and buffer.text[pos] == "\n"
    buffer.show(pos)
    if bare:
        buffer.hold_back_all()  # the message begins with the name of a tool
    elif buffer.text[pos] in "<[>":
        return _opening(buffer, pos, head)
    elif head is Head.FENCE:
        return open_fence(buffer)
    else:
        buffer.state = "prose"
        if head is Head.OBSERVATION and buffer.calls:
            buffer.hold_back_all()  # the model invented it, and nothing behind it counts
        elif head is Head.BLOCK:
            open_block(buffer)
    return True


def _prose(buffer: Buffer) -> bool:
    """Go to whatever may begin something else than prose."""
    opening = next_opening(buffer.text, buffer.pos)
    end = opening.start() if opening is not None else len(buffer.text)
    prose = buffer.text[buffer.pos : end]
    buffer.show(end - held_back(prose, buffer.char_before, buffer.names, at_end=opening is None))
    if opening is None:
        return False
    if opening[0] != "\n":
        return _opening(buffer, end)
    buffer.show(opening.end())
    buffer.state = "line"
    return True


def _opening(buffer: Buffer, pos: int, head: Head | None = None) -> bool:
    """Meet what may open something, at the head of a line or in it, and behind a word that may belong to it."""
    if may_grow(buffer.text, pos):
        return False
    event = event_at(buffer.text, pos)
    if event is not None and event[0] in EVENTS:
        buffer.show(front_of(buffer.text, buffer.pos, pos))
        buffer.fresh = head is not None
        return EVENTS[event[0]](buffer, event[1])
    buffer.state = "prose"
    if head is Head.QUOTE:
        buffer.show_up_to(_LINE_END)
    elif head is Head.BLOCK:
        open_block(buffer)
    elif head is not None and names_tool(buffer.text, pos, buffer.probe.tools):
        buffer.hold_back_all()
    else:
        buffer.show(pos + 1)
    return True


def _stretch(buffer: Buffer) -> bool:
    """Show prose up to its ending."""
    stretch = buffer.stretch
    end = stretch.ending.search(buffer.text, buffer.pos)
    if end is not None:
        buffer.show(end.end())
        buffer.state = stretch.then
        return True
    begun = stretch.begun.search(buffer.text, buffer.pos)
    buffer.show(begun.start() if begun is not None else len(buffer.text))
    return False


def _closers(buffer: Buffer) -> bool:
    """Pass over whatever closes a call or a message."""
    ends = ENDS.match(buffer.text, buffer.pos)
    if ends is not None:
        buffer.kept += buffer.text[buffer.pos : ends.end()] if buffer.kept else ""
        buffer.hide(ends.end(), "closers")
        return True
    rest = buffer.text[buffer.pos :].lstrip()
    if not rest or may_grow(rest, 0):
        return False
    if rest[0] in "}])" or PARAMETER.match(rest):  # they belong to the call
        buffer.hold_back_all()
        return True
    if buffer.kept:
        start = buffer.offset + buffer.pos - len(buffer.kept)
        buffer.out += [CallCompleted(call) for call in buffer.probe.early_calls(buffer.kept, start)]
    buffer.state, buffer.kept = "prose", ""
    return True


def _closing_tag(buffer: Buffer) -> bool:
    """Pass over the tag that closes what is addressed to the user."""
    closer = next(closer for closer in REPLY_CLOSERS.values() if buffer.text.startswith(closer, buffer.pos))
    buffer.hide(buffer.pos + len(closer), "prose")
    return True


_STATES: Final[Mapping[str, Callable[[Buffer], bool]]] = {
    "line": _line,
    "prose": _prose,
    "stretch": _stretch,
    "closers": _closers,
    "closing tag": _closing_tag,
    "behind fence": pass_fence,
}
"""What may come next, by the name of the state."""
