"""Fitting a history to the context window: the output is shrunk first, then the history, else an error tells why.

1. all fits                        it is sent as it is
2. a shorter output fits           it is sent as it is, and the output is bounded
3. the history is too long         a strategy makes it shorter, then its fallback; last, the older results of the
                                   running turn are cut
4. nothing helps                   `ContextOverflowError`
"""

from __future__ import annotations

import copy
import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.agents._calibration import Calibration
from toolmend.agents._fitted import Fitted, Stage
from toolmend.agents._pairing import Change
from toolmend.agents._shortening import shorten, shorten_parts
from toolmend.agents.conversation import Conversation
from toolmend.agents.errors import ConfigError, ContextOverflowError
from toolmend.agents.history import History
from toolmend.agents.sizes import REPLY, SYSTEM_ROLES, message_counter
from toolmend.agents.strategies import DropTurns, strategy_of
from toolmend.agents.tokens import TokenCounter
from toolmend.repairs.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from toolmend.agents.clients.base import Message
    from toolmend.agents.strategies import HistoryStrategy, StrategyName
    from toolmend.repairs.record import JsonValue

__all__ = ("BUFFER_TOKENS", "MIN_OUTPUT_TOKENS", "Change", "Fitted", "HistoryFitter", "Stage", "fit_history")

logger = logging.getLogger(__name__)

MIN_OUTPUT_TOKENS: Final = 64
BUFFER_TOKENS: Final = 300
DEFAULT_MODEL: Final = "gpt-4o"


