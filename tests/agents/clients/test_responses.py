from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import httpx2
import pytest
from strictness import responses_complaint
from wire_shapes import response_events, response_object

from toolmend.agents.clients.base import ChatRequest, StreamPart
from toolmend.agents.clients.responses import ResponsesClient, ResponsesConfig
from toolmend.agents.errors import (
    ConfigError,
    ContextLengthError,
    CutStreamError,
    LLMError,
    LLMServerError,
    MalformedReplyError,
    QuotaExceededError,
    RateLimitedError,
)
from toolmend.repairs.errors import UsageError
from toolmend.repairs.record import JsonValue
from toolmend.toolkit.streaming.chunks import Chunks
from toolmend.toolkit.wire import ModelReply, RawCall, Usage

HELLO = ChatRequest(messages=({"role": "user", "content": "hello"},))
CALLS = [
    {"id": f"call_{number}", "type": "function", "function": {"name": "f", "arguments": f'{{"a": {number}}}'}}
    for number in (1, 2)
]
SAID = {"content": "I do.", "tool_calls": CALLS}
REPLY = ModelReply(
    "I do.", (RawCall("f", '{"a": 1}', "call_1"), RawCall("f", '{"a": 2}', "call_2")), "tool_calls", Usage(7, 3)
)
WHOLE = response_object(SAID, 7)


def client(answer: Callable[[httpx2.Request], httpx2.Response], **settings: JsonValue) -> ResponsesClient:
    """A client whose requests go to a function."""
    given = {
        "model": "m",
        "base_url": "http://model.test/v1",
        "max_retries": 0,
        "http_client": httpx2.Client(transport=httpx2.MockTransport(answer)),
        "http_async_client": httpx2.AsyncClient(transport=httpx2.MockTransport(answer)),
        **settings,
    }
    return ResponsesClient(ResponsesConfig(**given))


def answering(data: JsonValue) -> Callable[[httpx2.Request], httpx2.Response]:
    """Gives one answer: a whole response, or, from a list, the events of a stream."""

    def answer(_request: httpx2.Request) -> httpx2.Response:
        if not isinstance(data, list):
            return httpx2.Response(200, json=data)
        text = "".join(
            f"event: x\ndata: {event if isinstance(event, str) else json.dumps(event)}\n\n" for event in data
        )
        return httpx2.Response(200, text=text, headers={"content-type": "text/event-stream"})

    return answer


def complete(data: JsonValue, *, is_async: bool = False) -> ModelReply:
    """The reply, asked for in one of the two ways."""
    one = client(answering(data))
    return asyncio.run(one.complete_async(HELLO)) if is_async else one.complete(HELLO)


def streamed(data: JsonValue, *, is_async: bool = False) -> list[StreamPart]:
    """All parts of a stream, asked for in one of the two ways."""
    one = client(answering(data))
    if not is_async:
        return list(one.stream(HELLO))

    async def gather() -> list[StreamPart]:
        return [part async for part in one.stream_async(HELLO)]

    return asyncio.run(gather())


def sent(request: ChatRequest, **settings: JsonValue) -> dict[str, JsonValue]:
    """The body that goes out for a request."""
    bodies: list[dict[str, JsonValue]] = []

    def answer(given: httpx2.Request) -> httpx2.Response:
        assert given.url.path == "/v1/responses"
        bodies.append(json.loads(given.content))
        return httpx2.Response(200, json=WHOLE)

    client(answer, **settings).complete(request)
    return bodies[0]


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def is_async(request: pytest.FixtureRequest) -> bool:
    """Both ways of asking."""
    return bool(request.param)


# ------------------------------------------------------------------ what goes out


def test_a_conversation_becomes_items() -> None:
    """Each call and each result is an item; who called what is kept by the ids."""
    body = sent(
        ChatRequest(
            messages=(
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "Go."},
                {"role": "assistant", **SAID},
                {"role": "tool", "tool_call_id": "call_1", "content": "one"},
                {"role": "tool", "tool_call_id": "call_2", "content": "two"},
                {"role": "assistant", "content": "Done."},
            )
        )
    )
    assert body["input"] == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "I do."},
        {"type": "function_call", "call_id": "call_1", "name": "f", "arguments": '{"a": 1}'},
        {"type": "function_call", "call_id": "call_2", "name": "f", "arguments": '{"a": 2}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "one"},
        {"type": "function_call_output", "call_id": "call_2", "output": "two"},
        {"role": "assistant", "content": "Done."},
    ]
    assert responses_complaint(body) is None


