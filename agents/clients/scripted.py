"""A model that says what it was told to say: the double for tests, those of users included."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from toolmend.agents.errors import ScriptExhaustedError
from toolmend.toolkit.wire import ModelReply

if TYPE_CHECKING:
    from toolmend.agents.clients.base import ChatRequest

__all__ = ("Line", "ScriptedClient")

Line: TypeAlias = str | ModelReply | Exception
"""One line of a script: a text, a whole reply, or an exception that the client raises instead."""


class ScriptedClient:
    """A client that reads its replies off a script and keeps every request.

    Attributes:
        requests: what was asked, in order.
    """

    def __init__(self, script: Iterable[Line] | Callable[[ChatRequest], Line]) -> None:
        """Take the script.

        Args:
            script: the replies in order, or a function that makes one out of each request.
        """
        self.requests: list[ChatRequest] = []
        self._answer = script if callable(script) else _reader(script)
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
        with self._lock:
            self.requests.append(request)
            line = self._answer(request)
        if isinstance(line, Exception):
            raise line
        return ModelReply(text=line, finish_reason="stop") if isinstance(line, str) else line

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


def _reader(script: Iterable[Line]) -> Callable[[ChatRequest], Line]:
    lines = list(script)
    rest = iter(lines)

    def read(_request: ChatRequest) -> Line:
        try:
            return next(rest)
        except StopIteration:
            raise ScriptExhaustedError(f"the script has {len(lines)} replies, and one more was asked for") from None

    return read
