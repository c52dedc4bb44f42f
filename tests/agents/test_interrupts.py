"""An interrupt at any point of a run leaves a conversation that can be sent, and gone on with.

In async code an interrupt is a cancellation: that is what `asyncio.run` makes of it.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from strictness import chat_complaint

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, Task
from toolmend.toolkit import ToolMessage

if TYPE_CHECKING:
    from types import FrameType

    from toolmend.agents.clients.base import ChatRequest

POINTS = 150
"""How many points of each kind of run are tried, spread over the whole of it."""


class Look(ToolMessage, name="look"):
    """Look at a place."""

    place: int

    def handle(self) -> str:
        return f"a long look at {self.place}"


CALLS = (RawCall("look", "{'place': 1,}", "c"), RawCall("look", "{}", "c"), RawCall("look", '{"place": 2}', "c2"))


def answer(request: ChatRequest) -> ModelReply | str:
    """Calls for a question, of which one is mended and one faulty; then words."""
    return ModelReply(tool_calls=CALLS) if request.messages[-1]["role"] == "user" else "seen"


class Interrupter:
    """Interrupts where Python looks for signals: when a function begins, and when one of C has returned."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.seen = 0
        self.cancel: Callable[[], object] | None = None

    def __call__(self, frame: FrameType, event: str, arg: object) -> None:
        name = frame.f_globals.get("__name__", "")
        ours = name.startswith(("toolmend.agents.", "toolmend.toolkit.")) and not name.endswith(".scripted")
        self.seen += event in ("call", "c_return") and ours
        if self.seen == self.at:
            self.at = -1
            if self.cancel is None:
                raise KeyboardInterrupt
            self.cancel()

    def interrupt(self, how: Callable[[Task[Any], Interrupter], None], task: Task[Any]) -> None:
        """Run until it is interrupted, or to the end."""
        profiler = sys.getprofile()
        sys.setprofile(self)
        try:
            how(task, self)
        except (KeyboardInterrupt, asyncio.CancelledError):
            assert self.at == -1
        finally:
            sys.setprofile(profiler)


def run(task: Task[Any], interrupter: Interrupter) -> None:
    """The plain way."""
    task.run("interrupted")


def stream(task: Task[Any], interrupter: Interrupter) -> None:
    """By its events."""
    for _ in task.stream("interrupted"):
        pass


def run_async(task: Task[Any], interrupter: Interrupter) -> None:
    """In an event loop."""

    async def main() -> None:
        running = asyncio.create_task(task.run_async("interrupted"))
        interrupter.cancel = running.cancel
        await running

    asyncio.run(main())


def interrupted(how: Callable[[Task[Any], Interrupter], None], at: int) -> tuple[ChatAgent, int]:
    """An agent whose second run was interrupted at a point; and how many points were passed."""
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient(answer), chat_context_length=100_000), [Look])
    Task(agent).run("before")
    interrupter = Interrupter(at)
    interrupter.interrupt(how, Task(agent))
    return agent, interrupter.seen


# One that hits while Python clears a generator away is swallowed there: nothing is interrupted then.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("how", [run, stream, run_async])
def test_an_interrupt_at_any_point_leaves_a_whole_conversation(how: Callable[[Task[Any], Interrupter], None]) -> None:
    """The turn is there or it is not, each of its calls has one answer, and the next run goes to its end."""
    _, points = interrupted(how, sys.maxsize)
    assert points > POINTS
    for at in range(1, points, points // POINTS):
        agent, _ = interrupted(how, at)
        assert chat_complaint({"model": "m", "messages": agent.messages}) is None, at
        result = Task(agent).run("after")
        assert (result.output, result.stop_reason) == ("seen", "answer"), at
        assert chat_complaint({"model": "m", "messages": agent.messages}) is None, at
        said = [message["content"] for message in agent.messages if message["role"] == "user"]
        assert said in (["before", "interrupted", "after"], ["before", "after"]), at
