from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from toolmend.agents import (
    CallFinished,
    CallStarted,
    ChatAgent,
    ChatAgentConfig,
    ConfigError,
    Event,
    LLMTimeoutError,
    ModelReply,
    Nudged,
    RawCall,
    ReplyReceived,
    RunEnded,
    RunStream,
    ScriptedClient,
    Task,
    Usage,
)
from toolmend.toolkit import ToolMessage, ToolUsageError
from toolmend.toolkit.streaming.events import PartialCall, TextDelta, TextRestart

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from toolmend.agents.clients.base import ChatRequest
    from toolmend.agents.clients.scripted import Line
    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]


class Wait(ToolMessage, name="wait"):
    """Wait a little."""

    seconds: float = 0

    def handle(self) -> str:
        return f"waited {self.seconds}"

    async def handle_async(self) -> str:
        await asyncio.sleep(self.seconds)
        return f"waited {self.seconds}"


def wait(*seconds: object) -> ModelReply:
    """Calls through the API."""
    calls = tuple(RawCall("wait", json.dumps({"seconds": one}), f"c{at}") for at, one in enumerate(seconds))
    return ModelReply("", calls, "tool_calls", Usage(10, 5))


def task(script: Sequence[Line] | Callable[[ChatRequest], Line], **bounds: Any) -> Task:  # noqa: ANN401
    """A task whose model says what stands in the script."""
    config = ChatAgentConfig(llm=ScriptedClient(script), handle_llm_no_tool=bounds.pop("nudge", None))
    return Task(ChatAgent(config, [Wait]), **bounds)


async def collected(stream: RunStream) -> list[Event]:
    """All events of a run in async code."""
    return [event async for event in stream]


def steps(events: Iterable[Event]) -> list[tuple[str, object]]:
    """The events of a run in short, without those that show its replies."""
    return [told(event) for event in events if not isinstance(event, TextDelta | TextRestart | PartialCall)]


def told(event: Event) -> tuple[str, object]:
    """An event in short."""
    what: dict[type, Callable[[Any], object]] = {
        ReplyReceived: lambda one: one.turn,
        CallStarted: lambda one: one.call.id,
        CallFinished: lambda one: (one.call.id, one.result.ok),
        Nudged: lambda one: one.text,
        RunEnded: lambda one: one.result.stop_reason,
    }
    return type(event).__name__, what[type(event)](event)


def test_a_run_tells_what_happens_as_it_happens() -> None:
    """A faulty call never starts; the last event carries the result."""
    stream = task([wait(0, "soon"), "ready"]).stream("go")
    assert steps(stream) == [
        ("ReplyReceived", 1),
        ("CallStarted", "c0"),
        ("CallFinished", ("c0", True)),
        ("CallFinished", ("c1", False)),
        ("ReplyReceived", 2),
        ("RunEnded", "answer"),
    ]
    assert stream.result.output == "ready"


def test_async_calls_are_told_of_in_the_order_of_their_ends() -> None:
    """And go back to the model in the order in which they were made."""
    stream = task([wait(0.05, 0), "ready"]).stream("go")
    events = steps(asyncio.run(collected(stream)))
    assert events == [
        ("ReplyReceived", 1),
        ("CallStarted", "c0"),
        ("CallStarted", "c1"),
        ("CallFinished", ("c1", True)),
        ("CallFinished", ("c0", True)),
        ("ReplyReceived", 2),
        ("RunEnded", "answer"),
    ]
    assert [message["tool_call_id"] for message in stream.result.messages if message["role"] == "tool"] == ["c0", "c1"]


def test_events_come_while_the_run_goes_on() -> None:
    """What is told of a call is not kept back until the model answers."""
    client = ScriptedClient([wait(0), "ready"])
    stream = Task(ChatAgent(ChatAgentConfig(llm=client), [Wait])).stream("go")
    asked = [
        (type(event).__name__, len(client.requests))
        for event in stream
        if not isinstance(event, TextDelta | PartialCall)
    ]
    assert asked[:3] == [("ReplyReceived", 1), ("CallStarted", 1), ("CallFinished", 1)]


def test_a_nudge_is_an_event() -> None:
    """Who shows a conversation can show that, too."""
    events = list(task(["Hm.", "Hm.", "Hm.", "Hm."], nudge="Call a tool.").stream("go"))
    assert steps(events)[:2] == [("ReplyReceived", 1), ("Nudged", "Call a tool.")]


def test_nothing_happens_before_the_first_event_is_asked_for() -> None:
    """A stream that nobody goes through asks no model."""
    client = ScriptedClient(["x"])
    stream = Task(ChatAgent(ChatAgentConfig(llm=client))).stream("go")
    with pytest.raises(ToolUsageError, match="the run is not over"):
        stream.result  # noqa: B018
    assert client.requests == []


def test_a_stream_is_gone_through_once() -> None:
    """The second time would be another run."""
    stream = task(["x"]).stream("go")
    list(stream)
    with pytest.raises(ToolUsageError, match="gone through once"):
        list(stream)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_who_stops_listening_leaves_a_valid_history(is_async: bool, check_history: Check) -> None:
    """In the middle of a batch: one call has run, another has not."""
    one = task([wait(0, 5)])

    async def main() -> None:
        async for event in one.stream("go"):
            if isinstance(event, CallFinished):
                break

    if is_async:
        asyncio.run(main())
    else:
        for event in one.stream("go"):
            if isinstance(event, CallFinished):
                break
    check_history(one.agent.messages)
    told = [message["content"] for message in one.agent.messages if message["role"] == "tool"]
    assert told[0] == "waited 0.0"
    assert told[1].startswith("Interrupted" if is_async else "Not executed")


