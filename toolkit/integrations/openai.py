"""A client of the `openai` package whose replies hold mended calls.

    client = mend_openai(OpenAI(), registry)
    completion = client.chat.completions.create(model=..., messages=..., tools=registry.openai_tools())

The calls in `completion` are mended; `result_of(completion)` has the record of repairs, the validated calls to
dispatch, and the errors to send to the model.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from types import NoneType
from typing import Any, Final, TypeAlias, TypeVar, cast

from toolmend.toolkit.errors import MissingExtraError, ToolUsageError
from toolmend.toolkit.integrations._chat_calls import with_tools_of_request
from toolmend.toolkit.integrations._chat_reply import mended_reply
from toolmend.toolkit.integrations._chat_stream import ChunkMender
from toolmend.toolkit.outcome import ParseResult
from toolmend.toolkit.registry import ToolRegistry

try:
    from openai import AsyncOpenAI, AsyncStream, OpenAI, Stream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
except ModuleNotFoundError as error:
    raise MissingExtraError("openai", extra="openai") from error

__all__ = ("OnResult", "mend_completion", "mend_openai", "result_of")

C = TypeVar("C", bound=OpenAI | AsyncOpenAI)
T = TypeVar("T")

OnResult: TypeAlias = Callable[[ParseResult], object]
"""Told what was read of each reply that holds a call."""

_RESULTS: Final = "_toolmend_results"
_UNMENDED: Final = "_toolmend_unmended"


def mend_openai(client: C, registry: ToolRegistry | None = None, *, on_result: OnResult | None = None) -> C:
    """A client like the one given whose `chat.completions.create` returns mended calls, streamed or not.

    Valid calls are left as they are; so is a call that cannot be mended, and its error stands in `result_of` the reply.
    A tool that the request declares and the registry does not hold is mended by its schema. All else is that of the
    client given, which stays as it is: the two share their connections, and closing one closes both. A client that
    was mended before is mended by what is given now alone.

    Args:
        client: an `OpenAI` or `AsyncOpenAI`, or an instance of a subclass.
        registry: the tools, with their own rules; without it the schemas in each request are all that is known.
        on_result: told what was read of each reply that holds a call, for a log of repairs.

    Raises:
        ToolUsageError: if the client is none, or the registry is none.
    """
    given: tuple[object, object] = client, registry
    if not isinstance(given[0], (OpenAI, AsyncOpenAI)):
        raise ToolUsageError(f"a client of the openai package is needed, OpenAI or AsyncOpenAI, got {client!r:.80}")
    if not isinstance(given[1], (ToolRegistry, NoneType)):
        raise ToolUsageError(f"the tools must be a ToolRegistry, got {registry!r:.80}")

    def again(**options: Any) -> C:  # noqa: ANN401 - those of the client
        return mend_openai(cast("C", client.copy(**options)), registry, on_result=on_result)

    completions = copy.copy(client.chat.completions)
    chat = copy.copy(client.chat)
    mended = copy.copy(client)
    # What stands on an instance comes before what its class has: the class, and with it all types, stays the client's.
    create: Any = getattr(completions.create, _UNMENDED, completions.create)
    wrap = _wrapped if isinstance(client, OpenAI) else _wrapped_async
    mending = wrap(create, registry, on_result)
    setattr(mending, _UNMENDED, create)
    vars(completions)["create"] = mending
    vars(chat)["completions"] = completions
    vars(mended).update(chat=chat, copy=again, with_options=again)
    return mended


def mend_completion(completion: ChatCompletion, registry: ToolRegistry) -> ChatCompletion:
    """A reply that came in another way, with its calls mended; what is valid, or cannot be mended, is left as it is.

    Args:
        completion: the reply; it stays as it is.
        registry: the tools.

    Raises:
        ToolUsageError: if it is no whole reply.
    """
    given: object = completion
    if not isinstance(given, ChatCompletion):
        raise ToolUsageError(f"a ChatCompletion of the openai package is needed, got {given!r:.80}")
    mended, results = mended_reply(completion, registry)
    if mended is completion:
        mended = completion.model_copy()
    return _with_results(mended, results, None)


def result_of(reply: object, choice: int = 0) -> ParseResult:
    """What was read of a reply: its calls with their repairs, and as errors those that cannot be mended.

    Args:
        reply: a completion of a mended client, or a stream of it that was read to its end.
        choice: which of its choices.

    Raises:
        ToolUsageError: if the reply is of another client, its stream was not read to its end, or it has no such choice.
    """
    results: tuple[ParseResult, ...] | None = getattr(reply, _RESULTS, None)
    if results is None:
        raise ToolUsageError(
            f"nothing was read of this {type(reply).__name__}: it is no reply of a mended client, or a stream that was "
            "not read to its end"
        )
    if not 0 <= choice < len(results):
        raise ToolUsageError(f"the reply has {len(results)} choices, there is no choice {choice}")
    return results[choice]


# ------------------------------------------------------------------ the method `create`


def _wrapped(
    create: Callable[..., object], registry: ToolRegistry | None, on_result: OnResult | None
) -> Callable[..., object]:
    @functools.wraps(create)
    def mending(*args: object, **request: object) -> object:
        tools = with_tools_of_request(registry, _listed(request))
        return _mended(create(*args, **request), tools, on_result)

    return mending


def _wrapped_async(
    create: Callable[..., Awaitable[object]], registry: ToolRegistry | None, on_result: OnResult | None
) -> Callable[..., Awaitable[object]]:
    @functools.wraps(create)
    async def mending(*args: object, **request: object) -> object:
        tools = with_tools_of_request(registry, _listed(request))
        return _mended(await create(*args, **request), tools, on_result)

    return mending


def _listed(request: dict[str, object]) -> dict[str, object]:
    """The request with its tools as a list: they may be an iterator, which can be read only once."""
    for key in ("tools", "functions"):
        if isinstance(request.get(key), Iterator):
            request[key] = list(cast("Iterator[object]", request[key]))
    return request


def _mended(reply: object, tools: ToolRegistry, on_result: OnResult | None) -> object:
    """A reply of any kind: a raw response is left as the server sent it."""
    if isinstance(reply, ChatCompletion):
        return _with_results(*mended_reply(reply, tools), on_result)
    if isinstance(reply, Stream):
        return _MendedStream(reply, tools, on_result)
    if isinstance(reply, AsyncStream):
        return _MendedAsyncStream(reply, tools, on_result)
    return reply


def _with_results(reply: T, results: tuple[ParseResult, ...], on_result: OnResult | None) -> T:
    """Put beside a reply what was read of it: out of the way of its fields, its dump and its comparison."""
    object.__setattr__(reply, _RESULTS, results)
    for result in results:
        if on_result is not None and result.items:
            on_result(result)
    return reply


class _MendedStream(Stream[ChatCompletionChunk]):
    """A stream with mended calls, and all else of the one that it reads."""

    def __init__(self, raw: Stream[ChatCompletionChunk], tools: ToolRegistry, on_result: OnResult | None) -> None:
        vars(self).update(vars(raw))
        self._iterator = self._mended(raw, ChunkMender(tools), on_result)

    def _mended(
        self, raw: Stream[ChatCompletionChunk], mender: ChunkMender, on_result: OnResult | None
    ) -> Iterator[ChatCompletionChunk]:
        try:
            for chunk in raw:
                if mender.feed(chunk):
                    yield chunk
        except Exception:  # whatever breaks the stream: what was held back is handed on before it goes on its way
            yield from mender.held()
            raise
        chunks, results = mender.finish()
        _with_results(self, results, on_result)
        yield from chunks


class _MendedAsyncStream(AsyncStream[ChatCompletionChunk]):
    """The same for an async client."""

    def __init__(self, raw: AsyncStream[ChatCompletionChunk], tools: ToolRegistry, on_result: OnResult | None) -> None:
        vars(self).update(vars(raw))
        self._iterator = self._mended(raw, ChunkMender(tools), on_result)

    async def _mended(
        self, raw: AsyncStream[ChatCompletionChunk], mender: ChunkMender, on_result: OnResult | None
    ) -> AsyncIterator[ChatCompletionChunk]:
        try:
            async for chunk in raw:
                if mender.feed(chunk):
                    yield chunk
        except Exception:  # whatever breaks the stream: what was held back is handed on before it goes on its way
            for chunk in mender.held():
                yield chunk
            raise
        chunks, results = mender.finish()
        _with_results(self, results, on_result)
        for chunk in chunks:
            yield chunk
