from __future__ import annotations

import asyncio
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final, TypeAlias

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelMessage, Tool, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.models.test import TestModel

from toolmend.repairs.rules.declared import RenameKey
from toolmend.toolkit import CallError, ParseResult, ToolDefinitionError, ToolMessage, ToolRegistry, ToolUsageError
from toolmend.toolkit.integrations.pydantic_ai import MAX_RESULTS, MendCalls

Json: TypeAlias = dict[str, Any]
Arguments: TypeAlias = str | Json

ROOT: Final = pathlib.Path(__file__).parents[3]
CASES: Final = [
    json.loads(line)
    for line in (ROOT / "tests" / "cases" / "parse_arguments.jsonl").read_text(encoding="utf-8").splitlines()
]
BROKEN: Final = "{'selector': '#name', 'text': 'Ann', 'times': '2',}"
VALID: Final = '{"selector":"#name",  "text":"Ann", "times": 2}'
MENDED: Final = {"selector": "#name", "text": "Ann", "times": 2}
HOPELESS: Final = '{"selector": 7'


def calling(*attempts: Arguments, name: str = "fill", **reply: Any) -> FunctionModel:  # noqa: ANN401 - of a reply
    """A model that makes one call after the other, then says that it is done."""
    left = iter(attempts)

    def answer(_messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        arguments = next(left, None)
        if arguments is None:
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart(name, arguments, "c1", id="item")], **reply)

    return FunctionModel(answer)


def told(messages: list[ModelMessage]) -> list[tuple[str, Any]]:
    """What the model was told of its calls: how they ended, and the text."""
    parts = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
    return [(part.outcome, part.content) for part in parts]


def written(messages: list[ModelMessage]) -> list[ToolCallPart]:
    """The calls in the history."""
    return [part for message in messages for part in message.parts if isinstance(part, ToolCallPart)]


@pytest.fixture(autouse=True)
def _loop() -> Iterator[None]:
    """A loop that is closed: `run_sync` takes the one that is set, and leaves open one that it made."""
    with asyncio.Runner() as runner:
        asyncio.set_event_loop(runner.get_loop())
        yield
        asyncio.set_event_loop(None)


@pytest.fixture
def ran() -> list[Json]:
    """The arguments with which the tool ran."""
    return []


@pytest.fixture
def agent(ran: list[Json]) -> Agent[None, str]:
    """An agent that knows nothing of mending."""
    one = Agent(TestModel(), retries=2)

    @one.tool_plain
    def fill(selector: str, text: str, times: int) -> str:
        ran.append({"selector": selector, "text": text, "times": times})
        return f"{text} in {selector}"

    return one


def test_a_malformed_call_reaches_its_tool_with_the_right_values(agent: Agent[None, str], ran: list[Json]) -> None:
    """One line mends the calls of an agent that exists; each repair is on record."""
    mending = MendCalls()
    result = agent.run_sync("go", model=calling(BROKEN), capabilities=[mending])
    assert ran == [MENDED]
    assert (result.output, told(result.all_messages())) == ("done", [("success", "Ann in #name")])
    [call] = mending.results[0].calls
    assert {repair.rule for repair in call.repairs} == {"quote-style", "extra-comma", "numeric-text"}
    assert (call.id, call.raw) == ("c1", BROKEN)


def test_without_it_the_same_call_does_not_run(agent: Agent[None, str], ran: list[Json]) -> None:
    """So it is the mending that made it run."""
    assert [outcome for outcome, _ in told(agent.run_sync("go", model=calling(BROKEN)).all_messages())] == ["retried"]
    assert ran == []


def test_a_valid_call_is_left_to_the_letter(agent: Agent[None, str], ran: list[Json]) -> None:
    """In the history too, with the id that its provider gave."""
    mending = MendCalls()
    [call] = written(agent.run_sync("go", model=calling(VALID), capabilities=[mending]).all_messages())
    assert (call.args, call.id, ran) == (VALID, "item", [MENDED])
    assert mending.results[0].calls[0].repairs == ()


def test_the_history_holds_what_was_mended(agent: Agent[None, str]) -> None:
    """Strict JSON, under no id by which a provider would find its own copy."""
    [call] = written(agent.run_sync("go", model=calling(BROKEN), capabilities=[MendCalls()]).all_messages())
    assert isinstance(call.args, str)
    assert (json.loads(call.args), call.id, call.tool_call_id) == (MENDED, None, "c1")