def test_a_cancelled_run_keeps_what_was_done(check_history: Check) -> None:
    """The call that ran is answered by its result, the one that was running by what is known of it."""
    one = task([wait(0, 5), "well"])

    async def main() -> None:
        running = asyncio.create_task(one.run_async("go"))
        await asyncio.sleep(0.05)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(main())
    check_history(one.agent.messages)
    told = [message["content"] for message in one.agent.messages if message["role"] == "tool"]
    assert told == ["waited 0.0", "Interrupted: this call was started, and nobody knows how far it came."]
    assert one.run("and now?").output == "well"
    check_history(one.agent.messages)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_tokens_are_bounded(is_async: bool) -> None:
    """What the requests cost is looked at before the next one."""
    numbers = iter(range(100))
    one = task(lambda _: wait(next(numbers) / 1e6), max_tokens=40)
    result = asyncio.run(one.run_async("go")) if is_async else one.run("go")
    assert (result.stop_reason, result.turns, result.usage) == ("max_tokens", 3, Usage(30, 15))
    assert result.detail == "45 tokens were used"


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_time_is_bounded(is_async: bool) -> None:
    """It is looked at before the model is asked."""
    numbers = iter(range(1000))

    def answer(_request: ChatRequest) -> ModelReply:
        time.sleep(0.02)
        return wait(next(numbers) / 1e6)

    one = task(answer, max_seconds=0.05, max_turns=100)
    result = asyncio.run(one.run_async("go")) if is_async else one.run("go")
    assert result.stop_reason == "max_seconds"
    assert result.detail == "0.05 seconds are over"
    assert 1 <= result.turns <= 5


def test_an_async_run_is_interrupted_when_its_time_is_up(check_history: Check) -> None:
    """In a tool that takes too long, or in a model that does; what was done is kept."""
    started = time.monotonic()
    result = asyncio.run(task([wait(0, 60)], max_seconds=0.1).run_async("go"))
    assert (result.stop_reason, result.turns) == ("max_seconds", 1)
    check_history(result.messages)
    assert result.messages[2]["content"] == "waited 0.0"

    class Late(ScriptedClient):
        async def complete_async(self, request: ChatRequest, /) -> ModelReply:
            await asyncio.sleep(60)
            return ModelReply("late")

    late = Task(ChatAgent(ChatAgentConfig(llm=Late([]))), max_seconds=0.1)
    assert asyncio.run(late.run_async("go")).stop_reason == "max_seconds"
    assert late.agent.history == ()
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "bounds",
    [{"max_seconds": 0}, {"max_seconds": float("nan")}, {"max_tokens": -1}, {"max_turns": 0}, {"max_turns": 2.5}],
)
def test_bounds_that_let_nothing_happen_are_refused(bounds: dict[str, Any]) -> None:
    """They are a slip of the pen."""
    with pytest.raises(ConfigError, match=f"{next(iter(bounds))}: "):
        task([], **bounds)


def test_a_failing_model_ends_the_stream() -> None:
    """The failure is in the result; nothing is raised."""
    stream = task([wait(0), LLMTimeoutError("late")]).stream("go")
    assert told(list(stream)[-1]) == ("RunEnded", "llm_error")
    assert isinstance(stream.result.failure, LLMTimeoutError)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_replies_are_shown_as_they_are_written(is_async: bool) -> None:
    """Piece by piece, and a call before it is whole; what it comes to is told when it runs."""
    text = "The answer has a number of words."
    stream = task([wait(1e-9), text]).stream("go")
    events = asyncio.run(collected(stream)) if is_async else list(stream)
    kinds = [type(event) for event in events]
    assert kinds.index(PartialCall) < kinds.index(ReplyReceived) < kinds.index(TextDelta)
    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert "".join(pieces) == text
    assert len(pieces) > 1
    assert stream.result.output == text


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_client_that_cannot_stream_gives_whole_replies(is_async: bool) -> None:
    """The run is the same, only nothing is shown before a reply is whole."""

    class Whole:
        def __init__(self) -> None:
            self.complete = ScriptedClient(["ready"]).complete

        async def complete_async(self, request: ChatRequest, /) -> ModelReply:
            return self.complete(request)

    stream = Task(ChatAgent(ChatAgentConfig(llm=Whole()))).stream("go")
    events = asyncio.run(collected(stream)) if is_async else list(stream)
    assert [told(event) for event in events] == [("ReplyReceived", 1), ("RunEnded", "answer")]


def test_a_run_that_nobody_watches_does_not_stream() -> None:
    """Whole replies cost less than pieces of them."""

    class Watched(ScriptedClient):
        def stream(self, request: ChatRequest, /) -> Any:  # noqa: ANN401
            pytest.fail("streamed")

    assert Task(ChatAgent(ChatAgentConfig(llm=Watched(["ready"])))).run("go").output == "ready"
