"""Reads fenced blocks. One counts only if it holds nothing but calls, and ends the message, as the scan has to see."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from toolmend.toolkit.extract.candidate import CallCandidate, Evidence
from toolmend.toolkit.extract.ends import ENDS
from toolmend.toolkit.extract.marked import read_marked
from toolmend.toolkit.extract.react import read_react
from toolmend.toolkit.extract.shapes import read_block
from toolmend.toolkit.extract.yamlish import read_yamlish

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source

__all__ = ("FENCE", "Fence", "read_fence")

FENCE: Final = re.compile(r"(?P<marks>`{3,}|~{3,})[ \t]*(?P<language>[A-Za-z_+#-]{1,20}(?![\w.(\[]))?[ \t\r]*\n?")
"""The line that opens a fence, up to what it holds."""

_BETWEEN: Final = re.compile(r"[\s,;]*(?:(?<=[ \t,;)\]])#[^\n]*\s*)?")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block.

    Attributes:
        candidates: the calls in it; empty unless it holds nothing else.
        end: the offset behind its closing line, or the end of the text if that is missing.
    """

    candidates: tuple[CallCandidate, ...]
    end: int


def read_fence(source: Source, opener: re.Match[str]) -> Fence:
    """Read a fenced block.

    Args:
        source: the text, with the registered tools.
        opener: what opens it, as `FENCE` matched it.
    """
    text = source.text
    pos, marks = opener.end(), opener["marks"]
    candidates: list[CallCandidate] = []
    while True:
        pos = _behind_space(text, pos)
        if pos >= len(text):
            return _closed(opener, candidates, len(text))
        closer = _marks_of(marks).match(text, pos)
        if closer is not None:
            return _closed(opener, candidates, closer.end())
        found = _read_calls(source, pos)
        if found is None:
            return Fence((), _behind_closer(text, opener.end() - 1, marks))
        more, pos = found
        candidates += more
        if more and more[-1].part.fault is not None:
            start = more[-1].part.span[0] if pos >= len(text) else pos - 1
            return _closed(opener, candidates, _behind_closer(text, start, marks))


def _read_calls(source: Source, pos: int) -> tuple[list[CallCandidate], int] | None:
    marked = read_marked(source, pos)
    if marked is not None:
        return marked
    ends = ENDS.match(source.text, pos)
    if ends is not None:
        return [], ends.end()
    found = read_block(source, pos) or read_yamlish(source, pos) or read_react(source, pos)
    if found is None or not found.parts or (found.parts[0].name is None and not source.nameless):
        return None
    form = found.format or "json"
    return [CallCandidate(part, form, Evidence.SHAPE, part.span) for part in found.parts], found.end


def _closed(opener: re.Match[str], candidates: list[CallCandidate], end: int) -> Fence:
    """The fence as a whole: each call in it spans all of it."""
    span = (opener.start(), end)
    return Fence(tuple(replace(candidate, span=span) for candidate in candidates), end)


def _marks_of(marks: str) -> re.Pattern[str]:
    """What closes a fence: at least as many marks as opened it."""
    return re.compile(rf"{marks[0]}{{{len(marks)},}}[ \t\r]*(?=\n|\Z)")


def _behind_closer(text: str, start: int, marks: str) -> int:
    """The offset behind the next line that closes a fence."""
    closer = re.compile(rf"\n[ \t]*{_marks_of(marks).pattern}").search(text, start)
    return closer.end() if closer is not None else len(text)


def _behind_space(text: str, pos: int) -> int:
    match = _BETWEEN.match(text, pos)
    return match.end() if match is not None else pos
