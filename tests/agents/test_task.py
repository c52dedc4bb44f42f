from __future__ import annotations

import asyncio
import itertools
import json
from typing import TYPE_CHECKING, Any, Literal, get_args

import pytest

from toolmend.agents import Budgets, ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, Task, Usage
from toolmend.agents.errors import ConfigError, LLMTimeoutError, ScriptExhaustedError, TaskFailedError
from toolmend.agents.task import StopReason, TaskResult
from toolmend.toolkit import ToolDefinitionError, ToolMessage, ToolUsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from toolmend.agents.clients.base import ChatRequest
    from toolmend.agents.clients.scripted import Line
    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]


class Paint(ToolMessage, name="paint"):
    """Paint something."""

    color: Literal["red", "green"]

    def handle(self) -> str:
        return f"painted {self.color}"


def paint(color: str, call_id: str | None = None, name: str = "paint") -> ModelReply:
    """A call through the API."""
    return ModelReply(tool_calls=(RawCall(name, json.dumps({"color": color}), call_id),), finish_reason="tool_calls")


def task(script: Iterable[Line] | Callable[[ChatRequest], Line], **settings: Budgets | int) -> Task:
    """A task whose model says what stands in the script."""
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient(script)), [Paint])
    return Task(agent, **settings)  # type: ignore[arg-type]  # settings of several types


def run(one: Task, text: str | None = "go", *, is_async: bool = False) -> TaskResult:
    """Run in one of the two ways, which must not differ."""
    return asyncio.run(one.run_async(text)) if is_async else one.run(text)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_errors_go_back_until_the_model_answers(is_async: bool, check_history: Check) -> None:
    """Faulty calls are answered by errors, good ones are run, and a text without a call is the output."""
    result = run(task([paint("blue"), paint("RED"), "It is red."]), is_async=is_async)
    assert (result.output, result.stop_reason, result.turns, result.ok) == ("It is red.", "answer", 3, True)
    assert [(call.name, call.arguments) for call in result.calls] == [("paint", {"color": "red"})]
    assert [repair.rule for repair in result.calls[0].repairs] == ["enum-spelling"]
    assert [(error.tool, error.kind) for error in result.errors] == [("paint", "invalid_arguments")]
    assert [message["role"] for message in result.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    check_history(result.messages)
    result.raise_for_failure()


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_the_same_fault_again_and_again_ends(is_async: bool, check_history: Check) -> None:
    """The budget of the tool ends the run with a typed result, and the error carries it all."""
    result = run(task(lambda _: paint("blue"), budgets=Budgets(per_tool=2)), is_async=is_async)
    assert (result.output, result.stop_reason, result.turns) == (None, "too_many_errors", 3)
    assert result.detail == "3 turns in a row with faulty calls of paint"
    assert len(result.errors) == 3
    check_history(result.messages)
    with pytest.raises(TaskFailedError, match="too_many_errors: 3 turns in a row") as caught:
        result.raise_for_failure()
    assert caught.value.result is result


def test_invented_names_end() -> None:
    """A new name each time is the same fault."""
    numbers = iter(range(100))
    result = run(task(lambda _: paint("red", name=f"paint_{next(numbers)}x")))
    assert (result.stop_reason, result.turns) == ("too_many_errors", 4)


def test_endless_good_calls_end() -> None:
    """The same good call with the same result does not come any nearer to an answer."""
    result = run(task(lambda _: paint("red"), max_turns=60))
    assert (result.stop_reason, result.turns, len(result.calls)) == ("loop", 5, 5)
    assert result.detail == "the same turn 5 times in a row, at the end a call of paint"


def test_a_model_that_never_answers_is_stopped_by_the_turns() -> None:
    """Whatever it does well, and however it varies it."""
    colors = itertools.cycle(["red", "green", "red"])
    result = run(task(lambda _: paint(next(colors)), max_turns=6))
    assert (result.stop_reason, result.turns, len(result.calls)) == ("max_turns", 6, 6)
    assert result.detail == "the model was asked 6 times"


def test_a_run_has_turns_of_its_own() -> None:
    """The bound given to a run comes before that of the task."""
    one = task(lambda _: paint("red"), max_turns=6)
    assert one.run("go", max_turns=2).turns == 2


def test_good_and_bad_calls_in_turn_end() -> None:
    """The total is never forgiven."""
    colors = iter(["red", "blue"] * 50)
    result = run(task(lambda _: paint(next(colors)), budgets=Budgets(total=3), max_turns=100))
    assert (result.stop_reason, result.turns) == ("too_many_errors", 8)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_failing_model_ends_the_run(is_async: bool, check_history: Check) -> None:
    """What happened until then is kept; the error is there and in the cause of the exception."""
    late = LLMTimeoutError("late")
    result = run(task([paint("red"), late]), is_async=is_async)
    assert (result.stop_reason, result.failure, result.detail, len(result.calls)) == ("llm_error", late, "late", 1)
    check_history(result.messages)
    with pytest.raises(TaskFailedError) as caught:
        result.raise_for_failure()
    assert caught.value.__cause__ is late


def test_a_script_that_is_too_short_ends_the_run() -> None:
    """A test that forgot a reply sees it."""
    assert isinstance(run(task([])).failure, ScriptExhaustedError)


@pytest.mark.parametrize(
    ("reply", "reason", "output"),
    [
        (ModelReply("yes", finish_reason="stop"), "answer", "yes"),
        (ModelReply(" yes\n"), "answer", "yes"),
        (ModelReply("", finish_reason="stop"), "empty", None),
        (ModelReply("It is", finish_reason="length"), "cut_off", "It is"),
        (ModelReply("", finish_reason="length"), "cut_off", None),
        (ModelReply("", finish_reason="content_filter"), "content_filter", None),
    ],
)
def test_a_reply_without_a_call_ends_the_run(reply: ModelReply, reason: str, output: str | None) -> None:
    """Why the model stopped decides whether that is an answer."""
    result = run(task([reply]))
    assert (result.stop_reason, result.output, result.ok) == (reason, output, reason == "answer")


def test_a_call_that_was_cut_off_is_asked_for_again() -> None:
    """It is an error for the model, not an end."""
    cut = ModelReply(tool_calls=(RawCall("paint", '{"color": "red"', "c"),), finish_reason="length")
    result = run(task([cut, "sorry"]))
    assert (result.output, [error.kind for error in result.errors]) == ("sorry", ["cut_off"])


def test_the_usage_of_all_turns_is_added_up() -> None:
    """Replies that tell no usage count nothing."""
    replies = [
        ModelReply(tool_calls=paint("red").tool_calls, usage=Usage(10, 2)),
        paint("red"),
        ModelReply("done", usage=Usage(30, 4)),
    ]
    assert run(task(replies)).usage == Usage(40, 6)


def test_a_run_goes_on_with_the_conversation() -> None:
    """Without a text the model is asked with what is there."""
    one = task(["hello", "again"])
    assert one.run("hi").output == "hello"
    result = one.run()
    assert result.output == "again"
    assert [message["role"] for message in result.messages] == ["user", "assistant", "assistant"]


def test_the_budgets_of_the_settings_are_the_default() -> None:
    """A task takes those of its agent unless it is given others."""
    budgets = Budgets(per_tool=0)
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient([paint("blue")]), budgets=budgets), [Paint])
    assert Task(agent).run("go").turns == 1


