from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.numbers import source_of
from toolmend.repairs.text.tokens import (
    ARITHMETIC,
    BARE_KEY,
    BLANKS,
    CALL,
    COMMENT,
    PLACEHOLDER,
    SPACE,
    read_number,
)


@pytest.mark.parametrize(
    ("text", "value", "is_json"),
    [
        ("0", 0, True),
        ("-12", -12, True),
        ("1.50", 1.5, True),
        ("1e3", 1000.0, True),
        ("007", 7, False),
        ("+5", 5, False),
        ("1_000", 1000, False),
        ("-1_0", -10, False),
        (".5", 0.5, False),
        ("5.", 5.0, False),
        ("-.5e-1", -0.05, False),
        ("1_0.5", 10.5, False),
        ("0xFF", 255, False),
        ("-0x10", -16, False),
        ("0xff_ff", 65535, False),
        ("0o17", 15, False),
        ("0b101", 5, False),
        ("４２", 42, False),
        ("－１．５", -1.5, False),
    ],
)
def test_numbers_in_many_notations(text: str, value: float, is_json: bool) -> None:
    """A number is read in JSON's notation and in those of programming languages, with its source text."""
    number = read_number(text)
    assert number is not None
    assert number.value == value
    assert type(number.value).__mro__[1] is type(value)
    assert number.is_json is is_json
    assert source_of(number.value) == text


@pytest.mark.parametrize(
    "text", ["", "-", "+", ".", "1__0", "_1", "1_", "0x", "1e", "12k", "1,5", "1.2.3", "--1", "0b2", "٣x"]
)
def test_what_is_no_number(text: str) -> None:
    """Anything else is none."""
    assert read_number(text) is None


@pytest.mark.parametrize("text", ["1e999", "9" * 4301, "-1e400"])
def test_numbers_out_of_range_have_no_value(text: str) -> None:
    """They are numbers in form, and cannot be used."""
    number = read_number(text)
    assert number is not None
    assert number.value is None


@given(st.text("0123456789._+-eEx", max_size=40))
def test_reading_a_number_never_fails(text: str) -> None:
    """Any token is a number or none."""
    number = read_number(text)
    assert number is None or number.value is None or source_of(number.value) == text


@pytest.mark.parametrize(
    ("text", "space"),
    [
        (" \n\tx", " \n\t"),
        ("\ufeff\u200b\xa0{", "\ufeff\u200b\xa0"),
        ('\\n  "a"', "\\n  "),
        ("\\n\\t{", "\\n\\t"),
        ("\\n1.5", "\\n"),
        ("\\ntrue", "\\n"),
    ],
)
def test_white_space_between_tokens(text: str, space: str) -> None:
    """Blanks, invisible marks, and an escaped line break in front of a token are white space."""
    match = SPACE.match(text)
    assert match is not None
    assert match[0] == space


@pytest.mark.parametrize("text", ["\\new", "\\truex", "x", "", "\\b{"])
def test_what_is_no_white_space(text: str) -> None:
    """A backslash in front of a word may belong to it."""
    assert SPACE.match(text) is None


def test_blanks_hold_every_white_space() -> None:
    """Whatever Python calls a space is one, and the invisible marks are."""
    assert {"\t", "\x0b", "\x1f", "\xa0", "\u3000", "\u200b", "\ufeff"} <= set(BLANKS)


@pytest.mark.parametrize(
    ("text", "comment"),
    [("// a\nb", "// a"), ("# a\nb", "# a"), ("/* a * / */b", "/* a * / */"), ("/***/b", "/***/"), ("#", "#")],
)
def test_comments(text: str, comment: str) -> None:
    """A comment ends with its line or its closing mark."""
    match = COMMENT.match(text)
    assert match is not None
    assert match[0] == comment


def test_an_open_comment_is_none() -> None:
    """A block comment must be closed."""
    assert COMMENT.match("/* a *") is None


@pytest.mark.parametrize("key", ["city", "first-name", "first name", "_rev", "$set", "1", "größe", "a.b", "@type"])
def test_keys_without_quotes(key: str) -> None:
    """Names, also with blanks, hyphens and signs, are keys."""
    match = BARE_KEY.match(key + ":")
    assert match is not None
    assert match[0] == key


@pytest.mark.parametrize("text", ['"a"', "- a", "* a", "{a", "#a", "＂a＂", "\u200b", "/a", ""])
def test_what_is_no_key_without_quotes(text: str) -> None:
    """Quotes, brackets, list marks and comments begin no key."""
    assert BARE_KEY.match(text) is None


@pytest.mark.parametrize("text", ["1/3", "3 * 4", "2**3", "1 - 2", "50 % 7", ".5 + 1"])
def test_arithmetic(text: str) -> None:
    """What would have to be calculated is recognised."""
    assert ARITHMETIC.fullmatch(text)


@pytest.mark.parametrize("text", ["10.0.0.0/8", "2026-01-02", "1.2.3", "12", "555-0123", "2 x 4", "a/b"])
def test_what_is_no_arithmetic(text: str) -> None:
    """Addresses, dates, versions and phone numbers are none."""
    assert not ARITHMETIC.fullmatch(text)


@pytest.mark.parametrize("text", ["<city>", "<your query here>", "${CITY}", "{city}", "{{ city }}"])
def test_placeholders(text: str) -> None:
    """What was left to be filled in is recognised."""
    assert PLACEHOLDER.fullmatch(text)


@pytest.mark.parametrize("text", ["dict(", "new Date (", "a.b.c(", "( city=1)"])
def test_calls(text: str) -> None:
    """A name and a parenthesis begin a call, and so do keywords in parentheses."""
    assert CALL.match(text)


@pytest.mark.parametrize("text", ["dict", "(1, 2)", "1(", "(a == 1)", '("a")'])
def test_what_is_no_call(text: str) -> None:
    """A parenthesis around values is none."""
    assert not CALL.match(text)
