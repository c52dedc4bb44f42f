"""langchain-core: a raw tool call parsed, then pydantic."""

from __future__ import annotations

from collections.abc import Callable

from langchain_core.output_parsers.openai_tools import parse_tool_call
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel

from peers.base import Peer, Read


def _arguments(tool: type[BaseModel]) -> Read:
    def read(text: str) -> object:
        call = parse_tool_call({"id": "c1", "type": "function", "function": {"name": "x", "arguments": text}})
        return tool.model_validate(call["args"]) if call is not None else None

    return read


def _schemas(tools: list[type[BaseModel]]) -> Callable[[], object]:
    return lambda: [convert_to_openai_tool(tool) for tool in tools]


def peer() -> Peer:
    """The peer."""
    importing = "import langchain_core.tools, langchain_core.output_parsers.openai_tools"
    return Peer("langchain-core", "langchain-core", importing, _arguments, schemas=_schemas)
