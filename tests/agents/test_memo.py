from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolmend.agents._memo import Memo


def test_what_was_put_is_found() -> None:
    """And what was not is None."""
    memo: Memo[str] = Memo(100)
    memo.put("a", "one", 1)
    assert (memo.get("a"), memo.get("b")) == ("one", None)


def test_what_is_asked_for_stays() -> None:
    """However much comes after it; the rest is forgotten."""
    memo: Memo[int] = Memo(100)
    memo.put("kept", 0, 1)
    memo.put("lost", 0, 1)
    for number in range(1000):
        memo.put(number, number, 1)
        assert memo.get("kept") == 0
    assert memo.get("lost") is None


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 60)), max_size=60))
def test_the_bound_holds(puts: list[tuple[int, int]]) -> None:
    """What is remembered costs no more than the bound, but for a value that costs more than half of it by itself."""
    memo: Memo[int] = Memo(100)
    for key, cost in puts:
        memo.put(key, cost, cost)
        held = {id(half): sum(known[1] for known in half.values()) for half in (memo._young, memo._old)}
        assert all(spent <= 60 for spent in held.values())
        assert memo.get(key) == cost
