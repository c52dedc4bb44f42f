"""What comes out of parsing and running: calls, faulty calls, and results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeAlias

from typing_extensions import TypeVar

from toolmend.repairs.errors import Problem, ToolmendError
from toolmend.repairs.record import JsonValue, Path, Repair
from toolmend.toolkit.errors import CallDeferred, ModelRetry, ToolCallError
from toolmend.toolkit.extract.candidate import Evidence

__all__ = ("CallError", "ErrorKind", "ParseResult", "ToolCall", "ToolResult")

M = TypeVar("M", default=Any)
T = TypeVar("T")

ErrorKind: TypeAlias = Literal[
    "not_json",
    "cut_off",
    "ambiguous",
    "too_large",
    "too_deep",
    "unknown_tool",
    "no_tool_name",
    "invalid_arguments",
    "refused_by_tool",
]
"""Why a call cannot run."""


@dataclass(slots=True)  # not frozen: that makes each call twice as dear to make as it need be
class ToolCall(Generic[M]):
    """A validated call; nobody changes it once it is made.

    Attributes:
        name: name of the registered tool.
        arguments: the arguments as JSON values, after mending.
        message: what the handler gets: an instance of the tool's class, or a dict for a function or a raw schema.
        repairs: everything that was changed on the way from the raw text.
        raw: the text as the model wrote it.
        id: id of the call in the provider's API; None for a call found in text.
        span: start and end in the whole message, for a call found in text.
        format: the form in which the call was written; `api` for a call through the provider's API.
        evidence: how sure it was that a call was meant, for a call found in text.
    """

    name: str
    arguments: dict[str, JsonValue]
    message: M
    repairs: tuple[Repair, ...] = ()
    raw: str = ""
    id: str | None = None
    span: tuple[int, int] | None = None
    format: str = "api"
    evidence: Evidence | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class CallError:
    """An attempt at a call that cannot run, with a text that the model can act on.

    Attributes:
        kind: why it cannot run: `not_json`, `cut_off`, `ambiguous`, `too_large`, `too_deep`, `unknown_tool`,
            `no_tool_name`, `invalid_arguments` or `refused_by_tool`.
        message: the text for the model.
        tool: name of the tool that was meant, as far as it is known.
        path: where in the arguments the first fault is.
        raw: the text as the model wrote it.
        id: id of the call in the provider's API.
        span: start and end in the whole message, for a call found in text.
        format: the form in which the call was written.
        evidence: how sure it was that a call was meant, for one found in text.
        problems: each fault, with its place, for programs.
    """

    kind: ErrorKind
    message: str
    tool: str | None = None
    path: Path = ()
    raw: str = ""
    id: str | None = None
    span: tuple[int, int] | None = None
    format: str = "api"
    evidence: Evidence | None = field(default=None, repr=False)
    problems: tuple[Problem, ...] = field(default=(), repr=False)


@dataclass(slots=True)  # not frozen, as `ToolCall`
class ParseResult:
    """What a model's message holds; nobody changes it once it is made.

    Attributes:
        items: calls and faulty calls, in the order in which they were written.
        text: the text around the calls, for the user.
        finish_reason: why the model stopped, as the provider told it.
        repairs: changes that belong to no single call.
    """

    items: tuple[ToolCall | CallError, ...] = ()
    text: str = ""
    finish_reason: str | None = None
    repairs: tuple[Repair, ...] = ()

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls that can run, in order."""
        return tuple([item for item in self.items if isinstance(item, ToolCall)])

    @property
    def errors(self) -> tuple[CallError, ...]:
        """The attempts that cannot run, in order."""
        return tuple([item for item in self.items if isinstance(item, CallError)])

    def of(self, kind: type[T]) -> Iterator[ToolCall[T]]:
        """The calls whose message is of one class, typed as such.

        Args:
            kind: the class of a tool.
        """
        for call in self.calls:
            if isinstance(call.message, kind):
                yield call

    def raise_for_errors(self) -> None:
        """Raise if the model made a call that cannot run.

        Raises:
            ToolCallError: carries each of them.
        """
        if self.errors:
            raise ToolCallError(self.errors)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What goes back to the model for one call.

    Attributes:
        call: the call, or the faulty attempt, that this answers.
        value: what the handler returned; None if it did not run.
        text: what the model is told.
        error: why there is no value: the faulty attempt, a signal of the handler, or the exception that it raised.
        edited: the call as it ran, if a hook gave it other arguments.
    """

    call: ToolCall | CallError
    value: Any = None
    text: str = ""
    error: CallError | ToolmendError | Exception | None = None
    edited: ToolCall | None = None

    @property
    def id(self) -> str | None:
        """The id of the call in the provider's API."""
        return self.call.id

    @property
    def name(self) -> str | None:
        """The name of the tool, as far as it is known."""
        return self.call.name if isinstance(self.call, ToolCall) else self.call.tool

    @property
    def ok(self) -> bool:
        """Whether the handler ran and returned."""
        return self.error is None

    @property
    def deferred(self) -> bool:
        """Whether the call waits, for an approval say: there is no answer to it yet."""
        return isinstance(self.error, CallDeferred)

    @property
    def retry(self) -> bool:
        """Whether the model should try again: the call was faulty, or the handler asked for another one."""
        return isinstance(self.error, (CallError, ModelRetry))
