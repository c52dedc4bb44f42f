"""Declare tools, tell the model of them, and turn what it wrote into validated calls.

The names below are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from toolmend.repairs.errors import Problem
    from toolmend.repairs.policy import DEFAULT, LOSSLESS, STRICT, RepairPolicy
    from toolmend.repairs.record import Repair
    from toolmend.toolkit.dialects import DIALECTS, Dialect, dialect_of
    from toolmend.toolkit.errors import (
        CallDeferred,
        MissingExtraError,
        MissingHandlerError,
        ModelRetry,
        ToolCallError,
        ToolDefinitionError,
        ToolFailed,
        ToolmendError,
        ToolUsageError,
        UnknownToolError,
    )
    from toolmend.toolkit.extract.candidate import Evidence
    from toolmend.toolkit.function import tool
    from toolmend.toolkit.hooks import Defer, Deny, Edit
    from toolmend.toolkit.message import Example, ToolMessage, ToolOptions
    from toolmend.toolkit.outcome import CallError, ErrorKind, ParseResult, ToolCall, ToolResult
    from toolmend.toolkit.registry import ToolLike, ToolRegistry
    from toolmend.toolkit.repair_log import RepairLog, read_repair_log
    from toolmend.toolkit.repair_record import RepairRecord
    from toolmend.toolkit.spec import Handler, ToolSpec
    from toolmend.toolkit.stream import ReplyStream
    from toolmend.toolkit.streaming.events import (
        CallCompleted,
        CallFailed,
        CallRetracted,
        PartialCall,
        StreamEvent,
        StreamFinished,
        TextDelta,
        TextRestart,
        replay,
    )
    from toolmend.toolkit.wire import ModelReply, RawCall, Usage

__all__ = (
    "DEFAULT",
    "DIALECTS",
    "LOSSLESS",
    "STRICT",
    "CallCompleted",
    "CallDeferred",
    "CallError",
    "CallFailed",
    "CallRetracted",
    "Defer",
    "Deny",
    "Dialect",
    "Edit",
    "ErrorKind",
    "Evidence",
    "Example",
    "Handler",
    "MissingExtraError",
    "MissingHandlerError",
    "ModelReply",
    "ModelRetry",
    "ParseResult",
    "PartialCall",
    "Problem",
    "RawCall",
    "Repair",
    "RepairLog",
    "RepairPolicy",
    "RepairRecord",
    "ReplyStream",
    "StreamEvent",
    "StreamFinished",
    "TextDelta",
    "TextRestart",
    "ToolCall",
    "ToolCallError",
    "ToolDefinitionError",
    "ToolFailed",
    "ToolLike",
    "ToolMessage",
    "ToolOptions",
    "ToolRegistry",
    "ToolResult",
    "ToolSpec",
    "ToolUsageError",
    "ToolmendError",
    "UnknownToolError",
    "Usage",
    "dialect_of",
    "read_repair_log",
    "replay",
    "tool",
)

_HOMES: Final = {
    "toolmend.repairs.errors": ("Problem",),
    "toolmend.repairs.policy": ("DEFAULT", "LOSSLESS", "RepairPolicy", "STRICT"),
    "toolmend.repairs.record": ("Repair",),
    "toolmend.toolkit.dialects": ("DIALECTS", "Dialect", "dialect_of"),
    "toolmend.toolkit.errors": (
        *("CallDeferred", "MissingExtraError", "MissingHandlerError", "ModelRetry", "ToolCallError"),
        *("ToolDefinitionError", "ToolFailed", "ToolUsageError", "ToolmendError", "UnknownToolError"),
    ),
    "toolmend.toolkit.extract.candidate": ("Evidence",),
    "toolmend.toolkit.function": ("tool",),
    "toolmend.toolkit.hooks": ("Defer", "Deny", "Edit"),
    "toolmend.toolkit.message": ("Example", "ToolMessage", "ToolOptions"),
    "toolmend.toolkit.outcome": ("CallError", "ErrorKind", "ParseResult", "ToolCall", "ToolResult"),
    "toolmend.toolkit.registry": ("ToolLike", "ToolRegistry"),
    "toolmend.toolkit.repair_log": ("RepairLog", "read_repair_log"),
    "toolmend.toolkit.repair_record": ("RepairRecord",),
    "toolmend.toolkit.spec": ("Handler", "ToolSpec"),
    "toolmend.toolkit.stream": ("ReplyStream",),
    "toolmend.toolkit.streaming.events": (
        *("CallCompleted", "CallFailed", "CallRetracted", "PartialCall", "StreamEvent", "StreamFinished"),
        *("TextDelta", "TextRestart", "replay"),
    ),
    "toolmend.toolkit.wire": ("ModelReply", "RawCall", "Usage"),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module holds anything
    """Load a public name when it is first used."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted(__all__)
