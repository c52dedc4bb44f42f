from __future__ import annotations

import asyncio
import email.utils
import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import httpx2
import pytest
from inline_snapshot import snapshot

from toolmend.agents.clients.base import ChatRequest, StreamPart
from toolmend.agents.clients.openai import OpenAIClient, OpenAIConfig
from toolmend.agents.errors import (
    ConfigError,
    ContextLengthError,
    CutStreamError,
    LLMAuthenticationError,
    LLMConnectionError,
    LLMError,
    LLMNotFoundError,
    LLMRequestError,
    LLMServerError,
    LLMStatusError,
    LLMTimeoutError,
    MalformedReplyError,
    MissingExtraError,
    QuotaExceededError,
    RateLimitedError,
)
from toolmend.repairs.errors import UsageError
from toolmend.toolkit.wire import ModelReply, RawCall, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from toolmend.repairs.record import JsonValue

HELLO = ChatRequest(messages=({"role": "user", "content": "hello"},))
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


def said(content: JsonValue = "hi", **message: JsonValue) -> httpx2.Response:
    """A completion with one message."""
    whole = {"role": "assistant", "content": content, **message}
    return httpx2.Response(200, json={"choices": [{"message": whole, "finish_reason": "stop"}], "usage": USAGE})


def client(answer: Callable[[httpx2.Request], httpx2.Response], **settings: JsonValue) -> OpenAIClient:
    """A client whose requests go to a function."""
    given = {
        "model": "m",
        "base_url": "http://model.test/v1",
        "max_retries": 0,
        "http_client": httpx2.Client(transport=httpx2.MockTransport(answer)),
        "http_async_client": httpx2.AsyncClient(transport=httpx2.MockTransport(answer)),
        **settings,
    }
    return OpenAIClient(OpenAIConfig(**given))


def ask(one: OpenAIClient, request: ChatRequest, *, is_async: bool) -> ModelReply:
    """Ask in one of the two ways, which must not differ."""
    return asyncio.run(one.complete_async(request)) if is_async else one.complete(request)


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def is_async(request: pytest.FixtureRequest) -> bool:
    """Both ways of asking."""
    return bool(request.param)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TOOLMEND_MODEL", "TOOLMEND_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bodies() -> list[dict[str, JsonValue]]:
    """The bodies of the requests that were sent."""
    return []


@pytest.fixture
def recording(bodies: list[dict[str, JsonValue]]) -> Callable[[httpx2.Request], httpx2.Response]:
    """An answer that keeps the bodies."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return said()

    return answer


def test_the_text_the_reason_and_the_usage_are_read(is_async: bool) -> None:
    """A plain answer comes back as its text, with why the model stopped and what it cost."""
    reply = ask(client(lambda _: said()), HELLO, is_async=is_async)
    assert reply == ModelReply("hi", finish_reason="stop", usage=Usage(7, 3))


def test_calls_come_back_unread(is_async: bool) -> None:
    """The arguments of a call are the model's text, however broken."""
    function = {"name": "f", "arguments": "{'a': 1,"}
    answer = said(None, tool_calls=[{"id": "c1", "type": "function", "function": function}])
    reply = ask(client(lambda _: answer), HELLO, is_async=False)
    assert reply.tool_calls == (RawCall("f", "{'a': 1,", "c1"),)


def test_a_legacy_function_call_is_a_call_without_an_id() -> None:
    """The older field is read like the newer one."""
    reply = client(lambda _: said(None, function_call={"name": "f", "arguments": "{}"})).complete(HELLO)
    assert reply.tool_calls == (RawCall("f", "{}"),)


def test_a_request_carries_only_what_is_given(
    bodies: list[dict[str, JsonValue]], recording: Callable[[httpx2.Request], httpx2.Response]
) -> None:
    """Nothing is sent that the user did not ask for: servers refuse fields that they do not know."""
    client(recording).complete(HELLO)
    assert bodies == [{"model": "m", "messages": [{"role": "user", "content": "hello"}]}]


