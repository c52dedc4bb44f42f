from __future__ import annotations

import datetime as dt
import subprocess
import sys
import time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from toolmend.repairs.errors import LimitError, SchemaError
from toolmend.repairs.judge import Judge, SchemaJudge
from toolmend.repairs.numbers import SourcedFloat, SourcedInt
from toolmend.repairs.record import JsonValue, Path
from toolmend.repairs.schema import compile_schema

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}
UNIQUE: Final = {"uniqueItems": True}


def found(schema: JsonValue, value: JsonValue) -> list[tuple[Path, str]]:
    """Paths and keywords of all violations."""
    return [(violation.path, violation.keyword) for violation in SchemaJudge(compile_schema(schema))(value)]


def test_a_schema_judge_is_a_judge() -> None:
    """It follows the protocol."""
    assert isinstance(SchemaJudge(compile_schema({})), Judge)


@pytest.mark.parametrize(
    ("schema", "valid", "broken", "keyword"),
    [
        (WHOLE, [0, -5, 10**30], [1.0, 1.5, True, "1", None, [], {}], "type"),
        ({"type": "number"}, [0, 1.0, -1.5], [True, "1", None], "type"),
        (TEXT, ["", "é", "\u0000"], [1, None, []], "type"),
        ({"type": "boolean"}, [True, False], [0, 1, "true"], "type"),
        ({"type": "null"}, [None], [0, "", False, [], {}], "type"),
        ({"type": ["string", "null"]}, ["a", None], [1], "type"),
        ({"type": "string", "nullable": True}, ["a", None], [1], "type"),
        ({"enum": [1, "1", [1], {"a": 1}]}, [1, "1", [1], {"a": 1}], [1.0, True, [1.0], {"a": True}, "2"], "enum"),
        ({"enum": [{"a": 1, "b": 2}]}, [{"b": 2, "a": 1}], [{"a": 1}], "enum"),
        ({"const": 1.0}, [1.0], [1, True], "const"),
        ({"const": None}, [None], [0, False], "const"),
        ({"minimum": 3}, [3, 3.0, "a"], [2, 2.9], "minimum"),
        ({"maximum": 3}, [3], [4, 10**30], "maximum"),
        ({"exclusiveMinimum": 3}, [3.1], [3], "exclusiveMinimum"),
        ({"exclusiveMaximum": 3}, [2], [3.0], "exclusiveMaximum"),
        ({"minimum": 3, "exclusiveMinimum": True}, [4], [3], "exclusiveMinimum"),
        ({"multipleOf": 3}, [0, 9, 9.0], [10, 1.5], "multipleOf"),
        ({"multipleOf": 0.1}, [0.3, 1, 1e300], [0.35], "multipleOf"),
        ({"minLength": 2}, ["ab", "éé", 1], ["a"], "minLength"),
        ({"maxLength": 2}, ["ab", "😀😀"], ["abc"], "maxLength"),
        ({"pattern": "^a+$"}, ["aa", 5], ["ab", "a\n"], "pattern"),
        ({"minItems": 1}, [[1], "a"], [[]], "minItems"),
        ({"maxItems": 1}, [[1]], [[1, 2]], "maxItems"),
        (
            {"uniqueItems": True},
            [[1, 1.0, True, "1"], [[1], [2]]],
            [[1, 1], [{"a": 1, "b": 2}, {"b": 2, "a": 1}]],
            "uniqueItems",
        ),
        ({"minProperties": 1}, [{"a": 1}, 5], [{}], "minProperties"),
        ({"maxProperties": 1}, [{"a": 1}], [{"a": 1, "b": 2}], "maxProperties"),
        ({"propertyNames": {"pattern": "^a"}}, [{"ab": 1}, {}], [{"ba": 1}], "propertyNames"),
        ({"required": ["a"]}, [{"a": None}, 5], [{}], "required"),
        ({"anyOf": [TEXT, WHOLE]}, ["a", 1], [1.5, None], "anyOf"),
        ({"oneOf": [{"type": "number"}, WHOLE]}, [1.5], [1, "a"], "oneOf"),
        ({"not": {"const": 5}}, [4], [5], "not"),
        ({"if": {"minimum": 5}, "then": {"multipleOf": 5}, "else": {"maximum": 2}}, [10, 1], [7], "then"),
        ({"dependentRequired": {"a": ["b"]}}, [{"a": 1, "b": 1}, {}], [{"a": 1}], "dependentRequired"),
        ({"contains": {"const": 1}}, [[1, 2]], [[2]], "contains"),
        ({"properties": {"a": {}}, "unevaluatedProperties": False}, [{"a": 1}], [{"b": 1}], "unevaluatedProperties"),
        (False, [], [1, None, {}], "false"),
        (True, [1, None, {}], [], ""),
        ({}, [1, None, {}], [], ""),
    ],
    ids=str,
)
def test_each_keyword(schema: JsonValue, valid: list[JsonValue], broken: list[JsonValue], keyword: str) -> None:
    """What satisfies a keyword, and what breaks it, strictly."""
    assert [value for value in valid if found(schema, value)] == []
    for value in broken:
        assert {broken_keyword for _, broken_keyword in found(schema, value)} == {
            keyword if schema != {"const": None} else "enum"
        }


