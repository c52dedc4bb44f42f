from __future__ import annotations

import asyncio
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import httpx2
import pytest
from openai import APIError, AsyncOpenAI, AzureOpenAI, OpenAI
from openai.types.chat import ChatCompletion

from toolmend.repairs.rules.declared import RenameKey
from toolmend.toolkit import ParseResult, ToolMessage, ToolRegistry, ToolUsageError
from toolmend.toolkit.integrations.openai import mend_completion, mend_openai, result_of

Json: TypeAlias = dict[str, Any]
Client: TypeAlias = Any
"""A client of the library: its calls are written here as programs without types write them."""

ROOT: Final = pathlib.Path(__file__).parents[3]
CASES: Final = [
    json.loads(line)
    for line in (ROOT / "tests" / "cases" / "parse_arguments.jsonl").read_text(encoding="utf-8").splitlines()
]
ASKED: Final[Json] = {"model": "m", "messages": [{"role": "user", "content": "type my name"}]}
VALID: Final = '{"selector":"#name",  "text":"Ann"}'
BROKEN: Final = "{'element': '#name', 'text': 'Ann',}"
HOPELESS: Final = '{"selector": 7'


class Fill(ToolMessage, name="fill", repairs=[RenameKey("element", to="selector")]):
    """Type text into a field of the page."""

    selector: str
    text: str

    def handle(self) -> str:
        return f"{self.text} in {self.selector}"


REGISTRY: Final = ToolRegistry([Fill])


