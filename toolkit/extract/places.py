"""Where a word stands in a text."""

from __future__ import annotations

__all__ = ("places_of",)


def places_of(text: str, word: str) -> list[int]:
    """Every place at which a word stands in a text, in order.

    Args:
        text: the text.
        word: the word.
    """
    places, pos = [], text.find(word)
    while pos >= 0:
        places.append(pos)
        pos = text.find(word, pos + 1)
    return places