def test_all_violations_are_listed_in_order_with_their_paths() -> None:
    """Every bad place is told at once."""
    schema = {
        "type": "object",
        "properties": {
            "name": TEXT,
            "rows": {"type": "array", "items": {"type": "object", "properties": {"qty": WHOLE}, "required": ["sku"]}},
            "pair": {"prefixItems": [TEXT, WHOLE], "items": {"type": "boolean"}},
            "map": {"additionalProperties": WHOLE, "patternProperties": {"^t": TEXT}},
        },
        "required": ["id"],
        "additionalProperties": False,
    }
    value = {
        "name": 5,
        "rows": [{"sku": "a"}, {"qty": "x"}],
        "pair": ["a", "b", 3],
        "map": {"a": "b", "t": 1, "c": 1},
        "zip": 1,
    }
    assert found(schema, value) == [
        ((), "required"),
        (("name",), "type"),
        (("rows", 1), "required"),
        (("rows", 1, "qty"), "type"),
        (("pair", 1), "type"),
        (("pair", 2), "type"),
        (("map", "a"), "type"),
        (("map", "t"), "type"),
        ((), "additionalProperties"),
    ]


def test_a_violation_says_what_is_needed_to_mend_it() -> None:
    """The value, the schema at its place, the key, and the text of a number."""
    schema = compile_schema({"type": "object", "properties": {"a": {"allOf": [TEXT]}}, "required": ["b"]})
    missing, mistyped = SchemaJudge(schema)({"a": SourcedFloat.of(1.1, "1.10")})
    assert (missing.key, missing.schema) == ("b", schema)
    assert (mistyped.value, mistyped.source, mistyped.schema) == (1.1, "1.10", schema.members["a"])


def test_patterns_declared_keys_and_others() -> None:
    """A key may be asked for by several; other keys are forbidden or have a schema."""
    schema = {"properties": {"x1": {"minimum": 5}}, "patternProperties": {"^x": WHOLE}, "additionalProperties": False}
    assert found(schema, {"x1": "a", "x2": "b", "y": 1, "x3": 1}) == [
        (("x1",), "type"),
        (("x2",), "type"),
        ((), "additionalProperties"),
    ]
    assert found({**schema, "additionalProperties": TEXT}, {"y": 1, "x1": 3}) == [
        (("y",), "type"),
        (("x1",), "minimum"),
    ]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (float("nan"), ()),
        ([float("inf")], (0,)),
        ({"a": [1, -float("inf")]}, ("a", 1)),
        ("\ud83d", ()),
        ({"a": "x\udc00"}, ("a",)),
        ({"\ud83d": 1}, ("\ud83d",)),
        ({5: 1}, ("5",)),
        ((1, 2), ()),
        ([{1, 2}], (0,)),
        ([b"x"], (0,)),
        ({"a": 10**4300}, ("a",)),
        ([dt.date(2026, 1, 1)], (0,)),
    ],
    ids=[*"abcdefghijkl", *"ABCDEFGHIJKL"][:12],
)
def test_what_json_cannot_hold_is_refused_everywhere(value: JsonValue, path: Path) -> None:
    """NaN, half of a surrogate pair and foreign objects break every schema."""
    for schema in ({}, True, {"type": ["object", "array", "string", "number"]}):
        assert [where for where, _ in found(schema, value)] == [path]


def test_numbers_that_remember_their_text_are_numbers() -> None:
    """The walk takes them for what they are."""
    assert found({"items": {"type": "number"}}, [SourcedFloat.of(1.1, "1.10"), SourcedInt.of(7, "007")]) == []
    assert found({"items": WHOLE}, [SourcedInt.of(7, "007"), SourcedFloat.of(2.0, "2.0")]) == [((1,), "type")]


def nested(levels: int, leaf: JsonValue) -> JsonValue:
    """A value in so many lists."""
    for _ in range(levels):
        leaf = [leaf]
    return leaf


