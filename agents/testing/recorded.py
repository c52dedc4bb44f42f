"""A conversation with a real model that is recorded once, and replayed in each test from then on."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import TypeAdapter, ValidationError

from toolmend.agents.clients._streamed import chunks_of
from toolmend.agents.clients.base import LLMConfig
from toolmend.agents.errors import RecordingError
from toolmend.agents.testing._differences import differences
from toolmend.repairs.text.strict import identical
from toolmend.toolkit.wire import ModelReply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from toolmend.agents.clients.base import ChatRequest, LLMClient, StreamPart
    from toolmend.repairs.record import JsonValue

__all__ = ("RecordedClient",)

_VERSION: Final = 1
_CHUNK_SIZE: Final = 16
_REPLIES: Final = TypeAdapter(ModelReply)


@dataclass(slots=True)
class _Exchange:
    """A request as JSON, and the reply to it."""

    request: JsonValue
    reply: ModelReply
    used: bool = False


class RecordedClient:
    """A client that replays the replies of a file, or records them.

    Each request is answered by the first unused reply to the very same request; so a test that asks something else
    fails, and tells what. Only replies are recorded, no errors. Streams are made of whole replies, when recording too.
    """

    def __init__(self, path: str | os.PathLike[str], llm: LLMConfig | LLMClient, *, record: bool = False) -> None:
        """Read the file, or begin it anew.

        Args:
            path: the file.
            llm: the model that is asked when recording: settings, or a client. Replaying never touches it.
            record: whether the model is asked, and its replies are written.

        Raises:
            RecordingError: if nothing is to be recorded, and there is no recording.
        """
        self._path = Path(path)
        self._client = (llm.create_client() if isinstance(llm, LLMConfig) else llm) if record else None
        self._exchanges = [] if record else _read(self._path)
        self._lock = threading.Lock()

    def complete(self, request: ChatRequest, /) -> ModelReply:
        """Give the reply.

        Args:
            request: what is asked.

        Returns:
            The recorded reply, or that of the model.

        Raises:
            RecordingError: if the recording has no further reply to this request.
        """
        if self._client is None:
            return self._replayed(request)
        return self._recorded(request, self._client.complete(request))

    async def complete_async(self, request: ChatRequest, /) -> ModelReply:
        """Give the reply.

        Args:
            request: what is asked.

        Returns:
            The recorded reply, or that of the model.

        Raises:
            RecordingError: if the recording has no further reply to this request.
        """
        if self._client is None:
            return self._replayed(request)
        return self._recorded(request, await self._client.complete_async(request))

    def stream(self, request: ChatRequest, /) -> Iterator[StreamPart]:
        """Give the reply in chunks.

        Args:
            request: what is asked.

        Yields:
            Chunks, and as the last the whole reply.

        Raises:
            RecordingError: if the recording has no further reply to this request.
        """
        reply = self.complete(request)
        yield from chunks_of(reply, _CHUNK_SIZE)
        yield reply

    async def stream_async(self, request: ChatRequest, /) -> AsyncIterator[StreamPart]:
        """Give the reply in chunks.

        Args:
            request: what is asked.

        Yields:
            Chunks, and as the last the whole reply.

        Raises:
            RecordingError: if the recording has no further reply to this request.
        """
        reply = await self.complete_async(request)
        for chunk in chunks_of(reply, _CHUNK_SIZE):
            yield chunk
        yield reply

    def _replayed(self, request: ChatRequest) -> ModelReply:
        asked = _as_json(request)
        with self._lock:
            unused = [exchange for exchange in self._exchanges if not exchange.used]
            for exchange in unused:
                if identical(exchange.request, asked):
                    exchange.used = True
                    return exchange.reply
        if not unused:
            said = f"it has {len(self._exchanges)} replies, and one more was asked for"
        else:
            said = "\n  ".join(
                ("another request was made than the next in it:", *differences(unused[0].request, asked))
            )
        raise RecordingError(f"the recording {self._path} does not fit; record it again, or mend the test: {said}")

    def _recorded(self, request: ChatRequest, reply: ModelReply) -> ModelReply:
        with self._lock:
            self._exchanges.append(_Exchange(_as_json(request), reply))
            written = [{"request": one.request, "reply": asdict(one.reply)} for one in self._exchanges]
            text = json.dumps({"version": _VERSION, "exchanges": written}, indent=2, ensure_ascii=False)
            self._path.parent.mkdir(parents=True, exist_ok=True)
            whole = self._path.with_name(f"{self._path.name}.new")
            whole.write_text(text + "\n", encoding="utf-8")
            whole.replace(self._path)
        return reply


def _as_json(request: ChatRequest) -> JsonValue:
    """A request as it comes back from a file; what is left to the client is left out."""
    values = {one.name: getattr(request, one.name) for one in fields(request)} | {"extra": dict(request.extra)}
    return json.loads(json.dumps({name: value for name, value in values.items() if value not in (None, (), {})}))


def _read(path: Path) -> list[_Exchange]:
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise RecordingError(
            f"there is no recording {path}; record it once, with record=True or pytest --toolmend-record"
        ) from error
    except (OSError, ValueError) as error:
        raise RecordingError(f"the recording {path} cannot be read: {error}") from error
    try:
        if data["version"] != _VERSION:
            raise RecordingError(f"the recording {path} has version {data['version']!r:.40}, not {_VERSION}")
        return [_Exchange(one["request"], _REPLIES.validate_python(one["reply"])) for one in data["exchanges"]]
    except (KeyError, TypeError, ValidationError) as error:
        raise RecordingError(f"the recording {path} is none; record it again: {error}") from error
