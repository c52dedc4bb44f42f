"""Faults of values: the JSON is right, and does not keep the schema. They need the schema of the tool."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolmend.agents.testing._target import Target
    from toolmend.repairs.record import JsonValue, RepairKind

__all__ = ("VALUE_FAULTS",)

_EXACT: Final = 2**53
"""Beyond this a float no longer tells each integer apart."""
_NUMBERS: Final = frozenset({"integer", "number"})
_SCALARS: Final = _NUMBERS | {"boolean"}
_THOUGHT: Final = "thought"


def _in_one_value(spoil: Callable[[JsonValue, Mapping[str, Any]], JsonValue]) -> Callable[[Target], str | None]:
    """Spoil the first value for which a fault has a place; `spoil` gives None for the others."""

    def make(target: Target) -> str | None:
        for name, schema in target.properties.items():
            if name in target.arguments:
                spoilt = spoil(target.arguments[name], schema)
                if spoilt is not None:
                    return _text({**target.arguments, name: spoilt})
        return None

    return make


def _number_as_text(value: JsonValue, schema: Mapping[str, Any]) -> str | None:
    wanted = schema.get("type") in _NUMBERS and _is_number(value)
    return json.dumps(value) if wanted else None


def _whole_fraction(value: JsonValue, schema: Mapping[str, Any]) -> float | None:
    wanted = schema.get("type") == "integer" and _is_number(value) and abs(value) < _EXACT
    return float(value) if wanted else None


def _boolean_as_text(value: JsonValue, schema: Mapping[str, Any]) -> str | None:
    return json.dumps(value) if schema.get("type") == "boolean" and isinstance(value, bool) else None


def _lone_item(value: JsonValue, schema: Mapping[str, Any]) -> JsonValue:
    items = schema.get("items")
    of_scalars = schema.get("type") == "array" and isinstance(items, dict) and items.get("type") in _SCALARS
    return value[0] if of_scalars and isinstance(value, list) and len(value) == 1 else None


def _enum_case(value: JsonValue, schema: Mapping[str, Any]) -> str | None:
    choices = schema.get("enum", ())
    if not isinstance(value, str) or not value.isascii() or not all(isinstance(choice, str) for choice in choices):
        return None
    unique = len({_plain(choice) for choice in choices}) == len(choices)
    return value.upper() if value in choices and unique and value.upper() not in choices else None


def _key_style(target: Target) -> str | None:
    """Write a key of several words as one."""
    known = [_plain(name) for name in target.properties]
    if not _is_closed(target) or len(set(known)) < len(known):
        return None
    for key in target.arguments:
        other = re.sub(r"(?<=[a-z])_([a-z])", lambda found: found[1].upper(), key)
        if key in target.properties and other != key and other not in target.properties:
            return _text({other if name == key else name: item for name, item in target.arguments.items()})
    return None


def _envelope(target: Target) -> str | None:
    fits = _is_closed(target) and target.arguments and "arguments" not in target.properties
    return _text({"arguments": dict(target.arguments)}) if fits else None


def _narration(target: Target) -> str | None:
    alike = any(_plain(name) in _THOUGHT or _THOUGHT in _plain(name) for name in target.properties)
    fits = _is_closed(target) and not alike
    return _text({_THOUGHT: "This should do.", **target.arguments}) if fits else None


def _null_for_absent(target: Target) -> str | None:
    """Give null for an optional parameter that was left out and cannot be null."""
    for name, schema in target.properties.items():
        if name not in target.arguments and schema.get("type") in {*_SCALARS, "string"}:
            return _text({**target.arguments, name: None})
    return None


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_closed(target: Target) -> bool:
    return target.tool is not None and target.tool.parameters.get("additionalProperties") is False


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _text(arguments: Mapping[str, JsonValue]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


VALUE_FAULTS: Final[tuple[tuple[str, RepairKind, str, Callable[[Target], str | None]], ...]] = (
    ("number-as-text", "lossless", "A number is written as text.", _in_one_value(_number_as_text)),
    ("whole-fraction", "lossless", "An integer has a fraction of zero.", _in_one_value(_whole_fraction)),
    ("boolean-as-text", "lossless", "A boolean is written as text.", _in_one_value(_boolean_as_text)),
    ("null-for-absent", "lossless", "An optional parameter that was left out is null.", _null_for_absent),
    ("narration", "lossless", "The model thinks aloud under a key of its own.", _narration),
    ("lone-item", "inferred", "The one item of a list stands without the list.", _in_one_value(_lone_item)),
    ("enum-case", "inferred", "One of the allowed words is in capitals.", _in_one_value(_enum_case)),
    ("key-style", "inferred", "A key is in another style, `filePath` for `file_path`.", _key_style),
    ("envelope", "inferred", "The arguments stand under a key of their own.", _envelope),
)
"""Name, kind of the repair, sentence, and what spoils a call; None where it leaves the fault no place."""
