"""Turns what goes wrong on the way to a server into our errors, each with what to do about it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

from toolmend.agents.clients._overflow import read_overflow
from toolmend.agents.errors import (
    ContextLengthError,
    LLMAuthenticationError,
    LLMConnectionError,
    LLMError,
    LLMNotFoundError,
    LLMRequestError,
    LLMServerError,
    LLMStatusError,
    LLMTimeoutError,
    MalformedReplyError,
    MissingExtraError,
    QuotaExceededError,
    RateLimitedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    import openai

__all__ = ("library", "read_object", "told_error", "typed_errors")

SHOWN = 500  # characters of foreign text that an error shows

STATUS_ERRORS: Final[Mapping[int, type[LLMStatusError]]] = {
    400: LLMRequestError,
    401: LLMAuthenticationError,
    402: QuotaExceededError,
    403: LLMAuthenticationError,
    404: LLMNotFoundError,
    408: LLMServerError,  # it gave up on a request that came too slowly
    409: LLMRequestError,
    413: LLMRequestError,
    422: LLMRequestError,
    429: RateLimitedError,
}
# The status that an error stands for which came without one.
CODES: Final[Mapping[str, int]] = {
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "invalid_api_key": 401,
    "model_not_found": 404,
    "server_error": 500,
}
QUOTA_CODES: Final = frozenset({"billing_hard_limit_reached", "insufficient_quota", "quota_exceeded"})
NOT_OVERFLOWN: Final = frozenset({401, 402, 403, 404, 408, 429})  # whatever their words

# What to do, by the kind of the error; the first that fits.
ADVICE: Final[tuple[tuple[type[LLMError], str], ...]] = (
    (ContextLengthError, "send less, or set chat_context_length to what the model has"),
    (LLMNotFoundError, "check the name of the model, and base_url, which usually ends in /v1"),
    (LLMAuthenticationError, "check api_key (OPENAI_API_KEY), and what it may be used for"),
    (QuotaExceededError, "the account is used up: check its plan and billing"),
    (RateLimitedError, "wait, or raise max_retries"),
    (LLMServerError, "try again later, or look at the server's log"),
    (LLMTimeoutError, "raise timeout if the model is only slow"),
    (LLMConnectionError, "check base_url, and that the server runs"),
)


def library() -> ModuleType:
    """The `openai` package.

    Raises:
        MissingExtraError: it is not installed.
    """
    try:
        import openai
    except ModuleNotFoundError as error:
        raise MissingExtraError("openai", extra="agents") from error
    return openai


@contextmanager
def typed_errors(where: str, timeout: float) -> Iterator[None]:
    """Turn what the library and its transport raise into our errors.

    Args:
        where: the model and its server, with which each message starts.
        timeout: the seconds that were waited, for the message.
    """
    openai = library()
    import httpx2

    try:
        yield
    except (openai.APITimeoutError, httpx2.TimeoutException) as error:
        raise _advised(LLMTimeoutError, f"{where}: no reply within {timeout:g} s") from error
    except openai.APIConnectionError as error:
        raise _advised(LLMConnectionError, f"{where}: cannot be reached: {error.__cause__ or error}") from error
    except httpx2.TransportError as error:  # while the body is read
        raise _advised(LLMConnectionError, f"{where}: the connection broke: {error}") from error
    except openai.APIStatusError as error:
        raise _of_status(where, error) from error
    except (openai.OpenAIError, httpx2.RequestError, httpx2.InvalidURL) as error:
        raise LLMError(f"{where}: {error}") from error


def read_object(where: str, text: bytes | str, what: str = "the reply") -> dict[str, Any]:
    """Read JSON that is to be an object, and no error that stands in its place.

    Args:
        where: the model and its server.
        text: what was sent.
        what: its name in the message.

    Raises:
        MalformedReplyError: it is no JSON object.
        LLMStatusError: it is an error.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise MalformedReplyError(f"{where}: {what} is no JSON: {_shown(text)}") from error
    if not isinstance(data, dict):
        raise MalformedReplyError(f"{where}: {what} is no JSON object: {_shown(text)}")
    if data.get("error"):
        raise told_error(where, data["error"])
    return data


def told_error(where: str, error: object) -> LLMError:
    """The error to raise for one that came in the place of a reply.

    Args:
        where: the model and its server.
        error: what stood in the field `error`.
    """
    told, message = _told(error)
    status = next((status for key in ("code", "status", "type") if (status := _status_of(told.get(key)))), None)
    if status is None and read_overflow(message, told) is None:
        return MalformedReplyError(f"{where}: the reply is an error: {message}")
    return _error(where, status or 400, told, message, None)


def _of_status(where: str, error: openai.APIStatusError) -> LLMStatusError:
    told, message = _told(error.body if error.body is not None else error.response.text)
    return _error(where, error.status_code, told, message, _retry_after(error.response.headers))


def _error(where: str, status: int, told: Mapping[str, Any], message: str, retry_after: float | None) -> LLMStatusError:
    code = next((code for key in ("code", "type") if isinstance(code := told.get(key), str)), None)
    text = f"{where}: status {status}: {message}"
    overflow = read_overflow(message, told) if status not in NOT_OVERFLOWN else None
    if overflow is not None:
        return ContextLengthError(
            _with_advice(ContextLengthError, text),
            status=status,
            code=code,
            context_length=overflow.context_length,
            prompt_tokens=overflow.prompt_tokens,
        )
    kind = STATUS_ERRORS.get(status, LLMServerError if status >= 500 else LLMStatusError)
    if kind is RateLimitedError and code in QUOTA_CODES:
        kind = QuotaExceededError
    text = _with_advice(kind, text)
    if issubclass(kind, RateLimitedError):
        return kind(text, status=status, code=code, retry_after=retry_after)
    return kind(text, status=status, code=code)


def _told(error: object) -> tuple[Mapping[str, Any], str]:
    """The fields of an error and its words, in whatever shape a server sends them."""
    told = error if isinstance(error, Mapping) else {}
    while isinstance(words := _words(told), Mapping):  # an error within an error, as gateways make
        told = words
    return told, _shown(words or error)


def _words(told: Mapping[str, Any]) -> object:
    return next((words for key in ("message", "detail", "error", "msg") if (words := told.get(key))), None)


def _shown(text: object) -> str:
    text = text.decode(errors="replace") if isinstance(text, bytes) else text
    shown = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False, default=str)
    return f"{shown[:SHOWN]}..." if len(shown) > SHOWN else shown or "(nothing)"


def _status_of(code: object) -> int | None:
    if isinstance(code, str):
        return CODES.get(code)
    return code if isinstance(code, int) and 400 <= code < 600 else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds to wait: a number, or the time at which to try again."""
    told = headers.get("retry-after", "")
    try:
        return max(0.0, float(told))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(told).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def _advised(kind: type[LLMError], text: str) -> LLMError:
    return kind(_with_advice(kind, text))


def _with_advice(kind: type[LLMError], text: str) -> str:
    advice = next((advice for one, advice in ADVICE if issubclass(kind, one)), None)
    return f"{text} ({advice})" if advice else text
