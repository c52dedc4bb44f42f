"""Asking the model, sync or async: both do what the dialogue says, and differ in nothing but the waiting."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, TypeAlias

from toolmend.agents.clients.base import StreamingClient
from toolmend.agents.errors import LLMError, MalformedReplyError
from toolmend.toolkit.streaming.events import PartialCall, TextDelta, TextRestart
from toolmend.toolkit.wire import ModelReply

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator, Iterable, Iterator, Sequence

    from toolmend.agents.clients.base import ChatRequest, LLMClient
    from toolmend.agents.dialogue import Dialogue
    from toolmend.agents.messages import Entry
    from toolmend.toolkit.streaming.events import StreamEvent

__all__ = ("Asking", "Shown")

Shown: TypeAlias = TextDelta | TextRestart | PartialCall
"""What can be shown of a reply that is still being written; what it comes to is told when it is whole."""


class Asking:
    """Sends what the dialogue wants sent."""

    def __init__(self, client: LLMClient, dialogue: Dialogue) -> None:
        """Keep both.

        Args:
            client: speaks to the model.
            dialogue: the conversation.
        """
        self._client = client
        self._dialogue = dialogue

    def ask(self, entries: Sequence[Entry]) -> ModelReply:
        """Ask the model.

        Args:
            entries: what is sent.

        Raises:
            LLMError: there is no usable reply.
            ContextOverflowError: it cannot be made to fit.
        """
        asking = self._dialogue.asking(entries)
        request = next(asking)
        while True:
            try:
                reply = self._client.complete(request)
            except LLMError as error:
                request = asking.throw(error)
            else:
                return _last_word(asking, reply)

    async def ask_async(self, entries: Sequence[Entry]) -> ModelReply:
        """Ask the model without blocking the event loop.

        Args:
            entries: what is sent.

        Raises:
            LLMError: there is no usable reply.
            ContextOverflowError: it cannot be made to fit.
        """
        asking = self._dialogue.asking(entries)
        request = next(asking)
        while True:
            try:
                reply = await self._client.complete_async(request)
            except LLMError as error:
                request = asking.throw(error)
            else:
                return _last_word(asking, reply)

    def stream(self, entries: Sequence[Entry]) -> Iterator[Shown | ModelReply]:
        """Ask the model, and show its reply as it is written.

        Args:
            entries: what is sent.

        Yields:
            What can be shown, and last the whole reply; that alone if the client cannot stream.

        Raises:
            LLMError: there is no usable reply.
            ContextOverflowError: it cannot be made to fit.
        """
        asking = self._dialogue.asking(entries)
        request = next(asking)
        while True:
            try:
                reply = yield from self._parts(request)
            except LLMError as error:
                request = asking.throw(error)
            else:
                yield _last_word(asking, reply)
                return

    async def stream_async(self, entries: Sequence[Entry]) -> AsyncGenerator[Shown | ModelReply, None]:
        """Ask the model, and show its reply as it is written, as `stream` does.

        Args:
            entries: what is sent.

        Yields:
            What can be shown, and last the whole reply.
        """
        asking = self._dialogue.asking(entries)
        request = next(asking)
        while True:
            try:
                async with contextlib.aclosing(self._parts_async(request)) as parts:
                    async for part in parts:
                        if not isinstance(part, ModelReply):
                            yield part
                            continue
                        yield _last_word(asking, part)
                        return
            except LLMError as error:
                request = asking.throw(error)

    def _parts(self, request: ChatRequest) -> Generator[Shown, None, ModelReply]:
        if not isinstance(self._client, StreamingClient):
            return self._client.complete(request)
        reading = self._dialogue.reading()
        for part in self._client.stream(request):
            if isinstance(part, ModelReply):
                yield from _shown(reading.finish())
                return part
            yield from _shown(reading.feed(part))
        raise MalformedReplyError("the client ended its stream without the whole reply")

    async def _parts_async(self, request: ChatRequest) -> AsyncGenerator[Shown | ModelReply, None]:
        if not isinstance(self._client, StreamingClient):
            yield await self._client.complete_async(request)
            return
        reading = self._dialogue.reading()
        async for part in self._client.stream_async(request):
            if isinstance(part, ModelReply):
                for event in _shown(reading.finish()):
                    yield event
                yield part
                return
            for event in _shown(reading.feed(part)):
                yield event
        raise MalformedReplyError("the client ended its stream without the whole reply")


def _shown(events: Iterable[StreamEvent]) -> Iterator[Shown]:
    """The events of a reply that show it: what its calls come to is told when they are run."""
    return (event for event in events if isinstance(event, Shown))


def _last_word(asking: Generator[ChatRequest, ModelReply, ModelReply], reply: ModelReply) -> ModelReply:
    """Hand the reply over, and take it back as it is to be used."""
    try:
        asking.send(reply)
    except StopIteration as end:
        last: ModelReply = end.value
        return last
    raise AssertionError("one reply is the end of asking")
