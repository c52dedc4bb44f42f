from __future__ import annotations

import pytest

from toolmend.repairs.errors import LimitError
from toolmend.repairs.text.guard import Budget, check_depth, check_length


def test_a_text_within_its_length_passes() -> None:
    """The limit itself is allowed."""
    check_length("x" * 10, 10)


def test_a_text_that_is_too_long_is_refused() -> None:
    """One character more is too many, and the error tells both lengths."""
    with pytest.raises(LimitError, match="11 characters, the limit here is 10") as caught:
        check_length("x" * 11, 10)
    assert caught.value.kind == "too_large"


@pytest.mark.parametrize("text", ["[" * 5 + "]" * 5, '["' + "[" * 50 + '"]', "[]" * 50, "{([])}" * 9, '"\\"[[[[[["'])
def test_brackets_within_the_limit_pass(text: str) -> None:
    """Depth counts what is open at once, and not what stands in quotes."""
    check_depth(text, 5)


@pytest.mark.parametrize("text", ["[" * 6, '{"a":' * 6, "(" * 6, "]" * 9 + "[" * 6, '"x"' + "[{" * 3])
def test_brackets_nested_too_deep_are_refused(text: str) -> None:
    """One level more than allowed is an error, closed or not."""
    with pytest.raises(LimitError, match="deeper than 5") as caught:
        check_depth(text, 5)
    assert caught.value.kind == "too_deep"


def test_a_budget_ends() -> None:
    """Work may be spent until nothing is left."""
    budget = Budget(3)
    budget.spend(3)
    with pytest.raises(LimitError, match="too many ways"):
        budget.spend(1)
