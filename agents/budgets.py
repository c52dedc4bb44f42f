"""How many mistakes of a model a run puts up with."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from toolmend.agents.errors import ConfigError
from toolmend.toolkit.outcome import CallError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolmend.toolkit.outcome import ToolResult

__all__ = ("Budgets", "Spending")

UNKNOWN_TOOL = "a tool that does not exist"
"""Invented names share one budget: each would otherwise bring its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """Most faulty calls, and other signs of no progress, that a run puts up with; one more ends it.

    Attributes:
        per_tool: turns with faulty calls of one tool; a turn with none but good calls of it starts the count anew.
        per_tool_total: faulty calls of one tool in the whole run.
        consecutive: turns in a row with a faulty call of whatever tool.
        total: faulty calls in the whole run.
        nudges: turns in a row in which the model was told that it should call a tool.
        repeats: how often a turn, or a stretch of turns, may come again with the same calls and the same results.
    """

    per_tool: int = 3
    per_tool_total: int = 8
    consecutive: int = 4
    total: int = 12
    nudges: int = 3
    repeats: int = 4

    def __post_init__(self) -> None:
        """Refuse what is no number of calls.

        Raises:
            ConfigError: names the field.
        """
        for field_ in fields(self):
            value = getattr(self, field_.name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                message = f"Budgets.{field_.name}: a whole number from 0 on is needed, got {value!r:.60}"
                raise ConfigError(message, fields=(field_.name,))


@dataclass(slots=True)
class Spending:
    """What a run has used up of its budgets.

    Attributes:
        budgets: what it may use up.
        total: faulty calls so far.
        consecutive: turns with a faulty call, up to the last turn.
        per_tool: the same for each tool.
        per_tool_total: faulty calls of each tool so far.
    """

    budgets: Budgets
    total: int = 0
    consecutive: int = 0
    per_tool: Counter[str] = field(default_factory=Counter)
    per_tool_total: Counter[str] = field(default_factory=Counter)

    def book(self, results: Sequence[ToolResult]) -> str | None:
        """Count the results of one turn.

        Args:
            results: what the calls of the turn gave.

        Returns:
            What is used up, in words, if the run must end; else None.
        """
        good = {result.name for result in results if not result.retry}
        faulty = Counter(_budget_of(result) for result in results if result.retry)
        self.total += faulty.total()
        self.consecutive = self.consecutive + 1 if faulty else 0
        for name in good - faulty.keys():
            self.per_tool.pop(name or UNKNOWN_TOOL, None)
        self.per_tool.update(faulty.keys())
        self.per_tool_total.update(faulty)
        return self._used_up()

    def _used_up(self) -> str | None:
        if self.total > self.budgets.total:
            return f"{self.total} faulty calls in one run"
        if self.consecutive > self.budgets.consecutive:
            return f"{self.consecutive} turns in a row with faulty calls"
        for name, turns in self.per_tool.items():
            if turns > self.budgets.per_tool:
                return f"{turns} turns in a row with faulty calls of {name}"
        for name, calls in self.per_tool_total.items():
            if calls > self.budgets.per_tool_total:
                return f"{calls} faulty calls of {name} in one run"
        return None


def _budget_of(result: ToolResult) -> str:
    """Whose budget a faulty call is booked on."""
    invented = isinstance(result.call, CallError) and result.call.kind in ("unknown_tool", "no_tool_name")
    return UNKNOWN_TOOL if invented else result.name or UNKNOWN_TOOL
