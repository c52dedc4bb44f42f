"""Whatever a model says and a tool does: a run ends, every call is answered once, and the history can be sent."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field
from strictness import chat_complaint

from toolmend.agents import (
    Budgets,
    ChatAgent,
    ChatAgentConfig,
    Defer,
    Deny,
    Done,
    DoneTool,
    Edit,
    ModelReply,
    RawCall,
    ScriptedClient,
    Task,
    Usage,
)
from toolmend.agents.errors import ContextLengthError, LLMServerError, LLMTimeoutError
from toolmend.agents.tokens import Utf8Counter
from toolmend.toolkit import DIALECTS, ModelRetry, ToolFailed, ToolMessage, tool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolmend.agents.task import TaskResult
    from toolmend.toolkit import ToolCall

RUNS = int(os.environ.get("TOOLMEND_RUNS", "1000"))
"""Generated runs of each kind; more of them take their time."""

BUDGETS = Budgets(per_tool=2, per_tool_total=4, consecutive=3, total=5, nudges=2, repeats=2)


class Boom(Exception):
    """An exception that cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError


class Act(ToolMessage, name="act", max_result_tokens=60, max_retained_tokens=20):
    """Do something, in one of the ways in which tools end."""

    how: str
    numbers: list[int] = Field(default_factory=list)

    def handle(self) -> object:
        ends: dict[str, Any] = {
            "nothing": lambda: None,
            "long": lambda: "word " * 500,
            "empty": lambda: "",
            "object": object,
            "zero": lambda: 1 / 0,
            "rude": lambda: _raise(Boom()),
            "retry": lambda: _raise(ModelRetry("try again")),
            "failed": lambda: _raise(ToolFailed("it is down")),
            "done": lambda: Done({"a": 1}),
        }
        return ends.get(self.how, lambda: f"did {self.how}")()


class Slow(ToolMessage, name="slow", timeout=0.001):
    """Take too long."""

    async def handle_async(self) -> str:
        await asyncio.sleep(5)
        return "late"


@tool
def plain(a: int, b: int = 2) -> int:
    """Add two numbers."""
    return a + b


def _raise(error: Exception) -> object:
    raise error


