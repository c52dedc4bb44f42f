"""Tells whether a block of lines stands among lines of a program, so that it is part of it and no call."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

__all__ = ("among_code", "holds_program")

NEIGHBOURS: Final = 12
"""Lines that are looked at on each side."""

_LONGEST_LINE: Final = 300
_PROGRAM_LINE: Final = (
    r"(?:(?:async )?def \w+ ?\(|class \w+ ?(?:\(.*\))? ?:$|import [\w.]+(?: as \w+)?;?$|from [\w.]+ import \S"
    r"|(?:const|let|var) \w+ ?=|(?:export |async )*function ?\w*\()"
)
_PROGRAM: Final = re.compile(rf"\s*{_PROGRAM_LINE}")
"""Lines that only a program has."""

_CODE: Final = re.compile(
    r"\s*(?:"
    r"for \w+ in [\w.()\[\]]+ ?:$|(?:if|elif|for|while|with) .*[=()\[\]<>].*:$|(?:else|try|finally) ?:$|except\b.*:$"
    r"|return\b.*[()\[\]=+]|return [\w.]+;?$|@\w[\w.]*(?:\(.*\))?$|.*\) ?\{$|\} ?(?:else|catch|finally)\b"
    r")"
)
"""Lines that a program has, and prose may have at some distance."""

_OPEN: Final = re.compile(r".*(?:[\[({]|[^=!<>]=|=>)\s*$")
_FENCE: Final = re.compile(r"\s*(?:`{3}|~{3})")
_ANYWHERE: Final = re.compile(rf"^[ \t]*(?:(?P<fence>`{{3}}|~{{3}})|{_PROGRAM_LINE})", re.MULTILINE)


def among_code(text: str, start: int, end: int) -> bool:
    """Whether lines around a block belong to a program, or leave a bracket or an assignment open in front of it.

    Args:
        text: the whole text.
        start: where the block begins.
        end: where it ends.
    """
    before = list(_lines_before(text, start))
    nearest = next((line for line in before if line), "")
    return _OPEN.match(nearest) is not None or _has_code(before) or _has_code(_lines_after(text, end))


def holds_program(text: str) -> bool:
    """Whether a text holds, outside of fences, a line that only a program has, so that its calls are part of that.

    Args:
        text: the text.
    """
    in_fence = False
    for match in _ANYWHERE.finditer(text):
        if match["fence"] is None and not in_fence:
            return True
        in_fence ^= match["fence"] is not None
    return False


def _has_code(lines: Iterable[str]) -> bool:
    """Whether lines, the nearest first, are those of a program; what stands behind a fence is none of them."""
    beside = True
    for line in lines:
        beside = beside and bool(line)
        if _FENCE.match(line):
            return False
        if _PROGRAM.match(line) or (beside and _CODE.match(line)):
            return True
    return False


def _lines_before(text: str, pos: int) -> Iterator[str]:
    """The lines in front of a place, the nearest first."""
    pos = text.rfind("\n", 0, pos)
    for _ in range(NEIGHBOURS):
        if pos < 0:
            return
        start = text.rfind("\n", 0, pos)
        yield text[max(start + 1, pos - _LONGEST_LINE) : pos].rstrip()
        pos = start


def _lines_after(text: str, pos: int) -> Iterator[str]:
    """The lines behind a place."""
    pos = text.find("\n", pos)
    for _ in range(NEIGHBOURS):
        if pos < 0:
            return
        end = text.find("\n", pos + 1)
        yield text[pos + 1 : min(end if end >= 0 else len(text), pos + 1 + _LONGEST_LINE)].rstrip()
        pos = end
