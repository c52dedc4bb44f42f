"""Models that go round in circles: the same calls with the same results, again and again."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Final

from toolmend.toolkit.outcome import CallError, ToolCall

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from toolmend.toolkit.outcome import ToolResult

__all__ = ("LoopDetector",)

LONGEST: Final = 5
"""Most turns of a circle that is seen as one."""


class LoopDetector:
    """Remembers the last turns, and tells when a stretch of them comes again and again.

    Good calls are the same if arguments and result are; faulty ones if tool and kind of fault are, whatever the values.
    """

    def __init__(self, repeats: int) -> None:
        """Start without turns.

        Args:
            repeats: how often a stretch may come again as it was.
        """
        self._rounds = repeats + 1
        self._turns: deque[Hashable] = deque(maxlen=LONGEST * self._rounds)

    def book(self, results: Sequence[ToolResult]) -> str | None:
        """Take a turn.

        Args:
            results: what its calls came to.

        Returns:
            What comes again, in words, if it comes too often; else None.
        """
        self._turns.append(tuple(_signature(result) for result in results))
        turns = list(self._turns)
        rounds = self._rounds
        for length in range(1, LONGEST + 1):
            if len(turns) >= length * rounds and turns[-length * rounds :] == turns[-length:] * rounds:
                names = ", ".join(dict.fromkeys(str(result.name) for result in results))
                what = "the same turn" if length == 1 else f"the same {length} turns"
                return f"{what} {rounds} times in a row, at the end a call of {names}"
        return None


def _signature(result: ToolResult) -> Hashable:
    """What a call is known again by."""
    call = result.call
    if isinstance(call, CallError):
        return (call.kind, None if call.kind == "unknown_tool" else call.tool)
    return (call.name, _canonical(call), result.text)


def _canonical(call: ToolCall) -> str:
    return json.dumps(call.arguments, sort_keys=True)
