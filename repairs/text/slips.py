"""Slips in otherwise strict JSON: a comma too many or too few, a literal of Python, where the standard decoder stops.

Each is set right in place, so that all offsets stay, and the decoder asked again. What comes of it is what the lenient
reader makes of such a text, at a fraction of its cost. That holds as long as the value is valid as it stands: whoever
asks has to make sure of that, and to turn to the reader otherwise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final

from toolmend.repairs.record import JsonValue, Path, Repair

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


def mend_slips(
    text: str, stop: json.JSONDecodeError, decode: Callable[[str], JsonValue]
) -> tuple[str, JsonValue, tuple[Repair, ...]] | None:
    """Set slips right until a text is strict JSON.

    Args:
        text: a text that begins like an object.
        stop: where the decoder stopped.
        decode: gives the value of another text, or the error of the decoder in its place.

    Returns:
        The text set right, as long as it was, its value, and what was changed; None if more than that is wrong with it.
    """
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
        mark = text[match.start()]
        if mark == '"':
            if stack[-1].expects_key:
                stack[-1].key = json.loads(match[0]) if "\\" in match[0] else match[1]
                stack[-1].expects_key = False
        elif mark == ",":
            stack[-1].commas += 1
            stack[-1].expects_key = stack[-1].is_object
        elif mark in "{[":
            stack.append(_Container(is_object=mark == "{"))
        else:
            stack.pop()
    return stack[-1], tuple(container.step for container in stack[:-1])
