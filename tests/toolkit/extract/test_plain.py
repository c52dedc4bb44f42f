from __future__ import annotations

import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field

from toolmend.toolkit import ToolMessage, ToolRegistry
from toolmend.toolkit.extract.plain import read_plain
from toolmend.toolkit.extract.source import Source


class Note(ToolMessage, name="note"):
    """Write a note."""

    text: str
    pages: list[int] = Field(default_factory=list)


SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "pages": {"type": "array", "items": {"type": "integer"}}},
    "required": ["text"],
    "additionalProperties": False,
}


def _registry(*, is_class: bool) -> ToolRegistry:
    registry = ToolRegistry([Note] if is_class else [])
    if not is_class:
        registry.add_schema("note", "Write a note.", SCHEMA)
    return registry


@pytest.mark.parametrize("is_class", [True, False])
@given(
    text=st.text(st.characters(codec="utf-8")),
    pages=st.lists(st.integers(0, 99)),
    key=st.sampled_from(["arguments", "parameters"]),
)
def test_a_call_in_the_usual_form_is_read_as_it_stands(is_class: bool, text: str, pages: list[int], key: str) -> None:
    """Its arguments are those that the standard decoder reads, and nothing is on record."""
    arguments = {"text": text, "pages": pages}
    call = json.dumps({"name": "note", key: arguments})
    registry = _registry(is_class=is_class)
    found = read_plain(Source(f"> {call} <", registry.specs), 2)
    assert found is not None
    [part] = found.parts
    assert (part.name, part.span, found.end) == ("note", (2, 2 + len(call)), 2 + len(call))
    assert json.loads(part.arguments) == arguments
    result = registry.parse_text(f"<tool_call>{call}</tool_call>")
    assert [(one.name, one.arguments, one.repairs) for one in result.calls] == [("note", arguments, ())]


@pytest.mark.parametrize("is_class", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        '{"name": "other", "arguments": {"text": "a"}}',
        '{"name": "Note", "arguments": {"text": "a"}}',
        '{"name": "note", "arguments": {}}',
        '{"name": "note", "arguments": {"text": 1}}',
        '{"name": "note", "arguments": {"text": "a", "text": "a"}}',
        '{"name": "note", "arguments": {"text": "\\ud800"}}',
        '{"name": "note", "arguments": {"text": "a"}, "id": "7"}',
        '{"name": "note", "arguments": {"text": "a",}}',
        '{"name": "note", "arguments": {"text": "a"}',
        '{"name": "note", "arguments": "{}"}',
        '{"arguments": {"text": "a"}, "name": "note"}',
    ],
)
def test_anything_else_has_to_be_read_with_care(is_class: bool, text: str) -> None:
    """What is not valid as it stands, or holds more than a name and arguments, is left to the reader that forgives."""
    assert read_plain(Source(text, _registry(is_class=is_class).specs), 0) is None


@pytest.mark.parametrize("key", ["arguments", "parameters"])
def test_a_parameter_may_have_the_name_of_the_envelope(key: str) -> None:
    """Then it has to be found out which of the two stands there."""
    registry = ToolRegistry()
    registry.add_schema("run", "Run.", {"type": "object", "properties": {key: {"type": "object"}}})
    assert read_plain(Source(json.dumps({"name": "run", key: {"a": 1}}), registry.specs), 0) is None