HOWS = ["nothing", "long", "empty", "object", "zero", "rude", "retry", "failed", "done", "well"]
GOOD = st.sampled_from(HOWS).map(lambda how: ("act", json.dumps({"how": how, "numbers": [1]})))
MENDED = st.sampled_from(
    [
        ("act", "{'how': 'well', 'numbers': ['1', 2,],}"),
        ("Act", '{"How": "well", "numbers": "3"}'),
        ("functions.act", '```json\n{"how": "well"}\n```'),
        ("act", '{"arguments": {"how": "well"}}'),
        ("plain", '{"a": "1"}'),
        ("slow", ""),
    ]
)
FAULTY = st.sampled_from(
    [
        ("act", '{"how": "well'),
        ("act", "{}"),
        ("act", '{"how": "well", "dry_run": true}'),
        ("act", '{"how": "a"}{"how": "b"}'),
        ("act", "NaN"),
        ("act", '{"how": "\ud800"}'),
        ("act", "\x00\x1b" * 40),
        ("act", "[" * 300),
        ("acts", '{"how": "well"}'),
        ("nothing like it", "{}"),
        ("", '{"how": "well"}'),
        ("ä" * 90, "no"),
        ("hidden", '{"a": 1}'),
        ("plain", '{"a": "one"}'),
        ("multi_tool_use.parallel", '{"tool_uses": [{"recipient_name": "functions.act", "parameters": {"how": "x"}}]}'),
    ]
)
ANYTHING = st.tuples(st.sampled_from(["act", "plain", "slow", "done"]), st.text(max_size=30))
CALLS = st.lists(
    st.tuples(st.one_of(GOOD, MENDED, FAULTY, ANYTHING), st.sampled_from(["c1", "c1", "c2", "", None])).map(
        lambda pair: RawCall(*pair[0], pair[1])
    ),
    max_size=4,
)
WORDS = st.one_of(
    st.sampled_from(["", "  ", "Hello.", "Let me think.", "<think>no</think>"]),
    st.one_of(GOOD, MENDED, FAULTY).map(lambda call: f'{{"name": "{call[0]}", "arguments": {call[1]}}}'),
    st.one_of(GOOD, FAULTY).map(
        lambda call: f'So:\n<tool_call>\n{{"name": "{call[0]}", "arguments": {call[1]}}}\n</tool_call>'
    ),
    st.text(max_size=40),
)
REASONS = st.sampled_from(["stop", "tool_calls", "length", "content_filter", None])
USAGES = st.one_of(st.none(), st.builds(Usage, st.integers(0, 500), st.integers(0, 500)))
REPLIES = st.builds(ModelReply, WORDS, CALLS.map(tuple), REASONS, USAGES)
FAILURES = st.sampled_from(
    [
        LLMServerError("down", status=500),
        LLMTimeoutError("late"),
        ContextLengthError("too long", context_length=3000),
        ContextLengthError("too long"),
    ]
)
SCRIPTS = st.lists(st.one_of(REPLIES, REPLIES, REPLIES, FAILURES), max_size=9)
MODES = st.sampled_from(["use_tools", "use_functions_api", "use_tools_api"])
DECISIONS = st.sampled_from([None, None, None, True, False, Deny("no"), Edit({"how": "edited"}), Defer(), "nonsense"])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "chat_context_length": st.sampled_from([1500, 4000, 100_000]),
        "context_overflow_strategy": st.sampled_from(["truncate", "drop_turns", "clear_tool_results"]),
        "context_overflow_fallback": st.sampled_from([None, "drop_turns"]),
        "max_output_tokens": st.sampled_from([None, 64, 200]),
        "context_buffer_tokens": st.sampled_from([0, 50]),
        "max_result_tokens": st.sampled_from([5, 50]),
        "handle_llm_no_tool": st.sampled_from(["Call a tool.", lambda reply: None if "H" in reply.text else "Go on."]),
        "dialect": st.sampled_from(sorted(DIALECTS)),
        "policy": st.sampled_from(["strict", "lossless", "default"]),
    },
)


def agent_of(script: Sequence[ModelReply | Exception], mode: str, decision: Any, more: dict[str, Any]) -> ChatAgent:  # noqa: ANN401
    """An agent with tools that end in all ways; one of them is only run, and not offered."""
    chosen: dict[str, Any] = {"llm": ScriptedClient(script), "token_counter": Utf8Counter(), mode: True, **more}
    agent = ChatAgent(ChatAgentConfig(approve=lambda call: decision, **chosen), [Act, Slow, plain, DoneTool])
    agent.enable_message(tool(name="hidden")(lambda a: a), use=False)
    return agent


def check_messages(messages: Sequence[dict[str, Any]]) -> None:
    """What would be sent is what the API takes."""
    body = json.loads(json.dumps({"model": "m", "messages": list(messages)}, ensure_ascii=False).encode())
    assert not messages or chat_complaint(body) is None


def check(agent: ChatAgent, result: TaskResult) -> None:
    """What holds whatever happened."""
    for messages in (result.messages, *(request.messages for request in agent._client.requests)):  # type: ignore[attr-defined]
        check_messages(messages)
    native = Counter(call["id"] for message in result.messages for call in message.get("tool_calls", ()))
    answers = Counter(message["tool_call_id"] for message in result.messages if message["role"] == "tool")
    assert native == answers
    assert set(native.values()) <= {1}
    assert result.turns <= 6
    assert len(result.results) == len(result.calls) + len(result.errors)
    assert bool(result.deferred) is (result.stop_reason == "deferred")
    assert agent.export_history()


def go_on(agent: ChatAgent, result: TaskResult) -> None:
    """What a run left can be decided on, exported, imported, and gone on with."""
    if result.deferred:
        agent.resolve(lambda call: False)
    client = ScriptedClient([ModelReply("fine", finish_reason="stop")])
    more = {"llm": client, "chat_context_length": None, "handle_llm_no_tool": None}
    other = ChatAgent(agent.config.model_copy(update=more))
    other.import_history(agent.export_history())
    assert [entry.message for entry in other.history] == [entry.message for entry in agent.history]
    assert Task(other).run("and now?").output == "fine"
    check_messages(client.requests[0].messages)


