"""Streamed replies: put together with a watch over their end, and made out of whole ones."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from toolmend.agents.clients._connection import DONE
from toolmend.agents.errors import CutStreamError, LLMConnectionError, MalformedReplyError
from toolmend.toolkit.streaming.chunks import Chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolmend.agents.clients.base import Chunk
    from toolmend.toolkit.wire import ModelReply, RawCall

__all__ = ("StreamedReply", "chunks_of")


class StreamedReply:
    """A reply of Chat Completions that comes in chunks, and is one only if it came to its end.

    It did if a chunk tells why the model stopped, or the server says that it is done: a connection may end without an
    error, and half a call may look like a whole one.
    """

    def __init__(self, where: str) -> None:
        """Start with nothing.

        Args:
            where: the model and its server, for messages.
        """
        self._where = where
        self._chunks = Chunks()
        self._begun = False
        self._done = False

    def take(self, chunk: Chunk) -> bool:
        """Take what the server sent.

        Args:
            chunk: an object, or `DONE`.

        Returns:
            Whether it is a chunk of the reply; servers send other things in between.
        """
        self._done = self._done or chunk is DONE
        if "choices" not in chunk:
            return False
        self._chunks.add(chunk)
        self._begun = self._begun or bool(chunk["choices"])
        return True

    @contextmanager
    def broken_off(self) -> Iterator[None]:
        """Tell a connection that broke within the reply from one that never was."""
        try:
            yield
        except LLMConnectionError as error:
            if not self._begun:
                raise
            raise CutStreamError(str(error), partial=self._chunks.reply()) from error

    def whole(self) -> ModelReply:
        """The reply, now that nothing more comes.

        Raises:
            MalformedReplyError: there was none.
            CutStreamError: it is not whole.
        """
        if not self._begun:
            raise MalformedReplyError(f"{self._where}: the stream holds no reply")
        if not self._done and self._chunks.finish_reason is None:
            raise CutStreamError(
                f"{self._where}: the stream ended in the middle of the reply: no chunk told a finish_reason",
                partial=self._chunks.reply(),
            )
        return self._chunks.reply()


def chunks_of(reply: ModelReply, size: int | None = None) -> Iterator[Chunk]:
    """A whole reply as a server would stream it.

    Args:
        reply: the reply.
        size: the characters of each piece; by default a text comes in one.
    """
    size = size or max(1, len(reply.text), *(len(call.arguments) for call in reply.tool_calls))
    for piece in _pieces(reply.text, size):
        yield _chunk({"content": piece})
    for index, call in enumerate(reply.tool_calls):
        legacy = call.id is None and len(reply.tool_calls) == 1
        yield from _chunk_call(call, size, None if legacy else index)
    usage = reply.usage
    counts = usage and {"prompt_tokens": usage.input_tokens, "completion_tokens": usage.output_tokens}
    yield {**_chunk({}, reply.finish_reason or "stop"), "usage": counts}


def _chunk_call(call: RawCall, size: int, index: int | None) -> Iterator[Chunk]:
    head = {"name": call.name, "arguments": ""}
    for number, function in enumerate((head, *({"arguments": piece} for piece in _pieces(call.arguments, size)))):
        if index is None:
            yield _chunk({"function_call": function})
        else:
            named = {"id": call.id, "type": "function"} if number == 0 else {}
            yield _chunk({"tool_calls": [{"index": index, **named, "function": function}]})


def _chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))
