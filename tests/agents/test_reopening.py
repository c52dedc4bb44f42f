"""Calls that wait for a decision when a conversation is stored, and are decided where it is gone on with."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
from typing import Any

import pytest
import session_writer
from strictness import chat_complaint

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, SessionStore, Task
from toolmend.agents.approval import approve_tools
from toolmend.agents.errors import TranscriptError
from toolmend.toolkit import DIALECTS, Defer, Deny, Edit, ToolMessage, ToolRegistry
from toolmend.toolkit.errors import ModelRetry, ToolUsageError


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


class Break(ToolMessage, name="break"):
    """Fail."""

    def handle(self) -> str:
        raise OSError("it is stuck")


class Again(ToolMessage, name="again"):
    """Ask for another call."""

    def handle(self) -> str:
        raise ModelRetry("Look first.")


RAN: list[str] = []
CALLS = (
    RawCall("delete", '{"path": "a"}', "c1"),
    RawCall("look", "{'path': 'b'}", "c2"),
    RawCall("look", '{"way": "b"}', "c3"),
)


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


MODES = ("use_tools", "use_functions_api", "use_tools_api")


def agent(
    *script: str | ModelReply,
    tools: tuple[type[ToolMessage], ...] = (Delete, Look),
    mode: str = "use_tools_api",
    dialect: str = "json",
) -> ChatAgent:
    """An agent whose deletions wait."""
    chosen: dict[str, Any] = {mode: True, "dialect": dialect}
    config = ChatAgentConfig(
        llm=ScriptedClient(script), approve=approve_tools("delete", lambda call: Defer("the owner")), **chosen
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
    ("at", "held"),
    [
        (0, {"trusted": True, "calls": []}),
        (2, {"trusted": True, "calls": []}),
        (1, []),
        (1, {"calls": []}),
        (1, {"trusted": 1, "calls": []}),
        (1, {"trusted": True, "calls": [["waiting", "x"]]}),
        (1, {"trusted": True, "calls": [["waits", "x", None]]}),
        (1, {"trusted": True, "calls": [["waiting", None, None]]}),
        (1, {"trusted": True, "calls": [["waiting", "x", "{}"]]}),
    ],
)
def test_what_is_held_of_calls_is_checked(at: int, held: object) -> None:
    """Anything else was never exported."""
    data = json.loads(stored())
    data["entries"][at]["held"] = held
    with pytest.raises(TranscriptError, match=rf"entries\[{at}\]\.held"):
        agent().import_history(json.dumps(data))


@pytest.mark.parametrize(
    "calls",
    [
        [],
        [["waiting", "x", None]],
        [["waiting", "x", None], ["ran", "x", None], ["ran", "x", None]],
        [["waiting", "x", {"way": 1}], ["ran", "here is b", None], ["failed", "x", None]],
    ],
)
def test_what_was_held_of_other_calls_does_not_wait(calls: list[Any]) -> None:
    """A conversation that does not hold together can be gone on with, and nothing is run in it."""
    data = json.loads(stored())
    data["entries"][1]["held"]["calls"] = calls
    one = agent("ready")
    one.import_history(json.dumps(data))
    with pytest.raises(ToolUsageError, match="no call waits"):
        one.resolve({"c1": True})
    assert Task(one).run("go on").output == "ready"


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


@pytest.mark.parametrize("dialect", DIALECTS)
def test_calls_in_text_wait_too(dialect: str) -> None:
    """They have no ids, so a function decides on them; in each form in which calls are asked for."""
    how: dict[str, Any] = {"mode": "use_tools", "dialect": dialect}
    tools = ToolRegistry([Delete])
    text = tools.render(tools.parse_text('{"name": "delete", "arguments": {"path": "a"}}').calls, dialect)
    one = agent(f"I delete it.\n{text}", **how)
    assert Task(one).run("go").stop_reason == "deferred"
    other = agent("ready", **how)
    other.import_history(one.export_history())
    assert other.messages == one.messages
    assert Task(other).resume(lambda call: True).output == "ready"
    assert RAN == ["delete a"]
    assert other.messages[-2]["content"] == "Result of delete: deleted a"


def test_a_legacy_function_waits_too() -> None:
    """It has no id either."""
    how: dict[str, Any] = {"mode": "use_functions_api"}
    one = agent(ModelReply(tool_calls=(RawCall("delete", '{"path": "a"}'),), finish_reason="function_call"), **how)
    assert Task(one).run("go").stop_reason == "deferred"
    other = agent("ready", **how)
    other.import_history(one.export_history())
    assert Task(other).resume(lambda call: True).output == "ready"
    assert chat_complaint({"model": "m", "messages": other.messages}) is None
    assert (RAN, other.messages[-2]["content"]) == (["delete a"], "deleted a")


@pytest.mark.parametrize("mode", MODES)
def test_what_failed_beside_a_call_that_waits_has_failed_still(mode: str) -> None:
    """What each call came to is kept, and not guessed from its text."""
    calls = (RawCall("delete", '{"path": "a"}', "c1"), RawCall("break", "{}", "c2"), RawCall("again", "{}", "c3"))
    reply = ModelReply(tool_calls=calls, finish_reason="tool_calls")
    one = agent(reply, tools=(Delete, Break, Again), mode=mode)
    assert Task(one).run("go").stop_reason == "deferred"
    other = agent("ready", tools=(Delete, Break, Again), mode=mode)
    other.import_history(one.export_history())
    results = other.resolve(lambda call: True).results
    assert [(result.ok, result.retry) for result in results] == [(True, False), (False, False), (False, True)]
    assert RAN == ["delete a"]


def test_a_call_that_waits_runs_with_the_trust_it_had() -> None:
    """What only a user may have written does not run a tool that is no longer offered, even after it was stored."""
    one = agent()
    response = one.agent_response('{"name": "delete", "arguments": {"path": "a"}}')
    assert response is not None
    assert [call.name for call in response.deferred] == ["delete"]
    other = agent(tools=())
    other.enable_message(Delete, use=False)
    other.import_history(one.export_history())
    assert "is not offered" in other.resolve(lambda call: True).text
    assert RAN == []


def test_nothing_is_held_of_a_turn_once_the_conversation_went_on() -> None:
    """Its calls are answered then."""
    one = agent("what now?")
    one.import_history(stored())
    Task(one).run("Never mind.")
    assert all(entry.held is None for entry in one.history)


def test_two_processes_ask_and_decide(tmp_path: pathlib.Path) -> None:
    """One asks for the approval and ends; another one, that knows nothing but the database, decides."""
    url = f"sqlite:///{tmp_path / 'chats.db'}"
    for role in ("asks", "decides"):
        command = [sys.executable, session_writer.__file__, url, "ann", role]
        subprocess.run(command, check=True, timeout=60)
    one = session_writer.agent()
    with SessionStore(url) as store:
        assert store.session("shared").resume(one)
    assert told(one) == ["kept pay the bill", "kept look first"]
    assert one.messages[-1]["content"] == "done: pay the bill"
