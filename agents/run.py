"""One run on its way: what is counted, and when it is over. Nothing is asked and nothing is run here."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolmend.agents.budgets import Budgets, Spending
from toolmend.agents.done import Done
from toolmend.agents.errors import ConfigError, ContextOverflowError
from toolmend.agents.events import Nudged, ReplyReceived
from toolmend.agents.loops import LoopDetector
from toolmend.agents.result import StopReason, TaskResult
from toolmend.toolkit.outcome import CallError, ToolCall
from toolmend.toolkit.wire import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolmend.agents.chat_agent import AgentResponse, ChatAgent
    from toolmend.agents.errors import ToolmendError
    from toolmend.toolkit.outcome import ToolResult
    from toolmend.toolkit.wire import ModelReply

__all__ = ("DoneCondition", "Limits", "Run")

DoneCondition: TypeAlias = "Callable[[ModelReply, AgentResponse], object]"
"""Asked after each turn with calls.

True ends the run with what the model said, a `Done` with its output; False and None let it go on.
"""

_FINISH_REASONS: Final[Mapping[str | None, StopReason]] = {"length": "cut_off", "content_filter": "content_filter"}
"""Replies without a call that are no answer, by the provider's word for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long a run may go on.

    Attributes:
        max_turns: how often the model may be asked.
        max_seconds: how long it may take; None for any time.
        max_tokens: how many tokens its requests may cost; None for any number.
    """

    max_turns: int = 20
    max_seconds: float | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse what would let nothing happen.

        Raises:
            ConfigError: names the limit.
        """
        turns: object = self.max_turns
        if not isinstance(turns, int) or isinstance(turns, bool) or turns < 1:
            message = f"max_turns: the model must be asked at least once, got {turns!r:.60}"
            raise ConfigError(message, fields=("max_turns",))
        for name in ("max_seconds", "max_tokens"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, (int, float)) or isinstance(value, bool) or not value > 0):
                raise ConfigError(f"{name}: a number above 0 is needed, got {value!r:.60}", fields=(name,))


