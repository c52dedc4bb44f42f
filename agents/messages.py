"""Chat Completions messages as the agent keeps and replays them: always valid, every call with an id of its own.

A call may come in three shapes, and its answer goes back in the shape that belongs to it:

    shape      how the model made the call          how the answer goes back
    tool       `tool_calls`, with an id             a message of role `tool` with that id
    function   `function_call`, which has no id     a message of role `function` with the name
    text       written in the content               a message of role `user`
"""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolmend.toolkit.outcome import ParseResult, ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from toolmend.agents.clients.base import Message
    from toolmend.agents.held import HeldTurn
    from toolmend.toolkit.outcome import CallError, ToolResult
    from toolmend.toolkit.wire import ModelReply

__all__ = (
    "Entry",
    "Item",
    "Origin",
    "answer_messages",
    "assistant_message",
    "call_ids",
    "is_sendable",
    "joined_text",
    "sendable_arguments",
    "system_message",
    "unique_call_ids",
    "unique_item_ids",
    "user_message",
)

Item: TypeAlias = "ToolCall | CallError"

Origin: TypeAlias = Literal["user", "model", "tool"]
"""Who spoke: only what came from the model is ever searched for calls."""

NOT_EXECUTED = "Not executed: the conversation went on before this call was run."
UNREADABLE_LENGTH = 400


@dataclass(frozen=True, slots=True)
class Entry:
    """One message of the history.

    Attributes:
        message: what is sent.
        origin: who spoke.
        reply: the reply as the model gave it, for a message of the model.
        held: for a message of the model of whose calls one waits for a decision: what they came to so far.
    """

    message: Message
    origin: Origin
    reply: ModelReply | None = None
    held: HeldTurn | None = None


def system_message(text: str) -> Message:
    """The message that the model is told first.

    Args:
        text: its content.
    """
    return {"role": "system", "content": _sendable_text(text)}


def user_message(text: str) -> Message:
    """A message of the user.

    Args:
        text: its content.
    """
    return {"role": "user", "content": _sendable_text(text)}


def assistant_message(reply: ModelReply, result: ParseResult, write: Callable[[Sequence[ToolCall]], str]) -> Message:
    """The model's turn as it is replayed: calls with their mended arguments, which are valid JSON.

    Args:
        reply: what the model said.
        result: what was read out of it, with unique ids.
        write: writes mended calls where the model wrote calls as text.
    """
    native = [item for item in result.items if item.format == "api"]
    if not native:
        return {"role": "assistant", "content": _sendable_text(_mended_text(reply, result, write))}
    message: Message = {"role": "assistant", "content": _sendable_text(reply.text) or None}
    calls = [(item.id, {"name": _sendable_name(item), "arguments": _sendable_arguments(item)}) for item in native]
    tools = [{"id": call_id, "type": "function", "function": function} for call_id, function in calls if call_id]
    return message | ({"tool_calls": tools} if tools else {"function_call": calls[0][1]})


def answer_messages(results: Sequence[ToolResult]) -> list[Message]:
    """What goes back to the model: one answer per call id, and one message for all calls written as text.

    Args:
        results: the results of one turn, in order.
    """
    native = [result for result in results if result.call.format == "api"]
    messages: list[Message] = [
        {"role": "tool", "tool_call_id": result.call.id, "content": _sendable_text(result.text)}
        for result in native
        if result.call.id
    ]
    if functions := [result for result in native if not result.call.id]:
        content = _sendable_text("\n\n".join(result.text for result in functions))
        messages.append({"role": "function", "name": _sendable_name(functions[0].call), "content": content})
    if written := [result for result in results if result.call.format != "api"]:
        messages.append(user_message(joined_text(written)))
    return messages


def joined_text(results: Iterable[ToolResult]) -> str:
    """The texts of several results as one, each under the name of its tool.

    Args:
        results: in order.
    """
    return "\n\n".join(f"Result of {result.name}: {result.text}" if result.ok else result.text for result in results)


