from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from toolmend.agents.testing import assert_mends, assert_refuses
from toolmend.repairs.record import JsonValue
from toolmend.toolkit import ToolMessage, ToolRegistry, ToolUsageError


class Inner(ToolMessage):
    words: list[str]


class Order(ToolMessage, name="order"):
    """Order something."""

    item: str
    count: int
    share: float = 1.0
    inner: Inner | None = None


ORDER: dict[str, JsonValue] = {"item": "tea", "count": 2}


@pytest.mark.parametrize("raw", ['{"item": "tea", "count": "2",}', {"item": "tea", "count": "2"}])
def test_a_call_that_is_mended_as_expected_is_given_back(raw: JsonValue) -> None:
    """From a text or from values, against arguments or against an instance."""
    assert assert_mends(Order, raw, ORDER).arguments == ORDER
    assert assert_mends(Order, raw, Order(item="tea", count=2)).message == Order(item="tea", count=2)


def test_the_rules_that_make_the_repairs_can_be_pinned() -> None:
    """All of them; their order does not matter."""
    assert_mends(Order, '{"item": "tea", "count": "2",}', ORDER, rules=["numeric-text", "extra-comma"])
    assert_mends(Order, '{"item": "tea", "count": 2}', ORDER, rules=[])
    with pytest.raises(AssertionError) as caught:
        assert_mends(Order, '{"item": "tea", "count": 2,}', ORDER, rules=iter(["fence"]))
    assert str(caught.value) == snapshot("""\
other rules make the repairs; the model wrote:
  {"item": "tea", "count": 2,}
  wanted repairs by: fence
  mended: extra-comma (lossless) at /: ',' -> ''\
""")


def test_a_refused_call_fails_with_what_the_model_would_be_told() -> None:
    """So that the reason need not be looked for."""
    with pytest.raises(AssertionError) as caught:
        assert_mends(Order, '{"item": "tea", "count": 2.5}', ORDER)
    assert str(caught.value) == snapshot("""\
it is refused (invalid_arguments); the model wrote:
  {"item": "tea", "count": 2.5}
  The call of 'order' was not run: its arguments do not fit.
  - at /count: must be an integer, got a number 2.5
  Send the call again with arguments of this form: {"item": "<string>", "count": <integer>}\
""")


def test_another_value_fails_with_each_place_and_each_repair() -> None:
    """Types count: an integer is no float, and true is no number."""
    with pytest.raises(AssertionError) as caught:
        assert_mends(
            Order,
            '{"item": "tea", "count": "2", "inner": {"words": ["a", "b"]}}',
            {"item": True, "count": 2.0, "share": 1.0, "inner": {"words": ["a", "c"]}},
        )
    assert str(caught.value) == snapshot("""\
something else comes out; the model wrote:
  {"item": "tea", "count": "2", "inner": {"words": ["a", "b"]}}
  at /item: wanted true (bool), got "tea" (str)
  at /count: wanted 2.0 (float), got 2 (int)
  at /share: wanted 1.0 (float), got nothing
  at /inner/words/1: wanted "c" (str), got "b" (str)
  mended: numeric-text (lossless) at /count: '"2"' -> '2'\
""")


def test_another_message_fails_with_both() -> None:
    """They are shown as they are."""
    with pytest.raises(AssertionError) as caught:
        assert_mends(Order, ORDER, Order(item="tea", count=3))
    assert str(caught.value) == snapshot("""\
something else comes out; the model wrote:
  {"item": "tea", "count": 2}
  at /: wanted Order(item='tea', count=3, share=1.0, inner=None), got Order(item='tea', count=2, share=1.0, inner=None)
  nothing was mended\
""")


def test_a_refusal_can_be_asserted() -> None:
    """With its kind, or whatever it is; how the model stopped is taken into account."""
    assert assert_refuses(Order, '{"item": "tea", "count": 2.5}', "invalid_arguments").tool == "order"
    assert assert_refuses(Order, '{"item": "tea", "count": 2', finish_reason="length").kind == "cut_off"
    assert_mends(Order, '{"item": "tea", "count": 2', ORDER, finish_reason="stop")


def test_a_call_that_should_be_refused_fails_with_what_comes_out() -> None:
    """And so does one that is refused for another reason."""
    with pytest.raises(AssertionError) as caught:
        assert_refuses(Order, '{"item": "tea", "count": "2"}')
    assert str(caught.value) == snapshot("""\
a call comes out; the model wrote:
  {"item": "tea", "count": "2"}
  arguments: {"item": "tea", "count": 2}
  mended: numeric-text (lossless) at /count: '"2"' -> '2'\
""")
    with pytest.raises(AssertionError, match="it is refused as invalid_arguments, not as not_json"):
        assert_refuses(Order, '{"item": "tea"}', "not_json")


def test_the_policy_is_that_of_a_registry() -> None:
    """Which has exactly one tool."""
    assert_refuses(ToolRegistry([Order], policy="strict"), '{"item": "tea", "count": "2"}')
    with pytest.raises(ToolUsageError, match="a registry with one tool, is needed; this one has 0"):
        assert_refuses(ToolRegistry(), "{}")


def test_what_cannot_be_expected_is_refused() -> None:
    """By what can be."""
    with pytest.raises(ToolUsageError, match="arguments or an instance of the tool's class are expected"):
        assert_mends(Order, ORDER, "tea")  # type: ignore[arg-type]
