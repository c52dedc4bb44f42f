"""The way to a server: the clients of the `openai` library, and the bytes that go to and fro."""

from __future__ import annotations

import asyncio
import json
import os
import weakref
from contextlib import aclosing, closing
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from toolmend.agents.clients._faults import library, read_object, typed_errors
from toolmend.agents.clients._guard import check_real_requests
from toolmend.agents.clients._server import check_environment
from toolmend.agents.clients._sse import EventReader
from toolmend.agents.errors import ConfigError
from toolmend.repairs.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping
    from contextlib import AbstractContextManager

    import httpx2
    import openai

    from toolmend.agents.clients._server import ServerConfig

__all__ = ("DONE", "Connection")

OFFICIAL_HOST = "api.openai.com"
CONNECT_TIMEOUT = 10.0  # seconds; a server that is there takes a connection at once, however long it thinks

DONE: Final[Mapping[str, Any]] = {}
"""What a stream ends with if the server said that it is whole."""


class Connection:
    """Sends requests to one place of a server; safe to share between threads."""

    def __init__(self, config: ServerConfig, path: str) -> None:
        """Connect to nothing yet.

        Args:
            config: which model on which server.
            path: the place, below the base URL.
        """
        self._config = config
        self._path = path
        self._async_clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI]
        self._async_clients = weakref.WeakKeyDictionary()

    # ------------------------------------------------------------------ requests

    def post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for the whole reply.

        Args:
            body: the parameters of the request.

        Raises:
            LLMError: one of its kinds, if what comes back is no JSON object.
        """
        with self._typed_errors():
            return read_object(self.where, self._send(body).content)

    async def post_async(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request without blocking the event loop.

        Args:
            body: the parameters of the request.

        Raises:
            LLMError: one of its kinds, if what comes back is no JSON object.
        """
        with self._typed_errors():
            return read_object(self.where, (await self._send_async(body)).content)

    def stream(self, body: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Send a request, and give the parts of the reply as they come.

        Args:
            body: the parameters of the request.

        Yields:
            The objects that the server sends; `DONE` as the last, if the server says that it is the last.

        Raises:
            LLMError: one of its kinds.
        """
        with self._typed_errors(), closing(self._send({**body, "stream": True}, stream=True)) as response:
            reader = _StreamReader(self.where, response)
            for piece in response.iter_bytes():
                yield from reader.feed(piece)
                if reader.done:
                    return
            yield from reader.finish()

    async def stream_async(self, body: Mapping[str, Any]) -> AsyncGenerator[Mapping[str, Any]]:
        """Send a request, and give the parts of the reply as they come, without blocking the event loop.

        Args:
            body: the parameters of the request.

        Yields:
            The objects that the server sends; `DONE` as the last, if the server says that it is the last.

        Raises:
            LLMError: one of its kinds.
        """
        with self._typed_errors():
            response = await self._send_async({**body, "stream": True}, stream=True)
            async with aclosing(response):
                reader = _StreamReader(self.where, response)
                async for piece in response.aiter_bytes():
                    for part in reader.feed(piece):
                        yield part
                    if reader.done:
                        return
                for part in reader.finish():
                    yield part

    # ------------------------------------------------------------------ where to

    @property
    def where(self) -> str:
        """The model and its server, as messages name them."""
        return f"{self._config.model} at {self._address or OFFICIAL_HOST}"

    @property
    def is_official(self) -> bool:
        """Whether the server is OpenAI's own."""
        return self._host == OFFICIAL_HOST

    @property
    def _address(self) -> str | None:
        return self._config.base_url or os.environ.get("OPENAI_BASE_URL")

    @property
    def _host(self) -> str:
        return (urlsplit(self._address).hostname or "") if self._address else OFFICIAL_HOST

    @property
    def _is_here(self) -> bool:
        """Whether the server runs on this machine, where no proxy of the environment leads."""
        return self._host in {"localhost", "::1"} or self._host.startswith("127.")

    # ------------------------------------------------------------------ clients of the library

    def close(self) -> None:
        """Close the connections of sync requests; a given `http_client` is left to who gave it."""
        if self._config.http_client is None and "_sync" in vars(self):
            self._sync.close()
            del self._sync

    async def close_async(self) -> None:
        """Close the connections of the running event loop; a given `http_async_client` is left to who gave it."""
        client = self._async_clients.pop(asyncio.get_running_loop(), None)
        if self._config.http_async_client is None and client is not None:
            await client.close()

    @cached_property
    def _sync(self) -> openai.OpenAI:
        maker, given = library(), self._config.http_client
        direct = maker.DefaultHttpxClient(trust_env=False) if given is None and self._is_here else given
        client: openai.OpenAI = maker.OpenAI(http_client=direct, **self._settings())
        if given is None:
            weakref.finalize(self, client.close)
        return client

    @property
    def _async(self) -> openai.AsyncOpenAI:
        # Connections belong to the event loop that opened them, and a program may run one loop after another.
        loop = asyncio.get_running_loop()
        if loop not in self._async_clients:
            maker, given = library(), self._config.http_async_client
            direct = maker.DefaultAsyncHttpxClient(trust_env=False) if given is None and self._is_here else given
            self._async_clients[loop] = maker.AsyncOpenAI(http_client=direct, **self._settings())
        return self._async_clients[loop]

    def _settings(self) -> dict[str, Any]:
        config = self._config
        if config.base_url is None and self._address is not None:
            check_environment(self._address)
        key = config.api_key or os.environ.get("OPENAI_API_KEY")
        if not key and self.is_official:
            raise ConfigError(
                f"{type(config).__name__}.api_key: no key; give one, set OPENAI_API_KEY, or give the base_url of an "
                "own server",
                fields=("api_key",),
            )
        return {
            "api_key": key or "none",  # the library wants one, such servers ignore it
            "base_url": self._address,
            "timeout": library().Timeout(config.timeout, connect=min(config.timeout, CONNECT_TIMEOUT)),
            "max_retries": config.max_retries,
        }

    def _typed_errors(self) -> AbstractContextManager[None]:
        check_real_requests(self.where)
        return typed_errors(self.where, self._config.timeout)

    def _send(self, body: Mapping[str, Any], *, stream: bool = False) -> httpx2.Response:
        return self._sync.post(self._path, **_request(body, stream=stream))  # type: ignore[no-any-return]

    async def _send_async(self, body: Mapping[str, Any], *, stream: bool = False) -> httpx2.Response:
        return await self._async.post(self._path, **_request(body, stream=stream))  # type: ignore[no-any-return]


class _StreamReader:
    """Reads what a server sends for a streamed reply: events, or the whole reply if it cannot stream."""

    def __init__(self, where: str, response: httpx2.Response) -> None:
        self.done = False
        self._where = where
        self._events = EventReader()
        self._whole: list[bytes] | None = [] if "json" in response.headers.get("content-type", "") else None

    def feed(self, piece: bytes) -> Iterator[Mapping[str, Any]]:
        if self._whole is not None:
            self._whole.append(piece)
        else:
            yield from self._read(self._events.feed(piece))

    def finish(self) -> Iterator[Mapping[str, Any]]:
        if self._whole is not None:
            yield read_object(self._where, b"".join(self._whole))
            yield DONE
        else:
            yield from self._read(self._events.finish())

    def _read(self, events: list[str]) -> Iterator[Mapping[str, Any]]:
        for event in events:
            if event.strip() == "[DONE]":
                self.done = True
                yield DONE
                return
            yield read_object(self._where, event, "a part of the reply")


def _request(body: Mapping[str, Any], *, stream: bool) -> dict[str, Any]:
    import httpx2

    # The raw response: the library's own models take whatever a server sends for granted.
    return {"content": _encoded(body), "cast_to": httpx2.Response, "stream": stream}


def _encoded(body: Mapping[str, Any]) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"the request cannot be written as JSON: {error}") from error
    try:
        return text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which models do write
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
