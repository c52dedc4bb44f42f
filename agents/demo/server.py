"""A server on loopback that speaks Chat Completions and gives recorded replies."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from toolmend.agents.demo.recorded import Recorded, Reply
    from toolmend.repairs.record import JsonValue

__all__ = ("ReplayServer",)


class ReplayServer:
    """Serves recorded replies while its context is open.

    Attributes:
        base_url: where an OpenAI client is pointed at.
    """

    def __init__(self, recorded: Iterable[Recorded]) -> None:
        """Bind a free port of loopback.

        Args:
            recorded: the replies, found again by the words of their requests.
        """
        replies = {one.request.text: one.replies for one in recorded}

        class Handler(_Handler):
            script = replies

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.base_url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        """Start serving."""
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    script: dict[str, tuple[Reply, ...]]
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Answer a request for a completion."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self._find(body["messages"])
        if reply is None:
            self._send(400, {"error": {"message": "nothing is recorded for this conversation"}})
        else:
            self._send(200, _completion(reply))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that http.server has
        """Say nothing of each request."""

    def _find(self, messages: list[dict[str, JsonValue]]) -> Reply | None:
        """The reply to the last known request, by how many were given since."""
        turn = 0
        for message in reversed(messages):
            turn += message["role"] == "assistant"
            replies = self.script.get(message["content"] or "") if message["role"] == "user" else None
            if replies is not None:
                return replies[turn] if turn < len(replies) else None
        return None

    def _send(self, status: int, payload: dict[str, JsonValue]) -> None:
        data = json.dumps(payload).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _completion(reply: Reply) -> dict[str, JsonValue]:
    message: dict[str, JsonValue] = {"role": "assistant", "content": None if reply.tool else reply.body}
    if reply.tool:
        function = {"name": reply.tool, "arguments": reply.body}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    return {"id": "recorded", "object": "chat.completion", "created": 0, "model": "recorded", "choices": [choice]}
