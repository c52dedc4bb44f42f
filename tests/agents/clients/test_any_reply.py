"""Whatever a server sends, there is a reply or an error of ours."""

from __future__ import annotations

import json
from typing import Any

import httpx2
from hypothesis import given, settings
from hypothesis import strategies as st

from toolmend.agents.clients.base import ChatRequest
from toolmend.agents.clients.openai import OpenAIConfig
from toolmend.agents.clients.responses import ResponsesConfig
from toolmend.agents.errors import LLMError
from toolmend.repairs.record import JsonValue
from toolmend.toolkit.wire import ModelReply

HELLO = ChatRequest(messages=({"role": "user", "content": "hello"},))
KEYS = st.sampled_from(
    [
        *(
            "choices",
            "message",
            "delta",
            "content",
            "role",
            "tool_calls",
            "function_call",
            "function",
            "name",
            "arguments",
        ),
        *(
            "id",
            "index",
            "finish_reason",
            "usage",
            "prompt_tokens",
            "error",
            "code",
            "type",
            "text",
            "output",
            "status",
        ),
        *("response", "item", "output_index", "call_id", "object", "incomplete_details", "reason", "refusal"),
    ]
)
SCALARS = st.sampled_from(
    [
        *(None, True, 0, 1, 429, -1, 1.5, "", "x", "{}", "stop", "function", "function_call", "message", "completed"),
        *("response", "response.completed", "response.output_item.added", "response.output_text.delta", "error"),
        *("response.function_call_arguments.delta", "context_length_exceeded", "output_text", "length", "\ud800"),
    ]
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
CHOICES = st.fixed_dictionaries({"choices": st.lists(st.fixed_dictionaries({"message": VALUES, "delta": VALUES}))})
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5) | CHOICES | VALUES


def asked(config: type[OpenAIConfig | ResponsesConfig], answer: httpx2.Response, *, stream: bool) -> None:
    """Ask once; anything but a reply and our errors comes out."""
    http = httpx2.Client(transport=httpx2.MockTransport(lambda _: answer))
    client: Any = config(model="m", base_url="http://model.test/v1", max_retries=0, http_client=http).create_client()
    try:
        reply = list(client.stream(HELLO))[-1] if stream else client.complete(HELLO)
    except LLMError:
        return
    assert isinstance(reply, ModelReply)
    assert {type(text) for call in reply.tool_calls for text in (reply.text, call.name, call.arguments)} <= {str}


@settings(max_examples=150, deadline=None)
@given(
    OBJECTS, st.sampled_from([200, 200, 400, 429, 500]), st.booleans(), st.sampled_from([OpenAIConfig, ResponsesConfig])
)
def test_any_json_is_a_reply_or_an_error(
    data: JsonValue, status: int, stream: bool, config: type[OpenAIConfig | ResponsesConfig]
) -> None:
    """Members of any type in any place, as a reply or with an error status."""
    asked(
        config,
        httpx2.Response(status, content=json.dumps(data), headers={"content-type": "application/json"}),
        stream=stream,
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(OBJECTS, max_size=5), st.booleans(), st.sampled_from([OpenAIConfig, ResponsesConfig]))
def test_any_events_are_a_reply_or_an_error(
    events: list[JsonValue], done: bool, config: type[OpenAIConfig | ResponsesConfig]
) -> None:
    """A stream of anything, ended or not."""
    lines = [*(json.dumps(event) for event in events), *(["[DONE]"] if done else [])]
    text = "".join(f"data: {line}\n\n" for line in lines)
    asked(config, httpx2.Response(200, text=text, headers={"content-type": "text/event-stream"}), stream=True)


@settings(max_examples=60, deadline=None)
@given(st.binary(), st.sampled_from(["application/json", "text/event-stream", "text/html"]), st.booleans())
def test_any_bytes_are_an_error(body: bytes, kind: str, stream: bool) -> None:
    """Not even text."""
    asked(OpenAIConfig, httpx2.Response(200, content=body, headers={"content-type": kind}), stream=stream)