def a_call(arguments: str | Json | None, name: str = "fill", call_id: str | None = "c1") -> Json:
    """A call in a message."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def whole(*calls: Json, finish_reason: str | None = "tool_calls", **message: object) -> Json:
    """The body of a reply in one piece."""
    said = {"role": "assistant", "content": None, "tool_calls": list(calls), **message}
    choice = {"index": 0, "finish_reason": finish_reason, "message": said, "logprobs": None}
    return {"id": "r", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def streamed(body: Json, size: int = 5) -> list[Json]:
    """The same reply in chunks: its text, then its calls, each in fragments, then why it ended."""
    deltas = []
    for choice in body["choices"]:
        message, index = choice["message"], choice["index"]
        text = message["content"] or ""
        deltas += [(index, {"content": text[at : at + size]}, None) for at in range(0, len(text), size)]
        for number, call in enumerate(message["tool_calls"]):
            [(kind, held)] = [(key, value) for key, value in call.items() if isinstance(value, dict)]
            key = "input" if kind == "custom" else "arguments"
            begin = {"index": number, "id": call["id"], "type": call["type"], kind: {**held, key: ""}}
            parts = [held[key][at : at + size] for at in range(0, len(held[key]), size)]
            fragments = [begin, *({"index": number, kind: {key: part}} for part in parts)]
            deltas += [(index, {"tool_calls": [fragment]}, None) for fragment in fragments]
        deltas.append((index, {}, choice["finish_reason"]))
    return [in_chunk({"index": index, "delta": delta, "finish_reason": end}) for index, delta, end in deltas]


def in_chunk(*choices: Json) -> Json:
    """A chunk."""
    return {"id": "r", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": list(choices)}


def events(chunks: list[Json]) -> bytes:
    """Chunks as a server sends them."""
    return (
        "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in [*chunks, "[DONE]"])
        .replace('"[DONE]"', "[DONE]")
        .encode()
    )


def answering(body: Json) -> Callable[[httpx2.Request], httpx2.Response]:
    """A server that always gives one reply, in chunks if it is asked for them."""

    def answer(request: httpx2.Request) -> httpx2.Response:
        if json.loads(request.content or b"{}").get("stream"):
            return httpx2.Response(200, content=events(streamed(body)), headers={"content-type": "text/event-stream"})
        return httpx2.Response(200, json=body)

    return answer


def client_of(answer: Callable[[httpx2.Request], httpx2.Response]) -> Client:
    """A client whose requests go to a function."""
    transport = httpx2.MockTransport(answer)
    return OpenAI(api_key="k", base_url="http://model.test/v1", http_client=httpx2.Client(transport=transport))


def async_client_of(answer: Callable[[httpx2.Request], httpx2.Response]) -> Client:
    """The same, asynchronous."""
    transport = httpx2.MockTransport(answer)
    return AsyncOpenAI(
        api_key="k", base_url="http://model.test/v1", http_client=httpx2.AsyncClient(transport=transport)
    )


def gathered(chunks: list[Any]) -> list[Json]:
    """The calls that chunks add up to, put together by their indexes as programs do."""
    calls: dict[int, Json] = {}
    for chunk in chunks:
        for fragment in chunk.choices[0].delta.tool_calls or ():
            call = calls.setdefault(fragment.index, {"id": None, "name": "", "arguments": ""})
            call["id"] = fragment.id or call["id"]
            held = fragment.function
            if held is not None:
                call["name"] += held.name or ""
                call["arguments"] += held.arguments or ""
    return [calls[index] for index in sorted(calls)]


Asking: TypeAlias = Callable[..., tuple[list[Json], ParseResult]]


def ask(body: Json, registry: ToolRegistry | None = REGISTRY, **request: object) -> tuple[list[Json], ParseResult]:
    """Ask for a whole reply."""
    reply = mend_openai(client_of(answering(body)), registry).chat.completions.create(**ASKED, **request)
    return calls_in(reply), result_of(reply)


def ask_async(
    body: Json, registry: ToolRegistry | None = REGISTRY, **request: object
) -> tuple[list[Json], ParseResult]:
    """Ask for a whole reply asynchronously."""

    async def asking() -> ChatCompletion:
        async with mend_openai(async_client_of(answering(body)), registry) as client:
            reply: ChatCompletion = await client.chat.completions.create(**ASKED, **request)
            return reply

    reply = asyncio.run(asking())
    return calls_in(reply), result_of(reply)


def ask_stream(
    body: Json, registry: ToolRegistry | None = REGISTRY, **request: object
) -> tuple[list[Json], ParseResult]:
    """Ask for a reply in chunks."""
    stream = mend_openai(client_of(answering(body)), registry).chat.completions.create(**ASKED, **request, stream=True)
    return gathered(list(stream)), result_of(stream)


def ask_stream_async(
    body: Json, registry: ToolRegistry | None = REGISTRY, **request: object
) -> tuple[list[Json], ParseResult]:
    """Ask for a reply in chunks asynchronously."""

    async def asking() -> tuple[list[Json], ParseResult]:
        async with mend_openai(async_client_of(answering(body)), registry) as client:
            stream = await client.chat.completions.create(**ASKED, **request, stream=True)
            return gathered([chunk async for chunk in stream]), result_of(stream)

    return asyncio.run(asking())


def calls_in(reply: ChatCompletion) -> list[Json]:
    """The calls of a whole reply."""
    found: list[Any] = list(reply.choices[0].message.tool_calls or ())
    return [{"id": call.id, "name": call.function.name, "arguments": call.function.arguments} for call in found]


WAYS: Final[dict[str, Asking]] = {
    "whole": ask,
    "async": ask_async,
    "stream": ask_stream,
    "async stream": ask_stream_async,
}


@pytest.fixture(params=list(WAYS.values()), ids=list(WAYS))
def way(request: pytest.FixtureRequest) -> Asking:
    """Each way of asking; none may differ in its calls."""
    found: Asking = request.param
    return found


# ------------------------------------------------------------------ calls


def test_a_malformed_call_reaches_its_handler_with_the_right_values(way: Asking) -> None:
    """The reply holds strict JSON, the handler runs, and each repair is on record."""
    calls, result = way(whole(a_call(BROKEN)))
    assert [(call["id"], call["name"], json.loads(call["arguments"])) for call in calls] == [
        ("c1", "fill", {"selector": "#name", "text": "Ann"})
    ]
    assert [one.text for one in REGISTRY.dispatch(result)] == ["Ann in #name"]
    assert {repair.rule for repair in result.calls[0].repairs} == {"quote-style", "extra-comma", "rename-key"}


def test_a_valid_call_is_left_to_the_letter(way: Asking) -> None:
    """Its odd blanks stay, and nothing is on record."""
    calls, result = way(whole(a_call(VALID)))
    assert calls == [{"id": "c1", "name": "fill", "arguments": VALID}]
    assert result.calls[0].repairs == ()


def test_what_cannot_be_mended_is_left_and_told(way: Asking) -> None:
    """The model's text stays in the reply; the error, under the id of the call, is a text for the model."""
    calls, result = way(whole(a_call(VALID), a_call(HOPELESS, call_id="c2"), a_call(BROKEN, call_id="c3")))
    assert [call["arguments"] for call in calls[:2]] == [VALID, HOPELESS]
    assert json.loads(calls[2]["arguments"])["selector"] == "#name"
    [error] = result.errors
    assert (error.id, error.tool, error.raw) == ("c2", "fill", HOPELESS)
    assert error.message.startswith("The call of 'fill' was not run")


