"""Rules for arguments that came inside something else: an envelope, the first field, or a copy of the schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from toolmend.repairs._node import ALL_TYPES, normalise_name
from toolmend.repairs.rule import Candidate, Violation
from toolmend.repairs.rules.info import RuleInfo, ValueRule
from toolmend.repairs.rules.keys import ARGUMENT_KEYS, is_own_name
from toolmend.repairs.rules.lists import looks_like_json

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.record import JsonValue

__all__ = ("ENVELOPE_INFOS", "envelope_rules", "is_schema_echo")

CALL_KEYS: Final = frozenset({"function", "function_call", "tool_call"})
"""Keys that models put around a whole call, its name included."""

ENVELOPE_NAME_KEYS: Final = frozenset({"name", "tool_name", "tool", "function", "request", "recipient_name"})
"""Keys that name the tool beside its arguments."""

_DEEPEST: Final = 5
_SCHEMA_WORDS: Final = frozenset(
    {
        *("type", "title", "description", "default", "enum", "const", "format", "pattern", "examples"),
        *("items", "properties", "required", "additionalProperties", "anyOf", "oneOf", "allOf", "$ref"),
        *("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
    }
)


def envelope_rules(tool: str | None) -> tuple[ValueRule, ...]:
    """The rules for one tool.

    Args:
        tool: its name, which may be part of an envelope.
    """
    envelope, lifted = ENVELOPE_INFOS
    return (ValueRule(envelope, lambda violation: _unwrapped(violation, tool)), ValueRule(lifted, _lifted))


def _unwrapped(violation: Violation, tool: str | None) -> Iterator[Candidate]:
    value, schema = violation.value, violation.schema
    if violation.path or not isinstance(value, dict):
        return
    inner: JsonValue = value
    for _ in range(_DEEPEST):
        content = _content(inner, schema, tool)
        if content is None:
            break
        inner = content
    if inner is not value and (isinstance(inner, (dict, list)) or looks_like_json(inner)):
        yield Candidate(inner, "inferred")


def _content(value: JsonValue, schema: SchemaNode, tool: str | None) -> JsonValue:
    """What an envelope holds; None if the value is none."""
    if not isinstance(value, dict) or len(value) > len(_AROUND) or not schema.members.keys().isdisjoint(value):
        return None
    inside = [key for key, item in value.items() if _holds_arguments(key, item, tool)]
    if len(inside) != 1 or not all(_is_around(key, item, tool) for key, item in value.items() if key != inside[0]):
        return None
    return value[inside[0]]


def _holds_arguments(key: str, item: JsonValue, tool: str | None) -> bool:
    named = tool is not None and normalise_name(key) == normalise_name(tool)
    if not (named or key in ARGUMENT_KEYS or key in CALL_KEYS):
        return False
    return isinstance(item, dict) or (isinstance(item, list) and len(item) == 1) or _is_json_text(item)


def _is_json_text(item: JsonValue) -> bool:
    return isinstance(item, str) and looks_like_json(item)


_AROUND: Final = ("arguments", "name", "id", "type", "index")
"""All that an envelope can hold."""


def _is_around(key: str, item: JsonValue, tool: str | None) -> bool:
    """Whether a key belongs to an envelope of a call to this very tool."""
    if key in ENVELOPE_NAME_KEYS:
        return is_own_name(item, tool)
    return key in {"id", "index"} or (key == "type" and item in {"function", "tool_use", "function_call", "tool_call"})


def _lifted(violation: Violation) -> Iterator[Candidate]:
    value, members = violation.value, violation.schema.members
    if violation.path or not isinstance(value, dict) or len(value) != 1:
        return
    [(key, inner)] = value.items()
    if key in members and isinstance(inner, dict) and inner and inner.keys() <= members.keys():
        yield Candidate(inner, "inferred")


def is_schema_echo(value: JsonValue, schema: SchemaNode) -> bool:
    """Whether an object is a copy of the tool's schema, or of its properties, without any values.

    Args:
        value: what the model wrote.
        schema: what it should have filled in.
    """
    if not isinstance(value, dict):
        return False
    inner = value.get("properties", value) if "properties" not in schema.members else value
    return (
        isinstance(inner, dict)
        and bool(inner)
        and all(key in schema.members and _is_fragment(item) for key, item in inner.items())
    )


def _is_fragment(item: JsonValue) -> bool:
    """Whether a value is the piece of a JSON Schema that declares a field."""
    if not isinstance(item, Mapping) or not item or not item.keys() <= _SCHEMA_WORDS:
        return False
    kinds = item.get("type", [])
    named = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(named, list) and named:
        return all(isinstance(kind, str) and kind in ALL_TYPES for kind in named)
    return not item.keys().isdisjoint({"$ref", "anyOf", "oneOf", "allOf", "enum"})


ENVELOPE_INFOS: Final = (
    RuleInfo(
        "envelope",
        "Arguments inside `arguments`, `parameters`, `input`, `properties` or the tool's name are taken out, several "
        "deep, if the tool lacks that key and nothing but the tool's name stands beside it.",
        {
            "type": "object",
            "properties": {"selector": {"type": "string"}},
            "required": ["selector"],
            "additionalProperties": False,
        },
        {"name": "click", "arguments": {"selector": "#go"}},
        {"selector": "#go"},
        "inferred",
        tool="click",
    ),
    RuleInfo(
        "lifted-object",
        "All arguments under one of the fields are lifted out of it if they fit only outside.",
        {
            "type": "object",
            "properties": {"floor": {"type": "integer"}, "name": {"type": "string"}, "vacant": {"type": "boolean"}},
            "additionalProperties": False,
        },
        {"floor": {"name": "Birch", "vacant": True}},
        {"name": "Birch", "vacant": True},
        "inferred",
    ),
)
