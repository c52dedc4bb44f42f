"""A message of the model in the shapes in which servers send it: whole, and cut into events of a stream."""

from __future__ import annotations

import json
from collections.abc import Iterator

from toolmend.repairs.record import JsonValue

__all__ = ("chat_chunks", "chat_completion", "response_events", "response_object")

PIECE = 6  # characters of each part


def chat_completion(message: dict[str, JsonValue], reason: str, prompt: int) -> dict[str, JsonValue]:
    """A whole chat completion."""
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": _usage(prompt),
    }


def chat_chunks(message: dict[str, JsonValue], reason: str, prompt: int | None) -> Iterator[str]:
    """The data of the events of a streamed chat completion."""
    for delta in _deltas(message):
        yield _chunk([{"index": 0, "delta": delta, "finish_reason": None}])
    yield _chunk([{"index": 0, "delta": {}, "finish_reason": reason}])
    if prompt is not None:
        yield _chunk([], usage=_usage(prompt))
    yield "[DONE]"


def _usage(prompt: int) -> dict[str, int]:
    return {"prompt_tokens": prompt, "completion_tokens": 3, "total_tokens": prompt + 3}


def _chunk(choices: list[dict[str, JsonValue]], **more: JsonValue) -> str:
    return json.dumps(
        {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "m", "choices": choices, **more}
    )


def _deltas(message: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    yield {"role": "assistant", "content": None if message["content"] is None else ""}
    for piece in _pieces(message["content"]):
        yield {"content": piece}
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        yield {"tool_calls": [{"index": index, **call, "function": {"name": function["name"], "arguments": ""}}]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
    if legacy := message.get("function_call"):
        yield {"function_call": {"name": legacy["name"], "arguments": ""}}
        for piece in _pieces(legacy["arguments"]):
            yield {"function_call": {"arguments": piece}}


def _pieces(text: str | None) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text or ""), PIECE)] if text else []


def response_object(message: dict[str, JsonValue], prompt: int) -> dict[str, JsonValue]:
    """A whole response of the Responses API."""
    usage = {"input_tokens": prompt, "output_tokens": 3, "total_tokens": prompt + 3}
    return {"id": "r", "object": "response", "status": "completed", "output": list(_items(message)), "usage": usage}


def response_events(message: dict[str, JsonValue], prompt: int) -> Iterator[str]:
    """The data of the events of a streamed response."""
    whole = response_object(message, prompt)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    yield json.dumps({"type": "response.created", "response": begun})
    for index, item in enumerate(whole["output"]):
        empty = {**item, "content": []} if item["type"] == "message" else {**item, "arguments": ""}
        yield json.dumps({"type": "response.output_item.added", "output_index": index, "item": empty})
        kind, text = (
            ("response.output_text.delta", item["content"][0]["text"])
            if item["type"] == "message"
            else ("response.function_call_arguments.delta", item["arguments"])
        )
        for piece in _pieces(text):
            yield json.dumps({"type": kind, "output_index": index, "item_id": item["id"], "delta": piece})
        yield json.dumps({"type": "response.output_item.done", "output_index": index, "item": item})
    yield json.dumps({"type": "response.completed", "response": whole})


def _items(message: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    if message["content"]:
        part = {"type": "output_text", "text": message["content"], "annotations": []}
        yield {"type": "message", "id": "m1", "role": "assistant", "status": "completed", "content": [part]}
    for number, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        yield {"type": "function_call", "id": f"f{number}", "call_id": call["id"], "status": "completed", **function}
