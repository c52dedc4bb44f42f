"""What callers give, looked at before it is used: a wrong type is told as it was given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.outcome import CallError, ParseResult, ToolCall

__all__ = ("check_text", "items_of", "several_of")


def several_of(tools: object) -> list[Any]:
    """One or several, as a list: what is no tool is left whole, so that it is told as it was given.

    Args:
        tools: a tool, or several.
    """
    if isinstance(tools, Iterable) and not isinstance(tools, (type, str, BaseModel)):
        return list(tools)
    return [tools]


def items_of(result: ParseResult | Iterable[ToolCall | CallError]) -> tuple[ToolCall | CallError, ...]:
    """What is to be run.

    Args:
        result: what was parsed, or calls and errors out of it.

    Raises:
        ToolUsageError: if it is something else.
    """
    given: object = result
    if isinstance(given, ParseResult):
        return given.items
    items = tuple(given) if isinstance(given, Iterable) and not isinstance(given, (str, BaseModel)) else (None,)
    if not all(isinstance(item, (ToolCall, CallError)) for item in items):
        wanted = "a ParseResult, or a list of calls and errors out of one"
        raise ToolUsageError(f"dispatch takes {wanted}, got {given!r:.80}")
    return items


def check_text(value: object, what: str) -> str:
    """Refuse what is no text: the caller's mistake, not the model's.

    Args:
        value: what was given.
        what: what it is, for the message.

    Raises:
        ToolUsageError: if it is no string.
    """
    if not isinstance(value, str):
        raise ToolUsageError(f"{what} must be a string, got {type(value).__name__}; check_call takes parsed arguments")
    return value
