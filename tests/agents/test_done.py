from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from toolmend.agents import (
    Budgets,
    ChatAgent,
    ChatAgentConfig,
    ConfigError,
    Done,
    DoneTool,
    ModelReply,
    RawCall,
    ResultTool,
    ScriptedClient,
    Task,
)
from toolmend.toolkit import ToolMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolmend.agents import TaskResult
    from toolmend.agents.clients.scripted import Line
    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]


class Weather(ResultTool, name="weather"):
    """Report the weather."""

    degrees: int


class Look(ToolMessage, name="look"):
    """Look out of the window."""

    fail: bool = False

    def handle(self) -> str:
        if self.fail:
            raise OSError("the blind is down")
        return "sun"


def calls(*made: tuple[str, dict[str, JsonValue]]) -> ModelReply:
    """Calls through the API."""
    raw = tuple(RawCall(name, json.dumps(arguments), f"c{at}") for at, (name, arguments) in enumerate(made))
    return ModelReply("", raw, "tool_calls")


def agent(*script: Line, **settings: Any) -> ChatAgent:  # noqa: ANN401
    """An agent that can look, report and say that it is done."""
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(script), **settings), [Look, Weather, DoneTool])


def run(task: Task[Any], *, is_async: bool) -> TaskResult[Any]:
    """Run in one of the two ways, which must not differ."""
    return asyncio.run(task.run_async("go")) if is_async else task.run("go")


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_result_tool_ends_the_run_with_typed_data(is_async: bool, check_history: Check) -> None:
    """Its message is the output, mended like any other call; the model is not asked again."""
    result = run(Task(agent(calls(("look", {})), calls(("weather", {"degrees": "20"})))), is_async=is_async)
    assert (result.stop_reason, result.ok, result.turns) == ("done", True, 2)
    assert result.output == Weather(degrees=20)
    assert [repair.rule for repair in result.calls[-1].repairs] == ["numeric-text"]
    check_history(result.messages)


def test_a_faulty_result_goes_back_to_the_model() -> None:
    """Only data that fits is a result."""
    result = Task(agent(calls(("weather", {"degrees": "warm"})), calls(("weather", {"degrees": 3})))).run("go")
    assert result.output == Weather(degrees=3)
    assert [error.tool for error in result.errors] == ["weather"]


def test_the_done_tool_gives_its_words() -> None:
    """For models that are better at calling tools than at stopping."""
    result = Task(agent(calls(("done", {"content": "It is warm."})))).run("go")
    assert (result.output, result.stop_reason) == ("It is warm.", "done")


def test_any_handler_may_end_the_run() -> None:
    """By returning a `Done`, whose text stands in the history."""
    one = agent(calls(("look", {})))
    one.enable_message(Look, handler=lambda message: Done([1, 2], "The window is closed for today."))
    result = Task(one).run("go")
    assert result.output == [1, 2]
    assert result.messages[-1]["content"] == "The window is closed for today."


def test_a_result_beside_a_failed_call_does_not_count_yet(check_history: Check) -> None:
    """It was said before its author saw the failure; so it is said again, or something else."""
    early = calls(("look", {"fail": True}), ("weather", {"degrees": 20}))
    result = Task(agent(early, calls(("weather", {"degrees": 3})))).run("go")
    assert (result.output, result.turns) == (Weather(degrees=3), 2)
    told = [message["content"] for message in result.messages if message["role"] == "tool"]
    assert "the blind is down" in told[0]
    assert told[1].startswith("This does not count as the end")
    check_history(result.messages)


def test_a_task_can_be_given_the_type_of_its_output() -> None:
    """Any class of pydantic: the agent is given the tool, and words are answered by asking for its call."""

    class City(BaseModel):
        """The city that was asked for."""

        name: str

    one = agent("It is Rome.", calls(("city", {"name": "Rome"})))
    result = Task(one, output_type=City).run("go")
    output: City | None = result.output
    assert output == City(name="Rome")
    assert result.messages[2] == {"role": "user", "content": "Give your answer by a call of the tool 'city'."}


def test_a_model_that_never_gives_the_result_is_given_up() -> None:
    """Asked again and again, it answers in words."""
    result = Task(agent(*["words"] * 9), output_type=Weather, budgets=Budgets(nudges=2)).run("go")
    assert (result.stop_reason, result.turns, result.output) == ("no_tool", 3, None)
    assert result.detail == "3 turns in a row without a call"