@dataclass(slots=True)
class Run:
    """One run.

    Attributes:
        agent: who holds the conversation.
        limits: how long it may go on.
        spending: the faulty calls so far.
        loops: sees circles.
        text: what the user says in the next turn.
        insist: what the model is told where words are no answer; None if they are one.
        condition: asked after each turn with calls.
        shows_text: whether replies are shown as they are written.
    """

    agent: ChatAgent
    limits: Limits
    spending: Spending
    loops: LoopDetector
    text: str | None = None
    insist: str | None = None
    condition: DoneCondition | None = None
    shows_text: bool = False
    stop_reason: StopReason | None = None
    detail: str = ""
    output: Any = None
    failure: ToolmendError | None = None
    turns: int = 0
    nudges: int = 0
    usage: Usage = field(default_factory=Usage)
    results: list[ToolResult] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    @classmethod
    def of(
        cls,
        agent: ChatAgent,
        limits: Limits,
        budgets: Budgets,
        *,
        text: str | None,
        insist: str | None,
        condition: DoneCondition | None,
    ) -> Run:
        """Start a run.

        Args:
            agent: who holds the conversation.
            limits: how long it may go on.
            budgets: what it puts up with.
            text: what the user says.
            insist: what the model is told where words are no answer.
            condition: asked after each turn with calls.
        """
        loops = LoopDetector(budgets.repeats)
        return cls(agent, limits, Spending(budgets), loops, text=text, insist=insist, condition=condition)

    @property
    def seconds_left(self) -> float | None:
        """How long it may still go on; None for any time."""
        seconds = self.limits.max_seconds
        return None if seconds is None else seconds - (time.monotonic() - self.started)

    def goes_on(self) -> bool:
        """Whether the model is to be asked again."""
        if self.stop_reason is None and self.turns >= self.limits.max_turns:
            self.stop("max_turns", f"the model was asked {self.turns} times")
        if self.stop_reason is None and self.limits.max_tokens and self.usage.total_tokens >= self.limits.max_tokens:
            self.stop("max_tokens", f"{self.usage.total_tokens} tokens were used")
        if self.stop_reason is None and self.seconds_left is not None and self.seconds_left <= 0:
            self.out_of_time()
        return self.stop_reason is None

    def next_text(self) -> str | None:
        """What the user says in the next turn: only the first one has something."""
        text, self.text = self.text, None
        return text

    def heard(self, reply: ModelReply) -> ReplyReceived:
        """Count a turn of the model.

        Args:
            reply: what it said.
        """
        self.turns += 1
        self.usage += reply.usage or Usage()
        return ReplyReceived(self.turns, reply)

    def book(self, reply: ModelReply, response: AgentResponse | None) -> Nudged | None:
        """See whether a turn was the last one.

        Args:
            reply: what the model said.
            response: what the agent answered.

        Returns:
            That the model was told to call a tool, if it was.
        """
        if response is not None and response.done is not None:
            self.book_results(response)
            return None
        if response is not None and response.results:
            self.nudges = 0
            self.book_results(response)
            self._ask_condition(reply, response)
            return None
        return self._book_words(reply, response.text if response is not None else None)

    def book_results(self, response: AgentResponse) -> None:
        """Count what calls came to.

        Args:
            response: the answer to the turn.
        """
        self.results += response.results
        if response.done is not None:
            self.end_with(response.done)
        elif response.deferred:
            names = ", ".join(call.name for call in response.deferred)
            self.stop("deferred", f"calls wait for a decision: {names}")
        elif used_up := self.spending.book(response.results):
            self.stop("too_many_errors", used_up)
        elif circle := self.loops.book(response.results):
            self.stop("loop", circle)

    def end_with(self, done: Done[Any]) -> None:
        """End with what a tool or a condition gives.

        Args:
            done: what it gave.
        """
        self.output = done.output
        self.stop("done", "")

    def fail(self, error: ToolmendError) -> None:
        """End because the model cannot be asked.

        Args:
            error: why.
        """
        self.failure = error
        self.stop("context_overflow" if isinstance(error, ContextOverflowError) else "llm_error", str(error))

    def out_of_time(self) -> None:
        """End because the time is up."""
        self.stop("max_seconds", f"{self.limits.max_seconds:g} seconds are over")

    def stop(self, reason: StopReason, detail: str) -> None:
        """End.

        Args:
            reason: why.
            detail: the same in words.
        """
        self.stop_reason, self.detail = reason, detail

    def result(self) -> TaskResult[Any]:
        """What came of the run."""
        made = [result.edited or result.call for result in self.results]
        return TaskResult(
            output=self.output,
            stop_reason=self.stop_reason or "max_turns",
            detail=self.detail,
            messages=tuple(self.agent.messages),
            calls=tuple(call for call in made if isinstance(call, ToolCall)),
            errors=tuple(call for call in made if isinstance(call, CallError)),
            results=tuple(self.results),
            deferred=tuple(one.call for one in self.results if one.deferred and isinstance(one.call, ToolCall)),
            usage=self.usage,
            turns=self.turns,
            failure=self.failure,
        )

    def _book_words(self, reply: ModelReply, nudge: str | None) -> Nudged | None:
        """A turn without an attempt at a call: the end, unless the model is to be told to make one."""
        text = (reply.text or "").strip()
        reason = _FINISH_REASONS.get(reply.finish_reason)
        if reason is None and nudge is None and self.insist is not None:
            nudge = self.insist
            self.agent.nudge(nudge)
        if nudge is None or reason == "content_filter":
            self.output = text or None
            reason = reason or ("answer" if text else "empty")
            self.stop(reason, "" if reason == "answer" else f"the model stopped with {reply.finish_reason!r}")
            return None
        self.nudges += 1
        if self.nudges > self.spending.budgets.nudges:
            self.stop("no_tool", f"{self.nudges} turns in a row without a call")
        return Nudged(nudge)

    def _ask_condition(self, reply: ModelReply, response: AgentResponse) -> None:
        if self.condition is None or self.stop_reason is not None:
            return
        said = self.condition(reply, response)
        if isinstance(said, Done):
            self.end_with(said)
        elif said is True:
            self.end_with(Done(reply.text.strip() or response.text))
        elif said is not None and said is not False:
            if inspect.iscoroutine(said):
                said.close()
            wanted = "True, False, None or a Done is needed"
            raise ConfigError(
                f"done: {wanted}, got {said!r:.80}; `bool(...)` makes one of the others", fields=("done",)
            )
