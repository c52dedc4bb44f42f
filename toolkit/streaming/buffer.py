"""The end of a growing text of which it is not yet known what it is, and the ways to go on from there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from toolmend.toolkit.streaming.events import StreamEvent
from toolmend.toolkit.streaming.hold import Hold
from toolmend.toolkit.streaming.prose import Prose

if TYPE_CHECKING:
    from toolmend.toolkit.streaming.probe import Probe

__all__ = ("NEVER", "Buffer", "Resolver", "Stretch")

NEVER: Final = re.compile(r"(?!)")
"""Matches nowhere."""

LONGEST_WAIT: Final = 600
"""Longest text that waits for the next character to show what it is; all codes of openings are far shorter."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text that is prose up to an ending.

    Attributes:
        ending: what ends it; it is prose as well if it has a width.
        begun: what the end of the text looks like if an ending may have begun there.
        then: the state behind it.
    """

    ending: re.Pattern[str]
    begun: re.Pattern[str] = NEVER
    then: str = "prose"


class Buffer:
    """Where a reader of a growing text stands.

    Attributes:
        probe: reads stretches that may be calls.
        prose: what is shown.
        out: events that are to be told next, but for the text.
        text: what nothing is known of yet; it is short, unless something is held back.
        pos: how far it was read.
        offset: where it stands in the whole text.
        before: the character in front of it.
        fresh: whether nothing but blanks stands before it on its line.
        first: whether nothing but blanks stands before it at all.
        names: the names of the tools, sorted.
        state: what comes next, by name.
        hold: what is held back; None if nothing is.
        stretch: the prose that goes up to an ending, in that state.
        kept: calls whose closers may go on, or a fence with calls.
        calls: how many calls behind markers there were so far.
        plain_ticks: for runs of back-ticks by length: up to where nothing closes them.
        read: how many characters were looked at so far, so that the work can be bounded.
    """

    def __init__(self, probe: Probe) -> None:
        """Begin at the start of a line.

        Args:
            probe: reads stretches that may be calls.
        """
        self.probe = probe
        self.prose = Prose()
        self.out: list[StreamEvent] = []
        self.text, self.pos = "", 0
        self.offset = 0
        self.before = ""
        self.fresh = True
        self.first = True
        self.names = sorted(probe.tools)
        self.state = "line"
        self.hold: Hold | None = None
        self.stretch = Stretch(NEVER)
        self.kept = ""
        self.calls = 0
        self.plain_ticks: dict[int, int] = {}
        self.read = 0

    @property
    def char_before(self) -> str:
        """The character in front of where it stands; empty at the start of the text."""
        return self.text[self.pos - 1] if self.pos else self.before

    def add(self, piece: str) -> None:
        """Add text.

        Args:
            piece: the next part of it.
        """
        if self.hold is not None:
            self.read += self.hold.add(piece)
            return
        self._leave()
        self.text += piece
        self.read += len(self.text)

    def show(self, end: int) -> None:
        """Read on, and show what was read.

        Args:
            end: how far.
        """
        self.prose.write(self.text[self.pos : end])
        self.pos = end

    def show_up_to(self, ending: re.Pattern[str], begun: re.Pattern[str] = NEVER, then: str = "prose") -> None:
        """Show all that comes up to an ending, as it comes.

        Args:
            ending: what ends it.
            begun: what the end of the text looks like if an ending may have begun there.
            then: the state behind it.
        """
        self.stretch = Stretch(ending, begun, then)
        self.state = "stretch"

    def hide(self, end: int, state: str) -> None:
        """Read on, and show nothing of what was read.

        Args:
            end: how far.
            state: the state behind it.
        """
        self.prose.end_piece()
        self.pos, self.state = end, state

    def hold_back(
        self,
        ending: re.Pattern[str],
        resolve: Resolver,
        *,
        behind: int = 0,
        is_call: bool = False,
        fresh: bool = False,
    ) -> None:
        """Hold back all from here on, until something ends it.

        Args:
            ending: what may end it.
            resolve: told of the text and of the offset behind an ending; it goes on by `release`, or does nothing.
            behind: how much from here on is the opening, in which no ending stands.
            is_call: whether a marker begins here.
            fresh: whether nothing but blanks stands before it on its line.
        """

        def told(text: str, end: int) -> None:
            resolve(self, text, end)

        self._leave()
        self.hold = Hold(ending, told, behind=behind, is_call=is_call, fresh=fresh)
        self.read += self.hold.add(self.text)
        self.text = ""

    def hold_back_all(self) -> None:
        """Hold back all from here on: only the end of the message shows what it is."""
        self.hold = Hold(None, None)
        self.text, self.pos = "", 0

    def release(self, text: str) -> None:
        """Go on where the stretch begins that was held back.

        Args:
            text: what was held back.
        """
        self.hold = None
        self.text, self.pos = text, 0

    def waits_too_long(self) -> bool:
        """Whether so much waits for the next character that it is no opening of anything."""
        return self.hold is None and len(self.text) - self.pos > LONGEST_WAIT

    def _leave(self) -> None:
        """Forget what was read."""
        if self.pos:
            self.before = self.text[self.pos - 1]
            self.offset += self.pos
            self.text, self.pos = self.text[self.pos :], 0


Resolver: TypeAlias = Callable[[Buffer, str, int], None]
"""Looks at a stretch that was held back, where something stands that may end it."""
