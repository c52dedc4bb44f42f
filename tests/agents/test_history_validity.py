"""Whatever a model says and a user does: every id is answered, the history is valid, the run ends."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from toolmend.agents import Budgets, ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, Task
from toolmend.agents.errors import LLMServerError
from toolmend.toolkit import ModelRetry, ToolMessage, ToolUsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]


class Add(ToolMessage, name="add"):
    """Add numbers."""

    numbers: list[int]

    def handle(self) -> str | None:
        if 13 in self.numbers:
            raise ModelRetry("not thirteen")
        return None if 0 in self.numbers else str(1 / sum(self.numbers))


ARGUMENTS = st.one_of(
    st.sampled_from(
        ['{"numbers": [1]}', "{'numbers': ['2',]}", '{"numbers": [13]}', '{"numbers": [0]}', '{"numbers": [1, -1]}']
    ),
    st.sampled_from(['{"numbers": [1', "", "null", "[]", '{"numbers": "x"}', '{"a": 1}{"b": 2}', '"\\ud800"', "NaN"]),
    st.text(max_size=12),
)
NAMES = st.sampled_from(["add", "Add", "functions.add", "sub", "", "multi_tool_use.parallel", "ä b"])
IDS = st.sampled_from(["call_1", "call_1", "call_2", "", None])
CALLS = st.lists(st.builds(RawCall, NAMES, ARGUMENTS, IDS), max_size=3)
TEXTS = st.sampled_from(
    ["", "hello", '{"name": "add", "arguments": {"numbers": [1]}}', '{"name": "no", "arguments": {}}']
)
REASONS = st.sampled_from(["stop", "tool_calls", "length", None])
REPLIES = st.builds(ModelReply, TEXTS, CALLS.map(tuple), REASONS)
LINES = st.lists(st.one_of(REPLIES, st.builds(LLMServerError, st.just("down"), status=st.just(500))), max_size=8)
MODES = st.sampled_from(["use_tools", "use_functions_api", "use_tools_api"])


def agent(script: Sequence[ModelReply | Exception], mode: str) -> ChatAgent:
    """An agent in one of the modes."""
    chosen: dict[str, Any] = {mode: True}
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(script), **chosen), [Add])


@settings(max_examples=150)
@given(LINES, MODES, st.booleans())
def test_every_run_ends_with_a_valid_history(
    check_history: Check, script: list[ModelReply | Exception], mode: str, is_async: bool
) -> None:
    """The result is typed, and what would be sent next is what the API takes."""
    task = Task(agent(script, mode), budgets=Budgets(per_tool=2, consecutive=3, total=5), max_turns=6)
    result = asyncio.run(task.run_async("go")) if is_async else task.run("go")
    assert result.turns <= 6
    assert result.ok is (result.output is not None and result.stop_reason == "answer")
    check_history(result.messages)
    for request in task.agent._client.requests:  # type: ignore[attr-defined]  # the scripted one
        check_history(request.messages)


STEPS = st.lists(
    st.sampled_from(["ask", "ask without text", "run", "run again", "words", "foreign", "tools"]), max_size=12
)


@settings(max_examples=150)
@given(st.lists(REPLIES, min_size=12, max_size=12), MODES, STEPS)
def test_whatever_a_user_does_the_history_is_valid(
    check_history: Check, script: list[ModelReply], mode: str, steps: list[str]
) -> None:
    """Asking twice, running twice, running what another client got, changing the tools in between: all of it."""
    one = agent(script, mode)
    reply = script[0]
    for step in steps:
        if step == "ask":
            reply = one.llm_response("go on")
        elif step == "ask without text":
            with contextlib.suppress(ToolUsageError):  # there may be nothing to send yet
                reply = one.llm_response()
        elif step in ("run", "run again"):
            with contextlib.suppress(ToolUsageError):  # it may be an earlier turn by now
                one.agent_response(reply)
        elif step == "words":
            one.agent_response(reply.text)
        elif step == "foreign":
            one.agent_response(dataclasses.replace(script[-1]))
        else:
            one.disable_message()
            one.enable_message(Add)
        check_history(one.messages)


def test_half_a_character_in_arguments_is_sent_escaped() -> None:
    """What cannot be encoded as UTF-8 would make every later request fail."""
    client = ScriptedClient([ModelReply("", (RawCall("nope", '{"p": "\ud800"}', "c1"),)), "done"])
    agent = ChatAgent(ChatAgentConfig(llm=client))
    agent.agent_response(agent.llm_response("go"))
    for message in agent.messages:
        json.dumps(message, ensure_ascii=False).encode()