class HistoryFitter:
    """Fits one conversation again and again as it grows; what it has seen is not read again.

    It keeps counts and nothing else: what is stored stays whole, so that a larger window shows it all again.
    """

    def __init__(
        self,
        *,
        context_length: int,
        max_output_tokens: int | None,
        min_output_tokens: int = MIN_OUTPUT_TOKENS,
        strategy: HistoryStrategy | StrategyName = "truncate",
        context_overflow_fallback: HistoryStrategy | StrategyName | None = None,
        context_buffer_tokens: int = BUFFER_TOKENS,
        model: str = DEFAULT_MODEL,
        counter: TokenCounter | None = None,
    ) -> None:
        """Set the bounds.

        Args:
            context_length: the tokens that the model's window has, for prompt and output together.
            max_output_tokens: the longest answer asked for; None leaves it to the server.
            min_output_tokens: the shortest that is still worth asking for.
            strategy: what shortens the history: `truncate`, `drop_turns`, `clear_tool_results`, or one's own.
            context_overflow_fallback: what goes on where that was not enough.
            context_buffer_tokens: how many tokens are kept free when something is shrunk, because counts are not exact.
            model: the name of the model, which tells the vocabulary.
            counter: counts in place of the model's vocabulary.

        Raises:
            ConfigError: one of them cannot be used.
        """
        _check_number("context_length", context_length, 1)
        if max_output_tokens is not None:
            _check_number("max_output_tokens", max_output_tokens, 1)
        _check_number("min_output_tokens", min_output_tokens, 1)
        _check_number("context_buffer_tokens", context_buffer_tokens, 0)
        self._length = context_length
        self._asked = max_output_tokens
        _check_counting(model, counter)
        self._least = min(min_output_tokens, max_output_tokens or min_output_tokens)
        self._buffer = context_buffer_tokens
        self._strategies = [strategy_of(strategy, "strategy")]
        if context_overflow_fallback is not None:
            self._strategies.append(strategy_of(context_overflow_fallback, "context_overflow_fallback"))
        self._counter = message_counter(model, counter)
        self._history = History(self._counter)
        self._calibration = Calibration()
        self._offer: tuple[Sequence[Message], Message | None, int] = (
            (),
            None,
            0,
        )  # what was offered last, and its cost

    def fit(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Message] | None = None,
        opening: int = 0,
        results: Container[int] = (),
        context_length: int | None = None,
    ) -> Fitted:
        """Give what can be sent of a conversation, without changing what is handed in.

        Args:
            messages: the whole conversation, in the shape of Chat Completions.
            tools: what is offered with it, as `tools` or as the older `functions` of Chat Completions.
            opening: how many of the first messages are never touched, such as examples; system messages never are.
            results: the positions of messages of the user that hold results of tools, for prompt-based agents.
            context_length: a window for this once, such as the one that a server's refusal names.

        Raises:
            ContextOverflowError: it cannot be made to fit.
            UsageError: something in it is no message.
        """
        if not messages:
            raise UsageError("messages: at least one message is needed")
        _check_number("opening", opening, 0)
        before, repairs = self._history.conversation(messages, opening, results)
        schemas = self._schemas(before, tools or ())
        length = self._length if context_length is None else context_length
        after = before
        stage: Stage = "fits"
        spare = length - self._expected(before, schemas)
        if spare < (self._asked or self._least):
            stage = "output shrunk"
            if spare - self._buffer < self._least:
                stage = "history shrunk"
                after = self._shrunk(before, schemas, length)
            spare = length - self._expected(after, schemas) - self._buffer
        granted = None if self._asked is None else min(self._asked, spare)
        tokens = after.tokens + schemas + REPLY
        return Fitted(after.messages, granted, tokens, stage, repairs, before, after)

    def calibrate(self, prompt_tokens: int | None, sent: Fitted) -> None:
        """Learn from what the server counted. Later counts are raised by it, never lowered below the own count.

        Args:
            prompt_tokens: `usage.prompt_tokens` of the response, if it carried any.
            sent: what was sent.
        """
        self._calibration.learn(prompt_tokens, sent.tokens)

    def _expected(self, conversation: Conversation, schemas: int) -> int:
        return self._calibration.expected(conversation.tokens + schemas + REPLY)

    def _schemas(self, conversation: Conversation, tools: Sequence[Message]) -> int:
        if not tools:
            return 0
        system = next((message for message in conversation.messages if message["role"] in SYSTEM_ROLES), None)
        if self._offer[:2] != (tools, system):
            _check_tools(tools)
            self._offer = (copy.deepcopy(tools), copy.deepcopy(system), self._counter.offer(tools, system))
        return self._offer[2]

    def _shrunk(self, before: Conversation, schemas: int, length: int) -> Conversation:
        budget = self._calibration.countable(length - self._least - self._buffer) - schemas - REPLY
        after = before
        for strategy in self._strategies:
            after = self._applied(strategy, after, budget)
            if after.tokens <= budget:
                return after
        after = _running_turn_shortened(after, budget)
        if after.tokens > budget:
            raise self._overflow(after, schemas, length)
        return after

    def _applied(self, strategy: HistoryStrategy, before: Conversation, budget: int) -> Conversation:
        shrunk = strategy.shrink(before, budget, self._counter)
        after = shrunk if isinstance(shrunk, Conversation) else _regained(strategy, shrunk, before)
        logger.info(
            "%s: %d messages of %d tokens became %d of %d, for a budget of %d",
            *(type(strategy).__name__, len(before), before.tokens, len(after), after.tokens, budget),
        )
        return after

    def _overflow(self, left: Conversation, schemas: int, length: int) -> ContextOverflowError:
        notes = frozenset(left.notes)
        kept = [size for at, size in enumerate(left.sizes) if at < left.opening or at in notes]
        last = [size for at, size in enumerate(left.sizes) if at >= left.last_turn and at not in notes]
        earlier = left.tokens - sum(kept) - sum(last)
        drops = any(isinstance(strategy, DropTurns) for strategy in self._strategies)
        return ContextOverflowError(
            context_length=length,
            system=sum(kept),
            last_turn=sum(last),
            earlier=earlier,
            tools=schemas,
            output=self._least,
            buffer=self._buffer,
            framing=self._expected(left, schemas) - left.tokens - schemas,
            hints=()
            if drops or not earlier
            else ('let old turns be dropped with context_overflow_fallback="drop_turns"',),
        )


