"""An agent with one tool, for tests over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from strict_server import StrictServer
from strictness import chat_complaint

from toolmend.agents import ChatAgent, ChatAgentConfig, OpenAIConfig, Task
from toolmend.agents.clients.responses import ResponsesConfig
from toolmend.agents.config import ToolModeName
from toolmend.agents.task import TaskResult
from toolmend.repairs.record import JsonValue
from toolmend.toolkit import ToolMessage

__all__ = ("Paint", "assert_sendable", "run", "task")


class Paint(ToolMessage, name="paint"):
    """Paint something."""

    color: Literal["red", "green"]
    layers: int = 1

    def handle(self) -> str:
        return f"painted {self.color}"


def task(
    server: StrictServer,
    mode: ToolModeName = "use_tools_api",
    strategy: Literal["truncate", "drop_turns"] = "truncate",
    config: type[OpenAIConfig | ResponsesConfig] = OpenAIConfig,
    **settings: JsonValue,
) -> Task:
    """A task whose model is behind the server."""
    given: dict[str, Any] = {"max_retries": 0, **settings}
    chosen: dict[str, Any] = {mode: True}
    llm = config(model="m", base_url=server.base_url, **given)
    return Task(ChatAgent(ChatAgentConfig(llm=llm, context_overflow_strategy=strategy, **chosen), [Paint]))


def run(one: Task, text: str | None = "Paint it red.", *, is_async: bool) -> TaskResult:
    """Run in one of the two ways; connections of an event loop are closed with it."""
    if not is_async:
        return one.run(text)

    async def both() -> TaskResult:
        result = await one.run_async(text)
        await one.agent._client.close_async()  # type: ignore[attr-defined]  # the one for servers
        return result

    return asyncio.run(both())


def assert_sendable(one: Task) -> None:
    """The history that is kept would be taken."""
    messages = one.agent.messages
    if messages:
        assert chat_complaint({"model": "m", "messages": messages}) is None
