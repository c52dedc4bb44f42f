from __future__ import annotations

import asyncio
import json
import pathlib

import pytest

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, Task, TaskResult, Usage
from toolmend.agents.clients.base import LLMClient, StreamingClient
from toolmend.agents.clients.openai import OpenAIConfig
from toolmend.agents.errors import RecordingError
from toolmend.agents.testing import RecordedClient, forbid_real_requests
from toolmend.toolkit import ToolMessage

NOWHERE = OpenAIConfig(model="m", base_url="http://127.0.0.1:9/v1", max_retries=0)


class Note(ToolMessage, name="note"):
    """Keep a note."""

    text: str

    def handle(self) -> str:
        return "kept"


def script() -> ScriptedClient:
    """A model that calls the tool wrongly, and then says something."""
    call = RawCall("note", '{"text": "é",}', "c1")
    return ScriptedClient([ModelReply(tool_calls=(call,), finish_reason="tool_calls", usage=Usage(5, 2)), "Noted."])


def run(client: LLMClient, said: str = "Note é") -> TaskResult:
    """What comes of a run."""
    return Task(ChatAgent(ChatAgentConfig(llm=client), [Note])).run(said)


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    """A recording of one run."""
    path = tmp_path / "new" / "note.json"
    assert run(RecordedClient(path, script(), record=True)).output == "Noted."
    return path


def test_a_recorded_run_is_replayed_without_the_model(path: pathlib.Path) -> None:
    """Waited for, streamed or async: the same calls, words and costs."""
    with forbid_real_requests():
        result = run(RecordedClient(path, NOWHERE))
        assert (result.output, result.usage) == ("Noted.", Usage(5, 2))
        stream = Task(ChatAgent(ChatAgentConfig(llm=RecordedClient(path, NOWHERE)), [Note])).stream("Note é")
        assert [type(event).__name__ for event in stream][-1] == "RunEnded"
        task = Task(ChatAgent(ChatAgentConfig(llm=RecordedClient(path, NOWHERE)), [Note]))
        assert asyncio.run(task.run_async("Note é")).output == "Noted."


def test_it_is_a_client_that_streams(path: pathlib.Path) -> None:
    """As agents ask for."""
    assert isinstance(RecordedClient(path, NOWHERE), StreamingClient)


def test_an_async_run_is_recorded_as_well(tmp_path: pathlib.Path, path: pathlib.Path) -> None:
    """The file is the same."""
    client = RecordedClient(tmp_path / "other.json", script(), record=True)
    asyncio.run(Task(ChatAgent(ChatAgentConfig(llm=client), [Note])).run_async("Note é"))
    assert (tmp_path / "other.json").read_text() == path.read_text()


def test_a_request_that_is_not_in_the_recording_fails_the_test_and_not_the_run(path: pathlib.Path) -> None:
    """It tells what is asked otherwise; whoever changed the prompt sees it at once."""
    with pytest.raises(RecordingError, match=r"(?s)does not fit.*at /messages/0/content: wanted \"Note é\".*\"More\""):
        run(RecordedClient(path, NOWHERE), "More")


def test_a_recording_is_used_up(path: pathlib.Path) -> None:
    """Each reply is given once."""
    client = RecordedClient(path, NOWHERE)
    run(client)
    with pytest.raises(RecordingError, match="it has 2 replies, and one more was asked for"):
        run(client)


def test_requests_that_are_made_side_by_side_find_their_replies(tmp_path: pathlib.Path) -> None:
    """In whatever order they come."""
    path = tmp_path / "two.json"
    recording = RecordedClient(path, ScriptedClient(["one", "two"]), record=True)
    assert [run(recording, said).output for said in ("1", "2")] == ["one", "two"]
    replay = RecordedClient(path, NOWHERE)
    assert [run(replay, said).output for said in ("2", "1")] == ["two", "one"]


def test_a_recording_that_is_not_there_is_asked_for(tmp_path: pathlib.Path) -> None:
    """The model is never asked instead."""
    with pytest.raises(RecordingError, match=r"there is no recording .*none\.json; record it once"):
        RecordedClient(tmp_path / "none.json", script())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "cannot be read"),
        ("[]", "is none; record it again"),
        ('{"version": 2}', "has version 2, not 1"),
        ('{"version": 1, "exchanges": [{"request": {}, "reply": {"text": 7}}]}', "is none; record it again"),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path: pathlib.Path, text: str, told: str) -> None:
    """With the file's name."""
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(RecordingError, match=rf"bad\.json {told}"):
        RecordedClient(tmp_path / "bad.json", NOWHERE)


def test_a_recording_can_be_reviewed(path: pathlib.Path) -> None:
    """It is indented JSON with the words of the model, and without what a client keeps for itself."""
    [first, _] = json.loads(path.read_text(encoding="utf-8"))["exchanges"]
    assert first["reply"]["tool_calls"] == [{"name": "note", "arguments": '{"text": "é",}', "id": "c1"}]
    assert "é" in path.read_text(encoding="utf-8")
    assert set(first["request"]) == {"messages", "tools", "max_tokens"}
