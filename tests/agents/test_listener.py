"""Who listens to an agent is told once of what was read out of each reply."""

from __future__ import annotations

import pathlib

import pytest

from toolmend.agents import ChatAgent, ChatAgentConfig, ConfigError, ModelReply, RawCall, ScriptedClient, Task
from toolmend.toolkit import ParseResult, RepairLog, ToolMessage


class Note(ToolMessage, name="note"):
    """Keep a note."""

    text: str

    def handle(self) -> str:
        return "kept"


def call(arguments: str) -> ModelReply:
    """A call of the tool through the API."""
    return ModelReply(tool_calls=(RawCall("note", arguments, "c1"),), finish_reason="tool_calls")


@pytest.mark.parametrize("stream", [False, True])
def test_a_run_tells_each_reply_once(stream: bool) -> None:
    """Waited for or streamed; the results are those whose calls then run."""
    heard: list[ParseResult] = []
    client = ScriptedClient([call('{"text": 7}'), call("{}"), "Noted."])
    task = Task(ChatAgent(ChatAgentConfig(llm=client, listener=heard.append), [Note]))
    if stream:
        for _ in task.stream("Note 7"):
            pass
    else:
        task.run("Note 7")
    assert [(len(result.calls), len(result.errors), result.text) for result in heard] == [
        *((1, 0, ""), (0, 1, ""), (0, 0, "Noted."))
    ]


def test_a_reply_that_is_handed_over_is_told_once_too() -> None:
    """It is answered later, by the same turn; tools that are added since have it read again, but not told again."""
    heard: list[ParseResult] = []
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient([]), listener=heard.append), [Note])
    reply = call('{"text": "tea",}')
    agent.agent_response(reply)
    agent.agent_response(reply)
    assert len(heard) == 1
    agent.agent_response("Just words.")
    agent.disable_message(Note)
    assert len(heard) == 2


def test_a_repair_log_listens_to_an_agent(tmp_path: pathlib.Path) -> None:
    """With the ids that the provider gave, by which records and transcripts are brought together."""
    log = RepairLog(tmp_path / "repairs.jsonl")
    client = ScriptedClient([call('{"text": "tea",}'), "Noted."])
    Task(ChatAgent(ChatAgentConfig(llm=client, listener=log), [Note])).run("Note tea")
    assert [(record.outcome, record.tool, record.id) for record in log.records()] == [("mended", "note", "c1")]


def test_what_cannot_listen_is_refused() -> None:
    """By the name of the setting."""
    with pytest.raises(ConfigError, match=r"listener: a function is needed, got 'log\.jsonl'"):
        ChatAgentConfig(llm=ScriptedClient([]), listener="log.jsonl")
