from __future__ import annotations

from typing import Any

import pytest

from toolmend.repairs.schema import compile_schema
from toolmend.toolkit import ToolRegistry
from toolmend.toolkit.skeleton import choices_text, in_braces, placeholders, skeleton, type_text

RECURSIVE = {"$defs": {"T": {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}, "required": ["t"]}}}


@pytest.mark.parametrize(
    ("member", "form", "words"),
    [
        ({"type": "string"}, '"<string>"', "string"),
        ({"type": "string", "format": "date"}, '"<string (date)>"', "string (date)"),
        ({"type": "integer"}, "<integer>", "integer"),
        ({"type": "number"}, "<number>", "number"),
        ({"type": "boolean"}, "<true or false>", "true or false"),
        ({"type": ["integer", "null"]}, "<integer>", "integer or null"),
        ({"type": ["string", "integer"]}, '"<string or integer>"', "string or integer"),
        ({}, "<any JSON value>", "any JSON value"),
        ({"enum": ["a", "b"]}, '"<a|b>"', 'one of "a", "b"'),
        ({"enum": [1, None]}, "<1>", "one of 1, null"),
        ({"const": "a"}, '"a"', '"a"'),
        ({"type": "array", "items": {"type": "integer"}}, "[<integer>]", "list of integer"),
        ({"type": "array"}, "[...]", "list"),
        ({"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"]}, '{"b": null}', "object"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, '{"<key>": <integer>}', "object"),
        ({"type": "object"}, '{"<key>": <any JSON value>}', "object"),
        (
            {"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "string"}}]},
            '["<string>"]',
            "list of string or null",
        ),
        ({"$ref": "#/$defs/T"}, '{"t": {"t": {"t": {...}}}}', "object"),
    ],
)
def test_each_kind_of_value_has_its_placeholder(member: dict[str, Any], form: str, words: str) -> None:
    """Only those of strings are quoted."""
    node = compile_schema({"type": "object", "properties": {"a": member}, "required": ["a"], **RECURSIVE})
    assert skeleton(node) == f'{{"a": {form}}}'
    assert type_text(node.members["a"]) == words


def test_keys_that_may_be_left_out_are_shown_on_demand() -> None:
    """All of them, some, or those of a tool that has no others."""
    node = compile_schema({"properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}, "required": ["a"]})
    assert skeleton(node) == '{"a": 1}'
    assert skeleton(node, also=frozenset({"c", "z"})) == '{"a": 1, "c": 3}'
    assert skeleton(node, optional=True) == '{"a": 1, "b": 2, "c": 3}'
    assert skeleton(compile_schema({"properties": {"a": {"const": 1}}})) == '{"a": 1}'
    assert skeleton(compile_schema({"properties": {}, "additionalProperties": False})) == "{}"


def test_a_form_sent_back_as_it_is_does_not_run() -> None:
    """A model that copies it is told, unless all that it copies is text."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }
    registry = ToolRegistry()
    registry.add_schema("x", "", schema)
    assert registry.parse_call("x", skeleton(registry["x"].node)).errors


def test_long_lists_of_values_are_cut() -> None:
    """And say how many are left out."""
    assert choices_text(tuple(range(40))).endswith("29, and 10 more")
    node = compile_schema({"enum": [f"value {number}" for number in range(1000)]})
    assert len(skeleton(compile_schema({"properties": {"a": node.raw}}))) < 400


def test_placeholders_are_what_the_form_is_made_of() -> None:
    """Key by key, for forms that are no JSON object."""
    node = compile_schema(
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}, "c": {"type": "string"}},
            "required": ["b"],
        }
    )
    assert placeholders(node) == {"b": '"<string>"'}
    assert placeholders(node, also=frozenset({"a"})) == {"a": "<integer>", "b": '"<string>"'}
    assert list(placeholders(node, optional=True)) == ["a", "b", "c"]
    assert in_braces(placeholders(node, optional=True)) == skeleton(node, optional=True)
    assert placeholders(compile_schema({"type": "object"})) == {"<key>": "<any JSON value>"}
