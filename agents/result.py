"""How a run ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias

from typing_extensions import TypeVar

from toolmend.agents.errors import TaskFailedError
from toolmend.toolkit.wire import Usage

if TYPE_CHECKING:
    from toolmend.agents.clients.base import Message
    from toolmend.agents.errors import ToolmendError
    from toolmend.toolkit.outcome import CallError, ToolCall, ToolResult

__all__ = ("StopReason", "TaskResult")

T = TypeVar("T", default=Any)

StopReason: TypeAlias = Literal[
    "answer",
    "done",
    "deferred",
    "empty",
    "cut_off",
    "content_filter",
    "no_tool",
    "too_many_errors",
    "loop",
    "max_turns",
    "max_seconds",
    "max_tokens",
    "context_overflow",
    "llm_error",
]
"""Why a run ended. `answer` and `done` are successes; `deferred` waits for a decision and can be resumed."""


@dataclass(frozen=True, slots=True)
class TaskResult(Generic[T]):
    """How a run ended, and what happened in it.

    Attributes:
        output: what the run gives: what the model answered in the end, or what a tool or a condition that ended the run
            gave; None if there is neither.
        stop_reason: why the run ended. `answer`: with words of the model; `done`: by a tool or a condition; `deferred`:
            calls wait for a decision; `empty`, `cut_off`, `content_filter`: the model said nothing, or was stopped;
            `no_tool`: it was told in vain to call a tool; `too_many_errors`: a budget was used up; `loop`: it went in
            circles; `max_turns`, `max_seconds`, `max_tokens`: a limit was reached; `context_overflow`: the
            conversation does not fit the window any more; `llm_error`: the model could not be asked.
        detail: the same in words, where there is more to say.
        messages: the whole conversation, as Chat Completions messages.
        calls: the calls that were good, or were mended, in order; each carries its repairs.
        errors: the calls that were faulty, in order.
        results: what each call and each faulty one came to, in order.
        deferred: the calls that wait.
        usage: tokens of all requests of the run.
        turns: how often the model was asked.
        failure: the error that ended the run, if the model could not be asked.
    """

    output: T | None
    stop_reason: StopReason
    detail: str = ""
    messages: tuple[Message, ...] = field(default=(), repr=False)
    calls: tuple[ToolCall, ...] = ()
    errors: tuple[CallError, ...] = ()
    results: tuple[ToolResult, ...] = field(default=(), repr=False)
    deferred: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    failure: ToolmendError | None = None

    @property
    def ok(self) -> bool:
        """Whether the run came to its end."""
        return self.stop_reason in ("answer", "done")

    def raise_for_failure(self) -> None:
        """Raise unless the run came to its end.

        Raises:
            TaskFailedError: carries this result.
        """
        if not self.ok:
            raise TaskFailedError(f"{self.stop_reason}: {self.detail or 'no answer'}", result=self) from self.failure
