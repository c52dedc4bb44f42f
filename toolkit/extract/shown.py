"""Tells which fences of a message only show something: those behind which more is said."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, TypeAlias

from toolmend.toolkit.extract.ends import ENDS
from toolmend.toolkit.extract.shapes import CALL_LABEL

__all__ = ("is_blank", "shown_fences")

Span: TypeAlias = tuple[int, int]

LONGEST_HEADING: Final = 300
"""Longest text between two fences that is taken for the heading of the second."""

_HEADING: Final = re.compile(r"\s*(?:[^\n]*:(?:\*\*|__)?|\#{1,6} [^\n]*|\*\*[^\n*]*\*\*)\s*")

_CHOICE: Final = re.compile(
    r"\b(?:or|either|option|alternative(?:ly)?|instead|otherwise|variant|examples?|if|unless)\b", re.IGNORECASE
)
"""Words of a heading under which one of several calls stands, not one after the other."""


def shown_fences(text: str, fences: Collection[Span], others: Collection[Span], end: int) -> set[Span]:
    """The fences behind which more is said than what introduces the next one.

    Args:
        text: the whole message.
        fences: the spans of fences that hold calls.
        others: the spans of everything else that is no prose.
        end: where the message ends.
    """
    begins = {start for start, _ in fences}
    said_from = end
    for span in sorted({*fences, *others}, reverse=True):
        leads_on = span in fences and said_from in begins and _introduces(text, span, said_from)
        if not (leads_on or is_blank(text[span[1] : said_from])):
            break
        said_from = min(said_from, span[0])
    return {span for span in fences if span[0] < said_from}


def is_blank(gap: str) -> bool:
    """Whether nothing is said in a piece of text.

    Args:
        gap: the text between two places.
    """
    return not gap.strip() or ENDS.fullmatch(gap.strip()) is not None


def _introduces(text: str, fence: Span, following: int) -> bool:
    """Whether nothing stands behind a fence but one line that introduces the next, as one does this fence.

    Where the lines tell of a choice, the calls are not all meant, and the policy for prose holds.
    """
    if following - fence[1] > LONGEST_HEADING:
        return False
    gap = text[fence[1] : following]
    before = text[max(fence[0] - LONGEST_HEADING, 0) : fence[0]].rstrip().rpartition("\n")[2]
    if _CHOICE.search(before) or _CHOICE.search(gap):
        return False
    return _HEADING.fullmatch(gap) is not None and _is_label(before) == _is_label(gap)


def _is_label(line: str) -> bool:
    """Whether a line says that a call follows, so that what stands under other headings is none."""
    return CALL_LABEL.fullmatch(line.strip()) is not None