def test_parsed_arguments_stay_parsed(agent: Agent[None, str], ran: list[Json]) -> None:
    """Some providers hand over values: they are mended as such."""
    parsed = {"selector": "#name", "text": "Ann", "times": "2"}
    [call] = written(agent.run_sync("go", model=calling(parsed), capabilities=[MendCalls()]).all_messages())
    assert (call.args, ran) == (MENDED, [MENDED])


def test_what_cannot_be_mended_is_a_retry(agent: Agent[None, str], ran: list[Json]) -> None:
    """The model is told what is wrong, its own text stays in the history, and its next attempt runs."""
    mending = MendCalls()
    result = agent.run_sync("go", model=calling(HOPELESS, BROKEN), capabilities=[mending])
    [(outcome, text), _] = told(result.all_messages())
    [error] = mending.results[0].errors
    assert (outcome, text, ran) == ("retried", error.message, [MENDED])
    assert text.startswith("The call of 'fill' was not run")
    assert written(result.all_messages())[0].args == HOPELESS


def test_retries_are_counted_as_ever(agent: Agent[None, str]) -> None:
    """A model that never learns ends the run."""
    with pytest.raises(UnexpectedModelBehavior, match="exceeded max retries"):
        agent.run_sync("go", model=calling(*[HOPELESS] * 9), capabilities=[MendCalls()])


def test_why_the_model_stopped_counts(agent: Agent[None, str], ran: list[Json]) -> None:
    """A call is never run as if it were whole that was cut off, nor is one taken for cut that the model ended."""
    mending = MendCalls()
    cut = '{"selector": "#name", "text": "Ann", "times": 2'
    agent.run_sync("go", model=calling(cut, finish_reason="length"), capabilities=[mending])
    agent.run_sync("go", model=calling(cut, finish_reason="tool_call"), capabilities=[mending])
    assert [result.finish_reason for result in mending.results] == ["length", "tool_calls"]
    assert [error.kind for error in mending.results[0].errors] == ["cut_off"]
    assert ran == [MENDED]


