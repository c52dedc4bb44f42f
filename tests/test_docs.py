"""What the pages of docs show runs as it stands, with a double in the place of the model."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final, TypeAlias, get_args

import pytest

from toolmend.agents import ChatAgent, ChatAgentConfig, Event, ModelReply, RawCall, ScriptedClient, StopReason
from toolmend.agents.fitting import Fitted
from toolmend.toolkit import ToolMessage, ToolRegistry

Names: TypeAlias = dict[str, Any]

DOCS: Final = pathlib.Path(__file__).parents[1] / "docs"
BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MODEL: Final = re.compile(r'OpenAIConfig\(model="[^"]*"\)')


class Note(ToolMessage, name="note"):
    """Keep a note."""

    text: str

    def handle(self) -> str:
        return f"kept {self.text}"


CALL: Final = ModelReply(tool_calls=(RawCall("square", '{"number": 12}', "call_1"),), finish_reason="tool_calls")
REMOVAL: Final = ModelReply(tool_calls=(RawCall("remove", '{"path": "a.txt"}', "call_1"),), finish_reason="tool_calls")
CONVERSATION: Final = [{"role": "user", "content": f"Question {number}: {'why? ' * 600}"} for number in range(9)]
CHUNKS: Final = ["I keep ", 'it.\n<tool_call>{"name": "note", ', '"arguments": {"text": "tea"}}</tool_call>']


def agent_saying(*script: str) -> ChatAgent:
    """An agent with a double."""
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(script)))


def server_saying(chunks: list[str]) -> SimpleNamespace:
    """What a client of Chat Completions looks like to somebody who asks for a stream."""
    completions = SimpleNamespace(create=lambda *_arguments, stream: chunks if stream else None)
    return SimpleNamespace(chat=SimpleNamespace(completions=completions))


STAND_INS: Final[dict[str, Callable[[], Names]]] = {
    "agents.md": lambda: {"DOUBLE": ScriptedClient([REMOVAL, "It is gone."])},
    "clients.md": lambda: {"Note": Note},
    "from-langroid.md": lambda: {
        "DOUBLE": ScriptedClient(['{"name": "square", "arguments": {"number": 12}}', "It is 144."])
    },
    "long-conversations.md": lambda: {
        "DOUBLE": ScriptedClient([]),
        "messages": CONVERSATION,
        "tools": ToolRegistry([Note]).openai_tools(),
        "response": SimpleNamespace(usage=SimpleNamespace(prompt_tokens=9_000)),
        "summed_up": lambda messages: f"{len(messages)} questions",
    },
    "sessions.md": lambda: {"agent": agent_saying("hello", "hello", "hello")},
    "streaming.md": lambda: {"registry": ToolRegistry([Note]), "client": server_saying(CHUNKS)},
}
"""What each page takes for granted."""

ELSEWHERE: Final = {"repair-log.md", "testing.md"}
"""Pages whose code tests/test_testing_pages.py runs."""


def run_page(page: str) -> Names:
    """Run the blocks of a page one after the other, and give the names that there are then."""
    names = STAND_INS[page]()
    for number, block in enumerate(BLOCK.findall((DOCS / page).read_text(encoding="utf-8")), 1):
        exec(compile(MODEL.sub("DOUBLE", block), f"{page}, block {number}", "exec"), names)
    return names


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the pages write goes there."""
    monkeypatch.chdir(tmp_path)


def test_each_page_with_code_is_run() -> None:
    """A new one needs what it takes for granted, and a test."""
    pages = {page.name for page in DOCS.glob("*.md") if "```python" in page.read_text(encoding="utf-8")}
    here = pathlib.Path(__file__)
    tests = "".join(path.read_text(encoding="utf-8") for path in (here, here.with_name("test_testing_pages.py")))
    assert {page for page in pages if not re.search(rf'run_(page|code_of)\("{page}"\)', tests)} == set()
    assert STAND_INS.keys() <= pages


def test_the_code_on_agents_runs() -> None:
    """A call waits, and runs once it is let through."""
    names = run_page("agents.md")
    assert names["names"][0] == "PartialCall"
    assert names["names"][-3:] == ["ReplyReceived", "CallFinished", "RunEnded"]
    assert (names["waiting"].stop_reason, names["result"].output) == ("deferred", "It is gone.")
    assert [one.text for one in names["result"].results] == ["removed a.txt"]


def test_the_page_on_agents_lists_each_way_in_which_a_run_ends() -> None:
    """A reason that is new has to be explained."""
    page = (DOCS / "agents.md").read_text(encoding="utf-8")
    assert [reason for reason in get_args(StopReason) if f"`{reason}`" not in page] == []
    assert [kind.__name__ for kind in get_args(Event) if f"`{kind.__name__}`" not in page] == []


def test_the_code_on_sessions_runs(tmp_path: pathlib.Path) -> None:
    """Each block is a turn of one conversation, and the database is where the page says."""
    agent = run_page("sessions.md")["agent"]
    said = [message["content"] for message in agent.messages if message["role"] == "user"]
    assert said == ["Where were we?", "And now?", "Go on."]
    assert (tmp_path / "chats.db").is_file()


def test_the_code_on_tests_runs() -> None:
    """Its assertions hold, the last one on what the double was asked."""
    assert len(run_page("clients.md")["model"].requests) == 3


def test_the_code_for_those_who_know_langroid_runs() -> None:
    """The call is run, and its result goes to the model."""
    result = run_page("from-langroid.md")["result"]
    assert [one.text for one in result.results] == ["144"]
    assert result.output == "It is 144."


def test_the_code_on_long_conversations_runs() -> None:
    """What is too long is cut in front of the question, by a strategy of one's own too."""
    names = run_page("long-conversations.md")
    fitted: Fitted = names["fitted"]
    assert fitted.stage == "history shrunk"
    assert fitted.messages[-1] == CONVERSATION[-1]
    shrunk = names["Summary"]().shrink(CONVERSATION, 5_000, None)
    assert [message["content"][:11] for message in shrunk][:3] == ["Question 0:", "2 questions", "Question 3:"]


def test_the_code_on_streaming_runs() -> None:
    """Each kind of event has its case, and the call is run behind the last one."""
    [result] = run_page("streaming.md")["results"]
    assert result.text == "kept tea"
