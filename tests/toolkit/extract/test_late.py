"""Arguments behind a call that was closed without any."""

from __future__ import annotations

from typing import Any

import pytest

from toolmend.toolkit import ToolRegistry

NOTE: dict[str, Any] = {"type": "object", "properties": {"text": {"type": "string"}, "name": {"type": "string"}}}


@pytest.fixture(scope="module")
def registry() -> ToolRegistry:
    """A tool all of whose parameters may be left out, and one without any."""
    made = ToolRegistry()
    made.add_schema("note", "", NOTE)
    made.add_schema("ping", "", {"type": "object", "properties": {}})
    return made


@pytest.mark.parametrize(
    "given", ['{"text": "a"}', ' {"text": "a"}', '\n{"text": "a"}\n', '\n```json\n{"text": "a"}\n```']
)
@pytest.mark.parametrize(
    "call",
    [
        "<tool_call>note</tool_call>",
        '<tool_call>{"name": "note"}</tool_call>',
        '<tool_call>{"name": "note", "arguments": {}}</tool_call>',
        "<function=note></function>",
    ],
)
def test_an_object_behind_a_call_without_arguments_is_them(registry: ToolRegistry, call: str, given: str) -> None:
    """It was closed too early; without them another call would run than the one that was meant."""
    result = registry.parse_text(call + given)
    assert not result.errors
    assert [(call.name, call.arguments) for call in result.calls] == [("note", {"text": "a"})]
    assert "arguments-behind" in [repair.rule for repair in result.calls[0].repairs]
    assert result.text == ""


@pytest.mark.parametrize("call", ["<tool_call>note</tool_call>", "<tool_call>ping</tool_call>"])
def test_an_object_of_other_keys_on_the_same_line_is_an_error(registry: ToolRegistry, call: str) -> None:
    """Something was meant by it, so that nothing runs."""
    [error] = registry.parse_text(call + '{"size": 1}').errors
    assert error.kind == "not_json"
    assert "stands behind the call" in error.message


@pytest.mark.parametrize("call", ["<tool_call>note</tool_call>", '<tool_call>{"name": "note"}</tool_call>'])
def test_an_object_that_is_cut_off_is_an_error(registry: ToolRegistry, call: str) -> None:
    """The rest of the arguments is missing."""
    result = registry.parse_text(call + '{"text": "a')
    assert [error.kind for error in result.errors] == ["cut_off"]
    assert not result.calls


@pytest.mark.parametrize("name", ["note", "ping"])
@pytest.mark.parametrize("rest", ['\n{"size": 1}', "\n{}", " {curly}", '\nThe note: {"text": "a"}'])
def test_what_stands_apart_is_prose(registry: ToolRegistry, rest: str, name: str) -> None:
    """Other keys on a line of their own, nothing in braces, and words belong to no call."""
    result = registry.parse_text(f"<tool_call>{name}</tool_call>{rest}")
    assert [call.name for call in result.calls] == [name]
    assert not result.errors
    assert result.text == rest.strip()


def test_a_further_call_right_behind_is_one(registry: ToolRegistry) -> None:
    """Its marker was forgotten; it takes nothing from the call in front."""
    text = '<tool_call>note</tool_call> {"name": "ping", "arguments": {}}'
    assert [(call.name, call.arguments) for call in registry.parse_text(text).calls] == [("note", {}), ("ping", {})]


def test_arguments_that_were_given_are_kept(registry: ToolRegistry) -> None:
    """What stands behind them is none."""
    text = '<tool_call>{"name": "note", "arguments": {"text": "a"}}</tool_call>\n{"text": "b"}'
    [call] = registry.parse_text(text).calls
    assert call.arguments == {"text": "a"}
