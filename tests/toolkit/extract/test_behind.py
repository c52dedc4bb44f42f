from __future__ import annotations

from typing import Any, Final

import pytest

from toolmend.toolkit import ParseResult, ToolRegistry


def schema(required: list[str], **properties: dict[str, Any]) -> dict[str, Any]:
    """A closed object."""
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


TEXT: Final = {"type": "string"}
TOOLS: Final = ToolRegistry()
TOOLS.add_schema("remove", "", schema(["path"], path=TEXT, dry_run={"type": "boolean"}))
TOOLS.add_schema("weather", "", schema(["city"], city=TEXT, days={"type": "integer"}))
TOOLS.add_schema("look", "", schema([], x={"type": "integer"}))


def calls(result: ParseResult) -> list[tuple[str, dict[str, Any]]]:
    """Names and arguments of the calls."""
    return [(call.name, call.arguments) for call in result.calls]


def kinds(result: ParseResult) -> list[str]:
    """Kinds of the errors."""
    return [error.kind for error in result.errors]


# ---------------------------------------------------------------------- what stands behind a value


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "remove", "arguments": {"path": "/"}}, "dry_run": true}</tool_call>',
        '<tool_call>{"name": "remove", "arguments": {"path": "/"}} "dry_run": true}</tool_call>',
        '<tool_call>{"name": "remove", "arguments": {"path": "/"}}}, dry_run: true}</tool_call>',
        '<tool_call>{"name": "remove", "arguments": {"path": "/"}} but only for show</tool_call>',
        "<tool_call>{'name': 'remove', 'arguments': {'path': '/'}}, 'dry_run': True}</tool_call>",
        '[TOOL_CALLS]remove{"path": "/"}, "dry_run": true}',
        '[TOOL_CALLS][{"name": "remove", "arguments": {"path": "/"}}], "dry_run": true}',
        '<function=remove>{"path": "/"}, "dry_run": true}</function>',
        '<|tool_call_begin|>functions.remove:0<|tool_call_argument_begin|>{"path": "/"} dry-run<|tool_call_end|>',
        '{"name": "remove", "arguments": {"path": "/"}},\n"dry_run": true}',
        '{"name": "remove", "arguments": {"path": "/"}}, "dry_run": true}',
        'Action: remove\nAction Input: {"path": "/"}, "dry_run": true}',
        'Action: remove\nAction Input: {"path": "/"},\n"dry_run": true}',
        'remove(path="/"), dry_run=True',
        'remove(path="/") dry_run=True',
        'remove(path="/")  # dry_run=True',
        '<tool_call>{"name": "look"}"arguments": {"x": 1}}</tool_call>',
        '<tool_call>{"name": "look")"arguments": {"x": 1}}</tool_call>',
        '{"name": "look"}, "arguments": {"x": 1}}',
    ],
)
def test_a_call_does_not_run_without_the_rest_of_it(text: str) -> None:
    """A member behind the value, or words in front of its closing tag, may belong to the call: it is an error."""
    result = TOOLS.parse_text(text, finish_reason="stop")
    assert (calls(result), kinds(result)) == ([], ["not_json"])


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ('[TOOL_CALLS]remove{"path": "/"}\nNote: that was all.', "Note: that was all."),
        ('<tool_call>{"name": "remove", "arguments": {"path": "/"}}</tool_call>\nPath: the root.', "Path: the root."),
        ('{"name": "remove", "arguments": {"path": "/"}}\nDone: "all" of it.', 'Done: "all" of it.'),
        ('remove(path="/")\nresult: nothing', "result: nothing"),
    ],
)
def test_prose_behind_a_call_is_prose(text: str, prose: str) -> None:
    """What names no parameter, or stands on a line of its own, does not belong to the call."""
    result = TOOLS.parse_text(text)
    assert (calls(result), kinds(result), result.text) == ([("remove", {"path": "/"})], [], prose)


@pytest.mark.parametrize("closers", ["}", "}}", "]", "}\n]"])
def test_closers_too_many_behind_a_marked_call_are_on_record(closers: str) -> None:
    """They mean nothing, and passing over them is a repair."""
    text = '<tool_call>{"name": "look", "arguments": {}}' + closers + "</tool_call>"
    [call] = TOOLS.parse_text(text).calls
    assert [repair.rule for repair in call.repairs] == ["extra-closer"]
    assert TOOLS.parse_text(text).text == ""


