from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.record import JsonValue, Mended

ValueOf = Callable[..., JsonValue]

TAGS = "id:whole tags:texts"
ITEMS = "items:objects"
ITEM = "name:text qty:whole tags?:texts"
USER = "name:text mail:text home?:map"

AB = {"id": 4, "tags": ["a", "b"]}
NUT = {"name": "nut", "qty": 2}
BOLT = {"name": "bolt", "qty": 3}


@pytest.mark.parametrize(
    "text",
    [
        '{"id": 4, "tags": ["a", "b"}}',
        '{"tags": ["a", "b"}, "id": 4}',
        '{"tags": ["a", "b"), "id": 4}',
        '{"id": 4, "tags": ["a", "b"]]}',
        '{"tags": ["a", "b"]], "id": 4}',
        '{"tags": ["a", "b"}], "id": 4}',
        '{"id": 4, "tags": ["a", "b"]}}}',
        '{"id": 4, "tags": ["a", "b"]])',
        '{"id": 4, "tags": ["a", "b"]}];',
        '{"tags": ["a", "b", "id": 4}',
        "{'tags': ['a', 'b', 'id': 4}",
        '{"tags": ["a", "b" "id": 4}',
        '{"id": 4, "tags": "a", "b"]}',
        '{"tags": "a", "b"], "id": 4}',
        '"id": 4, "tags": ["a", "b"]}',
        '{"id": 4, "tags": ["a", "b"]',
        '{"id": 4}, "tags": ["a", "b"]}',
        '{{"id": 4, "tags": ["a", "b"]}}',
        '{{"id": 4, "tags": ["a", "b"]}',
        '({"id": 4, "tags": ["a", "b"]})',
        '[{"id": 4, "tags": ["a", "b"]}}',
        '{"id": 4, "tags": ("a", "b",)}',
        '{"id": 4, "tags": {"a", "b"}}',
    ],
)
def test_brackets_in_a_flat_object(text: str, value_of: ValueOf) -> None:
    """A closer that is wrong, missing or too many, and a lost opener, are set right where one reading is left."""
    assert value_of(text, TAGS) == AB
    assert value_of(text.replace(", ", ",\n  "), TAGS) == AB


