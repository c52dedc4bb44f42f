"""Knows a call again that a message tells a second time, as models do that explain what they have called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from toolmend.toolkit.outcome import CallError, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ("Retold",)

_FORMS: Final = frozenset({"json", "pythonic"})
"""The forms in which calls are told again."""


class Retold:
    """The calls of a message, block by block.

    Equal calls within a block are several calls, and so are actions with a thought between them. A list of calls, or
    one in JSON, that stands again behind an explanation is the same.
    """

    def __init__(self, text: str) -> None:
        """Begin.

        Args:
            text: the whole message.
        """
        self._text = text
        self._end: int | None = None
        self._before: set[str] = set()
        self._block: list[ToolCall] = []

    def knows(self, item: ToolCall | CallError) -> bool:
        """Whether an earlier block holds the same call.

        Args:
            item: the next call of the message, or faulty one.
        """
        start, end = item.span or (0, 0)
        if self._end is not None and self._text[self._end : start].strip(" \t\r\n,;`"):
            self._before |= _keys(self._block)
            self._block = []
        self._end = max(end, self._end or 0)
        if not isinstance(item, ToolCall):
            return False
        if self._before and item.format in _FORMS and _key(item) in self._before:
            return True
        self._block.append(item)
        return False


def _keys(calls: Iterable[ToolCall]) -> set[str]:
    return {_key(call) for call in calls}


def _key(call: ToolCall) -> str:
    """What two calls share if they are the same."""
    return json.dumps([call.name, call.arguments], sort_keys=True)