def test_a_request_carries_tools_and_bounds(
    bodies: list[dict[str, JsonValue]], recording: Callable[[httpx2.Request], httpx2.Response]
) -> None:
    """Tools, the choice among them, and the bounds of the answer arrive under the names of the API."""
    request = ChatRequest(
        messages=HELLO.messages,
        tools=(TOOL,),
        tool_choice="required",
        max_tokens=9,
        temperature=0,
        stop=("END",),
        extra={"top_k": 1},
    )
    client(recording, seed=3, extra_body={"min_p": 0.1}).complete(request)
    expected = {"tools": [TOOL], "tool_choice": "required", "max_tokens": 9, "temperature": 0, "stop": ["END"]}
    assert bodies[0].items() >= {**expected, "seed": 3, "top_k": 1, "min_p": 0.1}.items()


def test_legacy_functions_have_fields_of_their_own(
    bodies: list[dict[str, JsonValue]], recording: Callable[[httpx2.Request], httpx2.Response]
) -> None:
    """With functions, the one to call goes out as `function_call`."""
    functions = ({"name": "f", "parameters": {"type": "object"}},)
    client(recording).complete(ChatRequest(messages=HELLO.messages, functions=functions, tool_choice={"name": "f"}))
    assert bodies[0]["functions"] == list(functions)
    assert bodies[0]["function_call"] == {"name": "f"}


def test_the_temperature_of_a_request_comes_before_that_of_the_settings(
    bodies: list[dict[str, JsonValue]], recording: Callable[[httpx2.Request], httpx2.Response]
) -> None:
    """Zero is a temperature too."""
    one = client(recording, temperature=0.5)
    one.complete(HELLO)
    one.complete(ChatRequest(messages=HELLO.messages, temperature=0))
    assert [body["temperature"] for body in bodies] == [0.5, 0]


def test_openai_itself_gets_the_newer_name_of_the_limit(
    bodies: list[dict[str, JsonValue]], recording: Callable[[httpx2.Request], httpx2.Response]
) -> None:
    """OpenAI's newer models refuse `max_tokens`, which most other servers know alone."""
    client(recording, base_url=None, api_key="k").complete(ChatRequest(messages=HELLO.messages, max_tokens=9))
    assert bodies[0]["max_completion_tokens"] == 9
    assert "max_tokens" not in bodies[0]


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_the_name_of_the_limit_can_be_given(
    bodies: list[dict[str, JsonValue]], recording: Callable[[httpx2.Request], httpx2.Response], name: str
) -> None:
    """The same models stand behind other addresses, too."""
    client(recording, limit_name=name).complete(ChatRequest(messages=HELLO.messages, max_tokens=9))
    assert bodies[0].keys() & {"max_tokens", "max_completion_tokens"} == {name}


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, LLMRequestError),
        (401, LLMAuthenticationError),
        (403, LLMAuthenticationError),
        (402, QuotaExceededError),
        (404, LLMNotFoundError),
        (413, LLMRequestError),
        (418, LLMStatusError),
        (422, LLMRequestError),
        (429, RateLimitedError),
        (500, LLMServerError),
        (503, LLMServerError),
    ],
)
def test_an_error_status_has_its_own_error(status: int, kind: type[LLMStatusError], is_async: bool) -> None:
    """The kind of the error tells what to do; status, code and the server's words are kept."""
    answer = client(lambda _: httpx2.Response(status, json={"error": {"message": "no luck", "code": "some_code"}}))
    with pytest.raises(LLMStatusError, match=r"m at http://model\.test/v1: .*no luck") as caught:
        ask(answer, HELLO, is_async=is_async)
    assert type(caught.value) is kind
    assert (caught.value.status, caught.value.code) == (status, "some_code")


@pytest.mark.parametrize(
    ("status", "error", "kind", "retryable"),
    [
        (429, {"message": "slow down"}, RateLimitedError, True),
        (429, {"message": "pay", "code": "insufficient_quota"}, QuotaExceededError, False),
        (500, {"message": "oops"}, LLMServerError, True),
        (401, {"message": "who are you"}, LLMAuthenticationError, False),
        (404, {"message": "no such model", "code": "model_not_found"}, LLMNotFoundError, False),
        (400, {"message": "no"}, LLMRequestError, False),
    ],
)
def test_mistakes_are_told_from_faults_that_may_pass(
    status: int, error: dict[str, JsonValue], kind: type[LLMStatusError], retryable: bool
) -> None:
    """What only waiting helps against is `retryable`; all else has to be put right by somebody."""
    with pytest.raises(kind) as caught:
        client(lambda _: httpx2.Response(status, json={"error": error})).complete(HELLO)
    assert type(caught.value) is kind
    assert caught.value.retryable is retryable


