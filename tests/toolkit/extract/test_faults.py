from __future__ import annotations

from typing import Any, Final

import pytest

from toolmend.toolkit import ToolRegistry

TEXT: Final[dict[str, Any]] = {"type": "object", "properties": {"p": {"type": "string"}}, "required": ["p"]}
NUMBER: Final[dict[str, Any]] = {"type": "object", "properties": {"x": {"type": "integer"}}}
TOOLS: Final = ToolRegistry()
TOOLS.add_schema("write", "", TEXT)
TOOLS.add_schema("look", "", NUMBER)
GOOD: Final = '{"name": "look", "arguments": {"x": 1}}'
BAD: Final = '{"name": "write", "arguments": {"p": f(x)}}'


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{BAD}</tool_call>\n<tool_call>{GOOD}</tool_call>",
        f"<tool_call>\n{BAD}\n</tool_call>\n<tool_call>\n{GOOD}\n</tool_call>",
        f"<tool_calls>\n{BAD}\n{GOOD}\n</tool_calls>",
        '[TOOL_CALLS]write{"p": f(x)}[TOOL_CALLS]look{"x": 1}',
        f"[TOOL_CALLS][{BAD}, {GOOD}]",
        f"{BAD}\n{GOOD}",
        f"[{BAD}, {GOOD}]",
        '<function=write>{"p": f(x)}</function><function=look>{"x": 1}</function>',
    ],
)
def test_a_faulty_call_does_not_swallow_the_next_one(text: str) -> None:
    """Where quotes and brackets tell its end, the error is its own, and the later call runs."""
    result = TOOLS.parse_text(text)
    assert [(error.tool, error.kind) for error in result.errors] == [("write", "not_json")]
    assert [(call.name, call.arguments) for call in result.calls] == [("look", {"x": 1})]
    assert "was not read" not in result.errors[0].message


@pytest.mark.parametrize(
    "arguments",
    [
        '{"p": "a" b "}',
        '{"p": "say "hi", f(x) to}',
        '{"p": f(x]}',
        '{"p": f(x)}} and "more',
        '{"p": f(x)',
    ],
)
def test_an_error_tells_that_later_calls_were_not_read(arguments: str) -> None:
    """Where the end of a faulty call is not known, what looks like a later one may be part of a string."""
    text = f'<tool_call>{{"name": "write", "arguments": {arguments}}}</tool_call>\n<tool_call>{GOOD}</tool_call>'
    result = TOOLS.parse_text(text)
    assert result.calls == ()
    [error] = result.errors
    assert (error.tool, error.kind) == ("write", "not_json")
    assert "what follows it in the message was not read" in error.message


def test_a_call_within_a_string_of_a_faulty_call_is_never_run() -> None:
    """It is text, however the strings around it are broken."""
    inner = f"<tool_call>{GOOD}</tool_call>"
    for arguments in (f'{{"p": "use {inner}", "q": f(x)}}', f'{{"p": "a" {inner} b"}}', f"{{'p': 'it's {inner}'}}"):
        text = f'<tool_call>{{"name": "write", "arguments": {arguments}}}</tool_call>'
        assert "look" not in [call.name for call in TOOLS.parse_text(text).calls]


# ---------------------------------------------------------------------- a brace missing in front of what closes a call


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>{GOOD[:-1]}</tool_call>",
        f"Looking.\n<tool_call>\n{GOOD[:-1]}\n</tool_call>\nDone.",
        f"```json\n{GOOD[:-1]}\n```",
        f"<tool_call>{GOOD[:-1]}</tool_call><|im_end|>",
        f"{GOOD[:-1]}<|im_end|>",
        f"<|tool_call_begin|>{GOOD[:-1]}<|tool_call_end|>",
        f"<tool_call>{GOOD[:-2]}</tool_call>",
    ],
)
def test_a_closing_tag_or_fence_closes_the_envelope(text: str) -> None:
    """Nothing can follow where the call is closed as a whole and its arguments have every parameter."""
    result = TOOLS.parse_text(text)
    if '"x": 1<' in text:
        assert (result.calls, [error.tool for error in result.errors]) == ((), ["look"])
        return
    assert not result.errors
    [call] = result.calls
    assert (call.name, call.arguments) == ("look", {"x": 1})
    assert [repair.rule for repair in call.repairs] == ["missing-closer"]


def test_several_calls_without_their_last_brace_are_several() -> None:
    """Each ends at its own closing tag."""
    text = f"<tool_call>{GOOD[:-1]}</tool_call>\n" * 3
    result = TOOLS.parse_text(text)
    assert ([call.arguments for call in result.calls], result.errors) == ([{"x": 1}] * 3, ())


def test_arguments_open_in_front_of_a_closing_tag_may_lack_some() -> None:
    """They are closed if the model stopped by itself, or if every parameter is there."""
    registry = ToolRegistry()
    registry.add_schema("both", "", {**TEXT, "properties": {**TEXT["properties"], "q": {"type": "string"}}})
    text = '<tool_call>{"name": "both", "arguments": {"p": "a"</tool_call>'
    assert [error.kind for error in registry.parse_text(text).errors] == ["cut_off"]
    assert [call.arguments for call in registry.parse_text(text, finish_reason="stop").calls] == [{"p": "a"}]


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "write", "arguments": {"p": "a </tool_call>\n b',
        '<tool_call>{"name": "write", "arguments": {"p": "a",</tool_call>',
        '<tool_call>{"name": "write", "arguments": {"p":</tool_call>',
        '<tool_call>{"name": "write", "arguments": {"p": ["a"</tool_call>',
    ],
)
@pytest.mark.parametrize("reason", [None, "stop", "length"])
def test_a_closing_tag_completes_nothing(text: str, reason: str | None) -> None:
    """Inside a string or a list, behind a comma or a colon something is missing, whatever closes the call."""
    result = TOOLS.parse_text(text, finish_reason=reason)
    assert (result.calls, [error.tool for error in result.errors]) == ((), ["write"])
