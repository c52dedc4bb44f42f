"""openai-agents: a function tool invoked with the text of its arguments."""

from __future__ import annotations

import asyncio
from typing import Final

from agents.tool_context import ToolContext  # noqa: TID251
from pydantic import BaseModel

from agents import function_tool, set_tracing_disabled  # type: ignore[attr-defined]  # noqa: TID251 - the package of that name
from peers.base import Peer, Read

set_tracing_disabled(disabled=True)
_LOOP: Final = asyncio.new_event_loop()


def _arguments(tool: type[BaseModel]) -> Read:
    got: list[object] = []

    def run(**arguments: object) -> str:
        got.append(arguments)
        return ""

    run.__annotations__ = {key: field.annotation for key, field in tool.model_fields.items()}
    run.__signature__ = tool.__signature__  # type: ignore[attr-defined]
    made = function_tool(run, failure_error_function=None, name_override="run", description_override="")

    def read(text: str) -> object:
        got.clear()
        context = ToolContext(context=None, tool_name="run", tool_call_id="c1", tool_arguments=text)
        _LOOP.run_until_complete(made.on_invoke_tool(context, text))  # the loop's own turn is in the figure
        return got[-1]

    return read


def peer() -> Peer:
    """The peer."""
    return Peer("openai-agents", "openai-agents", "import agents", _arguments)
