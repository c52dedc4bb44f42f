"""Reads what stands behind a marker. The form of the body decides, not the marker: models mix them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolmend.repairs.errors import CutOffError, RepairError
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.ends import BAR, END, SUFFIX
from toolmend.toolkit.extract.faults import end_of_fault, told
from toolmend.toolkit.extract.fields import NAMED, PAIRS, FieldGrammar, read_fields
from toolmend.toolkit.extract.jsonish import end_of_json, read_arguments, read_json
from toolmend.toolkit.extract.pythonic import read_pythonic, read_quoted
from toolmend.toolkit.extract.source import MAX_CALLS, Source

__all__ = ("Head", "name_alone", "read_body", "read_named")

_BLANK: Final = re.compile(r"\s*")
_BETWEEN: Final = re.compile(r"\s*[,;]?\s*")
_FENCE: Final = re.compile(r"`{3,}[\w-]*\s*")
_FENCE_END: Final = re.compile(r"\s*`{3,}")
_SEPARATORS: Final = (
    rf"(?:\s|\[CALL_ID\]\w{{1,64}}|\[ARGS\]|<{BAR}[\w▁ ]{{1,40}}{BAR}>|<tool_sep{SUFFIX}>|✿ARGS✿\s{{0,4}}:"
    r"|json(?=\s{0,4}\{))*"
)
_HEAD: Final = re.compile(
    rf"(?P<typed>function\s*<{BAR}tool[▁_ ]sep{BAR}>\s*)?(?P<name>[\w.-]{{1,200}}(?::\d{{1,6}})?)(?:\(\))?"
    rf"(?P<separators>{_SEPARATORS})(?=\{{|<|\[\{{|`{{3}}|\Z)"
)
_CALL_ID: Final = re.compile(r"\[CALL_ID\](\w{1,64})")


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a call whose arguments follow.

    Attributes:
        name: the name as it is written.
        start: where the call begins.
        id: the id that is written beside the name.
    """

    name: str
    start: int
    id: str | None = None


def read_body(source: Source, start: int) -> Found | None:
    """Read the calls behind a marker that names none.

    Args:
        source: the text, with the registered tools.
        start: the offset behind the marker.

    Returns:
        The calls; None if nothing there looks like one.
    """
    pos = _behind_space(source.text, start)
    return _fenced(source, pos) if source.text.startswith("```", pos) else _unfenced(source, pos)


def _unfenced(source: Source, pos: int) -> Found | None:
    char = source.text[pos : pos + 1]
    if char in ("{", "["):
        return _bracketed(source, pos)
    if char in ('"', "'"):
        return read_quoted(source, pos)
    return _headed(source, pos) or read_pythonic(source, pos)


def _bracketed(source: Source, start: int) -> Found | None:
    """JSON, or a list of calls in Python syntax or in quotes; several in a row are several calls."""
    found = read_json(source, start) or read_pythonic(source, start) or read_quoted(source, start)
    if found is None or not source.text.startswith("{", start):
        return found
    parts, end = list(found.parts), found.end
    while parts and end < len(source.text) and len(parts) <= MAX_CALLS:
        pos = _behind_separator(source.text, end)
        more = read_json(source, pos) if source.text.startswith("{", pos) else None
        if more is None:
            break
        parts += more.parts
        end = more.end
    return Found(tuple(parts), end)


def _fenced(source: Source, start: int) -> Found | None:
    """The calls in a fence; one within the other is none."""
    opener = _FENCE.match(source.text, start)
    found = _unfenced(source, _behind_space(source.text, opener.end())) if opener is not None else None
    if found is None:
        return None
    closer = _FENCE_END.match(source.text, found.end)
    return Found(found.parts, closer.end() if closer is not None else found.end, found.format)


def _headed(source: Source, start: int) -> Found | None:
    """A name with its arguments behind it: pairs, a tag per parameter, or JSON; or a name alone."""
    head = _HEAD.match(source.text, start)
    if head is None:
        return None
    begins = source.text[head.end() : head.end() + 1]
    bare = begins == "<" and not _grammar_at(source, head.end())
    if begins == "" or bare:
        closed = END.match(source.text, head.end()) is not None
        if source.tool(head["name"]) is None:
            return None
        if not closed and source.complete is not True:
            return name_alone(Head(head["name"], start), head.end()) if begins == "" else None
        return Found((Part(head["name"], {}, (start, head.end())),), head.end())
    if source.tool(head["name"]) is None and begins == "`" and not (head["typed"] or head["separators"].strip()):
        return None
    call_id = _CALL_ID.search(head["separators"])
    named = Head(head["name"], start, call_id[1] if call_id is not None else None)
    return read_named(source, head.end(), named)


def name_alone(head: Head, end: int) -> Found:
    """The fault of a call with whose name the text ends, so that its arguments may be missing.

    Args:
        head: the name and what goes with it.
        end: where the text ends.
    """
    error = CutOffError("the text ends behind the name of the tool: arguments may be missing", expected="a whole call")
    return Found((Part(head.name, None, (head.start, end), id=head.id, fault=error),), end)


def _grammar_at(source: Source, pos: int) -> FieldGrammar | None:
    return next((grammar for grammar in (NAMED, PAIRS) if grammar.opener.match(source.text, pos)), None)


def read_named(source: Source, start: int, head: Head, grammar: FieldGrammar | None = None) -> Found:
    """Read the arguments of a call whose name is known.

    Args:
        source: the text, with the registered tools.
        start: where the arguments may begin.
        head: the name and what goes with it.
        grammar: how fields are put down, if the marker says so.
    """
    pos = _behind_space(source.text, start)
    opener = _FENCE.match(source.text, pos)
    pos = opener.end() if opener is not None else pos
    if source.text[pos : pos + 1] in ("{", "["):
        found = _named_json(source, pos, head)
        closer = _FENCE_END.match(source.text, found.end) if opener is not None else None
        return found if closer is None else Found(found.parts, closer.end())
    grammar = grammar or _grammar_at(source, pos) or NAMED
    fields = read_fields(source, pos, grammar, source.tool(head.name))
    repairs = tuple(fields.repairs)
    unclosed = ((),) if not fields.ended and fields.end >= len(source.text) else ()
    span = (head.start, fields.end)
    part = Part(head.name, fields.values, span, Shape.ENVELOPE, head.id, repairs, unclosed, fields.fault)
    return Found((part,), fields.end)


def _named_json(source: Source, start: int, head: Head) -> Found:
    """Arguments in JSON behind the name of the tool."""
    try:
        end = end_of_json(source, start) or read_arguments(source, start, source.tool(head.name)).end
    except RepairError as error:
        known_end = end_of_fault(source, start, error)
        fault = error if known_end is not None else told(source, start, error)
        end = known_end or len(source.text)
        return Found((Part(head.name, None, (head.start, end), id=head.id, fault=fault),), end)
    # The text goes on to the same steps as the arguments of an API call, now that it is known where it ends.
    part = Part(head.name, source.text[start:end], (head.start, end), Shape.ENVELOPE, head.id)
    return Found((part,), end)


def _behind_space(text: str, pos: int) -> int:
    match = _BLANK.match(text, pos)
    return match.end() if match is not None else pos


def _behind_separator(text: str, pos: int) -> int:
    """Behind what may stand between two objects that are two calls."""
    match = _BETWEEN.match(text, pos)
    return match.end() if match is not None else pos
