from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.errors import SchemaError
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import (
    ALL_TYPES,
    MAX_SCHEMA_DEPTH,
    SchemaNode,
    compile_schema,
    json_type,
    normalise_name,
    plain_words,
)

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("a", "string"),
        (True, "boolean"),
        (1, "integer"),
        (1.0, "number"),
        ({}, "object"),
        ([], "array"),
        (None, "null"),
    ],
)
def test_each_value_has_one_type(value: JsonValue, name: str) -> None:
    """`1.0` is no integer and a boolean is no number."""
    assert json_type(value) == name


def test_what_is_no_json_has_no_type() -> None:
    """A tuple is no list."""
    with pytest.raises(SchemaError, match="tuple is no JSON value"):
        json_type((1, 2))


@pytest.mark.parametrize("name", ["filePath", "file-path", "File_Path", "file path", "FILEPATH", "filé.path"])
def test_names_are_compared_by_letters_and_digits(name: str) -> None:
    """Case, accents and signs do not count."""
    assert normalise_name(name) == "filepath"


@given(st.text())
def test_normalised_names_and_words_are_stable(text: str) -> None:
    """Normalising twice is normalising once."""
    assert normalise_name(normalise_name(text)) == normalise_name(text)
    assert not set(plain_words(text)) & set("_ \n") or len(text.strip()) > 500


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({}, ALL_TYPES),
        (True, ALL_TYPES),
        (False, frozenset()),
        ({"type": "number"}, {"number", "integer"}),
        ({"type": ["string", "null"]}, {"string", "null"}),
        ({"type": "string", "nullable": True}, {"string", "null"}),
        ({"enum": [1, "a"]}, {"integer", "string"}),
        ({"enum": [1.5]}, {"number"}),
        ({"const": None}, {"null"}),
        ({"type": "string", "enum": ["a", 1]}, {"string"}),
        ({"anyOf": [TEXT, {"type": "null"}]}, {"string", "null"}),
        ({"oneOf": [TEXT, WHOLE]}, {"string", "integer"}),
        ({"allOf": [{"type": ["string", "integer"]}, {"type": ["integer", "null"]}]}, {"integer"}),
        ({"type": "string", "anyOf": [TEXT, WHOLE]}, {"string"}),
        ({"$ref": "#/$defs/a", "$defs": {"a": TEXT}}, {"string"}),
        ({"$ref": "#/$defs/a", "description": "x", "minLength": 1, "$defs": {"a": TEXT}}, {"string"}),
        ({"$ref": "#here", "$defs": {"a": {"$anchor": "here", **TEXT}}}, {"string"}),
    ],
)
def test_types_are_seen_through_references_and_unions(schema: JsonValue, types: set[str]) -> None:
    """The types that a value may have are known at each node."""
    assert compile_schema(schema).types == types


TREE: Final = {
    "$ref": "#/$defs/node",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "label": TEXT,
                "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}},
                "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
            "required": ["label"],
        }
    },
}


def test_a_recursive_schema_is_a_graph() -> None:
    """A reference leads to the one node of its place."""
    root = compile_schema(TREE)
    kids = root.members["kids"]
    assert kids.item(7) is root
    assert root.members["next"].alternatives[0] is root
    assert root.members["next"].types == {"object", "null"}


def test_a_schema_may_refer_to_its_root() -> None:
    """`#` is the whole schema."""
    root = compile_schema({"type": "object", "properties": {"next": {"$ref": "#"}}})
    assert root.members["next"] is root


def test_escaped_pointers_are_resolved() -> None:
    """Keys with slashes and tildes can be referred to."""
    schema = {"$defs": {"a/b~c": TEXT}, "properties": {"x": {"$ref": "#/$defs/a~1b~0c"}}, "prefixItems": [WHOLE]}
    assert compile_schema(schema).members["x"].types == {"string"}
    assert compile_schema({**schema, "items": {"$ref": "#/prefixItems/0"}}).item(5) is not None