@pytest.mark.parametrize("wrong", ["x", None, ChatAgent])
def test_a_task_needs_an_agent(wrong: Any) -> None:  # noqa: ANN401
    """Anything else is told at once, not in the first turn."""
    with pytest.raises(ConfigError, match="Task: a ChatAgent is needed"):
        Task(wrong)


@pytest.mark.parametrize("given", [{"total": 1}, 3, Budgets])
def test_budgets_of_another_type_are_refused(given: Any) -> None:  # noqa: ANN401
    """The task says so when it is made, and not the run."""
    with pytest.raises(ConfigError, match=r"budgets: a Budgets\(\.\.\.\) is needed, got"):
        task(["x"], budgets=given)


@pytest.mark.parametrize("given", [int, list[int], "Paint"])
def test_a_typed_result_needs_a_class_of_pydantic(given: Any) -> None:  # noqa: ANN401
    """Its fields are what the model is asked for."""
    with pytest.raises(ToolDefinitionError, match="is no tool; give a class of pydantic"):
        Task(ChatAgent(ChatAgentConfig(llm=ScriptedClient([]))), output_type=given)


@pytest.mark.parametrize("given", ["a text", None, 5])
def test_a_client_that_gives_no_reply_is_told_what_to_give(given: Any) -> None:  # noqa: ANN401
    """That is a mistake of whoever wrote the client: the run does not end with it as with one of the server."""

    class Own:
        def complete(self, request: ChatRequest, /) -> Any:  # noqa: ANN401
            return given

        async def complete_async(self, request: ChatRequest, /) -> Any:  # noqa: ANN401
            return given

    one = Task(ChatAgent(ChatAgentConfig(llm=Own())))
    told = r"a client gives back a ModelReply, as ModelReply\(text=\.\.\.\) makes one, got "
    with pytest.raises(ToolUsageError, match=told + type(given).__name__):
        one.run("go")
    with pytest.raises(ToolUsageError, match=told):
        asyncio.run(one.run_async("go"))
    assert one.agent.messages == []


def test_the_docstring_lists_every_reason() -> None:
    """Who looks at why a run ended finds all of them where the attribute is described."""
    for reason in get_args(StopReason):
        assert f"`{reason}`" in (TaskResult.__doc__ or "")


def test_a_model_is_asked_at_least_once() -> None:
    """A run without a turn could only fail."""
    with pytest.raises(ConfigError, match="max_turns: the model must be asked at least once, got 0"):
        task(["x"], max_turns=0)
    with pytest.raises(ConfigError, match="got -1"):
        task(["x"]).run("go", max_turns=-1)
