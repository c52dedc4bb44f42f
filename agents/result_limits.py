"""How much of a tool's result the model is told: when it comes, and once it has been answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolmend.agents.tokens import TokenCounter

__all__ = ("limited",)

NOTE: Final = "\n... [{gone} of {whole} tokens of this result left out] ...\n"
HEAD: Final = 0.7
"""What part of the room the beginning takes; the rest is for the end, where errors and totals stand."""


def limited(text: str, tokens: int | None, counter: TokenCounter) -> str:
    """A text of at most so many tokens: its beginning and its end, and a note of what is gone between them.

    Where not even the note has room, only the beginning is left.

    Args:
        text: the text of a result.
        tokens: the most it may have; None for any number.
        counter: counts and cuts.
    """
    if tokens is None or len(text) * 4 <= tokens:  # no character has more than four bytes, nor a byte more than a token
        return text
    whole = counter.count(text)
    if whole <= tokens:
        return text
    widest = counter.count(NOTE.format(gone=whole, whole=whole)) + 4  # what the joints may cost beyond their own
    room = tokens - widest
    if room <= 0:
        return counter.head(text, tokens)
    tail_of = getattr(counter, "tail", None)
    head = counter.head(text, int(room * HEAD) if tail_of else room)
    tail: str = tail_of(text, room - int(room * HEAD)) if tail_of else ""
    return head + NOTE.format(gone=whole - room, whole=whole) + tail
