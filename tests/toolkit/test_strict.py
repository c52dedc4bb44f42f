from __future__ import annotations

import enum
import json
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from toolmend.toolkit import STRICT, ToolMessage, ToolRegistry
from toolmend.toolkit.strict import NotStrictError, strict_parameters


def told(member: object, **more: object) -> Any:  # noqa: ANN401
    """The strict schema of one required parameter."""
    schema = {"type": "object", "properties": {"x": member}, "required": ["x"], "additionalProperties": False, **more}
    return strict_parameters(schema)["properties"]["x"]


def optional(member: object) -> Any:  # noqa: ANN401
    """The strict schema of one parameter that may be left out."""
    schema = {
        "type": "object",
        "properties": {"x": member},
        "additionalProperties": False,
        "$defs": {"T": {"type": "string"}},
    }
    made = strict_parameters(schema)
    assert made["required"] == ["x"]
    return made["properties"]["x"]


@pytest.mark.parametrize(
    ("member", "wanted"),
    [
        ({"type": "string"}, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"enum": ["a", "b"], "type": "string"}, {"enum": ["a", "b", None], "type": ["string", "null"]}),
        ({"const": "a", "type": "string"}, {"anyOf": [{"const": "a", "type": "string"}, {"type": "null"}]}),
        ({"enum": ["a"]}, {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}),
        ({"$ref": "#/$defs/T"}, {"anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]}),
        (
            {"$ref": "#/$defs/T", "description": "d"},
            {"description": "d", "anyOf": [{"$ref": "#/$defs/T"}, {"type": "null"}]},
        ),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        ({"type": "integer", "default": 3}, {"type": ["integer", "null"], "description": "(default: 3)"}),
        ({"type": "integer", "default": None}, {"type": ["integer", "null"]}),
    ],
)
def test_what_may_be_left_out_may_be_null(member: dict[str, Any], wanted: dict[str, Any]) -> None:
    """All keys are required in this mode."""
    assert optional(member) == wanted


@pytest.mark.parametrize(
    ("member", "wanted"),
    [
        ({"type": "string", "minLength": 2, "description": "d"}, {"type": "string", "description": "d (minLength: 2)"}),
        ({"type": "string", "format": "uri"}, {"type": "string", "description": '(format: "uri")'}),
        ({"type": "string", "format": "date", "title": "T"}, {"type": "string", "format": "date"}),
        ({"type": "integer", "minimum": 2}, {"type": "integer", "minimum": 2}),
        ({"allOf": [{"type": "string"}]}, {"anyOf": [{"type": "string"}]}),
        ({"$ref": "#/$defs/T", "description": "d"}, {"description": "d", "anyOf": [{"$ref": "#/$defs/T"}]}),
    ],
)
def test_what_the_mode_does_not_know_is_told_in_words(member: dict[str, Any], wanted: dict[str, Any]) -> None:
    """The call is judged by it all the same."""
    assert told(member, **{"$defs": {"T": {"type": "string"}}}) == wanted


@pytest.mark.parametrize(
    ("member", "said"),
    [
        ({}, "any value"),
        ({"type": "object"}, "free keys"),
        ({"type": "object", "properties": {}, "additionalProperties": {"type": "string"}}, "free keys"),
        ({"type": "array"}, "a list of any values"),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, "`prefixItems`"),
        ({"oneOf": [{"type": "string"}, {"type": "null"}]}, "`oneOf` without a tag"),
        ({"allOf": [{"type": "string"}, {"minLength": 2}]}, "`allOf`|any value"),
        ({"type": "string", "nullable": True}, "`nullable`"),
        ({"type": "string", "not": {"const": "a"}}, "`not`"),
    ],
)
def test_what_would_mean_something_else_is_refused(member: dict[str, Any], said: str) -> None:
    """The reason names what stands in the way."""
    with pytest.raises(NotStrictError, match=said):
        told(member)


def test_the_parameters_must_be_one_object() -> None:
    """Alternatives of whole argument lists cannot be told."""
    with pytest.raises(NotStrictError, match="not one plain object"):
        strict_parameters({"anyOf": [{"type": "object"}]})


class Colour(enum.Enum):
    red = "red"
    blue = "blue"


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"]
    friend: Dog | None = None


class Adopt(ToolMessage, name="adopt"):
    """Adopt an animal."""

    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    colour: Colour = Field(Colour.red, description="of the collar")
    names: list[str] = Field(default_factory=list, max_length=3)
    age: int | None = None


def test_a_class_with_all_of_it_can_be_told() -> None:
    """Nested classes, tagged unions, recursion, enums and defaults."""
    [tool] = ToolRegistry([Adopt]).openai_tools(strict=True)
    function = tool["function"]
    assert function["strict"] is True
    parameters = function["parameters"]
    assert parameters["required"] == ["pet", "colour", "names", "age"]
    assert parameters["properties"]["pet"] == {"anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}
    colour = {"description": 'of the collar (default: "red")', "anyOf": [{"$ref": "#/$defs/Colour"}, {"type": "null"}]}
    assert parameters["properties"]["colour"] == colour
    assert parameters["$defs"]["Cat"]["required"] == ["kind", "lives"]
    assert parameters["$defs"]["Dog"]["properties"]["friend"] == {"anyOf": [{"$ref": "#/$defs/Dog"}, {"type": "null"}]}


def test_what_the_mode_makes_the_model_write_means_the_same() -> None:
    """A null for a key that may be left out counts as left out."""
    text = '{"pet": {"kind": "cat", "lives": null}, "colour": null, "names": null, "age": null}'
    [call] = ToolRegistry([Adopt]).parse_call("adopt", text).calls
    assert call.message == Adopt(pet=Cat(kind="cat"))
    assert call.arguments == {"pet": {"kind": "cat"}, "age": None}


def test_a_tool_that_cannot_be_told_is_given_without_the_mode() -> None:
    """Never with another meaning; the reasons can be asked for."""
    registry = ToolRegistry([Adopt])
    free = {"type": "object", "properties": {"a": {"type": "object"}}, "additionalProperties": False}
    registry.add_schema("free", "", free)
    assert [tool["function"]["strict"] for tool in registry.openai_tools(strict=True)] == [True, False]
    assert [tool["strict"] for tool in registry.responses_tools(strict=True)] == [True, False]
    assert registry.openai_tools(strict=True)[1]["function"]["parameters"] == free
    assert registry.strict_obstacles() == {"free": "an object with free keys"}


def test_a_policy_that_takes_no_null_for_nothing_stands_in_the_way() -> None:
    """Each call would be refused for its nulls."""
    registry = ToolRegistry([Adopt], policy=STRICT)
    assert "policy" in registry.strict_obstacles()["adopt"]
    assert registry.openai_tools(strict=True)[0]["function"]["strict"] is False


def test_the_tools_own_schema_is_not_touched() -> None:
    """It is what calls are judged by."""
    registry = ToolRegistry([Adopt])
    before = json.dumps(registry["adopt"].parameters)
    registry.openai_tools(strict=True)
    assert json.dumps(registry["adopt"].parameters) == before
