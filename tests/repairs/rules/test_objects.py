from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from toolmend.repairs.errors import SchemaMismatchError
from toolmend.repairs.record import JsonValue
from toolmend.repairs.values import same

Mend = Callable[..., JsonValue]
ERROR: Final = SchemaMismatchError


def tool(required: str = "", **properties: JsonValue) -> Mapping[str, JsonValue]:
    """A closed schema."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}
SLOT: Final = tool("start", start=TEXT, room=WHOLE)


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        (SLOT, '{"start": "9", "room": 4}', {"start": "9", "room": 4}),
        (SLOT, ' {"start": "9", "room": "4"}\n', {"start": "9", "room": 4}),
        (SLOT, '{"start": 1.10}', {"start": "1.10"}),
        ({"anyOf": [SLOT, {"type": "null"}]}, '{"start": "9"}', {"start": "9"}),
        ({"type": ["object", "null"]}, '{"a": 1}', {"a": 1}),
        ({"$ref": "#/$defs/slot"}, '{"start": "9"}', {"start": "9"}),
        ({"allOf": [{"$ref": "#/$defs/slot"}]}, '{"start": "9"}', {"start": "9"}),
    ],
)
def test_json_text_of_an_object_is_decoded(mended: Mend, schema: JsonValue, given: str, wanted: JsonValue) -> None:
    """Text where an object is wanted is read, with numbers as they were written."""
    around = {**tool("x", x=schema), "$defs": {"slot": SLOT}}
    assert same(mended(around, {"x": given}), {"x": wanted})


@pytest.mark.parametrize(
    "given",
    [
        '{"start": "9"',
        "{'start': '9'}",
        '"{}"',
        '[{"start": "9"}]',
        '{"start": NaN}',
        '{"start": "9", "start": "10"}',
        "9",
        "{",
        "[" * 200,
    ],
)
def test_other_text_is_not(mended: Mend, given: str) -> None:
    """Only JSON of the wanted type is decoded, and only once."""
    assert mended(tool("x", x=SLOT), {"x": given}) is ERROR


@pytest.mark.parametrize(
    "schema",
    [
        TEXT,
        {"anyOf": [TEXT, {"type": "object"}]},
        {"anyOf": [{"type": "object"}, TEXT]},
        {"type": ["string", "object"]},
        {},
        {"anyOf": [{"type": "string", "minLength": 1}, {"type": "array"}]},
    ],
)
def test_json_text_where_text_is_allowed_is_text(mended: Mend, schema: JsonValue) -> None:
    """A string may hold JSON."""
    given = {"x": '{"a": [1, 2,]}', "y": 1}
    outcome = mended(tool("x y", x=schema, y=TEXT), given)
    assert outcome == {"x": '{"a": [1, 2,]}', "y": "1"}


def test_text_that_breaks_its_own_schema_is_not_decoded(mended: Mend) -> None:
    """Where a union allows some text, text is never read as an object."""
    assert mended(tool("x", x={"anyOf": [{"enum": ["auto"]}, {"type": "object"}]}), {"x": '{"a": 1}'}) is ERROR


def test_null_counts_as_absent_where_nothing_is_required(mended: Mend) -> None:
    """A null for an optional field that takes none goes; one that is required is an error."""
    schema = tool(
        "name", name=TEXT, nick=TEXT, tags={"type": "array", "items": TEXT}, age={"type": ["integer", "null"]}
    )
    given = {"name": "Ada", "nick": None, "tags": None, "age": None}
    assert mended(schema, given) == {"name": "Ada", "age": None}
    assert mended(schema, {"name": None}) is ERROR
    assert mended(schema, {"name": "Ada", "Nick": None}) == {"name": "Ada"}


def test_null_in_a_map_is_data(mended: Mend) -> None:
    """A key that is not declared is not dropped with its null."""
    schema = {"type": "object", "additionalProperties": WHOLE}
    assert mended(schema, {"a": None}) is ERROR
    assert mended({"type": "array", "items": WHOLE}, [1, None]) is ERROR


def test_a_bad_value_of_an_optional_field_is_an_error(mended: Mend) -> None:
    """A value that cannot be used is never dropped."""
    assert mended(tool("name", name=TEXT, age=WHOLE), {"name": "Ada", "age": "old"}) is ERROR
    assert mended(tool("name", name=TEXT, age=WHOLE), {"name": "Ada", "age": ""}) is ERROR


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        (tool("query", query=TEXT), "red shoes", {"query": "red shoes"}),
        (tool("query", query=TEXT, limit=WHOLE), "red shoes", {"query": "red shoes"}),
        (tool("seconds", seconds=WHOLE), 5, {"seconds": 5}),
        (tool("seconds", seconds=WHOLE), "5", {"seconds": 5}),
        (tool("flag", flag={"type": "boolean"}), True, {"flag": True}),
        (tool("values", values={"type": "array", "items": WHOLE}), [1, 2], {"values": [1, 2]}),
        (tool("queries", queries={"type": "array", "items": TEXT}), "calendar", {"queries": ["calendar"]}),
    ],
)
def test_a_bare_value_is_the_one_required_field(
    mended: Mend, schema: JsonValue, given: JsonValue, wanted: JsonValue
) -> None:
    """What has one place to go goes there."""
    assert same(mended(schema, given), wanted)


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        (tool("a b", a=TEXT, b=TEXT), "x"),
        (tool("", a=TEXT), "x"),
        (tool("query", query=TEXT), ""),
        (tool("query", query=TEXT), " "),
        (tool("query", query=TEXT), None),
        (tool("query", query=TEXT), []),
        (tool("query", query=TEXT), '{"query": "cheap flights to "Genoa" and'),
        (tool("query", query=TEXT), '["a"'),
        (tool("query", query=TEXT), ["a", "b"]),
        (tool("query", query=TEXT), [["a"]]),
        (tool("seconds", seconds=WHOLE), "5 minutes"),
        (tool("rows", rows={"type": "array"}), [{"a": 1}, {"a": 2}]),
    ],
)
def test_otherwise_a_bare_value_is_an_error(mended: Mend, schema: JsonValue, given: JsonValue) -> None:
    """Nothing is invented, and broken JSON or parallel calls are no value."""
    assert mended(schema, given) is ERROR


@pytest.mark.parametrize("given", ["", " ", None, []])
def test_nothing_is_no_arguments_where_none_are_required(mended: Mend, given: JsonValue) -> None:
    """A tool without required fields is called with none."""
    assert mended(tool(), given) == {}
    assert mended(tool("", a=TEXT), given) == {}
    assert mended(tool("a", a=TEXT), given) is ERROR


@pytest.mark.parametrize("given", ["x", 0, False, [None], [[]], "null"])
def test_something_is_not_nothing(mended: Mend, given: JsonValue) -> None:
    """Only what is empty counts as no arguments."""
    assert mended(tool(), given) is ERROR


@pytest.mark.parametrize("given", ["city", "City", "city:", " days ", "max-days"])
def test_the_name_of_a_key_is_not_its_value(mended: Mend, given: str) -> None:
    """A model that writes the name of a field has not come to its value yet."""
    assert mended(tool("city", city=TEXT, days=WHOLE, max_days=WHOLE), given) is ERROR
