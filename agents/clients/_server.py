"""Which model on which server, and how to ask it: the settings that all clients of servers share."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, field_validator

from toolmend.agents._settings import Settings
from toolmend.agents.errors import ConfigError

__all__ = ("ServerConfig", "check_environment")


class ServerConfig(Settings):
    """Which model on which server, and how to ask it.

    Attributes:
        model: name of the model, as the server knows it.
        base_url: where the server is, with its `/v1`; None takes `OPENAI_BASE_URL`, or else OpenAI itself.
        api_key: the key; None takes `OPENAI_API_KEY`. A server of one's own usually needs none.
        timeout: seconds to wait for a reply, or for the next part of one that is streamed.
        max_retries: how often a request is sent again after a lost connection, a 429 or a 5xx.
        temperature: how freely to sample, where a request does not say; None leaves it to the server.
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
    extra_body: dict[str, Any] = Field(default_factory=dict)
    http_client: Any = Field(default=None, repr=False, exclude=True)
    http_async_client: Any = Field(default=None, repr=False, exclude=True)

    @field_validator("base_url")
    @classmethod
    def _check_base_url(cls, url: str | None) -> str | None:
        return None if url is None else _checked_address(url)

    @field_validator("api_key")
    @classmethod
    def _check_api_key(cls, key: str | None) -> str | None:
        if key is not None and not (key.isascii() and key.isprintable()):
            raise ValueError("a key is made of printable ASCII characters; this one holds others, perhaps a line break")
        return key


def check_environment(url: str) -> None:
    """Refuse an address that the environment gives and that leads nowhere.

    Args:
        url: the address.

    Raises:
        ConfigError: it does.
    """
    try:
        _checked_address(url)
    except ValueError as error:
        raise ConfigError(f"OPENAI_BASE_URL: {error}", fields=("base_url",)) from error


def _checked_address(url: str) -> str:
    if not url.lower().startswith(("http://", "https://")):
        raise ValueError(f"an address starts with http:// or https://, not {url!r:.80}")
    try:
        parts = urlsplit(url)
        usable = bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, or too large
        usable = False
    if not usable or not url.isprintable() or " " in url:
        raise ValueError(f"no usable address: {url!r:.80}")
    return url
