"""A conversation that is stored after each step, breaks off, and is gone on with by another agent."""

from __future__ import annotations

import pathlib
import tempfile

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, SessionStore, Task
from toolmend.agents.errors import SessionConflictError
from toolmend.toolkit import ToolMessage


class AddItem(ToolMessage, name="add_item"):
    """Put something on the shopping list."""

    item: str

    def handle(self) -> str:
        if self.item == "tea":
            raise KeyboardInterrupt  # the program ends here
        return f"{self.item} is on the list"


def adds(item: str) -> ModelReply:
    """What a model says to put something on the list."""
    return ModelReply(tool_calls=(RawCall("add_item", f'{{"item": "{item}"}}', "call_1"),), finish_reason="tool_calls")


def agent(*script: str | ModelReply) -> ChatAgent:
    """An agent whose model says what stands in a script."""
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(script)), [AddItem])


def first_program(store: SessionStore) -> None:
    """Put milk on the list, and die over the tea."""
    session, ann = store.session("ann"), agent(adds("milk"), "Milk is on it.", adds("tea"))
    session.resume(ann)
    Task(ann).run("Milk, please.")
    session.save(ann)
    try:
        for _ in Task(ann).stream("And tea."):
            session.save(ann)  # after each step: only what is new is written
    except KeyboardInterrupt:
        print("the first program is gone")


def second_program(store: SessionStore) -> None:
    """Go on with what is stored; somebody who does not know of it comes too late."""
    late = store.session("ann")
    late.resume(agent())
    session, ann = store.session("ann"), agent("Tea may be missing: shall I try again?")
    print("resumed" if session.resume(ann) else "new")
    result = Task(ann).run("Where were we?")
    session.save(ann)
    for message in result.messages:
        print(f"{message['role']:10} {message['content'] or message['tool_calls'][0]['function']['arguments']}")
    try:
        late.save(agent())
    except SessionConflictError as error:
        print(f"refused    {error}")


def main() -> None:
    """Run both, with a database of their own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        SessionStore(f"sqlite:///{pathlib.Path(folder, 'chats.db')}") as store,
    ):
        first_program(store)
        second_program(store)


if __name__ == "__main__":
    main()
