"""Closers that do not fit: the wrong one, one too many, or that of a container further out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.repairs.schema import json_type
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
    if reader.stack[-1].empty:
        raise reader.cursor.fail(f"{char} closes nothing that is open", expected=reader.stack[-1].closer)
    ways = [way for way in (_outer(reader, char), _surplus(reader, char), _instead(reader)) if way is not None]
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
        if _is_parenthesis(reader.stack[depth]):
            return None
    return None


def _is_parenthesis(frame: Frame) -> bool:
    """Whether it may be a parenthesis around one value rather than a tuple."""
    return frame.closer == ")" and frame.is_list and len(frame.items or ()) < 2


def _instead(reader: Reader) -> tuple[int, str] | None:
    """Take the closer for the innermost container's own."""
    left = len(reader.stack) - 1
    if _is_parenthesis(reader.stack[-1]):
        return None
    return (left, "wrong-closer") if left >= 1 and _consistent(reader, left) else None


def _surplus(reader: Reader, char: str) -> tuple[int, str] | None:
    """Pass over the closer, unless its opener may have been lost."""
    left = len(reader.stack)
    if CLOSERS[char] == "]" and _may_be_list(reader, reader.stack[-1]):
        return None
    return (left, "extra-closer") if _consistent(reader, left) else None


def _may_be_list(reader: Reader, frame: Frame) -> bool:
    """Whether the last member of an object may as well be the one item of a list whose opener was lost."""
    if frame.is_list or frame.key not in frame.members:
        return False
    schema = reader.keys.child(frame)
    if schema is None:
        return True
    kind = json_type(frame.members[frame.key])
    item = schema.item(0)
    return schema.allows("array") and schema.allows(kind) and (item is None or item.allows(kind))


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