def test_a_comment_behind_a_call_is_on_record() -> None:
    """It is passed over where it can be no argument."""
    result = TOOLS.parse_text('remove(path="/")  # clean up')
    assert [[repair.rule for repair in call.repairs] for call in result.calls] == [["comment"]]
    assert result.text == ""


# ---------------------------------------------------------------------- texts that stop in the middle


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "weather", "arguments": {"city": "Oslo"}},',
        '[{"name": "weather", "arguments": {"city": "Oslo"}},\n',
        '[TOOL_CALLS][{"name": "weather", "arguments": {"city": "Oslo"}},',
        '<tool_calls>[{"name": "weather", "arguments": {"city": "Oslo"}},\n</tool_calls>',
        '[weather(city="Oslo"),',
        '<|tool_call_start|>[weather(city="Oslo"), ',
    ],
)
@pytest.mark.parametrize("reason", [None, "stop", "length"])
def test_a_list_that_is_open_behind_a_comma_is_cut_off(text: str, reason: str | None) -> None:
    """Something was to follow, whatever the reason is that is told."""
    result = TOOLS.parse_text(text, finish_reason=reason)
    assert (calls(result), kinds(result)) == ([], ["cut_off"])


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Action: look\nAction Input:", ("look", {})),
        ("Action: look\nAction Input: ", ("look", {})),
        ('name: weather\narguments:\n  city: "Oslo"\n', ("weather", {"city": "Oslo"})),
        ("name: look\narguments:", ("look", {})),
        ("[TOOL_CALLS]look", ("look", {})),
        ("<|tool_call_begin|>functions.look:0", ("look", {})),
        ("✿FUNCTION✿: look\n✿ARGS✿:", ("look", {})),
    ],
)
def test_lines_that_may_go_on_are_complete_only_if_the_model_stopped(text: str, call: tuple[str, Any]) -> None:
    """Optional arguments may have followed on the next line."""
    assert calls(TOOLS.parse_text(text, finish_reason="stop")) == [call]
    for reason in (None, "length"):
        result = TOOLS.parse_text(text, finish_reason=reason)
        assert (calls(result), kinds(result)) == ([], ["cut_off"])


def test_lines_with_every_parameter_are_complete() -> None:
    """Nothing can follow behind the last parameter, if its value is closed."""
    text = 'name: weather\narguments:\n  days: 2\n  city: "Oslo"\n'
    assert calls(TOOLS.parse_text(text)) == [("weather", {"city": "Oslo", "days": 2})]


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "weather", "arguments": {"city": "Oslo"}',
        '[{"name": "weather", "arguments": {"city": "Oslo"}}',
        '[weather(city="Oslo")',
        '<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}',
    ],
)
def test_the_length_limit_lets_no_bracket_be_closed(text: str) -> None:
    """A call whose envelope is open runs, unless the model is known to have been cut off."""
    assert calls(TOOLS.parse_text(text)) == [("weather", {"city": "Oslo"})]
    result = TOOLS.parse_text(text, finish_reason="length")
    assert (calls(result), kinds(result)) == ([], ["cut_off"])


@pytest.mark.parametrize(
    "text",
    [
        "<function=weather><parameter=city>",
        "<function=weather><parameter=city>\n",
        "<function=weather><parameter=city>Oslo</parameter>\n<parameter=",
        "<function=weather><parameter=city>Oslo</parameter>\n<parameter=days",
        "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>",
        "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>",
        '<invoke name="weather"><parameter name="city">Oslo</parameter>\n<parameter name="days">',
    ],
)
@pytest.mark.parametrize("reason", [None, "stop", "length"])
def test_fields_that_stop_in_a_tag_are_cut_off(text: str, reason: str | None) -> None:
    """A value does not go on over its own closing tag, and an empty one behind which the text ends is none."""
    result = TOOLS.parse_text(text, finish_reason=reason)
    assert (calls(result), kinds(result)) == ([], ["cut_off"])


def test_a_list_of_lines_may_go_on() -> None:
    """Nothing closes it, so that it is complete only if the model stopped by itself."""
    registry = ToolRegistry()
    registry.add_schema("tag", "", schema(["tags"], tags={"type": "array", "items": TEXT}))
    text = 'name: tag\narguments:\n  tags:\n    - "a"\n    - "b"\n'
    assert kinds(registry.parse_text(text)) == ["cut_off"]
    assert calls(registry.parse_text(text, finish_reason="stop")) == [("tag", {"tags": ["a", "b"]})]
