"""Calls that a message tells a second time."""

from __future__ import annotations

import pytest

from toolmend.toolkit import ParseResult, ToolRegistry

RUN = {"type": "object", "properties": {"cmd": {"type": "string"}}, "required": ["cmd"]}
MARKED = '<tool_call>{"name": "run", "arguments": {"cmd": "ls"}}</tool_call>'


@pytest.fixture(scope="module")
def registry() -> ToolRegistry:
    """A tool that runs a command."""
    made = ToolRegistry()
    made.add_schema("run", "", RUN)
    return made


def commands(result: ParseResult) -> list[object]:
    """What is run, in order."""
    return [call.arguments["cmd"] for call in result.calls]


@pytest.mark.parametrize(
    "text",
    [
        '[run(cmd="ls")]\n\nThis lists the files, so the call is:\n\n[run(cmd="ls")]',
        'run(cmd="ls")\n\nIn JSON:\n{"name": "run", "arguments": {"cmd": "ls"}}',
        '{"name": "run", "arguments": {"cmd": "ls"}}\nI call:\nrun("ls")',
        '<tool_call>{"name": "run", "arguments": {"cmd": "ls"}}</tool_call>\nThat is\nfiles = run(cmd="ls")\n',
    ],
)
def test_a_call_that_stands_again_behind_an_explanation_is_made_once(registry: ToolRegistry, text: str) -> None:
    """The form may be another one; what was passed over is on record, and no part of the text."""
    result = registry.parse_text(text)
    assert commands(result) == ["ls"]
    assert [repair.rule for repair in result.repairs] == ["repeated-call"]
    assert "run" not in result.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[run(cmd="ls"), run(cmd="ls")]', ["ls", "ls"]),
        ('run(cmd="ls")\nrun(cmd="ls")', ["ls", "ls"]),
        ('[run(cmd="ls")]\n\nAnd then:\n\n[run(cmd="pwd")]', ["ls", "pwd"]),
        (
            'Action: run\nAction Input: {"cmd": "ls"}\nThought: again\nAction: run\nAction Input: {"cmd": "ls"}',
            ["ls"] * 2,
        ),
        (
            f"{MARKED}\nAgain:\n{MARKED}",
            ["ls", "ls"],
        ),
        ('[run(cmd="ls")]\n\nThe integer is meant:\n\n[run(cmd=1)]', ["ls", "1"]),
    ],
)
def test_calls_side_by_side_with_markers_or_of_actions_are_all_made(
    registry: ToolRegistry, text: str, expected: list[str]
) -> None:
    """A marker, a thought between actions, and a list say that each of them is meant."""
    result = registry.parse_text(text)
    assert commands(result) == expected
    assert not result.repairs
