from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError
from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.text.ladder import mend_text

ValueOf = Callable[..., JsonValue]

WEATHER = "city:text days?:whole"
OSLO = {"city": "Oslo", "days": 3}


@pytest.mark.parametrize(
    "text",
    [
        '{city: "Oslo", days: 3}',
        "{'city': 'Oslo', `days`: 3}",
        '{"city" "Oslo", "days" 3}',
        '{"city"="Oslo", "days"=3}',
        '{"city" => "Oslo", days => 3}',
        '{"city":: "Oslo", "days"： 3}',
        '{city /* c */: "Oslo", "days" // d\n: 3}',
        '{"city: "Oslo", "days": 3}',
        '{city": "Oslo", "days": 3}',
        '{"city\': "Oslo", \'days": 3}',
        '{,"city": "Oslo",, "days": 3,}',
        '{"city": "Oslo"; "days": 3;}',
        '{"city"："Oslo"，"days"：3}',
        '{"city": "Oslo" "days": 3}',
        '{"city": "Oslo"\n"days": 3}',
        '{"days": 3 "city": "Oslo"}',
        '{"city": "Oslo", "city": "Oslo", "days": 3}',
        '{city: "Oslo", "city": "Oslo", days: 3}',
        'dict(city="Oslo", days=3)',
        'click(city="Oslo", days=3)',
        '(city="Oslo", days=3)',
        '{City: "Oslo", DAYS: 3}',
    ],
)
def test_keys_and_what_stands_behind_them(text: str, value_of: ValueOf) -> None:
    """Keys without or with other quotes, other separators, commas too many or too few."""
    assert value_of(text, WEATHER) == OSLO


@pytest.mark.parametrize(
    "text",
    [
        '{"city": , "days": 3}',
        '{"city":, "days": 3}',
        '{"city": "Oslo", "days": }',
        '{"city": "Oslo", "days"}',
        '{"city": "Oslo", days}',
        '{"city"}',
        "{city}",
        '{"city", "Oslo"}',
        '{"city"; "Oslo"}',
        '{city -> "Oslo"}',
        '{"city": "Oslo", ...}',
        '{"city": "Oslo", … }',
        '{..., "city": "Oslo"}',
        '{"": "Oslo"}',
        '{"city": "Oslo", 3}',
        '{"city": "Oslo", {"days": 3}}',
        '{- city: "Oslo"}',
        '{"city": Oslo "days": 3}',
        '{"city": "Oslo", "city": "Rome"}',
        '{city: "Oslo", "city": "Rome"}',
        '{"city": "Oslo", "days": 3, "days": 3.0}',
        '{""city"": "Oslo"}',
        '{"city": "Oslo" and "days": 3}',
        '{"city: Oslo", "days": 3}',
    ],
)
def test_what_is_no_member_is_refused(text: str, value_of: ValueOf) -> None:
    """No value behind a key, members left out, a key twice with two values: nothing is invented or picked."""
    assert value_of(text, WEATHER) is None


def test_free_keys_are_kept_as_they_are(value_of: ValueOf) -> None:
    """Where any key may stand, signs and blanks in it stay."""
    text = '{id: 7, m: {first-name: "Ann", last name: "Lee", _rev: "a1", $set: {x: 1}, 1: "one", \'it\\\'s\': 2}}'
    assert value_of(text, "id:whole m:map") == {
        "id": 7,
        "m": {"first-name": "Ann", "last name": "Lee", "_rev": "a1", "$set": {"x": 1}, "1": "one", "it's": 2},
    }


def test_words_with_a_known_key_among_them_are_no_key() -> None:
    """A colon may be missing behind it; other words with blanks are a key."""
    open_schema = {"type": "object", "properties": {"q": {"type": "string"}, "f": {"type": "boolean"}}}
    mender = Mender(compile_schema(open_schema))
    assert mend_text('{q: "a", last name: 1}', mender).value == {"q": "a", "last name": 1}
    with pytest.raises(RepairError):
        mend_text('{q: "a", f false n: 0}', mender)


def test_a_colon_lacks_only_behind_a_known_key(value_of: ValueOf) -> None:
    """Behind an unknown one, two values may stand side by side."""
    assert value_of('{"nope" "x", "city": "Oslo"}', WEATHER) is None
    assert value_of('{"m": {"a" 1}}', "m:map") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'a', 'b'}", ["a", "b"]),
        ('{"a"}', ["a"]),
        ('{"a", "b",}', ["a", "b"]),
        ('{"a": 1}', None),
    ],
)
def test_a_set_is_a_list(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Where a list and no object may stand, strings in braces are its items."""
    assert value_of(f'{{"id": 1, "tags": {text}}}', "id:whole tags:texts") == (
        None if value is None else {"id": 1, "tags": value}
    )


def test_aliases_of_declared_rules_are_known_keys(mend: Callable[..., Mended]) -> None:
    """A spelling that a rule knows tells where a string ends, as the declared key does."""
    from toolmend.repairs import RenameKey

    rule = RenameKey("element", to="selector")
    mended = mend('{"text": "say "hi"", "element": "#x"}', "selector:text text:text", rules=[rule])
    assert mended.value == {"text": 'say "hi"', "selector": "#x"}


@pytest.mark.parametrize(
    ("text", "rule", "there"),
    [
        ('{city: "Oslo"}', "bare-key", "city"),
        ('{"city" => "Oslo"}', "separator", "=>"),
        ('{"city" "Oslo"}', "missing-colon", ""),
        ('{"city: "Oslo"}', "lost-quote", '"city'),
        ('{"city": "Oslo",, "days": 3}', "extra-comma", ","),
        ('{"city": "Oslo"; "days": 3}', "comma-style", ";"),
        ('{"city": "Oslo" "days": 3}', "missing-comma", ""),
        ('{"city": "Oslo" /* x */}', "comment", "/* x */"),
        ('dict(city="Oslo")', "call-wrapper", "dict("),
    ],
)
def test_records_of_members(text: str, rule: str, there: str, mend: Callable[..., Mended]) -> None:
    """Each fault between tokens leaves its place in the raw text."""
    [repair] = [one for one in mend(text, WEATHER).repairs if one.rule == rule]
    assert repair.span is not None
    assert text[slice(*repair.span)] == repair.before == there
