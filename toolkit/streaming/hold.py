"""A stretch of text that is held back until its end has come."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from typing import Final

__all__ = ("Hold",)

OVERLAP: Final = 100
"""Longest ending that is looked for across the border of two pieces."""

_SPARE: Final = 20_000
_TIMES: Final = 7
"""Each ending costs a reading of all before it: no more than some times the text is read altogether."""


class Hold:
    """A stretch of text that is held back, and what may end it.

    Attributes:
        pieces: the text so far, if a marker began it or an ending is looked for.
        spent: how many characters were read at endings that turned out to be none.
        is_call: whether a marker began it.
        fresh: whether nothing but blanks stands before it on its line.
    """

    def __init__(
        self,
        ending: re.Pattern[str] | None,
        resolve: Callable[[str, int], None] | None,
        *,
        behind: int = 0,
        is_call: bool = False,
        fresh: bool = False,
    ) -> None:
        """Hold a stretch back.

        Args:
            ending: what may end it; None if nothing does before the end of the message.
            resolve: told of the text and of the offset behind an ending.
            behind: how much of the text is its opening, in which no ending stands.
            is_call: whether a marker began it.
            fresh: whether nothing but blanks stands before it on its line.
        """
        self.pieces: list[str] = []
        self.spent = 0
        self.is_call = is_call
        self.fresh = fresh
        self._ending = ending
        self._resolve = resolve
        self._size = 0
        self._tail = ""
        self._ends: deque[int] = deque()
        self._seen = behind or -1

    def add(self, text: str) -> int:
        """Add text.

        Args:
            text: the next part.

        Returns:
            How many characters were looked at.
        """
        if self._ending is None:
            return 0
        self.pieces.append(text)
        window, base = self._tail + text, self._size - len(self._tail)
        self._size += len(text)
        self._tail = window[-OVERLAP:]
        for match in self._ending.finditer(window):
            if base + match.end() > self._seen:
                self._seen = base + match.end()
                self._ends.append(self._seen)
        return len(window)

    def try_end(self) -> bool:
        """Tell of the next ending that is worth being looked at; False if none has come."""
        while self._ends and self._resolve is not None:
            end = self._ends.popleft()
            if self.spent <= _TIMES * end + _SPARE:
                text = "".join(self.pieces)
                self.pieces = [text]
                self.spent += end
                self._resolve(text, end)
                return True
        return False