def test_each_error_says_what_to_do() -> None:
    """The words of the server alone leave a user at a loss."""

    def message(status: int, body: str, **settings: JsonValue) -> str:
        with pytest.raises(LLMError) as caught:
            client(lambda _: httpx2.Response(status, text=body), **settings).complete(HELLO)
        return str(caught.value)

    assert message(401, '{"error": {"message": "Incorrect API key"}}') == snapshot(
        "m at http://model.test/v1: status 401: Incorrect API key (check api_key (OPENAI_API_KEY), and what it may be "
        "used for)"
    )
    assert message(404, "<h1>Not Found</h1>") == snapshot(
        "m at http://model.test/v1: status 404: <h1>Not Found</h1> (check the name of the model, and base_url, which "
        "usually ends in /v1)"
    )
    assert message(429, '{"error": {"message": "slow down"}}') == snapshot(
        "m at http://model.test/v1: status 429: slow down (wait, or raise max_retries)"
    )
    assert message(502, "") == snapshot(
        "m at http://model.test/v1: status 502: (nothing) (try again later, or look at the server's log)"
    )
    assert message(400, '{"error": "context length exceeded"}') == snapshot(
        "m at http://model.test/v1: status 400: context length exceeded (send less, or set chat_context_length to what "
        "the model has)"
    )


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no luck", "code": "c"}},
        {"error": "no luck"},
        {"message": "no luck"},
        {"detail": "no luck"},
        {"detail": [{"loc": ["body"], "msg": "no luck"}]},
        {"error": {"error": {"message": "no luck"}}},
        {"object": "error", "message": "no luck", "code": 400},
    ],
)
def test_the_words_of_a_server_are_found_in_any_shape(body: JsonValue) -> None:
    """Gateways and servers wrap their errors in many ways."""
    with pytest.raises(LLMRequestError, match="no luck"):
        client(lambda _: httpx2.Response(400, json=body)).complete(HELLO)


def test_a_deeply_nested_error_is_an_error_like_any_other() -> None:
    """A hostile server cannot crash the client."""
    body = '{"error":' * 500 + '"no luck"' + "}" * 500
    with pytest.raises(LLMRequestError, match="no luck"):
        client(lambda _: httpx2.Response(400, text=body)).complete(HELLO)
    with pytest.raises(MalformedReplyError):
        client(lambda _: httpx2.Response(200, text="[" * 100_000)).complete(HELLO)


@pytest.mark.parametrize("status", [400, 413, 422, 500])
def test_a_request_too_long_tells_the_window(status: int, is_async: bool) -> None:
    """The numbers of the server are there for who fits the conversation again."""
    error = {"message": "too long", "type": "exceed_context_size_error", "n_ctx": 4096, "n_prompt_tokens": 5000}
    with pytest.raises(ContextLengthError) as caught:
        ask(client(lambda _: httpx2.Response(status, json={"error": error})), HELLO, is_async=is_async)
    told = caught.value
    assert (told.status, told.code) == (status, "exceed_context_size_error")
    assert (told.context_length, told.prompt_tokens) == (4096, 5000)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"message": "busy", "code": 429}, RateLimitedError),
        ({"message": "down", "code": 502}, LLMServerError),
        ({"message": "context length exceeded"}, ContextLengthError),
        ({"message": "nobody knows", "code": "x"}, MalformedReplyError),
        ("nobody knows", MalformedReplyError),
    ],
)
def test_an_error_in_the_place_of_a_reply_is_typed_like_a_status(error: JsonValue, kind: type[LLMError]) -> None:
    """Gateways answer 200 and tell in the body what went wrong."""
    with pytest.raises(LLMError) as caught:
        client(lambda _: httpx2.Response(200, json={"error": error})).complete(HELLO)
    assert type(caught.value) is kind


@pytest.mark.parametrize(("told", "seconds"), [("7", 7.0), ("-1", 0.0), ("soon", None), (None, None)])
def test_the_time_to_wait_is_kept(told: str | None, seconds: float | None) -> None:
    """A server may say when it has time again."""
    headers = {} if told is None else {"retry-after": told}
    with pytest.raises(RateLimitedError) as caught:
        client(lambda _: httpx2.Response(429, text="", headers=headers)).complete(HELLO)
    assert caught.value.retry_after == seconds