def fit_history(
    messages: Sequence[Message],
    *,
    context_length: int,
    max_output_tokens: int | None,
    min_output_tokens: int = MIN_OUTPUT_TOKENS,
    strategy: HistoryStrategy | StrategyName = "truncate",
    tools: Sequence[Message] | None = None,
    model: str = DEFAULT_MODEL,
    context_overflow_fallback: HistoryStrategy | StrategyName | None = None,
    context_buffer_tokens: int = BUFFER_TOKENS,
    counter: TokenCounter | None = None,
    opening: int = 0,
) -> Fitted:
    """Fit a history once; for a conversation that goes on, a `HistoryFitter` reads each message only once.

    Args:
        messages: the whole conversation, in the shape of Chat Completions; it is not changed.
        context_length: the tokens that the model's window has, for prompt and output together.
        max_output_tokens: the longest answer asked for; None leaves it to the server.
        min_output_tokens: the shortest that is still worth asking for.
        strategy: what shortens the history: `truncate`, `drop_turns`, `clear_tool_results`, or one's own.
        tools: what is offered with it, as `tools` or as the older `functions` of Chat Completions.
        model: the name of the model, which tells the vocabulary.
        context_overflow_fallback: what goes on where the strategy was not enough.
        context_buffer_tokens: how many tokens are kept free when something is shrunk, because counts are not exact.
        counter: counts in place of the model's vocabulary.
        opening: how many of the first messages are never touched, such as examples; system messages never are.

    Raises:
        ContextOverflowError: it cannot be made to fit; the message tells the numbers, and what to do.
        ConfigError: one of the settings cannot be used.
        UsageError: something in the history is no message.
    """
    fitter = HistoryFitter(
        context_length=context_length,
        max_output_tokens=max_output_tokens,
        min_output_tokens=min_output_tokens,
        strategy=strategy,
        context_overflow_fallback=context_overflow_fallback,
        context_buffer_tokens=context_buffer_tokens,
        model=model,
        counter=counter,
    )
    return fitter.fit(messages, tools=tools, opening=opening)


def _running_turn_shortened(conversation: Conversation, budget: int) -> Conversation:
    """Cut results of the running turn: first those that the model has seen, then the newest ones but for the last."""
    start, newest, end = conversation.last_turn + 1, conversation.last_block, len(conversation) - 1
    for stretch in ((start, newest), (max(start, newest), end)):
        for step in (shorten, shorten_parts):
            results = conversation.results(*stretch)
            conversation = step(conversation, results, conversation.tokens - budget)
    return conversation


def _regained(strategy: HistoryStrategy, shrunk: Sequence[Message], before: Conversation) -> Conversation:
    """What a strategy of one's own gave, made valid, counted, and held against what it was given."""
    name = type(strategy).__name__
    if not _are_messages(shrunk):
        raise UsageError(f"{name}.shrink: a list of messages is to be given back, got {shrunk!r:.80}")
    messages = list(shrunk)
    known = {id(message): at for at, message in enumerate(before.messages)}
    places = [known.get(id(message)) for message in messages]
    questions = set(before.turns)
    spoken = {at for at, place in enumerate(places) if place is not None and place not in questions}
    opening = next((at for at, place in enumerate(places) if place != at), len(places))
    after, _ = History(before.counter).conversation(messages, min(opening, before.opening), spoken)
    origins = [
        -1 if origin < 0 or (place := places[origin]) is None else before.origins[place] for origin in after.origins
    ]
    if before.turns and (before[before.turns[-1]] not in after.messages):
        raise UsageError(f"{name}.shrink: the last message of the user is missing; it must be in what is given back")
    if any(message not in after.messages for message in before[: before.opening]):
        raise UsageError(f"{name}.shrink: a system message is missing; it must be in what is given back")
    return replace(after, origins=origins)


def _are_messages(given: object) -> bool:
    return isinstance(given, Iterable) and not isinstance(given, (str, Mapping))


def _check_tools(tools: Sequence[JsonValue]) -> None:
    for number, tool in enumerate(tools):
        function = tool.get("function", tool) if isinstance(tool, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise UsageError(f"tools[{number}]: a dict with a function that has a name is needed, got {tool!r:.80}")
        if not isinstance(function.get("parameters") or {}, dict):
            raise UsageError(f"tools[{number}].parameters: a JSON Schema as a dict is needed")


def _check_number(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigError(f"{name}: a whole number of at least {least} is needed, got {value!r:.80}", fields=(name,))


def _check_counting(model: object, counter: object) -> None:
    if not isinstance(model, str):
        raise ConfigError(f"model: the name of a model is needed, got {model!r:.80}", fields=("model",))
    if counter is not None and (isinstance(counter, type) or not isinstance(counter, TokenCounter)):
        wanted = "an object with the methods `count` and `head` is needed"
        raise ConfigError(f"counter: {wanted}, got {counter!r:.80}", fields=("counter",))