def test_depth_is_bounded() -> None:
    """A hundred levels are judged, one more is refused, without recursion on the input."""
    judge = SchemaJudge(
        compile_schema(
            {"$defs": {"l": {"type": ["array", "integer"], "items": {"$ref": "#/$defs/l"}}}, "$ref": "#/$defs/l"}
        )
    )
    assert list(judge(nested(100, 1))) == []
    for levels in (101, 100_000):
        with pytest.raises(LimitError) as caught:
            judge(nested(levels, 1))
        assert caught.value.kind == "too_deep"


def test_nested_unions_are_judged_in_linear_time() -> None:
    """The same question about a value is asked once, though every branch leads to it."""
    one, other = {"$ref": "#/$defs/one"}, {"$ref": "#/$defs/other"}
    first = {"properties": {"a": {"anyOf": [one, other]}}, "additionalProperties": False}
    second = {"properties": {"a": {"anyOf": [other, one]}}, "required": ["a"], "additionalProperties": False}
    schema = {"$defs": {"one": first, "other": second}, **one}
    value: JsonValue = {"b": 1}
    for _ in range(60):
        value = {"a": value}
    start = time.perf_counter()
    assert found(schema, value) == [(("a",), "anyOf")]
    assert time.perf_counter() - start < 1


def test_unique_items_take_linear_time() -> None:
    """Ten thousand objects are compared by their canonical form."""
    items = [{"id": index, "tags": [index]} for index in range(10_000)]
    start = time.perf_counter()
    assert found({"uniqueItems": True}, items) == []
    assert found({"uniqueItems": True}, [*items, {"tags": [5], "id": 5}]) == [((), "uniqueItems")]
    assert time.perf_counter() - start < 3


def test_keywords_left_to_jsonschema_may_refer_into_the_schema() -> None:
    """A reference under `not` is resolved in the whole schema."""
    schema = {"$defs": {"bad": {"const": 5}}, "properties": {"x": {"not": {"$ref": "#/$defs/bad"}}}}
    assert found(schema, {"x": 5}) == [(("x",), "not")]
    assert found(schema, {"x": 6}) == []


@pytest.mark.parametrize(
    "schema",
    [
        {"not": {"type": "text"}},
        {"if": 5},
        {"dependentRequired": []},
        {"properties": {"x": {"contains": {"minimum": "a"}}}},
    ],
    ids=str,
)
def test_a_malformed_keyword_left_to_jsonschema_is_refused_at_definition(schema: JsonValue) -> None:
    """The author is told, not the model."""
    with pytest.raises(SchemaError):
        SchemaJudge(compile_schema(schema))


def test_a_dead_reference_left_to_jsonschema_is_refused_at_definition() -> None:
    """A reference that leads nowhere is the author's mistake."""
    with pytest.raises(SchemaError, match="nowhere"):
        compile_schema({"not": {"$ref": "#/$defs/none"}})


def test_jsonschema_is_loaded_only_where_it_is_needed() -> None:
    """The walk needs no library."""
    code = """
import sys
from toolmend.repairs.engine import Mender
from toolmend.repairs.schema import compile_schema
Mender(compile_schema({"type": "object", "properties": {"a": {"type": "integer"}}})).mend({"a": "5"})
assert "jsonschema" not in sys.modules
Mender(compile_schema({"not": {"const": 5}}))
assert "jsonschema" in sys.modules
"""
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


SCHEMAS: Final = [
    {"type": ["integer", "array"], "minimum": 2, "items": {"maximum": 5}},
    {"properties": {"a": TEXT}, "additionalProperties": {"type": "null"}},
    {"properties": {"a": TEXT, "b": {"enum": ["x", None]}}, "required": ["a"], "additionalProperties": False},
    {"anyOf": [{"maxLength": 2}, {"items": TEXT, "minItems": 1}]},
    {"oneOf": [{"type": "string"}, {"pattern": "a"}, {"required": ["a"]}]},
    {"allOf": [{"minProperties": 1}, {"propertyNames": {"maxLength": 1}}]},
    {"prefixItems": [TEXT], "items": {"type": "boolean"}, "uniqueItems": True},
]


@given(
    st.sampled_from(SCHEMAS),
    st.recursive(
        st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    ),
)
def test_without_fractions_the_walk_agrees_with_jsonschema(schema: JsonValue, value: JsonValue) -> None:
    """Valid for one is valid for the other."""
    assert (found(schema, value) == []) is Draft202012Validator(schema).is_valid(value)
