"""Any server that speaks the Chat Completions API, through the `openai` client library."""

from __future__ import annotations

import asyncio
import os
import weakref
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from toolmend.agents._settings import Settings
from toolmend.agents.errors import (
    ConfigError,
    LLMAuthenticationError,
    LLMConnectionError,
    LLMError,
    LLMRequestError,
    LLMServerError,
    LLMStatusError,
    LLMTimeoutError,
    MalformedReplyError,
    MissingExtraError,
    RateLimitedError,
)
from toolmend.toolkit.wire import read_reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    import openai

    from toolmend.agents.clients.base import ChatRequest, LLMClient
    from toolmend.toolkit.wire import ModelReply

__all__ = ("OpenAIClient", "OpenAIConfig")

OFFICIAL_HOST = "api.openai.com"
SHOWN = 300  # characters of an unusable reply that its error shows
STATUS_ERRORS: dict[int, type[LLMStatusError]] = {
    400: LLMRequestError,
    401: LLMAuthenticationError,
    403: LLMAuthenticationError,
    404: LLMRequestError,
    409: LLMRequestError,
    413: LLMRequestError,
    422: LLMRequestError,
    429: RateLimitedError,
}


class OpenAIConfig(Settings):
    """Which model on which server, and how to ask it.

    Attributes:
        model: name of the model, as the server knows it.
        base_url: where the server is, with its `/v1`; None takes `OPENAI_BASE_URL`, or else OpenAI itself.
        api_key: the key; None takes `OPENAI_API_KEY`. A server of one's own usually needs none.
        timeout: seconds to wait for a reply.
        max_retries: how often a request is sent again after a lost connection, a 429 or a 5xx.
        temperature: how freely to sample, where a request does not say; None leaves it to the server.
        seed: for servers that can answer the same way again.
        extra_body: further parameters for each request, as they are.
        http_client: an `httpx2.Client` to send requests with: proxies, certificates, test doubles.
        http_async_client: the same for async requests, an `httpx2.AsyncClient`.
    """

    model: str = Field(min_length=1)
    base_url: str | None = None
    api_key: str | None = Field(default=None, repr=False)
    timeout: float = Field(default=120.0, gt=0)
    max_retries: int = Field(default=2, ge=0)
    temperature: float | None = Field(default=None, ge=0)
    seed: int | None = None
    extra_body: dict[str, Any] = Field(default_factory=dict)
    http_client: Any = Field(default=None, repr=False, exclude=True)
    http_async_client: Any = Field(default=None, repr=False, exclude=True)

    def create_client(self) -> LLMClient:
        """Make a client with these settings."""
        return OpenAIClient(self)

    @field_validator("base_url")
    @classmethod
    def _check_base_url(cls, url: str | None) -> str | None:
        if url is not None and not url.lower().startswith(("http://", "https://")):
            raise ValueError(f"an address starts with http:// or https://, not {url!r:.80}")
        return url