def test_legacy_calls_are_given_ids() -> None:
    """A conversation of the older functions goes on here, each result with its call."""
    turn = (
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "done"},
    )
    body = sent(ChatRequest(messages=(*turn, *turn)))
    ids = [item["call_id"] for item in body["input"]]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert responses_complaint(body) is None


def test_contents_in_parts_have_other_names() -> None:
    """Texts, images and files go out as this API has them; what it alone knows goes out as it is."""
    parts = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:x", "detail": "low"}},
        {"type": "file", "file": {"file_id": "f1"}},
        {"type": "input_file", "file_id": "f2"},
    ]
    body = sent(
        ChatRequest(
            messages=(
                {"role": "user", "content": parts},
                {"role": "assistant", "content": [{"type": "text", "text": "seen"}]},
            )
        )
    )
    assert [item["content"] for item in body["input"]] == [
        [
            {"type": "input_text", "text": "look"},
            {"type": "input_image", "image_url": "data:x", "detail": "low"},
            {"type": "input_file", "file_id": "f1"},
            {"type": "input_file", "file_id": "f2"},
        ],
        [{"type": "output_text", "text": "seen"}],
    ]


@pytest.mark.parametrize("choice", [{"type": "function", "function": {"name": "f"}}, {"name": "f"}])
def test_tools_and_bounds_have_other_shapes(choice: dict[str, JsonValue]) -> None:
    """A tool is flat, and not strict unless it says so: here that is not the default."""
    function = {"name": "f", "description": "d", "parameters": {"type": "object"}}
    strict = {"name": "g", "parameters": {"type": "object"}, "strict": True}
    request = ChatRequest(
        messages=HELLO.messages,
        tools=tuple({"type": "function", "function": one} for one in (function, strict)),
        tool_choice=choice,
        max_tokens=99,
        extra={"top_p": 0.5},
    )
    body = sent(request, temperature=0.2, extra_body={"reasoning": {"effort": "low"}})
    assert body["tools"] == [{"type": "function", "strict": False, **function}, {"type": "function", **strict}]
    assert body["tool_choice"] == {"type": "function", "name": "f"}
    rest = {"max_output_tokens": 99, "temperature": 0.2, "top_p": 0.5, "reasoning": {"effort": "low"}, "store": False}
    assert body.items() >= rest.items()


def test_a_request_carries_only_what_is_given() -> None:
    """Nothing is kept by the server unless that is wanted."""
    assert sent(HELLO) == {"model": "m", "store": False, "input": [{"role": "user", "content": "hello"}]}
    assert sent(HELLO, store=True)["store"] is True


def test_what_this_api_does_not_know_is_refused() -> None:
    """It is not left out in silence."""
    with pytest.raises(UsageError, match="stop"):
        client(answering(WHOLE)).complete(ChatRequest(messages=HELLO.messages, stop=("END",)))
    with pytest.raises(ConfigError, match=r"ResponsesConfig\.seed"):
        ResponsesConfig(model="m", seed=1)  # type: ignore[call-arg]  # that is the point


# ------------------------------------------------------------------ what comes back


def test_a_response_is_read(is_async: bool) -> None:
    """Text, calls, the reason in the words of Chat Completions, and the usage."""
    assert complete(WHOLE, is_async=is_async) == REPLY


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"status": "completed"}, "tool_calls"),
        ({"status": "completed", "output": []}, "stop"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}, "content_filter"),
        ({"status": "incomplete"}, "length"),
        ({"status": None}, "tool_calls"),
    ],
)
def test_the_reason_is_one_that_agents_know(members: dict[str, JsonValue], reason: str) -> None:
    """A cut reply is told from a whole one, however the server puts it."""
    assert complete({**WHOLE, **members}).finish_reason == reason


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        ({}, MalformedReplyError),
        ({"output": None}, MalformedReplyError),
        ({**WHOLE, "status": "queued"}, MalformedReplyError),
        ({"choices": [{"message": {"content": "hi"}}]}, MalformedReplyError),
        ({**WHOLE, "status": "failed", "error": {"code": "server_error", "message": "oops"}}, LLMServerError),
        ({**WHOLE, "error": {"code": "rate_limit_exceeded", "message": "slow"}}, RateLimitedError),
        ({**WHOLE, "error": {"code": "insufficient_quota", "message": "pay"}}, QuotaExceededError),
        ({**WHOLE, "error": {"code": "context_length_exceeded", "message": "long"}}, ContextLengthError),
    ],
)
def test_what_is_no_response_is_an_error(data: JsonValue, kind: type[LLMError], is_async: bool) -> None:
    """The same errors as from Chat Completions, also where they come within a response."""
    with pytest.raises(LLMError) as caught:
        complete(data, is_async=is_async)
    assert type(caught.value) is kind


