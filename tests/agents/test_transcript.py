from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from toolmend.agents import (
    ChatAgent,
    ChatAgentConfig,
    ModelReply,
    RawCall,
    ScriptedClient,
    Task,
    TranscriptError,
    Usage,
)
from toolmend.agents.transcript import VERSION, entry_data, entry_of, read_transcript
from toolmend.toolkit import ToolMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]


class Add(ToolMessage, name="add"):
    """Add numbers."""

    numbers: list[int]

    def handle(self) -> int:
        return sum(self.numbers)


MODES = ["use_tools", "use_functions_api", "use_tools_api"]


def agent(*script: Any, mode: str = "use_tools_api") -> ChatAgent:  # noqa: ANN401
    """An agent that can add."""
    chosen: dict[str, Any] = {mode: True}
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(script), **chosen), [Add])


def conversation(mode: str = "use_tools_api") -> ChatAgent:
    """An agent that has added."""
    call_id = "c1" if mode == "use_tools_api" else None
    reply = ModelReply("", (RawCall("add", "{'numbers': [1, 2,]}", call_id),), "tool_calls", Usage(3, 4))
    one = agent(reply, "Three: 3 é \U0001f600.", mode=mode)
    assert Task(one).run("1 and 2?").ok
    return one


@pytest.mark.parametrize("mode", MODES)
def test_a_conversation_comes_back_as_it_was(mode: str, check_history: Check) -> None:
    """With who spoke, and what the model wrote word for word; and it can be gone on with."""
    one = conversation(mode)
    text = one.export_history()
    other = agent("Still 3.", mode=mode)
    other.import_history(text)
    assert other.history == one.history
    assert other.messages == one.messages
    assert other.export_history() == text
    assert Task(other).run("sure?").output == "Still 3."
    check_history(other.messages)


def test_a_conversation_is_exported_with_every_call_answered(check_history: Check) -> None:
    """Also in the middle of a turn."""
    one = agent(ModelReply("", (RawCall("add", '{"numbers": [1]}', "c1"),)), "x")
    one.llm_response("go")
    other = agent("x")
    other.import_history(one.export_history())
    check_history(other.messages)
    assert other.messages[-1]["content"].startswith("Not executed")


def test_entries_come_back_one_by_one() -> None:
    """For stores that keep each on its own."""
    for entry in conversation().history:
        assert entry_of(json.loads(json.dumps(entry_data(entry)))) == entry


def test_an_import_replaces_the_conversation() -> None:
    """What was there before is gone, the opening is the agent's own."""
    other = agent("old")
    other.llm_response("before")
    other.import_history(conversation().export_history())
    assert other.history[0].message["content"] == "1 and 2?"


def changed(change: Callable[[dict[str, Any]], object]) -> str:
    """The transcript with something wrong in it."""
    data = json.loads(conversation().export_history())
    change(data)
    return json.dumps(data)


def set_at(*path: Any) -> Callable[[dict[str, Any]], object]:  # noqa: ANN401
    """Put the last of the arguments at the place that the others lead to."""

    def change(data: Any) -> None:  # noqa: ANN401
        *way, last, value = path
        for key in way:
            data = data[key]
        data[last] = value

    return change


FAULTS = [
    (set_at("format", "other"), "\"format\": 'toolmend-history' is needed"),
    (set_at("version", VERSION + 1), f'"version": only 1 and {VERSION} can be read, got {VERSION + 1}'),
    (set_at("version", True), '"version": only'),
    (set_at("entries", {}), '"entries": a list is needed'),
    (set_at("entries", 0, "x"), "entries[0]: an object is needed, got 'x'"),
    (set_at("entries", 0, "origin", "nobody"), "entries[0].origin: one of user, model, tool is needed, got 'nobody'"),
    (set_at("entries", 0, "message", "role", "assistant"), "entries[0].message: a message of role user is needed"),
    (set_at("entries", 0, "message", "content", 5), "entries[0].message: no message that Chat Completions take"),
    (set_at("entries", 1, "message", "tool_calls", 0, "id", 7), "entries[1].message: no message"),
    (set_at("entries", 1, "message", "tool_calls", []), "entries[1].message: no message"),
    (set_at("entries", 1, "message", "tool_calls", 0, "function", "arguments", {}), "entries[1].message: no message"),
    (set_at("entries", 1, "reply", "tool_calls", [["add"]]), "entries[1].reply: no reply of a model"),
    (set_at("entries", 1, "reply", "text", None), "entries[1].reply: no reply of a model"),
    (set_at("entries", 1, "reply", "usage", ["1", 2]), "entries[1].reply: no reply of a model"),
    (set_at("entries", 2, "message", "tool_call_id", "c9"), "entries[2]: an answer to 'c9', which is no open call"),
    (lambda data: data["entries"].pop(2), "entries[2]: the call 'c1' has no answer before this"),
    (lambda data: data["entries"].__delitem__(slice(2, None)), "entries: the call 'c1' has no answer"),
    (lambda data: data["entries"].extend(data["entries"][1:3]), "entries[4]: the id 'c1' was used before"),
    (lambda data: data["entries"].insert(0, data["entries"][2]), "entries[0]: an answer to 'c1', which is no open"),
]


def test_a_transcript_can_be_written_to_a_file_whatever_was_said() -> None:
    """Half of a surrogate pair is escaped, and comes back as it was."""
    one = agent(ModelReply("a\ud800", (RawCall("add", '{"numbers": "\udfff"}', "c1"),)), "x")
    Task(one).run("go \ud800 é")
    other = agent("x")
    other.import_history(one.export_history().encode().decode())
    assert other.history == one.history


def test_a_transcript_of_the_first_version_is_read() -> None:
    """What is stored today can be gone on with by any later version."""
    one = agent("x")
    one.import_history(changed(set_at("version", 1)))
    assert one.history == conversation().history


@pytest.mark.parametrize(("change", "told"), FAULTS)
def test_what_could_not_be_sent_is_refused(change: Callable[[dict[str, Any]], object], told: str) -> None:
    """The error names the place, and the conversation stands as before."""
    one = agent("x")
    one.llm_response("before")
    before = copy.deepcopy(one.history)
    with pytest.raises(TranscriptError) as caught:
        one.import_history(changed(change))
    assert told in str(caught.value)
    assert one.history == before


@pytest.mark.parametrize("wrong", ["", "{", "[]", "5", '"x"', "[" * 100_000, None, 5])
def test_what_is_no_transcript_is_refused(wrong: Any) -> None:  # noqa: ANN401
    """Whatever it is."""
    with pytest.raises(TranscriptError):
        read_transcript(wrong)
