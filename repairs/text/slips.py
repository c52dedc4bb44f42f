"""Slips in otherwise strict JSON, where the standard decoder stops: commas, literals of Python, single quotes.

Each is set right in place, so that all offsets stay, and the decoder asked again. What comes of it is what the lenient
reader makes of such a text, at a fraction of its cost. That holds as long as the value is valid as it stands: whoever
asks has to make sure of that, and to turn to the reader otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from toolmend.repairs.record import JsonValue, Path, Repair, snippet
from toolmend.repairs.text.cursor import MOST_RECORDS

__all__ = ("mend_slips",)

MOST_SLIPS: Final = 8
FEWEST_SLIPS: Final = 2
MOST_CHARS: Final = 400_000
"""Each slip costs a pass of the decoder over the text: so many are looked for, fewer in a long text."""

_BEHIND_THE_OBJECT: Final = "Extra data"
"""What the decoder says where something stands behind a whole value."""

_BLANKS: Final = " \t\r\n"
_COMMAS: Final = re.compile(r",+")
_CLOSER: Final = re.compile(r"[ \t\r\n]*[}\]]")
_LITERAL: Final = re.compile(r"(?:True|TRUE|False|FALSE|None|NULL|undefined)(?=[ \t\r\n]*[,}\]])")
_WRITTEN: Final = {"T": "true", "F": "false", "N": "null", "u": "null"}
_MEMBER: Final = re.compile(r'"[\w .$-]{1,100}"[ \t\r\n]*:(?![:：=])')
_ITEM: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"[ \t\r\n]*[,\]]', re.DOTALL)
_TOKEN: Final = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"|[{}\[\],]', re.DOTALL)

Decode: TypeAlias = Callable[[str], JsonValue]
"""Gives the value of a text, or the error of the decoder in its place."""

Righted: TypeAlias = tuple[str, JsonValue, tuple[Repair, ...]]
"""A text set right, as long as it was, its value, and what was changed."""


def mend_slips(text: str, stop: json.JSONDecodeError, decode: Decode) -> Righted | None:
    """Set slips right until a text is strict JSON.

    Args:
        text: a text that begins like an object.
        stop: where the decoder stopped.
        decode: reads another text.

    Returns:
        The text without slips; None if more than that is wrong with it.
    """
    if text.startswith("'", stop.pos):
        return _in_single_quotes(text, decode)
    repairs: list[Repair] = []
    for _ in range(max(FEWEST_SLIPS, min(MOST_SLIPS, MOST_CHARS // len(text)))):
        slip = _slip(text, stop.pos) if stop.msg != _BEHIND_THE_OBJECT else None
        if slip is None:
            return None
        start, instead, repair = slip
        text = text[:start] + instead + text[start + len(instead) :]
        repairs.append(repair)
        found = decode(text)
        if not isinstance(found, json.JSONDecodeError):
            return text, found, tuple(repairs)
        stop = found
    return None


def _in_single_quotes(text: str, decode: Decode) -> Righted | None:
    """Set double quotes around all strings of a text that has single ones only, as Python writes a dict."""
    if '"' in text or "\\" in text:
        return None
    text = text.replace("'", '"')
    found, literals = decode(text), list[Repair]()
    if isinstance(found, json.JSONDecodeError):
        righted = mend_slips(text, found, decode)
        if righted is None or any(repair.rule != "literal" for repair in righted[2]):
            return None
        text, found, literals = righted[0], righted[1], list(righted[2])
    repairs = sorted((*_quotes(text), *literals), key=lambda repair: repair.span or (0, 0))
    return text, found, tuple(repairs[:MOST_RECORDS])


def _quotes(text: str) -> Iterator[Repair]:
    """The record of each string of strict JSON that stood in single quotes; that of a key tells the object around."""
    stack: list[_Container] = []
    for match in _TOKEN.finditer(text):
        if match[1] is not None:
            around = stack[:-1] if stack[-1].expects_key else stack
            where = tuple([container.step for container in around])
            before, after = snippet(f"'{match[1]}'"), snippet(match[0])
            yield Repair("quote-style", "lossless", where, before, after, match.span())
        _pass(stack, match)


def _slip(text: str, at: int) -> tuple[int, str, Repair] | None:
    """What is wrong where the decoder stopped: where it is, what belongs there, and the record of it."""
    char, before = text[at : at + 1], text[:at].rstrip(_BLANKS)
    if char in ("}", "]") and before[-1:] == ",":
        return _comma(text, len(before) - 1, len(before), at)
    if char == ",":
        if before[-1:] in (",", "{", "["):
            return _comma(text, at, _COMMAS.match(text, at).end(), at)  # type: ignore[union-attr]
        return _comma(text, at, at + 1, at + 1) if _CLOSER.match(text, at + 1) else None
    if char == '"' and text[at - 1] in _BLANKS:
        return _missing_comma(text, at)
    literal = _LITERAL.match(text, at) if before[-1:] in (":", ",", "[") else None
    return _literal(text, literal) if literal is not None else None


def _literal(text: str, literal: re.Match[str]) -> tuple[int, str, Repair]:
    """A literal as other languages write it."""
    written = _WRITTEN[literal[0][0]]
    container, path = _place(text, literal.start())
    repair = Repair("literal", "lossless", (*path, container.step), literal[0], written, literal.span())
    return literal.start(), written.ljust(len(literal[0])), repair


def _comma(text: str, start: int, end: int, at: int) -> tuple[int, str, Repair]:
    """Commas too many."""
    container, path = _place(text, at)
    where = path if container.is_object else (*path, container.step)
    return start, " " * (end - start), Repair("extra-comma", "lossless", where, text[start:end][:80], "", (start, end))


def _missing_comma(text: str, at: int) -> tuple[int, str, Repair] | None:
    """A comma too few in front of a key or a text, behind a blank that makes room for it."""
    container, path = _place(text, at)
    if container.is_object:
        if container.expects_key or _MEMBER.match(text, at) is None:
            return None
    elif _ITEM.match(text, at) is None:
        return None
    step = container.step if container.is_object else container.commas + 1
    return at - 1, ",", Repair("missing-comma", "lossless", (*path, step), "", ",", (at, at))


class _Container:
    """An open object or list, and how far it was read."""

    __slots__ = ("commas", "expects_key", "is_object", "key")

    def __init__(self, *, is_object: bool) -> None:
        self.is_object = is_object
        self.expects_key = is_object
        self.commas = 0
        self.key = ""

    @property
    def step(self) -> str | int:
        """The part of a path that leads to the member or item being read."""
        return self.key if self.is_object else self.commas


def _place(text: str, at: int) -> tuple[_Container, Path]:
    """The container that is open at an offset, and the path to it; all before it is strict JSON within one object."""
    stack: list[_Container] = []
    if not text[at + 1 :].strip(_BLANKS) and text[at : at + 1] == "}":
        return _Container(is_object=True), ()
    for match in _TOKEN.finditer(text, 0, at):
        _pass(stack, match)
    return stack[-1], tuple(container.step for container in stack[:-1])


def _pass(stack: list[_Container], token: re.Match[str]) -> None:
    """Go on behind a token, with the containers that are open."""
    mark = token[0][0]
    if mark == '"':
        if stack[-1].expects_key:
            stack[-1].key = json.loads(token[0]) if "\\" in token[0] else token[1]
            stack[-1].expects_key = False
    elif mark == ",":
        stack[-1].commas += 1
        stack[-1].expects_key = stack[-1].is_object
    elif mark in "{[":
        stack.append(_Container(is_object=mark == "{"))
    else:
        stack.pop()
