"""Runs whose replies are shown as they are written, over HTTP, with a stream that breaks at any point."""

from __future__ import annotations

import asyncio

import pytest
from painting import assert_sendable, run, task
from strict_server import Answer, Broken, Late, Says, Status, StrictServer, call

from toolmend.agents import CallFinished, Event, ReplyReceived, RunEnded, Task, TaskResult
from toolmend.agents.clients.responses import ResponsesConfig
from toolmend.agents.errors import (
    CutStreamError,
    LLMConnectionError,
    LLMError,
    LLMTimeoutError,
    MalformedReplyError,
    RateLimitedError,
)
from toolmend.toolkit.streaming.events import TextDelta

PAINTS = Says("I paint.", calls=(call('{"color": "red"}'),))
GARBAGE = b'data: {"choices": [{"index": 0, "delta": {"con\n\n'


def follow(one: Task, *, is_async: bool) -> tuple[list[Event], TaskResult]:
    """The events of a run, followed in one of the two ways, and its result."""
    if not is_async:
        events = list(one.stream("Paint it red."))
    else:

        async def gather() -> list[Event]:
            try:
                return [event async for event in one.stream("Paint it red.")]
            finally:
                await one.agent._client.close_async()  # type: ignore[attr-defined]  # the one for servers

        events = asyncio.run(gather())
    last = events[-1]
    assert isinstance(last, RunEnded)
    return events, last.result


@pytest.mark.parametrize("api", ["chat", "responses"])
def test_replies_are_shown_while_they_come(server: StrictServer, api: str, is_async: bool) -> None:
    """The text comes in pieces, the calls run, and the answer is shown as it is written, over either API."""
    server.answers = [PAINTS, Says("It is red.")]
    one = task(server, config=ResponsesConfig) if api == "responses" else task(server)
    events, result = follow(one, is_async=is_async)
    assert result.output == "It is red."
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "I paint.It is red."
    assert sum(isinstance(event, TextDelta) for event in events) > 2
    assert [type(event) for event in events if isinstance(event, (CallFinished, ReplyReceived))] == [
        ReplyReceived,
        CallFinished,
        ReplyReceived,
    ]
    assert all(request["stream"] for request in server.requests)
    assert server.refusals == []


FAULTS: dict[str, tuple[Answer, type[LLMError]]] = {
    "hangs up at once": (Broken(), LLMConnectionError),
    "hangs up in the text": (Broken(PAINTS, parts=2), CutStreamError),
    "hangs up in a call": (Broken(PAINTS, parts=5), CutStreamError),
    "ends behind a call that looks whole": (Broken(PAINTS, parts=7, hangs_up=False), CutStreamError),
    "sends garbage": (Broken(PAINTS, parts=3, ending=GARBAGE, hangs_up=False), MalformedReplyError),
    "comes late": (Late(3), LLMTimeoutError),
    "limits the rate": (Status(429), RateLimitedError),
}


@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_stream_ends_the_run_and_runs_nothing(
    server: StrictServer, fault: str, turn: int, is_async: bool
) -> None:
    """What was shown of the broken reply leaves no trace in the conversation, which goes on."""
    answer, kind = FAULTS[fault]
    server.answers = [*[PAINTS][:turn], answer, Says("It is red.")]
    one = task(server, timeout=0.6 if isinstance(answer, Late) else 20)
    events, result = follow(one, is_async=is_async)
    assert (result.stop_reason, type(result.failure)) == ("llm_error", kind)
    assert sum(isinstance(event, CallFinished) for event in events) == len(result.calls) == turn
    assert len(one.agent.messages) == 3 * turn
    assert_sendable(one)
    assert run(one, "Go on.", is_async=is_async).output == "It is red."
    assert server.refusals == []
