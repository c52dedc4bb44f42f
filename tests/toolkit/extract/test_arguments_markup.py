from __future__ import annotations

from typing import Any, Final

import pytest

from toolmend.toolkit import STRICT, ToolRegistry

SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["path"],
    "additionalProperties": False,
}
NAMED: Final = "<parameter=path>a <b> c</parameter><parameter=limit>12</parameter>"
WANTED: Final = {"path": "a <b> c", "limit": 12}


def registry() -> ToolRegistry:
    made = ToolRegistry()
    made.add_schema("read_file", "", SCHEMA)
    made.add_schema("drop_file", "", SCHEMA)
    return made


@pytest.mark.parametrize(
    "text",
    [
        "<arg_key>path</arg_key><arg_value>a <b> c</arg_value><arg_key>limit</arg_key><arg_value>12</arg_value>",
        "<parameter=path>a <b> c</parameter>\n<parameter=limit>12</parameter>",
        '<parameter name="path">a <b> c</parameter><parameter name="limit">12</parameter>',
        "<path>a <b> c</path>\n<limit>12</limit>",
        "<read_file>\n<path>a <b> c</path>\n<limit>12</limit>\n</read_file>",
        "<arguments><path>a <b> c</path><limit>12</limit></arguments>",
        f"<tool_call>\n<function=read_file>\n{NAMED}\n</function>\n</tool_call>",
        '<tool_call>{"name": "read_file", "arguments": {"path": "a <b> c", "limit": 12}}</tool_call>',
        f'<invoke name="read_file">{NAMED}</invoke>',
        "read_file(path='a <b> c', limit=12)",
        "functions.read_file('a <b> c', 12)",
        "print(read_file({'path': 'a <b> c', 'limit': 12}))",
        "[\"read_file(path='a <b> c', limit=12)\"]",
        "call:read_file{path:<escape>a <b> c<escape>,limit:12}",
        'Action: read_file\nAction Input: {"path": "a <b> c", "limit": 12}',
    ],
)
def test_markup_in_arguments_is_read_by_its_format(text: str) -> None:
    """A server that passes a text format on unread does no harm; it is on record."""
    [call] = registry().parse_call("read_file", text).calls
    assert call.arguments == WANTED
    assert call.repairs[0].rule == "markup"


@pytest.mark.parametrize(
    "text",
    [
        "<tool_call><function=drop_file><parameter=path>a</parameter></function></tool_call>",
        '<tool_call>{"name": "drop_file", "arguments": {"path": "a"}}</tool_call>',
        "".join(f"<function=read_file><parameter=path>{name}</parameter></function>" for name in "ab"),
        "<path>a</path> and more",
        "<path>a",
        "<parameter=path>a",
        "<function=read_file><parameter=path>a</parameter>",
        "<html><body>a</body></html>",
        "drop_file(path='a')",
        'drop_file({"path": "a"})',
        'drop_file\n{"path": "a"}',
        'functions.drop_file: {"path": "a"}',
        "call:drop_file{path:a}",
        'Action: drop_file\nAction Input: {"path": "a"}',
        '[TOOL_CALLS]drop_file[ARGS]{"path": "a"}',
        '<|channel|>commentary to=functions.drop_file<|message|>{"path": "a"}',
        "read_file(path=variable)",
        "<",
    ],
)
def test_markup_that_means_something_else_is_an_error(text: str) -> None:
    """Another tool, two calls, text beside them, or an end that is missing."""
    result = registry().parse_call("read_file", text)
    assert result.calls == ()
    assert len(result.errors) == 1


def test_a_strict_policy_reads_no_markup() -> None:
    """It is a repair as any other."""
    strict = ToolRegistry(policy=STRICT)
    strict.add_schema("read_file", "", SCHEMA)
    assert strict.parse_call("read_file", "<path>a</path>").calls == ()
