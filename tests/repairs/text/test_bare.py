from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.errors import CutOffError, NotJsonError
from toolmend.repairs.numbers import source_of
from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import read_value

ValueOf = Callable[..., JsonValue]

WORDS = (
    "New York",
    "Lunch, with Ann",
    "Ann's talk",
    "5 o'clock",
    "2026-03-01T09:00:00+01:00",
    "12:30 PM",
    "03/04/2026",
    "20260301",
    "1.10",
    "01:05",
    "1e3",
    "+5",
    "0x1F",
    "1_000",
    "007",
    "null_island",
    "None of it",
    "true",
    "/etc/hosts",
    "~/a/b.c",
    "./a b.txt",
    "*.py",
    "$HOME/x",
    "https://a.org/x?y=1,2&z=3#t",
    "mailto:a@b.org",
    "127.0.0.1:8080",
    "10.0.0.0/8",
    "v1.2.3-rc.1+b5",
    "^1.2.3 || ~2.0",
    "+1 (555) 010-9999",
    "(555) 010-9999",
    "50%",
    "#tag",
    "@ann",
    "\\d+\\s*",
    "C:\\Users\\new\\t.txt",
    "d41d8cd98f00b204",
    "57eeeeb1-1a2b-4c3d-9e8f-000000000001",
    "123_456ABC",
    "list[str]",
    "hello {name}, you",
    "cats AND dogs OR (birds, fish)",
    "issue #12",
    "-x",
    "what is 2+2?",
    "Paris (France)",
)


@pytest.mark.parametrize("words", WORDS)
def test_words_keep_their_text_where_a_string_may_stand(words: str, value_of: ValueOf) -> None:
    """Dates, times, links, numbers and sentences without quotes are the string that they spell."""
    wanted = {"query": words, "limit": 5}
    assert value_of(f'{{"query": {words}, "limit": 5}}', "query:text limit?:whole") == wanted
    assert value_of(f'{{"limit": 5, "query": {words}}}', "query:text limit?:whole") == wanted
    assert value_of(f"{{query: {words}\n, limit: 5}}", "query:text limit?:whole") == (
        wanted if " #" not in words else None
    )
    assert value_of(f'{{"in": {{"query": {words}}}}}', "in:object", "query:text") == {"in": {"query": words}}


@pytest.mark.parametrize("words", ["Oslo", "New York", "1.2.3", "a (b, c) d", "rock 'n' roll".replace("'", "’")])
def test_words_in_a_list_end_at_the_comma(words: str, value_of: ValueOf) -> None:
    """In a list each comma ends an item, those in brackets aside."""
    assert value_of(f'{{"tags": [{words}, "b", {words}]}}', "tags:texts") == {"tags": [words, "b", words]}


@pytest.mark.parametrize(
    "words",
    [
        'say "hi" now',
        "foo, bar: baz",
        "foo limit: 2",
        "foo, limit 2",
        "foo, 'limit': 2",
        "a\\nb",
        "a\\\\b",
        "caf\\u00e9",
        "\\\\srv\\share",
        "issue #12\n",
        "...",
        "… and so on",
        "<city>",
        "${CITY}",
        "{{city}}",
        "1/3",
        "3 * 4",
        "datetime(2026, 3, 1)",
        "new Date(5)",
        'os.environ["Q"]',
        'f"{x}"',
        '"a" + b',
        "NaN",
        "-Infinity",
        "&quot;x&quot;",
        "a ] b",
        "a ) b",
        "a [b",
        "a (b] c",
        "/* x",
        "+",
        "\\new",
        "",
        ", ",
        "= 3",
    ],
)
def test_what_has_two_readings_or_must_be_evaluated_is_refused(words: str, value_of: ValueOf) -> None:
    """Nothing is evaluated or filled in, and words that may be more than one thing are no value."""
    assert value_of(f'{{"query": {words}, "limit": 5}}', "query:text limit?:whole") is None


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("0xFF", "whole", 255),
        ("007", "whole", 7),
        ("+5", "whole", 5),
        ("1_000", "whole", 1000),
        ("４２", "whole", 42),
        (".5", "real", 0.5),
        ("1,200.50", "real", 1200.5),
        ("1,000,000", "real", 1_000_000),
        ("True", "flag", True),
        ("None", "text|null", None),
        ("undefined", "text|null", None),
        ("TRUE", "flag", True),
        ("yes", "text|whole", "yes"),
        ("0x10", "any", 16),
        ("-0", "text", "-0"),
    ],
)
def test_the_schema_tells_what_a_token_is(written: str, kind: str, value: JsonValue, value_of: ValueOf) -> None:
    """Numbers and literals are read in many notations, and keep their text where only a string may stand."""
    assert value_of(f'{{"x": {written}, "y": "z"}}', f"x:{kind} y:text") == {"x": value, "y": "z"}


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("007", "text|whole"),
        ("0x10", "text|whole"),
        ("007", "any"),
        ("1,200", "text|whole"),
        ("1,200", "real"),
        ("1e999", "real"),
        ("12k", "whole"),
        ("5 items", "whole"),
        ("1 2", "whole"),
        ("LIMIT", "whole"),
        ("nan", "real"),
        ("9" * 4301, "whole"),
    ],
)
def test_a_number_that_may_be_another_is_refused(written: str, kind: str, value_of: ValueOf) -> None:
    """Codes where numbers and strings may stand, groups of digits, units and names are no number."""
    assert value_of(f'{{"x": {written}, "y": "z"}}', f"x:{kind} y:text") is None


