"""What may be decided of a call before it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.outcome import ParseResult, ToolCall

__all__ = ("BeforeCall", "Decision", "Defer", "Deny", "Edit", "Listener")


@dataclass(frozen=True, slots=True)
class Deny:
    """A hook's decision that a call must not run.

    Attributes:
        text: what the model is told.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """A hook's decision that a call runs with other arguments.

    Attributes:
        arguments: they are validated as the model's are, and nothing in them is mended silently.
    """

    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Defer:
    """A hook's decision that a call must wait, for a human say; others of the same message run.

    Attributes:
        text: what it waits for.
    """

    text: str = "its approval"


Decision: TypeAlias = Deny | Edit | Defer | bool | None
"""What a hook says of a call; True and None let it run, False denies it."""

BeforeCall: TypeAlias = Callable[[ToolCall], Decision | Awaitable[Decision]]
"""A hook that is asked before each call runs. One that raises denies the call."""

Listener: TypeAlias = Callable[[ParseResult], object]
"""Is told of each result of reading what a model wrote, calls and faulty calls; a `RepairLog` say."""
