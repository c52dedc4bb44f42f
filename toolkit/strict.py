"""The strict mode of structured outputs: a schema in its narrower language, if the tool can be told in it."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Final

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.errors import ToolmendError
from toolmend.toolkit.model_schema import subschemas

__all__ = ("NotStrictError", "strict_parameters")

_KEPT: Final = frozenset(
    {"type", "description", "properties", "required", "additionalProperties", "items", "enum", "const", "anyOf", "$ref"}
    | {"$defs", "definitions", "pattern", "format", "minItems", "maxItems", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
)
_FORMATS: Final = frozenset({"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"})
_TOLD: Final = (
    "default",
    "examples",
    "format",
    "maxLength",
    "maxProperties",
    "minLength",
    "minProperties",
    "uniqueItems",
)
"""Keywords that the mode does not know, and that can be told in words; the call is judged by them all the same."""
_DROPPED: Final = frozenset({"title", "$schema", "$id", "$comment", "discriminator", "deprecated"})
"""Keywords that ask nothing of a value here."""
_NULL: Final[Mapping[str, JsonValue]] = {"type": "null"}


class NotStrictError(ToolmendError):
    """A schema that the strict mode cannot express without another meaning; the message says what in it."""


def strict_parameters(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The schema of a tool's parameters in the language of the strict mode.

    All keys become required; one that may be left out may be null instead, which counts as left out when the call
    comes back. Keywords that the mode does not know go into the descriptions.

    Args:
        schema: the JSON Schema of the parameters; it is not changed.

    Raises:
        NotStrictError: if something in it cannot be said there: free keys, tuples, any value, combined schemas.
    """
    strict: dict[str, JsonValue] = copy.deepcopy(dict(schema))
    if strict.get("type") != "object" or "anyOf" in strict:
        raise NotStrictError("the parameters are not one plain object")
    for part in reversed(list(subschemas(strict))):  # inner ones first: outer ones may wrap them
        _narrow(part)
    return strict


def _narrow(part: dict[str, JsonValue]) -> None:
    """Bring one place of the schema into the mode's language."""
    if "oneOf" in part and "anyOf" not in part:
        if "discriminator" not in part:
            raise NotStrictError("`oneOf` without a tag: the mode only knows `anyOf`")
        part["anyOf"] = part.pop("oneOf")  # the tag keeps the branches apart
    if len(part.get("allOf", ())) == 1 and not part.keys() & {"$ref", "anyOf"}:
        part["anyOf"] = part.pop("allOf")
    _tell(part)
    for key in _DROPPED & part.keys():
        del part[key]
    if unknown := part.keys() - _KEPT:
        raise NotStrictError(f"`{min(unknown)}` is not known to the mode")
    if not part.keys() & {"type", "$ref", "anyOf", "enum", "const"}:
        raise NotStrictError("a place where any value may stand")
    if "$ref" in part and len(part) > 1:
        part["anyOf"] = [{"$ref": part.pop("$ref")}]  # nothing may stand beside a reference
    kinds = part.get("type")
    if kinds == "object" or (isinstance(kinds, list) and "object" in kinds):
        _close(part)
    if kinds == "array" and not isinstance(part.get("items"), dict):
        raise NotStrictError("a list of any values")


def _close(part: dict[str, JsonValue]) -> None:
    """Make an object one whose keys are all there, and no others."""
    if part.get("additionalProperties") is not False:
        raise NotStrictError("an object with free keys")
    properties = part.setdefault("properties", {})
    required = set(part.get("required", ()))
    for key, member in properties.items():
        if key not in required and isinstance(member, dict):
            properties[key] = _nullable(member)
    part["required"] = list(properties)


def _nullable(member: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The schema of a key that may be left out: null stands for that."""
    kinds = member.get("type")
    if "anyOf" in member:
        return member if _NULL in member["anyOf"] else {**member, "anyOf": [*member["anyOf"], _NULL]}
    if kinds is None or "const" in member:
        inner = {key: value for key, value in member.items() if key != "description"}
        outer = {key: value for key, value in member.items() if key == "description"}
        return {**outer, "anyOf": [inner, _NULL]}
    kinds = [kinds] if isinstance(kinds, str) else kinds
    widened = {**member, "type": kinds if "null" in kinds else [*kinds, "null"]}
    if "enum" in widened and None not in widened["enum"]:
        widened["enum"] = [*widened["enum"], None]
    return widened


def _tell(part: dict[str, JsonValue]) -> None:
    """Move what the mode does not know into the description."""
    unknown = [key for key in _TOLD if key in part and (key != "format" or part[key] not in _FORMATS)]
    values = {key: part.pop(key) for key in unknown}
    told = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items() if value is not None]
    if told:
        part["description"] = " ".join(filter(None, [part.get("description"), f"({'; '.join(told)})"]))
