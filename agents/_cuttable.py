"""A text that can be cut short, with a marker that says so and how much is gone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolmend.agents.sizes import MessageCounter

__all__ = ("FLOOR", "MARKER", "Cuttable", "marker")

FLOOR: Final = 30
"""The tokens that are left of any text."""
MARKER: Final = "... [Contents truncated!]"
SEAM: Final = 2
"""Tokens that the joint of head and marker may cost beyond their own."""
MARKER_LENGTH: Final = 100
"""Characters at the end of a text among which its marker is."""
_MARKED: Final = re.compile(r"\n\.\.\. \[Contents truncated!\] \((\d{1,12}) of (\d{1,12}) tokens left out\)\Z")


class Cuttable:
    """A text, and what it can give up; a marker that it carries already is replaced by the next one.

    Attributes:
        spare: the tokens that it can give up; none if it is at the floor, or so near that a marker would fill the gap.
    """

    __slots__ = ("_body", "_counter", "_last", "_marker", "_tokens", "_whole", "spare")

    def __init__(self, text: str, counter: MessageCounter) -> None:
        """Measure a text.

        Args:
            text: the content, or a part of one.
            counter: counts and cuts it.
        """
        self._counter = counter
        self._body, self._tokens = text, counter.text(text)
        self._whole = self._tokens
        if marked := _MARKED.search(text, max(len(text) - MARKER_LENGTH, 0)):
            self._body, self._whole = text[: marked.start()], max(int(marked[2]), self._tokens)
        widest = int("9" * len(str(self._whole)))  # digits cost the same whichever they are
        self._marker = counter.text(marker(widest, widest)) + SEAM
        self.spare = self._tokens - FLOOR - self._marker
        self._last = (0, text)  # a pair, so that threads see what belongs together

    def cut(self, given: int) -> str:
        """The text without so many of its tokens, those of the marker counted in.

        Args:
            given: how many tokens it gives up, at most `spare`.
        """
        last = self._last
        if given != last[0]:
            kept = self._tokens - given - self._marker
            text = self._counter.tokens.head(self._body, kept) + marker(self._whole - kept, self._whole)
            last = self._last = (given, self._counter.assume(text, kept + self._marker))
        return last[1]


def marker(gone: int, whole: int) -> str:
    """What stands at the end of a text that was cut.

    Args:
        gone: how many tokens were left out.
        whole: how many there were.
    """
    return f"\n{MARKER} ({gone} of {whole} tokens left out)"
