"""What docs/sessions.md and docs/clients.md show runs, and what they state is so."""

from __future__ import annotations

import pathlib
import re

import pytest

from toolmend.agents import ChatAgent, ChatAgentConfig, ScriptedClient, errors
from toolmend.agents.clients.openai import OpenAIConfig
from toolmend.agents.errors import LLMError
from toolmend.repairs.record import JsonValue
from toolmend.toolkit import ToolMessage

DOCS = pathlib.Path(__file__).parents[1] / "docs"
ROW = re.compile(r"^\| `(\w+)` \| .* \| (yes|no) \|$", re.MULTILINE)


class Note(ToolMessage, name="note"):
    """Keep a note."""

    text: str

    def handle(self) -> str:
        return "kept"


def text_of(page: str) -> str:
    """A page of the documentation."""
    return (DOCS / page).read_text(encoding="utf-8")


def run_code_of(page: str, names: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Run the blocks of a page one after the other, and give all names that there are then."""
    code = "\n".join(re.findall(r"```python\n(.*?)```", text_of(page), re.DOTALL))
    exec(compile(code, page, "exec"), names)
    return names


def test_the_code_on_sessions_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an agent in whose conversation each block is a turn."""
    monkeypatch.chdir(tmp_path)
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient(["hello"] * 3)))
    run_code_of("sessions.md", {"agent": agent})
    said = [message["content"] for message in agent.messages if message["role"] == "user"]
    assert said == ["Where were we?", "And now?", "Go on."]
    assert (tmp_path / "chats.db").is_file()


def test_the_code_on_tests_runs() -> None:
    """Its assertions hold."""
    assert len(run_code_of("clients.md", {"Note": Note})["model"].requests) == 3


def test_the_table_of_errors_is_complete() -> None:
    """Each error of a model is in it, with whether it may pass; what only tests and bases have is left out."""
    stated = {name: answer == "yes" for name, answer in ROW.findall(text_of("clients.md"))}
    kinds = [kind for name in errors.__all__ if issubclass(kind := getattr(errors, name), LLMError)]
    left_out = {"LLMError", "LLMStatusError", "ScriptExhaustedError"}
    assert stated == {kind.__name__: kind.retryable for kind in kinds if kind.__name__ not in left_out}


def test_the_table_of_settings_names_fields() -> None:
    """None of them is invented."""
    section = text_of("clients.md").split("## Settings of a server")[1].split("##")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named <= OpenAIConfig.model_fields.keys()
    assert len(named) > 8
