from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from pydantic import BaseModel, Field

from toolmend.repairs import LOSSLESS, RenameKey
from toolmend.toolkit import ToolDefinitionError, ToolMessage, ToolOptions, ToolRegistry
from toolmend.toolkit.spec import compile_class, compile_raw


class Fill(ToolMessage, name="fill", repairs=[RenameKey("element", to="selector")], policy=LOSSLESS):
    """Type text into a field.

    Attributes:
        selector: where
        text: this is overruled
        nothing: there is no such field
    """

    selector: str
    text: str = Field(description="what")


class Plain(BaseModel):
    """Any class of pydantic will do."""

    number: int


def test_a_class_is_compiled_with_all_that_it_states() -> None:
    """Its rules, its policy, and what its docstring says of its fields."""
    spec = compile_class(Fill)
    assert (spec.name, spec.kind, spec.source, spec.handler) == ("fill", "class", Fill, None)
    assert spec.description == "Type text into a field."
    assert (spec.mender.policy, spec.mender.aliases) == (LOSSLESS, {"element": "selector"})
    assert spec.node is spec.mender.schema
    meanings = {key: member["description"] for key, member in spec.parameters["properties"].items()}
    assert meanings == {"selector": "where", "text": "what"}


def test_a_plain_class_is_a_tool_too() -> None:
    """By its own name and docstring."""
    spec = compile_class(Plain)
    assert (spec.name, spec.description) == ("plain", "Any class of pydantic will do.")
    assert spec.parameters["additionalProperties"] is False


def test_a_tool_cannot_be_changed_but_copied_with_a_handler() -> None:
    """Threads may share it."""
    spec = compile_class(Plain)
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec.name = "other"  # type: ignore[misc]
    assert spec.handled_by(print).handler is print
    assert spec.handler is None
    assert hash(spec) != hash(compile_class(Plain))


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
        {"anyOf": [{"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}]},
        {"properties": {"a": {}}},
    ],
)
def test_an_object_may_be_said_in_many_ways(schema: dict[str, object]) -> None:
    """All that counts is that nothing else may come."""
    assert compile_raw(schema, ToolOptions(name="x")).node.types == {"object"}


def test_a_schema_needs_a_name() -> None:
    """There is nothing to take it from."""
    with pytest.raises(ToolDefinitionError, match="None cannot be the name of a tool"):
        compile_raw({}, ToolOptions())


def test_a_class_of_pydantic_that_is_no_object_is_refused() -> None:
    """Arguments have names."""
    from pydantic import RootModel

    class Numbers(RootModel[list[int]]):
        pass

    with pytest.raises(
        ToolDefinitionError, match="tool numbers: its parameters must be an object, the schema says array"
    ):
        compile_class(Numbers)


def test_a_field_that_goes_by_another_name_is_not_mistaken_for_an_unknown_key() -> None:
    """Where fields have aliases, no lone key is renamed: it may be a field's own name."""

    class Move(ToolMessage, name="move"):
        """Move a thing."""

        target: str
        source: str | None = Field(None, alias="from")

    result = ToolRegistry([Move]).parse_call("move", '{"source": "x"}')
    assert not result.calls
    assert result.errors


@pytest.mark.parametrize("given", [int, list[int], "Fill", Plain(number=1)])
def test_what_is_no_class_of_pydantic_is_no_tool(given: Any) -> None:  # noqa: ANN401
    """The error says what is needed."""
    with pytest.raises(ToolDefinitionError, match="is no tool; give a class of pydantic, with a field for each value"):
        compile_class(given)