# ------------------------------------------------------------------ streams

EVENTS = [json.loads(event) for event in response_events(SAID, 7)]


def test_a_stream_gives_chunks_and_then_the_reply(is_async: bool) -> None:
    """The chunks are those of Chat Completions, and add up to the reply."""
    *chunks, reply = streamed(EVENTS, is_async=is_async)
    assert reply == REPLY
    together = Chunks()
    for chunk in chunks:
        together.add(chunk)
    assert (together.reply().text, together.reply().tool_calls) == (REPLY.text, REPLY.tool_calls)
    assert len(chunks) > 4


def test_several_messages_are_told_apart() -> None:
    """The chunks put between them what the whole reply has there."""
    message = WHOLE["output"][0]
    whole = {**WHOLE, "output": [message, message]}
    events = [
        event
        for place in (0, 1)
        for event in (
            {"type": "response.output_item.added", "output_index": place, "item": {"type": "message"}},
            {"type": "response.output_text.delta", "output_index": place, "delta": "I do."},
        )
    ]
    *chunks, reply = streamed([*events, {"type": "response.completed", "response": whole}])
    together = Chunks()
    for chunk in chunks:
        together.add(chunk)
    assert isinstance(reply, ModelReply)
    assert together.text == reply.text == "I do.\nI do."


@pytest.mark.parametrize("end", [1, 4, len(EVENTS) - 1])
def test_a_stream_that_ends_without_an_end_is_no_reply(end: int, is_async: bool) -> None:
    """Only the last event says that the reply is whole."""
    with pytest.raises((CutStreamError, MalformedReplyError)) as caught:
        streamed(EVENTS[:end], is_async=is_async)
    assert isinstance(caught.value, CutStreamError) is (end > 1)


@pytest.mark.parametrize(
    ("events", "kind"),
    [
        ([{"type": "error", "code": "server_error", "message": "oops"}], LLMServerError),
        ([{"type": "error", "code": "who_knows", "message": "oops"}], MalformedReplyError),
        ([{"type": "error", "error": {"code": "rate_limit_exceeded", "message": "slow"}}], RateLimitedError),
        (
            [{"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}}],
            LLMServerError,
        ),
        ([{"type": "response.completed", "response": {}}], MalformedReplyError),
        ([{"type": "response.completed", "response": []}], MalformedReplyError),
        (["{"], MalformedReplyError),
    ],
)
def test_what_goes_wrong_in_a_stream_is_typed(events: JsonValue, kind: type[LLMError], is_async: bool) -> None:
    """Before the reply or in the middle of it."""
    for before in ([], EVENTS[:4]):
        with pytest.raises(LLMError) as caught:
            streamed([*before, *events], is_async=is_async)
        assert type(caught.value) is kind


def test_events_that_say_nothing_are_passed_over() -> None:
    """Unknown kinds, deltas of unknown calls and items of other kinds."""
    odd = [
        {},
        {"type": ["response.completed"], "output_index": []},
        {"type": "response.output_item.added", "output_index": [], "item": {"type": "function_call"}},
        {"type": "response.output_text.delta", "delta": None},
        {"type": "response.function_call_arguments.delta", "output_index": 9, "delta": "{"},
        {"type": "response.output_item.added", "output_index": 9, "item": {"type": "reasoning"}},
        {"type": "response.output_item.added", "output_index": 9, "item": None},
    ]
    assert streamed([*odd, *EVENTS])[-1] == REPLY


def test_a_server_that_cannot_stream_answers_all_the_same(is_async: bool) -> None:
    """The whole response becomes chunks here."""
    *chunks, reply = streamed(WHOLE, is_async=is_async)
    assert reply == REPLY
    together = Chunks()
    for chunk in chunks:
        together.add(chunk)
    assert together.reply() == REPLY
