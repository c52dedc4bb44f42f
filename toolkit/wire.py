"""Between the shapes of providers and ours: what a model's message says, and what goes back to it."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.outcome import ToolResult

__all__ = ("ModelReply", "RawCall", "Usage", "read_reply", "tool_messages", "unique_ids")


@dataclass(frozen=True, slots=True)
class RawCall:
    """A call as the provider's API hands it over: nothing in it was read yet.

    Attributes:
        name: the name as the model wrote it.
        arguments: the text of the arguments.
        id: its id; None if the provider gave none.
    """

    name: str
    arguments: str
    id: str | None = None

    def __post_init__(self) -> None:
        """Take nothing for empty: clients pass on the nulls of their servers."""
        object.__setattr__(self, "name", self.name or "")
        object.__setattr__(self, "arguments", self.arguments or "")


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that one reply cost.

    Attributes:
        input_tokens: tokens of what was sent.
        output_tokens: tokens of what came back.
    """

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """The cost of both."""
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)

    @property
    def total_tokens(self) -> int:
        """All tokens that were counted."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model said, whatever the provider.

    Attributes:
        text: its words.
        tool_calls: its calls through the API, unread.
        finish_reason: why it stopped, as the provider told it.
        usage: what it cost, if that is known.
    """

    text: str = ""
    tool_calls: tuple[RawCall, ...] = ()
    finish_reason: str | None = None
    usage: Usage | None = None

    def __post_init__(self) -> None:
        """Take nothing for empty: clients pass on the nulls of their servers."""
        object.__setattr__(self, "text", self.text or "")
        object.__setattr__(self, "tool_calls", tuple(self.tool_calls or ()))


def read_reply(reply: object) -> ModelReply:
    """Read a reply in any shape that is known.

    Args:
        reply: a `ModelReply`; a message, choice or whole completion of Chat Completions, or a response of the Responses
            API, as dicts or as the objects of the `openai` package.

    Raises:
        ToolUsageError: if it is none of these.
    """
    if isinstance(reply, ModelReply):
        return reply
    data = _as_dict(reply)
    if data is None:
        raise ToolUsageError(
            f"a {type(reply).__name__} is no reply of a model; give a ModelReply, or what the chat client returned"
        )
    if isinstance(data.get("output"), list):
        return _from_response(data)
    finish_reason = None
    usage = data.get("usage")
    choices = data.get("choices")
    if isinstance(choices, list):
        data = (_as_dict(choices[0]) if choices else None) or {}
    if "message" in data:
        finish_reason = data.get("finish_reason")
        data = _as_dict(data["message"]) or {}
    return ModelReply(
        text=_text(data.get("content")),
        tool_calls=tuple(_raw_calls(data)),
        finish_reason=finish_reason if isinstance(finish_reason, str) else None,
        usage=_usage(usage),
    )


def unique_ids(calls: Iterable[RawCall]) -> tuple[RawCall, ...]:
    """The same calls without an id that is given twice: providers refuse a history that has one.

    Args:
        calls: the calls of one reply; those without an id, as legacy functions are, stay without.
    """
    given = tuple(calls)
    seen = {call.id for call in given}
    kept: set[str] = set()
    unique = []
    for call in given:
        if call.id is None or call.id not in kept:
            unique.append(call)
        else:
            fresh = next(name for number in itertools.count(2) if (name := f"{call.id}_{number}") not in seen)
            seen.add(fresh)
            unique.append(replace(call, id=fresh))
        if call.id is not None:
            kept.add(call.id)
    return tuple(unique)


def tool_messages(results: Iterable[ToolResult]) -> list[dict[str, JsonValue]]:
    """The results as messages of Chat Completions, for calls made through the API.

    Args:
        results: what dispatch returned; each must answer a call that has an id.

    Raises:
        ToolUsageError: if a call has no id: it was found in text, and is answered in text.
    """
    messages: list[dict[str, JsonValue]] = []
    for result in results:
        if result.id is None:
            raise ToolUsageError(
                f"the call of {result.name!r} has no id; answer a call found in text by a user message"
            )
        messages.append({"role": "tool", "tool_call_id": result.id, "content": result.text})
    return messages


def _as_dict(value: object) -> Mapping[str, Any] | None:
    """A mapping as it is, an object of a client library as one, None for anything else."""
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    made = dump() if callable(dump) else getattr(value, "__dict__", None)
    return made if isinstance(made, Mapping) else None


_TEXT_PARTS: Final = frozenset({"text", "output_text"})


def _text(content: object) -> str:
    """The words of a message: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for item in content if (part := _as_dict(item)) is not None and part.get("type") in _TEXT_PARTS]
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def _raw_calls(message: Mapping[str, Any]) -> Iterable[RawCall]:
    """The calls of one message of Chat Completions, the legacy one included, which has no id."""
    calls = message.get("tool_calls")
    for number, item in enumerate(calls if isinstance(calls, (list, tuple)) else (), start=1):
        call = _as_dict(item) or {}
        function = _as_dict(call.get("function")) or _as_dict(call.get("custom")) or {}
        yield _raw_call(function, call.get("id") or f"call_{number}")
    legacy = _as_dict(message.get("function_call"))
    if legacy is not None and not calls:  # some servers send the same call in both places
        yield _raw_call(legacy, None)


def _raw_call(function: Mapping[str, Any], call_id: object) -> RawCall:
    arguments = _arguments_text(function.get("arguments", function.get("input")))
    name = function.get("name")
    return RawCall(name if isinstance(name, str) else "", arguments, call_id if isinstance(call_id, str) else None)


def _arguments_text(arguments: object) -> str:
    """The text of the arguments; some servers hand over an object in its place."""
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    try:
        return json.dumps(arguments, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return str(arguments)


def _from_response(data: Mapping[str, Any]) -> ModelReply:
    """A response of the Responses API."""
    items = [item for part in data["output"] if (item := _as_dict(part)) is not None]
    calls = [_raw_call(item, item.get("call_id")) for item in items if item.get("type") == "function_call"]
    texts = [_text(item.get("content")) for item in items if item.get("type") == "message"]
    details = _as_dict(data.get("incomplete_details")) or {}
    status = details.get("reason") or data.get("status")
    finish_reason = status if isinstance(status, str) else None
    return ModelReply("\n".join(texts), tuple(calls), finish_reason, _usage(data.get("usage")))


def _usage(usage: object) -> Usage | None:
    """What the reply cost, in the words of either API."""
    data = _as_dict(usage) if usage is not None else None
    if data is None:
        return None
    counts = [data.get(key, data.get(other)) for key, other in _USAGE_KEYS]
    return Usage(*(count if isinstance(count, int) else 0 for count in counts))


_USAGE_KEYS: Final = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"))