def call_ids(messages: Iterable[Message]) -> set[str]:
    """The ids of all calls in a history.

    Args:
        messages: Chat Completions messages.
    """
    return {call["id"] for message in messages for call in message.get("tool_calls", ())}


def sendable_arguments(raw: str) -> str:
    """Arguments as they are if they are a JSON object, else their beginning wrapped in one.

    Args:
        raw: what stands in a call.
    """
    if _is_json_object(raw):
        return raw
    return json.dumps({"unreadable": _sendable_text(raw[:UNREADABLE_LENGTH])}, ensure_ascii=False)


def unique_call_ids(reply: ModelReply, taken: Collection[str], *, keep_missing: bool = False) -> ModelReply:
    """Give each API call of a reply an id that no other call has; servers send missing and repeated ones.

    Args:
        reply: what the model said.
        taken: ids used before.
        keep_missing: leave calls without an id alone, because they are legacy function calls.

    Returns:
        The reply, the very same if all ids are good.
    """
    seen, calls = set(taken), []
    for call in reply.tool_calls:
        fresh = call.id if keep_missing and not call.id else _fresh_id(call.id, seen)
        seen.add(fresh or "")
        calls.append(call if call.id == fresh else replace(call, id=fresh))
    return reply if tuple(calls) == tuple(reply.tool_calls) else replace(reply, tool_calls=tuple(calls))


def unique_item_ids(result: ParseResult, taken: Collection[str], *, legacy: bool = False) -> ParseResult:
    """Give the calls made through the API ids that no other call has, or none if they are legacy function calls.

    One call of the API may have been opened into several.

    Args:
        result: what was read out of a reply.
        taken: ids used before this reply.
        legacy: whether the calls came by `function_call`, which knows no ids.

    Returns:
        The result with these ids.
    """
    seen, items = set(taken), []
    for item in result.items:
        if item.format == "api":
            fresh = None if legacy else _fresh_id(item.id, seen)
            seen.add(fresh or "")
            items.append(item if item.id == fresh else replace(item, id=fresh))
        else:
            items.append(item)
    return replace(result, items=tuple(items))


def _fresh_id(wanted: str | None, seen: Collection[str]) -> str:
    if wanted and wanted not in seen:
        return wanted
    names = (f"{wanted or 'call'}_{number}" for number in itertools.count(1 if not wanted else 2))
    return next(name for name in names if name not in seen)


def _mended_text(reply: ModelReply, result: ParseResult, write: Callable[[Sequence[ToolCall]], str]) -> str:
    """The text of a turn, with mended calls as the model should have written them.

    Text with a faulty call stays as it is: the error that goes back speaks of what is written there.
    """
    mended = result.repairs or any(call.repairs or not call.raw for call in result.calls)
    if result.errors or not result.calls or not mended:
        return reply.text or ""
    return "\n".join(part for part in (result.text.strip(), write(result.calls)) if part)


def _sendable_name(item: Item) -> str:
    """A name that the API accepts: invented ones come back in the history, and may be anything."""
    name = item.name if isinstance(item, ToolCall) else item.tool
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name or "")[:64] or "unknown"


def _sendable_arguments(item: Item) -> str:
    """Arguments that are a JSON object: many servers read them again when the history is replayed."""
    if isinstance(item, ToolCall):
        return json.dumps(item.arguments, ensure_ascii=False) if item.repairs or not item.raw else item.raw
    return sendable_arguments(item.raw)


def _sendable_text(text: str) -> str:
    """The text without halves of surrogate pairs, which no request can carry."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def is_sendable(text: str) -> bool:
    """Whether a text can be sent, or written to a file: half of a surrogate pair cannot.

    Args:
        text: any text.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json_object(text: str) -> bool:
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
        # Half of a surrogate pair may also be hidden in an escape; strict readers stop there.
        hidden = "\\u" in text and not is_sendable(json.dumps(value, ensure_ascii=False))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and is_sendable(text) and not hidden


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity, which Python reads and JSON does not know