def test_why_the_model_stopped_counts(way: Asking) -> None:
    """A call that was cut off by the limit of tokens is never closed."""
    calls, result = way(whole(a_call('{"selector": "#name", "text": "An'), finish_reason="length"))
    assert calls[0]["arguments"] == '{"selector": "#name", "text": "An'
    assert [error.kind for error in result.errors] == ["cut_off"]


def test_a_call_that_holds_others_becomes_those(way: Asking) -> None:
    """They stand in its place, counted through, each with an id; a faulty one is left as it was written."""
    uses = [
        {"recipient_name": "functions.fill", "parameters": {"element": "#a", "text": "x"}},
        {"recipient_name": "functions.fill", "parameters": {"selector": "#b"}},
    ]
    text = json.dumps({"tool_uses": uses})
    calls, result = way(whole(a_call(text, "multi_tool_use.parallel"), a_call(VALID, call_id="c9")))
    assert [(call["id"], call["name"]) for call in calls] == [
        ("c1", "fill"),
        ("c1_2", "multi_tool_use.parallel"),
        ("c9", "fill"),
    ]
    assert json.loads(calls[0]["arguments"]) == {"selector": "#a", "text": "x"}
    assert (calls[1]["arguments"], calls[2]["arguments"]) == (text, VALID)
    assert [item.id for item in result.items] == [call["id"] for call in calls]


def test_each_call_can_be_answered_by_its_id() -> None:
    """Ids that are given twice, or not at all, are made good in the reply as in the record."""
    for asking in (ask, ask_async):
        calls, result = asking(whole(a_call(VALID), a_call(VALID), a_call(VALID, call_id=None)))
        assert [call["id"] for call in calls] == ["c1", "c1_2", "call_3"]
        assert [call.id for call in result.calls] == ["c1", "c1_2", "call_3"]


def test_arguments_that_a_server_parsed_are_text_again() -> None:
    """An object where the text should be is written as text, and mended."""
    calls, result = ask(whole(a_call({"element": "#name", "text": "Ann"})))
    assert json.loads(calls[0]["arguments"]) == {"selector": "#name", "text": "Ann"}
    assert result.calls[0].message == Fill(selector="#name", text="Ann")


def test_letters_stay_readable(way: Asking) -> None:
    """What is written again is not escaped, so that it costs no more tokens than before."""
    calls, _ = way(whole(a_call("{'selector': '#ä', 'text': '名前'}")))
    assert calls[0]["arguments"] == '{"selector": "#ä", "text": "名前"}'


def test_a_legacy_function_call_is_mended() -> None:
    """The older field is mended like the newer one, whole and in chunks."""
    legacy = {"name": "functions.fill", "arguments": BROKEN}
    client = mend_openai(client_of(answering(whole(function_call=legacy, finish_reason="function_call"))), REGISTRY)
    reply = client.chat.completions.create(**ASKED)
    held = reply.choices[0].message.function_call
    assert (held.name, json.loads(held.arguments)) == ("fill", {"selector": "#name", "text": "Ann"})

    parts = [{"name": "fill", "arguments": BROKEN[:9]}, {"arguments": BROKEN[9:]}]
    chunks = [in_chunk({"index": 0, "delta": {"function_call": part}, "finish_reason": None}) for part in parts]
    client = mend_openai(client_of(lambda _: httpx2.Response(200, content=events(chunks))), REGISTRY)
    deltas = [chunk.choices[0].delta for chunk in client.chat.completions.create(**ASKED, stream=True)]
    assert json.loads(deltas[0].function_call.arguments) == {"selector": "#name", "text": "Ann"}
    assert deltas[1].function_call is None


def test_custom_tools_are_left_alone(way: Asking) -> None:
    """Their input is any text: none of ours to read, and no error."""
    custom = {"id": "x", "type": "custom", "custom": {"name": "shell", "input": "{'a': 1,}"}}
    client = mend_openai(client_of(answering(whole(custom, a_call(BROKEN)))), REGISTRY)
    reply = client.chat.completions.create(**ASKED)
    assert reply.choices[0].message.tool_calls[0].model_dump() == custom
    assert [call.name for call in result_of(reply).calls] == ["fill"]
    stream = client.chat.completions.create(**ASKED, stream=True)
    assert json.loads(gathered(list(stream))[1]["arguments"]) == {"selector": "#name", "text": "Ann"}
    assert [call.name for call in result_of(stream).calls] == ["fill"]


