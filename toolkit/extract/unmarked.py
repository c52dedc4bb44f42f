"""The table of formats without a marker: only their form shows that they are calls, if they stand by themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolmend.toolkit.extract.marker import Example

__all__ = ("HARMONY", "UNMARKED", "Unmarked")


@dataclass(frozen=True, slots=True)
class Unmarked:
    """One format.

    Attributes:
        format: its name, as it stands in results.
        rule: what a block of it must look like to be read.
        examples: who writes it, and how.
    """

    format: str
    rule: str
    examples: tuple[Example, ...]


HARMONY: Final[tuple[Example, ...]] = (
    Example(
        "gpt-oss",
        '<|start|>assistant<|channel|>commentary to=functions.add <|constrain|>json<|message|>{"a": 1}<|call|>',
    ),
    Example(
        "gpt-oss, the recipient first",
        '<|start|>assistant to=functions.add<|channel|>commentary json<|message|>{"a": 1}<|call|>',
    ),
)
"""Messages to tools in the harmony format; what is addressed to nobody, or to the user, is no call."""

UNMARKED: Final[tuple[Unmarked, ...]] = (
    Unmarked(
        "json",
        "an object with a name and its arguments, a list of them, or what an API wraps around them",
        (
            Example("prompted models, Llama 3", '{"name": "add", "parameters": {"a": 1}}'),
            Example("Llama 3", '{"type": "function", "name": "add", "parameters": {"a": 1}}'),
            Example("xLAM 2", '[{"name": "add", "arguments": {"a": 1}}]'),
            Example("xLAM 1", '{"thought": "so", "tool_calls": [{"name": "add", "arguments": {"a": 1}}]}'),
            Example("tools of langroid", '{"request": "add", "a": 1}'),
            Example("OpenAI's shape as text", '{"function_call": {"name": "add", "arguments": "{\\"a\\": 1}"}}'),
            Example(
                "OpenAI's shape as text",
                '{"tool_calls": [{"id": "c1", "type": "function", "function": {"name": "add", '
                '"arguments": "{\\"a\\": 1}"}}]}',
            ),
            Example(
                "OpenAI's shape as text",
                '[{"type": "function", "function": {"name": "add", "arguments": "{\\"a\\": 1}"}}]',
            ),
            Example("prompted models, Gemma 3", '```json\n{"name": "add", "arguments": {"a": 1}}\n```'),
            Example("Command-R, Command-R+", 'Action: ```json\n[{"tool_name": "add", "parameters": {"a": 1}}]\n```'),
        ),
    ),
    Unmarked(
        "pythonic",
        "calls with literal values, in a list, or each on a line",
        (
            Example("Llama 4, Llama 3.2", "[add(a=1)]"),
            Example("ToolACE", "[add(a=1)]"),
            Example("Granite 3.3 and 4", "add(a=1)"),
            Example("Gemma 1 to 3", "```tool_code\nprint(default_api.add(a=1))\n```"),
            Example("small models", '["add", {"a": 1}]'),
        ),
    ),
    Unmarked(
        "react",
        "a line `Action:` with a name, and right behind it `Action Input:`",
        (Example("prompted models (ReAct)", 'Thought: so\nAction: add\nAction Input: {"a": 1}'),),
    ),
    Unmarked(
        "tool-tag",
        "a tag named exactly like a tool, with a tag for each parameter",
        (
            Example("prompted models (Cline, Roo)", "<add>\n<a>1</a>\n</add>"),
            Example("tools of langroid as XML", "<tool>\n<request>add</request>\n<a>1</a>\n</tool>"),
        ),
    ),
    Unmarked(
        "braces",
        "`call:` with the name of a tool and its arguments in braces",
        (Example("Gemma 4 without its tokens", "call:add{a:1}"),),
    ),
    Unmarked(
        "yaml",
        "lines as the whole message, or as a fence",
        (Example("prompted models", "tool: add\narguments:\n  a: 1\n"),),
    ),
    Unmarked(
        "bare",
        "the name of a tool with its arguments right behind it, as the whole message",
        (
            Example("Functionary 3.2, the first `>>>` in the prompt", 'add\n{"a": 1}'),
            Example("small models", "add a=1"),
        ),
    ),
)
"""The formats, in the order in which they are told of."""
