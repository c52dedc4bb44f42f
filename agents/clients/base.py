"""What a client is: something that turns a request into the model's reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolmend.repairs.record import JsonValue
    from toolmend.toolkit.wire import ModelReply

__all__ = ("ChatRequest", "LLMClient", "LLMConfig", "Message")

Message: TypeAlias = "dict[str, JsonValue]"
"""One message as Chat Completions has it: `role`, `content`, and what belongs to the role."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What is sent to a model: the conversation, the tools it may call, and the bounds of its answer.

    Attributes:
        messages: the conversation, as Chat Completions messages.
        tools: the tools in the shape of Chat Completions `tools`; empty if none are offered this way.
        functions: the tools in the shape of the older `functions`; never together with `tools`.
        tool_choice: `"auto"`, `"none"`, `"required"`, or the one to call in the shape that goes with the field used.
        max_tokens: the longest answer, in tokens; None leaves it to the client.
        temperature: how freely to sample; None leaves it to the client.
        stop: texts at which the model stops.
        extra: further parameters of the request body, as they are.
    """

    messages: tuple[Message, ...]
    tools: tuple[Message, ...] = ()
    functions: tuple[Message, ...] = ()
    tool_choice: str | Message | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    extra: Mapping[str, JsonValue] = field(default_factory=dict)


@runtime_checkable
class LLMClient(Protocol):
    """A language model that can be asked. Both methods raise errors under `LLMError`."""

    def complete(self, request: ChatRequest, /) -> ModelReply:
        """Ask the model and wait for its reply."""

    async def complete_async(self, request: ChatRequest, /) -> ModelReply:
        """Ask the model without blocking the event loop."""


@runtime_checkable
class LLMConfig(Protocol):
    """Settings from which a client can be made."""

    def create_client(self) -> LLMClient:
        """Make a client with these settings."""
