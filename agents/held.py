"""What the calls of a turn came to, kept while one of them waits: whoever goes on with it needs more than the texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from toolmend.toolkit.errors import CallDeferred, ModelRetry, ToolFailed
from toolmend.toolkit.outcome import CallError, ToolCall, ToolResult
from toolmend.toolkit.pipeline import parse_arguments

if TYPE_CHECKING:
    from toolmend.repairs.record import JsonValue
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("HELD_STATES", "Held", "HeldState", "HeldTurn", "held_of", "result_of")

HeldState: TypeAlias = Literal["waiting", "ran", "retry", "failed"]

_SIGNALS: Final[Mapping[HeldState, type[CallDeferred | ModelRetry | ToolFailed]]] = {
    "waiting": CallDeferred,
    "retry": ModelRetry,
    "failed": ToolFailed,
}
HELD_STATES: Final[tuple[HeldState, ...]] = ("ran", *_SIGNALS)


@dataclass(frozen=True, slots=True)
class Held:
    """What one call came to so far.

    Attributes:
        state: whether it waits for a decision, ran, is to be made again, or failed.
        text: what the model is told, or would be.
        arguments: those that it ran with, if they are not the model's.
    """

    state: HeldState
    text: str
    arguments: dict[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class HeldTurn:
    """What a turn came to so far in which a call waits.

    Attributes:
        calls: one for each call, faulty ones included, in the order in which they were made.
        trusted: whether it is known that the model made them.
    """

    calls: tuple[Held, ...]
    trusted: bool = True


def held_of(result: ToolResult) -> Held:
    """What is kept of a result.

    Args:
        result: the result.
    """
    kinds = (state for state, signal in _SIGNALS.items() if isinstance(result.error, signal))
    state = next(kinds, "ran" if result.ok else "failed")
    return Held(state, result.text, result.edited.arguments if result.edited is not None else None)


def result_of(item: ToolCall | CallError, held: Held, tools: Mapping[str, ToolSpec]) -> ToolResult | None:
    """The result again; without what the handler returned, of which only the text was kept.

    Args:
        item: the call, read anew.
        held: what was kept of its result.
        tools: the tools by name.

    Returns:
        The result; None if the arguments that it ran with are none of its tool.
    """
    if isinstance(item, CallError):
        return ToolResult(item, text=held.text, error=item) if held.state == "failed" else None
    edited = None
    if held.arguments is not None:
        ran = parse_arguments(tools[item.name], held.arguments)
        if not isinstance(ran, ToolCall) or ran.repairs:
            return None
        edited = replace(item, arguments=ran.arguments, message=ran.message)
    signal = _SIGNALS.get(held.state)
    return ToolResult(item, text=held.text, error=signal(held.text) if signal is not None else None, edited=edited)
