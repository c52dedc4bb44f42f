"""Texts made to be expensive, or to slip past the bounds: each ends soon, in a result."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Final

import pytest

from toolmend.toolkit import ToolRegistry
from toolmend.toolkit.extract.source import MAX_CALLS

SIZE: Final = 150_000
PARAMETERS: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
    "required": ["a"],
}
CALL: Final = '{"name": "click", "arguments": {"a": "x"}}'
UNITS: Final = {
    "braces": "{",
    "brackets": "[",
    "lines of braces": "{\n",
    "lists": "[f(",
    "lists on lines": "[f(\n",
    "calls without end": "f(\n",
    "open strings in calls": 'f(a="\n',
    "quoted calls": '["f(a=1)",\n',
    "half quoted calls": '"f(\n',
    "fences": "```\n",
    "marks": "```",
    "code": "` `` ``` ",
    "code without blanks": "a``b`c",
    "quotes": '"',
    "backslashes": "\\",
    "open objects": '{"name": "click", "arguments": {"a": "x\n',
    "unfinished objects": '{"name": "click"\n',
    "name keys": '"name": "f" ',
    "markers": "<tool_call>",
    "markers and blanks": "<tool_call>" + " " * 50,
    "markers and names": "<tool_call>f ",
    "broken calls": '<tool_call>{"name": "click", "arguments": {"a": {x}}}</tool_call>\n',
    "closing tags": "</tool_call> ",
    "opened thoughts": "<think>",
    "closed thoughts": "</think>",
    "thoughts in lines": "a <think> b\n",
    "functions": "<function=f>",
    "parameters": "<function=f><parameter=a>",
    "parameters closed in vain": "<function=f><parameter=a></parameter>x",
    "pairs": "<tool_call>f<arg_key>a</arg_key><arg_value>",
    "tags of tools": "<f>\n<a>\n",
    "tokens": "<|im_start|>",
    "half tokens": "<|",
    "ends": "</s>",
    "ends of turns": "<|im_end|>\n",
    "separators": "<|message_sep|>\n",
    "attributes": "<function=f a=",
    "names in tags": '<tool_call name="f" ',
    "parameters behind": "<function=f></function><parameter=a>",
    "shown": '<example a="',
    "results": "<tool_response>",
    "documents": '{"a": "<tool_call>"}\n',
    "arguments": "[ARGS]",
    "mistral without its first token": "f[ARGS]",
    "mistral": "[TOOL_CALLS]f",
    "kimi": "f<|tool_call_argument_begin|>",
    "kimi without tokens": "functions.f:0{",
    "deepseek without its first token": "function<|tool_sep|>",
    "recipients": ">>>f\n{",
    "recipients of text": ">>>all\n",
    "lost headers": "commentary to=f json{",
    "headers in front": "to=f<|channel|>commentary ",
    "bodies of messages": "to=f<|message|>{",
    "harmony": "<|channel|>commentary to=f<|message|>",
    "gemma": "<|tool_call>call:f{a:",
    "minimax": ']<]minimax[>[<invoke name="f">]<]minimax[>[<a>',
    "minimax without tokens": ']<]minimax[>[<invoke name="f">]<]minimax[>[<a></a> ',
    "parameters given twice": "<function=f><parameter=a>1</parameter><parameter=a>2</parameter>",
    "actions": "Action: f\nAction Input: x\n",
    "labels": "Action: \n",
    "yaml": "name: f\narguments:\n  a: 1\n",
    "dots": "a.b(",
    "blanks": " ",
    "lines": "\n",
    "quoted lines": "> \n",
}


def _registry() -> ToolRegistry:
    made = ToolRegistry()
    made.add_schema("f", "", PARAMETERS)
    made.add_schema("click", "", PARAMETERS)
    return made


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", UNITS)
def test_a_text_that_repeats_one_thing_ends_soon(name: str) -> None:
    """However often an opener is repeated, the text is read in bounded work, and gives few items."""
    unit = UNITS[name]
    result = _registry().parse_text(unit * (SIZE // len(unit)))
    assert len(result.items) <= MAX_CALLS + 1


@pytest.mark.timeout(20)
@pytest.mark.parametrize("name", ["braces", "code", "functions", "half tokens", "lines of braces", "markers", "tokens"])
def test_a_million_characters_that_open_something_end_soon(name: str) -> None:
    """What is opened over and over and never closed is read in bounded work, whatever the size."""
    unit = UNITS[name]
    assert len(_registry().parse_text(unit * (1_000_000 // len(unit))).items) <= MAX_CALLS + 1


@pytest.mark.parametrize("name", UNITS)
def test_twice_the_text_is_at_most_twice_the_steps(name: str) -> None:
    """What is added to a text costs no more the longer the text is already, counted in calls of functions."""
    registry, unit = _registry(), UNITS[name]
    _steps(registry, unit * 10)  # what is done only once
    small, middle, large = (_steps(registry, unit * times) for times in (150, 300, 600))
    assert large - middle <= 2.2 * (middle - small) + 500


def _steps(registry: ToolRegistry, text: str) -> int:
    """How many functions are called to read a text, those of the interpreter included."""
    steps = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal steps
        steps += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        registry.parse_text(text)
    finally:
        sys.setprofile(before)
    return steps


def test_fences_in_fences_behind_a_marker_are_an_error_and_no_crash() -> None:
    """However many there are."""
    [error] = _registry().parse_text("<tool_call>" + "```json\n" * 20_000 + "</tool_call>").errors
    assert error.kind == "no_tool_name"


@pytest.mark.timeout(30)
def test_more_calls_than_anyone_means_are_an_error() -> None:
    """The first calls come out, and an error says that there were too many."""
    text = f"{CALL}\n" * (MAX_CALLS + 50)
    result = _registry().parse_text(text)
    assert len(result.calls) == MAX_CALLS
    assert [error.kind for error in result.errors] == ["too_large"]


@pytest.mark.timeout(30)
def test_fences_with_prose_between_do_not_count_however_many_there_are() -> None:
    """The bound on calls lets none through that would else be dropped."""
    text = f"```json\n{CALL}\n```\nprose\n" * (MAX_CALLS + 50)
    assert _registry().parse_text(text).calls == ()


@pytest.mark.parametrize("depth", [50, 500, 100_000])
def test_deep_nesting_is_an_error_and_no_crash(depth: int) -> None:
    """Arguments nested beyond all bounds are refused."""
    text = '<tool_call>{"name": "f", "arguments": ' + '{"a": ' * depth
    result = _registry().parse_text(text)
    assert result.calls == ()
    assert len(result.errors) == 1


def test_a_call_at_the_end_of_a_long_text_is_found() -> None:
    """Much prose in front of a call changes nothing."""
    text = "The quick brown fox (and others) jumps.\n" * 5_000 + f"<tool_call>{CALL}</tool_call>"
    [call] = _registry().parse_text(text).calls
    assert call.arguments == {"a": "x"}