@pytest.mark.parametrize(
    "text",
    [
        '{"items": [{"name": "nut", "qty": 2}, {"name": "bolt", "qty": 3]}',
        '{"items": [{"name": "nut", "qty": 2, {"name": "bolt", "qty": 3}]}',
        '{"items": [{"name": "nut", "qty": 2]}, {"name": "bolt", "qty": 3}]}',
        '{"items": [{"name": "nut", "qty": 2}}, {"name": "bolt", "qty": 3}]}',
        '{"items": [{"name": "nut", "qty": 2}, {"name": "bolt", "qty": 3}}',
        '{"items": [{"name": "nut", "qty": 2} {"name": "bolt", "qty": 3}]',
        '{"items": [{{"name": "nut", "qty": 2}}, {"name": "bolt", "qty": 3}]}',
    ],
)
def test_brackets_in_a_list_of_objects(text: str, value_of: ValueOf) -> None:
    """Each row stays a row."""
    assert value_of(text, ITEMS, ITEM) == {"items": [NUT, BOLT]}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"items": [{"name": "nut", "tags": ["x", "y", "qty": 2}]}', {"items": [{**NUT, "tags": ["x", "y"]}]}),
        ('{"items": [{"name": "nut", "qty": 2, "tags": ["x", "y"}]}', {"items": [{**NUT, "tags": ["x", "y"]}]}),
        ('{"items": [{"name": "nut", "qty": 2, "tags": ["x"]]}', {"items": [{**NUT, "tags": ["x"]}]}),
    ],
)
def test_brackets_two_deep(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """A list within a row is closed there."""
    assert value_of(text, ITEMS, ITEM) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"rows": [[1, 2], [3, 4], "name": "x"}', [[1, 2], [3, 4]]),
        ('{"rows": [[1, 2], [3, 4]]], "name": "x"}', [[1, 2], [3, 4]]),
        ('{"rows": [[1, 2}, [3, 4]], "name": "x"}', [[1, 2], [3, 4]]),
        ('{"rows": ([1, 2], [3, 4]), "name": "x"}', [[1, 2], [3, 4]]),
        ('{"rows": ([1, 2]), "name": "x"}', [[1, 2]]),
        ('{"rows": [[1, 2, [3, 4]], "name": "x"}', None),
        ('{"rows": [1, 2], [3, 4]], "name": "x"}', None),
        ('{"rows": []], "name": "x"}', None),
        ('{"rows": [[}, "name": "x"}', None),
        ('{"rows": [[1],]], "name": "x"}', None),
    ],
)
def test_brackets_in_a_list_of_lists(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Where an empty list or one item may have been lost, it is an error."""
    assert value_of(text, "rows:rows name:text") == (None if value is None else {"rows": value, "name": "x"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"user": {"name": "Ann", "mail": "a"}}, "note": "n"}', {"name": "Ann", "mail": "a"}),
        ('{"user": {"name": "Ann", "mail": "a"]}, "note": "n"}', {"name": "Ann", "mail": "a"}),
        ('{"user": {"name": "Ann", "mail": "a"], "note": "n"}', {"name": "Ann", "mail": "a"}),
        ('{"user": {"name": "Ann", "mail": "a", "note": "n"}', None),
        ('{"user": "name": "Ann", "mail": "a"}, "note": "n"}', None),
    ],
)
def test_brackets_of_an_object_in_an_object(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Its end must be told by a closer."""
    assert value_of(text, "user:object note?:text", USER) == (None if value is None else {"user": value, "note": "n"})


@pytest.mark.parametrize(
    "text",
    [
        '{"id": 4, "tags": ["a", "b"',
        '{"id": 4, "tags": [["a", "b"]}',
        '{"id": 4, "tags": "a", "b"}',
        '{"id": 4, "tags": ["a", "b", }',
        '{"id": 4, "tags": {]}',
        '{"id": 4, "tags": [}',
        '{"id": 4, "tags": ["a"} "b"]}',
        '{"id": 4, "tags": ("a"]}',
        '{"tags": ["a", "b", "b": 4}',
        '{"id": 4, "tags": ["a", "b"], ]',
    ],
)
def test_brackets_that_tell_nothing_are_refused(text: str, value_of: ValueOf) -> None:
    """An open list at the end, a closer behind a comma, an empty container with the wrong closer."""
    assert value_of(text, TAGS) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"id": 1, "tags": "a"]}', ["a"]),
        ('{"tags": "a"], "id": 1}', ["a"]),
    ],
)
def test_one_item_without_its_opener(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Where only a list may stand, the surplus closer tells of its opener."""
    assert value_of(text, TAGS) == {"id": 1, "tags": value}


@pytest.mark.parametrize("kind", ["text|texts", "any"])
def test_a_surplus_closer_where_a_list_may_stand_is_refused(kind: str, value_of: ValueOf) -> None:
    """The value may be the one item of a list whose opener was lost."""
    assert value_of('{"x": "a"], "id": 1}', f"id:whole x:{kind}") is None
    assert value_of('{"id": 1, "x": "a"]}', f"id:whole x:{kind}") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"id": 1, "m": {"a": {"x": 1}, "b": 2}', {"a": {"x": 1}, "b": 2}),
        ('{"id": 1, "m": {"a": {"x": 1, "b": 2}}', None),
        ('{"id": 1, "m": {"a": {"x": 1}}, "b": 2}}', None),
        ('{"id": 1, "m": {"a": {"x": 1}, "b": 2}}}', None),
        ('{"id": 1, "m": {"a": {"x": 1}}}}', {"a": {"x": 1}}),
        ('{"m": {"a": 1}, "id": 1}}', {"a": 1}),
        ('{"id": 1, "m": {"a": 1}', {"a": 1}),
    ],
)
def test_where_keys_are_free_a_closer_must_stand_in_its_place(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """A closer missing or too many could move members from one object into another."""
    got = value_of(text, "id:whole m:map")
    assert got == (None if value is None else {"id": 1, "m": value})


@pytest.mark.parametrize(
    ("text", "rule", "there"),
    [
        ('{"tags": ["a"}, "id": 4}', "wrong-closer", "}"),
        ('{"tags": ["a"]], "id": 4}', "extra-closer", "]"),
        ('{"tags": ["a", "id": 4}', "missing-closer", ""),
        ('{"id": 4, "tags": "a", "b"]}', "missing-opener", ""),
        ('{"id": 4, "tags": "a"]}', "missing-opener", "]"),
        ('{{"id": 4, "tags": []}', "doubled-brace", "{"),
    ],
)
def test_records_of_brackets(text: str, rule: str, there: str, mend: Callable[..., Mended]) -> None:
    """The record tells what stands there, or the place where something lacks."""
    [repair] = [one for one in mend(text, TAGS).repairs if one.rule == rule]
    assert repair.span is not None
    assert text[slice(*repair.span)] == repair.before == there


def test_brackets_set_right_and_lists_made_are_two_guesses(value_of: ValueOf) -> None:
    """A value whose brackets were wrong must have the lists that the schema wants."""
    assert value_of('{"rows": [[1.5], 2]], "name": "x"}', "rows:rows name:text") is None


def test_too_many_wrong_brackets_are_refused(value_of: ValueOf) -> None:
    """Where the ways to read a text are more than can be compared, none counts."""
    inner = ", ".join('{"name": "a", "tags": ["x"}, "qty": 1}' for _ in range(9))
    assert value_of(f'{{"items": [{inner}]}}', ITEMS, ITEM) in (
        None,
        {"items": [{"name": "a", "tags": ["x"], "qty": 1}] * 9},
    )
