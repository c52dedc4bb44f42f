"""A server on loopback that takes what the API takes, gives scripted replies, and can fail in many ways."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from strictness import chat_complaint, prompt_tokens, responses_complaint
from wire_shapes import chat_chunks, chat_completion, response_events, response_object

from toolmend.repairs.record import JsonValue

__all__ = ("Answer", "Broken", "Late", "Raw", "Says", "Status", "StrictServer", "call", "serving")


def call(arguments: str, call_id: str | None = "call_1", name: str = "paint") -> dict[str, JsonValue]:
    """A call as servers send it."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@dataclass(frozen=True)
class Says:
    """A reply of the model: a text, calls, a legacy call, or further members of the message."""

    text: str | None = None
    calls: tuple[dict[str, JsonValue], ...] = ()
    finish_reason: str | None = None
    members: dict[str, JsonValue] = field(default_factory=dict)

    @property
    def message(self) -> dict[str, JsonValue]:
        calls = {"tool_calls": list(self.calls)} if self.calls else {}
        return {"role": "assistant", "content": self.text, **calls, **self.members}

    @property
    def reason(self) -> str:
        legacy = "function_call" if "function_call" in self.members else "stop"
        return self.finish_reason or ("tool_calls" if self.calls else legacy)


@dataclass(frozen=True)
class Status:
    """An error status; an object becomes the JSON of an error."""

    status: int
    error: JsonValue = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def body(self) -> bytes:
        return self.error if isinstance(self.error, bytes) else json.dumps({"error": self.error or {}}).encode()


@dataclass(frozen=True)
class Raw:
    """A body that is no reply."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Broken:
    """The beginning of a reply, and then something else.

    Attributes:
        reply: what would have been said.
        parts: how many parts of it are sent: events of a stream, or tenths of a whole body; None for not even a header.
        ending: what follows: nothing and a closed connection, nothing and a clean end, or bytes.
    """

    reply: Says = field(default_factory=lambda: Says("It is nearly painted by now."))
    parts: int | None = None
    ending: bytes | None = None
    hangs_up: bool = True


@dataclass(frozen=True)
class Late:
    """Another answer, after some time."""

    seconds: float
    answer: Says = field(default_factory=lambda: Says("late"))


Answer = Says | Status | Raw | Broken | Late


class StrictServer(ThreadingHTTPServer):
    """Gives its answers one after another, to requests that it takes.

    Attributes:
        answers: what is left to be said.
        requests: the bodies that came.
        refusals: what was wrong with those that it did not take.
        context_length: the window of its model, in tokens of `prompt_tokens`; None for no end of it.
    """

    daemon_threads = True

    def __init__(self, answers: Iterable[Answer] = ()) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = list(answers)
        self.requests: list[dict[str, JsonValue]] = []
        self.headers: list[dict[str, str]] = []
        self.refusals: list[str] = []
        self.context_length: int | None = None
        self._lock = threading.Lock()

    @property
    def base_url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away."""

    def answer(self, path: str, body: JsonValue) -> Answer:
        """What to do with a request."""
        with self._lock:
            self.requests.append(body)
            wrong = COMPLAINTS[path](body)
            if wrong:
                self.refusals.append(wrong)
                return Status(400, {"message": wrong, "type": "invalid_request_error", "code": None})
            used = prompt_tokens(body)
            if self.context_length is not None and used > self.context_length:
                words = (
                    f"This model's maximum context length is {self.context_length} tokens. However, your messages "
                    f"resulted in {used} tokens. Please reduce the length of the messages."
                )
                return Status(400, {"message": words, "code": "context_length_exceeded"})
            return self.answers.pop(0) if self.answers else Status(500, {"message": "the script is at its end"})


COMPLAINTS = {"/v1/chat/completions": chat_complaint, "/v1/responses": responses_complaint}


@contextmanager
def serving(*answers: Answer) -> Iterator[StrictServer]:
    """A server that runs while the context is open."""
    with StrictServer(answers) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    server: StrictServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.path not in COMPLAINTS:
            self._send(404, b"<h1>Not Found</h1>", "text/html")
            return
        if self.headers["Content-Type"] != "application/json":
            self._send(415, b'{"error": {"message": "Unsupported media type"}}')
            return
        body = json.loads(raw)
        self._give(self.server.answer(self.path, body), body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _give(self, answer: Answer, body: dict[str, JsonValue]) -> None:
        match answer:
            case Late(seconds, later):
                time.sleep(seconds)
                self._give(later, body)
            case Status(status):
                self._send(status, answer.body, headers=answer.headers)
            case Raw(content, kind):
                self._send(200, content, kind)
            case Says():
                self._say(answer, body, Broken(answer, hangs_up=False, ending=b""))
            case Broken(parts=None):
                self._hang_up()
            case Broken(reply):
                self._say(reply, body, answer)

    def _say(self, reply: Says, body: dict[str, JsonValue], plan: Broken) -> None:
        chat, prompt = self.path.endswith("completions"), prompt_tokens(body)
        if body.get("stream"):
            asked = (body.get("stream_options") or {}).get("include_usage", False)
            parts = (
                chat_chunks(reply.message, reply.reason, prompt if asked else None)
                if chat
                else response_events(reply.message, prompt)
            )
            self._stream([f"data: {part}\n\n".encode() for part in parts], plan)
            return
        whole = chat_completion(reply.message, reply.reason, prompt) if chat else response_object(reply.message, prompt)
        content = json.dumps(whole).encode()
        if plan.parts is None:
            self._send(200, content)
            return
        sent = content[: len(content) * plan.parts // 10] + (plan.ending or b"")
        self._send(200, sent, length=len(content) if plan.hangs_up else len(sent))
        if plan.hangs_up:
            self._hang_up()

    def _stream(self, events: list[bytes], plan: Broken) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in [*events[: plan.parts], plan.ending or b""]:
            for piece in (event[:7], event[7:]):  # a network does not keep events together
                if piece:
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                    self.wfile.flush()
        if plan.hangs_up:
            self._hang_up()
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _send(
        self,
        status: int,
        body: bytes,
        kind: str = "application/json",
        *,
        length: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        given = {
            "Content-Type": kind,
            "Content-Length": str(len(body) if length is None else length),
            **(headers or {}),
        }
        for name, value in given.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)
