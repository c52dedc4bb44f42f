"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
OUTPUT = re.compile(r"```python\n.*?```\n\n```\n(.*?)```", re.DOTALL)


def _run(code: str) -> str:
    run = subprocess.run([sys.executable, "-P", "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr == ""
    return run.stdout


def test_the_first_example_prints_what_the_readme_says(root: pathlib.Path) -> None:
    """The block of code on the first screen gives the block of output under it."""
    text = (root / "README.md").read_text(encoding="utf-8")
    code, output = BLOCK.search(text), OUTPUT.search(text)
    assert code is not None
    assert output is not None
    assert _run(code[1]) == output[1]


def test_the_agent_example_runs_with_a_scripted_client(root: pathlib.Path) -> None:
    """The second block runs as it stands, with a scripted client in the place of the model."""
    first, second = BLOCK.findall((root / "README.md").read_text(encoding="utf-8"))
    replies = """[
        ModelReply(text=None, tool_calls=(RawCall("fill", '{"element": "#name", "text": "Ann"}', "c1"),)),
        ModelReply(text=None, tool_calls=(RawCall("fill", '{"selector": "#name", "text": "Ben"}', "c2"),)),
        "Typed Ben.",
    ]"""
    model = re.compile(r'OpenAIConfig\(model="[^"]*"\)')
    assert model.search(second)
    stand_in = "from toolmend.agents import ModelReply, RawCall, ScriptedClient\n" + model.sub(
        f"ScriptedClient({replies})", second
    )
    shown = "print(result.results[0].text)\nprint(answer.stop_reason)"
    assert _run(f"{first}\n{stand_in}\n{shown}").endswith("Typed Ben.\ntyped 'Ann' into #name\nanswer\n")


def test_the_readme_is_short(root: pathlib.Path) -> None:
    """It stays on a few screens; the rest is in docs."""
    assert len((root / "README.md").read_text(encoding="utf-8").splitlines()) <= 150
