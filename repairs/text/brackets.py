"""Closers that do not fit: the wrong one, one too many, or that of a container further out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.repairs.text.frames import Frame
from toolmend.repairs.text.strings import key_ahead
from toolmend.repairs.text.tokens import CLOSERS, COMMAS

if TYPE_CHECKING:
    from toolmend.repairs.text.lenient import Reader

__all__ = ("close_wrongly",)


def close_wrongly(reader: Reader, char: str) -> None:
    """Read a closer that is not the innermost container's own, in one of the ways that what follows allows.

    Args:
        reader: the reader, in front of the closer.
        char: the closer.

    Raises:
        NotJsonError: if no way is consistent with what follows.
    """
    ways = [way for way in (_outer(reader, char), _surplus(reader), _instead(reader)) if way is not None]
    if not ways:
        raise reader.cursor.fail(f"{char} closes nothing that is open", expected=reader.stack[-1].closer)
    left, rule = ways[min(reader.choose(len(ways)), len(ways) - 1)]
    cursor = reader.cursor
    if rule == "missing-closer":
        missing = "".join(frame.closer for frame in reversed(reader.stack[left + 1 :]))
        cursor.record(rule, cursor.pos, cursor.pos, missing, kind="inferred")
    else:
        instead = "" if rule == "extra-closer" else reader.stack[-1].closer
        cursor.record(rule, cursor.pos, cursor.pos + 1, instead, kind="inferred")
    while len(reader.stack) > left:
        reader.pop()
    cursor.pos += 1
    if len(reader.stack) == 1 and rule == "extra-closer":
        reader.stack[-1].state = "after"


def _outer(reader: Reader, char: str) -> tuple[int, str] | None:
    """Close the containers within the nearest one that this closer ends: how many stay open afterwards."""
    closer = CLOSERS[char]
    for depth in range(len(reader.stack) - 2, 0, -1):
        if reader.stack[depth].closer == closer:
            return (depth, "missing-closer") if _consistent(reader, depth) else None
    return None


def _instead(reader: Reader) -> tuple[int, str] | None:
    """Take the closer for the innermost container's own."""
    left = len(reader.stack) - 1
    return (left, "wrong-closer") if left >= 1 and _consistent(reader, left) else None


def _surplus(reader: Reader) -> tuple[int, str] | None:
    """Pass over the closer."""
    left = len(reader.stack)
    return (left, "extra-closer") if _consistent(reader, left) else None


def _consistent(reader: Reader, left: int) -> bool:
    """Whether the text can go on behind the closer when so many containers are open."""
    cursor = reader.cursor
    text = cursor.text
    pos = cursor.after_space(cursor.pos + 1)
    if left <= 1:
        return cursor.options.embedded or all(char in CLOSERS or char.isspace() for char in text[pos : pos + 200])
    frame = reader.stack[left - 1]
    if pos >= len(text):
        return not frame.is_list
    if text[pos] in CLOSERS:
        return frame.closer == CLOSERS[text[pos]]
    if text[pos] not in COMMAS:
        return False
    return _goes_on(reader, frame, cursor.after_space(pos + 1))


def _goes_on(reader: Reader, frame: Frame, pos: int) -> bool:
    """Whether a container can go on behind a comma."""
    is_key = key_ahead(reader.cursor, reader.keys, frame, pos) is not None
    return is_key != frame.is_list
