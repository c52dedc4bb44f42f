from __future__ import annotations

from typing import Any, Final

import pytest

from toolmend.toolkit import ToolRegistry

LOOK: Final[dict[str, Any]] = {"type": "object", "properties": {"p": {"type": "string"}}}
TOOLS: Final = ToolRegistry()
TOOLS.add_schema("look", "", LOOK)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('<tool_call>"name": "look", "arguments": {"p": "x"}}</tool_call>', "not_json"),
        ('Looking. <tool_call>"name": "look", "arguments": {"p": "x"}}</tool_call>', "not_json"),
        ('<tool_call>({"name": "look", "arguments": {"p": "x"}})</tool_call>', "not_json"),
        ('<tool_call>\nname: look\narguments: {"p": "x"}\n</tool_call>', "not_json"),
        ("<tool_call>hello</tool_call>", "no_tool_name"),
        ("Looking.\n<tool_call>\nI look.\n</tool_call>", "no_tool_name"),
        ('[TOOL_CALLS][:"name": "look"]', "not_json"),
        ("<|python_tag|>import os", "no_tool_name"),
    ],
)
def test_an_attempt_behind_a_marker_is_never_prose(text: str, kind: str) -> None:
    """What a marker opens and nothing can read is an error, with the name of the tool if one stands there."""
    result = TOOLS.parse_text(text, finish_reason="stop")
    assert (result.calls, [error.kind for error in result.errors]) == ((), [kind])
    assert result.errors[0].tool == ("look" if kind == "not_json" else None)


@pytest.mark.parametrize(
    "text",
    [
        "Use <tool_call> and </tool_call> around a call.",
        "Use the [TOOL_CALLS] token for it.",
        "The tag <tool_call>hello</tool_call> is wrong.",
        "<tool_call> tags hold the calls.",
    ],
)
def test_a_marker_that_is_spoken_of_is_prose(text: str) -> None:
    """Within a line, or without a closing tag, words behind a marker are no attempt at a call."""
    result = TOOLS.parse_text(text)
    assert (result.items, result.text) == ((), text)


@pytest.mark.parametrize(
    "text",
    [
        "[TOOL_CALLS]look",
        "[TOOL_CALLS]loo",
        "<|tool_call_begin|>functions.look:0",
        "✿FUNCTION✿: look\n✿ARGS✿:",
        "<|channel|>commentary to=functions.look",
        "<|start|>assistant<|channel|>commentary to=functions.look <|constrain|>json",
    ],
)
@pytest.mark.parametrize("reason", [None, "length"])
def test_a_name_with_which_the_text_ends_is_a_call_cut_off(text: str, reason: str | None) -> None:
    """It is told, and never dropped."""
    result = TOOLS.parse_text(text, finish_reason=reason)
    assert (result.calls, [error.kind for error in result.errors]) == ((), ["cut_off"])


def test_arguments_behind_a_call_without_any_belong_to_it() -> None:
    """It does not run without them, and one error tells so."""
    for text in (
        '<tool_call>{"name": "look"}{"p": "x"}</tool_call>',
        '<tool_call>{"name": "look", "arguments": {}}\n{"p": "x"}</tool_call>',
        '[TOOL_CALLS][{"name": "look"}, {"p": "x"}]',
    ):
        result = TOOLS.parse_text(text)
        assert (result.calls, [(error.tool, error.kind) for error in result.errors]) == ((), [("look", "not_json")])


def test_valid_json_behind_a_name_is_taken_as_it_stands() -> None:
    """Escapes in a key behind a bare number change nothing about where the arguments end."""
    registry = ToolRegistry()
    anything: dict[str, Any] = {"a": {"type": ["string", "integer"]}, "b<c": {}}
    registry.add_schema("f", "", {"type": "object", "properties": anything, "additionalProperties": False})
    text = '<function=f>\n{"a": 0, "b\\u003cc": {"\\u003c/parameter>": null}}\n</function>'
    [call] = registry.parse_text(text).calls
    assert call.arguments == {"a": 0, "b<c": {"</parameter>": None}}
    assert call.repairs == ()
