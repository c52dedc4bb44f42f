"""A program that writes a session, for tests that run it in processes of its own: url, name, role.

Roles: `turns` takes ten turns and repeats each that conflicts; `dies-in-tool` dies within a tool; `dies-in-commit` dies
within the transaction of its second save. `asks` ends while a call waits for a decision, and `decides` lets it run.
"""

from __future__ import annotations

import os
import signal
import sys

import sqlalchemy as sa

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, Task
from toolmend.agents.clients.base import ChatRequest
from toolmend.agents.errors import SessionConflictError
from toolmend.agents.sessions import Session, SessionStore
from toolmend.toolkit import Defer, ToolCall, ToolMessage
from toolmend.toolkit.hooks import Decision

TURNS = 10


class Note(ToolMessage, name="note"):
    """Keep a note."""

    text: str

    def handle(self) -> str:
        return f"kept {self.text}"


class Die(ToolMessage, name="die"):
    """End the process in the middle of a turn."""

    def handle(self) -> str:
        os.kill(os.getpid(), signal.SIGKILL)
        return ""


def answer(request: ChatRequest) -> str | ModelReply:
    """One call for each question, and then an answer that repeats the question."""
    last = request.messages[-1]
    if last["role"] == "tool":
        question = next(message for message in reversed(request.messages) if message["role"] == "user")
        return f"done: {question['content']}"
    if "pay" in last["content"]:
        texts = (last["content"], "look first")
        calls = [RawCall("note", f'{{"text": "{text}"}}', f"call_{number}") for number, text in enumerate(texts)]
        return ModelReply(tool_calls=tuple(calls), finish_reason="tool_calls")
    tool = "die" if "die" in last["content"] else "note"
    arguments = "{}" if tool == "die" else f'{{"text": "{last["content"]}"}}'
    return ModelReply(tool_calls=(RawCall(tool, arguments, "call_1"),), finish_reason="tool_calls")


def approve(call: ToolCall) -> Decision:
    """What costs money waits."""
    return Defer("the owner") if "pay" in call.arguments.get("text", "") else True


def agent() -> ChatAgent:
    """An agent without a conversation."""
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(answer), approve=approve), [Note, Die])


def take_turns(session: Session, name: str) -> None:
    """Take turns until all are stored; a turn that conflicts is taken again."""
    one = agent()
    for number in range(TURNS):
        while True:
            session.resume(one)
            Task(one).run(f"{name}{number}")
            try:
                session.save(one)
                break
            except SessionConflictError:
                pass


def main(url: str, name: str, role: str) -> None:
    """Do what the role says."""
    store = SessionStore(url)
    session, one = store.session("shared"), agent()
    if role == "turns":
        take_turns(session, name)
        return
    session.resume(one)
    if role in ("asks", "decides"):
        Task(one).run("pay the bill") if role == "asks" else Task(one).resume({"call_0": True})
        session.save(one)
        return
    Task(one).run("first")
    session.save(one)
    if role == "dies-in-commit":
        sa.event.listen(store._database._engine, "commit", lambda _: os.kill(os.getpid(), signal.SIGKILL))
        Task(one).run("second")
        session.save(one)
    for _ in Task(one).stream("please die"):
        session.save(one)


if __name__ == "__main__":
    main(*sys.argv[1:])
