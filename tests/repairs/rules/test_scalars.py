from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.errors import SchemaMismatchError
from toolmend.repairs.numbers import SourcedFloat, SourcedInt
from toolmend.repairs.record import JsonValue
from toolmend.repairs.rules.scalars import number_of
from toolmend.repairs.values import same

Field = Callable[..., JsonValue]
ERROR: Final = SchemaMismatchError

INTEGER: Final = {"type": "integer"}
NUMBER: Final = {"type": "number"}
BOOLEAN: Final = {"type": "boolean"}
TEXT: Final = {"type": "string"}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("12", 12),
        (" 12 ", 12),
        ("+5", 5),
        ("-5", -5),
        ("−5", -5),
        ("1e3", 1000),
        ("1_000", 1000),
        ("3.0", 3),
        ("007", 7),
        ("0x1F", 31),
        ("１２", 12),
        ("1,200", 1200),
        ("1,234,567", 1234567),
        ("9007199254740993", 9007199254740993),
        ("12345678901234567890123.0", 12345678901234567890123),
        (3.0, 3),
        (SourcedFloat.of(1e300, "1e300"), 10**300),
        (SourcedFloat.of(9007199254740992.0, "9007199254740993.0"), 9007199254740993),
        ([5], 5),
    ],
)
def test_what_spells_an_integer_becomes_one(field: Field, given: JsonValue, wanted: int) -> None:
    """Digits are read exactly, whatever stands around and between them."""
    assert same(field(INTEGER, given), wanted)


@pytest.mark.parametrize(
    "given",
    [
        *(2.7, 1e300, True, None, "", " ", "ten", "36.5", "5k", "5 minutes", "minus 3", "(1,200)", "1,20", "0,123"),
        *(
            "1/3",
            "3 * 4",
            "$5",
            "1e999999",
            "1e-3",
            "1e99999999999999999999",
            "²",
            "٣",
            "1__0",
            "_1",
            "1_",
            "--5",
            "0x",
        ),
        *("1.2.3", "12-05", "10:30", "[5", "nan", "inf", "null", "true", "1" * 5000, [5, 6], [], {"value": 5}),
    ],
    ids=lambda given: repr(given)[:20],
)
def test_nothing_else_becomes_an_integer(field: Field, given: JsonValue) -> None:
    """Fractions, units, words and signs of uncertain meaning are for the model to write anew."""
    assert field(INTEGER, given) is ERROR


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("1.5", 1.5),
        (".5", 0.5),
        ("2.", 2.0),
        ("3", 3),
        ("3.0", 3.0),
        ("1e3", 1000.0),
        ("1,234.56", 1234.56),
        ("1,234,567", 1234567),
        ("$1,234.56", 1234.56),
        ("-$5", -5),
        ("€ 5.50", 5.5),
    ],
)
def test_what_spells_a_number_becomes_one(field: Field, given: str, wanted: float) -> None:
    """A number keeps its fraction, and thousands are told by two commas or a point."""
    assert same(field(NUMBER, given), wanted)


@pytest.mark.parametrize(
    "given",
    ["3,140", "$3,140", "1,5", "1.234,56", "20%", "nan", "inf", "Infinity", "1e999", "1/3", "$", "5 €", "USD 5", "$1k"],
)
def test_nothing_else_becomes_a_number(field: Field, given: str) -> None:
    """What has two readings, or none, is an error."""
    assert field(NUMBER, given) is ERROR


@pytest.mark.parametrize("key", ["percent", "tax_percent", "taxPercent", "discount-pct", "percentage"])
def test_a_percentage_needs_a_field_that_says_so(field: Field, key: str) -> None:
    """`20%` is 20 where the field counts in percent."""
    assert same(field(NUMBER, "20%", key), 20)
    assert same(field(NUMBER, "2.5 %", key), 2.5)
    assert same(field(INTEGER, "20%", key), 20)
    assert field(INTEGER, "2.5%", key) is ERROR


@pytest.mark.parametrize("key", ["ratio", "percentile", "x"])
def test_elsewhere_a_percentage_is_an_error(field: Field, key: str) -> None:
    """A ratio may want 0.2, or 20."""
    assert field(NUMBER, "20%", key) is ERROR


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        *(("true", True), ("False", False), ("YES", True), ("no", False), (" on ", True), ("off", False)),
        *((0, False), (1, True), ("0", False), ("1", True)),
    ],
)
def test_what_says_yes_or_no_becomes_a_boolean(field: Field, given: JsonValue, wanted: bool) -> None:
    """The closed list of words, and 0 and 1."""
    assert field(BOOLEAN, given) is wanted


@pytest.mark.parametrize("given", ["not true", "probably", "", "none", "y", "t", 2, -1, 1.0, None, "yes!", {}])
def test_nothing_else_becomes_a_boolean(field: Field, given: JsonValue) -> None:
    """A negation or a doubt is no answer."""
    assert field(BOOLEAN, given) is ERROR


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (7, "7"),
        (-7, "-7"),
        (12345678901234567890123, "12345678901234567890123"),
        (True, "true"),
        (False, "false"),
        (SourcedFloat.of(1.1, "1.10"), "1.10"),
        (SourcedInt.of(501, "00501"), "00501"),
        (SourcedFloat.of(1000.0, "1e3"), "1e3"),
    ],
)
def test_a_scalar_becomes_its_source_text(field: Field, given: JsonValue, wanted: str) -> None:
    """A version, zip code or id stays as it was written."""
    assert field(TEXT, given) == wanted


