"""Servers that speak the Responses API, through the `openai` client library.

The whole conversation goes out with each request, and none is kept by the server: an agent fits, stores and mends its
history itself.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolmend.agents.clients._connection import Connection
from toolmend.agents.clients._faults import told_error
from toolmend.agents.clients._response_items import EventReader, request_body
from toolmend.agents.clients._server import ServerConfig
from toolmend.agents.clients._streamed import StreamedReply, chunks_of
from toolmend.agents.errors import MalformedReplyError
from toolmend.toolkit.wire import read_reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from toolmend.agents.clients.base import ChatRequest, Chunk, LLMClient, StreamPart
    from toolmend.toolkit.wire import ModelReply

__all__ = ("ResponsesClient", "ResponsesConfig")

SHOWN = 300  # characters of an unusable reply that its error shows

# The words of Chat Completions for why a model stopped, which agents know.
REASONS: Final[Mapping[str | None, str]] = {
    "content_filter": "content_filter",
    "incomplete": "length",
    "max_output_tokens": "length",
}
FINISHED: Final = ("completed", "incomplete", None)
ENDINGS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


class ResponsesConfig(ServerConfig):
    """Which model on which server, and how to ask it.

    Attributes:
        store: whether the server may keep the responses.
    """

    store: bool = False

    def create_client(self) -> LLMClient:
        """Make a client with these settings."""
        return ResponsesClient(self)


class ResponsesClient:
    """Asks a server by the Responses API; safe to share between threads."""

    def __init__(self, config: ResponsesConfig) -> None:
        """Connect to nothing yet.

        Args:
            config: which model on which server.
        """
        self.config = config
        self._connection = Connection(config, "/responses")

    def complete(self, request: ChatRequest, /) -> ModelReply:
        """Send a request and wait for the reply.

        Args:
            request: the conversation, the tools, the bounds.

        Returns:
            What the model said, with every call exactly as it was written.

        Raises:
            LLMError: one of its kinds, if there is no usable reply.
            UsageError: the request has stop texts, which this API does not know.
            ConfigError: there is no key for a server that needs one.
            MissingExtraError: the openai package is not installed.
        """
        return _read(self._connection.where, self._connection.post(self._body(request)))

    async def complete_async(self, request: ChatRequest, /) -> ModelReply:
        """Send a request without blocking the event loop.

        Args:
            request: as for `complete`.

        Returns:
            What the model said, with every call exactly as it was written.

        Raises:
            LLMError: one of its kinds, and the others of `complete`.
        """
        return _read(self._connection.where, await self._connection.post_async(self._body(request)))

    def stream(self, request: ChatRequest, /) -> Iterator[StreamPart]:
        """Send a request, and give the reply as it is written.

        Args:
            request: as for `complete`.

        Yields:
            Chunks in the shape of Chat Completions, and as the last the whole reply.

        Raises:
            CutStreamError: the reply broke off; no call of it may run.
            LLMError: another of its kinds, and the others of `complete`.
        """
        reply = _StreamedResponse(self._connection.where)
        with reply.broken_off():
            for event in self._connection.stream(self._body(request)):
                yield from reply.chunks(event)
        yield reply.whole()

    async def stream_async(self, request: ChatRequest, /) -> AsyncIterator[StreamPart]:
        """Send a request, and give the reply as it is written, without blocking the event loop.

        Args:
            request: as for `complete`.

        Yields:
            Chunks in the shape of Chat Completions, and as the last the whole reply.

        Raises:
            CutStreamError: the reply broke off; no call of it may run.
            LLMError: another of its kinds, and the others of `complete`.
        """
        reply = _StreamedResponse(self._connection.where)
        with reply.broken_off():
            async with aclosing(self._connection.stream_async(self._body(request))) as events:
                async for event in events:
                    for chunk in reply.chunks(event):
                        yield chunk
        yield reply.whole()

    def close(self) -> None:
        """Close the connections of sync requests; a given `http_client` is left to who gave it."""
        self._connection.close()

    async def close_async(self) -> None:
        """Close the connections of the running event loop; a given `http_async_client` is left to who gave it."""
        await self._connection.close_async()

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        config = self.config
        temperature = config.temperature if request.temperature is None else request.temperature
        bounds = {} if temperature is None else {"temperature": temperature}
        body = {"model": config.model, "store": config.store, **request_body(request), **bounds}
        return {**body, **config.extra_body, **request.extra}


class _StreamedResponse(StreamedReply):
    """A streamed response: whole once the server has told how it ended."""

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self._reader = EventReader()
        self._reply: ModelReply | None = None

    def chunks(self, event: Mapping[str, Any]) -> Iterator[Chunk]:
        """The chunks of an event."""
        kind = event.get("type")
        if kind == "error":
            raise told_error(self._where, event)
        if event.get("object") == "response" or (isinstance(kind, str) and kind in ENDINGS):  # or all at once
            self._reply = _read(self._where, _finished(self._where, event.get("response", event)))
            if not self._begun:
                yield from chunks_of(self._reply)
            return
        for chunk in self._reader.chunks(event):
            self.take(chunk)
            yield chunk

    def whole(self) -> ModelReply:
        return self._reply or super().whole()


def _finished(where: str, response: object) -> Mapping[str, Any]:
    """The response that an event carries, if it is no error."""
    if not isinstance(response, dict):
        raise MalformedReplyError(f"{where}: the last event holds no response: {response!r:.{SHOWN}}")
    if response.get("error"):
        raise told_error(where, response["error"])
    return response


def _read(where: str, data: Mapping[str, Any]) -> ModelReply:
    """The reply in a response: servers send whatever they like."""
    if not isinstance(data.get("output"), list) or data.get("status") not in FINISHED:
        raise MalformedReplyError(f"{where}: the reply is no finished response: {str(data)[:SHOWN]}")
    reply = read_reply(data)
    reason = REASONS.get(reply.finish_reason, "tool_calls" if reply.tool_calls else "stop")
    return replace(reply, finish_reason=reason)