def test_the_time_to_wait_may_be_a_date() -> None:
    """The header has a second form."""
    headers = {"retry-after": email.utils.format_datetime(datetime.now(UTC) + timedelta(seconds=60))}
    with pytest.raises(RateLimitedError) as caught:
        client(lambda _: httpx2.Response(429, text="", headers=headers)).complete(HELLO)
    assert caught.value.retry_after == pytest.approx(60, abs=5)


def test_half_a_surrogate_pair_is_replaced(
    bodies: list[dict[str, JsonValue]], recording: Callable[[httpx2.Request], httpx2.Response]
) -> None:
    """Models write them, and no server takes them back: the conversation would be stuck."""
    client(recording).complete(ChatRequest(messages=({"role": "user", "content": "a\ud83d!"},)))
    assert bodies[0]["messages"] == [{"role": "user", "content": "a\ufffd!"}]


@pytest.mark.parametrize("value", [{1, 2}, float("nan")])
def test_what_is_no_json_cannot_be_sent(value: object) -> None:
    """It is the user's mistake, and told as such."""
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        client(lambda _: said(), extra_body={"x": value}).complete(HELLO)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [(httpx2.ReadTimeout("late"), LLMTimeoutError), (httpx2.ConnectError("refused"), LLMConnectionError)],
)
def test_a_lost_connection_has_its_own_error(raised: Exception, kind: type[LLMError], is_async: bool) -> None:
    """A timeout is told from a server that is not there."""

    def answer(_request: httpx2.Request) -> httpx2.Response:
        raise raised

    with pytest.raises(kind, match=r"m at http://model\.test/v1"):
        ask(client(answer), HELLO, is_async=is_async)


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>a proxy speaks</html>"),
        httpx2.Response(200, text="{bad", headers={"content-type": "application/json"}),
        httpx2.Response(200, json={"error": {"message": "overloaded"}}),
        httpx2.Response(200, json=[1]),
        httpx2.Response(200, json={"choices": []}),
        httpx2.Response(200, json={"choices": [3]}),
        httpx2.Response(200, json={"choices": {"a": 1}}),
        httpx2.Response(200, json={"choices": [{"message": None}]}),
        httpx2.Response(200, json={}),
    ],
    ids=["html", "broken", "error", "list", "no-choice", "number", "object", "no-message", "empty"],
)
def test_what_is_no_completion_is_an_error(answer: httpx2.Response) -> None:
    """Whatever a server sends, no foreign exception comes out."""
    with pytest.raises(MalformedReplyError, match="the reply"):
        client(lambda _: answer).complete(HELLO)


def test_odd_shapes_of_a_message_are_read() -> None:
    """Content in parts and arguments as an object are shapes that servers really send."""
    reply = client(lambda _: said([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}])).complete(HELLO)
    assert reply.text == "ab"
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
    reply = client(lambda _: said(None, tool_calls=[call])).complete(HELLO)
    assert reply.tool_calls == (RawCall("f", '{"a": 1}', "c"),)


def test_openai_itself_needs_a_key() -> None:
    """Without a key the error names the field and the ways out."""
    with pytest.raises(ConfigError, match="OPENAI_API_KEY") as caught:
        OpenAIConfig(model="m").create_client().complete(HELLO)
    assert caught.value.fields == ("api_key",)


