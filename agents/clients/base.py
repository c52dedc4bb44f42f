"""What a client is: something that turns a request into the model's reply."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from toolmend.repairs.record import JsonValue
    from toolmend.toolkit.wire import ModelReply

__all__ = ("ChatRequest", "Chunk", "LLMClient", "LLMConfig", "Message", "StreamPart", "StreamingClient")

Message: TypeAlias = "dict[str, JsonValue]"
"""One message as Chat Completions has it: `role`, `content`, and what belongs to the role."""


Chunk: TypeAlias = "Mapping[str, Any]"
"""One part of a streamed reply as Chat Completions has it; `ReplyStream.feed` of the toolkit reads them."""

StreamPart: TypeAlias = "Chunk | ModelReply"
"""What a streaming client yields: chunks, and as the last the whole reply."""


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
class StreamingClient(LLMClient, Protocol):
    """A language model whose replies can be read while they are written.

    Both methods yield chunks, and as the last the whole `ModelReply`, with all that is known of it. A reply that breaks
    off raises `CutStreamError`: what came of it is never taken for the whole.
    """

    def stream(self, request: ChatRequest, /) -> Iterator[StreamPart]:
        """Ask the model, and give its reply as it is written."""

    def stream_async(self, request: ChatRequest, /) -> AsyncIterator[StreamPart]:
        """Ask the model, and give its reply as it is written, without blocking the event loop."""


@runtime_checkable
class LLMConfig(Protocol):
    """Settings from which a client can be made."""

    def create_client(self) -> LLMClient:
        """Make a client with these settings."""
