"""Server-sent events: the data of each, out of bytes that come in any pieces."""

from __future__ import annotations

__all__ = ("EventReader",)


class EventReader:
    """Cuts a stream of bytes into events.

    Only the data is kept: names and ids of events, and comments that keep a connection open, carry nothing that the
    APIs of models need.
    """

    def __init__(self) -> None:
        """Start at the beginning of a stream."""
        self._pieces: list[bytes] = []  # of the line that is not yet whole
        self._data: list[bytes] = []  # of the event that is not yet whole

    def feed(self, piece: bytes) -> list[str]:
        """Read on.

        Args:
            piece: the next bytes.

        Returns:
            The data of the events that are whole now.
        """
        *lines, rest = piece.split(b"\n")
        events = []
        for line in lines:
            self._pieces.append(line)
            events += self._line(b"".join(self._pieces))
            self._pieces.clear()
        if rest:
            self._pieces.append(rest)
        return events

    def finish(self) -> list[str]:
        """The event that was not closed by an empty line, if there is one; servers forget it behind the last."""
        return self.feed(b"\n\n")

    def _line(self, line: bytes) -> list[str]:
        line = line.rstrip(b"\r")
        if not line:
            data, self._data = self._data, []
            return [b"\n".join(data).decode(errors="replace")] if data else []
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
        return []
