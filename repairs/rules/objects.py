"""Rules for objects that came as text, as nothing, or as the value of their one field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolmend.repairs._node import normalise_name
from toolmend.repairs.errors import LimitError, NotJsonError
from toolmend.repairs.rule import Candidate, Violation
from toolmend.repairs.rules.info import RuleInfo, ValueRule
from toolmend.repairs.rules.lists import looks_like_json
from toolmend.repairs.text.strict import read_strict

__all__ = ("NULL_AS_ABSENT", "OBJECT_RULES")


def _json_text(violation: Violation) -> Iterator[Candidate]:
    value, schema = violation.value, violation.schema
    if not isinstance(value, str) or schema.allows("string") or not looks_like_json(value):
        return
    try:
        reading = read_strict(value)
    except (NotJsonError, LimitError):
        return
    if reading is not None and schema.allows("object" if isinstance(reading.value, dict) else "array"):
        yield Candidate(reading.value)


def _empty_arguments(violation: Violation) -> Iterator[Candidate]:
    value, schema = violation.value, violation.schema
    nothing = value is None or value == [] or (isinstance(value, str) and not value.strip())
    if nothing and not violation.path and schema.allows("object") and not schema.required_members:
        yield Candidate({})


def _bare_value(violation: Violation) -> Iterator[Candidate]:
    value, schema = violation.value, violation.schema
    if violation.path or not schema.allows("object") or len(schema.required_members) != 1:
        return
    if isinstance(value, str):
        names_key = normalise_name(value) in schema.spellings  # no value yet: `city` for a tool with a city
        bare = bool(value.strip()) and not looks_like_json(value) and not names_key
    elif isinstance(value, list):
        field = schema.members.get(schema.required_members[0])
        bare = field is not None and field.allows("array") and not any(isinstance(item, (dict, list)) for item in value)
    else:
        bare = isinstance(value, (int, float))
    if bare:
        yield Candidate({schema.required_members[0]: value}, "inferred")


_QUERY: Final = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}

NULL_AS_ABSENT: Final = RuleInfo(
    "null-as-absent",
    "A null under an optional key whose value may not be null counts as if the key were not there.",
    {"type": "object", "properties": {"age": {"type": "integer"}}},
    {"age": None},
    {},
    "lossless",
)
"""It concerns the object around the null, and is applied where the members of an object are settled."""

OBJECT_RULES: Final = (
    ValueRule(
        RuleInfo(
            "json-text",
            "Text that is the JSON of an object or list is decoded, once, where that is wanted and text is not.",
            {"type": "object", "properties": {"slot": {"type": "object"}}},
            {"slot": '{"room": 4}'},
            {"slot": {"room": 4}},
            "lossless",
        ),
        _json_text,
        sees_union=True,
    ),
    ValueRule(
        RuleInfo(
            "empty-arguments",
            "No text, null or an empty list stands for no arguments where the tool requires none.",
            {"type": "object", "properties": {}},
            None,
            {},
            "lossless",
        ),
        _empty_arguments,
    ),
    ValueRule(
        RuleInfo(
            "bare-value",
            "A value without an object around it becomes the one required field of the tool; the name of a field is no "
            "value.",
            _QUERY,
            "red shoes",
            {"query": "red shoes"},
            "inferred",
        ),
        _bare_value,
    ),
)
