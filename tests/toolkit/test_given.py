from __future__ import annotations

import pytest

from toolmend.toolkit import CallError, ParseResult, ToolMessage, ToolUsageError
from toolmend.toolkit.given import check_text, items_of, several_of


class Say(ToolMessage):
    """Say something."""

    text: str


ERROR = CallError("invalid_arguments", "no")


def test_one_is_a_list_of_one() -> None:
    """A class, an instance, a text and a number are one thing each; what can be gone through is several."""
    for one in (Say, Say(text="x"), "say", 3):
        assert several_of(one) == [one]
    assert several_of(iter([1, 2])) == [1, 2]


def test_items_are_those_of_a_result_or_a_list_of_them() -> None:
    """Nothing else is taken."""
    assert items_of(ParseResult((ERROR,))) == items_of([ERROR]) == (ERROR,)
    with pytest.raises(ToolUsageError, match="a ParseResult, or a list of calls and errors out of one, got"):
        items_of(ERROR)  # type: ignore[arg-type]


def test_what_is_no_text_is_told() -> None:
    """With what it was to be."""
    assert check_text("x", "the name") == "x"
    with pytest.raises(ToolUsageError, match="the name must be a string, got int"):
        check_text(3, "the name")