class OpenAIClient:
    """Asks a server by Chat Completions; safe to share between threads."""

    def __init__(self, config: OpenAIConfig) -> None:
        """Connect to nothing yet.

        Args:
            config: which model on which server.
        """
        self.config = config
        self._async_clients: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, openai.AsyncOpenAI]
        self._async_clients = weakref.WeakKeyDictionary()

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
        with _typed_errors(self.config) as where:
            completion: object = self._sync.chat.completions.create(**self._parameters(request))
            return _read(completion, where)

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
        with _typed_errors(self.config) as where:
            completion: object = await self._async.chat.completions.create(**self._parameters(request))
            return _read(completion, where)

    def close(self) -> None:
        """Close the connections of sync requests; done by itself when the client is no longer used.

        A given `http_client` is left to who gave it.
        """
        if self.config.http_client is None and "_sync" in vars(self):
            self._sync.close()
            del self._sync

    async def close_async(self) -> None:
        """Close the connections that the running event loop opened, which nothing does by itself.

        A given `http_async_client` is left to who gave it.
        """
        client = self._async_clients.pop(asyncio.get_running_loop(), None)
        if self.config.http_async_client is None and client is not None:
            await client.close()

    @cached_property
    def _sync(self) -> openai.OpenAI:
        library, given = _library(), self.config.http_client
        direct = library.DefaultHttpxClient(trust_env=False) if given is None and self._is_here else given
        client: openai.OpenAI = library.OpenAI(http_client=direct, **self._connection())
        if given is None:
            weakref.finalize(self, client.close)
        return client

    @property
    def _async(self) -> openai.AsyncOpenAI:
        # Connections belong to the event loop that opened them, and a program may run one loop after another.
        loop = asyncio.get_running_loop()
        if loop not in self._async_clients:
            library, given = _library(), self.config.http_async_client
            direct = library.DefaultAsyncHttpxClient(trust_env=False) if given is None and self._is_here else given
            self._async_clients[loop] = library.AsyncOpenAI(http_client=direct, **self._connection())
        return self._async_clients[loop]

    def _connection(self) -> dict[str, Any]:
        config = self.config
        key = config.api_key
        if not (key or os.environ.get("OPENAI_API_KEY")):
            if not self._own_server:
                raise ConfigError(
                    "OpenAIConfig.api_key: no key; give one, set OPENAI_API_KEY, or give the base_url of an own server",
                    fields=("api_key",),
                )
            key = "none"  # the library wants one, such servers ignore it
        return {
            "api_key": key,
            "base_url": config.base_url,
            "timeout": config.timeout,
            "max_retries": config.max_retries,
        }

    @property
    def _host(self) -> str:
        address = self.config.base_url or os.environ.get("OPENAI_BASE_URL")
        return (urlsplit(address).hostname or "") if address else OFFICIAL_HOST

    @property
    def _own_server(self) -> bool:
        return self._host != OFFICIAL_HOST

    @property
    def _is_here(self) -> bool:
        """Whether the server runs on this machine, where no proxy of the environment leads."""
        return self._host in {"localhost", "::1"} or self._host.startswith("127.")

    def _parameters(self, request: ChatRequest) -> dict[str, Any]:
        config = self.config
        temperature = config.temperature if request.temperature is None else request.temperature
        # OpenAI's newer models refuse the older name, most other servers know no other.
        limit = "max_tokens" if self._own_server else "max_completion_tokens"
        given = {
            "tools": list(request.tools),
            "functions": list(request.functions),
            "tool_choice" if request.tools else "function_call": request.tool_choice,
            limit: request.max_tokens,
            "temperature": temperature,
            "seed": config.seed,
            "stop": list(request.stop),
            "extra_body": {**config.extra_body, **request.extra},
        }
        named = {name: value for name, value in given.items() if value is not None and value not in ([], {})}
        return {"model": config.model, "messages": list(request.messages), **named}


def _library() -> ModuleType:
    try:
        import openai
    except ModuleNotFoundError as error:
        raise MissingExtraError("openai", extra="agents") from error
    return openai


def _read(completion: object, where: str) -> ModelReply:
    """The reply in a completion, which the library does not validate: servers send whatever they like."""
    dump = getattr(completion, "model_dump", None)
    data = dump(warnings=False) if dump else completion
    if not isinstance(data, dict):
        raise MalformedReplyError(f"{where}: the reply is no chat completion: {str(completion)[:SHOWN]!r}")
    match data.get("choices"):
        case [{"message": {}}, *_]:
            return read_reply(data)
    told = data.get("error") or {name: value for name, value in data.items() if value is not None}
    raise MalformedReplyError(f"{where}: the reply holds no message: {str(told)[:SHOWN]}")


@contextmanager
def _typed_errors(config: OpenAIConfig) -> Iterator[str]:
    """Turn what the library raises into our errors, which start with the model and its server."""
    library = _library()
    where = f"{config.model} at {config.base_url or os.environ.get('OPENAI_BASE_URL') or OFFICIAL_HOST}"
    try:
        yield where
    except library.APITimeoutError as error:
        raise LLMTimeoutError(f"{where}: no reply within {config.timeout:g} s") from error
    except library.APIConnectionError as error:
        raise LLMConnectionError(f"{where}: cannot be reached: {error.__cause__ or error}") from error
    except library.APIStatusError as error:
        raise _status_error(where, error) from error
    except library.OpenAIError as error:
        raise LLMError(f"{where}: {error}") from error
    except ValueError as error:  # a body that claims to be JSON and is not
        raise MalformedReplyError(f"{where}: the reply is not JSON: {error}") from error


def _status_error(where: str, error: openai.APIStatusError) -> LLMStatusError:
    status = error.status_code
    fallback = LLMServerError if status >= 500 else LLMStatusError
    code = error.code if isinstance(error.code, str) else None
    return STATUS_ERRORS.get(status, fallback)(f"{where}: {error.message}", status=status, code=code)
