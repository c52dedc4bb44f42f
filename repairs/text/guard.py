"""Bounds that a text must keep before anything reads it, counted in one linear scan."""

from __future__ import annotations

import re
from typing import Final

from toolmend.repairs.errors import LimitError

__all__ = ("Budget", "check_depth", "check_length", "is_deeper")

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{(]|[\]})]', re.DOTALL)


def check_length(text: str, limit: int) -> None:
    """Refuse a text that is too long.

    Args:
        text: the raw text.
        limit: most characters.

    Raises:
        LimitError: if it is longer.
    """
    if len(text) > limit:
        message = f"the text has {len(text):,} characters, the limit here is {limit:,}; send less in one call"
        raise LimitError(message, kind="too_large", expected=f"at most {limit:,} characters")


def check_depth(text: str, limit: int) -> None:
    """Refuse a text whose brackets are nested too deep, those in quoted strings left out.

    Args:
        text: the raw text.
        limit: most brackets open at one place.

    Raises:
        LimitError: if more are open.
    """
    if is_deeper(text, limit):
        message = f"objects and lists are nested deeper than {limit}"
        raise LimitError(message, kind="too_deep", expected=f"at most {limit} levels")


def is_deeper(text: str, limit: int) -> bool:
    """Whether the brackets of a text, those in quoted strings left out, are nested too deep.

    Args:
        text: the raw text.
        limit: most brackets open at one place.
    """
    if text.count("{") + text.count("[") + text.count("(") <= limit:
        return False
    depth = 0
    for match in _TOKEN.finditer(text):
        char = text[match.start()]
        if char in "[{(":
            depth += 1
            if depth > limit:
                return True
        elif char != '"':
            depth = max(0, depth - 1)
    return False


class Budget:
    """Counts units of work, so that no text costs more than a fixed amount per character."""

    __slots__ = ("left",)

    def __init__(self, units: int) -> None:
        """Allow a number of units."""
        self.left = units

    def spend(self, units: int) -> None:
        """Take some units.

        Args:
            units: how many.

        Raises:
            LimitError: if the budget is used up.
        """
        self.left -= units
        if self.left < 0:
            message = "the text has too many ways to be read; send plain JSON"
            raise LimitError(message, kind="too_large", expected="JSON with every quote in a string escaped")
