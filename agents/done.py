"""How a run ends: with a text, with the call of a tool made for it, or with what a handler gives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic

from pydantic import Field
from typing_extensions import TypeVar

from toolmend.toolkit.message import ToolMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolmend.toolkit.outcome import ToolResult

__all__ = ("Done", "DoneTool", "ResultTool", "hold_back")

T = TypeVar("T", default=Any)

HELD_BACK = (
    "This does not count as the end: another call of the same message failed. See what it says, then call {!r} again."
)


class Done(Generic[T]):
    """Returned by a handler: the run ends.

    Attributes:
        output: what the run gives.
        text: what the model is told, should the conversation go on.
    """

    def __init__(self, output: T, text: str = "Done.") -> None:
        """Keep both."""
        self.output = output
        self.text = text

    def __str__(self) -> str:
        """The text for the model."""
        return self.text


class DoneTool(ToolMessage, name="done"):
    """Say that the task is done, and give the final answer."""

    content: str = Field(description="the final answer")

    def handle(self) -> Done[str]:
        """End the run with the answer."""
        return Done(self.content)


class ResultTool(ToolMessage):
    """Base of tools whose call is the typed result of a run: a good call ends it, and the message is the output."""

    def handle(self) -> Done[Any]:
        """End the run with this message."""
        return Done(self)


def hold_back(results: Sequence[ToolResult]) -> tuple[ToolResult, ...]:
    """The results, in which nothing ends the run that was said before its author saw another call fail.

    Args:
        results: the results of one turn.
    """
    if all(result.ok for result in results):
        return tuple(results)
    return tuple(
        replace(result, value=None, text=HELD_BACK.format(result.name)) if isinstance(result.value, Done) else result
        for result in results
    )