def test_a_condition_may_end_the_run() -> None:
    """It sees what the model said and what its calls gave; True takes what there is for the output."""
    seen: list[tuple[ModelReply, object]] = []

    def sunny(reply: ModelReply, response: Any) -> bool:  # noqa: ANN401
        seen.append((reply, response))
        return any(result.value == "sun" for result in response.results)

    result = Task(agent(calls(("look", {"fail": True})), calls(("look", {}))), done=sunny).run("go")
    assert (result.stop_reason, result.output, result.turns) == ("done", "Result of look: sun", 2)
    assert len(seen) == 2


def test_a_condition_may_give_the_output() -> None:
    """As a handler may."""
    result = Task(agent(calls(("look", {}))), done=lambda reply, response: Done(response.results[0].value)).run("go")
    assert result.output == "sun"


def test_a_condition_is_a_function() -> None:
    """Anything else is told at once."""
    wrong: Any = "sun"
    with pytest.raises(ConfigError, match="done: a function of reply and response is needed, got 'sun'"):
        Task(agent(), done=wrong)


@pytest.mark.parametrize("said", ["sun", 1, [], re.match("s", "sun")])
def test_a_condition_that_says_neither_yes_nor_no_is_a_mistake(said: object) -> None:
    """What is as good as true would else go on for ever."""
    with pytest.raises(ConfigError, match="done: True, False, None or a Done is needed, got "):
        Task(agent(calls(("look", {})), "words"), done=lambda reply, response: said).run("go")


def test_a_condition_is_not_async() -> None:
    """A coroutine is neither true nor false."""

    async def sunny(reply: ModelReply, response: object) -> bool:
        return True

    with pytest.raises(ConfigError, match="done: True, False, None or a Done is needed"):
        asyncio.run(Task(agent(calls(("look", {})), "words"), done=sunny).run_async("go"))


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("how", ["text", "function", "async function"])
def test_a_reply_without_a_call_can_be_met_by_a_nudge(how: str, is_async: bool, check_history: Check) -> None:
    """The model is told, in words of the settings, and asked again."""

    async def late(reply: ModelReply) -> str:
        return f"Not {reply.text!r}: call a tool."

    nudges: dict[str, Any] = {
        "text": "Not 'Hm.': call a tool.",
        "function": lambda reply: f"Not {reply.text!r}: call a tool.",
        "async function": late,
    }
    one = agent("Hm.", calls(("done", {"content": "x"})), handle_llm_no_tool=nudges[how])
    result = run(Task(one), is_async=is_async)
    assert result.output == "x"
    assert result.messages[2] == {"role": "user", "content": "Not 'Hm.': call a tool."}
    assert [entry.origin for entry in one.history][:3] == ["user", "model", "tool"]
    check_history(result.messages)


def test_a_nudge_is_given_once_per_turn() -> None:
    """Asked again for the same reply, the agent gives the same answer; a function is not called again."""
    asked: list[ModelReply] = []

    def nudge(reply: ModelReply) -> str:
        asked.append(reply)
        return "Go on."

    one = agent("Hm.", handle_llm_no_tool=nudge)
    reply = one.llm_response("go")
    first = one.agent_response(reply)
    assert first is one.agent_response(reply)
    assert first is not None
    assert (first.text, first.results, len(asked)) == ("Go on.", (), 1)


def test_a_nudge_may_say_nothing_or_end_the_run() -> None:
    """None is the answer of the model, a `Done` an output in its place."""
    assert Task(agent("Hm.", handle_llm_no_tool=lambda reply: None)).run("go").output == "Hm."
    ended = Task(agent("Hm.", handle_llm_no_tool=lambda reply: Done(reply.text * 2))).run("go")
    assert (ended.output, ended.stop_reason) == ("Hm.Hm.", "done")


def test_an_attempt_at_a_call_is_no_reply_without_one() -> None:
    """A faulty call is answered by its error alone."""
    one = agent(calls(("look", {"fail": "perhaps"})), "done", handle_llm_no_tool=lambda reply: None)
    result = Task(one).run("go")
    assert len(result.errors) == 1
    assert result.output == "done"


def test_a_filtered_reply_is_not_met_by_a_nudge() -> None:
    """The same would be filtered again."""
    one = agent(ModelReply("", (), "content_filter"), handle_llm_no_tool="Call a tool.")
    assert Task(one).run("go").stop_reason == "content_filter"


def test_what_a_nudge_cannot_be_is_told() -> None:
    """It is the program's mistake."""
    one = agent("Hm.", handle_llm_no_tool=lambda reply: 5)
    with pytest.raises(ConfigError, match="handle_llm_no_tool: a text for the model, a Done, or None is needed, got 5"):
        one.agent_response(one.llm_response("go"))
