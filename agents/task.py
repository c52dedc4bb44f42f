"""The loop: ask the model, run its calls, send back what they gave, until it answers or a bound is reached."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolmend.agents.budgets import Budgets, Spending
from toolmend.agents.errors import ConfigError, LLMError, TaskFailedError
from toolmend.toolkit.outcome import CallError, ToolCall
from toolmend.toolkit.wire import Usage

if TYPE_CHECKING:
    from toolmend.agents.chat_agent import AgentResponse, ChatAgent
    from toolmend.agents.clients.base import Message
    from toolmend.toolkit.wire import ModelReply

__all__ = ("StopReason", "Task", "TaskResult")

StopReason: TypeAlias = Literal[
    "answer", "empty", "cut_off", "content_filter", "too_many_errors", "max_turns", "llm_error"
]
"""Why a run ended. Only `answer` is a success; the model said nothing, was cut off or filtered; it made too many faulty
calls, or was asked too often; or it could not be asked."""

FINISH_REASONS: dict[str | None, StopReason] = {"length": "cut_off", "content_filter": "content_filter"}
"""Replies without a call that are no answer, by the provider's word for it."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How a run ended, and what happened in it.

    Attributes:
        output: what the model answered in the end; None if it gave no answer.
        stop_reason: why the run ended: `answer`, `empty`, `cut_off`, `content_filter`, `too_many_errors`, `max_turns`
            or `llm_error`.
        detail: the same in words, where there is more to say.
        messages: the whole conversation, as Chat Completions messages.
        calls: the calls that were good, or were mended, in order; each carries its repairs.
        errors: the calls that were faulty, in order.
        usage: tokens of all requests of the run.
        turns: how often the model was asked.
        failure: the error that ended the run, if the model could not be asked.
    """

    output: str | None
    stop_reason: StopReason
    detail: str = ""
    messages: tuple[Message, ...] = field(default=(), repr=False)
    calls: tuple[ToolCall, ...] = ()
    errors: tuple[CallError, ...] = ()
    usage: Usage = field(default_factory=Usage)
    turns: int = 0
    failure: LLMError | None = None

    @property
    def ok(self) -> bool:
        """Whether the model gave an answer."""
        return self.stop_reason == "answer"

    def raise_for_failure(self) -> None:
        """Raise unless the model gave an answer.

        Raises:
            TaskFailedError: carries this result.
        """
        if not self.ok:
            raise TaskFailedError(f"{self.stop_reason}: {self.detail or 'no answer'}", result=self) from self.failure


class Task:
    """Runs an agent until the model answers without a call, or a bound is reached."""

    def __init__(self, agent: ChatAgent, *, budgets: Budgets | None = None, max_turns: int = 20) -> None:
        """Start nothing yet.

        Args:
            agent: who holds the conversation.
            budgets: how many faulty calls are put up with; by default the agent's setting.
            max_turns: how often the model may be asked in a run.

        Raises:
            ConfigError: the first is no agent, or the model must not be asked at all.
        """
        from toolmend.agents.chat_agent import ChatAgent

        if not isinstance(agent, ChatAgent):
            raise ConfigError(f"Task: a ChatAgent is needed, got {agent!r:.80}", fields=("agent",))
        self.agent = agent
        self.budgets = budgets or agent.config.budgets
        self.max_turns = _checked(max_turns)

    def run(self, text: str | None = None, *, max_turns: int | None = None) -> TaskResult:
        """Run until the end.

        Args:
            text: what the user says; None goes on with the conversation as it is.
            max_turns: how often the model may be asked, in place of the task's own bound.

        Returns:
            What came of it. Faults of the model and of its server are told there, not raised.
        """
        run = self._start(text, max_turns)
        while run.going:
            try:
                reply = self.agent.llm_response(run.next_text())
            except LLMError as error:
                run.fail(error)
            else:
                run.book(reply, self.agent.agent_response(reply))
        return run.result()

    async def run_async(self, text: str | None = None, *, max_turns: int | None = None) -> TaskResult:
        """Run until the end, without blocking the event loop.

        Args:
            text: what the user says; None goes on with the conversation as it is.
            max_turns: how often the model may be asked, in place of the task's own bound.

        Returns:
            What came of it. Faults of the model and of its server are told there, not raised.
        """
        run = self._start(text, max_turns)
        while run.going:
            try:
                reply = await self.agent.llm_response_async(run.next_text())
            except LLMError as error:
                run.fail(error)
            else:
                run.book(reply, await self.agent.agent_response_async(reply))
        return run.result()

    def _start(self, text: str | None, max_turns: int | None) -> _Run:
        return _Run(
            self.agent, Spending(self.budgets), self.max_turns if max_turns is None else _checked(max_turns), text
        )


def _checked(max_turns: int) -> int:
    if max_turns < 1:
        raise ConfigError(f"max_turns: the model must be asked at least once, got {max_turns}", fields=("max_turns",))
    return max_turns


@dataclass(slots=True)
class _Run:
    """One run on its way."""

    agent: ChatAgent
    spending: Spending
    max_turns: int
    text: str | None
    stop_reason: StopReason | None = None
    detail: str = ""
    output: str | None = None
    failure: LLMError | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    calls: list[ToolCall] = field(default_factory=list)
    errors: list[CallError] = field(default_factory=list)

    @property
    def going(self) -> bool:
        """Whether the model is to be asked again."""
        if self.stop_reason is None and self.turns >= self.max_turns:
            self._stop("max_turns", f"the model was asked {self.turns} times")
        return self.stop_reason is None

    def next_text(self) -> str | None:
        """What the user says in the next turn: only the first one has something."""
        text, self.text = self.text, None
        return text

    def book(self, reply: ModelReply, response: AgentResponse | None) -> None:
        """Count a turn, and see whether it was the last one."""
        self.turns += 1
        if reply.usage is not None:
            self.usage = Usage(
                self.usage.input_tokens + reply.usage.input_tokens, self.usage.output_tokens + reply.usage.output_tokens
            )
        if response is None:
            self._end_with(reply)
            return
        made = [result.call for result in response.results]
        self.calls += [call for call in made if isinstance(call, ToolCall)]
        self.errors += [call for call in made if isinstance(call, CallError)]
        if used_up := self.spending.book(response.results):
            self._stop("too_many_errors", used_up)

    def fail(self, error: LLMError) -> None:
        """End because the model cannot be asked."""
        self.failure = error
        self._stop("llm_error", str(error))

    def result(self) -> TaskResult:
        """What came of the run."""
        return TaskResult(
            output=self.output,
            stop_reason=self.stop_reason or "max_turns",
            detail=self.detail,
            messages=tuple(self.agent.messages),
            calls=tuple(self.calls),
            errors=tuple(self.errors),
            usage=self.usage,
            turns=self.turns,
            failure=self.failure,
        )

    def _end_with(self, reply: ModelReply) -> None:
        text = (reply.text or "").strip()
        self.output = text or None
        reason = FINISH_REASONS.get(reply.finish_reason, "answer" if text else "empty")
        self._stop(reason, "" if reason == "answer" else f"the model stopped with {reply.finish_reason!r}")

    def _stop(self, reason: StopReason, detail: str) -> None:
        self.stop_reason, self.detail = reason, detail
