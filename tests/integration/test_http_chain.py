"""The whole chain over HTTP: agent, openai client, and a server on loopback as strict as the API."""

from __future__ import annotations

import pytest
from painting import assert_sendable, run, task
from strict_server import Broken, Says, Status, StrictServer, call

from toolmend.agents.clients.base import ChatRequest
from toolmend.agents.clients.responses import ResponsesConfig
from toolmend.agents.errors import LLMRequestError
from toolmend.repairs.record import JsonValue


def test_native_tools(server: StrictServer, is_async: bool) -> None:
    """Faulty, doubled, unknown and mended calls in one conversation: the server takes every history."""
    server.answers = [
        Says(calls=(call('{"color": "blue"}'), call("{'color': 'RED',}"), call("{}", None, "sing"))),
        Says(calls=(call('{"color": "red", "layers": "2"}'),)),
        Says("It is red."),
    ]
    result = run(task(server), is_async=is_async)
    assert (result.output, result.stop_reason) == ("It is red.", "answer")
    assert [one.arguments for one in result.calls] == [{"color": "red"}, {"color": "red", "layers": 2}]
    assert [error.kind for error in result.errors] == ["invalid_arguments", "unknown_tool"]
    assert server.requests[0]["tools"][0]["function"]["name"] == "paint"
    assert server.refusals == []


def test_legacy_functions(server: StrictServer, is_async: bool) -> None:
    """The older fields go both ways."""
    server.answers = [
        Says(members={"function_call": {"name": "paint", "arguments": '{"colour": "red"}'}}),
        Says("It is red."),
    ]
    result = run(task(server, "use_functions_api"), is_async=is_async)
    assert result.output == "It is red."
    assert server.requests[1]["messages"][1:] == [
        {"role": "assistant", "content": None, "function_call": {"name": "paint", "arguments": '{"color": "red"}'}},
        {"role": "function", "name": "paint", "content": "painted red"},
    ]


def test_prompt_only(server: StrictServer, is_async: bool) -> None:
    """A server that knows no tools gets nothing but text."""
    server.answers = [
        Says('```json\n{"name": "paint", "arguments": {"color": "red"},}\n```'),
        Says("It is red."),
    ]
    result = run(task(server, "use_tools"), is_async=is_async)
    assert result.output == "It is red."
    for request in server.requests:
        assert not request.keys() & {"tools", "functions", "tool_choice", "function_call"}
        assert {message["role"] for message in request["messages"]} <= {"system", "user", "assistant"}


def test_the_responses_api(server: StrictServer, is_async: bool) -> None:
    """The same conversation over the other API: each call and each result is an item there."""
    server.answers = [
        Says("So:", calls=(call('{"color": "blue"}'), call("{'color': 'RED',}"), call("{}", "call_3", "sing"))),
        Says(calls=(call('{"color": "red", "layers": "2"}', "call_4"),)),
        Says("It is red."),
    ]
    one = task(server, config=ResponsesConfig)
    result = run(one, is_async=is_async)
    assert (result.output, result.stop_reason) == ("It is red.", "answer")
    assert [one.arguments for one in result.calls] == [{"color": "red"}, {"color": "red", "layers": 2}]
    assert [error.kind for error in result.errors] == ["invalid_arguments", "unknown_tool"]
    assert server.refusals == []
    assert_sendable(one)


def test_what_a_model_writes_can_be_sent_back(server: StrictServer, is_async: bool) -> None:
    """Half a character, an illegal name, no arguments and a null: all of it comes back in the next request."""
    server.answers = [
        Says("a\ud83d", calls=(call('{"color": "red\ud83d"}'), call("", "call_2"), call("[]", "", "a b/c"))),
        Says("It is red."),
    ]
    one = task(server)
    result = run(one, is_async=is_async)
    assert result.output == "It is red."
    assert_sendable(one)


def test_the_client_tries_again_by_itself(server: StrictServer, is_async: bool) -> None:
    """A lost connection, a busy server and a rate limit are met by the retries of the client library."""
    server.answers = [
        Broken(),
        Status(503),
        Status(429, headers={"retry-after-ms": "10"}),
        Says("hi"),
    ]
    assert run(task(server, max_retries=3), is_async=is_async).output == "hi"
    assert len(server.requests) == 4


ASKS = {"role": "assistant", "content": None, "tool_calls": [call('{"color": "red"}')]}
ANSWERS = {"role": "tool", "tool_call_id": "call_1", "content": "painted"}
SAYS = {"role": "user", "content": "go"}


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([ASKS, SAYS], "did not have response messages: call_1"),
        ([ASKS], "did not have response messages: call_1"),
        ([SAYS, ANSWERS], "must be a response to a preceeding message"),
        ([ASKS, ANSWERS, ANSWERS], "must be a response to a preceeding message"),
        ([ASKS, ANSWERS, ASKS, ANSWERS], "Duplicate value"),
        ([{**ASKS, "tool_calls": []}], "empty array"),
        ([{"role": "user", "content": None}], "expected a string, got null"),
        ([{**ASKS, "tool_calls": [call("{")]}, ANSWERS], "not a JSON object"),
        ([{**ASKS, "tool_calls": [call("{}", name="a b")]}, ANSWERS], "does not match pattern"),
        ([{**SAYS, "mood": "good"}], "Unknown parameter"),
        ([], "empty array"),
    ],
)
def test_the_server_is_as_strict_as_the_api(
    server: StrictServer, messages: list[dict[str, JsonValue]], words: str
) -> None:
    """A history that the API refuses is refused here: the tests above and below would see it."""
    client = task(server).agent.config.create_client()
    with pytest.raises(LLMRequestError, match=words):
        client.complete(ChatRequest(messages=tuple(messages)))
    assert len(server.refusals) == 1
