"""What came of a fit, with every change on record."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolmend.agents._pairing import Change

if TYPE_CHECKING:
    from toolmend.agents.clients.base import Message
    from toolmend.agents.conversation import Conversation

__all__ = ("Fitted", "Stage")

Stage: TypeAlias = Literal["fits", "output shrunk", "history shrunk"]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What can be sent.

    Attributes:
        messages: the messages; those that were not changed are the very ones that were handed in.
        max_output_tokens: the longest answer to be asked for; None if it was left to the server.
        tokens: what messages, tool schemas and the beginning of the reply cost by the own count.
        stage: how far it had to be gone.
        repairs: what had to be mended because it cannot be sent.
    """

    messages: list[Message]
    max_output_tokens: int | None
    tokens: int
    stage: Stage
    repairs: tuple[Change, ...]
    _before: Conversation = field(repr=False)
    _after: Conversation = field(repr=False)

    @property
    def changes(self) -> tuple[Change, ...]:
        """Every difference between what was handed in and what is sent: the repairs, then the work of the strategies.

        It is worked out when it is asked for.
        """
        return (*self.repairs, *self.shortened, *self.dropped, *self._added)

    @property
    def shortened(self) -> tuple[Change, ...]:
        """The messages whose content was cut."""
        before, after = self._before, self._after
        if before is after:
            return ()
        old = {origin: at for at, origin in enumerate(before.origins) if origin >= 0}
        return tuple(
            Change("shortened", origin, before.sizes[old[origin]], after.sizes[at])
            for at, origin in enumerate(after.origins)
            if origin >= 0 and after.messages[at] is not before.messages[old[origin]]
        )

    @property
    def dropped(self) -> tuple[Change, ...]:
        """The messages that were left out."""
        before = self._before
        if before is self._after:
            return ()
        left = {-1, *self._after.origins}
        origins = enumerate(before.origins)
        return tuple(Change("dropped", origin, before.sizes[at]) for at, origin in origins if origin not in left)

    @property
    def _added(self) -> tuple[Change, ...]:
        """The messages that a strategy wrote."""
        after = self._after
        if self._before is after:
            return ()
        known = set(map(id, self._before.messages))
        return tuple(
            Change("added", at, 0, after.sizes[at])
            for at, origin in enumerate(after.origins)
            if origin < 0 and id(after.messages[at]) not in known
        )
