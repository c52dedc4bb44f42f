"""The calls of one message of Chat Completions: read, and written again where they were mended."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from toolmend.toolkit.integrations._declared import declared_tool
from toolmend.toolkit.outcome import CallError, ParseResult, ToolCall
from toolmend.toolkit.registry import ToolRegistry
from toolmend.toolkit.wire import RawCall, read_reply, unique_ids

__all__ = ("MendedCall", "mend_calls", "result_of_calls", "with_tools_of_request")


@dataclass(frozen=True, slots=True)
class MendedCall:
    """What became of one call.

    Attributes:
        items: what it was read as: one call or one error, or several for a call that only holds others.
        written: what stands in its place: the call itself if it is valid, or cannot be mended.
    """

    items: tuple[ToolCall | CallError, ...]
    written: tuple[RawCall, ...]


def mend_calls(registry: ToolRegistry, message: Mapping[str, Any], finish_reason: str | None) -> list[MendedCall]:
    """Read the calls of a message.

    Args:
        registry: the tools.
        message: its `tool_calls`, or its `function_call`, and nothing else.
        finish_reason: why the model stopped.
    """
    return [
        _mended(registry.parse_call(call.name, call.arguments, id=call.id, finish_reason=finish_reason), call)
        for call in unique_ids(read_reply(message).tool_calls)
    ]


def result_of_calls(calls: Iterable[MendedCall], text: str, finish_reason: str | None) -> ParseResult:
    """All that was read of a message.

    Args:
        calls: its calls.
        text: its words.
        finish_reason: why the model stopped.
    """
    return ParseResult(tuple(item for call in calls for item in call.items), text, finish_reason)


def with_tools_of_request(registry: ToolRegistry | None, request: Mapping[str, Any]) -> ToolRegistry:
    """The tools by which the reply to a request is read: those of the registry, and those that only the request has.

    Args:
        registry: tools with rules of their own; they come before those of the request.
        request: the arguments of `create`; lists of tools must be such.

    Raises:
        ToolDefinitionError: if a tool of the request is no tool, or its schema none.
    """
    known = ToolRegistry() if registry is None else registry
    declared = _mappings([tool.get("function") for tool in _mappings(request.get("tools"))])
    functions = {
        function["name"]: function.get("parameters")
        for function in (*declared, *_mappings(request.get("functions")))
        if isinstance(function.get("name"), str) and function["name"] not in known
    }
    if not functions:
        return known
    tools = ToolRegistry(known.specs.values(), policy=known.policy)
    tools.add(declared_tool(name, parameters, known.policy) for name, parameters in functions.items())
    return tools


def _mappings(value: object) -> list[Mapping[str, Any]]:
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, (list, tuple)) else []


def _mended(result: ParseResult, call: RawCall) -> MendedCall:
    return MendedCall(result.items, tuple(_written(item, call) for item in result.items))


def _written(item: ToolCall | CallError, call: RawCall) -> RawCall:
    """A call as it goes back into the message: what is no call, or needed no mending, as the model wrote it."""
    if isinstance(item, CallError):
        return RawCall(call.name, call.arguments, item.id)
    if not item.repairs:
        return call
    return RawCall(item.name, json.dumps(item.arguments, ensure_ascii=False), item.id)
