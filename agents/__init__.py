"""Chat agents that hold a conversation, call tools and keep within the context window."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolmend.agents.approval import approve_tools
    from toolmend.agents.budgets import Budgets
    from toolmend.agents.chat_agent import AgentResponse, ChatAgent
    from toolmend.agents.clients.base import ChatRequest, LLMClient, LLMConfig, Message, StreamingClient
    from toolmend.agents.clients.local import LocalModel, LocalModelConfig
    from toolmend.agents.clients.openai import OpenAIClient, OpenAIConfig
    from toolmend.agents.clients.responses import ResponsesClient, ResponsesConfig
    from toolmend.agents.clients.scripted import Interrupted, ScriptedClient
    from toolmend.agents.config import ChatAgentConfig
    from toolmend.agents.done import Done, DoneTool, ResultTool
    from toolmend.agents.errors import (
        ConfigError,
        ContextLengthError,
        ContextOverflowError,
        CutStreamError,
        LLMAuthenticationError,
        LLMConnectionError,
        LLMError,
        LLMNotFoundError,
        LLMRequestError,
        LLMServerError,
        LLMStatusError,
        LLMTimeoutError,
        LocalModelError,
        MalformedReplyError,
        MissingExtraError,
        QuotaExceededError,
        RateLimitedError,
        RealRequestError,
        ScriptExhaustedError,
        SessionConflictError,
        SessionError,
        TaskFailedError,
        ToolmendError,
        TranscriptError,
    )
    from toolmend.agents.events import CallFinished, CallStarted, Event, Nudged, ReplyReceived, RunEnded
    from toolmend.agents.fitting import Fitted, fit_history
    from toolmend.agents.run_stream import RunStream
    from toolmend.agents.sessions import Session, SessionInfo, SessionStore
    from toolmend.agents.task import StopReason, Task, TaskResult
    from toolmend.toolkit.hooks import Defer, Deny, Edit
    from toolmend.toolkit.wire import ModelReply, RawCall, Usage

__all__ = (
    "AgentResponse",
    "Budgets",
    "CallFinished",
    "CallStarted",
    "ChatAgent",
    "ChatAgentConfig",
    "ChatRequest",
    "ConfigError",
    "ContextLengthError",
    "ContextOverflowError",
    "CutStreamError",
    "Defer",
    "Deny",
    "Done",
    "DoneTool",
    "Edit",
    "Event",
    "Fitted",
    "Interrupted",
    "LLMAuthenticationError",
    "LLMClient",
    "LLMConfig",
    "LLMConnectionError",
    "LLMError",
    "LLMNotFoundError",
    "LLMRequestError",
    "LLMServerError",
    "LLMStatusError",
    "LLMTimeoutError",
    "LocalModel",
    "LocalModelConfig",
    "LocalModelError",
    "MalformedReplyError",
    "Message",
    "MissingExtraError",
    "ModelReply",
    "Nudged",
    "OpenAIClient",
    "OpenAIConfig",
    "QuotaExceededError",
    "RateLimitedError",
    "RawCall",
    "RealRequestError",
    "ReplyReceived",
    "ResponsesClient",
    "ResponsesConfig",
    "ResultTool",
    "RunEnded",
    "RunStream",
    "ScriptExhaustedError",
    "ScriptedClient",
    "Session",
    "SessionConflictError",
    "SessionError",
    "SessionInfo",
    "SessionStore",
    "StopReason",
    "StreamingClient",
    "Task",
    "TaskFailedError",
    "TaskResult",
    "ToolmendError",
    "TranscriptError",
    "Usage",
    "approve_tools",
    "fit_history",
)

# Loaded when they are first asked for: settings and clients bring libraries of their own.
_HOMES: Final = {
    "toolmend.agents.approval": ("approve_tools",),
    "toolmend.agents.budgets": ("Budgets",),
    "toolmend.agents.chat_agent": ("AgentResponse", "ChatAgent"),
    "toolmend.agents.clients.base": ("ChatRequest", "LLMClient", "LLMConfig", "Message", "StreamingClient"),
    "toolmend.agents.clients.local": ("LocalModel", "LocalModelConfig"),
    "toolmend.agents.clients.openai": ("OpenAIClient", "OpenAIConfig"),
    "toolmend.agents.clients.responses": ("ResponsesClient", "ResponsesConfig"),
    "toolmend.agents.clients.scripted": ("Interrupted", "ScriptedClient"),
    "toolmend.agents.config": ("ChatAgentConfig",),
    "toolmend.agents.done": ("Done", "DoneTool", "ResultTool"),
    "toolmend.agents.errors": (
        *("ConfigError", "ContextLengthError", "ContextOverflowError", "CutStreamError"),
        *("LLMAuthenticationError", "LLMConnectionError", "LLMError", "LLMNotFoundError"),
        *("LLMRequestError", "LLMServerError", "LLMStatusError", "LLMTimeoutError", "LocalModelError"),
        *("MalformedReplyError", "MissingExtraError", "QuotaExceededError", "RateLimitedError"),
        *("RealRequestError", "ScriptExhaustedError", "SessionConflictError", "SessionError"),
        *("TaskFailedError", "ToolmendError", "TranscriptError"),
    ),
    "toolmend.agents.events": ("CallFinished", "CallStarted", "Event", "Nudged", "ReplyReceived", "RunEnded"),
    "toolmend.agents.fitting": ("Fitted", "fit_history"),
    "toolmend.agents.run_stream": ("RunStream",),
    "toolmend.agents.sessions": ("Session", "SessionInfo", "SessionStore"),
    "toolmend.agents.task": ("StopReason", "Task", "TaskResult"),
    "toolmend.toolkit.hooks": ("Defer", "Deny", "Edit"),
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
