"""A reply that is read while it is being written: text as soon as it is safe, calls as soon as they are sure."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING

from toolmend.toolkit.dialects import dialect_named
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.outcome import ParseResult, ToolCall
from toolmend.toolkit.streaming.chunks import ApiCall, Chunks
from toolmend.toolkit.streaming.early import early_call
from toolmend.toolkit.streaming.events import (
    CallCompleted,
    CallFailed,
    CallRetracted,
    PartialCall,
    StreamEvent,
    StreamFinished,
)
from toolmend.toolkit.streaming.probe import Probe
from toolmend.toolkit.streaming.watch import Watch

if TYPE_CHECKING:
    from toolmend.toolkit.streaming.parser import Parser
    from toolmend.toolkit.wire import ModelReply

__all__ = ("ReplyStream",)


class ReplyStream:
    """One reply while it is being written; `ToolRegistry.stream` makes it.

    Feed it the chunks, and call `finish` behind the last one; or let `events` do both. The result is what
    `ToolRegistry.parse_reply` gives for the whole reply, however it is cut into chunks.

    What the events promise:

    - The text that they add up to (`replay`) is the text of the result without blanks at its ends. Text is told as soon
      as nothing but a few rare things can make something else of it: a tag that closes reasoning which nothing opened,
      say. Then a `TextRestart` tells what is to be shown instead.
    - Each call and each faulty one of the result is told once, by `CallCompleted` or `CallFailed`. They are told at the
      end, as all that comes before may still change them; an eager stream tells calls as soon as they look whole, and
      takes back by `CallRetracted` what turns out otherwise.
    - `PartialCall` shows a call that is being written. It is for show: it was not validated, and `dispatch` refuses it.
    """

    def __init__(
        self,
        parser: Parser,
        *,
        search_text: bool | None = None,
        dialect: str | None = None,
        reasoning_first: bool = False,
        eager: bool = False,
    ) -> None:
        """Begin to read a reply.

        Args:
            parser: reads whole replies; a `ToolRegistry` whose tools stay as they are.
            search_text: whether the text is searched for calls; by default only if there are none through the API.
            dialect: the form of calls that the instructions asked for; None if they asked for none.
            reasoning_first: whether the text begins within reasoning, as the model's template opened it.
            eager: whether calls are told before the reply is whole, as soon as they look so.

        Raises:
            ToolUsageError: if the dialect is unknown.
        """
        if dialect is not None:
            dialect_named(dialect)
        self._parser = parser
        self._search_text = search_text
        self._dialect = dialect
        self._eager = eager
        self._chunks = Chunks()
        self._watch = Watch(
            Probe(parser.specs, dialect, parser.infer_tool_name, eager), reasoning_first=reasoning_first
        )
        self._is_plain = search_text is False  # whether the text is shown as it is
        self._told: list[ToolCall] = []
        self._ids: set[str] = set()
        self._result: ParseResult | None = None

    # ------------------------------------------------------------------ what comes in

    def feed(self, chunk: object) -> tuple[StreamEvent, ...]:
        """Add a chunk.

        Args:
            chunk: a chunk of Chat Completions, as a dict or as an object of the `openai` package; or text.

        Returns:
            What can be told now.

        Raises:
            ToolUsageError: if it is no chunk, or the stream was finished.
        """
        if self._result is not None:
            raise ToolUsageError("the stream is finished; begin another one for the next reply")
        if isinstance(chunk, str):
            self._chunks.add_text(chunk)
            return tuple(self._noted(self._text(chunk)))
        known = len(self._chunks.calls)
        text, touched = self._chunks.add(chunk)
        events = self._text(text) if text else []
        if touched and self._search_text is None and not self._is_plain:
            events += self._plain_from_here()
        if self._eager:
            events += self._early(known)
        events += (_partial(call) for call in {id(call): call for call in touched}.values())
        return tuple(self._noted(events))

    def finish(self, finish_reason: str | None = None) -> tuple[StreamEvent, ...]:
        """Say that the reply is whole.

        Args:
            finish_reason: why the model stopped, if no chunk said so.

        Returns:
            All that is left to be told, the result last; nothing if the stream was finished before.
        """
        if self._result is not None:
            return ()
        self._chunks.finish_reason = self._chunks.finish_reason or finish_reason
        reply = self.reply()
        result = self._parser.parse_reply(reply, search_text=self._search_text, dialect=self._dialect)
        self._result = result
        events = self._watch.prose.settle(result.text)
        left = list(result.items)
        for call in self._told:
            if call in left:
                left.remove(call)
            else:
                events.append(CallRetracted(call))
        events += (CallCompleted(item) if isinstance(item, ToolCall) else CallFailed(item) for item in left)
        return (*events, StreamFinished(result, reply))

    def events(self, chunks: Iterable[object]) -> Iterator[StreamEvent]:
        """Read a whole reply.

        Args:
            chunks: its chunks, or its text in parts.

        Yields:
            The events, the result last.

        Raises:
            ToolUsageError: as `feed`.
        """
        for chunk in chunks:
            yield from self.feed(chunk)
        yield from self.finish()

    async def events_async(self, chunks: AsyncIterable[object]) -> AsyncIterator[StreamEvent]:
        """Read a whole reply that comes asynchronously.

        Args:
            chunks: its chunks, or its text in parts.

        Yields:
            The events, the result last.

        Raises:
            ToolUsageError: as `feed`.
        """
        async for chunk in chunks:
            for event in self.feed(chunk):
                yield event
        for event in self.finish():
            yield event

    # ------------------------------------------------------------------ what is known

    def result(self) -> ParseResult:
        """What the reply holds, as `parse_reply` reads it.

        Raises:
            ToolUsageError: if the stream was not finished: a reply that may go on has no result.
        """
        if self._result is None:
            raise ToolUsageError(
                "the stream is not finished: call `finish` behind the last chunk, or read all `events`"
            )
        return self._result

    def reply(self) -> ModelReply:
        """The reply so far, as if it had come in one piece, unread."""
        return self._chunks.reply()

    @property
    def refusal(self) -> str:
        """The words in which the provider says that the model refuses; empty if it does not."""
        return self._chunks.refusal

    @property
    def read(self) -> int:
        """How many characters were looked at so far; it grows as the reply does, however that is cut."""
        return self._watch.read

    # ------------------------------------------------------------------ behind

    def _text(self, text: str) -> list[StreamEvent]:
        """Add to the text."""
        if not self._is_plain:
            return self._watch.feed(text)
        self._watch.prose.write(text)
        return self._watch.prose.events()

    def _plain_from_here(self) -> list[StreamEvent]:
        """Show all text as it is: a call through the API says that none stands in the text."""
        self._is_plain = True
        text = self._chunks.text
        prose = self._watch.prose
        return prose.settle(text)

    def _early(self, known: int) -> list[StreamEvent]:
        """The calls that are over, as the next one began."""
        calls = self._chunks.calls
        events: list[StreamEvent] = []
        for call in calls[max(known - 1, 0) : -1]:
            found = early_call(self._parser, call) if call.effective_id not in self._ids else None
            self._ids.add(call.effective_id)  # one that is given twice is changed in the end
            if found is not None:
                events.append(CallCompleted(found))
        return events

    def _noted(self, events: list[StreamEvent]) -> list[StreamEvent]:
        self._told += (event.call for event in events if isinstance(event, CallCompleted))
        return events


def _partial(call: ApiCall) -> PartialCall:
    return PartialCall(call.number, call.id or None, call.name, call.pieces, len(call.pieces))
