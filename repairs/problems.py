"""Violations in words: what is wrong, what the schema wants there, what stands there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from toolmend.repairs._compile import EXTRA_KEYWORDS
from toolmend.repairs._node import json_type
from toolmend.repairs.errors import Problem
from toolmend.repairs.record import JsonValue, snippet
from toolmend.repairs.values import canonical

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.rule import Violation

__all__ = ("describe", "known_keys", "listed", "problem_of", "shown", "whole")

_MOST_LISTED: Final = 30
"""Allowed values and keys listed in full; a longer list says how many more there are."""

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
_NAMES: Final = {
    "string": "a string",
    "boolean": "a boolean",
    "integer": "an integer",
    "number": "a number",
    "object": "an object",
    "array": "a list",
    "null": "null",
}


def shown(value: JsonValue) -> str:
    """A value as the model would have to write it, shortened.

    Args:
        value: any JSON value.
    """
    return whole(snippet(_ENCODER.encode(value) if isinstance(value, str) else value))


def whole(text: str) -> str:
    """A text that can be sent: half of a surrogate pair is told by its number.

    Args:
        text: any text.
    """
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def listed(items: Iterable[str]) -> str:
    """A list in words, a long one cut.

    Args:
        items: the members, already as text.
    """
    every = list(islice(items, _MOST_LISTED + 1))
    return ", ".join(every[:_MOST_LISTED]) + (", ..." if len(every) > _MOST_LISTED else "")


def known_keys(node: SchemaNode) -> str:
    """The declared keys of an object, those that must be there marked.

    Args:
        node: the schema of the object.
    """
    if "keys" not in node.words:
        required = frozenset(node.required_members)
        keys = listed(f"{key} (required)" if key in required else key for key in node.members)
        node.words["keys"] = f"known keys: {keys}" if keys else "no keys at all"
    return node.words["keys"]


def describe(node: SchemaNode) -> str:
    """What a schema wants, in words.

    Args:
        node: any node.
    """
    if "all" not in node.words:
        node.words["all"] = _described(node)
    return node.words["all"]


def _described(node: SchemaNode) -> str:
    if node.choices is not None:
        choices = listed(shown(value) for value in node.choices)
        return choices if len(node.choices) == 1 else f"one of {choices}"
    types = [name for name in _NAMES if name in node.types and not (name == "integer" and "number" in node.types)]
    if len(types) == len(_NAMES) - 1:
        return "any value"
    words = " or ".join(_NAMES[name] for name in types) or "nothing"
    if types == ["array"] and (item := node.item(0)) is not None:
        return f"a list, each item {_flat(item)}" + _bounds_of(node)
    if types == ["object"] and node.members:
        return f"an object; {known_keys(node)}"
    return words + _bounds_of(node)


def _flat(node: SchemaNode) -> str:
    """What a schema wants, without what is wanted inside of it.

    Args:
        node: any node.
    """
    if node.choices is not None or not node.types & {"array", "object"}:
        return describe(node)
    return " or ".join(_NAMES[name] for name in _NAMES if name in node.types)


_LIMITS: Final[tuple[tuple[str, str], ...]] = (
    ("minimum", "from {}"),
    ("exclusiveMinimum", "above {}"),
    ("maximum", "up to {}"),
    ("exclusiveMaximum", "below {}"),
    ("multipleOf", "a multiple of {}"),
    ("minLength", "at least {} characters"),
    ("maxLength", "at most {} characters"),
    ("pattern", "matching {}"),
    ("format", "in the format {}"),
    ("minItems", "at least {} items"),
    ("maxItems", "at most {} items"),
)


_DEMANDS: Final[Mapping[str, str]] = {
    "minimum": "must be at least {}",
    "exclusiveMinimum": "must be above {}",
    "maximum": "must be at most {}",
    "exclusiveMaximum": "must be below {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "pattern": "must match {}",
    "format": "must be in the format {}",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
}


_FORMATS: Final[Mapping[str, str]] = {
    "date": "date, as 2026-03-04",
    "date-time": "date-time, as 2026-03-04T09:30:00Z",
    "time": "time, as 09:30:00",
    "duration": "duration, as PT30M",
}


def _told(limit: JsonValue) -> JsonValue:
    """A bound, or a format with an example of it."""
    return _FORMATS.get(limit, limit) if isinstance(limit, str) else limit


def _bounds_of(node: SchemaNode) -> str:
    limits = ((words, node.find(keyword)) for keyword, words in _LIMITS)
    found = [words.format(_told(limit)) for words, limit in limits if limit is not None and not isinstance(limit, bool)]
    return f" ({', '.join(found)})" if found else ""


# ---------------------------------------------------------------------- one message per keyword


def problem_of(violation: Violation) -> Problem:
    """Tell a violation.

    Args:
        violation: what the judge found.
    """
    words = _MESSAGES.get(violation.keyword)
    if words is not None:
        return words(violation)
    message = f"{shown(violation.value)} is not {describe(violation.schema)}"
    limit = violation.schema.find(violation.keyword)
    if violation.keyword in _RULED:
        message = f"{shown(violation.value)} breaks {violation.keyword}: {snippet(limit)}"
    elif violation.keyword in _DEMANDS and not isinstance(limit, bool):
        message = f"{_DEMANDS[violation.keyword].format(_told(limit))}, got {shown(violation.value)}"
    elif " " in violation.keyword:
        message = violation.keyword  # no keyword: the value is no JSON
    return _problem(violation, message, describe(violation.schema))


_RULED: Final = EXTRA_KEYWORDS | {"propertyNames", "minProperties", "maxProperties"}
"""Keywords whose own text is the best description there is."""


def _problem(violation: Violation, message: str, expected: str, *, key: str | int | None = None) -> Problem:
    path = violation.path if key is None else (*violation.path, key)
    return Problem(path, message, expected, whole(snippet(violation.value)), violation.keyword)


def _required(violation: Violation) -> Problem:
    key = violation.key or ""
    member = violation.schema.members.get(key)
    wanted = describe(member) if member is not None else "a value"
    return Problem((*violation.path, key), f"{key!r} is required and missing", wanted, "", "required")


def _unknown(violation: Violation) -> Problem:
    key = violation.key or ""
    given = snippet(violation.value.get(key))
    keys = known_keys(violation.schema)
    return Problem((*violation.path, key), f"unknown key {snippet(key)!r}; {keys}", keys, given, "additionalProperties")


def _repeated(violation: Violation) -> Problem:
    seen: set[str] = set()
    for index, item in enumerate(violation.value):
        if (key := canonical(item)) in seen:
            return _problem(violation, f"item {index} repeats {shown(item)}", "a list without repetitions", key=index)
        seen.add(key)
    return _problem(violation, "an item is repeated", "a list without repetitions")


def _union(violation: Violation) -> Problem:
    if violation.schema.choices is not None:
        return _problem(
            violation, f"{shown(violation.value)} is not {describe(violation.schema)}", describe(violation.schema)
        )
    forms = listed(dict.fromkeys(describe(branch) for branch in violation.schema.alternatives))
    return _problem(violation, f"{shown(violation.value)} fits none of: {forms}", f"one of: {forms}")


def _one_of(violation: Violation) -> Problem:
    return _union(violation)


def _never(violation: Violation) -> Problem:
    return _problem(violation, "nothing may stand here", "nothing")


def _mistyped(violation: Violation) -> Problem:
    wanted = describe(violation.schema)
    given = f"{_NAMES[json_type(violation.value)]} {shown(violation.value)}".replace("null null", "null")
    return _problem(violation, f"must be {wanted}, got {given}", wanted)


_MESSAGES: Final[dict[str, Callable[[Violation], Problem]]] = {
    "required": _required,
    "additionalProperties": _unknown,
    "uniqueItems": _repeated,
    "anyOf": _union,
    "oneOf": _one_of,
    "false": _never,
    "type": _mistyped,
}