@pytest.mark.parametrize(
    ("text", "items"),
    [("[1 2 3]", [1, 2, 3]), ("[1 2, 3]", [1, 2, 3]), ("[+47 555 01 234]", None)],
)
def test_numbers_side_by_side(text: str, items: JsonValue, value_of: ValueOf) -> None:
    """Numbers without commas are several items of a list of numbers, and may be one item of a list of strings."""
    kind = "wholes" if items else "texts"
    wanted = {"x": items} if items else None
    assert value_of(f'{{"x": {text}}}', f"x:{kind}") == wanted


@pytest.mark.parametrize("text", ["{city: Oslo", "{days: 3, city: Oslo", "city: Oslo", "{city: Oslo\n", "{city: Oslo "])
def test_words_at_the_very_end_may_be_cut(text: str, mend: Callable[..., Mended]) -> None:
    """They count only if the model is known to have stopped by itself."""
    fields = "city:text days?:whole"
    with pytest.raises(CutOffError):
        mend(text, fields)
    assert mend(text, fields, complete=True).value["city"] == "Oslo"


@pytest.mark.parametrize("text", ['{"n": 12', '{"n": 12\n', '{"n": -', '{"n": 0x'])
def test_a_number_at_the_very_end_may_be_cut(text: str, mend: Callable[..., Mended]) -> None:
    """Digits may be missing."""
    with pytest.raises(CutOffError):
        mend(text, "n:real")


@pytest.mark.parametrize("literal", ["true", "false", "null"])
def test_a_literal_at_the_very_end_is_whole(literal: str, mend: Callable[..., Mended]) -> None:
    """The literals of JSON cannot go on."""
    assert mend(f'{{"v": {literal}', "v:any").repairs[-1].rule == "missing-closer"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"city": Oslo", "days": 3}', {"city": "Oslo", "days": 3}),
        ('{"days": 3, "city": New York"}', {"days": 3, "city": "New York"}),
        ('{"city": \\u00d8ksnes", "days": 3}', {"city": "Øksnes", "days": 3}),
        ('{"city":  Oslo", "days": 3}', None),
        ('{"city":\n\u200bOslo", "days": 3}', None),
        ('{"city": /* x */ Oslo", "days": 3}', None),
        ('{"city": C:\\new\\x y\\n", "days": 3}', None),
        ('{"city": Os"lo", "days": 3}', None),
    ],
)
def test_a_lost_opening_quote_is_put_back(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """The string is decoded as in quotes; blanks before it could belong to it, and then it is refused."""
    assert value_of(text, "city:text days?:whole") == value


def test_a_key_that_holds_a_colon_may_have_lost_the_quote(value_of: ValueOf) -> None:
    """Where keys are free, the value may begin within what looks like the key."""
    assert value_of('{"m": {"a: ": x"}}', "m:map") is None
    assert value_of('{"m": {"a": x"}}', "m:map") == {"m": {"a": "x"}}


def test_items_before_a_lost_quote_may_belong_to_the_string(value_of: ValueOf) -> None:
    """Where several words stand before a lone quote, the string may have begun at any of them."""
    assert value_of('{"tags": [a, b, c"]}', "tags:texts") is None


@pytest.mark.parametrize("text", ["[a, urgent: true]", "[a, urgent: true"])
def test_a_key_without_quotes_in_a_list_is_no_item(text: str, value_of: ValueOf) -> None:
    """The list may have been left open before it."""
    assert value_of(f'{{"tags": {text}}}', "tags:texts urgent?:flag") is None


def test_records_tell_what_was_read(mend: Callable[..., Mended]) -> None:
    """Words, literals and notations have a rule each, and the place in the raw text."""
    text = '{"a": New York, "b": True, "c": 0x10}'
    repairs = mend(text, "a:text b:flag c:whole").repairs
    assert [(one.rule, one.path, text[slice(*(one.span or ()))]) for one in repairs] == [
        ("bare-text", ("a",), "New York"),
        ("literal", ("b",), "True"),
        ("number-notation", ("c",), "0x10"),
    ]


def test_python_knows_no_bare_words() -> None:
    """In Python syntax a word is a variable, which nobody evaluates."""
    assert source_of(read_value("[0x10]", 0, Options(python=True)).value[0]) == "0x10"
    with pytest.raises(NotJsonError, match="literal"):
        read_value("[city]", 0, Options(python=True))
