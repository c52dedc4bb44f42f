"""What docs/testing.md and docs/repair-log.md show runs, and what they state is so."""

from __future__ import annotations

import pathlib
import re
from dataclasses import fields
from typing import Any

import pytest

from toolmend.agents.testing import CORRUPTIONS, ScriptedClient, assert_mends
from toolmend.toolkit import RepairRecord, read_repair_log

DOCS = pathlib.Path(__file__).parents[1] / "docs"


def text_of(page: str) -> str:
    """A page of the documentation."""
    return (DOCS / page).read_text(encoding="utf-8")


def run_code_of(page: str) -> dict[str, Any]:
    """Run the blocks of a page one after the other, and give all names that there are then."""
    names: dict[str, Any] = {"__name__": page}
    code = "\n".join(re.findall(r"```python\n(.*?)```", text_of(page), re.DOTALL))
    exec(compile(code, page, "exec"), names)
    return names


def test_the_tests_that_are_shown_pass(tmp_path: pathlib.Path) -> None:
    """Each of them; the one that replays a conversation, with what a model said before."""
    names = run_code_of("testing.md")
    shown = [test for name, test in names.items() if name.startswith("test_")]
    assert len(shown) == 5
    path = str(tmp_path / "hello.json")
    for record in (True, False):
        names["llm"] = ScriptedClient(["Hi."] if record else [])
        shown[-1](lambda llm, record=record: names["recorded"](path, record=record))
    for test in shown[:-1]:
        test()


def test_the_assertion_that_is_shown_fails_with_that_text() -> None:
    """Word for word."""
    [shown] = re.findall(r"```text\n(.*?)\n```", text_of("testing.md"), re.DOTALL)
    raw = shown.splitlines()[1].strip()
    with pytest.raises(AssertionError) as caught:
        assert_mends(run_code_of("testing.md")["Fill"], raw, {"selector": "#name", "text": "Ann", "times": 3})
    assert str(caught.value) == shown


def test_the_table_of_corruptions_is_complete() -> None:
    """Each is in it, as the code has it."""
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| (\w+) \| (.+) \|$", text_of("testing.md"), re.MULTILINE)
    assert rows == [
        (one.name, one.kind, "values" if one.needs_tool else "text", one.sentence) for one in CORRUPTIONS.values()
    ]


def test_the_code_on_the_log_runs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its assertions hold; the last log takes no contents but what its hook leaves."""
    monkeypatch.chdir(tmp_path)
    registry = run_code_of("repair-log.md")["registry"]
    registry.parse_call("pay", '{"amount": "3", "to": "Ann"}')
    registry.parse_call("unknown", "{}")
    mended, refused = read_repair_log("full.jsonl")
    assert (mended.raw, mended.arguments) == ('{"amount": "3", "to": "Ann"}', None)
    assert refused.tool == "unknown"


def test_the_table_of_fields_is_complete() -> None:
    """It names each field of a record, and none that is not there."""
    section = text_of("repair-log.md").split("## What is in a record")[1].split("Without")[0]
    named = [name for line in section.splitlines() if line.startswith("| `") for name in line.split("|")[1].split("`")]
    assert {name for name in named if name.isidentifier()} == {field.name for field in fields(RepairRecord)}
