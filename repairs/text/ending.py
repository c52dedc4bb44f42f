"""The end of the text: which objects may be closed there, and what may stand behind the value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolmend.repairs.text.frames import Frame, path_of
from toolmend.repairs.text.tokens import BLANKS, CLOSERS, MEMBER, QUOTES

if TYPE_CHECKING:
    from toolmend.repairs.text.lenient import Reader

__all__ = ("end_text", "read_rest")

_WHERE: Final = {"key": "where a key is due", "separator": "behind a key", "value": "where a value is due"}
_BEFORE_QUOTATION: Final = frozenset(BLANKS + "([{<=:,;")


def end_text(reader: Reader) -> None:
    """Meet the end of the text: close the innermost container, if it is an object behind a complete value.

    Args:
        reader: the reader, at the end of the text.

    Raises:
        CutOffError: if something is certainly missing there.
    """
    cursor, frame = reader.cursor, reader.stack[-1]
    around = path_of(reader.stack)[:-1]
    if frame.state != "after" or frame is reader.root:
        raise cursor.cut(_WHERE.get(frame.state, "in the middle"), around)
    if frame.is_list:
        raise cursor.cut("inside a list", around)
    if cursor.options.complete is not True:
        if _may_go_on(cursor.text):
            raise cursor.cut("behind a quote that may not end the string", path_of(reader.stack))
        if _wants_list(reader, frame):
            raise cursor.cut("behind one item where a list is wanted", path_of(reader.stack))
    last = cursor.repairs[-1] if cursor.repairs else None
    if last is not None and last.rule == "comment" and last.span is not None and last.span[1] == len(cursor.text):
        raise cursor.cut("in a comment that may hold the closer", around)
    if not frame.implicit and reader.keys.may_end_earlier(frame):
        raise cursor.cut("without a closer that may be missing further in", around)
    reader.unclosed.append(around)
    if not frame.implicit:
        cursor.record("missing-closer", cursor.pos, cursor.pos, frame.closer)
    reader.pop()


def _may_go_on(text: str) -> bool:
    """Whether the last quote may be another than the closing one: an apostrophe, or one that opens a quotation."""
    tail = text.rstrip(BLANKS)
    if tail[-1:] not in QUOTES or tail.endswith(('""', "''")):
        return tail.endswith(('""', "''"))
    return (tail[-1] in "'’" and tail[-2:-1].isalpha()) or tail[-2:-1] in _BEFORE_QUOTATION


def _wants_list(reader: Reader, frame: Frame) -> bool:
    """Whether the last value may be the first item of a list whose opener was lost."""
    schema = reader.keys.child(frame)
    if schema is None or not schema.allows("array") or schema.allows("string"):
        return False
    return not isinstance(frame.members.get(frame.key), list)


def read_rest(reader: Reader) -> None:
    """Ask that nothing but surplus closers stands behind the value.

    Args:
        reader: the reader, behind the value.

    Raises:
        NotJsonError: if anything else stands there.
    """
    cursor = reader.cursor
    start, noted = cursor.pos, len(cursor.repairs)
    cursor.skip_space()
    if any(repair.rule == "comment" for repair in cursor.repairs[noted:]):
        _refuse_members(reader, cursor.text[start : cursor.pos])
    while not cursor.at_end():
        if cursor.peek() not in CLOSERS and cursor.peek() != ";":
            raise cursor.fail("something stands behind the value", expected="nothing more")
        cursor.skip("extra-closer", 1)
        cursor.skip_space()


def _refuse_members(reader: Reader, comment: str) -> None:
    """Refuse a comment behind the value that holds an object, or a known key with a value."""
    keys = reader.options.schema.members if reader.options.schema is not None else ()
    if "{" in comment or any(match["key"] in keys for match in MEMBER.finditer(comment)):
        raise reader.cursor.fail("what stands behind the value may belong to it", expected="nothing more")
