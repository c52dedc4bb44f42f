from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.errors import LimitError, NotJsonError
from toolmend.repairs.numbers import source_of
from toolmend.repairs.record import JsonValue
from toolmend.repairs.text.strict import MAX_DIGITS, identical, read_strict, refuse_surrogates

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(JSON, st.booleans())
def test_json_is_read_as_it_is(value: JsonValue, ascii_only: bool) -> None:
    """Any JSON text gives its value, exactly and without repairs."""
    reading = read_strict(json.dumps(value, ensure_ascii=ascii_only))
    assert reading is not None
    assert identical(reading.value, value)
    assert reading.repairs == ()


@pytest.mark.parametrize("text", ["", "{", "{'a': 1}", '{"a": 1,}', "nul", '{"a": 01}', "[1 2]", '"a', '{"a": "\\x"}'])
def test_what_is_no_json_is_left_to_others(text: str) -> None:
    """Any fault of form means that there is no strict reading."""
    assert read_strict(text) is None


@pytest.mark.parametrize("raw", ["\n", "\t", "\r\n", "\x00", "\x1b[0m"])
def test_control_characters_in_strings_are_kept_on_record(raw: str) -> None:
    """A raw control character in a string belongs to it."""
    reading = read_strict(f'{{"a": "x{raw}y"}}')
    assert reading is not None
    assert reading.value == {"a": f"x{raw}y"}
    assert [repair.rule for repair in reading.repairs] == ["control-character"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e400"])
def test_numbers_that_are_not_finite_are_refused(number: str) -> None:
    """No number that JSON cannot mean is let in, wherever it stands."""
    with pytest.raises(NotJsonError, match=r"no number|out of range") as caught:
        read_strict(f'{{"a": [{number}]}}')
    assert caught.value.final


def test_integers_are_exact_up_to_a_limit() -> None:
    """4,300 digits are read exactly; one more is an error, and no crash."""
    digits = "9" * MAX_DIGITS
    reading = read_strict(digits)
    assert reading is not None
    assert reading.value == int(digits)
    with pytest.raises(LimitError, match="4,300 digits"):
        read_strict(digits + "9")


def test_floats_remember_their_text() -> None:
    """A number with a fraction or exponent knows how it was written."""
    reading = read_strict("[1.10, 1e3, -0]")
    assert reading is not None
    assert [source_of(item) for item in reading.value] == ["1.10", "1e3", "-0"]


def test_a_key_twice_with_one_value_counts_once() -> None:
    """It is on record that the key was there twice."""
    reading = read_strict('{"a": [1], "b": 2, "a": [1]}')
    assert reading is not None
    assert reading.value == {"a": [1], "b": 2}
    assert [repair.rule for repair in reading.repairs] == ["duplicate-key"]


@pytest.mark.parametrize(
    "text", ['{"a": 1, "a": 2}', '{"a": 1, "a": 1.0}', '{"a": 1, "a": true}', '[{"a": "", "a": []}]']
)
def test_a_key_twice_with_two_values_is_refused(text: str) -> None:
    """Neither the first nor the last value is taken."""
    with pytest.raises(NotJsonError, match="twice") as caught:
        read_strict(text)
    assert caught.value.final


@pytest.mark.parametrize("text", ['"\\ud83d"', '{"a": "x\\ude00y"}', '{"\\ud83d": 1}', '["\\ud83d \\ude00"]'])
def test_half_a_surrogate_pair_is_refused(text: str) -> None:
    """What no UTF-8 text can hold is an error in strings and keys."""
    with pytest.raises(NotJsonError, match="surrogate"):
        read_strict(text)


def test_a_whole_surrogate_pair_is_one_character() -> None:
    """Both halves of a pair give the character."""
    reading = read_strict('"\\ud83d\\ude00"')
    assert reading is not None
    assert reading.value == "😀"


def test_nesting_beyond_the_decoder_is_a_limit() -> None:
    """A text nested deeper than the decoder can go is an error of ours."""
    with pytest.raises(LimitError, match="too deep"):
        read_strict("[" * 200_000 + "]" * 200_000)


def test_a_surrogate_is_looked_for_only_where_one_can_be() -> None:
    """A text that could make none is not searched."""
    refuse_surrogates("plain", ["\ud83d"])
    with pytest.raises(NotJsonError):
        refuse_surrogates("\\ud83d", ["\ud83d"])


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1, True),
        (1, 1.0, False),
        (1, True, False),
        (0, False, False),
        (None, False, False),
        ([1, {"a": "x"}], [1, {"a": "x"}], True),
        ([1], [1, 1], False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": [1]}, {"a": [1.0]}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ("1", 1, False),
    ],
)
def test_identity_minds_types(left: JsonValue, right: JsonValue, same: bool) -> None:
    """`1`, `1.0` and `true` are three values at any depth."""
    assert identical(left, right) is same
    assert identical(right, left) is same
