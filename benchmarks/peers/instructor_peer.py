"""instructor: a response model read from a completion with one tool call."""

from __future__ import annotations

from instructor import Mode, openai_schema
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from peers.base import Peer, Read


def _completion(name: str, arguments: str) -> ChatCompletion:
    function = {"name": name, "arguments": arguments}
    message = {"role": "assistant", "content": None}
    message["tool_calls"] = [{"id": "c1", "type": "function", "function": function}]  # type: ignore[assignment]
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    whole = {"id": "x", "created": 0, "model": "m", "object": "chat.completion", "choices": [choice]}
    return ChatCompletion.model_validate(whole)


def _arguments(tool: type[BaseModel]) -> Read:
    model = openai_schema(tool)
    completion = _completion(tool.__name__, "{}")
    function = completion.choices[0].message.tool_calls[0].function  # type: ignore[index, union-attr]

    def read(text: str) -> object:
        function.arguments = text  # the completion itself is the client's work, and not measured
        return model.from_response(completion, mode=Mode.TOOLS)

    return read


def peer() -> Peer:
    """The peer."""
    return Peer("instructor", "instructor", "import instructor; instructor.openai_schema", _arguments)