def test_each_choice_is_mended() -> None:
    """With several of them each has its own calls and its own record, whole and in chunks."""
    body = whole(a_call(VALID))
    body["choices"] += [{**whole(a_call(BROKEN))["choices"][0], "index": 1}]
    client = mend_openai(client_of(answering(body)), REGISTRY)
    reply = client.chat.completions.create(**ASKED, n=2)
    assert json.loads(reply.choices[1].message.tool_calls[0].function.arguments)["selector"] == "#name"
    stream = client.chat.completions.create(**ASKED, n=2, stream=True)
    assert len(list(stream)) > 2
    for read in (reply, stream):
        assert [bool(result_of(read, choice).calls[0].repairs) for choice in (0, 1)] == [False, True]
    with pytest.raises(ToolUsageError, match="has 2 choices, there is no choice 2"):
        result_of(reply, 2)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_verdicts_are_those_of_parse_call(case: Json) -> None:
    """For whatever models write, by the schemas of the request alone, whole and in chunks."""
    registry = ToolRegistry()
    for tool in case["tools"]:
        registry.add_schema(tool["name"], tool["description"], tool["parameters"])
    reason = case.get("finish_reason")
    expected = registry.parse_call(case["tool"], case["raw"], id="c1", finish_reason=reason)
    body = whole(a_call(case["raw"], case["tool"]), finish_reason=reason)
    for asking in (ask, ask_stream):
        calls, result = asking(body, None, tools=registry.openai_tools())
        assert result.items == expected.items
        if result.errors:
            assert calls[0] == {"id": "c1", "name": case["tool"], "arguments": case["raw"]}
        else:
            assert [json.loads(call["arguments"]) for call in calls] == [call.arguments for call in expected.calls]


# ------------------------------------------------------------------ the tools of a request


def test_tools_of_the_request_need_no_registry(way: Asking) -> None:
    """Their schemas are all that is known, as tools or as functions, even if they can be read only once."""
    for request in ({"tools": REGISTRY.openai_tools()}, {"functions": REGISTRY.openai_functions()}):
        calls, _ = way(whole(a_call("{'selector': '#name', 'text': 'Ann',}")), None, **request)
        assert json.loads(calls[0]["arguments"]) == {"selector": "#name", "text": "Ann"}
    seen: list[Json] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(request.content))
        return httpx2.Response(200, json=whole(a_call("{'selector': '#name', 'text': 'Ann',}")))

    reply = mend_openai(client_of(answer)).chat.completions.create(**ASKED, tools=iter(REGISTRY.openai_tools()))
    assert seen[0]["tools"] == REGISTRY.openai_tools()
    assert result_of(reply).calls


def test_the_registry_comes_before_the_tools_of_the_request() -> None:
    """A tool that both hold keeps its rules; one that only the request holds is read beside it."""
    other = {"name": "wait", "parameters": {"type": "object", "properties": {"seconds": {"type": "integer"}}}}
    tools = [*REGISTRY.openai_tools(), {"type": "function", "function": other}]
    calls, result = ask(whole(a_call(BROKEN), a_call('{"seconds": "5"}', "wait", "c2")), tools=tools)
    assert json.loads(calls[1]["arguments"]) == {"seconds": 5}
    assert [type(call.message) for call in result.calls] == [Fill, dict]
    assert list(REGISTRY.specs) == ["fill"]


def test_a_tool_that_nobody_declared_is_told() -> None:
    """Its call stays in the reply, with an error beside it that lists the tools."""
    calls, result = ask(whole(a_call("{}", "fly")))
    assert calls == [{"id": "c1", "name": "fly", "arguments": "{}"}]
    assert [error.kind for error in result.errors] == ["unknown_tool"]


# ------------------------------------------------------------------ streams


def test_text_is_handed_on_as_it_comes() -> None:
    """Only what follows the beginning of a call waits for its end."""
    body = whole(a_call(BROKEN), content="I fill it in.")
    client = mend_openai(client_of(answering(body)), REGISTRY)
    stream = client.chat.completions.create(**ASKED, stream=True)
    assert [next(stream).choices[0].delta.content for _ in range(3)] == ["I fil", "l it ", "in."]
    with pytest.raises(ToolUsageError, match="not read to its end"):
        result_of(stream)
    assert gathered(list(stream))[0]["name"] == "fill"
    assert result_of(stream).text == "I fill it in."


