"""What may open something other than prose in a text that still grows, now or once more is there."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from toolmend.toolkit.extract.events import SHOWN_TAGS, event_at
from toolmend.toolkit.extract.harmony import RECIPIENT_IN_FRONT
from toolmend.toolkit.extract.markers import MARKERS, STARTS
from toolmend.toolkit.extract.readers import ROLE

__all__ = ("OPENING", "front_of", "held_back", "may_grow", "may_open", "next_opening", "part_of")


def part_of(word: str) -> str:
    """A pattern for a word that still grows: its first character, or more of it.

    Args:
        word: the word.
    """
    first, *rest = map(re.escape, word)
    return first + "".join(f"(?:{char}" for char in rest) + ")?" * len(rest)


_WORDS: Final = tuple(start for start in STARTS if start[0].isalpha())
_SIGNS: Final = sorted({start[0] for start in STARTS if not start[0].isalpha()} | set("`◁\n"))

OPENING: Final = re.compile("|".join(map(re.escape, (*_SIGNS, *_WORDS))))
"""Whatever may begin something that is no prose."""

_MARKS: Final = re.compile(r"[`~]+[ \t\r]*")
_SPACED: Final = r"\s{0,4}"
_ROLE_TOKEN: Final = part_of("function call<|role_sep|")

_GROWING: Final = re.compile(
    r"\[[A-Z/_]{0,16}"
    r"|>{1,3}|>>>[\w.-]{1,200}[ \t\r]{0,9}(?:\n\s{0,4})?"
    r"|✿[A-Z]{0,9}✿?\s{0,4}"
    r"|◁/?[a-z]{0,5}"
    r"|\](?:<(?:\][a-z]{0,7}(?:\[(?:>(?:\[(?:<[^<>]{0,260})?)?)?)?)?)?"
    r"|<(?:!-?|/?(?:[A-Za-z][\w.:-]{0,80})?)"
    r"|</?[A-Za-z][\w.:-]{0,80}\s{0,9}"
    r"|</?[|｜‖][^<>\n]{0,300}"
    r"|<function\s{0,4}=?\s{0,4}(?:name\s?=?\s?)?[\"']?[^\"'<>\s=]{0,200}[\"']?\s{0,4}(?:[\w.:-]{1,40}\s?(?:=[^<>\n]{0,300})?)?"
    r"|<(?:[\w.-]{1,30}:)?invoke\s{1,4}n?a?m?(?:e\s?(?:=\s?[\"']?[^\"'<>\s=]{0,200}[\"']?[^<>\n]{0,80})?)?"
    r"|<invoke>\s{0,9}(?:<[a-z_]{0,9}(?:>[^<>]{0,220}(?:</?[a-z_]{0,10}(?:>\s{0,9}(?:<[a-z]{0,10})?)?)?)?)?"
    r"|<tool>\s{0,9}(?:<[a-z]{0,7}(?:>\s{0,9}[\w.-]{0,100}\s{0,9}(?:</?[a-z]{0,7})?)?)?"
    rf"|<answer>{_SPACED}(?:{part_of('<tool_calls')})?"
    r"|<\|(?:action_start|im_start|start_header_id)\|>\s{0,4}[<|\w]{0,16}"
    r"|<\|open\|>[^<>\n]{0,300}(?:<[|a-z]{0,8})?"
    r"|<\|message_model\|>[^<>|\n]{0,200}(?:<[|a-z_]{0,30})?"
    rf"|<\|message_sep\|>{_SPACED}(?:{_ROLE_TOKEN})?|{_ROLE_TOKEN}"
    rf"|functions\.[\w.-]{{0,200}}(?::\d{{0,6}})?{_SPACED}"
    rf"|commentary to=[\w.:-]{{0,200}}{_SPACED}[a-z]{{0,4}}{_SPACED}"
    r"|<(?i:tool|function)[_-][A-Za-z]{3,4}\s[^<>\n]{0,300}"
    r"|functools\s?"
    rf"|{SHOWN_TAGS}\s[^<>\n]{{0,200}}"
)
"""What may become the opening of something, each alternative as long as it may get."""

_FRONTS: Final = tuple(
    (re.compile(marker.opener), re.compile(rf"(?:{marker.in_front})\Z")) for marker in MARKERS if marker.in_front
)
_FRONTS_TOO: Final = (*_FRONTS, (re.compile(r"<\|(?:start|channel|message)\|>"), RECIPIENT_IN_FRONT))
_LONGEST: Final = 210
_LONGEST_WORD: Final = 30

_WORD_BEGUN: Final = re.compile(rf"(?:{'|'.join(map(part_of, _WORDS))}|(?<!\w){part_of(ROLE + 'commentary to=')})\Z")
_LAST_WORD: Final = re.compile(r" {0,4}(?P<word>[\w.:=-]{1,200})")  # backwards
_RECIPIENT: Final = re.compile(r"t(?:o(?:=.*)?)?")
_PREFIX, _TYPE = "functions.", "function"


def next_opening(text: str, pos: int) -> re.Match[str] | None:
    """The next place that may open something; words that open nothing are passed over.

    Args:
        text: the text.
        pos: where to look from.
    """
    for opening in OPENING.finditer(text, pos):
        start = opening.start()
        if opening[0] not in _WORDS or may_grow(text, start) or event_at(text, start) is not None:
            return opening
    return None


def may_open(text: str, pos: int) -> bool:
    """Whether what stands at a place may open something, now or once more is there.

    Args:
        text: the text.
        pos: the place.
    """
    marks = _MARKS.match(text, pos)
    if marks is not None:
        return marks.end() == len(text) or text[marks.end()] == "\n"
    return OPENING.match(text, pos) is not None or _WORD_BEGUN.match(text, pos) is not None


def may_grow(text: str, pos: int) -> bool:
    """Whether all that stands from a place on may be the first part of an opening.

    Args:
        text: the text.
        pos: the place.
    """
    return _GROWING.fullmatch(text, pos) is not None


def front_of(text: str, start: int, pos: int) -> int:
    """Where what opens something begins, with what stands in front of it and belongs to it.

    Args:
        text: the text.
        start: where to look from.
        pos: where it begins by itself.
    """
    for opener, in_front in _FRONTS_TOO:
        if start < pos and opener.match(text, pos) is not None:
            first = max(start, pos - _LONGEST)
            front = in_front.search(text[first:pos])
            return first + front.start() if front is not None else pos
    return pos


def held_back(text: str, before: str, names: Sequence[str], *, at_end: bool) -> int:
    """How much at the end of a text may belong to what may stand behind it, now or once more is there.

    Args:
        text: the text.
        before: the character in front of it.
        names: the names of the tools, sorted.
        at_end: whether nothing is known of what stands behind it.
    """
    window = (before + text)[-_LONGEST:]
    begun = _WORD_BEGUN.search(window[-_LONGEST_WORD:]) if at_end else None
    size = len(begun[0]) if begun is not None else 0
    last = _LAST_WORD.match(window[::-1])
    if last is not None and _may_be_front(last["word"][::-1], names):
        size = max(size, len(last[0]))
    return min(size, len(text))


def _may_be_front(word: str, names: Sequence[str]) -> bool:
    """Whether a word may be what stands in front of an opening: a recipient, a role, the name of a tool so far."""
    if word in (ROLE, _TYPE) or _RECIPIENT.fullmatch(word) is not None:
        return True
    name = word.removeprefix(_PREFIX).partition(":")[0]
    index = bisect_left(names, name)
    return bool(name) and index < len(names) and names[index].startswith(name)
