"""What docs/clients.md states is so."""

from __future__ import annotations

import pathlib
import re

from toolmend.agents import errors
from toolmend.agents.clients.openai import OpenAIConfig
from toolmend.agents.errors import LLMError

DOCS = pathlib.Path(__file__).parents[1] / "docs"
ROW = re.compile(r"^\| `(\w+)` \| .* \| (yes|no) \|$", re.MULTILINE)


def text_of(page: str) -> str:
    """A page of the documentation."""
    return (DOCS / page).read_text(encoding="utf-8")


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
