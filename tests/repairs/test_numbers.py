from __future__ import annotations

import copy
import json
import pickle

from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.numbers import SourcedFloat, SourcedInt, plain, source_of
from toolmend.repairs.record import JsonValue


def test_a_number_remembers_how_it_was_written() -> None:
    """A sourced number is the number, and knows its text."""
    number = SourcedInt.of(7, "007")
    assert number == 7
    assert isinstance(number, int)
    assert source_of(number) == "007"
    assert source_of(SourcedFloat.of(1.1, "1.10")) == "1.10"


def test_other_values_have_no_source() -> None:
    """Ordinary numbers, strings and literals remember nothing."""
    values: list[JsonValue] = [7, 1.1, "7", True, None, []]
    assert [source_of(value) for value in values] == [None] * 6


def test_plain_leaves_no_sourced_number() -> None:
    """In lists and objects of any depth the ordinary numbers stand in place of the sourced ones."""
    value: dict[str, JsonValue] = {"a": [SourcedInt.of(7, "007"), {"b": SourcedFloat.of(0.5, ".5")}], "c": "x"}
    result = plain(value)
    assert result == {"a": [7, {"b": 0.5}], "c": "x"}
    assert type(result["a"][0]) is int
    assert type(result["a"][1]["b"]) is float


def test_plain_takes_a_bare_number() -> None:
    """A number alone is replaced too."""
    assert type(plain(SourcedInt.of(7, "007"))) is int
    assert type(plain(SourcedFloat.of(0.5, ".5"))) is float


@given(st.integers(-(10**30), 10**30))
def test_a_sourced_integer_behaves_like_the_integer(value: int) -> None:
    """It compares, hashes, encodes and calculates as the integer that it is."""
    number = SourcedInt.of(value, f"+{value}")
    assert number == value
    assert hash(number) == hash(value)
    assert json.dumps(number) == json.dumps(value)
    assert number + 1 == value + 1


def test_a_sourced_number_survives_copying() -> None:
    """Copies keep the number, whatever becomes of its text."""
    number = SourcedInt.of(7, "007")
    assert copy.deepcopy([number]) == [7]
    assert pickle.loads(pickle.dumps(SourcedFloat.of(0.5, ".5"))) == 0.5
