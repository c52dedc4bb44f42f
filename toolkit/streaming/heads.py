"""What may begin at a place of a text that still grows: prose, something else, or not known before more is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from toolmend.toolkit.extract.fences import FENCE
from toolmend.toolkit.extract.keys import NAME_KEYS
from toolmend.toolkit.extract.pythonic import begins_call
from toolmend.toolkit.extract.source import Source

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("OPENING", "Head", "head_of_line", "held_back", "may_grow", "may_open", "tag_of_tool")


class Head(Enum):
    """What the start of a line shows."""

    WAIT = auto()
    """Nothing yet."""
    PLAIN = auto()
    """Nothing but prose, or a tag that has to be looked at as anywhere else."""
    QUOTE = auto()
    """A quoted line."""
    FENCE = auto()
    """A fence."""
    OBSERVATION = auto()
    """The label of a result."""
    BLOCK = auto()
    """What may be a call without a marker."""


OPENING: Final = re.compile(r"[<\[\]`✿◁\n]|functools\[")
"""Whatever may begin something that is no prose."""

_BLANKS: Final = re.compile(r"[ \t\ufeff\u200b]*")
_MOST_BLANKS: Final = 400
_NAME: Final = r"[A-Za-z_](?:[\w.:-]|\\_?){0,200}"
_GROWING_CALL: Final = re.compile(
    rf"[A-Za-z_]\w{{0,60}}\s{{0,4}}(?:=\s{{0,4}}(?:await\s)?(?:{_NAME})?)?|(?:await\s)?{_NAME}"
)
_PRINT: Final = re.compile(r"(?:await )?print\s?\(")
_LONGEST_CALL: Final = 400
_WORDS: Final = ("action", "call", "function", "tool", "use", "observation", *(key.split("_")[0] for key in NAME_KEYS))
_LABEL_WORD: Final = "|".join(sorted({word[: end + 1] for word in _WORDS for end in range(len(word))}, reverse=True))
_GROWING_LABEL: Final = re.compile(
    rf"\*{{1,2}}(?:{_LABEL_WORD})?"
    rf"|\*{{0,2}}(?:(?:{_LABEL_WORD})|(?:{'|'.join(_WORDS)})s?[ _-]?[a-z]{{0,8}}\*{{0,2}}\s?)",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(rf"\*{{0,2}}(?:{'|'.join(_WORDS)})s?(?:[ _-][a-z]{{1,8}})?(?:\*\*)?\s?:", re.IGNORECASE)
_OBSERVATION: Final = re.compile(r"\*{0,2}[Oo]bservation\*{0,2}\s?:")
_TAG_NAME: Final = re.compile(r"<(?P<name>[A-Za-z][\w.-]{0,100})>")

_GROWING: Final = re.compile(
    r"\[[A-Z/_]{0,16}"
    r"|✿[A-Z]{0,9}✿?\s{0,4}"
    r"|◁/?[a-z]{0,5}"
    r"|\](?:<(?:\][a-z]{0,7}(?:\[(?:>(?:\[(?:<[^<>]{0,260})?)?)?)?)?)?"
    r"|<(?:!-?|/?(?:[A-Za-z][\w.:-]{0,80})?)"
    r"|</?[A-Za-z][\w.:-]{0,80}\s{0,9}"
    r"|</?[|｜‖][^<>\n]{0,300}"
    r"|<function\s{0,4}=?\s{0,4}(?:name\s?=?\s?)?[\"']?[^\"'<>\s=]{0,200}[\"']?\s{0,4}"
    r"|<(?:[\w.-]{1,30}:)?invoke\s{1,4}n?a?m?(?:e\s?(?:=\s?[\"']?[^\"'<>\s=]{0,200}[\"']?[^<>\n]{0,80})?)?"
    r"|<\|(?:action_start|im_start|start_header_id)\|>\s{0,4}[<|\w]{0,16}"
    r"|<\|open\|>[^<>\n]{0,300}(?:<[|a-z]{0,8})?"
    r"|<invoke>\s{0,9}(?:<[a-z_]{0,9}(?:>[^<>]{0,220}(?:</?[a-z_]{0,10}(?:>\s{0,9}(?:<[a-z]{0,10})?)?)?)?)?"
)
"""What may become the opening of something, each alternative as long as it may get."""

_LOST: Final = "functools["
_MARKS: Final = re.compile(r"[`~]+[ \t\r]*")


def held_back(text: str) -> int:
    """How many characters at the end of a text may begin a marker that is a plain word.

    Args:
        text: the text.
    """
    return next((size for size in range(len(_LOST) - 1, 0, -1) if text.endswith(_LOST[:size])), 0)


def may_open(text: str, pos: int) -> bool:
    """Whether what stands at a place may open something, now or once more is there.

    Args:
        text: the text.
        pos: the place.
    """
    marks = _MARKS.match(text, pos)
    if marks is not None:
        return marks.end() == len(text) or text[marks.end()] == "\n"
    return OPENING.match(text, pos) is not None or _LOST.startswith(text[pos : pos + len(_LOST)])


def may_grow(text: str, pos: int) -> bool:
    """Whether all that stands from a place on may be the first part of an opening.

    Args:
        text: the text.
        pos: the place.
    """
    return _GROWING.fullmatch(text, pos) is not None


def tag_of_tool(text: str, pos: int, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a tag stands at a place that is named like a tool.

    Args:
        text: the text.
        pos: the place.
        tools: the registered tools.
    """
    tag = _TAG_NAME.match(text, pos)
    return tag is not None and tag["name"] in tools


def head_of_line(text: str, start: int, tools: Mapping[str, ToolSpec]) -> tuple[Head, int]:
    """What the start of a line shows.

    Args:
        text: the text.
        start: where the line begins.
        tools: the registered tools.

    Returns:
        What it shows, and where it begins behind blanks.
    """
    blanks = _BLANKS.match(text, start)
    pos = blanks.end() if blanks is not None else start
    if pos - start > _MOST_BLANKS:
        return Head.PLAIN, pos - 1
    if pos == len(text):
        return Head.WAIT, pos
    char = text[pos]
    if char in "`~":
        return _marks(text, pos), pos
    if char == "[":
        return Head.WAIT if may_grow(text, pos) else Head.BLOCK, pos
    return _BY_CHAR.get(char) or _head_of_words(text, pos, tools), pos


_BY_CHAR: Final = {
    ">": Head.QUOTE,
    "\n": Head.PLAIN,
    "<": Head.PLAIN,
    **dict.fromkeys("{(\"'", Head.BLOCK),
}


def _marks(text: str, pos: int) -> Head:
    """Marks that may open a fence."""
    fence = FENCE.match(text, pos)
    if fence is None:
        return Head.WAIT if len(text) - pos < 3 and not text[pos:].strip(text[pos]) else Head.PLAIN
    return Head.FENCE if fence.end() < len(text) else Head.WAIT


def _head_of_words(text: str, pos: int, tools: Mapping[str, ToolSpec]) -> Head:
    if _GROWING_CALL.fullmatch(text, pos) or _GROWING_LABEL.fullmatch(text, pos):
        return Head.WAIT
    if _OBSERVATION.match(text, pos):
        return Head.OBSERVATION
    if _LABEL.match(text, pos):
        return Head.BLOCK
    may_call = _PRINT.match(text, pos) is not None or begins_call(Source(text[pos : pos + _LONGEST_CALL], tools), 0)
    return Head.BLOCK if may_call else Head.PLAIN
