from __future__ import annotations

import dataclasses
import functools
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, RootModel, TypeAdapter
from typing_extensions import TypedDict

from toolmend.toolkit import ToolDefinitionError, ToolMessage
from toolmend.toolkit.model_schema import parameters_of, reads_more, states_extra, subschemas, without_titles


class Plain(BaseModel):
    a: int


class Ignoring(BaseModel):
    model_config = ConfigDict(extra="ignore")
    a: int


class Allowing(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


@dataclasses.dataclass
class Data:
    a: int


class Typed(TypedDict):
    a: int


class Numbers(RootModel[dict[str, int]]):
    pass


class Node(ToolMessage, name="node"):
    """A tree."""

    value: int
    children: list[Node] = []  # noqa: RUF012 - pydantic copies it


class All(ToolMessage, name="all"):
    plain: Plain
    data: Data
    typed: Typed
    ignoring: Ignoring
    allowing: Allowing
    numbers: Numbers


def test_nested_classes_refuse_unknown_keys_unless_they_say_otherwise() -> None:
    """An unknown key may carry meaning, at any depth."""
    defs = parameters_of(All, "all")["$defs"]
    closed = {name: schema.get("additionalProperties") for name, schema in defs.items()}
    assert closed == {
        "Plain": False,
        "Data": False,
        "Typed": False,
        "Ignoring": None,
        "Allowing": True,
        "Numbers": {"type": "integer"},
    }


def test_a_class_that_refers_to_itself_has_an_object_at_its_root() -> None:
    """Providers take no reference there."""
    schema = parameters_of(Node, "node")
    assert (schema["type"], "$ref" in schema, "description" in schema) == ("object", False, False)
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert schema["$defs"]["Node"]["properties"]["value"] == {"type": "integer"}


def test_titles_are_left_out_and_what_is_called_title_stays() -> None:
    """A property, a value in a default, a key of an enum."""
    given: dict[str, Any] = {
        "title": "T",
        "properties": {"title": {"title": "x", "default": {"title": 1}, "enum": [{"title": 1}]}},
        "$defs": {"title": {"title": "y", "items": {"title": "z"}}},
        "anyOf": [{"title": "u"}],
    }
    assert without_titles(given) == {
        "properties": {"title": {"default": {"title": 1}, "enum": [{"title": 1}]}},
        "$defs": {"title": {"items": {}}},
        "anyOf": [{}],
    }
    assert given["title"] == "T"


def test_only_schemas_are_schemas() -> None:
    """Booleans and values are passed over."""
    given = {"items": True, "properties": {"a": {"not": {"x": 1}}, "b": False}, "default": {"items": {"y": 1}}}
    assert list(subschemas(given)) == [given, {"not": {"x": 1}}, {"x": 1}]


@pytest.mark.parametrize(
    ("kind", "states"), [(Plain, False), (Ignoring, True), (Allowing, True), (All, True), (Node, False)]
)
def test_classes_that_say_what_becomes_of_unknown_keys_are_known(kind: type[BaseModel], states: bool) -> None:
    """Nested ones, too."""
    assert states_extra(kind) is states
    assert reads_more(kind) is False


def test_adapters_are_read_as_classes_are() -> None:
    """A function has one."""
    adapter = TypeAdapter(Plain)
    assert parameters_of(adapter, "x") == parameters_of(Plain, "x")
    assert (reads_more(adapter), states_extra(adapter)) == (False, False)


def test_a_type_without_json_is_the_users_mistake() -> None:
    """The message says so, and names the tool."""

    class Odd(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        code: functools.partial[int]

    with pytest.raises(ToolDefinitionError, match=r"tool odd: its parameters have no JSON Schema: .*; give each"):
        parameters_of(Odd, "odd")


def test_a_type_that_is_not_there_is_the_users_mistake() -> None:
    """Pydantic puts off the question until the class is used."""

    class Odd(BaseModel):
        code: NotThere  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(ToolDefinitionError, match="NotThere"):
        parameters_of(Odd, "odd")