def test_an_own_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own is asked without a key, also if only the environment names it."""
    assert client(lambda _: said()).complete(HELLO).text == "hi"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://elsewhere.test/v1")
    urls: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        urls.append(str(request.url))
        return said()

    client(answer, base_url=None).complete(HELLO)
    assert urls == ["http://elsewhere.test/v1/chat/completions"]


def test_a_key_is_sent_and_never_shown() -> None:
    """The key goes to the server, not into a text that may be logged."""
    keys: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        keys.append(request.headers["authorization"])
        return said()

    one = client(answer, api_key="secret")
    one.complete(HELLO)
    assert keys == ["Bearer secret"]
    assert "secret" not in repr(one.config)


def test_one_client_serves_one_event_loop_after_another() -> None:
    """Connections belong to a loop, so that each loop has its own."""
    one = client(lambda _: said())
    assert [asyncio.run(one.complete_async(HELLO)).text for _ in range(2)] == ["hi", "hi"]


def test_without_the_library_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra is told by its name."""
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"toolmend\[agents\]"):
        client(lambda _: said()).complete(HELLO)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({}, "model"),
        ({"model": ""}, "model"),
        ({"model": "m", "timeout": 0}, "timeout"),
        ({"model": "m", "max_retries": -1}, "max_retries"),
        ({"model": "m", "modle": 1}, "modle"),
    ],
)
def test_a_bad_setting_is_named(settings: dict[str, JsonValue], field: str) -> None:
    """An error of the settings says which field is wrong."""
    with pytest.raises(ConfigError, match=rf"OpenAIConfig\.{field}: ") as caught:
        OpenAIConfig(**settings)
    assert caught.value.fields == (field,)


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not given is read from `TOOLMEND_...`."""
    monkeypatch.setenv("TOOLMEND_MODEL", "from-env")
    monkeypatch.setenv("TOOLMEND_TIMEOUT", "7")
    config = OpenAIConfig()
    assert (config.model, config.timeout) == ("from-env", 7.0)
    assert OpenAIConfig(model="given").model == "given"


@pytest.mark.parametrize("url", ["http://", "http://host:port/v1", "http://host:99999/v1", "http://a b/v1"])
def test_an_address_that_leads_nowhere_is_a_wrong_setting(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told when it is given, or, if the environment gives it, by the first request."""
    with pytest.raises(ConfigError, match=r"OpenAIConfig\.base_url: no usable address"):
        OpenAIConfig(model="m", base_url=url)
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL: no usable address"):
        OpenAIConfig(model="m").create_client().complete(HELLO)


def test_a_key_that_cannot_be_sent_is_a_wrong_setting() -> None:
    """A line break at its end is easily copied with it."""
    with pytest.raises(ConfigError, match=r"OpenAIConfig\.api_key: .*line break") as caught:
        OpenAIConfig(model="m", api_key="secret\n")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["localhost:8000", "/v1", ""])
def test_an_address_without_a_scheme_is_a_wrong_setting(url: str) -> None:
    """It is told when it is given, not by the first request."""
    with pytest.raises(ConfigError, match=r"OpenAIConfig\.base_url: an address starts with http:// or https://, not"):
        OpenAIConfig(model="m", base_url=url)


def event(data: JsonValue) -> str:
    """One event of a stream."""
    return f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def delta(reason: str | None = None, **members: JsonValue) -> str:
    """A chunk."""
    return event({"choices": [{"index": 0, "delta": members, "finish_reason": reason}]})


def sse(*events: str, kind: str = "text/event-stream") -> httpx2.Response:
    """A streamed answer."""
    return httpx2.Response(200, text="".join(events), headers={"content-type": kind})


def again(answer: httpx2.Response) -> Callable[[httpx2.Request], httpx2.Response]:
    """Gives a fresh copy of an answer: each can be read by one kind of client only."""
    kind = {"content-type": answer.headers["content-type"]}
    return lambda _: httpx2.Response(answer.status_code, content=answer.content, headers=kind)


def streamed(one: OpenAIClient, *, is_async: bool) -> list[StreamPart]:
    """All parts of a reply, asked for in one of the two ways."""
    if not is_async:
        return list(one.stream(HELLO))

    async def gather() -> list[StreamPart]:
        return [part async for part in one.stream_async(HELLO)]

    return asyncio.run(gather())


