from __future__ import annotations

import pytest

from toolmend.toolkit import STRICT, CallError, ToolRegistry
from toolmend.toolkit.outcome import ErrorKind

SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["path"],
    "additionalProperties": False,
}


def registry(**options: object) -> ToolRegistry:
    made = ToolRegistry(**options)  # type: ignore[arg-type]
    made.add_schema("read_file", "", SCHEMA)
    return made


@pytest.mark.parametrize("name", ["functions.read_file", "Read_File", "read_file()", "read_file:0", "readFile"])
def test_a_name_is_mended_on_record(name: str) -> None:
    """If one registered name remains."""
    [call] = registry().parse_call(name, '{"path": "a"}').calls
    assert call.name == "read_file"
    assert [repair.rule for repair in call.repairs] == ["tool-name"]


@pytest.mark.parametrize(
    ("name", "kind"),
    [("read_files", "unknown_tool"), ("None", "unknown_tool"), ("", "no_tool_name"), ("  ", "no_tool_name")],
)
def test_a_call_through_the_api_is_always_answered(name: str, kind: ErrorKind) -> None:
    """Its id waits for an answer, whatever the name."""
    [error] = registry().parse_call(name, "{}", id="c").errors
    assert (error.kind, error.id, error.raw) == (kind, "c", "{}")


def test_a_registry_without_tools_knows_no_name() -> None:
    """The text says that there are none."""
    [error] = ToolRegistry().parse_call("x", "{}").errors
    assert "No tools are available." in error.message


@pytest.mark.parametrize(
    "text",
    [
        "<arg_key>path</arg_key><arg_value>a.txt</arg_value><arg_key>limit</arg_key><arg_value>12</arg_value>",
        "<tool_call><function=read_file><parameter=path>a.txt</parameter><parameter=limit>12</parameter></function></tool_call>",
        "<path>a.txt</path><limit>12</limit>",
    ],
)
def test_arguments_in_the_markup_of_a_text_format_are_read_as_that(text: str) -> None:
    """Some servers pass on what they did not understand."""
    [call] = registry().parse_call("read_file", text, finish_reason="stop").calls
    assert call.arguments == {"path": "a.txt", "limit": 12}
    assert call.repairs
    assert registry(policy=STRICT).parse_call("read_file", text).errors


def test_markup_of_another_tool_is_an_error() -> None:
    """The API names one, the markup another."""
    text = "<tool_call><function=drop><parameter=path>a</parameter></function></tool_call>"
    [item] = registry().parse_call("read_file", text).items
    assert isinstance(item, CallError)


def test_the_finish_reason_is_kept() -> None:
    """With calls as with errors."""
    assert registry().parse_call("read_file", "{}", finish_reason="stop").finish_reason == "stop"
    assert registry().parse_text("Hello.", finish_reason="stop").finish_reason == "stop"


@pytest.mark.parametrize("in_text", [False, True])
def test_a_call_keeps_so_many_records_and_counts_the_rest(in_text: bool) -> None:
    """What leaves the pipeline is bounded, whichever way it came."""
    tools = ToolRegistry()
    words = {"type": "array", "items": {"type": "string"}}
    tools.add_schema("tag", "Tag a page.", {"type": "object", "properties": {"words": words}})
    items = ", ".join(["'a'"] * 150)
    arguments = f"{{'words': [{items}]}}"
    text = f'<tool_call>{{"name": "tag", "arguments": {arguments}}}</tool_call>'
    result = tools.parse_text(text) if in_text else tools.parse_call("tag", arguments)
    (call,) = result.calls
    assert call.arguments == {"words": ["a"] * 150}
    assert [repair.rule for repair in call.repairs] == ["quote-style"] * 100 + ["more-repairs"]
    assert call.repairs[-1].after == "51 more"
