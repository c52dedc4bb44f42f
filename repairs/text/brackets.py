"""Closers that do not fit: the wrong one, one too many, or that of a container further out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolmend.repairs.schema import ALL_TYPES
from toolmend.repairs.text.frames import Frame, fits
from toolmend.repairs.text.strings import key_ahead
from toolmend.repairs.text.tokens import BLANKS, CLOSERS, COMMAS

if TYPE_CHECKING:
    from toolmend.repairs.text.lenient import Reader

__all__ = ("BRACKETS", "close_wrongly")

BRACKETS: Final = frozenset({"extra-closer", "wrong-closer", "missing-closer", "missing-opener"})
"""The rules by which brackets are set right."""


def close_wrongly(reader: Reader, char: str) -> None:
    """Read a closer that is not the innermost container's own, in one of the ways that what follows allows.

    Args:
        reader: the reader, in front of the closer.
        char: the closer.

    Raises:
        NotJsonError: if no way is consistent with what follows.
    """
    frame = reader.stack[-1]
    ways = [] if frame.empty or not frame.fresh or _behind_comma(reader) else _ways(reader, char)
    if not ways:
        raise reader.cursor.fail(f"{char} closes nothing that is open", expected=reader.stack[-1].closer)
    left, rule = ways[min(reader.choose(len(ways)), len(ways) - 1)]
    cursor = reader.cursor
    unfitting = {"missing-closer": reader.stack[left + 1 :], "wrong-closer": reader.stack[left:]}.get(rule, [])
    if any(_is_unasked(open_frame) for open_frame in unfitting):
        raise cursor.fail("a list is not closed, or an opener is one too many", expected=frame.closer)
    if rule == "missing-opener":
        frame.members[frame.key] = [frame.members[frame.key]]
        cursor.record(rule, cursor.pos, cursor.pos + 1, "[...]", kind="inferred")
    elif rule == "missing-closer":
        missing = "".join(frame.closer for frame in reversed(reader.stack[left + 1 :]))
        cursor.record(rule, cursor.pos, cursor.pos, missing, kind="inferred")
    else:
        instead = "" if rule == "extra-closer" else reader.stack[-1].closer
        cursor.record(rule, cursor.pos, cursor.pos + 1, instead, kind="inferred")
    while len(reader.stack) > left:
        reader.pop()
    cursor.pos += 1


def _is_unasked(frame: Frame) -> bool:
    """Whether a list stands where anything may stand, so that its opener may be the mistake."""
    return frame.is_list and (frame.schema is None or frame.schema.types == ALL_TYPES)


def _behind_comma(reader: Reader) -> bool:
    """Whether a comma too many stands in front of the closer: it may have been one between items."""
    cursor = reader.cursor
    last = cursor.repairs[-1] if cursor.repairs else None
    if last is None or last.rule != "extra-comma" or last.span is None:
        return False
    return all(char in CLOSERS or char in BLANKS for char in cursor.text[last.span[1] : cursor.pos][:20])


def _ways(reader: Reader, char: str) -> list[tuple[int, str]]:
    """Each way to read the closer: how many containers stay open afterwards, and the rule."""
    opener = _lost_opener(reader, char)
    if opener is not None:
        return [(len(reader.stack), "missing-opener")] if opener else []
    ways = (_outer(reader, char), _surplus(reader), _instead(reader))
    return [way for way in ways if way is not None]


def _lost_opener(reader: Reader, char: str) -> bool | None:
    """Whether the last member of an object is the one item of a list whose opener was lost.

    Returns:
        True if it is, False if it may be or may not, None if it is not.
    """
    frame = reader.stack[-1]
    if CLOSERS[char] == "}" or frame.is_list or frame.key not in frame.members:
        return None
    schema = reader.keys.child(frame)
    if schema is None:
        return False
    value = frame.members[frame.key]
    if not fits(schema, [value]):
        return None
    return not fits(schema, value) and _consistent(reader, len(reader.stack))


def _outer(reader: Reader, char: str) -> tuple[int, str] | None:
    """Close the containers within the nearest one that this closer ends: how many stay open afterwards."""
    closer, last = CLOSERS[char], len(reader.stack) - 1
    for depth in range(last, 0, -1):
        frame = reader.stack[depth]
        if depth < last and frame.closer == closer:
            return (depth, "missing-closer") if _consistent(reader, depth) else None
        if frame.closer == ")" or frame.implicit or frame.items in ([[]], [{}]) or reader.keys.may_end_earlier(frame):
            return None  # a parenthesis around one value, or an opener too many, is as likely
    return None


def _instead(reader: Reader) -> tuple[int, str] | None:
    """Take the closer for the innermost container's own."""
    left, frame = len(reader.stack) - 1, reader.stack[-1]
    if frame.implicit or frame.closer == ")":
        return None
    return (left, "wrong-closer") if left >= 1 and _consistent(reader, left) else None


def _surplus(reader: Reader) -> tuple[int, str] | None:
    """Pass over the closer."""
    left = len(reader.stack)
    return (left, "extra-closer") if _consistent(reader, left) else None


def _consistent(reader: Reader, left: int) -> bool:
    """Whether the text can go on behind the closer when so many containers are open."""
    cursor = reader.cursor
    text = cursor.text
    pos = cursor.after_comments(cursor.pos + 1)
    if left <= 1:
        return cursor.options.embedded or all(char in CLOSERS or char.isspace() for char in text[pos : pos + 200])
    frame = reader.stack[left - 1]
    if pos >= len(text):
        return not frame.is_list
    if text[pos] in CLOSERS:
        return frame.closer == CLOSERS[text[pos]]
    if text[pos] not in COMMAS:
        return False
    return _goes_on(reader, frame, cursor.after_comments(pos + 1))


def _goes_on(reader: Reader, frame: Frame, pos: int) -> bool:
    """Whether a container can go on behind a comma."""
    char = reader.cursor.text[pos : pos + 1]
    if char in CLOSERS:
        return frame.closer == CLOSERS[char]
    is_key = key_ahead(reader.cursor, reader.keys, frame, pos) is not None
    return is_key != frame.is_list
