"""Reads a message that begins with the name of a tool and holds nothing but its arguments, JSON or `key=value`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import CutOffError, NotJsonError, RepairError
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import read_value
from toolmend.toolkit.extract.bodies import Head, read_named
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.convert import convert

if TYPE_CHECKING:
    from collections.abc import Container

    from toolmend.repairs.record import JsonValue
    from toolmend.toolkit.extract.source import Source

__all__ = ("begins_bare", "names_bare", "read_bare")

_FORMAT: Final = "bare"
_HEAD: Final = re.compile(r"(?P<name>[\w.-]{1,200})(?:[ \t\r]*\n\s{0,9}(?P<json>\{)|[ \t]+(?=[A-Za-z_][\w.-]{0,100}=))")
_PAIR: Final = re.compile(
    r"(?:[ \t]+|[ \t]*,[ \t]*)(?P<key>[A-Za-z_][\w.-]{0,100})=(?P<value>[^\s,\"'={}\[\]()<>]{1,500})?"
)


def begins_bare(source: Source) -> bool:
    """Whether the message begins with the name of a tool and what may be its arguments.

    Args:
        source: the text, with the registered tools.
    """
    return names_bare(source.text, source.first, source.tools)


def names_bare(text: str, start: int, names: Container[str]) -> bool:
    """Whether the name of a tool stands at a place, and behind it what may be its arguments.

    Args:
        text: the text.
        start: the place.
        names: the names of the tools.
    """
    head = _HEAD.match(text, start)
    return head is not None and head["name"] in names


def read_bare(source: Source, start: int) -> Found | None:
    """Read the call that a message begins with.

    Args:
        source: the text, with the registered tools.
        start: where it begins.

    Returns:
        The call; None if none stands there.
    """
    head = _HEAD.match(source.text, start)
    if head is None or head["name"] not in source.tools:
        return None
    named = Head(head["name"], start)
    if not head["json"]:
        return _pairs(source, named, head.end("name"))
    return replace(read_named(source, head.start("json"), named), format=_FORMAT)


def _pairs(source: Source, head: Head, pos: int) -> Found | None:
    """Pairs on one line, up to its end."""
    node = source.tools[head.name].node
    values: dict[str, JsonValue] = {}
    fault: RepairError | None = None
    quoted = False
    while fault is None and (pair := _PAIR.match(source.text, pos)) is not None:
        key, quoted = pair["key"], pair["value"] is None
        try:
            reading = (
                read_value(source.text, pair.end(), Options(embedded=True, complete=source.complete))
                if quoted
                else convert(pair["value"], node.member(key), (key,))
            )
        except RepairError as error:
            fault = error
            break
        if key in values:
            fault = NotJsonError(f"the key {key!r} is given twice", path=(key,))
        values[key] = reading.value
        pos = reading.end if quoted else pair.end()
    if source.text[pos:].strip() and fault is None:
        return None
    if not quoted and fault is None and source.complete is not True:
        fault = CutOffError("the text ends in a bare value: more may be missing", expected="the whole call again")
    end = len(source.text) if fault is not None else pos
    # nothing closes the pairs: unless the model stopped by itself, or gave all there are, some may be missing
    part = Part(head.name, values, (head.start, end), Shape.FLAT, unclosed=((),), fault=fault)
    return Found((part,), end, _FORMAT)
