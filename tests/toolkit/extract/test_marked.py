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


ERASE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "force": {"type": "boolean"}},
    "required": ["path"],
    "additionalProperties": False,
}
ERASER: Final = ToolRegistry()
ERASER.add_schema("erase", "", ERASE)
PATH: Final = '<parameter name="path">x</parameter>'


@pytest.mark.parametrize(
    "text",
    [
        f'<invoke name="erase" force="true">{PATH}</invoke>',
        f'<function name="erase" force="true">{PATH}</function>',
        '<function=erase force="true"><parameter=path>x</parameter></function>',
        '<tool_call name="erase" force=true>{"path": "x"}</tool_call>',
        '<tool_call name="erase" arguments=\'{"force": true}\'>{"path": "x"}</tool_call>',
        (
            '<｜DSML｜invoke name="erase" force="true">'
            f"{PATH.replace('<p', '<｜DSML｜p').replace('</p', '</｜DSML｜p')}"
            "</｜DSML｜invoke>"
        ),
        f'<invoke name="erase" note="{"x" * 500}">{PATH}</invoke>',
        f'<invoke name="erase">{PATH}</invoke>\n<parameter name="force">true</parameter>',
        "<function=erase><parameter=path>x</parameter></function><parameter=force>true</parameter></function>",
        (
            "<tool_call>erase\n<arg_key>path</arg_key><arg_value>x</arg_value></tool_call>"
            "<arg_key>force</arg_key><arg_value>true</arg_value></tool_call>"
        ),
    ],
)
def test_arguments_in_a_tag_or_behind_the_call_are_never_dropped(text: str) -> None:
    """A call without them would be another call."""
    result = ERASER.parse_text(text, finish_reason="stop")
    assert (result.calls, [error.tool for error in result.errors]) == ((), ["erase"])
    assert result.text == ""


@pytest.mark.parametrize(
    "text",
    [
        f'<invoke name="erase" id="c1" index=0>{PATH}</invoke>',
        '<tool_call name="erase" id="a=b">{"path": "x"}</tool_call>',
        '<tool_call id="c1">{"name": "erase", "arguments": {"path": "x"}}</tool_call>',
        '<TOOL_CALL>{"name": "erase", "arguments": {"path": "x"}}</TOOL_CALL>',
        '<tool-call>{"name": "erase", "arguments": {"path": "x"}}</tool-call>',
        '<toolcall>{"name": "erase", "arguments": {"path": "x"}}</toolcall>',
        '[TOOL_CALL]erase[ARGS]{"path": "x"}[/TOOL_CALL]',
        "<function=erase>\n<path>x</path>\n</function>\n</tool_call>",
        '<tool_call name="erase"><path>x</path></tool_call>',
        '<x:invoke name="erase"><path>x</path></x:invoke>',
    ],
)
def test_other_spellings_of_a_marker_are_markers(text: str) -> None:
    """Case, hyphens, what is no argument in the tag, and a tag for each parameter within whatever tag."""
    result = ERASER.parse_text(text, finish_reason="stop")
    assert [(call.name, call.arguments) for call in result.calls] == [("erase", {"path": "x"})]
    assert (result.errors, result.text) == ((), "")


def test_a_further_call_of_mistral_needs_no_first_token() -> None:
    """The token in front of its arguments shows it, with an id in front of that or without."""
    text = '[TOOL_CALLS]erase[ARGS]{"path": "x"}erase[ARGS]{"path": "y"} erase[CALL_ID]a1b2[ARGS]{"path": "z"}'
    result = ERASER.parse_text(text, finish_reason="stop")
    assert [call.arguments["path"] for call in result.calls] == ["x", "y", "z"]
    assert (result.errors, result.text) == ((), "")
