"""What may begin at a place of a text that still grows: prose, something else, or not known before more is there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from toolmend.toolkit.extract.bare import names_bare
from toolmend.toolkit.extract.fences import FENCE
from toolmend.toolkit.extract.keys import NAME_KEYS
from toolmend.toolkit.extract.pythonic import begins_call
from toolmend.toolkit.extract.source import Source
from toolmend.toolkit.streaming.openings import may_grow

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("Head", "head_of_line", "may_be_bare")


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


_BLANKS: Final = re.compile(r"(?:[^\S\n]|[\ufeff\u200b])*")
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
_GROWING_BARE: Final = re.compile(
    r"(?P<name>[\w.-]{1,200})(?:[ \t\r]{0,99}(?:\n\s{0,9})?|[ \t]{1,99}[A-Za-z_][\w.-]{0,100})"
)
_OBSERVATION: Final = re.compile(r"\*{0,2}[Oo]bservation\*{0,2}\s?:")


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
    if char in "[>" and may_grow(text, pos):
        return Head.WAIT, pos
    return _BY_CHAR.get(char) or _head_of_words(text, pos, tools), pos


def may_be_bare(text: str, pos: int, tools: Mapping[str, ToolSpec]) -> bool | None:
    """Whether a message may begin with the name of a tool and its arguments; None if more text is needed to tell.

    Args:
        text: the text.
        pos: where the message begins.
        tools: the registered tools.
    """
    growing = _GROWING_BARE.fullmatch(text, pos)
    if growing is not None and growing["name"] in tools:
        return None
    return names_bare(text, pos, tools)


_BY_CHAR: Final = {
    ">": Head.QUOTE,
    "\n": Head.PLAIN,
    "<": Head.PLAIN,
    **dict.fromkeys("[{(\"'", Head.BLOCK),
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
