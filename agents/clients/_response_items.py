"""Between Chat Completions, in which agents keep a conversation, and the Responses API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from toolmend.repairs.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolmend.agents.clients.base import ChatRequest, Chunk, Message

__all__ = ("EventReader", "request_body")


def request_body(request: ChatRequest) -> dict[str, Any]:
    """The parameters of a request that say the same.

    Args:
        request: the conversation, the tools, the bounds.

    Raises:
        UsageError: it has stop texts, which this API does not know.
    """
    if request.stop:
        raise UsageError("ChatRequest.stop: the Responses API knows no stop texts; use Chat Completions, or give none")
    given = {
        "input": list(_items(request.messages)),
        "tools": [_tool(tool.get("function", tool)) for tool in (*request.tools, *request.functions)],
        "tool_choice": _choice(request.tool_choice),
        "max_output_tokens": request.max_tokens,
    }
    return {name: value for name, value in given.items() if value is not None and value != []}


def _items(messages: Iterable[Message]) -> Iterator[dict[str, Any]]:
    """The items of a conversation: each call and each result is one of its own."""
    legacy = 0  # legacy calls have no ids, and there is never more than one without its result
    for message in messages:
        role = message["role"]
        if role in ("tool", "function"):
            call_id = message["tool_call_id"] if role == "tool" else _legacy_id(legacy)
            yield {"type": "function_call_output", "call_id": call_id, "output": _texts(message["content"])}
            continue
        if content := message.get("content"):
            yield {"role": role, "content": _content(content, role)}
        for call in message.get("tool_calls") or ():
            yield _call(call["id"], call["function"])
        if function := message.get("function_call"):
            legacy += 1
            yield _call(_legacy_id(legacy), function)


def _legacy_id(number: int) -> str:
    return f"function_call_{number}"


def _call(call_id: str, function: Mapping[str, Any]) -> dict[str, Any]:
    # Without the id of the item: with one, the API wants the reasoning that belongs to it.
    return {
        "type": "function_call",
        "call_id": call_id,
        "name": function["name"],
        "arguments": function["arguments"],
    }


def _content(content: str | list[Any], role: str) -> str | list[Any]:
    if isinstance(content, str):
        return content
    return [_part(part, "output_text" if role == "assistant" else "input_text") for part in content]


def _part(part: Mapping[str, Any], text: str) -> Mapping[str, Any]:
    """One part of a content; parts of unknown kinds go out as they are, for the server to judge."""
    kind = part.get("type")
    if kind == "text":
        return {**part, "type": text}
    if kind == "image_url" and isinstance(image := part.get(kind), dict):
        return {"type": "input_image", "image_url": image.get("url"), **{k: v for k, v in image.items() if k != "url"}}
    if kind == "file" and isinstance(file := part.get(kind), dict):
        return {"type": "input_file", **file}
    return part


def _texts(content: str | list[Any] | None) -> str | list[Any]:
    return _content(content or "", "tool")


def _tool(function: Mapping[str, Any]) -> dict[str, Any]:
    # Here, unlike in Chat Completions, a tool is strict unless it says otherwise.
    return {"type": "function", "strict": False, **function}


def _choice(choice: str | Message | None) -> str | dict[str, Any] | None:
    if choice is None or isinstance(choice, str):
        return choice
    return {"type": "function", "name": choice.get("function", choice)["name"]}


_TEXT: Final = "response.output_text.delta"
_ARGUMENTS: Final = "response.function_call_arguments.delta"
_ADDED: Final = "response.output_item.added"


class EventReader:
    """Turns the events of a streamed response into chunks of Chat Completions."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._numbers: dict[int, int] = {}  # of the calls, by their places among the items
        self._messages = 0

    def chunks(self, event: Mapping[str, Any]) -> Iterator[Chunk]:
        """The chunks that say the same as an event; none for events that add nothing.

        Args:
            event: as the server sent it.
        """
        kind, place = event.get("type"), event.get("output_index")
        if kind == _TEXT and isinstance(event.get("delta"), str):
            yield _chunk(content=event["delta"])
        elif not isinstance(place, int):
            return
        elif kind == _ARGUMENTS and place in self._numbers:
            yield self._fragment(place, {"arguments": event.get("delta")})
        elif kind == _ADDED and isinstance(item := event.get("item"), dict):
            yield from self._added(item, place)

    def _added(self, item: Mapping[str, Any], place: int) -> Iterator[Chunk]:
        if item.get("type") == "message":
            self._messages += 1
            if self._messages > 1:
                yield _chunk(content="\n")  # as the whole reply has it
        elif item.get("type") == "function_call":
            self._numbers[place] = len(self._numbers)
            function = {"name": item.get("name"), "arguments": item.get("arguments") or ""}
            yield self._fragment(place, function, id=item.get("call_id"), type="function")

    def _fragment(self, place: int, function: dict[str, Any], **more: object) -> Chunk:
        return _chunk(tool_calls=[{"index": self._numbers[place], **more, "function": function}])


def _chunk(**delta: object) -> Chunk:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
