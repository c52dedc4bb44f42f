"""Ways of making a conversation shorter when it does not fit the context window."""

from __future__ import annotations

import bisect
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias, runtime_checkable

from toolmend.agents._cuttable import MARKER
from toolmend.agents._shortening import shorten, shorten_parts
from toolmend.agents.conversation import RESULT_ROLES, Conversation
from toolmend.agents.errors import ConfigError
from toolmend.agents.history import History
from toolmend.agents.sizes import SYSTEM_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolmend.agents.clients.base import Message
    from toolmend.agents.sizes import MessageCounter

__all__ = (
    "STRATEGIES",
    "ClearToolResults",
    "DropTurns",
    "HistoryStrategy",
    "StrategyName",
    "Truncate",
    "conversation_of",
    "strategy_of",
)

CLEARED: Final = f"{MARKER} (result cleared,"

StrategyName: TypeAlias = Literal["truncate", "drop_turns", "clear_tool_results"]


@runtime_checkable
class HistoryStrategy(Protocol):
    """Makes a conversation shorter, such as by summing up its beginning."""

    def shrink(self, messages: Sequence[Message], budget: int, counter: MessageCounter, /) -> Sequence[Message]:
        """Give a shorter conversation, the best there is if the budget cannot be met; nothing is raised then.

        The messages are not to be changed: what becomes different is a new message. System messages and the last one of
        the user must stay.

        Args:
            messages: a valid conversation; for the strategies of this module a `Conversation`.
            budget: the tokens that all messages together may have.
            counter: counts and cuts.
        """


class Truncate:
    """Every message stays in its place; contents before the running turn are cut short, each by about the same."""

    def shrink(self, messages: Sequence[Message], budget: int, counter: MessageCounter, /) -> Conversation:
        """Cut texts evenly, and where that is not enough, parts of contents from the oldest on.

        Args:
            messages: a valid conversation.
            budget: the tokens that it may have.
            counter: counts and cuts.
        """
        conversation = conversation_of(messages, counter)
        notes = frozenset(conversation.notes)
        early = [at for at in range(conversation.opening, conversation.last_turn) if at not in notes]
        conversation = shorten(conversation, early, conversation.tokens - budget)
        return shorten_parts(conversation, early, conversation.tokens - budget)


class DropTurns:
    """Whole turns go, oldest first; system messages among them go last, and the running turn never."""

    def shrink(self, messages: Sequence[Message], budget: int, counter: MessageCounter, /) -> Conversation:
        """Leave out as few of the oldest turns as are enough.

        Args:
            messages: a valid conversation.
            budget: the tokens that it may have.
            counter: counts.
        """
        conversation = conversation_of(messages, counter)
        first, excess = conversation.opening, conversation.tokens - budget
        if excess <= 0:
            return conversation
        sizes = conversation.sizes[: conversation.last_turn]
        for at in conversation.notes:
            if at < len(sizes):
                sizes[at] = 0  # it stays for now, so that nothing is won by passing it
        won = [0, *itertools.accumulate(sizes)]  # by dropping all in front of a position
        ends = conversation.turns or [conversation.last_turn]
        enough = bisect.bisect_left(ends, bisect.bisect_left(won, won[first] + excess))
        stop = ends[min(enough, len(ends) - 1)]
        kept = _kept_notes(conversation, stop, excess - (won[stop] - won[first]))
        return conversation.selected([*range(first), *kept, *range(stop, len(conversation))])


@dataclass(frozen=True, slots=True)
class ClearToolResults:
    """Results of tools before the running turn are replaced by a marker, oldest first; everything else stays.

    Attributes:
        keep: how many of the newest of them stay as they are.
    """

    keep: int = 0

    def shrink(self, messages: Sequence[Message], budget: int, counter: MessageCounter, /) -> Conversation:
        """Clear as few of the oldest results as are enough.

        Args:
            messages: a valid conversation.
            budget: the tokens that it may have.
            counter: counts.
        """
        conversation = conversation_of(messages, counter)
        excess = conversation.tokens - budget
        early = range(conversation.opening, conversation.last_turn)
        results = [at for at in early if conversation.messages[at]["role"] in RESULT_ROLES]
        shorter, sizes = conversation.messages.copy(), conversation.sizes.copy()
        for at in results[: max(len(results) - self.keep, 0)]:
            if excess <= 0:
                break
            content = shorter[at].get("content")
            tokens = counter.content(content)
            cleared = f"{CLEARED} {tokens} tokens left out)"
            is_cleared = isinstance(content, str) and content.startswith(CLEARED)
            if (gain := tokens - counter.text(cleared)) > 0 and not is_cleared:
                shorter[at] = {**shorter[at], "content": cleared}
                sizes[at] -= gain
                excess -= gain
        return conversation.with_messages(shorter, sizes)


STRATEGIES: Final[Mapping[StrategyName, HistoryStrategy]] = {
    "truncate": Truncate(),
    "drop_turns": DropTurns(),
    "clear_tool_results": ClearToolResults(),
}


def strategy_of(strategy: HistoryStrategy | StrategyName, field: str) -> HistoryStrategy:
    """A strategy, given as one or by name.

    Args:
        strategy: what was given.
        field: the setting that it was given for.

    Raises:
        ConfigError: it is neither.
    """
    if isinstance(strategy, str) and strategy in STRATEGIES:
        return STRATEGIES[strategy]
    if isinstance(strategy, HistoryStrategy) and not isinstance(strategy, type):
        return strategy
    names = ", ".join(repr(name) for name in STRATEGIES)
    raise ConfigError(
        f"{field}: one of {names}, or an object with a method `shrink`, is needed, got {strategy!r:.80}",
        fields=(field,),
    )


def _kept_notes(conversation: Conversation, stop: int, excess: int) -> list[int]:
    """The system messages among the turns in front of a position that stay, the first one of all in any case."""
    has_system = any(message["role"] in SYSTEM_ROLES for message in conversation[: conversation.opening])
    kept = []
    for number, at in enumerate(note for note in conversation.notes if note < stop):
        if excess > 0 and (number or has_system):
            excess -= conversation.sizes[at]
        else:
            kept.append(at)
    return kept


def conversation_of(messages: Sequence[Message], counter: MessageCounter) -> Conversation:
    """Messages as a conversation: themselves if they are one, else made valid and counted.

    Args:
        messages: in the shape of Chat Completions.
        counter: counts them.
    """
    if isinstance(messages, Conversation):
        return messages
    return History(counter).conversation(messages)[0]
