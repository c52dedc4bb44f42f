"""What docs/sessions.md shows runs as it stands."""

from __future__ import annotations

import pathlib
import re

import pytest

from toolmend.agents import ChatAgent, ChatAgentConfig, ScriptedClient

PAGE = (pathlib.Path(__file__).parents[1] / "docs" / "sessions.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One block after the other, with an agent in whose conversation each of them is a turn."""
    monkeypatch.chdir(tmp_path)
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient(["hello"] * 3)))
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(compile(code, "sessions.md", "exec"), {"agent": agent})
    said = [message["content"] for message in agent.messages if message["role"] == "user"]
    assert said == ["Where were we?", "And now?", "Go on."]
    assert (tmp_path / "chats.db").is_file()
