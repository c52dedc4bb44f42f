"""What a handler returned or raised, as the text that goes back to the model."""

from __future__ import annotations

import logging
import types
from typing import Final

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError, to_json

from toolmend.repairs.record import snippet
from toolmend.toolkit.dispatch_guard import Raised, guarded
from toolmend.toolkit.errors import ToolSignal
from toolmend.toolkit.outcome import ToolCall, ToolResult

__all__ = ("failed_result", "value_result")

logger = logging.getLogger(__name__)

MAX_ERROR: Final = 500
"""Longest text of an exception that the model is told, in characters."""

NOTHING: Final = "The tool ran and returned nothing."
NO_TEXT: Final = "The tool ran and returned an object of type {}, which cannot be shown."
EMPTY: Final = "The tool ran and returned an empty text."
_GENERATORS: Final = (types.GeneratorType, types.AsyncGeneratorType)
_STRUCTURES: Final = (dict, list, tuple, set, frozenset)


def value_result(call: ToolCall, value: object) -> ToolResult:
    """The result of a handler that returned.

    Args:
        call: the call that it ran for.
        value: what it returned: text as it is; models, dicts and lists as JSON; anything else as `str` shows it.
            An object without a text of its own, such as a generator, is named by its type.
    """
    text = guarded(lambda: _text_of(value))
    if isinstance(text, Raised):
        return failed_result(call, text.error)
    return ToolResult(call, value, text)


def failed_result(call: ToolCall, error: Exception) -> ToolResult:
    """The result of a handler that raised.

    Args:
        call: the call that it ran for.
        error: what it raised; a signal has the text that the handler wants the model to read.
    """
    if isinstance(error, ToolSignal):
        return ToolResult(call, text=_sendable(error.message), error=error)
    told = guarded(lambda: str(error))
    message = "" if isinstance(told, Raised) else snippet(told, MAX_ERROR)
    kind = type(error).__name__
    return ToolResult(
        call, text=_sendable(f"The tool {call.name!r} failed: {kind}{': ' if message else ''}{message}"), error=error
    )


def _text_of(value: object) -> str:
    """A value as text."""
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return _sendable(value) or EMPTY
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace") or EMPTY
    if isinstance(value, BaseModel):
        return _sendable(value.model_dump_json())
    if isinstance(value, _STRUCTURES) or hasattr(value, "__dataclass_fields__"):
        try:
            return to_json(value, fallback=str, inf_nan_mode="strings").decode()
        except (PydanticSerializationError, ValueError):
            return _sendable(str(value))  # it holds itself, or text that is no text
    kind = type(value)
    if isinstance(value, _GENERATORS) or (kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__):
        logger.warning("a tool returned an object of type %s, which has no text for the model", kind.__name__)
        return NO_TEXT.format(kind.__name__)
    return _sendable(str(value))


def _sendable(text: str) -> str:
    """The text without halves of surrogate pairs, which no request can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
