"""A conversation that is to be sent: valid messages with their sizes, and where its turns begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolmend.agents.clients.base import Message
    from toolmend.agents.sizes import MessageCounter

__all__ = ("RESULT_ROLES", "Conversation")

RESULT_ROLES = frozenset({"tool", "function"})


@dataclass(frozen=True, eq=False)
class Conversation(Sequence["Message"]):
    """A sequence of messages that knows what it costs, so that nothing is counted twice.

    Attributes:
        messages: valid ones, in the shape of Chat Completions.
        sizes: the tokens of each.
        origins: for each its position in the history that it was made from; -1 for one that was added.
        turns: the positions at which turns begin: the questions of the user.
        opening: how many messages at the beginning are never touched.
        notes: the positions of the system messages behind the opening.
        counter: what counted.
        tokens: of all messages together.
        last_turn: the position at which the running turn begins; where nobody asked, that of the last block.
        last_block: the position of the last call, whose results are the rest, or of the last message.
    """

    messages: list[Message]
    sizes: list[int]
    origins: list[int]
    turns: list[int]
    opening: int
    notes: list[int]
    counter: MessageCounter
    tokens: int = field(init=False)
    last_turn: int = field(init=False)
    last_block: int = field(init=False)

    def __post_init__(self) -> None:
        """Work out what follows from the rest."""
        last = len(self.messages) - 1
        while last > 0 and self.messages[last]["role"] in RESULT_ROLES:
            last -= 1
        object.__setattr__(self, "tokens", sum(self.sizes))
        object.__setattr__(self, "last_block", max(last, 0))
        object.__setattr__(self, "last_turn", self.turns[-1] if self.turns else max(last, self.opening))

    @overload
    def __getitem__(self, at: int, /) -> Message: ...
    @overload
    def __getitem__(self, at: slice, /) -> list[Message]: ...
    def __getitem__(self, at: int | slice, /) -> Message | list[Message]:
        """A message, or several."""
        return self.messages[at]

    def __len__(self) -> int:
        """How many messages there are."""
        return len(self.messages)

    def selected(self, positions: Sequence[int]) -> Conversation:
        """The conversation with some of its messages only.

        Args:
            positions: which, in order; the opening and the last turn are among them.
        """
        place = {old: new for new, old in enumerate(positions)}
        return Conversation(
            messages=[self.messages[at] for at in positions],
            sizes=[self.sizes[at] for at in positions],
            origins=[self.origins[at] for at in positions],
            turns=[place[at] for at in self.turns if at in place],
            opening=self.opening,
            notes=[place[at] for at in self.notes if at in place],
            counter=self.counter,
        )

    def with_messages(self, messages: list[Message], sizes: list[int]) -> Conversation:
        """The conversation with other messages in the places of some.

        Args:
            messages: as many as before.
            sizes: the tokens of each.
        """
        return Conversation(messages, sizes, self.origins, self.turns, self.opening, self.notes, self.counter)

    def results(self, start: int, stop: int) -> Iterable[int]:
        """The positions of the results of tools in a stretch of the running turn.

        Args:
            start: where it begins.
            stop: where the next one begins.
        """
        answering = RESULT_ROLES | {"user"}  # prompt-based agents give results as messages of the user
        return (at for at in range(start, stop) if self.messages[at]["role"] in answering)