def test_the_chunks_of_a_valid_reply_are_those_of_the_server() -> None:
    """Each of them, in order, even those that were held; and the stream is one of the library's own class."""
    client = client_of(answering(whole(a_call(VALID), content="So:")))
    plain = list(client.chat.completions.create(**ASKED, stream=True))
    with mend_openai(client, REGISTRY).chat.completions.create(**ASKED, stream=True) as stream:
        assert isinstance(stream, type(client.chat.completions.create(**ASKED, stream=True)))
        assert list(stream) == plain
        assert stream.response.status_code == 200
    assert stream.response.is_closed


@pytest.mark.parametrize("is_async", [False, True])
def test_a_reply_that_breaks_off_is_handed_on_as_it_came(*, is_async: bool) -> None:
    """What was held is not lost, nothing is mended, and the error of the library is raised."""
    chunks: list[Any] = [*streamed(whole(a_call(BROKEN)))[:3], {"error": {"message": "overloaded"}}]

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, content=events(chunks))

    got: list[Any] = []

    async def read_async() -> None:
        client = mend_openai(async_client_of(answer), REGISTRY)
        async for chunk in await client.chat.completions.create(**ASKED, stream=True):
            got.append(chunk)  # noqa: PERF401 - what came before the error counts

    def read() -> None:
        for chunk in mend_openai(client_of(answer), REGISTRY).chat.completions.create(**ASKED, stream=True):
            got.append(chunk)  # noqa: PERF402 - what came before the error counts

    with pytest.raises(APIError, match="overloaded"):
        asyncio.run(read_async()) if is_async else read()
    assert gathered(got) == [{"id": "c1", "name": "fill", "arguments": BROKEN[:10]}]


def test_the_stream_helper_of_the_library_sees_mended_calls() -> None:
    """`chat.completions.stream` asks through `create`; its record goes to `on_result`."""
    told: list[ParseResult] = []
    client = mend_openai(client_of(answering(whole(a_call(BROKEN)))), REGISTRY, on_result=told.append)
    with client.chat.completions.stream(**ASKED) as stream:
        [call] = stream.get_final_completion().choices[0].message.tool_calls
    assert json.loads(call.function.arguments) == {"selector": "#name", "text": "Ann"}
    assert [[call.name for call in result.calls] for result in told] == [["fill"]]


# ------------------------------------------------------------------ the client


def test_on_result_is_told_of_replies_with_calls_only(way: Asking) -> None:
    """A reply of words alone has nothing to tell; one with a call is told once."""
    told: list[ParseResult] = []
    client = mend_openai(client_of(answering(whole(content="Hello."))), REGISTRY, on_result=told.append)
    assert result_of(client.chat.completions.create(**ASKED)).text == "Hello."
    assert told == []
    client = mend_openai(client_of(answering(whole(a_call(HOPELESS)))), REGISTRY, on_result=told.append)
    client.chat.completions.create(**ASKED)
    assert [len(result.errors) for result in told] == [1]


def test_a_valid_reply_is_equal_to_that_of_the_client_itself() -> None:
    """The record beside it is in neither its fields nor its dump."""
    client = client_of(answering(whole(a_call(VALID), content="So:")))
    plain, mended = (one.chat.completions.create(**ASKED) for one in (client, mend_openai(client, REGISTRY)))
    assert mended == plain
    assert type(mended) is type(plain)
    assert mended.model_dump_json() == plain.model_dump_json()


def test_all_else_is_that_of_the_client() -> None:
    """Its class, its settings, its other resources; and the client given is not changed."""
    client = client_of(answering(whole(a_call(BROKEN))))
    mended = mend_openai(client, REGISTRY)
    assert type(mended) is OpenAI
    assert (mended.base_url, mended.api_key, mended.timeout) == (client.base_url, client.api_key, client.timeout)
    assert type(mended.models) is type(client.models)
    assert type(mended.chat.completions) is type(client.chat.completions)
    assert mended.chat.completions.create.__doc__ == client.chat.completions.create.__doc__
    assert calls_in(client.chat.completions.create(**ASKED))[0]["arguments"] == BROKEN
    assert {model.id for model in mend_openai(client_of(_models)).models.list()} == {"m"}


def _models(request: httpx2.Request) -> httpx2.Response:
    assert request.url.path == "/v1/models"
    return httpx2.Response(200, json={"object": "list", "data": [{"id": "m", "object": "model"}]})


def test_a_client_with_other_options_mends_too() -> None:
    """So does one made of that."""
    mended = mend_openai(client_of(answering(whole(a_call(BROKEN)))), REGISTRY)
    other = mended.with_options(timeout=5).copy(max_retries=0)
    assert (other.timeout, other.max_retries) == (5, 0)
    assert result_of(other.chat.completions.create(**ASKED)).calls


