"""The whole chain over HTTP: agent, openai client, and a server on loopback as strict as the API."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Literal

import pytest

from toolmend.agents import ChatAgent, ChatAgentConfig, OpenAIConfig, Task
from toolmend.agents.errors import (
    LLMConnectionError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
    MalformedReplyError,
    RateLimitedError,
)
from toolmend.toolkit import ToolMessage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolmend.agents.config import ToolModeName
    from toolmend.agents.task import TaskResult
    from toolmend.repairs.record import JsonValue


class Paint(ToolMessage, name="paint"):
    """Paint something."""

    color: Literal["red", "green"]
    layers: int = 1

    def handle(self) -> str:
        return f"painted {self.color}"


@dataclass
class Answer:
    """What the server does with one request: a message of the model, or a fault of the line."""

    message: dict[str, JsonValue] = field(default_factory=dict)
    status: int = 200
    body: bytes | None = None
    delay: float = 0
    drop: bool = False


def complaint(messages: list[dict[str, JsonValue]]) -> str | None:
    """What the API finds wrong with a history; None if it takes it."""
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
            waiting.discard(message["tool_call_id"])
        elif waiting:
            return "an assistant message with 'tool_calls' must be followed by tool messages"
        calls = message.get("tool_calls", [])
        ids = [call["id"] for call in calls]
        if len(set(ids)) != len(ids):
            return "duplicate ids"
        for call in calls:
            try:
                json.loads(call["function"]["arguments"])
            except ValueError:
                return "arguments are no JSON"
        waiting |= set(ids)
        if not calls and "function_call" not in message and not isinstance(message["content"], str):
            return "content must be a string"
    return "unanswered calls" if waiting else None


class StrictServer(ThreadingHTTPServer):
    """Gives scripted answers, after looking at the history as the API does."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[Answer] = []
        self.requests: list[dict[str, JsonValue]] = []

    @property
    def base_url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away."""


class _Handler(BaseHTTPRequestHandler):
    server: StrictServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(body)
        wrong = complaint(body["messages"])
        if wrong:
            self.reply(400, json.dumps({"error": {"message": wrong, "code": "invalid_request"}}).encode())
            return
        answer = self.server.answers.pop(0)
        time.sleep(answer.delay)
        if answer.drop:
            self.close_connection = True
            self.connection.close()
            return
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": None, **answer.message},
            "finish_reason": "stop",
        }
        completion = {"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        self.reply(answer.status, answer.body if answer.body is not None else json.dumps(completion).encode())

    def reply(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[StrictServer]:
    """A server for one test."""
    with StrictServer() as one:
        thread = threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield one
        one.shutdown()
        thread.join()


def task(server: StrictServer, mode: ToolModeName = "use_tools_api", **settings: float) -> Task:
    """A task whose model is behind the server."""
    given: dict[str, Any] = {"max_retries": 0, **settings}
    chosen: dict[str, Any] = {mode: True}
    llm = OpenAIConfig(model="m", base_url=server.base_url, **given)
    return Task(ChatAgent(ChatAgentConfig(llm=llm, **chosen), [Paint]))


def run(one: Task, *, is_async: bool) -> TaskResult:
    """Run in one of the two ways; connections of an event loop are closed with it."""
    if not is_async:
        return one.run("Paint it red.")

    async def both() -> TaskResult:
        result = await one.run_async("Paint it red.")
        await one.agent._client.close_async()  # type: ignore[attr-defined]  # the one for servers
        return result

    return asyncio.run(both())


def call(arguments: str, call_id: str | None = "call_1", name: str = "paint") -> dict[str, JsonValue]:
    """A call as servers send it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.fixture(params=[False, True], ids=["sync", "async"])
def is_async(request: pytest.FixtureRequest) -> bool:
    """Both ways of running."""
    return bool(request.param)


def test_native_tools(server: StrictServer, is_async: bool) -> None:
    """Faulty, doubled, unknown and mended calls in one conversation: the server takes every history."""
    server.answers = [
        Answer({"tool_calls": [call('{"color": "blue"}'), call("{'color': 'RED',}"), call("{}", None, "sing")]}),
        Answer({"tool_calls": [call('{"color": "red", "layers": "2"}')]}),
        Answer({"content": "It is red."}),
    ]
    result = run(task(server), is_async=is_async)
    assert (result.output, result.stop_reason) == ("It is red.", "answer")
    assert [one.arguments for one in result.calls] == [{"color": "red"}, {"color": "red", "layers": 2}]
    assert [error.kind for error in result.errors] == ["invalid_arguments", "unknown_tool"]
    assert server.requests[0]["tools"][0]["function"]["name"] == "paint"


def test_legacy_functions(server: StrictServer, is_async: bool) -> None:
    """The older fields go both ways."""
    server.answers = [
        Answer({"function_call": {"name": "paint", "arguments": '{"colour": "red"}'}}),
        Answer({"content": "It is red."}),
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
        Answer({"content": '```json\n{"name": "paint", "arguments": {"color": "red"},}\n```'}),
        Answer({"content": "It is red."}),
    ]
    result = run(task(server, "use_tools"), is_async=is_async)
    assert result.output == "It is red."
    for request in server.requests:
        assert not request.keys() & {"tools", "functions", "tool_choice", "function_call"}
        assert {message["role"] for message in request["messages"]} <= {"system", "user", "assistant"}


@pytest.mark.parametrize(
    ("answer", "settings", "kind"),
    [
        (Answer(drop=True), {}, LLMConnectionError),
        (Answer(delay=0.3), {"timeout": 0.05}, LLMTimeoutError),
        (Answer(body=b'{"choices": [{"mess'), {}, MalformedReplyError),
        (Answer(body=b"{}"), {}, MalformedReplyError),
        (Answer(status=429, body=b"{}"), {}, RateLimitedError),
        (Answer(status=500, body=b"oops"), {}, LLMServerError),
    ],
    ids=["dropped", "late", "cut", "empty", "limited", "failed"],
)
def test_a_fault_of_the_line_ends_the_run_and_the_conversation_can_go_on(
    server: StrictServer, answer: Answer, settings: dict[str, Any], kind: type[Exception], is_async: bool
) -> None:
    """The run ends in a typed way; what was done until then is kept, and the next run is taken."""
    painted = Answer({"tool_calls": [call('{"color": "red"}')]})
    server.answers = [painted, answer, Answer({"content": "It is red."})]
    one = task(server, **settings)
    result = run(one, is_async=is_async)
    assert result.stop_reason == "llm_error"
    assert isinstance(result.failure, kind)
    assert len(result.calls) == 1
    assert one.run().output == "It is red."


def test_the_client_tries_again_by_itself(server: StrictServer) -> None:
    """A lost connection and a busy server are met by the retries of the client library."""
    server.answers = [Answer(drop=True), Answer(status=503, body=b"{}"), Answer({"content": "hi"})]
    assert task(server, max_retries=2).run("hello").output == "hi"
    assert len(server.requests) == 3


def test_the_server_is_as_strict_as_the_api(server: StrictServer) -> None:
    """A history with an unanswered call is refused: the tests above would see it."""
    one = task(server)
    server.answers = [Answer({"tool_calls": [call('{"color": "red"}')]})]
    one.agent.llm_response("go")
    unanswered = one.agent._dialogue.settled()[:-1]
    one.agent._dialogue.replace_with(unanswered)
    with pytest.raises(LLMRequestError, match="must be followed by tool messages"):
        one.agent.llm_response("go on")
    assert len(one.agent.history) == len(unanswered)
