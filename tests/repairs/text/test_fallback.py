from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.record import JsonValue
from toolmend.repairs.text.fallback import read_guarded


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"id": 4, "tags": ["a" , : "b"]}', {"id": 4, "tags": ["a", "b"]}),
        ('["a" "b"]', ["a", "b"]),
    ],
)
def test_commas_and_colons_may_be_set_right(text: str, value: JsonValue) -> None:
    """The library counts where it only moved what stands between complete tokens."""
    reading = read_guarded(text, 1000)
    assert reading is not None
    assert reading.value == value
    assert [(repair.rule, repair.kind) for repair in reading.repairs] == [("json-repair", "inferred")]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": }',
        '{"a": , "b": 1}',
        '{"a"  []}',
        '{"a": "" x: 3", "b": 1}',
        '{"a": 50%}',
        '{"a": 1.10,}',
        '{"a": 007,}',
        '{"a": "x", ...}',
        '{"a": "x"',
        '{"a": ["x"}',
        '{"a": "x"}}',
        '{"a": "say "hi""}',
        '{"a": "x\\n",}',
        '{"a": "x\n",}',
        '{"a": 1, "a": 2,}',
        '{"a": NaN,}',
        "{'a': 'It's fine'}",
        "{a: b}",
        "no object",
        '"text"',
        "",
        '{"a": 1} {"b": 2}',
    ],
)
def test_a_reading_that_lost_or_added_anything_is_not_believed(text: str) -> None:
    """A token that is not in both texts, in order, means that the library guessed."""
    assert read_guarded(text, 1000) is None


def test_a_long_text_is_not_handed_over() -> None:
    """The library is bounded by the length of its input."""
    text = '["a" , : "b"]'
    assert read_guarded(text, len(text)) is not None
    assert read_guarded(text, len(text) - 1) is None


@given(st.text('{}[]",:ab1 ', max_size=40))
def test_the_library_never_fails_through_the_guard(text: str) -> None:
    """Whatever it is given, the guard gives a reading or none."""
    reading = read_guarded(text, 1000)
    assert reading is None or isinstance(reading.value, (dict, list))
