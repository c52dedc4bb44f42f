"""Reads calls that nothing but their form shows to be some: blocks that take whole lines."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from toolmend.repairs.errors import NotJsonError
from toolmend.repairs.record import Repair, snippet
from toolmend.toolkit.extract.bare import read_bare
from toolmend.toolkit.extract.behind import SURPLUS, rest_of_call, with_fault, with_surplus
from toolmend.toolkit.extract.braces import HEAD, read_braces
from toolmend.toolkit.extract.candidate import Found, Part
from toolmend.toolkit.extract.ends import ENDS
from toolmend.toolkit.extract.jsonish import read_json
from toolmend.toolkit.extract.pairs import read_pairs
from toolmend.toolkit.extract.pythonic import begins_call, read_pythonic, read_quoted
from toolmend.toolkit.extract.react import read_react
from toolmend.toolkit.extract.source import MAX_CALLS, Source
from toolmend.toolkit.extract.surroundings import among_code
from toolmend.toolkit.extract.tooltag import read_tool_tag
from toolmend.toolkit.extract.yamlish import read_yamlish

__all__ = ("CALL_LABEL", "read_block", "read_lines")

CALL_LABEL: Final = re.compile(
    r"(?:\*\*)?(?:(?:tools?|functions?)[ _-]?)?(?:calls?|use|actions?|tools?|functions?)(?:\*\*)?[ ]?:(?:\*\*)?[ \t]*",
    re.IGNORECASE,
)
"""A label in front of a call, which belongs to it."""

_LIKE_CODE: Final = ("", "pythonic")
"""The forms that a program may hold."""

_NEXT_RECIPIENT: Final = ">>>"
_REST_OF_LINE: Final = re.compile(rf"[ \t\r,;]*(?=\n|\Z|{_NEXT_RECIPIENT})")
_REST_WITH_COMMENT: Final = re.compile(r"[ \t\r,;]*(?:#[^\n]*)?(?=\n|\Z)")
_SAME_LINE: Final = re.compile(r"[ \t]*[,;]?[ \t]*")
_MORE: Final = re.compile(r"[ \t]*(?:[,;|&][ \t]*\n?[ \t]*[\[({\"']|\[\])")
"""What stands behind a call where further ones were meant, but are none."""

_BLANK: Final = re.compile(r"\s*")


# ---------------------------------------------------------------------- blocks that take whole lines


def read_lines(source: Source, start: int) -> Found | None:
    """Read calls that begin where a line begins, and end where a line ends.

    Args:
        source: the text, with the registered tools.
        start: the first character of the line that is not blank.

    Returns:
        The calls; without any if something stands there that is to be passed over; None if nothing does.
    """
    label = CALL_LABEL.match(source.text, start)
    inside = label.end() if label is not None else start
    found = read_react(source, start) or read_block(source, start)
    if found is None and inside > start:
        found = read_block(source, inside)
    error = rest_of_call(source, found, found.end) if found is not None and found.format != "react" else None
    if found is not None and error is not None and source.tool(found.parts[-1].name) is not None:
        return with_fault(found, error, len(source.text))
    if found is None and start == source.first:
        found = read_yamlish(source, start) or read_bare(source, start)
        rest = source.text[found.end :].lstrip() if found is not None else ""
        if rest and not rest.startswith(_NEXT_RECIPIENT):
            return None
    if found is None or not found.parts:
        return found
    if found.parts[-1].fault is not None and found.end >= len(source.text):
        end: int | None = found.end
    else:
        end = _end_of_lines(source.text, found.end, comments=found.format == "pythonic")
    if end is None and start == source.first and _MORE.match(source.text, found.end) and _is_meant(source, found):
        return with_fault(found, NotJsonError("something that is no call stands behind it"), len(source.text))
    if end is None or _is_code(source, found.format, start, found.end):
        return Found((), found.end)
    return _with_comment(source, replace(with_surplus(source, found), end=end))


def _is_meant(source: Source, found: Found) -> bool:
    """Whether each of the calls names a registered tool."""
    return all(source.tool(part.name) is not None for part in found.parts)


def _is_code(source: Source, form: str, start: int, end: int) -> bool:
    """Whether a block is part of a program: a few lines away for JSON, anywhere for what looks like code itself."""
    if form not in _LIKE_CODE:
        return False
    return among_code(source.text, start, end) or (form == "pythonic" and source.holds_program)


def _with_comment(source: Source, found: Found) -> Found:
    """What was found, with a comment behind its last call on record."""
    last = found.parts[-1]
    start = source.text.find("#", last.span[1], found.end)
    if found.format != "pythonic" or start < 0 or last.fault is not None:
        return found
    passed = Repair("comment", "lossless", before=snippet(source.text[start : found.end]), span=(start, found.end))
    return replace(found, parts=(*found.parts[:-1], replace(last, repairs=(*last.repairs, passed))))


def read_block(source: Source, start: int) -> Found | None:
    """Read the calls of one block, or of several on one line.

    Args:
        source: the text, with the registered tools.
        start: where the first one may begin.

    Returns:
        The calls; without any if something stands there that is to be passed over; None if nothing does.
    """
    parts: list[Part] = []
    pos, form = start, ""
    while len(parts) <= MAX_CALLS and (found := _read_one(source, pos)) is not None and found.parts:
        parts += found.parts
        form = form or found.format
        if found.parts[-1].fault is not None:
            return Found(tuple(parts), found.end, form)
        start = found.end
        behind = _SAME_LINE.match(source.text, start)
        pos = behind.end() if behind is not None else start
    return Found(tuple(parts), start, form) if parts else found


def _read_one(source: Source, pos: int) -> Found | None:
    text = source.text
    char = text[pos : pos + 1]
    if char == "{":
        return read_json(source, pos) if source.may_hold_calls(pos) else None
    if char in ("[", "("):
        return _read_list(source, pos)
    if char in ('"', "'"):
        return _read_quoted_message(source, pos)
    if char == "<":
        return read_tool_tag(source, pos)
    if text.startswith("call:", pos):
        head = HEAD.match(text, pos)
        return read_braces(source, pos) if head is not None and source.tool(head["name"]) is not None else None
    return read_pythonic(source, pos) if begins_call(source, pos) else None


def _read_quoted_message(source: Source, pos: int) -> Found | None:
    """A whole message in quotation marks; on a line among others they only show that it is spoken of."""
    if begins_call(source, pos):
        return read_pythonic(source, pos)  # only the name is quoted
    found = read_quoted(source, pos) if pos == source.first else None
    return found if found is not None and not source.text[found.end :].strip() else None


def _read_list(source: Source, start: int) -> Found | None:
    """A list of objects, of calls in quotes, or of calls in Python syntax."""
    found = read_quoted(source, start)
    if found is not None:
        return found
    inside = _BLANK.match(source.text, start + 1)
    pos = inside.end() if inside is not None else start + 1
    if source.text.startswith("{", pos):
        return read_json(source, start) if source.may_hold_calls(pos) else None
    return read_pythonic(source, start) or read_pairs(source, start)


def _end_of_lines(text: str, end: int, *, comments: bool) -> int | None:
    """Where the line ends on which a block ends; None if something stands behind the block."""
    for pattern in (SURPLUS, ENDS):
        match = pattern.match(text, end)
        if match is not None:
            end = match.end()
    rest = (_REST_WITH_COMMENT if comments else _REST_OF_LINE).match(text, end)
    return rest.end() if rest is not None else None
