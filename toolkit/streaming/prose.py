"""The text that was shown, and what may still be added to it."""

from __future__ import annotations

from toolmend.toolkit.streaming.events import StreamEvent, TextDelta, TextRestart

__all__ = ("Prose",)


class Prose:
    """The prose of a reply, piece by piece, without blanks around the pieces, as the whole parse joins them.

    Blanks are held back until something else follows: at the end of a piece they do not count.
    """

    def __init__(self) -> None:
        self._shown: list[str] = []
        self._blanks: list[str] = []
        self._in_piece = False
        self._told = 0

    def write(self, text: str) -> None:
        """Add text.

        Args:
            text: text that nothing is going to change any more.
        """
        body = text if self._in_piece else text.lstrip()
        if not body:
            return
        kept = body.rstrip()
        if kept:
            between = "".join(self._blanks) if self._in_piece else "\n" if self._shown else ""
            self._shown.append(between + kept)
            self._blanks.clear()
            self._in_piece = True
        self._blanks.append(body[len(kept) :])

    def end_piece(self) -> None:
        """Something that is no prose follows."""
        self._blanks.clear()
        self._in_piece = False

    def restart(self) -> list[StreamEvent]:
        """Nothing that was shown is prose."""
        self._shown.clear()
        self.end_piece()
        told, self._told = self._told, 0
        return [TextRestart("")] if told else []

    def events(self) -> list[StreamEvent]:
        """What was added since the last time."""
        fresh = "".join(self._shown[self._told :])
        self._told = len(self._shown)
        return [TextDelta(fresh)] if fresh else []

    def settle(self, text: str) -> list[StreamEvent]:
        """Go over to the text as it is known now, with blanks at its ends taken off.

        Args:
            text: the text.
        """
        before = "".join(self._shown[: self._told])
        self._shown.clear()
        self.end_piece()
        self.write(text)
        self._told = len(self._shown)
        after = "".join(self._shown)
        if not after.startswith(before):
            return [TextRestart(after)]
        return [TextDelta(after[len(before) :])] if len(after) > len(before) else []
