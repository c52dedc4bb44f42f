"""The members of an object: keys in quotes and without, what stands between a key and its value, and what is no key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import NotJsonError
from toolmend.repairs.text.frames import Frame
from toolmend.repairs.text.strings import KEY_AHEAD
from toolmend.repairs.text.tokens import BARE_KEY, CLOSERS, COMMAS, LONGEST_KEY, OPENERS, QUOTES, SEPARATOR

if TYPE_CHECKING:
    from toolmend.repairs.text.lenient import Reader

__all__ = ("read_key", "read_separator")

_VALUE_BEGINS: Final = frozenset("-0123456789tfnTFN")


def read_key(reader: Reader) -> None:
    """Read a key of the innermost object, or what stands in place of one.

    Args:
        reader: the reader, where a key is due.

    Raises:
        NotJsonError: if neither a key nor anything that may stand in its place is there.
    """
    cursor, frame, char = reader.cursor, reader.stack[-1], reader.cursor.peek()
    if char in CLOSERS:
        if not frame.empty and not frame.fresh:
            cursor.record("extra-comma", frame.comma, frame.comma + 1, "")
        frame.state = "after"
        reader.close(char)
    elif char in COMMAS:
        cursor.skip_commas()
    elif cursor.text.startswith(("...", "…"), cursor.pos):
        raise cursor.fail("members were left out with an ellipsis", expected="every member written out", final=True)
    elif char in "{｛":
        _object_for_key(reader, frame)
    elif not _key_with_lost_quote(reader, frame) and not _bare_key(reader, frame):
        _quoted_key(reader, frame)


def read_separator(reader: Reader) -> None:
    """Read what stands between a key and its value.

    Args:
        reader: the reader, behind a key.

    Raises:
        NotJsonError: if no separator is there, and none may be missing.
    """
    cursor, frame = reader.cursor, reader.stack[-1]
    match = cursor.match(SEPARATOR)
    if match is None:
        _missing_separator(reader, frame)
    elif match[0] not in ({"="} if frame.call else {":"}):
        cursor.skip("separator", len(match[0]), ":")
    else:
        cursor.pos = match.end()
    frame.state = "value"


def _bare_key(reader: Reader, frame: Frame) -> bool:
    """Read a key without quotes, with its separator behind it."""
    cursor = reader.cursor
    start = cursor.pos
    match = cursor.match(BARE_KEY)
    if match is None or len(match[0]) > LONGEST_KEY:
        return False
    separator = SEPARATOR.match(cursor.text, cursor.after_comments(match.end()))
    if separator is None or cursor.text.startswith("//", separator.end()):
        return False
    if _holds_key(reader, frame, match[0]):
        raise cursor.fail(f"{match[0]!r} may be a key and more", expected='"key": value', final=True)
    frame.key, frame.state = match[0], "separator"
    if not (frame.call and separator[0] == "="):
        cursor.record("bare-key", start, match.end(), f'"{frame.key}"')
    cursor.pos = match.end()
    return True


def _holds_key(reader: Reader, frame: Frame, key: str) -> bool:
    """Whether a key of several words, itself unknown, has a known one among them: a colon may be missing."""
    words = key.split()
    if len(words) == 1 or reader.keys.declared(key, frame.schema) is not None:
        return False
    return any(reader.keys.declared(word, frame.schema) is not None for word in words)


def _quoted_key(reader: Reader, frame: Frame) -> None:
    cursor = reader.cursor
    if not reader.quoted.begins():
        raise _no_key_error(reader)
    key = reader.quoted.read(is_key=True)
    if not _not_a_key(reader, frame, key):
        frame.key, frame.state = key, "separator"
        if cursor.at_end():
            raise cursor.cut("behind a key")


def _no_key_error(reader: Reader) -> NotJsonError:
    cursor, start = reader.cursor, reader.cursor.pos
    match = cursor.match(BARE_KEY)
    if match is not None and match.end() == len(cursor.text):
        raise cursor.cut("in a key")
    message = "a key is missing or has no value"
    if any(mark in cursor.text[start : start + 80] for mark in QUOTES):
        return cursor.quote_fault(message, start)
    return cursor.fail(message, at=start, expected='"key": value', final=True)


def _key_with_lost_quote(reader: Reader, frame: Frame) -> bool:
    """Read a known key that lost one of its quotes, or whose quotes differ: `"title: 3`, `title": 3`, `"title': 3`."""
    if not reader.options.schema_strings:
        return False
    match = reader.cursor.match(KEY_AHEAD)
    if match is None or not (match["quote"] or match["close"]) or match["close"] in {*QUOTES.get(match["quote"], "")}:
        return False
    key = match["key"]
    if key != key.strip() or reader.keys.declared(key, frame.schema) is None or key in frame.members:
        return False
    if match["quote"] and match["close"]:
        reader.cursor.record("quote-style", match.start(), match.start("sep"), f'"{key}"')
    else:
        reader.cursor.record("lost-quote", match.start(), match.start("sep"), f'"{key}"', kind="inferred")
    frame.key, frame.state = key, "separator"
    reader.cursor.pos = match.start("sep")
    return True


def _not_a_key(reader: Reader, frame: Frame, text: str) -> bool:
    """Deal with a string in place of a key that has no value: the member of a set, or the next item of a list."""
    reader.skip_space()
    after = reader.cursor.peek()
    if after not in {*COMMAS, *CLOSERS} or after == "":
        return False
    schema = frame.schema
    wanted = schema is not None and schema.allows("array") and not schema.allows("object")
    a_set = wanted or (schema is None and reader.options.python)
    if a_set and frame.empty and frame.closer == "}":
        reader.cursor.record("set", frame.opened, frame.opened + 1, "[")
        frame.items = [text]
        frame.state = "after"
        return True
    return _list_without_opener(reader, frame, text)


def _list_without_opener(reader: Reader, frame: Frame, text: str) -> bool:
    """Take the last member as the first item of a list whose opener was lost: `"tags": "a", "b"]`."""
    schema = reader.keys.child(frame)
    last = frame.members.get(frame.key)
    known = schema is not None and schema.allows("array") and not schema.allows("string")
    if frame.fresh or not known or not isinstance(last, str):
        return False
    del frame.members[frame.key]
    frame.given.discard(reader.keys.declared(frame.key, frame.schema) or frame.key)
    frame.state = "value"
    reader.cursor.record("missing-opener", reader.cursor.pos, reader.cursor.pos, "[", kind="inferred")
    opened = reader.push("]", is_list=True, implicit=True)
    opened.items = [last, text]
    opened.state = "after"
    return True


def _object_for_key(reader: Reader, frame: Frame) -> None:
    """Meet an opening brace where a key is due: a doubled brace, or the next item of the list around."""
    cursor, stack = reader.cursor, reader.stack
    last = cursor.repairs[-1] if cursor.repairs else None
    trebled = last is not None and last.rule == "doubled-brace" and last.span == (cursor.pos - 1, cursor.pos)
    at_once = not cursor.text[frame.opened + 1 : cursor.pos].strip()
    if frame.empty and not frame.call and not trebled and (at_once or frame.implicit):
        cursor.skip("doubled-brace", 1)
        return
    if len(stack) > 2 and stack[-2].is_list and not frame.fresh and not reader.keys.may_end_earlier(frame):
        cursor.record("missing-closer", cursor.pos, cursor.pos, "}", kind="inferred")
        reader.pop()
        stack[-1].state = "value"
        return
    raise cursor.fail("an object stands where a key is due", expected='"key": value')


def _missing_separator(reader: Reader, frame: Frame) -> None:
    cursor, char = reader.cursor, reader.cursor.peek()
    if char in CLOSERS or char in COMMAS:
        raise cursor.fail(f"no value stands behind {frame.key!r}", expected="a value", final=True)
    known = reader.keys.declared(frame.key, frame.schema) is not None or frame.schema is None
    if frame.key[-1:] in (":", "=") or not known or not (char in QUOTES or char in OPENERS or char in _VALUE_BEGINS):
        raise cursor.fail(f"a colon is missing behind {frame.key!r}", expected=":")
    cursor.record("missing-colon", cursor.pos, cursor.pos, ":")
