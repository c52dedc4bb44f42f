"""Calls that wait for a decision when a conversation is stored, and are decided where it is gone on with."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest
from strictness import chat_complaint

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, SessionStore, Task
from toolmend.agents.approval import approve_tools
from toolmend.agents.errors import TranscriptError
from toolmend.toolkit import Defer, Deny, Edit, ToolMessage
from toolmend.toolkit.errors import ToolUsageError


class Delete(ToolMessage, name="delete"):
    """Delete a file."""

    path: str

    def handle(self) -> str:
        RAN.append(f"delete {self.path}")
        return f"deleted {self.path}"


class Look(ToolMessage, name="look"):
    """Look at a file."""

    path: str

    def handle(self) -> str:
        RAN.append(f"look {self.path}")
        return f"here is {self.path}"


RAN: list[str] = []
CALLS = (
    RawCall("delete", '{"path": "a"}', "c1"),
    RawCall("look", "{'path': 'b'}", "c2"),
    RawCall("look", '{"way": "b"}', "c3"),
)


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


def agent(*script: str | ModelReply, tools: tuple[type[ToolMessage], ...] = (Delete, Look)) -> ChatAgent:
    """An agent whose deletions wait."""
    config = ChatAgentConfig(
        llm=ScriptedClient(script), approve=approve_tools("delete", lambda call: Defer("the owner"))
    )
    return ChatAgent(config, list(tools))


def stored(*calls: RawCall) -> str:
    """A conversation in which a call waits, as it is exported."""
    one = agent(ModelReply(tool_calls=calls or CALLS, finish_reason="tool_calls"))
    assert Task(one).run("go").stop_reason == "deferred"
    RAN.clear()
    return one.export_history()


def told(one: ChatAgent) -> list[Any]:
    """The results as the model is told them, after a look at the whole conversation."""
    assert chat_complaint({"model": "m", "messages": one.messages}) is None
    return [message["content"] for message in one.messages if message["role"] == "tool"]


@pytest.mark.parametrize(
    ("decision", "ran", "text"),
    [
        (True, ["delete a"], "deleted a"),
        (Deny("Keep it."), [], "Keep it."),
        (Edit({"path": "z"}), ["delete z"], "deleted z"),
    ],
)
def test_a_call_is_decided_by_another_agent(decision: Any, ran: list[str], text: str) -> None:  # noqa: ANN401
    """It runs once it is let through; what ran before does not run again, and its results stand as they were."""
    one = agent("ready")
    one.import_history(stored())
    before = told(one)
    result = Task(one).resume({"c1": decision})
    assert (result.output, RAN) == ("ready", ran)
    assert told(one) == [text, *before[1:]]


def test_the_conversation_is_the_same_before_anything_is_decided() -> None:
    """Stored once more it is the same text, so that it may wait as long as it takes."""
    text = stored()
    one = agent()
    one.import_history(text)
    assert one.export_history() == text


def test_a_call_that_was_edited_before_stays_edited() -> None:
    """While another one of the same turn goes on waiting, over several stops."""
    two = (CALLS[0], RawCall("delete", '{"path": "b"}', "c2"))
    first = agent()
    first.import_history(stored(*two))
    first.resolve({"c1": Edit({"path": "z"})})
    second = agent("ready")
    second.import_history(first.export_history())
    assert Task(second).resume({"c2": True}).output == "ready"
    assert RAN == ["delete z", "delete b"]
    arguments = [call["function"]["arguments"] for call in second.messages[1]["tool_calls"]]
    assert [json.loads(one) for one in arguments] == [{"path": "z"}, {"path": "b"}]


def test_who_goes_on_without_deciding_gives_the_call_up() -> None:
    """It then counts as not executed, as it does without a stop in between."""
    one = agent("what now?")
    one.import_history(stored())
    assert Task(one).run("Never mind.").output == "what now?"
    assert told(one)[0].startswith("Not executed")
    with pytest.raises(ToolUsageError, match="no call waits"):
        one.resolve({"c1": True})


@pytest.mark.parametrize("tools", [(Look,), ()])
def test_a_call_that_the_tools_no_longer_read_does_not_wait(tools: tuple[type[ToolMessage], ...]) -> None:
    """The conversation can be gone on with all the same."""
    text = stored()
    one = agent("ready", tools=tools)
    one.import_history(text)
    assert one.export_history() == text
    with pytest.raises(ToolUsageError, match="no call waits"):
        one.resolve({"c1": True})
    assert Task(one).run("go on").output == "ready"


def test_a_copy_of_an_agent_waits_for_nothing() -> None:
    """The same call must not be let through twice."""
    one = agent()
    one.import_history(stored())
    with pytest.raises(ToolUsageError, match="no call waits"):
        one.clone(history=True).resolve({"c1": True})


@pytest.mark.parametrize(
    ("at", "waiting"),
    [(0, True), (1, True), (2, "yes"), (2, 1)],
)
def test_only_the_result_of_a_call_can_be_waited_for(at: int, waiting: object) -> None:
    """Anything else was never exported."""
    data = json.loads(stored())
    data["entries"][at]["waiting"] = waiting
    with pytest.raises(TranscriptError, match=rf"entries\[{at}\]\.waiting"):
        agent().import_history(json.dumps(data))


@pytest.mark.parametrize("arguments", ["{", "[]", '{"path": "other"}'])
def test_what_was_changed_by_another_hand_does_not_wait(arguments: str) -> None:
    """The call that would run is the one that was stored, or none."""
    data = json.loads(stored())
    data["entries"][1]["message"]["tool_calls"][0]["function"]["arguments"] = arguments
    one = agent()
    one.import_history(json.dumps(data))
    with pytest.raises(ToolUsageError, match="no call waits"):
        one.resolve({"c1": True})


def test_a_session_waits_for_a_decision_too(tmp_path: pathlib.Path) -> None:
    """Whoever is to decide may do so days later, in another process."""
    with SessionStore(f"sqlite:///{tmp_path / 'chats.db'}") as store:
        one, session = agent(ModelReply(tool_calls=CALLS, finish_reason="tool_calls")), store.session("ann")
        session.resume(one)
        assert Task(one).run("go").stop_reason == "deferred"
        session.save(one)
        RAN.clear()
        other, session = agent("ready"), store.session("ann")
        session.resume(other)
        assert Task(other).resume({"c1": True}).output == "ready"
        session.save(other)
        last = agent()
        store.session("ann").resume(last)
    assert RAN == ["delete a"]
    assert told(last)[0] == "deleted a"
