from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from toolmend.agents import (
    ChatAgent,
    ChatAgentConfig,
    ConfigError,
    Defer,
    Deny,
    DoneTool,
    Edit,
    ModelReply,
    RawCall,
    ScriptedClient,
    Task,
    approve_tools,
)
from toolmend.toolkit import ToolCall, ToolMessage, ToolUsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolmend.agents import TaskResult
    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]


class Delete(ToolMessage, name="delete"):
    """Delete a file."""

    path: str

    def handle(self) -> str:
        return f"deleted {self.path}"


class Show(ToolMessage, name="show"):
    """Show a file."""

    path: str

    def handle(self) -> str:
        return f"here is {self.path}"


def batch(*made: tuple[str, str, str]) -> ModelReply:
    """Calls through the API: name, path, id."""
    return ModelReply("", tuple(RawCall(name, json.dumps({"path": path}), call_id) for name, path, call_id in made))


def task(approve: Any, *script: Any, **settings: Any) -> Task:  # noqa: ANN401
    """A task whose model wants to delete one file and to show another, and then has a word to say."""
    lines = script or (batch(("delete", "a", "c1"), ("show", "b", "c2")), "ready")
    config = ChatAgentConfig(llm=ScriptedClient(lines), approve=approve, **settings)
    return Task(ChatAgent(config, [Delete, Show]))


def run(one: Task, *, is_async: bool) -> TaskResult:
    """Run in one of the two ways, which must not differ."""
    return asyncio.run(one.run_async("go")) if is_async else one.run("go")


def told(result: TaskResult) -> list[str]:
    """What the model was told of its calls."""
    return [message["content"] for message in result.messages if message["role"] == "tool"]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize(
    ("decision", "text"),
    [
        (None, "deleted a"),
        (True, "deleted a"),
        (False, "The call of 'delete' was not allowed to run."),
        (Deny("Never delete."), "Never delete."),
        (Edit({"path": "c"}), "deleted c"),
    ],
)
def test_a_decision_is_made_before_a_call_runs(
    decision: Any,  # noqa: ANN401
    text: str,
    is_async: bool,
    check_history: Check,
) -> None:
    """By a function, sync or async; the other calls run."""

    async def late(call: ToolCall) -> Any:  # noqa: ANN401
        await asyncio.sleep(0)
        return decision

    for ask in (lambda call: decision, late):
        result = run(task(approve_tools("delete", ask)), is_async=is_async)
        assert told(result) == [text, "here is b"]
        assert result.output == "ready"
        check_history(result.messages)


def test_the_history_shows_the_call_as_it_ran() -> None:
    """The result of an edited call would make no sense beside the arguments that the model gave."""
    result = task(approve_tools(Delete, lambda call: Edit({"path": "c"}))).run("go")
    assert json.loads(result.messages[1]["tool_calls"][0]["function"]["arguments"]) == {"path": "c"}
    assert [call.arguments for call in result.calls] == [{"path": "c"}, {"path": "b"}]


def test_the_history_shows_a_call_in_text_as_it_ran() -> None:
    """In the form that the prompt asked for."""
    wrote = 'I do it.\n{"name": "delete", "arguments": {"path": "a"}}'
    result = task(lambda call: Edit({"path": "c"}), wrote, "ready", use_tools=True).run("go")
    assert '{"name": "delete", "arguments": {"path": "c"}}' in result.messages[2]["content"]
    assert '"a"' not in result.messages[2]["content"]


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_call_that_waits_ends_the_run_until_it_is_decided(is_async: bool, check_history: Check) -> None:
    """The others have run; what would be sent in between is valid, and says that the call did not run."""
    one = task(approve_tools(Delete, lambda call: Defer()))
    result = run(one, is_async=is_async)
    assert (result.stop_reason, result.ok, [call.id for call in result.deferred]) == ("deferred", False, ["c1"])
    assert result.detail == "calls wait for a decision: delete"
    assert told(result) == ["Not executed: the conversation went on before this call was run.", "here is b"]
    check_history(result.messages)
    after = asyncio.run(one.resume_async({"c1": True})) if is_async else one.resume({"c1": True})
    assert (after.output, told(after)) == ("ready", ["deleted a", "here is b"])
    check_history(after.messages)


@pytest.mark.parametrize(
    ("decision", "text"),
    [(None, "deleted a"), (Deny("No."), "No."), (Edit({"path": "c"}), "deleted c")],
)
def test_a_call_that_waited_is_decided_as_any_other(decision: Any, text: str) -> None:  # noqa: ANN401
    """It may be denied and edited, too, and what ran before does not run again."""
    one = task(approve_tools(Delete, lambda call: Defer()))
    one.run("go")
    assert told(one.resume(lambda call: decision)) == [text, "here is b"]


def test_a_call_may_go_on_waiting() -> None:
    """Nobody has to decide on all at once."""
    script = [batch(("delete", "a", "c1"), ("delete", "b", "c2")), "ready"]
    one = task(lambda call: Defer("the owner"), *script)
    assert len(one.run("go").deferred) == 2
    middle = one.resume({"c2": False})
    assert [call.id for call in middle.deferred] == ["c1"]
    assert one.resume({"c1": True}).output == "ready"


@pytest.mark.parametrize(("decision", "reason"), [(True, "done"), (False, "answer")])
def test_a_result_beside_a_call_that_waits_counts_once_it_is_decided(decision: bool, reason: str) -> None:
    """It ends the run if the call is let through; if it is denied, the model is told first."""
    done = RawCall("done", '{"content": "tidy"}', "c2")
    first = ModelReply("", (*batch(("delete", "a", "c1")).tool_calls, done))
    one = task(approve_tools(Delete, lambda call: Defer()), first, "Not tidy, then.")
    one.agent.enable_message(DoneTool)
    assert one.run("go").stop_reason == "deferred"
    after = one.resume({"c1": decision})
    assert (after.stop_reason, after.output) == (reason, "tidy" if decision else "Not tidy, then.")


def test_who_goes_on_without_a_decision_leaves_the_call_undone(check_history: Check) -> None:
    """It cannot be decided on any more."""
    one = task(lambda call: Defer(), batch(("delete", "a", "c1")), "well")
    one.run("go")
    assert one.run("never mind").output == "well"
    check_history(one.agent.messages)
    with pytest.raises(ToolUsageError, match="no call waits for a decision"):
        one.resume({"c1": True})


def test_decisions_on_what_does_not_wait_are_refused() -> None:
    """A slip of the pen would let a call wait for ever."""
    one = task(approve_tools(Delete, lambda call: Defer()))
    with pytest.raises(ToolUsageError, match="no call waits for a decision"):
        one.resume({})
    one.run("go")
    with pytest.raises(ToolUsageError, match="no call of the id 'c2' waits; there are: c1"):
        one.resume({"c2": True})
    wrong: Any = True
    with pytest.raises(ConfigError, match="resolve: decisions by the ids of calls, or a function of one call, are"):
        one.resume(wrong)


@pytest.mark.parametrize(("tools", "ask"), [((), print), (3, print), ([None], print), ("delete", "yes")])
def test_what_cannot_be_asked_is_refused(tools: Any, ask: Any) -> None:  # noqa: ANN401
    """A mistake here would let calls run that nobody was asked about."""
    with pytest.raises(ConfigError, match="approve_tools: "):
        approve_tools(tools, ask)
