"""Chat agents that hold a conversation, call tools and keep within the context window."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolmend.agents.budgets import Budgets
    from toolmend.agents.chat_agent import AgentResponse, ChatAgent
    from toolmend.agents.clients.base import ChatRequest, LLMClient, LLMConfig, Message
    from toolmend.agents.clients.local import LocalModel, LocalModelConfig
    from toolmend.agents.clients.openai import OpenAIClient, OpenAIConfig
    from toolmend.agents.clients.scripted import ScriptedClient
    from toolmend.agents.config import ChatAgentConfig
    from toolmend.agents.errors import (
        ConfigError,
        LLMError,
        LocalModelError,
        MissingExtraError,
        TaskFailedError,
        ToolmendError,
    )
    from toolmend.agents.task import Task, TaskResult
    from toolmend.toolkit.wire import ModelReply, RawCall, Usage

__all__ = (
    "AgentResponse",
    "Budgets",
    "ChatAgent",
    "ChatAgentConfig",
    "ChatRequest",
    "ConfigError",
    "LLMClient",
    "LLMConfig",
    "LLMError",
    "LocalModel",
    "LocalModelConfig",
    "LocalModelError",
    "Message",
    "MissingExtraError",
    "ModelReply",
    "OpenAIClient",
    "OpenAIConfig",
    "RawCall",
    "ScriptedClient",
    "Task",
    "TaskFailedError",
    "TaskResult",
    "ToolmendError",
    "Usage",
)

# Loaded when they are first asked for: settings and clients bring libraries of their own.
_HOMES = {
    "AgentResponse": "toolmend.agents.chat_agent",
    "Budgets": "toolmend.agents.budgets",
    "ChatAgent": "toolmend.agents.chat_agent",
    "ChatAgentConfig": "toolmend.agents.config",
    "ChatRequest": "toolmend.agents.clients.base",
    "ConfigError": "toolmend.agents.errors",
    "LLMClient": "toolmend.agents.clients.base",
    "LLMConfig": "toolmend.agents.clients.base",
    "LLMError": "toolmend.agents.errors",
    "LocalModel": "toolmend.agents.clients.local",
    "LocalModelConfig": "toolmend.agents.clients.local",
    "LocalModelError": "toolmend.agents.errors",
    "Message": "toolmend.agents.clients.base",
    "MissingExtraError": "toolmend.agents.errors",
    "ModelReply": "toolmend.toolkit.wire",
    "OpenAIClient": "toolmend.agents.clients.openai",
    "OpenAIConfig": "toolmend.agents.clients.openai",
    "RawCall": "toolmend.toolkit.wire",
    "ScriptedClient": "toolmend.agents.clients.scripted",
    "Task": "toolmend.agents.task",
    "TaskFailedError": "toolmend.agents.errors",
    "TaskResult": "toolmend.agents.task",
    "ToolmendError": "toolmend.agents.errors",
    "Usage": "toolmend.toolkit.wire",
}


def __getattr__(name: str) -> object:
    """Load what is public here from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
