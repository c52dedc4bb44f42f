from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, Field

from toolmend.toolkit import ToolMessage, ToolRegistry


class Inner(BaseModel):
    """What lies within."""

    title: str = "none"


class Note(ToolMessage, name="note"):
    """Write a note."""

    title: str = Field(description="the headline", title="Headline")
    inner: Inner = Inner()
    default: int = 3


PARAMETERS = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "the headline"},
        "inner": {"$ref": "#/$defs/Inner", "default": {"title": "none"}},
        "default": {"type": "integer", "default": 3},
    },
    "required": ["title"],
    "additionalProperties": False,
    "$defs": {
        "Inner": {
            "type": "object",
            "description": "What lies within.",
            "properties": {"title": {"type": "string", "default": "none"}},
            "additionalProperties": False,
        }
    },
}
FUNCTION = {"name": "note", "description": "Write a note.", "parameters": PARAMETERS}


def test_the_shapes_of_the_providers() -> None:
    """Without noise, and a field called title stays."""
    registry = ToolRegistry([Note])
    assert registry.openai_functions() == [FUNCTION]
    assert registry.openai_tools() == [{"type": "function", "function": FUNCTION}]
    assert registry.responses_tools() == [{"type": "function", **FUNCTION, "strict": False}]


@pytest.mark.parametrize("emit", ["openai_functions", "openai_tools", "responses_tools"])
def test_what_is_emitted_belongs_to_the_caller(emit: str) -> None:
    """Changing it changes nothing here."""
    registry = ToolRegistry([Note])
    first: list[dict[str, Any]] = getattr(registry, emit)()
    first[0].get("function", first[0])["parameters"]["properties"].clear()
    assert "title" in str(getattr(registry, emit)())
    assert registry["note"].parameters["properties"]


def test_a_raw_schema_is_told_as_it_is() -> None:
    """It is its author's, titles included."""
    schema = {"type": "object", "title": "T", "properties": {"a": {"title": "A", "type": "string"}}, "x-note": 1}
    registry = ToolRegistry()
    registry.add_schema("raw", "Raw.", schema)
    assert registry.openai_functions() == [{"name": "raw", "description": "Raw.", "parameters": schema}]


def test_no_tools_are_an_empty_list() -> None:
    """For every shape."""
    registry = ToolRegistry()
    assert (registry.openai_tools(), registry.openai_functions(), registry.responses_tools()) == ([], [], [])
    assert (registry.instructions(), registry.example_turns()) == ("", [])
