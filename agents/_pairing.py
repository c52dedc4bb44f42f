"""Calls and their results, made such that any server takes them: whatever was stored, it can be sent.

A result stands in the block of results behind the message that made its call, and every call has one before the
conversation goes on. What breaks this (an interrupted run, a repeated id, a cut by another hand) is mended on the way:

    call without a result            it is answered: not executed
    one id for two calls of a turn   the later one is given another id, and so is its result
    second result for a call         it is left out
    result without a call            its text is kept, as words of the assistant
    arguments that are no JSON       they are wrapped, so that they are
"""

from __future__ import annotations

import itertools
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolmend.agents.messages import NOT_EXECUTED, sendable_arguments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolmend.agents.clients.base import Message
    from toolmend.repairs.record import JsonValue

__all__ = ("Change", "ChangeKind", "Pairing", "Placed")

ChangeKind: TypeAlias = Literal["answered", "renamed", "removed", "demoted", "wrapped", "shortened", "dropped", "added"]
"""What happened to a message; the last three are the work of a strategy, the others mend what cannot be sent."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between what was handed in and what is sent.

    Attributes:
        kind: what happened.
        position: where in the history that was handed in; for an answer that was added, where its call is.
        before: the tokens there were.
        after: the tokens there are now.
    """

    kind: ChangeKind
    position: int
    before: int = 0
    after: int = 0


Placed: TypeAlias = "tuple[Message, int]"
"""A message to be sent, and the position of the one that it was made from; -1 if it was added."""


class Pairing:
    """Takes the messages of a history one by one, and gives those that are to be sent."""

    def __init__(self, changes: list[Change] | None = None) -> None:
        """Start where no call waits for a result.

        Args:
            changes: what was recorded before.
        """
        self.changes = changes if changes is not None else []
        self._call_at = 0
        self._waiting: dict[str, deque[str]] = {}  # by the ids of the history: the ids that are sent
        self._answered: set[str] = set()
        self._function: str | None = None
        self._held: list[Placed] = []  # they must not stand between a call and its other results

    @property
    def is_open(self) -> bool:
        """Whether a call waits for its result."""
        return bool(self._waiting or self._function or self._held)

    def take(self, message: Message, at: int) -> Iterator[Placed]:
        """What is to be sent for the next message.

        Args:
            message: as it is stored.
            at: its position.
        """
        if message["role"] == "tool":
            yield from self._result(message, at)
        elif message["role"] == "function":
            yield from self._function_result(message, at)
        else:
            yield from self._close(self.changes)
            yield self._opened(message, at), at

    def end(self) -> tuple[list[Placed], list[Change]]:
        """What is to be sent behind the last message, and what is to be recorded; more messages may still come."""
        waiting, function, held = {key: deque(ids) for key, ids in self._waiting.items()}, self._function, self._held
        changes: list[Change] = []
        placed = list(self._close(changes))
        self._waiting, self._function, self._held = waiting, function, held
        return placed, changes

    def _close(self, changes: list[Change]) -> Iterator[Placed]:
        for call_id in itertools.chain.from_iterable(self._waiting.values()):
            changes.append(Change("answered", self._call_at))
            yield {"role": "tool", "tool_call_id": call_id, "content": NOT_EXECUTED}, -1
        if self._function:
            changes.append(Change("answered", self._call_at))
            yield {"role": "function", "name": self._function, "content": NOT_EXECUTED}, -1
        yield from self._held
        self._waiting, self._function, self._held = {}, None, []

    def _opened(self, message: Message, at: int) -> Message:
        """A message that is no result; if it makes calls, they wait from here on."""
        self._answered = set()
        if message["role"] != "assistant":
            return message
        self._call_at = at
        if calls := message.get("tool_calls"):
            named = self._named(calls, at)
            return message if named == calls else {**message, "tool_calls": named}
        if function := message.get("function_call"):
            self._function = function.get("name") or "unknown"
            good = self._wrapped(function, at)
            return message if good is function else {**message, "function_call": good}
        return message

    def _named(self, calls: list[JsonValue], at: int) -> list[JsonValue]:
        """The calls of a message, with different ids."""
        taken = {call.get("id") for call in calls}
        used: set[str] = set()
        named = []
        for call in calls:
            old = call.get("id") or ""
            new = old
            if not old or old in used:
                names = (f"{old or 'call'}_{number}" for number in itertools.count(2 if old else 1))
                new = next(name for name in names if name not in taken | used)
                self.changes.append(Change("renamed", at))
            used.add(new)
            self._waiting.setdefault(old, deque()).append(new)
            good = self._wrapped(call.get("function"), at)
            if new != call.get("id") or good is not call.get("function"):
                call = {**call, "id": new} | ({"function": good} if good else {})  # noqa: PLW2901
            named.append(call)
        return named

    def _wrapped(self, function: JsonValue, at: int) -> JsonValue:
        arguments = function.get("arguments") if function else None
        if not arguments or (good := sendable_arguments(arguments)) == arguments:
            return function
        self.changes.append(Change("wrapped", at))
        return {**function, "arguments": good}

    def _result(self, message: Message, at: int) -> Iterator[Placed]:
        old = message.get("tool_call_id") or ""
        if ids := self._waiting.get(old):
            new = ids.popleft()
            if not ids:
                del self._waiting[old]
            self._answered.add(old)
            if new != message.get("tool_call_id"):
                self.changes.append(Change("renamed", at))
                message = {**message, "tool_call_id": new}
            yield message, at
        elif old in self._answered:
            self.changes.append(Change("removed", at))
        else:
            yield from self._demoted(message, at)

    def _function_result(self, message: Message, at: int) -> Iterator[Placed]:
        if self._function:
            self._function = None
            yield message, at
        else:
            yield from self._demoted(message, at)

    def _demoted(self, message: Message, at: int) -> Iterator[Placed]:
        """A result whose call is gone: its text becomes words of the assistant, which nobody takes for an order."""
        self.changes.append(Change("demoted", at))
        name = message.get("name") or message.get("tool_call_id") or "unknown"
        placed = (
            {"role": "assistant", "content": f"[Result of an earlier call, {name}]\n{_text(message.get('content'))}"},
            at,
        )
        if self._waiting or self._function:
            self._held.append(placed)
        else:
            yield placed


def _text(content: JsonValue) -> str:
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content or ""