CALL = {"index": 0, "id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a"'}}
REST = {"index": 0, "function": {"arguments": ": 1}"}}
DONE = event("[DONE]")


def test_a_stream_gives_its_chunks_and_then_the_reply(is_async: bool) -> None:
    """The chunks are the server's own; the last part is what `complete` would have given."""
    usage = event({"choices": [], "usage": USAGE})
    answer = sse(delta(content="h"), delta(content="i"), delta(tool_calls=[CALL]), delta(tool_calls=[REST]))
    answer = sse(answer.text, delta("tool_calls"), usage, DONE)
    *chunks, reply = streamed(client(again(answer)), is_async=is_async)
    assert reply == ModelReply("hi", (RawCall("f", '{"a": 1}', "c1"),), "tool_calls", Usage(7, 3))
    assert len(chunks) == 6
    assert chunks[0] == {"choices": [{"index": 0, "delta": {"content": "h"}, "finish_reason": None}]}


def test_a_stream_is_asked_for_with_its_usage(
    bodies: list[dict[str, JsonValue]],
) -> None:
    """Some servers refuse the question for the usage, so that it can be left out."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(json.loads(request.content))
        return sse(delta("stop", content="hi"), DONE)

    for stream_usage in (True, False):
        streamed(client(answer, stream_usage=stream_usage), is_async=False)
    assert [(body["stream"], body.get("stream_options")) for body in bodies] == [
        (True, {"include_usage": True}),
        (True, None),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        sse(delta("stop", content="hi")),
        sse(delta(content="hi"), DONE),
        sse(": comment\n\n", event({"type": "ping"}), delta("stop", content="hi"), DONE, "rubbish"),
        sse(delta("stop", content="hi").strip()),
        said("hi"),
    ],
    ids=["no-done", "no-reason", "other-things", "no-empty-line", "not-streamed"],
)
def test_a_stream_is_whole_if_the_server_says_so_in_any_way(answer: httpx2.Response, is_async: bool) -> None:
    """By a reason, by its last event, or by sending all at once."""
    reply = streamed(client(again(answer)), is_async=is_async)[-1]
    assert isinstance(reply, ModelReply)
    assert reply.text == "hi"


def test_a_stream_that_ends_without_an_end_is_cut(is_async: bool) -> None:
    """A connection may end without an error: half a call must not look like a whole one."""
    answer = sse(delta(content="so"), delta(tool_calls=[{**CALL, "function": {"name": "f", "arguments": "{}"}}]))
    with pytest.raises(CutStreamError, match="ended in the middle") as caught:
        streamed(client(again(answer)), is_async=is_async)
    assert caught.value.partial == ModelReply("so", (RawCall("f", "{}", "c1"),))
    assert caught.value.retryable


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (sse(), MalformedReplyError),
        (sse(DONE), MalformedReplyError),
        (sse(event({"choices": []}), DONE), MalformedReplyError),
        (sse(delta(content="a"), event('{"choices": [{')), MalformedReplyError),
        (sse(event("[1]")), MalformedReplyError),
        (sse("<html>a proxy speaks</html>", kind="text/html"), MalformedReplyError),
        (sse("{bad", kind="application/json"), MalformedReplyError),
        (sse(delta(content="a"), event({"error": {"message": "busy", "code": 429}})), RateLimitedError),
        (sse(event({"error": {"message": "context length exceeded"}})), ContextLengthError),
        (httpx2.Response(500, text="oops"), LLMServerError),
    ],
)
def test_what_goes_wrong_in_a_stream_is_typed(answer: httpx2.Response, kind: type[LLMError], is_async: bool) -> None:
    """Whatever a server sends, no foreign exception comes out."""
    with pytest.raises(kind):
        streamed(client(again(answer)), is_async=is_async)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [(httpx2.ReadTimeout("late"), LLMTimeoutError), (httpx2.ReadError("gone"), CutStreamError)],
)
def test_a_connection_lost_within_a_stream_has_its_own_error(
    raised: Exception, kind: type[LLMError], is_async: bool
) -> None:
    """A timeout is told from a break; both come after a part of the reply."""

    class Breaking(httpx2.SyncByteStream, httpx2.AsyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            yield delta(content="so far").encode()
            raise raised

        async def __aiter__(self) -> AsyncIterator[bytes]:
            for piece in self:
                yield piece

    answer = httpx2.Response(200, stream=Breaking(), headers={"content-type": "text/event-stream"})
    with pytest.raises(kind):
        streamed(client(lambda _: answer), is_async=is_async)


def test_a_stream_that_is_left_closes_its_connection() -> None:
    """Who stops reading need not read to the end."""
    answer = sse(delta(content="a"), delta(content="b"), delta("stop"), DONE)
    parts = client(lambda _: answer).stream(HELLO)
    next(parts)
    parts.close()  # type: ignore[attr-defined]  # it is a generator
    assert answer.is_closed
