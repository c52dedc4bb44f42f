"""One request through the whole chain, and what came of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolmend.toolkit.outcome import ToolCall

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolmend.agents.chat_agent import AgentResponse, ChatAgent
    from toolmend.agents.demo.requests import Expected, Request
    from toolmend.repairs.record import Repair
    from toolmend.toolkit.outcome import ToolResult
    from toolmend.toolkit.wire import ModelReply

__all__ = ("Counts", "Exchange", "Outcome", "Verdict", "count", "run_request")

MAX_TURNS = 3

Verdict: TypeAlias = Literal["strict", "found", "mended", "asked_again", "wrong_meaning", "no_call"]
"""What a request came to: right as strict JSON alone, right as written but in
another form or within other text, right after mending, right after an error went back to the model,
a call that ran and was not the right one, or no call that ran."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One turn of the model, and the answer to it.

    Attributes:
        reply: what the model said, unaltered.
        results: what each of its calls came to.
    """

    reply: ModelReply
    results: tuple[ToolResult, ...]

    @property
    def wrote(self) -> str:
        """What the model wrote: its text, or the arguments of its calls."""
        return "\n".join([self.reply.text, *(call.arguments for call in self.reply.tool_calls)]).strip()

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """Everything that was changed on the way to the calls."""
        return tuple(repair for call in self.calls for repair in call.repairs)

    @property
    def read_as(self) -> str:
        """How calls that are not the whole of the reply in plain JSON were found in it; empty for others."""
        ways = (_way(call, self.reply.text) for call in self.calls)
        return ", ".join(dict.fromkeys(way for way in ways if way))

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls that could run."""
        return tuple(result.call for result in self.results if isinstance(result.call, ToolCall))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a request came to.

    Attributes:
        request: what was asked.
        exchanges: turn by turn.
    """

    request: Request
    exchanges: tuple[Exchange, ...]

    @property
    def verdict(self) -> Verdict:
        """What it came to, in one word."""
        expected = self.request.expected
        ran = [call for exchange in self.exchanges for call in exchange.calls]
        if not ran:
            return "no_call"
        if not _are_exactly(ran, expected):
            return "wrong_meaning"
        if len(self.exchanges) > 1:
            return "asked_again"
        if _is_strictly(self.exchanges[0].reply, expected):
            return "strict"
        return "mended" if self.exchanges[0].repairs else "found"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many requests came to what; a request is in one of them only.

    Attributes:
        total: how many there were.
        strict: right, and the model's words were strict JSON of the asked form.
        found: right as it was written, but in another form, or within other text; nothing was repaired.
        mended: right, thanks to repairs.
        asked_again: right, after an error went back to the model.
        wrong_meaning: a call ran, and it was not the one that was asked for.
        no_call: nothing ran.
    """

    total: int
    strict: int
    found: int
    mended: int
    asked_again: int
    wrong_meaning: int
    no_call: int


def run_request(agent: ChatAgent, request: Request) -> Outcome:
    """Ask the model, run what it calls, and give it back its errors until a call ran.

    Args:
        agent: an agent with an empty conversation.
        request: what is asked.

    Returns:
        What came of it.

    Raises:
        LLMError: the model cannot be asked.
    """
    exchanges: list[Exchange] = []
    text: str | None = request.text
    while text is not None or len(exchanges) < MAX_TURNS:
        reply = agent.llm_response(text)
        response: AgentResponse | None = agent.agent_response(reply)
        exchanges.append(Exchange(reply, response.results if response else ()))
        if response is None or any(result.ok for result in response.results):
            break
        text = None
    return Outcome(request, tuple(exchanges))


def count(outcomes: Sequence[Outcome]) -> Counts:
    """Count what requests came to.

    Args:
        outcomes: one per request.
    """
    verdicts = [outcome.verdict for outcome in outcomes]
    return Counts(
        total=len(verdicts),
        strict=verdicts.count("strict"),
        found=verdicts.count("found"),
        mended=verdicts.count("mended"),
        asked_again=verdicts.count("asked_again"),
        wrong_meaning=verdicts.count("wrong_meaning"),
        no_call=verdicts.count("no_call"),
    )


def _are_exactly(calls: Sequence[ToolCall], expected: Expected) -> bool:
    return [(call.name, _canonical(json.dumps(call.arguments))) for call in calls] == [_canonical_call(expected)]


def _way(call: ToolCall, text: str) -> str:
    """The form of a call, if it is not the whole text as plain JSON."""
    if call.format == "api":
        return ""
    if call.format != "json":
        return call.format
    return "json within other text" if _canonical(text) is None else ""


def _is_strictly(reply: ModelReply, expected: Expected) -> bool:
    """Whether the model's words, read by a JSON parser and nothing else, are the right call."""
    if reply.tool_calls:
        return [(call.name, _canonical(call.arguments)) for call in reply.tool_calls] == [_canonical_call(expected)]
    whole = {"name": expected.name, "arguments": dict(expected.arguments)}
    return _canonical(reply.text) == _canonical(json.dumps(whole))


def _canonical_call(expected: Expected) -> tuple[str, str | None]:
    return expected.name, _canonical(json.dumps(dict(expected.arguments)))


def _canonical(text: str) -> str | None:
    """JSON text that is equal for equal values only; None if the text is no JSON.

    Python takes 1 and True for the same, and tells 8 from 8.0, which are one number.
    """
    try:
        return json.dumps(json.loads(text, parse_float=_number), sort_keys=True)
    except ValueError:
        return None


def _number(text: str) -> float:
    value = float(text)
    return int(value) if value.is_integer() else value
