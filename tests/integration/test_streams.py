"""Streamed replies over HTTP, whole and broken, read while they come."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from painting import Paint
from strict_server import Answer, Broken, Late, Raw, Says, Status, StrictServer, call

from toolmend.agents.clients.base import ChatRequest, Chunk
from toolmend.agents.clients.openai import OpenAIConfig
from toolmend.agents.clients.responses import ResponsesConfig
from toolmend.agents.errors import (
    CutStreamError,
    LLMConnectionError,
    LLMError,
    LLMServerError,
    LLMTimeoutError,
    MalformedReplyError,
    RateLimitedError,
)
from toolmend.toolkit import ToolRegistry
from toolmend.toolkit.streaming.events import CallCompleted, TextDelta
from toolmend.toolkit.wire import ModelReply

PAINTS = Says("I paint.", calls=(call("{'color': 'RED'}"), call('{"color": "green"}', "call_2")))
EVENT = b'data: {"choices": [{"index": 0, "delta": {"con\n\n'
BUSY = b'data: {"error": {"message": "busy", "code": 429}}\n\n'


def stream(
    server: StrictServer,
    *,
    is_async: bool,
    timeout: float = 20,
    config: type[OpenAIConfig | ResponsesConfig] = OpenAIConfig,
) -> tuple[list[Chunk], ModelReply]:
    """Ask in one of the two ways; gives the chunks, and the reply that comes last."""
    client: Any = config(model="m", base_url=server.base_url, max_retries=0, timeout=timeout).create_client()
    tools = tuple(ToolRegistry([Paint]).openai_tools())
    request = ChatRequest(messages=({"role": "user", "content": "Paint."},), tools=tools)

    async def gather() -> list[Chunk | ModelReply]:
        try:
            return [part async for part in client.stream_async(request)]
        finally:
            await client.close_async()

    *chunks, reply = asyncio.run(gather()) if is_async else list(client.stream(request))
    assert isinstance(reply, ModelReply)
    return [chunk for chunk in chunks if not isinstance(chunk, ModelReply)], reply


def test_a_reply_is_read_while_it_comes(server: StrictServer, is_async: bool) -> None:
    """The chunks feed the toolkit's stream, whose calls are those of the whole reply."""
    server.answers = [PAINTS]
    chunks, reply = stream(server, is_async=is_async)
    registry = ToolRegistry([Paint])
    events = list(registry.stream().events(chunks))
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "I paint."
    calls = [event.call for event in events if isinstance(event, CallCompleted)]
    assert [one.arguments for one in calls] == [{"color": "red"}, {"color": "green"}]
    assert registry.parse_reply(reply).calls == tuple(calls)
    assert reply.usage is not None
    assert server.refusals == []


FAULTS: dict[str, tuple[Answer, type[LLMError]]] = {
    "hangs up at once": (Broken(), LLMConnectionError),
    "hangs up after the header": (Broken(PAINTS, parts=0), LLMConnectionError),
    "hangs up in the text": (Broken(PAINTS, parts=2), CutStreamError),
    "hangs up in a call": (Broken(PAINTS, parts=5), CutStreamError),
    "ends early without a word": (Broken(PAINTS, parts=6, hangs_up=False), CutStreamError),
    "ends before it began": (Broken(PAINTS, parts=0, hangs_up=False), MalformedReplyError),
    "sends half an event": (Broken(PAINTS, parts=3, ending=b'data: {"choi'), CutStreamError),
    "sends garbage": (Broken(PAINTS, parts=3, ending=EVENT, hangs_up=False), MalformedReplyError),
    "tells an error in the middle": (Broken(PAINTS, parts=3, ending=BUSY, hangs_up=False), RateLimitedError),
    "comes late": (Late(3), LLMTimeoutError),
    "fails": (Status(500), LLMServerError),
    "sends a page": (Raw(b"<html>a proxy speaks</html>", "text/html"), MalformedReplyError),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_stream_has_an_error_of_its_own(server: StrictServer, fault: str, is_async: bool) -> None:
    """No foreign exception comes out, and no half of a reply as if it were whole."""
    answer, kind = FAULTS[fault]
    server.answers = [answer]
    with pytest.raises(LLMError) as caught:
        stream(server, is_async=is_async, timeout=0.6 if isinstance(answer, Late) else 20)
    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("plan", "kind"),
    [
        (Broken(PAINTS, parts=4), CutStreamError),
        (Broken(PAINTS, parts=4, hangs_up=False), CutStreamError),
        (Broken(PAINTS, parts=4, ending=EVENT, hangs_up=False), MalformedReplyError),
        (Status(429), RateLimitedError),
    ],
)
def test_the_responses_api_breaks_in_the_same_ways(
    server: StrictServer, plan: Answer, kind: type[LLMError], is_async: bool
) -> None:
    """Its streams have other events and the same errors; whole, they give the same calls."""
    server.answers = [PAINTS, plan]
    _, reply = stream(server, is_async=is_async, config=ResponsesConfig)
    assert [one.arguments for one in reply.tool_calls] == ["{'color': 'RED'}", '{"color": "green"}']
    with pytest.raises(LLMError) as caught:
        stream(server, is_async=is_async, config=ResponsesConfig)
    assert type(caught.value) is kind


def test_a_server_that_cannot_stream_answers_all_the_same(server: StrictServer, is_async: bool) -> None:
    """It sends the whole reply, which is then the only chunk."""
    server.answers = [Raw(b'{"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]}')]
    chunks, reply = stream(server, is_async=is_async)
    assert (len(chunks), reply.text) == (1, "hi")
