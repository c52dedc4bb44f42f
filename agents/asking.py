"""Asking the model, sync or async: both do what the dialogue says, and differ in nothing but the waiting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.agents.errors import LLMError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from toolmend.agents.clients.base import ChatRequest, LLMClient
    from toolmend.agents.dialogue import Dialogue
    from toolmend.agents.messages import Entry
    from toolmend.toolkit.wire import ModelReply

__all__ = ("Asking",)


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


def _last_word(asking: Generator[ChatRequest, ModelReply, ModelReply], reply: ModelReply) -> ModelReply:
    """Hand the reply over, and take it back as it is to be used."""
    try:
        asking.send(reply)
    except StopIteration as end:
        last: ModelReply = end.value
        return last
    raise AssertionError("one reply is the end of asking")
