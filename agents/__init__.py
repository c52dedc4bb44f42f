"""Chat agents that hold a conversation, call tools and keep within the context window."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

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
        LLMConnectionError,
        LLMError,
        LLMStatusError,
        LLMTimeoutError,
        LocalModelError,
        MissingExtraError,
        ScriptExhaustedError,
        TaskFailedError,
        ToolmendError,
    )
    from toolmend.agents.task import StopReason, Task, TaskResult
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
    "LLMConnectionError",
    "LLMError",
    "LLMStatusError",
    "LLMTimeoutError",
    "LocalModel",
    "LocalModelConfig",
    "LocalModelError",
    "Message",
    "MissingExtraError",
    "ModelReply",
    "OpenAIClient",
    "OpenAIConfig",
    "RawCall",
    "ScriptExhaustedError",
    "ScriptedClient",
    "StopReason",
    "Task",
    "TaskFailedError",
    "TaskResult",
    "ToolmendError",
    "Usage",
)

# Loaded when they are first asked for: settings and clients bring libraries of their own.
_HOMES: Final = {
    "toolmend.agents.budgets": ("Budgets",),
    "toolmend.agents.chat_agent": ("AgentResponse", "ChatAgent"),
    "toolmend.agents.clients.base": ("ChatRequest", "LLMClient", "LLMConfig", "Message"),
    "toolmend.agents.clients.local": ("LocalModel", "LocalModelConfig"),
    "toolmend.agents.clients.openai": ("OpenAIClient", "OpenAIConfig"),
    "toolmend.agents.clients.scripted": ("ScriptedClient",),
    "toolmend.agents.config": ("ChatAgentConfig",),
    "toolmend.agents.errors": (
        *("ConfigError", "LLMConnectionError", "LLMError", "LLMStatusError", "LLMTimeoutError", "LocalModelError"),
        *("MissingExtraError", "ScriptExhaustedError", "TaskFailedError", "ToolmendError"),
    ),
    "toolmend.agents.task": ("StopReason", "Task", "TaskResult"),
    "toolmend.toolkit.wire": ("ModelReply", "RawCall", "Usage"),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # checkers would otherwise believe in any name

    def __getattr__(name: str) -> object:
        """Load a public name when it is first used."""
        if name not in _HOME_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value: object = getattr(importlib.import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(__all__)
