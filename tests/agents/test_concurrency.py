"""Many agents on the same tools at the same time: each gets its own results, and nothing of them is left behind."""

from __future__ import annotations

import asyncio
import gc
import threading
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from strictness import chat_complaint

from toolmend.agents import AgentResponse, ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient
from toolmend.toolkit import ToolMessage, ToolRegistry

AGENTS = 1000
MEASURED, ROUNDS = 150, 3
"""How many of them, and how often, where memory is traced, which is slow."""

KEPT_BYTES = 200
"""What may be left of one response; its results alone take ten times as much."""


class Waits(ToolMessage, name="waits"):
    """Answer after others had their turn."""

    number: int

    async def handle_async(self) -> str:
        RAN[self.number] += 1
        await asyncio.sleep(self.number % 7 / 1000)
        return f"waited for {self.number}"


class Blocks(ToolMessage, name="blocks"):
    """Answer from a thread."""

    number: int

    def handle(self) -> str:
        RAN[self.number] += 1
        return f"blocked for {self.number}"


RAN: Counter[int] = Counter()
REGISTRY = ToolRegistry([Waits, Blocks])


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


def reply(number: int) -> ModelReply:
    """A good call, a mended one and a faulty one, under ids that all agents share."""
    calls = (
        RawCall("waits", f'{{"number": {number}}}', "call_1"),
        RawCall("Waits", f"{{'number': {AGENTS + number},}}", "call_2"),
        RawCall("waits", f'{{"number": "no {number}"}}', "call_3"),
    )
    return ModelReply(tool_calls=(*calls, *blocking(number)))


def blocking(number: int) -> tuple[RawCall, ...]:
    """A call that needs a thread, for one in ten."""
    return () if number % 10 else (RawCall("blocks", f'{{"number": {2 * AGENTS + number}}}', "call_4"),)


async def answered(agent: ChatAgent, number: int) -> tuple[str, ...]:
    """What the agent tells its model, after a look at the whole of it."""
    response = await agent.agent_response_async(reply(number))
    assert isinstance(response, AgentResponse)
    assert chat_complaint({"model": "m", "messages": agent.messages}) is None
    return tuple(result.text if result.ok else str(result.call.id) for result in response.results)


def expected(number: int) -> tuple[str, ...]:
    """What nobody else is told."""
    blocked = (f"blocked for {2 * AGENTS + number}",) if blocking(number) else ()
    return (f"waited for {number}", f"waited for {AGENTS + number}", "call_3", *blocked)


def new_agent() -> ChatAgent:
    """An agent with the tools of the one registry."""
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(["x"])), list(REGISTRY))


async def all_answered(numbers: range) -> list[tuple[str, ...]]:
    """The answers of one agent for each number, at the same time."""
    return list(await asyncio.gather(*(answered(new_agent(), number) for number in numbers)))


def test_a_thousand_responses_at_once_are_not_mixed_up() -> None:
    """Each call ran once, and each agent has the results of its own calls, in their order."""
    assert asyncio.run(all_answered(range(AGENTS))) == [expected(number) for number in range(AGENTS)]
    assert len(RAN) == 2 * AGENTS + AGENTS // 10
    assert set(RAN.values()) == {1}


def test_event_loops_in_several_threads_share_the_tools() -> None:
    """Nothing of a tool belongs to one loop."""
    parts = [range(start, AGENTS, 8) for start in range(8)]
    with ThreadPoolExecutor(len(parts)) as pool:
        answers = list(pool.map(lambda part: asyncio.run(all_answered(part)), parts))
    assert answers == [[expected(number) for number in part] for part in parts]
    assert set(RAN.values()) == {1}


def test_one_agent_after_another_leaves_nothing_behind() -> None:
    """Whatever the shared tools keep does not grow with the responses, nor do threads stay."""
    asyncio.run(all_answered(range(MEASURED)))  # what is loaded and compiled once
    threads = threading.active_count()
    tracemalloc.start()
    try:
        grown = [grown_by_a_round() for _ in range(ROUNDS)]
    finally:
        tracemalloc.stop()
    assert min(grown) < KEPT_BYTES * MEASURED  # what leaks does so in each of them; Python's own stores fill up once
    assert threading.active_count() <= threads


def grown_by_a_round() -> int:
    """The bytes that are left of the responses of many agents."""
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    asyncio.run(all_answered(range(MEASURED)))
    RAN.clear()
    gc.collect()
    return tracemalloc.get_traced_memory()[0] - before
