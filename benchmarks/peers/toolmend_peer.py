"""toolmend itself."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel

from peers.base import Peer, Read
from toolmend.toolkit import ParseResult, ToolRegistry


def _value(result: ParseResult) -> object:
    return result.calls[0].message if result.calls and not result.errors else None


def _arguments(tool: type[BaseModel]) -> Read:
    registry = ToolRegistry([tool])
    [name] = registry.names
    return lambda text: registry.parse_call(name, text)


def _content(tool: type[BaseModel]) -> Read:
    registry = ToolRegistry([tool])
    return registry.parse_text


def _schemas(tools: list[type[BaseModel]]) -> Callable[[], object]:
    registry = ToolRegistry(tools)
    return lambda: (registry.openai_tools(), registry.instructions())


def peer() -> Peer:
    """The peer."""
    return Peer(
        "toolmend", "toolmend", "import toolmend.toolkit as t; t.ToolRegistry", _arguments, _content, _schemas, _value
    )