def test_a_subclass_of_the_client_is_kept() -> None:
    """Clients of other hosts are mended as they are."""
    transport = httpx2.MockTransport(answering(whole(a_call(BROKEN))))
    azure = AzureOpenAI(
        api_key="k",
        api_version="v",
        azure_endpoint="http://model.test",
        http_client=httpx2.Client(transport=transport),
    )
    mended = mend_openai(azure, REGISTRY)
    assert type(mended) is AzureOpenAI
    assert result_of(mended.chat.completions.create(**ASKED)).calls


def test_a_client_that_is_mended_twice_keeps_its_record() -> None:
    """What is given last is what counts, and the repairs are not lost to a second reading."""
    mended = mend_openai(mend_openai(client_of(answering(whole(a_call(BROKEN))))), REGISTRY)
    assert result_of(mended.chat.completions.create(**ASKED)).calls[0].repairs


@pytest.mark.parametrize("choices", [None, [], [{"index": 0, "finish_reason": "stop", "message": None}]])
def test_what_a_server_leaves_out_is_handed_on(choices: list[Json] | None) -> None:
    """A reply without a message is the program's to judge, as it was."""
    client = client_of(answering({**whole(), "choices": choices}))
    plain, mended = (one.chat.completions.create(**ASKED) for one in (client, mend_openai(client, REGISTRY)))
    assert mended == plain


def test_raw_responses_are_what_the_server_sent() -> None:
    """They can be mended by hand, and stay as they are then."""
    mended = mend_openai(client_of(answering(whole(a_call(BROKEN)))), REGISTRY)
    for client in (mended, mended.with_raw_response):
        completions = client.chat.completions.with_raw_response if client is mended else client.chat.completions
        raw = completions.create(**ASKED).parse()
        assert calls_in(raw)[0]["arguments"] == BROKEN
        reply = mend_completion(raw, REGISTRY)
        assert json.loads(calls_in(reply)[0]["arguments"]) == {"selector": "#name", "text": "Ann"}
        assert calls_in(raw)[0]["arguments"] == BROKEN
        assert result_of(reply).calls[0].repairs


def test_mending_by_hand_leaves_no_trace_on_what_was_given() -> None:
    """A valid completion comes back equal, as another object with a record of its own."""
    plain = ChatCompletion.model_validate(whole(a_call(VALID)))
    assert mend_completion(plain, REGISTRY) == plain
    with pytest.raises(ToolUsageError, match="no reply of a mended client"):
        result_of(plain)


def test_wrong_arguments_are_told_by_name() -> None:
    """What is no client, registry or completion is refused at once."""
    client = client_of(answering(whole()))
    wrong: Any = "x"
    for given, told in (
        (lambda: mend_openai(wrong), "a client of the openai package is needed"),
        (lambda: mend_openai(client, wrong), "the tools must be a ToolRegistry"),
        (lambda: mend_completion(wrong, REGISTRY), "a ChatCompletion of the openai package is needed"),
    ):
        with pytest.raises(ToolUsageError, match=told):
            given()


def test_the_missing_package_is_named_with_its_extra() -> None:
    """Without it the module cannot be imported, and the error says how to install it."""
    code = "import sys; sys.modules['openai'] = None; import toolmend.toolkit.integrations.openai"
    run = subprocess.run([sys.executable, "-P", "-c", code], check=False, capture_output=True, text=True)
    assert "MissingExtraError: openai is not installed: pip install 'toolmend[openai]'" in run.stderr


def test_the_page_runs_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block of it, with a double in the place of the server."""
    client = client_of(answering(whole(a_call(BROKEN))))
    monkeypatch.setattr("openai.OpenAI", lambda: client)
    names: Json = {"Fill": Fill, "messages": ASKED["messages"]}
    page = (ROOT / "docs" / "integrations" / "openai.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 2
    for block in blocks:
        names["results"] = ()
        exec(block, names)
        assert [result.text for result in names["results"]] == ["Ann in #name"]


def test_types_are_those_of_the_client() -> None:
    """A type checker sees the client's own class, hence its methods: what is assigned here is checked."""
    sync: OpenAI = mend_openai(OpenAI(api_key="k"))
    asynchronous: AsyncOpenAI = mend_openai(AsyncOpenAI(api_key="k"), REGISTRY)
    assert (type(sync), type(asynchronous)) == (OpenAI, AsyncOpenAI)
