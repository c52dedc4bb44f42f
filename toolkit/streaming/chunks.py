"""Puts the chunks of Chat Completions together: the text, and the calls through the API, however a server cuts them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.wire import ModelReply, read_reply

__all__ = ("ApiCall", "Chunks")


@dataclass(slots=True)
class ApiCall:
    """A call through the API that is still being written.

    Attributes:
        number: which call of the reply it is, from 0 on.
        name: its name so far.
        id: its id; empty as long as none is known.
        pieces: the text of its arguments so far.
    """

    number: int
    name: str = ""
    id: str = ""
    pieces: list[str] = field(default_factory=list)

    def take(self, call_id: str, name: str, arguments: str) -> None:
        """Add one fragment.

        Args:
            call_id: the id in it, which counts if there was none yet.
            name: the name in it: a part of it, or all of it once more.
            arguments: the next part of the arguments.
        """
        self.id = self.id or call_id
        if name != self.name:
            self.name += name
        if arguments:
            self.pieces.append(arguments)

    @property
    def effective_id(self) -> str:
        """Its id, or the one that a call without any is given."""
        return self.id or f"call_{self.number + 1}"

    def written(self) -> dict[str, Any]:
        """The call as it stands in a whole message."""
        function = {"name": self.name, "arguments": "".join(self.pieces)}
        return {"id": self.effective_id, "type": "function", "function": function}


class Chunks:
    """The chunks of one reply, put together.

    Attributes:
        calls: the calls through the API, in the order in which they began.
        legacy: the call of the old `function_call`; None if there is none.
        refusal: the words in which the provider says that the model refuses.
        finish_reason: why the model stopped; None as long as nobody said so.
    """

    def __init__(self) -> None:
        self.calls: list[ApiCall] = []
        self.legacy: ApiCall | None = None
        self.refusal = ""
        self.finish_reason: str | None = None
        self._texts: list[str] = []
        self._usage: object = None
        self._by_index: dict[int, ApiCall] = {}
        self._by_id: dict[str, ApiCall] = {}

    def add_text(self, text: str) -> None:
        """Add to the text.

        Args:
            text: the next part of it.
        """
        self._texts.append(text)

    def add(self, chunk: object) -> tuple[str, list[ApiCall]]:
        """Add a chunk.

        Args:
            chunk: a chunk of Chat Completions, as a dict or as an object of the `openai` package.

        Returns:
            The text in it, and the calls that it adds to.

        Raises:
            ToolUsageError: if it is no such chunk.
        """
        if not (isinstance(chunk, Mapping) and "choices" in chunk) and not hasattr(chunk, "choices"):
            raise ToolUsageError(
                f"{chunk!r:.80} is no chunk of Chat Completions: it has no `choices`; give the chunks as the client "
                "hands them out, or text as a string"
            )
        self._usage = _get(chunk, "usage") or self._usage
        text, touched = "", []
        for choice in _items(_get(chunk, "choices")):
            if _get(choice, "index") in (None, 0):  # other choices are other replies
                more, calls = self._choice(choice)
                text += more
                touched += calls
        self._texts.append(text)
        return text, touched

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    def reply(self) -> ModelReply:
        """The reply so far, as if it had come in one piece."""
        message = {"content": self.text, "tool_calls": [call.written() for call in self.calls]}
        if self.legacy is not None:
            message["function_call"] = self.legacy.written()["function"]
        return read_reply(
            {"choices": [{"message": message, "finish_reason": self.finish_reason}], "usage": self._usage}
        )

    # ------------------------------------------------------------------ behind

    def _choice(self, choice: object) -> tuple[str, list[ApiCall]]:
        reason = _get(choice, "finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
        delta = _get(choice, "delta")
        message = None if delta else _get(choice, "message")  # some servers end with the whole message
        delta = delta or message
        refusal = _get(delta, "refusal")
        self.refusal += _text(refusal).removeprefix(self.refusal if message else "")
        items = [item for item in _items(_get(delta, "tool_calls")) if not (message and self._is_told(item))]
        touched = [call for item in items if (call := self._fragment(item)) is not None]
        legacy = _get(delta, "function_call")
        if legacy is not None and not (message and self._is_told({"function": legacy})):
            self.legacy = self.legacy or ApiCall(0)
            self.legacy.take("", _text(_get(legacy, "name")), _arguments(legacy))
            if not self.calls:
                touched.append(self.legacy)
        content = _get(delta, "content")
        text = content if isinstance(content, str) else read_reply({"content": content}).text
        return text.removeprefix(self.text if message else ""), touched

    def _is_told(self, item: object) -> bool:
        """Whether a call of a whole message was told before, bit by bit."""
        function = _get(item, "function")
        written = (_text(_get(function, "name")), _arguments(function))
        told = (*self.calls, *([self.legacy] if self.legacy is not None else ()))
        return any((call.name, "".join(call.pieces)) == written for call in told)

    def _fragment(self, item: object) -> ApiCall | None:
        """One fragment of a call; None if it says nothing."""
        function = _get(item, "function") or _get(item, "custom")
        name, arguments = _text(_get(function, "name")), _arguments(function)
        call_id, index = _text(_get(item, "id")), _get(item, "index")
        if not (call_id or name or arguments or isinstance(index, int)):
            return None
        call = self._by_index.get(index) if isinstance(index, int) else self._without_index(call_id, name)
        if call is None or (name and call_id and call.id and call_id != call.id):  # some servers count none: index 0
            call = ApiCall(len(self.calls))
            self.calls.append(call)
        if isinstance(index, int):
            self._by_index[index] = call
        if call_id:
            self._by_id.setdefault(call_id, call)
        call.take(call_id, name, arguments)
        return call

    def _without_index(self, call_id: str, name: str) -> ApiCall | None:
        """The call that a fragment without an index belongs to: by its id, else the last one until a name follows."""
        if call_id in self._by_id or not self.calls:
            return self._by_id.get(call_id)
        last = self.calls[-1]
        begins = bool(name) and bool(last.pieces)
        return None if begins or (call_id and last.id) else last


def _get(holder: object, key: str) -> Any:  # noqa: ANN401 - servers put anything there
    return holder.get(key) if isinstance(holder, Mapping) else getattr(holder, key, None)


def _items(value: object) -> list[Any]:
    """The items of a list, one that stands alone, without the nulls that servers put there."""
    items = value if isinstance(value, (list, tuple)) else [value]
    return [item for item in items if item is not None]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _arguments(function: object) -> str:
    """The text of the arguments; some servers hand over an object in its place."""
    value = _get(function, "arguments")
    value = _get(function, "input") if value is None else value
    if value is None or isinstance(value, str):
        return value or ""
    [call] = read_reply({"function_call": {"name": "", "arguments": value}}).tool_calls
    return call.arguments
