"""JSON values as they are: which Python objects count as one, and when two are the same."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from toolmend.repairs.errors import LimitError
from toolmend.repairs.numbers import SourcedFloat, SourcedInt, source_of
from toolmend.repairs.record import JsonValue, Path

__all__ = ("Soundness", "canonical", "examine", "faults", "json_text", "plain_copy", "same", "size_of")

Soundness: TypeAlias = Literal["plain", "sourced", "unsound"]
"""What a value holds: plain JSON, numbers that remember their text, or something that JSON cannot hold."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)

_CANONICAL: Final = json.JSONEncoder(sort_keys=True)
_INTEGER_BITS: Final = 14_284
"""Bits of the largest integers that are read: 4,300 digits, what Python turns into text and back by itself."""


def canonical(value: JsonValue) -> str:
    """A text that two values share exactly if they are the same: `1`, `1.0` and `true` are three values.

    Args:
        value: any JSON value, its depth checked.
    """
    if isinstance(value, str):
        return '"' + value  # no other text below starts with a quote
    return _CANONICAL.encode(value)


def json_text(value: JsonValue) -> str:
    """The value as JSON, its numbers as they were written where that is JSON, letters of all scripts as they are.

    Args:
        value: a sound value.
    """
    if isinstance(value, dict):
        members = (f"{json.dumps(key, ensure_ascii=False)}: {json_text(item)}" for key, item in value.items())
        return "{" + ", ".join(members) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(json_text, value)) + "]"
    source = source_of(value)
    written = source is not None and _NUMBER.fullmatch(source) is not None
    return source if source is not None and written else json.dumps(value, ensure_ascii=False)


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same, strictly.

    Args:
        one: any JSON value.
        other: another.
    """
    return one is other or canonical(one) == canonical(other)


def examine(value: JsonValue, depth: int) -> Soundness:
    """Whether a value is one that JSON can hold, in one pass without recursion.

    Args:
        value: the value as it came from a reader or a framework.
        depth: deepest nesting of objects and lists that is allowed.

    Returns:
        "unsound" for NaN, infinity, half a surrogate pair, an integer of more than 4,300 digits, a key that is no text,
        or an object of any other class (`faults` tells where); "sourced" if numbers in it remember their text.

    Raises:
        LimitError: if the value is nested deeper than `depth`.
    """
    level = [value]
    sourced = False
    for _ in range(depth + 1):
        below: list[JsonValue] = []
        for item in level:
            kind = type(item)
            if kind is str:
                if not item.isascii() and not _encodable(item):
                    return "unsound"
            elif kind is dict:
                if not _keys_are_sound(item):
                    return "unsound"
                below += (*item.values(), None)  # an empty object is one level, too
            elif kind is list:
                below += (*item, None)
            elif kind not in _EXACT and _fault_of(item) is not None:
                return "unsound"
            else:
                sourced |= kind in _SOURCED
        if not below:
            return "sourced" if sourced else "plain"
        level = below
    raise LimitError(f"the value is nested deeper than {depth}", kind="too_deep")


def faults(value: JsonValue) -> Iterator[tuple[Path, str, JsonValue]]:
    """The places of a value that JSON cannot hold: path, what is wrong, and what stands there.

    Args:
        value: a value that `examine` found unsound, its depth checked.
    """
    todo: list[tuple[Path, JsonValue]] = [((), value)]
    while todo:
        path, item = todo.pop()
        if (wrong := _fault_of(item)) is not None:
            yield path, wrong, item
        elif isinstance(item, dict):
            for key in item:
                if not isinstance(key, str):
                    yield (*path, str(key)), "a key must be text", key
                elif (wrong := _fault_of(key)) is not None:
                    yield (*path, key), wrong, key
            todo += reversed([((*path, str(key)), child) for key, child in item.items()])
        elif isinstance(item, list):
            todo += reversed([((*path, index), child) for index, child in enumerate(item)])


def plain_copy(value: JsonValue) -> JsonValue:
    """A copy of the value with ordinary numbers in place of those that remember their text.

    Args:
        value: a sound value; it is not changed.
    """
    root = [value]
    todo: list[JsonValue] = [root]
    while todo:
        container = todo.pop()
        for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
            if isinstance(item, (dict, list)):
                container[key] = copy = item.copy()
                todo.append(copy)
            elif isinstance(item, SourcedInt):
                container[key] = int(item)
            elif isinstance(item, SourcedFloat):
                container[key] = float(item)
    return root[0]


def size_of(value: JsonValue) -> int:
    """How large a value is: its scalars and empty containers, and the characters of its texts by the hundred.

    Args:
        value: a sound value.
    """
    return sum(1 + len(item) // 100 if isinstance(item, str) else 1 for item in _scalars(value))


def _scalars(value: JsonValue) -> Iterator[JsonValue]:
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict) and item:
            todo += item.values()
        elif isinstance(item, list) and item:
            todo += item
        else:
            yield item


def _keys_are_sound(item: dict[JsonValue, JsonValue]) -> bool:
    for key in item:  # noqa: SIM110 - asked for each object of a value: a generator takes twice as long
        if type(key) is not str or not (key.isascii() or _encodable(key)):
            return False
    return True


def _encodable(text: str) -> bool:
    """Whether a text is whole characters; half a surrogate pair can neither be sent nor stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _fault_of(item: JsonValue) -> str | None:
    """What makes an object no JSON value by itself; None if nothing does."""
    kind = type(item)
    if kind in _EXACT:
        return None
    if kind is str:
        return None if _encodable(item) else "half of a surrogate pair is no character"
    if kind is float or kind is SourcedFloat:
        return None if math.isfinite(item) else "a number must be finite"
    if kind is int or kind is SourcedInt:
        too_long = item.bit_length() > _INTEGER_BITS and abs(item) >= 10**4300
        return "an integer has at most 4,300 digits" if too_long else None
    return f"a {kind.__name__} is no JSON value"


_EXACT: Final = frozenset({bool, dict, list, type(None)})
_SOURCED: Final = frozenset({SourcedFloat, SourcedInt})
