from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.agents.clients.base import ChatRequest, LLMClient, StreamingClient, StreamPart
from toolmend.agents.clients.scripted import Interrupted, ScriptedClient
from toolmend.agents.errors import ConfigError, CutStreamError, LLMTimeoutError, ScriptExhaustedError
from toolmend.toolkit.streaming.chunks import Chunks
from toolmend.toolkit.wire import ModelReply, RawCall, Usage


def asked(text: str) -> ChatRequest:
    """A request with one message."""
    return ChatRequest(messages=({"role": "user", "content": text},))


def test_the_lines_come_in_order_and_the_requests_are_kept() -> None:
    """Texts and whole replies are given one after another, to sync and async askers alike."""
    reply = ModelReply(tool_calls=(RawCall("f", "{}", "c1"),))
    client = ScriptedClient(["one", reply])
    assert client.complete(asked("a")) == ModelReply("one", finish_reason="stop")
    assert asyncio.run(client.complete_async(asked("b"))) is reply
    assert [request.messages[0]["content"] for request in client.requests] == ["a", "b"]


def test_a_function_may_be_the_script() -> None:
    """A reply can depend on what was asked."""
    client = ScriptedClient(lambda request: f"you said {request.messages[-1]['content']}")
    assert client.complete(asked("boo")).text == "you said boo"


def test_an_exception_in_the_script_is_raised() -> None:
    """Failures of a server are scripted like its replies."""
    client = ScriptedClient([LLMTimeoutError("late"), "then"])
    with pytest.raises(LLMTimeoutError, match="late"):
        client.complete(asked("a"))
    assert client.complete(asked("a")).text == "then"


def test_an_exhausted_script_says_how_long_it_was() -> None:
    """One request too many is an error of the model, so that a task ends by it."""
    client = ScriptedClient(["only"])
    client.complete(asked("a"))
    with pytest.raises(ScriptExhaustedError, match="the script has 1 replies"):
        client.complete(asked("b"))


def test_it_is_a_client() -> None:
    """The double satisfies the protocol that it stands in for."""
    assert isinstance(ScriptedClient([]), LLMClient)


def streamed(client: ScriptedClient, *, is_async: bool) -> list[StreamPart]:
    """All parts of the next reply, asked for in one of the two ways."""
    if not is_async:
        return list(client.stream(asked("a")))

    async def gather() -> list[StreamPart]:
        return [part async for part in client.stream_async(asked("a"))]

    return asyncio.run(gather())


REPLIES = st.builds(
    ModelReply,
    text=st.text(),
    tool_calls=st.lists(st.builds(RawCall, st.text(min_size=1), st.text(), st.uuids().map(str)), max_size=3).map(tuple),
    finish_reason=st.sampled_from(["stop", "length"]),
    usage=st.none() | st.builds(Usage, st.integers(1, 9), st.integers(1, 9)),
)


@given(REPLIES, st.integers(1, 9))
def test_a_stream_adds_up_to_the_reply(reply: ModelReply, size: int) -> None:
    """Chunks as servers send them come first, and the whole reply as the last."""
    *chunks, whole = ScriptedClient([reply], chunk_size=size).stream(asked("a"))
    together = Chunks()
    for chunk in chunks:
        together.add(chunk)
    assert whole is reply
    assert together.reply() == reply


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_an_interrupted_reply_breaks_off_where_it_is_streamed(is_async: bool) -> None:
    """What was said comes first, then the error; who waits for the whole gets the error alone."""
    error = CutStreamError("cut", partial=ModelReply("half"))
    client = ScriptedClient([Interrupted("half", error)] * 2, chunk_size=2)
    with pytest.raises(CutStreamError, match="cut"):
        client.complete(asked("a"))
    parts = client.stream(asked("a"))
    assert [next(parts)["choices"][0]["delta"]["content"] for _ in "12"] == ["ha", "lf"]  # type: ignore[index]
    with pytest.raises(CutStreamError, match="cut"):
        next(parts)
    with pytest.raises(CutStreamError, match="cut"):
        streamed(ScriptedClient([error]), is_async=is_async)


def test_a_legacy_call_is_streamed_as_one() -> None:
    """A single call without an id is what the older field carries."""
    *chunks, _ = ScriptedClient([ModelReply(tool_calls=(RawCall("f", "{}"),))]).stream(asked("a"))
    together = Chunks()
    for chunk in chunks:
        together.add(chunk)
    assert together.reply().tool_calls == (RawCall("f", "{}"),)


def test_both_ways_of_streaming_give_the_same() -> None:
    """The async twin does not differ."""
    both = [streamed(ScriptedClient(["hello there"]), is_async=is_async) for is_async in (False, True)]
    assert both[0] == both[1]
    assert isinstance(ScriptedClient([]), StreamingClient)


def test_chunks_of_no_characters_are_refused() -> None:
    """They would never end."""
    with pytest.raises(ConfigError, match="chunk_size"):
        ScriptedClient([], chunk_size=0)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("hello", "script: a list of replies or a function is needed, got 'hello'"),
        (None, "script: a list of replies or a function is needed, got None"),
        (["hello", 5], r"script\[1\]: a str, a ModelReply, an exception or an Interrupted is needed, got 5"),
    ],
)
def test_what_is_no_script_is_refused(script: Any, told: str) -> None:  # noqa: ANN401
    """One text would else be a reply for each of its letters."""
    with pytest.raises(ConfigError, match=told):
        ScriptedClient(script)
