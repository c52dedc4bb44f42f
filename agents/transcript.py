"""Conversations as JSON, with a version: written, and read with every part of them checked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from toolmend.agents.errors import TranscriptError
from toolmend.agents.held import HELD_STATES, Held, HeldTurn
from toolmend.agents.messages import Entry, Origin, is_sendable
from toolmend.toolkit.wire import ModelReply, RawCall, Usage

if TYPE_CHECKING:
    from toolmend.agents.clients.base import Message

__all__ = ("FORMAT", "VERSION", "entry_data", "entry_of", "read_transcript", "transcript")

FORMAT: Final = "toolmend-history"
VERSION: Final = 2
READABLE: Final = (1, VERSION)
"""The first one knows of no calls that wait."""

MAX_CHARACTERS: Final = 100_000_000

_ROLES: Final[Mapping[Origin, tuple[str, ...]]] = {
    "user": ("user",),
    "model": ("assistant",),
    "tool": ("tool", "function", "user"),
}


def transcript(entries: Sequence[Entry]) -> str:
    """A conversation as JSON text.

    Args:
        entries: what was said, in order.
    """
    data = {"format": FORMAT, "version": VERSION, "entries": [entry_data(entry) for entry in entries]}
    text = json.dumps(data, ensure_ascii=False)
    return text if is_sendable(text) else json.dumps(data)  # a model's words may hold what no file takes


def read_transcript(text: str) -> list[Entry]:
    """Read a conversation, and refuse one that could not be sent.

    Args:
        text: what `transcript` gave.

    Raises:
        TranscriptError: it is something else; the message names the place.
    """
    given: object = text
    if not isinstance(given, str) or len(given) > MAX_CHARACTERS:
        raise TranscriptError(f"a text of at most {MAX_CHARACTERS} characters is needed, got a {type(given).__name__}")
    try:
        data = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise TranscriptError(f"this is no JSON: {error}") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise TranscriptError(f'"format": {FORMAT!r} is needed; `export_history` writes it')
    if isinstance(data.get("version"), bool) or data.get("version") not in READABLE:
        known = " and ".join(map(str, READABLE))
        raise TranscriptError(f'"version": only {known} can be read, got {data.get("version")!r:.40}')
    if not isinstance(data.get("entries"), list):
        raise TranscriptError('"entries": a list is needed')
    entries = [entry_of(entry, f"entries[{at}]") for at, entry in enumerate(data["entries"])]
    _check_pairs(entries)
    return entries


def entry_data(entry: Entry) -> dict[str, Any]:
    """One entry as JSON values.

    Args:
        entry: the entry.
    """
    data: dict[str, Any] = {"origin": entry.origin, "message": entry.message}
    if (held := entry.held) is not None:
        calls = [[call.state, call.text, call.arguments] for call in held.calls]
        data["held"] = {"trusted": held.trusted, "calls": calls}
    if (reply := entry.reply) is not None:
        usage = reply.usage
        data["reply"] = {
            "text": reply.text,
            "tool_calls": [[call.name, call.arguments, call.id] for call in reply.tool_calls],
            "finish_reason": reply.finish_reason,
            "usage": [usage.input_tokens, usage.output_tokens] if usage is not None else None,
        }
    return data


def entry_of(data: object, place: str = "entry") -> Entry:
    """Read one entry.

    Args:
        data: what `entry_data` gave.
        place: where it stands, for the message.

    Raises:
        TranscriptError: it is something else.
    """
    if not isinstance(data, Mapping):
        raise TranscriptError(f"{place}: an object is needed, got {data!r:.60}")
    message: Any = data.get("message")
    origin: Origin | None = next((one for one in _ROLES if one == data.get("origin")), None)
    if origin is None:
        raise TranscriptError(f"{place}.origin: one of {', '.join(_ROLES)} is needed, got {data.get('origin')!r:.60}")
    if not isinstance(message, dict) or message.get("role") not in _ROLES[origin]:
        raise TranscriptError(f"{place}.message: a message of role {' or '.join(_ROLES[origin])} is needed")
    reply = _reply_of(data.get("reply"), f"{place}.reply")
    held = _held_of(data.get("held"), reply, f"{place}.held")
    return Entry(_checked(message, f"{place}.message"), origin, reply, held)


def _checked(message: dict[str, Any], place: str) -> Message:
    """A message whose members have the types that the API wants."""
    calls = message.get("tool_calls", [])
    function = [message["function_call"]] if "function_call" in message else []
    good = (
        (isinstance(message.get("content"), str) or (message.get("content") is None and (calls or function)))
        and isinstance(calls, list)
        and all(isinstance(call, dict) and isinstance(call.get("id"), str) for call in calls)
        and all(_is_function(one) for one in (*function, *(call.get("function") for call in calls)))
        and (message["role"] != "tool" or isinstance(message.get("tool_call_id"), str))
        and (message["role"] != "function" or isinstance(message.get("name"), str))
    )
    if not good:
        raise TranscriptError(f"{place}: no message that Chat Completions take, got {message!r:.120}")
    return message


def _is_function(data: object) -> bool:
    return isinstance(data, dict) and isinstance(data.get("name"), str) and isinstance(data.get("arguments"), str)


def _reply_of(data: object, place: str) -> ModelReply | None:
    if data is None:
        return None
    try:
        calls = tuple(RawCall(*_typed(call, (str, str, (str, type(None))))) for call in data["tool_calls"])  # type: ignore[index]
        usage = data["usage"]  # type: ignore[index]
        text, reason = _typed((data["text"], data["finish_reason"]), (str, (str, type(None))))  # type: ignore[index]
        return ModelReply(text, calls, reason, Usage(*_typed(usage, (int, int))) if usage is not None else None)
    except (KeyError, TypeError, ValueError) as error:
        raise TranscriptError(f"{place}: no reply of a model, got {data!r:.120}") from error


def _held_of(data: object, reply: ModelReply | None, place: str) -> HeldTurn | None:
    if data is None:
        return None
    try:
        (trusted,) = _typed([data["trusted"]], (bool,))  # type: ignore[index]
        calls = tuple(Held(*_typed(call, (str, str, (dict, type(None))))) for call in data["calls"])  # type: ignore[index]
    except (KeyError, TypeError, ValueError) as error:
        raise TranscriptError(f"{place}: these are no calls of which one waits, got {data!r:.120}") from error
    if reply is None or any(call.state not in HELD_STATES for call in calls):
        raise TranscriptError(
            f"{place}: it needs a reply, and states that are {', '.join(HELD_STATES)}; got {data!r:.80}"
        )
    return HeldTurn(calls, trusted)


def _typed(values: Any, kinds: Sequence[Any]) -> list[Any]:  # noqa: ANN401 - what stands in a file
    for value, kind in zip(values, kinds, strict=True):
        if not isinstance(value, kind):
            raise TypeError
    return list(values)


def _check_pairs(entries: Sequence[Entry]) -> None:
    """Refuse calls without an answer, answers without a call, and an id that is used twice."""
    waiting: list[str] = []
    seen: set[str] = set()
    for at, entry in enumerate(entries):
        message, place = entry.message, f"entries[{at}]"
        key = message.get("tool_call_id") or message["name"] if message["role"] in ("tool", "function") else None
        if key is not None and key not in waiting:
            raise TranscriptError(f"{place}: an answer to {key!r:.60}, which is no open call")
        if key is None and waiting:
            raise TranscriptError(f"{place}: the call {waiting[0]!r:.60} has no answer before this")
        if key is not None:
            waiting.remove(key)
        for call in message.get("tool_calls", ()):
            if call["id"] in seen:
                raise TranscriptError(f"{place}: the id {call['id']!r:.60} was used before")
            seen.add(call["id"])
            waiting.append(call["id"])
        if "function_call" in message:
            waiting.append(message["function_call"]["name"])
    if waiting:
        raise TranscriptError(f"entries: the call {waiting[0]!r:.60} has no answer")