@pytest.mark.parametrize("given", [1.1, 1e16, None, {"a": 1}, ["a", "b"], [], [["a"]]])
def test_nothing_else_becomes_text(field: Field, given: JsonValue) -> None:
    """A fraction whose text is lost, or what is no scalar, is not written anew."""
    assert field(TEXT, given) is ERROR


@pytest.mark.parametrize("kind", ["integer", "boolean", "array", "object", "number"])
@pytest.mark.parametrize("word", ["null", "None"])
def test_the_word_for_null_is_null_where_text_is_not_allowed(field: Field, kind: str, word: str) -> None:
    """A nullable field of another type takes the word for what it says."""
    assert field({"type": [kind, "null"]}, word) is None
    assert field({"anyOf": [{"type": kind}, {"type": "null"}]}, word) is None


def test_the_word_for_null_stays_where_text_is_allowed(field: Field) -> None:
    """`None` may be a name."""
    assert field({"type": ["string", "null"]}, "None") == "None"
    assert field({"anyOf": [{"type": "string", "minLength": 9}, {"type": "null"}]}, "None") is ERROR
    assert field({"anyOf": [{"enum": ["none", "all"]}, {"type": "null"}]}, "None") == "none"
    assert field({"anyOf": [{"enum": ["some", "all"]}, {"type": "null"}]}, "None") is None
    assert field(INTEGER, "null") is ERROR


def test_numbers_and_text_of_allowed_values_find_each_other(field: Field) -> None:
    """An allowed value is meant by its text, and a text by the number that it spells."""
    assert same(field({"enum": [1, 2, 3]}, "2"), 2)
    assert same(field({"enum": [1, 2, 3]}, 2.0), 2)
    assert same(field({"enum": [0.5, 1.0]}, 1), 1.0)
    assert same(field({"enum": ["1", "2"]}, 2), "2")
    assert field({"enum": [1, 2, 3]}, True) is ERROR
    assert same(field({"enum": [True, "yes"]}, "YES"), "yes")


@given(st.integers(-(10**30), 10**30))
def test_every_integer_is_read_back(number: int) -> None:
    """An integer written by thousands, with a fraction of zero, or plain, is that integer."""
    assert number_of(str(number), whole=True) == number
    assert number_of(f"{number}.00", whole=True) == number
    assert number_of(f"{number:,}", whole=True) == number
    assert number_of(f"{number:_}", whole=True) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_back(number: float) -> None:
    """A float written by Python is that float."""
    assert number_of(repr(number), whole=False) == number


@given(st.text())
def test_no_text_breaks_the_reading(text: str) -> None:
    """Any text is a number or none, never an exception."""
    for whole in (True, False):
        number = number_of(text, whole=whole)
        assert number is None or any(sign.isdigit() for sign in text)


@pytest.mark.parametrize("name", ["date", "date-time", "time", "duration"])
@pytest.mark.parametrize("given", [2024, 0, 1.5, SourcedFloat.of(1030.5, "1030.5")])
def test_a_number_does_not_become_a_time(field: Field, name: str, given: JsonValue) -> None:
    """It does not tell whether it is a year, a day run together or a count of seconds."""
    assert field({"type": "string", "format": name}, given) is ERROR


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        ({"not": {"const": 5}}, 5),
        ({"maximum": 3}, 5),
        ({"type": ["string", "integer"], "maximum": 3}, 5),
        ({"anyOf": [{"type": "string"}, {"type": "integer", "maximum": 3}]}, 5),
        ({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "integer", "maximum": 3}]}, 5),
    ],
)
def test_no_change_of_type_dodges_a_bound(field: Field, schema: JsonValue, given: JsonValue) -> None:
    """A number that may be one here is not to become what nothing is asked of."""
    assert field(schema, given) is ERROR


@pytest.mark.parametrize("given", ["1.000", "+1.000", "12.000.000", "1.234"])
def test_a_point_before_three_digits_may_part_thousands(field: Field, given: str) -> None:
    """For an integer the text has two readings; an amount of money has them for any number."""
    assert field({"type": "integer"}, given) is ERROR
    assert field({"type": "number"}, f"${given}") is ERROR


@pytest.mark.parametrize(
    ("given", "wanted"), [("1.0", 1), ("3.00", 3), ("0.000", 0), ("1.0000", 1), ("1000.000", 1000)]
)
def test_any_other_point_parts_the_fraction(field: Field, given: str, wanted: int) -> None:
    """Nobody writes thousands like that."""
    assert same(field({"type": "integer"}, given), wanted)


def test_a_number_of_json_has_no_thousands(field: Field) -> None:
    """Its point is what JSON says."""
    assert same(field({"type": "integer"}, SourcedFloat.of(1.0, "1.000")), 1)
