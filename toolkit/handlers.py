"""What runs a tool, looked at when it is declared: a mistake in it is told before a model calls the tool."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from toolmend.toolkit.errors import ToolDefinitionError
from toolmend.toolkit.message import ToolMessage

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ("check_handler", "check_own_handlers")

_NOTHING = object()


def check_handler(handler: object, tool: str, what: str = "its handler") -> None:
    """Refuse what cannot be called with one argument, the message.

    Args:
        handler: what is to run the tool.
        tool: name of the tool.
        what: what it is, for the message.

    Raises:
        ToolDefinitionError: if it is no function, or wants other arguments.
    """
    hint = "it is called with one argument, the message"
    if not callable(handler):
        raise ToolDefinitionError(f"{what} must be a function, got {handler!r:.60}", tool=tool, hint=hint)
    try:
        signature = inspect.signature(handler)
    except (NameError, TypeError, ValueError):  # of some nobody knows it
        return
    try:
        signature.bind(_NOTHING)
    except TypeError as error:
        raise ToolDefinitionError(f"{what} cannot be called: {error}", tool=tool, hint=hint) from error


def check_own_handlers(tool: type[BaseModel], name: str) -> None:
    """Refuse a method `handle` or `handle_async` that wants more than the message itself.

    Args:
        tool: the class of the tool; of one that is no `ToolMessage` such a method may be for something else.
        name: name of the tool.

    Raises:
        ToolDefinitionError: if it cannot be called so.
    """
    for own in ("handle", "handle_async"):
        method = getattr(tool, own, None)
        if issubclass(tool, ToolMessage) and callable(method):
            check_handler(method, name, f"its method `{own}`")
