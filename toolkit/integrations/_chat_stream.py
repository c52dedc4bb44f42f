"""Streamed replies of Chat Completions: handed on as they come until a call begins, then held until it is mended."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

from toolmend.toolkit.integrations._chat_calls import mend_calls, result_of_calls
from toolmend.toolkit.outcome import ParseResult
from toolmend.toolkit.registry import ToolRegistry
from toolmend.toolkit.streaming.chunks import ApiCall, Chunks
from toolmend.toolkit.wire import RawCall

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

__all__ = ("ChunkMender",)


_FUNCTION: Final = (None, "", "function")
"""What the type of a fragment may be that belongs to a call of a function: only the first one needs to tell it."""


class ChunkMender:
    """The chunks of one reply.

    Text goes through at once. From the first fragment of a call on all chunks are held: no call can be read before it
    is whole, and the order of chunks is kept. Then they are handed on, as they came if nothing was to be mended.
    """

    def __init__(self, registry: ToolRegistry) -> None:
        """Begin to read a reply.

        Args:
            registry: the tools.
        """
        self._registry = registry
        self._choices: dict[int, _Choice] = {}
        self._held: list[ChatCompletionChunk] = []

    def feed(self, chunk: ChatCompletionChunk) -> bool:
        """Add a chunk.

        Args:
            chunk: the next one.

        Returns:
            Whether it can be handed on now.
        """
        for choice in chunk.choices or ():
            self._choices.setdefault(choice.index or 0, _Choice()).add(choice)
        if not self._held and not any(choice.has_calls for choice in self._choices.values()):
            return True
        self._held.append(chunk)
        return False

    def held(self) -> list[ChatCompletionChunk]:
        """The chunks that were held, as they came: what a reply that broke off leaves."""
        return self._held

    def finish(self) -> tuple[list[ChatCompletionChunk], tuple[ParseResult, ...]]:
        """Mend the calls, now that all chunks were fed.

        Returns:
            The chunks that were held, and what was read of each choice, in order.
        """
        results = tuple(choice.mend(self._registry) for _, choice in sorted(self._choices.items()))
        return self._held, results


class _Choice:
    """The part of the chunks that belongs to one choice."""

    def __init__(self) -> None:
        self._chunks = Chunks()
        self._deltas: list[tuple[ChoiceDelta, list[tuple[ChoiceDeltaToolCall, ApiCall | None]]]] = []
        self._custom: set[int] = set()  # calls of custom tools, whose input is any text
        self._legacy: list[ChoiceDelta] = []

    @property
    def has_calls(self) -> bool:
        return bool(self._deltas or self._legacy)

    def add(self, choice: Any) -> None:  # noqa: ANN401 - servers leave out anything
        delta = choice.delta
        self._chunks.add({"choices": [{"finish_reason": choice.finish_reason, "delta": _words(delta)}]})
        if getattr(delta, "tool_calls", None):
            self._deltas.append((delta, [(fragment, self._call_of(fragment)) for fragment in delta.tool_calls]))
        elif getattr(delta, "function_call", None) is not None:
            self._chunks.add(_delta(function_call=delta.function_call))
            self._legacy.append(delta)

    def mend(self, registry: ToolRegistry) -> ParseResult:
        """Read the calls, and write into the deltas what is to stand there."""
        chunks, reason = self._chunks, self._chunks.finish_reason
        functions = [call for call in chunks.calls if call.number not in self._custom]
        if chunks.calls:
            calls = mend_calls(registry, {"tool_calls": [call.written() for call in functions]}, reason)
            self._write({call.number: one.written for call, one in zip(functions, calls, strict=True)})
        elif chunks.legacy is not None:
            calls = mend_calls(registry, {"function_call": chunks.legacy.written()["function"]}, reason)
            self._write_legacy(chunks.legacy, calls[0].written)
        else:
            calls = []
        return result_of_calls(calls, chunks.text, reason)

    def _call_of(self, fragment: ChoiceDeltaToolCall) -> ApiCall | None:
        """The call that a fragment adds to; None if it says nothing."""
        _, touched = self._chunks.add(_delta(tool_calls=[fragment]))
        if touched and getattr(fragment, "type", None) not in _FUNCTION:
            self._custom.add(touched[0].number)
        return touched[0] if touched else None

    def _write(self, written: dict[int, tuple[RawCall, ...]]) -> None:
        """Put what was mended in the place of the fragments; the calls are counted anew, as one may have become many.

        Args:
            written: what each call is to be, by its number.
        """
        as_it_was = {call.number: (RawCall(call.name, "".join(call.pieces), call.id),) for call in self._chunks.calls}
        new = {number: calls for number, calls in written.items() if calls != as_it_was[number]}
        if not new:
            return
        ends = itertools.accumulate(len(calls) for calls in {**as_it_was, **new}.values())
        begins = dict(zip(as_it_was, (0, *ends), strict=False))
        told: set[int] = set()
        for delta, fragments in self._deltas:
            kept: list[ChoiceDeltaToolCall] = []
            for fragment, call in fragments:
                if call is None:
                    kept.append(fragment)
                elif call.number not in new:
                    kept.append(fragment.model_copy(update={"index": begins[call.number]}))
                elif call.number not in told:
                    told.add(call.number)
                    kept += _fragments(new[call.number], begins[call.number])
            delta.tool_calls = kept or None

    def _write_legacy(self, call: ApiCall, written: tuple[RawCall, ...]) -> None:
        if len(written) != 1 or written == (RawCall(call.name, "".join(call.pieces)),):
            return
        first, *rest = self._legacy
        new = {"name": written[0].name, "arguments": written[0].arguments}
        first.function_call = first.function_call and first.function_call.model_copy(update=new)
        for delta in rest:
            delta.function_call = None


def _fragments(calls: tuple[RawCall, ...], begin: int) -> list[ChoiceDeltaToolCall]:
    """Calls as fragments, each in one piece."""
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall, ChoiceDeltaToolCallFunction

    return [
        ChoiceDeltaToolCall(
            index=index,
            id=call.id,
            type="function",
            function=ChoiceDeltaToolCallFunction(name=call.name, arguments=call.arguments),
        )
        for index, call in enumerate(calls, begin)
    ]


def _delta(**parts: object) -> dict[str, object]:
    return {"choices": [{"delta": parts}]}


def _words(delta: object) -> dict[str, object]:
    return {"content": getattr(delta, "content", None)}