def test_streamed_runs_are_mended(agent: Agent[None, str], ran: list[Json]) -> None:
    """The fragments are put together by the library before it asks."""

    async def answer(messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
        if len(messages) > 1:
            yield "done"
            return
        for at in range(0, len(BROKEN), 7):
            yield {0: DeltaToolCall(None if at else "fill", BROKEN[at : at + 7], tool_call_id="c1")}

    async def run() -> str:
        model = FunctionModel(stream_function=answer)
        async with agent.run_stream("go", model=model, capabilities=[MendCalls()]) as stream:
            return await stream.get_output()

    assert (asyncio.run(run()), ran) == ("done", [MENDED])


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


def test_output_tools_are_mended() -> None:
    """A typed result is a call like any other, whether its type is an object or was put into one."""
    for output_type, raw, expected in (
        (Person, "{'name': 'Ann', 'age': '36',}", Person(name="Ann", age=36)),
        (int, "{'response': '36',}", 36),
    ):
        mending = MendCalls()
        agent: Agent[None, Any] = Agent(
            calling(raw, name="final_result"), output_type=output_type, capabilities=[mending]
        )
        assert agent.run_sync("go").output == expected
        assert mending.results[0].calls[0].repairs


def test_output_tools_are_tried_again() -> None:
    """What cannot be mended is told, and the next attempt is the result."""
    model = calling(HOPELESS, '{"name": "Ann", "age": 36}', name="final_result")
    mending = MendCalls()
    agent = Agent(model, output_type=Person, capabilities=[mending])
    assert agent.run_sync("go").output == Person(name="Ann", age=36)
    assert [type(result.items[0]) is CallError for result in mending.results] == [True, False]


class Fill(ToolMessage, name="fill", repairs=[RenameKey("element", to="selector")]):
    """Type text into a field of the page."""

    selector: str
    text: str
    times: int


def test_tools_of_a_registry_bring_their_rules(agent: Agent[None, str], ran: list[Json]) -> None:
    """The agent's own schemas go on telling of the tools that the registry does not hold."""
    raw = '{"element": "#name", "text": "Ann", "times": "2"}'
    agent.run_sync("go", model=calling(raw), capabilities=[MendCalls(ToolRegistry([Fill]))])
    assert ran == [MENDED]
    agent.run_sync("go", model=calling(BROKEN), capabilities=[MendCalls(ToolRegistry())])
    assert ran == [MENDED, MENDED]


def test_the_policy_of_the_registry_holds(agent: Agent[None, str], ran: list[Json]) -> None:
    """Strict, it mends nothing."""
    agent.run_sync("go", model=calling(BROKEN), capabilities=[MendCalls(ToolRegistry(policy="strict"))])
    assert ran == []


def test_a_tool_can_be_left_alone(agent: Agent[None, str]) -> None:
    """Its arguments go to the library as they are, and nothing is on record."""
    mending = MendCalls(leave=["fill"])
    result = agent.run_sync("go", model=calling(BROKEN), capabilities=[mending])
    assert [outcome for outcome, _ in told(result.all_messages())] == ["retried"]
    assert not mending.results


def test_a_tool_that_cannot_be_read_is_told_by_name() -> None:
    """No run goes on as if its calls were mended; left to the library, it runs."""
    tool = Tool.from_schema(_recording([]), "fill in", "", {"type": "object"})
    with pytest.raises(ToolDefinitionError, match="'fill in' cannot be the name of a tool"):
        Agent(calling("{}", name="fill in"), tools=[tool], capabilities=[MendCalls()]).run_sync("go")
    mending = MendCalls(leave=["fill in"])
    assert Agent(calling("{}", name="fill in"), tools=[tool], capabilities=[mending]).run_sync("go").output == "done"


def test_each_call_is_told_once(agent: Agent[None, str]) -> None:
    """To the function that asks for it, as to the record, which stays small."""
    heard: list[ParseResult] = []
    mending = MendCalls(on_result=heard.append)
    agent.run_sync("go", model=calling(BROKEN, VALID), capabilities=[mending])
    assert heard == list(mending.results)
    assert len(heard) == 2
    assert mending.results.maxlen == MAX_RESULTS


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_verdicts_are_those_of_parse_call(case: Json) -> None:
    """For whatever models write as arguments; a name that is not that of a tool is the library's to answer."""
    registry = ToolRegistry()
    ran: list[Json] = []
    tools = []
    for tool in case["tools"]:
        registry.add_schema(tool["name"], tool["description"], tool["parameters"])
        tools.append(Tool.from_schema(_recording(ran), tool["name"], tool["description"], tool["parameters"]))
    reason = "tool_call" if case.get("finish_reason") == "tool_calls" else case.get("finish_reason")
    mending = MendCalls()
    agent = Agent(calling(case["raw"], name=case["tool"], finish_reason=reason), tools=tools, capabilities=[mending])
    agent.run_sync("go")
    if case["tool"] not in registry:
        assert (len(mending.results), ran) == (0, [])
        return
    expected = registry.parse_call(case["tool"], case["raw"], id="c1", finish_reason=case.get("finish_reason"))
    assert mending.results[0].items == expected.items
    assert ran == [call.arguments for call in expected.calls]


def _recording(ran: list[Json]) -> Any:  # noqa: ANN401 - a function of any arguments
    def record(**arguments: object) -> str:
        ran.append(arguments)
        return "ok"

    return record


def test_the_page_names_the_cases_that_are_lost() -> None:
    """Those whose name is not that of a tool, and no others."""
    lost = {case["tool"] for case in CASES if case["tool"] not in {tool["name"] for tool in case["tools"]}}
    assert lost == {"Read_File", "functions.get_weather", "functions.square", "multi_tool_use.parallel"}
    page = (ROOT / "docs" / "integrations" / "pydantic-ai.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in lost - {"functions.get_weather"})


def test_wrong_arguments_are_told() -> None:
    """What is no registry, and one name where several are due."""
    wrong: Any = "fill"
    with pytest.raises(ToolUsageError, match="the tools must be a ToolRegistry, got 'fill'"):
        MendCalls(wrong)
    with pytest.raises(ToolUsageError, match=r"leave takes several names, got 'fill'; write \['fill'\]"):
        MendCalls(leave="fill")


def test_the_missing_package_is_named_with_its_extra() -> None:
    """Without it the module cannot be imported, and the error says how to install it."""
    code = "import sys; sys.modules['pydantic_ai'] = None; import toolmend.toolkit.integrations.pydantic_ai"
    run = subprocess.run([sys.executable, "-P", "-c", code], check=False, capture_output=True, text=True)
    assert "MissingExtraError: pydantic-ai is not installed: pip install 'toolmend[pydantic-ai]'" in run.stderr


def test_the_page_runs_as_it_stands() -> None:
    """With a double in the place of the model."""

    def fill(selector: str, text: str, times: int) -> str:
        return f"{text} in {selector} {times} times"

    page = (ROOT / "docs" / "integrations" / "pydantic-ai.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    names: Json = {"model": calling(BROKEN), "fill": fill}
    exec(block, names)
    assert told(names["result"].all_messages()) == [("success", "Ann in #name 2 times")]
    assert names["mending"].results[0].calls[0].arguments == MENDED
