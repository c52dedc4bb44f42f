"""A history as it grows: each message is looked at once, however often the conversation is sent."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolmend.agents._pairing import Change, Pairing
from toolmend.agents.conversation import Conversation
from toolmend.agents.sizes import SYSTEM_ROLES
from toolmend.repairs.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from toolmend.agents._pairing import Placed
    from toolmend.agents.clients.base import Message
    from toolmend.agents.sizes import MessageCounter
    from toolmend.repairs.record import JsonValue

__all__ = ("History",)

# What the members of a message are, if they are there.
MESSAGE: Final[Mapping[str, type | tuple[type, ...]]] = {
    "role": str,
    "content": (str, list),
    "name": str,
    "tool_call_id": str,
    "tool_calls": list,
    "function_call": dict,
}
CALL: Final[Mapping[str, type]] = {"id": str, "function": dict}
FUNCTION: Final[Mapping[str, type]] = {"name": str, "arguments": str}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a question stands: in the history, among what is sent, and among the recorded changes."""

    given: int
    sent: int
    changes: int


class History:
    """Turns stored messages into a conversation that can be sent, and goes on from there when more are stored.

    What was looked at is kept as a copy, and compared with what is handed in: a message that was replaced, or changed
    in place, is looked at anew, with all that follow it.
    """

    def __init__(self, counter: MessageCounter) -> None:
        """Start with nothing.

        Args:
            counter: counts each message.
        """
        self._counter = counter
        self._start()

    def conversation(
        self, given: Sequence[Message], opening: int = 0, results: Container[int] = ()
    ) -> tuple[Conversation, tuple[Change, ...]]:
        """What can be sent of a history, and what had to be changed for that.

        Args:
            given: the messages, in the shape of Chat Completions.
            opening: how many of the first messages are no conversation yet, such as examples.
            results: the positions of messages of the user that hold results of tools.

        Raises:
            UsageError: something in it is no message.
        """
        if not isinstance(given, (list, tuple)):
            raise UsageError(f"messages: a list of Chat Completions messages is needed, got {type(given).__name__}")
        self._rewind(given, opening)
        try:
            for at in range(len(self._seen), len(given)):
                self._take(given[at], at, results)
        except BaseException:  # nothing half taken may stay
            self._start(opening)
            raise
        ending, changes = self._pairing.end()
        conversation = Conversation(
            messages=[*self._messages, *(message for message, _ in ending)],
            sizes=[*self._sizes, *(self._counter.message(message) for message, _ in ending)],
            origins=[*self._origins, *(origin for _, origin in ending)],
            turns=[place.sent for place in self._questions],
            opening=self._opening,
            notes=self._notes.copy(),
            counter=self._counter,
        )
        return conversation, (*self._pairing.changes, *changes)

    def _start(self, opening: int = 0) -> None:
        self._given_opening = opening
        self._pairing = Pairing()
        self._seen: list[Message] = []
        self._messages: list[Message] = []
        self._sizes: list[int] = []
        self._origins: list[int] = []
        self._questions: list[_Place] = []
        self._resumable: list[_Place] = []
        self._notes: list[int] = []
        self._opening = 0

    def _rewind(self, given: Sequence[Message], opening: int) -> None:
        """Forget what is not the beginning of what is given."""
        count = len(self._seen)
        if opening != self._given_opening:
            self._start(opening)
        elif len(given) < count or self._seen != list(given[:count]):
            pairs = enumerate(zip(self._seen, given, strict=False))
            same = next((at for at, (old, new) in pairs if old != new), len(given))
            self._resume(same)

    def _resume(self, same: int) -> None:
        """Go back to the last question up to which all is the same."""
        while self._resumable and self._resumable[-1].given > same:
            self._resumable.pop()
        if not self._resumable:
            self._start(self._given_opening)
            return
        place = self._resumable.pop()
        for listing, end in ((self._seen, place.given), *((one, place.sent) for one in self._parallel())):
            del listing[end:]
        del self._pairing.changes[place.changes :]
        self._pairing = Pairing(self._pairing.changes)
        self._questions = [question for question in self._questions if question.given < place.given]
        self._notes = [note for note in self._notes if note < place.sent]

    def _parallel(self) -> tuple[list[JsonValue], ...]:
        return self._messages, self._sizes, self._origins

    def _take(self, message: Message, at: int, results: Container[int]) -> None:
        _check(message, at)
        seen = _copied(message, at)
        is_question = message["role"] == "user" and at >= self._given_opening and at not in results
        is_closed = not self._pairing.is_open
        for placed in self._pairing.take(message, at):
            if is_question and placed[1] == at:
                place = _Place(at, len(self._messages), len(self._pairing.changes))
                self._questions.append(place)
                if is_closed:
                    self._resumable.append(place)
            self._place(placed)
        if at < self._given_opening or (message["role"] in SYSTEM_ROLES and self._opening == len(self._messages) - 1):
            self._opening = len(self._messages)
        elif message["role"] in SYSTEM_ROLES:
            self._notes.append(len(self._messages) - 1)
        self._seen.append(seen)

    def _place(self, placed: Placed) -> None:
        message, origin = placed
        self._messages.append(message)
        self._sizes.append(self._counter.message(message))
        self._origins.append(origin)


def _copied(message: Message, at: int) -> Message:
    """A copy down to the texts, which cannot change."""
    try:
        return {key: value if isinstance(value, str) else copy.deepcopy(value) for key, value in message.items()}
    except RecursionError:
        raise UsageError(f"messages[{at}]: nested too deeply") from None


def _check(message: JsonValue, at: int) -> None:
    """Refuse what is no message of Chat Completions, with the place of the fault."""
    place = f"messages[{at}]"
    _check_members(message, place, MESSAGE)
    if message.get("role") is None:
        raise UsageError(f"{place}.role: a str such as 'user' is needed, it is missing")
    if isinstance(parts := message.get("content"), list):
        for number, part in enumerate(parts):
            _check_members(part, f"{place}.content[{number}]", {})
    for number, call in enumerate(message.get("tool_calls") or ()):
        _check_members(call, f"{place}.tool_calls[{number}]", CALL)
        _check_members(call.get("function") or {}, f"{place}.tool_calls[{number}].function", FUNCTION)
    _check_members(message.get("function_call") or {}, f"{place}.function_call", FUNCTION)


def _check_members(owner: JsonValue, place: str, kinds: Mapping[str, type | tuple[type, ...]]) -> None:
    if not isinstance(owner, dict):
        raise UsageError(f"{place}: a dict is needed, got {type(owner).__name__}")
    for key, kind in kinds.items():
        value = owner.get(key)
        if value is not None and not isinstance(value, kind):
            wanted = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
            raise UsageError(f"{place}.{key}: {wanted} is needed, got {type(value).__name__}")
