from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.record import Path
from toolmend.repairs.schema import SchemaNode, compile_schema
from toolmend.repairs.text.reading import Reading, may_close

NodeOf = Callable[..., SchemaNode]


@pytest.mark.parametrize("complete", [None, True, False])
def test_a_closed_reading_needs_no_leave(complete: bool | None, node: NodeOf) -> None:
    """Nothing was left open."""
    assert may_close(Reading({}, 2), node("a:text"), complete)


@pytest.mark.parametrize(
    ("value", "full"), [({"a": 1, "b": 2}, True), ({"a": 1}, False), ({}, False), ({"b": 1, "a": 2, "c": 3}, True)]
)
def test_an_open_object_must_be_full(value: dict[str, int], full: bool, node: NodeOf) -> None:
    """Unless the model is known to have stopped by itself; never if it was cut off."""
    reading = Reading(value, 9, unclosed=((),))
    schema = node("a:whole b?:whole")
    assert may_close(reading, schema, None) is full
    assert may_close(reading, schema, True)
    assert not may_close(reading, schema, False)
    assert not may_close(reading, None, None)


@pytest.mark.parametrize(
    ("unclosed", "full"), [(((),), False), ((("who",),), True), ((("who",), ()), False), ((("rows", 0),), False)]
)
def test_each_open_object_is_asked(unclosed: tuple[Path, ...], full: bool, node: NodeOf) -> None:
    """Also those within others."""
    schema = compile_schema(
        {
            "type": "object",
            "properties": {
                "who": {"type": "object", "properties": {"name": {}}},
                "rows": {"type": "array", "items": {"type": "object", "properties": {"a": {}, "b": {}}}},
                "note": {},
            },
        }
    )
    value = {"who": {"name": "Ann"}, "rows": [{"a": 1}]}
    assert may_close(Reading(value, 9, unclosed=unclosed), schema, None) is full


def test_an_object_of_free_keys_is_never_full(node: NodeOf) -> None:
    """A further key may have been about to come."""
    assert not may_close(Reading({"m": {"a": 1}}, 9, unclosed=(("m",),)), node("m:map"), None)
