"""Any server that speaks the Chat Completions API, through the `openai` client library."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal

from toolmend.agents.clients._connection import Connection
from toolmend.agents.clients._server import ServerConfig
from toolmend.agents.clients._streamed import StreamedReply
from toolmend.agents.errors import MalformedReplyError
from toolmend.toolkit.wire import read_reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from toolmend.agents.clients.base import ChatRequest, LLMClient, StreamPart
    from toolmend.toolkit.wire import ModelReply

__all__ = ("OpenAIClient", "OpenAIConfig")

SHOWN = 300  # characters of an unusable reply that its error shows


class OpenAIConfig(ServerConfig):
    """Which model on which server, and how to ask it.

    Attributes:
        seed: for servers that can answer the same way again.
        stream_usage: whether to ask for the usage of streamed replies; false for servers that refuse
            `stream_options`.
        limit_name: the name under which the bound of an answer is sent; None sends OpenAI itself the newer name, which
            its newer models want, and all other servers the older one, which most of them know alone.
    """

    seed: int | None = None
    stream_usage: bool = True
    limit_name: Literal["max_tokens", "max_completion_tokens"] | None = None

    def create_client(self) -> LLMClient:
        """Make a client with these settings."""
        return OpenAIClient(self)


class OpenAIClient:
    """Asks a server by Chat Completions; safe to share between threads."""

    def __init__(self, config: OpenAIConfig) -> None:
        """Connect to nothing yet.

        Args:
            config: which model on which server.
        """
        self.config = config
        self._connection = Connection(config, "/chat/completions")

    def complete(self, request: ChatRequest, /) -> ModelReply:
        """Send a request and wait for the reply.

        Args:
            request: the conversation, the tools, the bounds.

        Returns:
            What the model said, with every call exactly as it was written.

        Raises:
            LLMError: one of its kinds, if there is no usable reply.
            ConfigError: there is no key for a server that needs one.
            MissingExtraError: the openai package is not installed.
        """
        return self._read(self._connection.post(self._body(request)))

    async def complete_async(self, request: ChatRequest, /) -> ModelReply:
        """Send a request without blocking the event loop.

        Args:
            request: the conversation, the tools, the bounds.

        Returns:
            What the model said, with every call exactly as it was written.

        Raises:
            LLMError: one of its kinds, if there is no usable reply.
            ConfigError: there is no key for a server that needs one.
            MissingExtraError: the openai package is not installed.
        """
        return self._read(await self._connection.post_async(self._body(request)))

    def stream(self, request: ChatRequest, /) -> Iterator[StreamPart]:
        """Send a request, and give the reply as it is written.

        Args:
            request: the conversation, the tools, the bounds.

        Yields:
            The chunks of the server, and as the last the whole reply.

        Raises:
            CutStreamError: the reply broke off; no call of it may run.
            LLMError: another of its kinds, if there is no usable reply.
            ConfigError: there is no key for a server that needs one.
            MissingExtraError: the openai package is not installed.
        """
        reply = StreamedReply(self._connection.where)
        with reply.broken_off():
            for chunk in self._connection.stream(self._body(request, stream=True)):
                if reply.take(chunk):
                    yield chunk
        yield reply.whole()

    async def stream_async(self, request: ChatRequest, /) -> AsyncIterator[StreamPart]:
        """Send a request, and give the reply as it is written, without blocking the event loop.

        Args:
            request: the conversation, the tools, the bounds.

        Yields:
            The chunks of the server, and as the last the whole reply.

        Raises:
            CutStreamError: the reply broke off; no call of it may run.
            LLMError: another of its kinds, if there is no usable reply.
            ConfigError: there is no key for a server that needs one.
            MissingExtraError: the openai package is not installed.
        """
        reply = StreamedReply(self._connection.where)
        with reply.broken_off():
            async with aclosing(self._connection.stream_async(self._body(request, stream=True))) as chunks:
                async for chunk in chunks:
                    if reply.take(chunk):
                        yield chunk
        yield reply.whole()

    def close(self) -> None:
        """Close the connections of sync requests; done by itself when the client is no longer used.

        A given `http_client` is left to who gave it.
        """
        self._connection.close()

    async def close_async(self) -> None:
        """Close the connections that the running event loop opened, which nothing does by itself.

        A given `http_async_client` is left to who gave it.
        """
        await self._connection.close_async()

    def _body(self, request: ChatRequest, *, stream: bool = False) -> dict[str, Any]:
        config = self.config
        limit = config.limit_name or ("max_completion_tokens" if self._connection.is_official else "max_tokens")
        given = {
            "tools": list(request.tools),
            "functions": list(request.functions),
            "tool_choice" if request.tools else "function_call": request.tool_choice,
            limit: request.max_tokens,
            "temperature": config.temperature if request.temperature is None else request.temperature,
            "seed": config.seed,
            "stop": list(request.stop),
            "stream_options": {"include_usage": True} if stream and config.stream_usage else None,
        }
        named = {name: value for name, value in given.items() if value is not None and value != []}
        messages = list(request.messages)
        return {"model": config.model, "messages": messages, **named, **config.extra_body, **request.extra}

    def _read(self, data: Mapping[str, Any]) -> ModelReply:
        """The reply in a completion: servers send whatever they like."""
        match data.get("choices"):
            case [{"message": {}}, *_]:
                return read_reply(data)
        raise MalformedReplyError(f"{self._connection.where}: the reply holds no message: {str(data)[:SHOWN]}")