@settings(max_examples=RUNS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SCRIPTS, MODES, DECISIONS, SETTINGS, st.sampled_from(["run", "run_async", "stream", "stream async"]))
def test_every_run_ends_and_leaves_a_history_that_can_be_sent(
    script: list[ModelReply | Exception],
    mode: str,
    decision: Any,  # noqa: ANN401
    more: dict[str, Any],
    how: str,
) -> None:
    """Faulty calls, failing tools, denied and edited calls, a failing server, a small window: all together."""
    agent = agent_of(script, mode, decision, more)
    task = Task(agent, budgets=BUDGETS, max_turns=6)
    ways = {
        "run": lambda: task.run("go"),
        "run_async": lambda: asyncio.run(task.run_async("go")),
        "stream": lambda: task.stream("go").drain(),
        "stream async": lambda: asyncio.run(task.stream("go").drain_async()),
    }
    result = ways[how]()
    assert result.ok is (result.stop_reason in ("answer", "done"))
    check(agent, result)
    go_on(agent, result)


class Interrupt(BaseException):
    """Something that ends the program."""


@settings(max_examples=RUNS // 3, deadline=None)
@given(st.lists(REPLIES, min_size=3, max_size=6), MODES, st.integers(0, 4))
def test_an_interrupt_in_any_call_leaves_a_history_that_can_be_sent(
    script: list[ModelReply], mode: str, place: int
) -> None:
    """What ran before it is on record, and no call is said to have run that did not."""
    agent = agent_of(script, mode, None, {})
    count = iter(range(100))
    ran: list[ToolCall] = []

    def handler(message: object, call: ToolCall) -> str:
        if next(count) == place:
            raise Interrupt
        ran.append(call)
        return "It ran."

    agent.enable_message([Act, plain, DoneTool])
    for one in (Act, plain, DoneTool):
        agent.enable_message(one, handler=handler)
    agent.disable_message("slow")
    try:
        Task(agent, budgets=BUDGETS, max_turns=6).run("go")
    except Interrupt:
        told = [message for message in agent.messages if "nobody knows how far" in str(message.get("content"))]
        assert len(told) == 1
    assert str(agent.messages).count("It ran.") == len(ran)
    check_messages(agent.messages)


@settings(max_examples=RUNS // 3, deadline=None)
@given(st.lists(CALLS.map(tuple), min_size=1, max_size=3), MODES, st.sampled_from([0, 0.001, 0.003]))
def test_a_cancelled_run_leaves_a_history_that_can_be_sent(
    batches: list[tuple[RawCall, ...]], mode: str, wait: float
) -> None:
    """Wherever it was cancelled."""
    agent = agent_of([ModelReply("", batch, "tool_calls") for batch in batches], mode, None, {})

    async def main() -> None:
        running = asyncio.create_task(Task(agent, budgets=BUDGETS).run_async("go"))
        await asyncio.sleep(wait)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    asyncio.run(main())
    check_messages(agent.messages)


@given(st.text(), MODES)
def test_what_a_user_says_never_runs_a_tool_that_is_not_offered(text: str, mode: str) -> None:
    """Not in a request, and not if it is handed over for the words of a model."""
    ran: list[object] = []
    agent = agent_of([], mode, None, {"llm": ScriptedClient(lambda request: "I see.")})
    agent.enable_message(Act, use=False, handler=ran.append)
    call = json.dumps({"name": "act", "arguments": {"how": text}})
    for said in (call, f"<tool_call>{call}</tool_call>", f"{text}\n{call}", f"```json\n{call}\n```"):
        Task(agent).run(said)
        agent.agent_response(said)
    assert ran == []


def test_a_run_is_over_in_good_time() -> None:
    """A model that makes the same faults for ever costs a few turns, and no time to speak of."""
    started = time.monotonic()
    agent = ChatAgent(
        ChatAgentConfig(llm=ScriptedClient(lambda request: ModelReply("", (RawCall("act", "{"),)))), [Act]
    )
    assert Task(agent, max_turns=1000).run("go").turns == 4
    assert time.monotonic() - started < 5
