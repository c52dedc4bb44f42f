from __future__ import annotations

from typing import Any

import pytest

from toolmend.agents.budgets import Budgets, Spending
from toolmend.agents.errors import ConfigError
from toolmend.toolkit.errors import ModelRetry
from toolmend.toolkit.outcome import CallError, ToolCall, ToolResult

WIDE = Budgets(per_tool=100, consecutive=100, total=100)


def good(name: str) -> ToolResult:
    """A call that ran."""
    return ToolResult(ToolCall(name, {}, None), value="x", text="x")


def bad(name: str) -> ToolResult:
    """A call whose arguments do not fit."""
    call = CallError("invalid_arguments", "no", tool=name)
    return ToolResult(call, text="no", error=call)


def unknown(name: str) -> ToolResult:
    """A call of a tool that does not exist."""
    call = CallError("unknown_tool", "no", tool=name)
    return ToolResult(call, text="no", error=call)


def turns_until_end(budgets: Budgets, *turns: list[ToolResult]) -> tuple[int, str | None]:
    """In which turn the budget is used up, and what is said of it; the turns are repeated."""
    spending = Spending(budgets)
    for number in range(1, 50):
        used_up = spending.book(turns[(number - 1) % len(turns)])
        if used_up:
            return number, used_up
    return 0, None


def test_one_tool_may_fail_so_often_in_a_row() -> None:
    """The budget is what is forgiven: one turn more ends the run."""
    budgets = Budgets(per_tool=2, consecutive=100, total=100)
    assert turns_until_end(budgets, [bad("f")]) == (3, "3 turns in a row with faulty calls of f")


def test_a_good_call_starts_the_count_of_its_tool_anew() -> None:
    """Only the tool that did well is forgiven."""
    budgets = Budgets(per_tool=2, per_tool_total=100, consecutive=100, total=100)
    assert turns_until_end(budgets, [bad("f")], [good("f")]) == (0, None)
    assert turns_until_end(budgets, [bad("f")], [good("g")])[0] == 5
    assert turns_until_end(budgets, [bad("f"), good("f")])[0] == 3


def test_invented_names_share_one_budget() -> None:
    """A model that invents a new name each time gets no new budget each time."""
    spending = Spending(Budgets(per_tool=2, consecutive=100, total=100))
    ends = [spending.book([unknown(name)]) for name in ("a", "b", "c")]
    assert ends == [None, None, "3 turns in a row with faulty calls of a tool that does not exist"]


def test_turns_in_a_row_are_bounded_over_all_tools() -> None:
    """Faults that wander from tool to tool end, too; a turn without a fault starts anew."""
    budgets = Budgets(per_tool=100, per_tool_total=100, consecutive=3, total=100)
    assert turns_until_end(budgets, [bad("f")], [bad("g")]) == (4, "4 turns in a row with faulty calls")
    assert turns_until_end(budgets, [bad("f")], [bad("g")], [good("f")]) == (0, None)


def test_the_total_is_never_forgiven() -> None:
    """Good calls between the faults do not lengthen the run for ever."""
    budgets = Budgets(per_tool=100, consecutive=100, total=4)
    assert turns_until_end(budgets, [bad("f")], [good("f")]) == (9, "5 faulty calls in one run")
    assert turns_until_end(budgets, [bad("f"), bad("g")]) == (3, "6 faulty calls in one run")


def test_a_handler_that_asks_again_is_booked() -> None:
    """`ModelRetry` is a request for another call like a fault; any other failure of a handler is not the model's."""
    call = ToolCall("f", {}, None)
    retry = ToolResult(call, text="again", error=ModelRetry("again"))
    crash = ToolResult(call, text="boom", error=RuntimeError("boom"))
    budgets = Budgets(per_tool=1, consecutive=100, total=100)
    assert turns_until_end(budgets, [retry])[0] == 2
    assert turns_until_end(budgets, [crash]) == (0, None)


@pytest.mark.parametrize("turns", [[[good("f")]], [[]]])
def test_without_faults_nothing_is_used_up(turns: list[list[ToolResult]]) -> None:
    """Good calls cost nothing."""
    assert turns_until_end(WIDE, *turns) == (0, None)


@pytest.mark.parametrize("wrong", [-1, True, "3", None, 1.5])
@pytest.mark.parametrize("field", ["per_tool", "consecutive", "total"])
def test_a_budget_is_a_number_of_calls(field: str, wrong: Any) -> None:  # noqa: ANN401
    """Anything else is an error that names the field."""
    with pytest.raises(ConfigError, match=rf"Budgets\.{field}: a whole number from 0 on is needed"):
        Budgets(**{field: wrong})
