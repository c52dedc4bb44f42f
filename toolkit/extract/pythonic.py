"""Reads calls in Python syntax: a list of them, several on a line, or quoted as a whole."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import read_value
from toolmend.toolkit.extract.behind import list_cut, with_fault
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.pycall import CALL, end_of_brackets, name_of, read_one_call
from toolmend.toolkit.extract.source import MAX_CALLS, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ("LIST_MAY_END", "begins_call", "read_pythonic", "read_quoted")

LIST_MAY_END: Final = re.compile(r"[ \t\r,;]*(?:\Z|\n[ \t\r]*(?:\n|\Z|`{3}|~{3})|\s{0,9}<(?:/|\|))")
"""Where the closing bracket of a list of calls may be missing: before a blank line, a closing tag, or the end."""

_QUOTED_CALL: Final = re.compile(r"[\[({\s]{0,9}[\"']\s{0,9}\[?[A-Za-z_](?:[\w.:-]|\\{1,2}_){0,200}\(")
_OPENERS: Final = re.compile(r"[\s\[({,;]*")
_CLOSERS: Final = re.compile(r"(?:[\s,;]*[\])}])*")
_BETWEEN: Final = re.compile(r"(?:[\s,;]|#[^\n]*)*")
_SAME_LINE: Final = re.compile(r"[ \t]*[,;]?[ \t]*")
_BLANK: Final = re.compile(r"\s*")
_KEYWORD: Final = re.compile(r"\s*(?:[A-Za-z_]\w*\s*=[^=]|\))")
_OPERATOR: Final = re.compile(r"[ \t]*(?:[+*|&/%]|\[|\.[a-z_])[ \t\[]*")
_PLUS: Final = re.compile(r"\s{0,9}\+\s{0,9}(?=\[)")
_IN_EXPRESSION: Final = "a call stands in an expression, which is not evaluated"


def begins_call(source: Source, start: int) -> bool:
    """Whether a call of a registered tool may begin at this place.

    Args:
        source: the text, with the registered tools.
        start: the place.
    """
    match = CALL.match(source.text, start)
    return match is not None and source.tool(name_of(match)) is not None


def read_pythonic(source: Source, start: int) -> Found | None:
    """Read the calls that begin at one place: in brackets, or one after the other on a line.

    Args:
        source: the text, with the registered tools.
        start: the place.

    Returns:
        The calls, with a faulty one where something is no literal call; None if no call begins there.
    """
    if source.text[start : start + 1] not in ("[", "("):
        parts, end = _sequence(source, start, _SAME_LINE)
        return _checked(source, Found(tuple(parts), end, "pythonic"), lone=True) if parts else None
    found = _list(source, start)
    while found is not None and _may_go_on(found) and (plus := _PLUS.match(source.text, found.end)) is not None:
        more = _list(source, plus.end())
        if more is None or not _may_go_on(more):
            break
        joined = Repair("added-lists", "lossless", before=plus[0].strip(), span=plus.span())
        first = replace(more.parts[0], repairs=(joined, *more.parts[0].repairs))
        found = replace(more, parts=(*found.parts, first, *more.parts[1:]))
    return _checked(source, found, lone=False) if found is not None and found.parts else found


def _may_go_on(found: Found) -> bool:
    """Whether a list of calls may be followed by another one that is added to it."""
    return 0 < len(found.parts) <= MAX_CALLS and found.parts[-1].fault is None


def _list(source: Source, start: int) -> Found | None:
    """The calls of one list."""
    inside = _BLANK.match(source.text, start + 1)
    pos = inside.end() if inside is not None else start + 1
    if source.text.startswith("]", pos):
        return Found((), pos + 1, "pythonic")
    parts, end = _sequence(source, pos, _BETWEEN)
    if not parts:
        return None
    if _is_whole(source, start) or any(source.tool(part.name) for part in parts):
        parts = [replace(part, shape=Shape.ENVELOPE) for part in parts]
    return _closed(source, parts, start, end)


def _sequence(source: Source, pos: int, between: re.Pattern[str]) -> tuple[list[Part], int]:
    """Calls one after the other, and where the last of them ends."""
    parts: list[Part] = []
    end = pos
    while len(parts) <= MAX_CALLS and (match := CALL.match(source.text, pos)) is not None:
        part = read_one_call(source, match)
        parts.append(part)
        end = part.span[1]
        behind = between.match(source.text, end)
        pos = behind.end() if behind is not None else end
        if pos == end:
            break
    return parts, end


def _closed(source: Source, parts: list[Part], start: int, end: int) -> Found:
    """The calls of a list, behind which its closing bracket stands or is missing."""
    behind = _BETWEEN.match(source.text, end)
    pos = behind.end() if behind is not None else end
    if source.text[pos : pos + 1] == {"[": "]", "(": ")"}[source.text[start]]:
        return Found(tuple(parts), pos + 1, "pythonic")
    may_end = LIST_MAY_END.match(source.text, end) is not None or source.marked
    if may_end and "," in source.text[end:pos].partition("#")[0]:
        return with_fault(Found(tuple(parts), end, "pythonic"), list_cut(), pos)
    if may_end:
        closed = Repair("missing-closer", "lossless", after="]", span=(end, end))
        parts[-1] = replace(parts[-1], repairs=(*parts[-1].repairs, closed))
        return Found(tuple(parts), end, "pythonic")
    return _faulty(
        source, parts, end_of_brackets(source.text, start), "a list of calls holds something that is no call"
    )


def _checked(source: Source, found: Found, *, lone: bool) -> Found:
    """The calls, unless an operator behind them makes them a part of an expression."""
    operator = _OPERATOR.match(source.text, found.end)
    if operator is None or (lone and not begins_call(source, operator.end())):
        return found
    line_end = source.text.find("\n", found.end)
    return _faulty(source, list(found.parts), line_end if line_end >= 0 else len(source.text), _IN_EXPRESSION)


def _faulty(source: Source, parts: list[Part], end: int, message: str) -> Found:
    """Calls none of which may run, as something that is no call belongs to them."""
    error = NotJsonError(message, expected="name(key=value)")
    known = next((part for part in parts if source.tool(part.name) is not None), parts[0])
    span = (parts[0].span[0], end)
    return Found((replace(known, arguments=None, span=span, fault=error),), end, "pythonic")


def _is_whole(source: Source, start: int) -> bool:
    """Whether a list of keyword calls is the whole message."""
    text = source.text
    inside = _BLANK.match(text, start + 1)
    match = CALL.match(text, inside.end() if inside is not None else start + 1)
    keywords = match is not None and _KEYWORD.match(text, match.end()) is not None
    return keywords and start == source.first and text.rstrip().endswith("]")


# ---------------------------------------------------------------------- calls in quotes


def read_quoted(source: Source, start: int) -> Found | None:
    """Read calls that are quoted as a whole: `"f(x=1)"`, or a list of such strings.

    Args:
        source: the text, with the registered tools.
        start: where the quote or the bracket stands.

    Returns:
        The calls; None if the quotes hold anything else.
    """
    if _QUOTED_CALL.match(source.text, start) is None:
        return None
    return _as_it_stands(source, start) or _decoded(source, start)


def _as_it_stands(source: Source, start: int) -> Found | None:
    """Calls between quotes, the quotes within them not escaped."""
    text, parts, end = source.text, list[Part](), start
    pos = _behind(_OPENERS, text, start)
    while len(parts) <= MAX_CALLS and (quote := text[pos : pos + 1]) and quote in "'\"":
        match = CALL.match(text, _behind(_OPENERS, text, pos + 1))
        more, last = (
            _sequence(source, match.start(), _SAME_LINE) if match is not None and not match["quote"] else ([], 0)
        )
        closed = _behind(_CLOSERS, text, last)
        has_quote = text[closed : closed + 1] == quote
        if not more or any(part.fault is not None for part in more) or not (has_quote or closed > last):
            source.charge(pos - start)
            return None
        parts += (_unquoted(part, text[part.span[0] : part.span[1]], part.span) for part in more)
        end = _behind(_CLOSERS, text, closed + 1) if has_quote else closed
        pos = _behind(_OPENERS, text, end)
    return Found(tuple(parts), end, "pythonic") if parts else None


def _decoded(source: Source, start: int) -> Found | None:
    """Calls that strings hold, their escapes decoded."""
    try:
        reading = read_value(source.text, start, Options(embedded=True, complete=source.complete, limits=source.limits))
    except RepairError:
        source.charge(200)
        return None
    texts = reading.value if isinstance(reading.value, list) else [reading.value]
    parts = [part for text in texts for part in _held(source, text, (start, reading.end))]
    return Found(tuple(parts), reading.end, "pythonic") if parts and len(parts) >= len(texts) else None


def _held(source: Source, text: JsonValue, span: tuple[int, int]) -> Iterable[Part]:
    """The calls that one quoted text holds, if it holds nothing else."""
    if not isinstance(text, str):
        return ()
    inner = Source(text.strip(), source.tools, complete=source.complete)
    found = read_pythonic(inner, 0)
    if found is None or found.end != len(inner.text):
        return ()
    return [_unquoted(part, text, span) for part in found.parts]


def _unquoted(part: Part, text: str, span: tuple[int, int]) -> Part:
    record = Repair("call-in-quotes", "lossless", before=text[:80], span=span)
    return replace(part, span=span, repairs=(record, *part.repairs))


def _behind(pattern: re.Pattern[str], text: str, pos: int) -> int:
    match = pattern.match(text, pos)
    return match.end() if match is not None else pos
