"""Reads calls put down as a name in quotes with an object behind it: `["f", {...}]`, `("f", {...})`, or several."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import CutOffError, RepairError
from toolmend.repairs.record import Repair
from toolmend.toolkit.extract.behind import with_fault
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.jsonish import read_arguments
from toolmend.toolkit.extract.source import MAX_CALLS

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source

__all__ = ("read_pairs",)

_PAIR: Final = re.compile(
    r"(?:[\[(]\s*+){0,3}(?P<quote>[\"'])(?P<name>[A-Za-z_][\w.:-]{0,200})(?P=quote)\s{0,9},\s{0,9}(?=\{)"
)
_BETWEEN: Final = re.compile(r"\s*[\])]?\s*,?\s*")
_CLOSERS: Final = re.compile(r"(?:\s*,?\s*[\])])*")
_STEPS: Final = {"[": 1, "(": 1, "]": -1, ")": -1}


def read_pairs(source: Source, start: int) -> Found | None:
    """Read the pairs that a bracket holds.

    Args:
        source: the text, with the registered tools.
        start: where the bracket stands.

    Returns:
        The calls; None unless the bracket holds nothing but pairs, the first of a registered tool with arguments that
        it knows.
    """
    parts: list[Part] = []
    pos = end = start
    while len(parts) <= MAX_CALLS and (pair := _PAIR.match(source.text, pos)) is not None:
        part = _part(source, pair)
        if part is None or (not parts and part.fault is None and not _is_known(source, part)):
            source.charge(pair.end() - start)
            return None
        parts.append(part)
        end = part.span[1]
        if part.fault is not None:
            return Found(tuple(parts), end, "pythonic")
        behind = _BETWEEN.match(source.text, end)
        pos = behind.end() if behind is not None else end
    closed = _CLOSERS.match(source.text, end)
    end = closed.end() if closed is not None else end
    found = Found(tuple(parts), end, "pythonic")
    if not parts or _is_closed(source.text, parts, start, end):
        return found if parts else None
    if source.text[end:].strip(" \t\r\n,"):
        return None
    cut = CutOffError("a list of calls is left open: further ones may be missing", expected="the whole list again")
    return with_fault(found, cut, len(source.text))


def _part(source: Source, pair: re.Match[str]) -> Part | None:
    """One pair; None if its object cannot be read."""
    start, tool = pair.start("quote"), source.tool(pair["name"])
    try:
        reading = read_arguments(source, pair.end(), tool)
    except CutOffError as error:
        span = (start, len(source.text))
        return Part(pair["name"], None, span, Shape.ENVELOPE, fault=error) if tool is not None else None
    except RepairError:
        return None
    if not isinstance(reading.value, dict):
        return None
    as_pair = Repair("name-in-pair", "lossless", before=source.text[start : pair.end()].strip(), after=pair["name"])
    span, repairs = (start, reading.end), (as_pair, *reading.repairs)
    return Part(pair["name"], reading.value, span, Shape.ENVELOPE, repairs=repairs, unclosed=reading.unclosed)


def _is_known(source: Source, part: Part) -> bool:
    """Whether a pair names a registered tool and gives it arguments of its own, so that it is no data."""
    tool = source.tool(part.name)
    arguments = part.arguments
    return tool is not None and isinstance(arguments, dict) and set(arguments) <= set(tool.node.members)


def _is_closed(text: str, parts: list[Part], start: int, end: int) -> bool:
    """Whether the brackets in front of the first pair are closed behind the last one; those around others count too."""
    depth = 0
    places = [start, *(place for part in parts for place in part.span), end]
    for before, after in zip(places[::2], places[1::2], strict=True):
        depth += sum(_STEPS.get(char, 0) for char in text[before:after])
    return depth <= 0
