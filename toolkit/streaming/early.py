"""Which calls through the API can be told before the reply is whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from toolmend.toolkit.outcome import ToolCall
from toolmend.toolkit.reading import read_call

if TYPE_CHECKING:
    from toolmend.toolkit.streaming.chunks import ApiCall
    from toolmend.toolkit.streaming.parser import Parser

__all__ = ("early_call",)


def early_call(parser: Parser, call: ApiCall) -> ToolCall | None:
    """The call behind which the next one began, if it comes out the same however the model stops.

    Args:
        parser: has the tools.
        call: the call.

    Returns:
        The call; None if its arguments may not be whole, or it is faulty.
    """
    text = "".join(call.pieces)
    if not _is_whole(text):
        return None
    stopped, cut = (read_call(call.name, text, parser.specs, why, call.effective_id) for why in ("stop", "length"))
    item = stopped[0] if len(stopped) == 1 and stopped == cut else None
    return item if isinstance(item, ToolCall) else None


def _is_whole(text: str) -> bool:
    """Whether arguments are one object with something in it; some servers send an empty one first."""
    try:
        return bool(json.loads(text)) and text.lstrip().startswith("{")
    except (ValueError, RecursionError):
        return False