UNION: Final = {
    "anyOf": [
        {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a"]},
        {"type": "object", "properties": {"a": WHOLE}, "required": ["a"]},
        {"type": "null"},
    ]
}


def test_members_of_a_union_are_those_of_all_branches() -> None:
    """What may stand under a key is known without knowing the branch."""
    node = compile_schema(UNION)
    assert set(node.members) == {"a", "b"}
    assert node.members["a"].types == {"string", "integer"}
    assert node.members["a"] is node.members["a"]
    assert node.required_members == ()
    assert node.child("a") is None


def test_members_of_schemas_that_hold_together_are_joined() -> None:
    """Under `allOf` all requirements count."""
    node = compile_schema(
        {"allOf": [{"properties": {"a": WHOLE}, "required": ["a"]}, {"properties": {"a": {"minimum": 3}}}]}
    )
    assert node.required_members == ("a",)
    child = node.child("a")
    assert child is not None
    assert child.types == {"integer"}
    assert child.find("minimum") == 3
    assert node.child("a") is child


def test_spellings_of_keys() -> None:
    """Declared keys by normalised name, none where two share it."""
    node = compile_schema({"properties": {"file_path": TEXT, "a_b": TEXT, "ab": TEXT}})
    assert node.spellings == {"filepath": "file_path", "ab": None}


@pytest.mark.parametrize(
    ("schema", "free"),
    [
        ({"type": "object"}, True),
        ({"type": "object", "additionalProperties": False}, False),
        ({"type": "object", "additionalProperties": TEXT}, True),
        ({"type": "object", "properties": {"a": TEXT}}, False),
        ({"type": "object", "properties": {"a": TEXT}, "additionalProperties": False}, False),
        ({"type": "object", "properties": {"a": TEXT}, "additionalProperties": True}, True),
        ({"type": "object", "patternProperties": {"^x": TEXT}, "additionalProperties": False}, False),
        ({"type": "object", "properties": {"a": TEXT}, "patternProperties": {"^x": TEXT}}, True),
        ({"anyOf": [{"type": "object"}, {"type": "null"}]}, True),
        (TEXT, False),
        ({}, True),
    ],
)
def test_free_keys_are_those_that_the_schema_is_made_for(schema: JsonValue, free: bool) -> None:
    """A map takes any key; an object with declared keys is no map because it forbids none."""
    assert compile_schema(schema).free_keys is free


def test_what_stands_under_a_free_key() -> None:
    """A pattern comes before the schema of other keys."""
    node = compile_schema({"patternProperties": {"^n": WHOLE}, "additionalProperties": TEXT})
    for key, kind in (("n1", "integer"), ("other", "string")):
        member, child = node.member(key), node.child(key)
        assert member is not None
        assert member.types == {kind}
        assert child is member
    assert compile_schema({"additionalProperties": False}).member("x") is None


def test_items_by_place() -> None:
    """The first items have their own schemas; older drafts list them under `items`."""
    for schema in ({"prefixItems": [TEXT], "items": WHOLE}, {"items": [TEXT]}):
        node = compile_schema(schema)
        first = node.item(0)
        assert first is not None
        assert first.types == {"string"}
    assert compile_schema({"items": [TEXT]}).item(1) is None
    assert compile_schema({"type": "array"}).item(0) is None


@pytest.mark.parametrize(
    ("schema", "choices"),
    [
        ({"enum": ["a", 1]}, ("a", 1)),
        ({"const": "a"}, ("a",)),
        ({"enum": ["a"], "nullable": True}, ("a", None)),
        ({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}, ("a", None)),
        ({"allOf": [{"$ref": "#/$defs/e"}], "$defs": {"e": {"enum": ["a"]}}}, ("a",)),
        ({"anyOf": [{"enum": ["a"]}, TEXT]}, None),
        (TEXT, None),
    ],
)
def test_choices_are_known_where_all_are_listed(schema: JsonValue, choices: tuple[JsonValue, ...] | None) -> None:
    """A union of lists is a list."""
    assert compile_schema(schema).choices == choices


def test_alternatives_open_unions_within_unions() -> None:
    """A union that is nothing else is opened; one with keywords of its own is a branch."""
    inner = {"anyOf": [TEXT, WHOLE]}
    assert len(compile_schema({"anyOf": [inner, {"type": "null"}]}).alternatives) == 3
    assert len(compile_schema({"anyOf": [{**inner, "minLength": 1}, {"type": "null"}]}).alternatives) == 2


def test_never_is_known() -> None:
    """`false` takes nothing."""
    assert compile_schema({"properties": {"x": False}}).members["x"].never
    assert repr(compile_schema({"properties": {"x": False}}).members["x"]) == "SchemaNode(#/properties/x)"


def deep(levels: int) -> Mapping[str, JsonValue]:
    """A schema nested so deep."""
    schema: Mapping[str, JsonValue] = {}
    for _ in range(levels):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "text"}, "type must be one of"),
        ({"type": []}, "type must be one of"),
        ({"type": 5}, "type must be one of"),
        ({"enum": "a"}, "enum must be a list"),
        ({"required": "a"}, "required must be a list of strings"),
        ({"required": [1]}, "required must be a list of strings"),
        ({"properties": []}, "properties must be an object of schemas"),
        ({"properties": {"a": 5}}, r"a schema must be an object or a boolean, got 5 \(at #/properties/a\)"),
        ({"anyOf": {}}, "anyOf must be a list of schemas"),
        ({"items": 5}, "a schema must be an object"),
        ({"minLength": -1}, "minLength must be a whole number"),
        ({"maxItems": 1.5}, "maxItems must be a whole number"),
        ({"minimum": "1"}, "minimum must be a number"),
        ({"multipleOf": 0}, "multipleOf must be greater than 0"),
        ({"pattern": "("}, "no regular expression"),
        ({"pattern": 5}, "no regular expression"),
        ({"patternProperties": {"[": {}}}, "no regular expression"),
        ({"$ref": "#/$defs/a"}, "leads nowhere"),
        ({"$ref": "#nowhere"}, "leads nowhere"),
        ({"$ref": "https://example.org/schema"}, "only references within the schema"),
        ({"$ref": 5}, "only references within the schema"),
        ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "leads to itself"),
        ({"not": {"$ref": "https://example.org/schema"}}, "only references within the schema"),
        ({"$dynamicRef": "#a"}, "is not supported"),
        ("text", "a schema must be an object"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_a_wrong_schema_is_refused_with_its_place(schema: JsonValue, message: str) -> None:
    """The author is told what is wrong, and where."""
    with pytest.raises(SchemaError, match=message):
        compile_schema(schema)


@pytest.mark.parametrize("levels", [MAX_SCHEMA_DEPTH + 1, 100_000])
def test_a_schema_without_end_is_refused(levels: int) -> None:
    """A definition that was written out by mistake is an error, never a crash."""
    with pytest.raises(SchemaError, match="the schema is nested"):
        compile_schema(deep(levels))


def test_a_deep_schema_is_compiled() -> None:
    """Depth alone is no fault."""
    assert compile_schema(deep(50)).item(0) is not None


@pytest.mark.parametrize(
    ("pattern", "text", "holds"),
    [
        (r"^\d{4}$", "2024", True),
        (r"^\d{4}$", "2024\n", False),
        (r"^[$]\d$", "$5", True),
        (r"^\$$", "$", True),
        (r"a$|b$", "a", True),
        (r"^(?<year>\d+)$", "12", True),
        (r"^(?<!x)a\z", "a", True),
    ],
)
def test_patterns_mean_what_json_schema_means(pattern: str, text: str, holds: bool) -> None:
    """`$` is the very end, and a named group needs no `P`."""
    found = compile_schema({"pattern": pattern}).pattern
    assert found is not None
    assert (found.search(text) is not None) is holds


def test_notes_of_other_programs_ask_nothing() -> None:
    """Keywords that are no part of JSON Schema are passed over."""
    node = compile_schema({"type": "string", "x-order": 1, "enumNames": ["a"], "markdownDescription": "*a*"})
    assert isinstance(node, SchemaNode)
    assert node.extra == {}
