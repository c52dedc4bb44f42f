"""What the README shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pathlib

BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
OUTPUT = re.compile(r"```python\n((?:(?!```).)*?)```\n\n```\n(.*?)```", re.DOTALL)


def _run(code: str) -> str:
    run = subprocess.run([sys.executable, "-P", "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr == ""
    return run.stdout


def test_the_examples_print_what_the_readme_says(root: pathlib.Path) -> None:
    """The blocks of code with a block of output under them give that output, each with the first one before it."""
    text = (root / "README.md").read_text(encoding="utf-8")
    (first, said), *others = OUTPUT.findall(text)
    assert others
    assert _run(first) == said
    for code, output in others:
        assert _run(f"{first}\n{code}") == said + output


def test_the_agent_example_runs_with_a_scripted_client(root: pathlib.Path) -> None:
    """The last block runs as it stands, with a scripted client in the place of the model."""
    first, *_, second = BLOCK.findall((root / "README.md").read_text(encoding="utf-8"))
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
