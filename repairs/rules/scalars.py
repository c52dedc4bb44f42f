"""Rules for numbers, booleans, strings and null that came as another type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from toolmend.repairs._formats import TIMES
from toolmend.repairs.numbers import SourcedFloat
from toolmend.repairs.rule import Candidate, Violation
from toolmend.repairs.rules._names import words_of
from toolmend.repairs.rules.info import RuleInfo, ValueRule

if TYPE_CHECKING:
    from toolmend.repairs.record import JsonValue

__all__ = ("SCALAR_RULES", "number_of")

_DIGITS: Final = r"\d+(?:_\d+)*"
_PLAIN: Final = re.compile(rf"[+-]?(?:{_DIGITS}\.?(?:{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?\d{{1,5}})?", re.ASCII)
_HEX: Final = re.compile(r"[+-]?0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*")
_GROUPED: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_POINTED: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+", re.ASCII)
_CURRENCY: Final = re.compile(r"([+-]?)[$€£¥₹] ?(\d[\d,]*(?:\.\d+)?)", re.ASCII)
_PERCENT: Final = re.compile(r"([+-]?[\d.]+) ?%", re.ASCII)
_PERCENT_NAMES: Final = frozenset({"percent", "percentage", "pct"})
_FOREIGN_SIGNS: Final = str.maketrans("０１２３４５６７８９−", "0123456789-")
_MOST_DIGITS: Final = 4300
_EXACT_FLOAT: Final = 2**53
"""Up to here every integer is a float; beyond, a float stands for many integers."""


def number_of(text: str, *, whole: bool) -> int | float | None:
    """The number that a text spells in digits; None if it spells none, or if two readings are possible.

    Args:
        text: the text, with blanks around it or not.
        whole: whether an integer is wanted: `3.0` and `1e3` are one, `3.5` is not, and `3,140` has one reading.
    """
    text = text.strip().translate(_FOREIGN_SIGNS)
    # "1.000" is one to some and a thousand to others; where a fraction is welcome it is more likely the first.
    return None if whole and _POINTED.fullmatch(text) else _number(text, whole=whole)


def _number(text: str, *, whole: bool) -> int | float | None:
    """The number that a text without blanks around it spells."""
    if len(text) > _MOST_DIGITS:
        return None
    if _HEX.fullmatch(text):
        return int(text.replace("_", ""), 16)
    if _GROUPED.fullmatch(text):
        # "3,140" is 3140 to some and 3.14 to others; a second group or a point after it tells, and so does an integer.
        if not whole and text.count(",") == 1 and "." not in text:
            return None
        text = text.replace(",", "")
    elif not _PLAIN.fullmatch(text):
        return None
    return _whole(text) if whole else _any_number(text)


def _whole(text: str) -> int | None:
    """An integer without rounding; an exponent must not blow it up."""
    number = Decimal(text.replace("_", ""))
    if number.adjusted() >= _MOST_DIGITS or number != number.to_integral_value():
        return None
    return int(number)


def _any_number(text: str) -> int | float | None:
    text = text.replace("_", "")
    if text.lstrip("+-").isdecimal():
        return int(text)
    number = float(text)
    return number if abs(number) != float("inf") else None


def _numeric_text(violation: Violation) -> Iterator[Candidate]:
    value, schema = violation.value, violation.schema
    if isinstance(value, str) and schema.allows("integer") | schema.allows("number"):
        number = number_of(value, whole=not schema.allows("number"))
        if number is not None:
            yield Candidate(number)


def _money_text(violation: Violation) -> Iterator[Candidate]:
    value = violation.value
    if isinstance(value, str) and violation.schema.allows("number") and (found := _CURRENCY.fullmatch(value.strip())):
        number = number_of(found[1] + found[2], whole=False)
        if number is not None and not _POINTED.fullmatch(found[2]):
            yield Candidate(number, "inferred")


def _percent_text(violation: Violation) -> Iterator[Candidate]:
    value, schema = violation.value, violation.schema
    names = [part for part in violation.path if isinstance(part, str)][-1:]
    if not isinstance(value, str) or not names or _PERCENT_NAMES.isdisjoint(words_of(names[0])):
        return
    if (found := _PERCENT.fullmatch(value.strip())) and schema.types & {"integer", "number"}:
        number = number_of(found[1], whole=not schema.allows("number"))
        if number is not None:
            yield Candidate(number, "inferred")


def _integral_number(violation: Violation) -> Iterator[Candidate]:
    value = violation.value
    if not isinstance(value, float) or not violation.schema.allows("integer"):
        return
    if isinstance(value, SourcedFloat):
        number = _number(value.text.strip().translate(_FOREIGN_SIGNS), whole=True)
    else:
        number = int(value) if value.is_integer() and abs(value) <= _EXACT_FLOAT else None
    if number is not None:
        yield Candidate(number)


def _whole_as_float(violation: Violation) -> Iterator[Candidate]:
    value = violation.value
    if type(value) is not bool and isinstance(value, int) and violation.schema.choices and abs(value) <= _EXACT_FLOAT:
        yield Candidate(float(value))


_BOOLEANS: Final = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}


def _boolean_word(violation: Violation) -> Iterator[Candidate]:
    value = violation.value
    if not violation.schema.allows("boolean") or isinstance(value, (bool, float)) or not isinstance(value, (str, int)):
        return
    word = str(value).strip().lower() if isinstance(value, str) or value in (0, 1) else ""
    listed = violation.schema.choices_by_words.get(word, ())
    if word in _BOOLEANS and not any(isinstance(choice, str) for choice in listed):
        yield Candidate(_BOOLEANS[word])


def _scalar_as_text(violation: Violation) -> Iterator[Candidate]:
    value = violation.value
    if not violation.schema.allows("string") or violation.schema.find("format") in TIMES:
        return
    if isinstance(value, bool):
        yield Candidate("true" if value else "false")
    elif violation.source is not None:
        yield Candidate(violation.source)
    elif isinstance(value, int):
        yield Candidate(str(value))


def _null_word(violation: Violation) -> Iterator[Candidate]:
    value, schema = violation.value, violation.schema
    if not isinstance(value, str) or value.strip() not in {"null", "None", "NULL", "none", "Null"}:
        return
    if schema.allows("null") and not _takes_word(schema.choices, schema.allows("string"), value):
        yield Candidate(None)


def _takes_word(choices: tuple[JsonValue, ...] | None, string_allowed: bool, word: str) -> bool:
    """Whether the word may be meant as text: any text is allowed, or one of the members reads like it."""
    if not string_allowed or choices is None:
        return string_allowed
    return any(isinstance(choice, str) and choice.strip().lower() == word.strip().lower() for choice in choices)


SCALAR_RULES: Final = (
    ValueRule(
        RuleInfo(
            "numeric-text",
            "Text that spells a number in digits becomes the number: signs, underscores, exponents, groups of three.",
            {"type": "object", "properties": {"count": {"type": "integer"}}},
            {"count": "1,234,567"},
            {"count": 1234567},
            "lossless",
        ),
        _numeric_text,
    ),
    ValueRule(
        RuleInfo(
            "money-text",
            "An amount with the sign of a currency before it becomes the number.",
            {"type": "object", "properties": {"amount": {"type": "number"}}},
            {"amount": "$1,234.56"},
            {"amount": 1234.56},
            "inferred",
        ),
        _money_text,
    ),
    ValueRule(
        RuleInfo(
            "percent-text",
            "A percentage becomes the number before the sign if the field's name says percent.",
            {"type": "object", "properties": {"discount_percent": {"type": "number"}}},
            {"discount_percent": "20%"},
            {"discount_percent": 20},
            "inferred",
        ),
        _percent_text,
    ),
    ValueRule(
        RuleInfo(
            "integral-number",
            "A number without a fraction becomes an integer.",
            {"type": "object", "properties": {"count": {"type": "integer"}}},
            {"count": 2.0},
            {"count": 2},
            "lossless",
        ),
        _integral_number,
    ),
    ValueRule(
        RuleInfo(
            "whole-as-float",
            "An integer becomes the equal number that the allowed values write with a fraction.",
            {"type": "object", "properties": {"step": {"enum": [0.5, 1.0]}}},
            {"step": 1},
            {"step": 1.0},
            "lossless",
        ),
        _whole_as_float,
    ),
    ValueRule(
        RuleInfo(
            "boolean-word",
            "`true`, `yes`, `on`, `1` and their opposites, in any case, become booleans.",
            {"type": "object", "properties": {"recursive": {"type": "boolean"}}},
            {"recursive": "False"},
            {"recursive": False},
            "lossless",
        ),
        _boolean_word,
    ),
    ValueRule(
        RuleInfo(
            "scalar-as-text",
            "A number or boolean becomes its source text where text is wanted; a fraction needs to have one.",
            {"type": "object", "properties": {"version": {"type": "string"}}},
            {"version": SourcedFloat.of(1.1, "1.10")},
            {"version": "1.10"},
            "lossless",
        ),
        _scalar_as_text,
    ),
    ValueRule(
        RuleInfo(
            "null-word",
            "The word `null` or `None` becomes null where null is allowed and text is not.",
            {"type": "object", "properties": {"limit": {"type": ["integer", "null"]}}},
            {"limit": "None"},
            {"limit": None},
            "lossless",
        ),
        _null_word,
        sees_union=True,
    ),
)
