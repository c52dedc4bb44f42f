"""Assistant texts as models write them, each with its right calls, none, or the error that is due."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Final

import pytest

from toolmend.repairs.text.strict import identical
from toolmend.toolkit import ParseResult, ToolRegistry

CASES: Final = pathlib.Path(__file__).parent / "cases" / "parse_content.jsonl"
ROWS: Final = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]

EXPECTED_OPEN: Final[frozenset[str]] = frozenset()
"""Ids of cases that are not read yet; a case that begins to pass must leave this set."""

OPEN_COUNT: Final = 0


def _marked(row: dict[str, Any]) -> object:
    marks = [pytest.mark.xfail(strict=True)] if row["id"] in EXPECTED_OPEN else []
    return pytest.param(row, id=row["id"], marks=marks)


def _parse(case: dict[str, Any]) -> ParseResult:
    registry = ToolRegistry()
    for tool in case["tools"]:
        registry.add_schema(tool["name"], tool["description"], tool["parameters"])
    return registry.parse_text(case["raw"], finish_reason=case.get("finish_reason"))


@pytest.mark.parametrize("case", [_marked(row) for row in ROWS])
def test_calls_come_out_right_or_not_at_all(case: dict[str, Any]) -> None:
    """The calls are exactly the expected ones, in order and type; or no call comes out, and an error does."""
    result = _parse(case)
    if "error" in case["expect"]:
        assert not result.calls
        assert result.errors
        return
    assert not result.errors
    got = [{"name": call.name, "arguments": call.arguments} for call in result.calls]
    assert identical(got, case["expect"]["calls"])


@pytest.mark.parametrize("case", ROWS, ids=[row["id"] for row in ROWS])
def test_a_case_that_is_open_may_fail_but_never_by_a_wrong_call(case: dict[str, Any]) -> None:
    """Whatever is not read yet comes out as no call or as an error."""
    wanted = case["expect"].get("calls", [])
    for call in _parse(case).calls:
        assert any(identical({"name": call.name, "arguments": call.arguments}, one) for one in wanted)


@pytest.mark.parametrize("case", ROWS, ids=[row["id"] for row in ROWS])
def test_each_call_knows_where_it_stands(case: dict[str, Any]) -> None:
    """Its span cuts its raw text out of the message, and none of it is left in the prose."""
    result = _parse(case)
    for item in result.items:
        assert item.span is not None
        start, end = item.span
        assert case["raw"][start:end] == item.raw
        assert item.format
    if not result.items and "</think>" not in case["raw"] and "<|" not in case["raw"]:
        assert result.text in case["raw"]


def test_open_cases_are_counted() -> None:
    """The number of cases that are not read yet is known, and each of them is a case."""
    assert len(EXPECTED_OPEN) == OPEN_COUNT
    assert {row["id"] for row in ROWS} >= EXPECTED_OPEN
