"""Errors of the toolkit, and what a handler raises to say how its call ended.

ToolmendError                   root of everything that toolmend raises
├── ToolDefinitionError         a tool is defined wrongly: the user's mistake, told when it is defined or added
├── ToolUsageError              (a UsageError) the library is asked for what cannot work: the user's mistake
│   ├── UnknownToolError        a tool was asked for by a name that is not registered
│   └── MissingHandlerError     a call is to be run and nothing was declared to run it
├── MissingExtraError           a package that one of the extras brings is not installed
└── ToolCallError               faulty calls of the model, raised on demand by `ParseResult.raise_for_errors`

Control flow, apart from the errors:

ToolSignal                      raised by a handler
├── ModelRetry                  ask the model again, with this text
├── ToolFailed                  tell the model that it failed, finally
└── CallDeferred                it cannot be answered now; the call waits
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.repairs.errors import ToolmendError, UsageError

if TYPE_CHECKING:
    from toolmend.toolkit.outcome import CallError

__all__ = (
    "CallDeferred",
    "MissingExtraError",
    "MissingHandlerError",
    "ModelRetry",
    "ToolCallError",
    "ToolDefinitionError",
    "ToolFailed",
    "ToolSignal",
    "ToolUsageError",
    "ToolmendError",
    "UnknownToolError",
)


class ToolDefinitionError(ToolmendError):
    """A tool that is defined wrongly; the message says where, and how to mend it.

    Attributes:
        tool: name of the tool, or of the class or function that was to become one.
        hint: how to mend it.
    """

    def __init__(self, message: str, *, tool: str = "", hint: str = "") -> None:
        """Put the tool in front of the message, and the hint behind it."""
        super().__init__("".join((f"tool {tool}: " if tool else "", message, f"; {hint}" if hint else "")))
        self.tool = tool
        self.hint = hint


class ToolUsageError(UsageError):
    """The library was asked for something that cannot work: a wrong type, an unknown dialect, no event loop."""


class UnknownToolError(ToolUsageError):
    """A tool was asked for by a name that is not registered.

    Attributes:
        name: the name that was given.
        known: the names that are registered.
    """

    def __init__(self, name: object, known: tuple[str, ...]) -> None:
        """List the names that are registered."""
        super().__init__(f"no tool is registered as {name!r}; registered: {', '.join(known) or 'none'}")
        self.name = name
        self.known = known


class MissingHandlerError(ToolUsageError):
    """A call is to be run, and nothing was declared to run it.

    Attributes:
        tool: name of the tool.
    """

    def __init__(self, tool: str) -> None:
        """Tell the ways to declare a handler."""
        super().__init__(
            f"nothing runs the tool {tool!r}: give its class a method `handle` (or `handle_async`), "
            f"register a function with `registry.handler`, or pass `handlers={{{tool!r}: ...}}` to dispatch"
        )
        self.tool = tool


class MissingExtraError(ToolmendError):
    """A package is not installed, and the message names the extra that brings it.

    Attributes:
        package: what could not be imported.
        extra: the extra of toolmend that brings it.
    """

    def __init__(self, package: str, *, extra: str) -> None:
        """Say how to install it."""
        super().__init__(f"{package} is not installed: pip install 'toolmend[{extra}]'")
        self.package = package
        self.extra = extra


class ToolCallError(ToolmendError):
    """Faulty calls of the model, as an exception for those who want one.

    Attributes:
        errors: each faulty call, in the order in which they were written.
    """

    def __init__(self, errors: tuple[CallError, ...]) -> None:
        """Show the texts meant for the model."""
        super().__init__("\n\n".join(error.message for error in errors))
        self.errors = errors


class ToolSignal(Exception):
    """What a handler raises to say how its call ended; no error of the library.

    Attributes:
        message: the text for the model.
    """

    def __init__(self, message: str) -> None:
        """Keep the text for the model."""
        super().__init__(message)
        self.message = message


class ModelRetry(ToolSignal):
    """Raised by a handler: ask the model for another call, with this text."""


class ToolFailed(ToolSignal):
    """Raised by a handler: the tool failed, finally; the text tells the model why."""


class CallDeferred(ToolSignal):
    """The call waits, for an approval say: a hook decided so, or a handler raised it; the text tells what for."""
