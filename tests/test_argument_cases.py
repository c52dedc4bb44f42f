"""Arguments as models write them, each with its one right value or the error that is due."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from toolmend.repairs.text.strict import identical
from toolmend.toolkit import ParseResult, ToolRegistry

CASES = pathlib.Path(__file__).parent / "cases" / "parse_arguments.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def _parse(case: dict[str, Any]) -> ParseResult:
    registry = ToolRegistry()
    for tool in case["tools"]:
        registry.add_schema(tool["name"], tool["description"], tool["parameters"])
    return registry.parse_call(case["tool"], case["raw"], finish_reason=case.get("finish_reason"))


@pytest.mark.parametrize("case", ROWS, ids=[row["id"] for row in ROWS])
def test_arguments_come_out_right_or_not_at_all(case: dict[str, Any]) -> None:
    """The calls are exactly the expected ones; or no call comes out, and an error does."""
    result = _parse(case)
    if "error" in case["expect"]:
        assert not result.calls
        assert result.errors
        return
    assert not result.errors
    got = [{"name": call.name, "arguments": call.arguments} for call in result.calls]
    assert got == case["expect"]["calls"]


@pytest.mark.parametrize("case", ROWS, ids=[row["id"] for row in ROWS])
def test_what_was_changed_is_on_record(case: dict[str, Any]) -> None:
    """A call has repairs exactly if its text is not the strict JSON of its arguments."""
    for call in _parse(case).calls:
        try:
            value = json.loads(case["raw"])
        except ValueError:
            value = None
        doubled = "duplicate-key" in {repair.rule for repair in call.repairs}
        same = identical(value, call.arguments) and call.name == case["tool"] and not doubled
        assert bool(call.repairs) is not same
