from __future__ import annotations

import asyncio

import pytest

from toolmend.agents.clients.base import ChatRequest, LLMClient
from toolmend.agents.clients.scripted import ScriptedClient
from toolmend.agents.errors import LLMTimeoutError, ScriptExhaustedError
from toolmend.toolkit.wire import ModelReply, RawCall


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
