"""A model that says what it was told to say: the double for tests, those of users included."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from toolmend.agents.clients._streamed import chunks_of
from toolmend.agents.errors import ConfigError, ScriptExhaustedError
from toolmend.toolkit.wire import ModelReply

if TYPE_CHECKING:
    from toolmend.agents.clients.base import ChatRequest, StreamPart

__all__ = ("Interrupted", "Line", "ScriptedClient")


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A line that breaks off: a stream of it yields what was said and then raises; whoever waits only gets the error.

    Attributes:
        said: a text, or a reply.
        error: what is raised, a `CutStreamError` say.
    """

    said: str | ModelReply
    error: Exception


Line: TypeAlias = str | ModelReply | Exception | Interrupted
"""One line of a script: a text, a whole reply, an exception that the client raises instead, or a reply with one."""


class ScriptedClient:
    """A client that reads its replies off a script and keeps every request.

    Attributes:
        requests: what was asked, in order.
    """

    def __init__(self, script: Iterable[Line] | Callable[[ChatRequest], Line], *, chunk_size: int = 8) -> None:
        """Take the script.

        Args:
            script: the replies in order, or a function that makes one out of each request.
            chunk_size: the characters of each chunk of a streamed reply.

        Raises:
            ConfigError: the script is neither, or `chunk_size` is less than 1.
        """
        if chunk_size < 1:
            raise ConfigError(f"chunk_size: at least 1 character is needed, got {chunk_size}", fields=("chunk_size",))
        self.requests: list[ChatRequest] = []
        self._answer = script if callable(script) else _reader(_lines(script))
        self._chunk_size = chunk_size
        self._lock = threading.Lock()

    def complete(self, request: ChatRequest, /) -> ModelReply:
        """Give the next reply.

        Args:
            request: what is asked; it is kept.

        Returns:
            The reply of the script.

        Raises:
            ScriptExhaustedError: every line of the script has been given.
        """
        reply, error = self._next(request)
        if error is not None:
            raise error
        return reply

    async def complete_async(self, request: ChatRequest, /) -> ModelReply:
        """Give the next reply.

        Args:
            request: what is asked; it is kept.

        Returns:
            The reply of the script.

        Raises:
            ScriptExhaustedError: every line of the script has been given.
        """
        return self.complete(request)

    def stream(self, request: ChatRequest, /) -> Iterator[StreamPart]:
        """Give the next reply in chunks.

        Args:
            request: what is asked; it is kept.

        Yields:
            Chunks, and as the last the whole reply.

        Raises:
            ScriptExhaustedError: every line of the script has been given.
        """
        reply, error = self._next(request)
        *chunks, end = chunks_of(reply, self._chunk_size)
        yield from chunks
        if error is not None:
            raise error
        yield end
        yield reply

    async def stream_async(self, request: ChatRequest, /) -> AsyncIterator[StreamPart]:
        """Give the next reply in chunks.

        Args:
            request: what is asked; it is kept.

        Yields:
            Chunks, and as the last the whole reply.

        Raises:
            ScriptExhaustedError: every line of the script has been given.
        """
        for part in self.stream(request):
            yield part

    def _next(self, request: ChatRequest) -> tuple[ModelReply, Exception | None]:
        with self._lock:
            self.requests.append(request)
            line = self._answer(request)
        match line:
            case Interrupted(said, error):
                return _reply(said), error
            case Exception():
                return ModelReply(), line
            case said:
                return _reply(said), None


def _reply(said: str | ModelReply) -> ModelReply:
    return ModelReply(text=said, finish_reason="stop") if isinstance(said, str) else said


def _lines(script: Iterable[Line]) -> list[Line]:
    """The lines of a script; one text would else be read as a line for each of its characters."""
    given: object = script
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ConfigError(f"script: a list of replies or a function is needed, got {given!r:.80}", fields=("script",))
    lines = list(script)
    for number, line in enumerate(cast("list[object]", lines)):
        if not isinstance(line, Line):
            wanted = "a str, a ModelReply, an exception or an Interrupted is needed"
            raise ConfigError(f"script[{number}]: {wanted}, got {line!r:.80}", fields=("script",))
    return lines


def _reader(lines: list[Line]) -> Callable[[ChatRequest], Line]:
    rest = iter(lines)

    def read(_request: ChatRequest) -> Line:
        try:
            return next(rest)
        except StopIteration:
            raise ScriptExhaustedError(f"the script has {len(lines)} replies, and one more was asked for") from None

    return read
