"""Which calls through the API can be told before the reply is whole."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolmend.toolkit.outcome import ToolCall

if TYPE_CHECKING:
    from toolmend.toolkit.registry import ToolRegistry
    from toolmend.toolkit.streaming.chunks import ApiCall

__all__ = ("early_call",)


def early_call(registry: ToolRegistry, calls: Sequence[ApiCall], number: int) -> ToolCall | None:
    """The call behind which the next one began, if it comes out the same however the model stops.

    Args:
        registry: the tools.
        calls: the calls so far.
        number: which of them.

    Returns:
        The call; None if its arguments may not be whole, it is faulty, or its id is given twice.
    """
    call = calls[number]
    text = "".join(call.pieces)
    if any(other.id == call.id for other in calls[:number]) or not _is_whole(text):
        return None
    call_id = call.id or f"call_{number + 1}"
    outcomes = [registry.parse_call(call.name, text, id=call_id, finish_reason=why).items for why in ("stop", "length")]
    if outcomes[0] != outcomes[1] or len(outcomes[0]) != 1:
        return None
    [item] = outcomes[0]
    return item if isinstance(item, ToolCall) else None


def _is_whole(text: str) -> bool:
    """Whether arguments are one object with something in it; some servers send an empty one first."""
    try:
        return bool(json.loads(text)) and text.lstrip().startswith("{")
    except (ValueError, RecursionError):
        return False
