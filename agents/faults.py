"""Faults that a model makes again: the second time it is told all there is to say of the tool's arguments."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from toolmend.toolkit.feedback import insistence
from toolmend.toolkit.outcome import CallError, ToolResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolmend.repairs.record import Path
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("FaultMemory",)

_Fault: TypeAlias = "tuple[str | None, str, Path]"


class FaultMemory:
    """Remembers the faults of the last answer."""

    def __init__(self) -> None:
        """Remember none."""
        self._last: frozenset[_Fault] = frozenset()

    def told(self, result: ToolResult, tools: Mapping[str, ToolSpec]) -> ToolResult:
        """The result, with the schema and an example if it tells of a fault that the last answer told of.

        A fault is the same if it is of the same kind at the same place, whatever the value was.

        Args:
            result: a result of this turn.
            tools: the tools by name.
        """
        call = result.call
        if not isinstance(call, CallError) or _fault_of(call) not in self._last:
            return result
        tool = tools.get(call.tool or "")
        return result if tool is None else replace(result, text=f"{result.text}\n{insistence(tool, call.format)}")

    def remember(self, results: Sequence[ToolResult]) -> None:
        """Take the faults of a turn for those of the last answer.

        Args:
            results: all its results.
        """
        faults = (result.call for result in results if isinstance(result.call, CallError))
        self._last = frozenset(_fault_of(call) for call in faults)


def _fault_of(call: CallError) -> _Fault:
    return call.tool, call.kind, call.path
