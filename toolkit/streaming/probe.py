"""Reads single stretches of a growing text with the parser of whole texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolmend.toolkit.outcome import ParseResult, ToolCall
from toolmend.toolkit.reading import read_text

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("Probe",)


@dataclass(frozen=True, slots=True)
class Probe:
    """How stretches are read.

    Attributes:
        tools: the registered tools.
        dialect: the form of calls that the instructions asked for.
        infer_tool_name: whether a call that names no tool goes to the one tool that it fits.
        eager: whether calls are told before the message is whole.
    """

    tools: Mapping[str, ToolSpec]
    dialect: str | None
    infer_tool_name: bool
    eager: bool

    def finds(self, text: str) -> bool:
        """Whether a stretch holds a call, or a faulty one.

        Args:
            text: the stretch.
        """
        return bool(self._read(text, None).items)

    def count_calls(self, text: str) -> int:
        """How many calls a stretch holds; none if anything else is in it, or it is faulty if the text ends there.

        Args:
            text: the stretch.
        """
        found = self._read(text, "length")
        is_whole = not found.errors and not found.text and not found.repairs  # a result that the model invented
        return len(found.calls) if is_whole else 0

    def early_calls(self, text: str, start: int) -> tuple[ToolCall, ...]:
        """The calls of a stretch for an eager stream, if they are the same however the model stops.

        Args:
            text: the stretch, with all that closes it.
            start: where it begins in the whole text.
        """
        if not self.eager:
            return ()
        found = self._read(text, "length")
        if found.items != self._read(text, "stop").items:
            return ()
        return tuple(_moved(call, start) for call in found.calls)

    def _read(self, text: str, finish_reason: str | None) -> ParseResult:
        return read_text(text, self.tools, finish_reason, self.dialect, infer_tool_name=self.infer_tool_name)


def _moved(call: ToolCall, by: int) -> ToolCall:
    """A call as it stands in the whole text."""
    start, end = call.span or (0, 0)
    return replace(call, span=(start + by, end + by))
