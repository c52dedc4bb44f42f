from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError, SchemaMismatchError
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import compile_schema

Mend = Callable[..., JsonValue]
ERROR: Final = SchemaMismatchError

GO: Final = {"selector": "#go"}
CLICK: Final[dict[str, JsonValue]] = {
    "type": "object",
    "properties": {"selector": {"type": "string"}, "count": {"type": "integer"}},
    "required": ["selector"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "given",
    [
        *(
            {key: GO}
            for key in ("arguments", "parameters", "args", "input", "tool_arguments", "properties", "click", "Click")
        ),
        {"name": "click", "arguments": GO},
        {"name": "functions.click", "parameters": GO},
        {"tool": "click", "tool_arguments": GO},
        {"type": "function", "id": "c-1", "function": {"name": "click", "arguments": GO}},
        {"type": "tool_use", "id": "c-1", "name": "click", "input": GO},
        {"arguments": {"parameters": {"input": GO}}},
        {"arguments": {"name": "click", "arguments": GO}},
        {"arguments": json.dumps(GO)},
        {"function": {"name": "click", "arguments": json.dumps(GO)}},
        {"arguments": [GO]},
        [{"arguments": GO}],
        json.dumps({"arguments": GO}),
        {"arguments": {"Selector": "#go"}},
    ],
    ids=json.dumps,
)
def test_arguments_come_out_of_what_is_around_them(mended: Mend, given: JsonValue) -> None:
    """An envelope that the tool knows nothing of is taken off, several deep."""
    assert mended(CLICK, given) == GO


@pytest.mark.parametrize(
    "given",
    [
        {"arguments": GO, "dry_run": True},
        {"arguments": GO, "reasoning": "x"},
        {"name": "press", "arguments": GO},
        {"press": GO},
        {"arguments": GO, "parameters": GO},
        {"arguments": [GO, GO]},
        {"arguments": {}},
        {"arguments": "{'selector'"},
        {"arguments": {"selector": "#go", "x": 1}},
        {"data": GO},
        {"id": "c-1", "arguments": GO, "type": "order"},
    ],
    ids=json.dumps,
)
def test_anything_else_around_them_is_an_error(mended: Mend, given: JsonValue) -> None:
    """A key beside the arguments may carry meaning; another name is another tool."""
    assert mended(CLICK, given) is ERROR


def test_what_is_wrong_inside_is_told() -> None:
    """The error is about the arguments, not about the envelope."""
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(CLICK), name="click").mend({"arguments": {"selector": "#go", "count": "many"}})
    assert [problem.path for problem in caught.value.problems] == [("count",)]


def test_a_declared_key_is_no_envelope(mended: Mend) -> None:
    """A tool may have a field `arguments` of its own."""
    spawn: dict[str, JsonValue] = {
        "type": "object",
        "properties": {"program": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["arguments"],
        "additionalProperties": False,
    }
    given = {"arguments": {"program": "backup"}}
    assert mended(spawn, given) is given
    alias: dict[str, JsonValue] = {
        **spawn,
        "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}},
        "required": ["name"],
    }
    named = {"name": "click", "arguments": {"name": "x"}}
    assert mended(alias, named) is named


def test_all_arguments_are_not_taken_for_one_of_them(mended: Mend) -> None:
    """An envelope whose name key is a field, too, is an error and no renamed key."""
    send = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "payload": {"type": "object"}},
        "required": ["name", "payload"],
        "additionalProperties": False,
    }
    assert mended(send, {"name": "click", "arguments": {"name": "a", "payload": {}}}) is ERROR


FIND: Final = {
    "type": "object",
    "properties": {"floor": {"type": "integer"}, "name": {"type": "string"}, "vacant": {"type": "boolean"}},
    "additionalProperties": False,
}


def test_arguments_under_the_first_field_are_lifted(mended: Mend) -> None:
    """The whole object under a field that takes no object is meant for the tool."""
    assert mended(FIND, {"floor": {"name": "Birch", "vacant": "yes"}}) == {"name": "Birch", "vacant": True}
    assert mended(FIND, {"floor": {"floor": 2, "name": "Birch"}}) == {"floor": 2, "name": "Birch"}


@pytest.mark.parametrize(
    "given",
    [
        {"floor": {"title": "Birch"}},
        {"floor": {"name": "Birch", "title": "x"}},
        {"floor": {}},
        {"floor": {"name": "Birch"}, "vacant": True},
        {"floor": {"name": ["a", "b"]}},
    ],
    ids=json.dumps,
)
def test_what_fits_nowhere_is_not_lifted(mended: Mend, given: JsonValue) -> None:
    """An object with keys of another kind, or beside other fields, is an error."""
    assert mended(FIND, given) is ERROR


def test_an_object_that_fits_where_it_is_stays(mended: Mend) -> None:
    """Nothing is lifted out of a field that takes the object."""
    schema = {"type": "object", "properties": {"filter": {"type": "object"}, "limit": {"type": "integer"}}}
    given = {"filter": {"limit": 5}}
    assert mended(schema, given) is given


WEATHER: Final[dict[str, JsonValue]] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": ["integer", "null"]}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "given",
    [
        WEATHER,
        {"properties": WEATHER["properties"]},
        WEATHER["properties"],
        {"name": "weather", "parameters": WEATHER},
        {"city": {"type": "string", "description": "The city"}},
    ],
    ids=json.dumps,
)
def test_a_copy_of_the_schema_is_told_for_what_it_is(given: JsonValue) -> None:
    """The model is told to send values."""
    with pytest.raises(SchemaMismatchError, match="this is the schema itself and holds no values"):
        Mender(compile_schema(WEATHER), name="weather").mend(given)


def test_values_under_properties_are_values(mended: Mend) -> None:
    """`properties` around values is an envelope like others."""
    assert mended(WEATHER, {"properties": {"city": "Rome", "days": 3}}) == {"city": "Rome", "days": 3}
    assert mended(WEATHER, {"type": "object", "properties": {"city": "Rome"}}) is ERROR
