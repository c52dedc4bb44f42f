from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import AmbiguousError, RepairError, SchemaMismatchError
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import compile_schema

Field = Callable[..., JsonValue]
COLORS = {"enum": ["red", "dark_green", "NOT SPAM", "café", "c++"]}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("RED", "red"),
        (" red ", "red"),
        ("dark-green", "dark_green"),
        ("Dark Green", "dark_green"),
        ("darkGreen", "dark_green"),
        ("not_spam", "NOT SPAM"),
        ("`red`", "red"),
        ("**red**", "red"),
        ('"red"', "red"),
        ("'Red'", "red"),
        ("“red”", "red"),
        ("Cafe", "café"),
        ("cafe\u0301", "café"),
        ("C++", "c++"),
        (["red"], "red"),
    ],
)
def test_a_value_written_otherwise_is_the_allowed_one(field: Field, given: JsonValue, wanted: str) -> None:
    """Case, blanks, hyphens, underscores, accents, quotes and emphasis do not count."""
    assert field(COLORS, given) == wanted


@pytest.mark.parametrize(
    "given",
    [
        "infrared",
        "not red",
        "red or dark_green",
        "crimson",
        "redd",
        "re",
        "red.",
        "red!",
        "c",
        "c+",
        "spam",
        "",
        "**",
        None,
        5,
    ],
)
def test_nothing_else_is(field: Field, given: JsonValue) -> None:
    """Parts, negations, choices, synonyms and slips are errors."""
    assert field(COLORS, given) is SchemaMismatchError


@pytest.mark.parametrize(
    ("allowed", "given"),
    [
        ("-name", "name"),
        ("name", "-name"),
        ("A-", "A"),
        ("A", "a-"),
        ("12", "1-2"),
        ("1_2", "12"),
        ("-5", "5"),
        ("+1", "1"),
    ],
)
def test_a_sign_at_the_end_or_between_digits_counts(field: Field, allowed: str, given: str) -> None:
    """A descending order, a grade or a range is not to be mistaken for another."""
    assert field({"enum": [allowed, "other"]}, given) is SchemaMismatchError


def test_digits_may_be_parted_in_another_way(field: Field) -> None:
    """Which sign stands between them does not count."""
    assert field({"enum": ["2024-01", "v1_2"]}, "2024 01") == "2024-01"
    assert field({"enum": ["2024-01", "v1_2"]}, "V1-2") == "v1_2"


def test_two_members_that_read_alike_are_no_choice_of_ours(field: Field) -> None:
    """`mb` may be `Mb` or `MB`; written exactly it is one of them."""
    units = {"enum": ["Mb", "MB"]}
    assert field(units, "mb") is AmbiguousError
    assert field(units, "Mb") == "Mb"
    assert field(units, "MB") == "MB"


def test_the_error_lists_what_is_allowed() -> None:
    """The model is told the allowed values."""
    schema = {"type": "object", "properties": {"color": COLORS}}
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(schema)).mend({"color": "crimson"})
    [problem] = caught.value.problems
    assert problem.expected == 'one of "red", "dark_green", "NOT SPAM", "café", "c++"'
    assert problem.given == "crimson"
    assert problem.path == ("color",)


def test_a_constant_is_an_allowed_value(field: Field) -> None:
    """`const` is a list of one."""
    assert field({"const": "click"}, "Click") == "click"
    assert field({"const": "click"}, "scroll") is SchemaMismatchError


@given(st.lists(st.text(min_size=1), min_size=1, max_size=5, unique=True), st.text())
def test_only_an_allowed_value_comes_out(allowed: list[str], text: str) -> None:
    """Whatever is given, the result is an allowed value or an error."""
    try:
        value = Mender(compile_schema({"enum": allowed})).mend(text).value
    except RepairError:
        return
    assert value in allowed


@pytest.mark.parametrize("given", ["10²", "10₂", "①02", "½"])
def test_raised_and_ringed_digits_are_no_digits(field: Field, given: str) -> None:
    """`10²` is a hundred, and not `102`."""
    assert field({"enum": ["102", "5", "1⁄2", "12"]}, given) is SchemaMismatchError


def test_full_width_signs_are_plain_ones(field: Field) -> None:
    """They only look wider."""
    assert field({"enum": ["102", "a-b c"]}, "１０２") == "102"
    assert field({"enum": ["102", "a-b c"]}, "Ａ－Ｂ\u3000Ｃ") == "a-b c"
