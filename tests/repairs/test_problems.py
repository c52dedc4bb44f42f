from __future__ import annotations

from typing import Final

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError
from toolmend.repairs.problems import describe
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import compile_schema

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}
POINT: Final = {"type": "object", "properties": {"x": WHOLE, "y": WHOLE}, "required": ["x"]}


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({}, "any value"),
        (False, "nothing"),
        (TEXT, "a string"),
        ({"type": "number"}, "a number"),
        ({"type": ["integer", "null"]}, "an integer or null"),
        ({"type": "integer", "minimum": 1, "maximum": 5}, "an integer (from 1, up to 5)"),
        ({"type": "string", "pattern": "^a", "maxLength": 5}, "a string (at most 5 characters, matching ^a)"),
        ({"type": "string", "format": "date"}, "a string (in the format date, as 2026-03-04)"),
        ({"enum": ["a", 1, None]}, 'one of "a", 1, null'),
        ({"const": "a"}, '"a"'),
        (
            {"enum": [f"v{number}" for number in range(100)]},
            "one of " + ", ".join(f'"v{n}"' for n in range(30)) + ", ...",
        ),
        ({"type": "array", "items": WHOLE, "minItems": 1}, "a list, each item an integer (at least 1 items)"),
        ({"type": "array", "items": POINT}, "a list, each item an object"),
        ({"type": "array"}, "a list"),
        (POINT, "an object; known keys: x (required), y"),
        ({"type": "object"}, "an object"),
        ({"anyOf": [POINT, {"type": "null"}]}, "an object or null"),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}},
            "a list, each item a list",
        ),
    ],
    ids=str,
)
def test_a_schema_in_words(schema: JsonValue, words: str) -> None:
    """What the model is told to send."""
    assert describe(compile_schema(schema)) == words


def told(schema: JsonValue, value: JsonValue) -> list[str]:
    """The problems of a value, a line each."""
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(schema), name="book").mend(value)
    return [str(problem) for problem in caught.value.problems]


BOOK: Final = {
    "type": "object",
    "properties": {
        "people": {"type": "integer", "minimum": 1},
        "day": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "room": {"enum": ["small", "large"]},
        "seats": {"type": "array", "items": WHOLE, "uniqueItems": True, "maxItems": 3},
        "at": {"anyOf": [POINT, {"type": "array", "items": WHOLE}]},
        "note": {"type": "string", "not": {"const": "none"}},
        "map": {"type": "object", "propertyNames": {"maxLength": 2}, "minProperties": 1},
        "no": False,
    },
    "required": ["people", "day"],
    "additionalProperties": False,
}


def test_every_problem_is_told() -> None:
    """Path, what is wanted, what was given, allowed values and known keys, all at once."""
    value = {
        "people": 0,
        "room": "medium",
        "seats": [1, "x", 3],
        "at": "here",
        "note": "none",
        "map": {"long": 1},
        "no": 1,
        "force": True,
    }
    assert told(BOOK, value) == [
        "/force: unknown key 'force'; known keys: people (required), day (required), room, seats, at, note, map, no",
        "/day: 'day' is required and missing",
        "/people: must be at least 1, got 0",
        '/room: "medium" is not one of "small", "large"',
        '/seats/1: must be an integer, got a string "x"',
        '/at: "here" fits none of: an object; known keys: x (required), y, a list, each item an integer',
        '/note: "none" breaks not: {"const": "none"}',
        '/map: {"long": 1} breaks propertyNames: {"maxLength": 2}',
        "/no: nothing may stand here",
    ]


def test_lists_are_told_by_index() -> None:
    """A repeated item, and a list that is too long."""
    good = {"people": 1, "day": "2026-01-01"}
    assert told(BOOK, {**good, "seats": [4, 7, 4, 8]}) == [
        "/seats: must have at most 3 items, got [4, 7, 4, 8]",
        "/seats/2: item 2 repeats 4",
    ]


def test_long_values_are_shortened() -> None:
    """The message stays short, whatever the model sent."""
    value = {"people": "x" * 100_000, "day": ["y" * 1000] * 1000, "k" * 10_000: 1}
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(BOOK)).mend(value)
    assert len(caught.value.message) < 1000
    assert all(len(problem.message) + len(problem.given) < 500 for problem in caught.value.problems)
    shortened = f"{'x' * 50}...{'x' * 25}"
    assert f'/people: must be an integer (from 1), got a string "{shortened}"' in caught.value.message


def test_a_letter_that_cannot_be_sent_is_told_by_number() -> None:
    """The error itself can be encoded."""
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(BOOK)).mend({"people": 1, "day": "\ud83d", "\ud83d": "\udc00"})
    assert caught.value.problems[0].message == "half of a surrogate pair is no character"
    for problem in caught.value.problems:
        assert (problem.message + problem.given).encode()
    assert str(caught.value).encode()


def test_other_values_that_json_cannot_hold() -> None:
    """NaN and endless integers."""
    assert told({}, [float("nan"), 10**5000, (1,)]) == [
        "/0: a number must be finite",
        "/1: an integer has at most 4,300 digits",
        "/2: a tuple is no JSON value",
    ]


def test_many_problems_are_counted() -> None:
    """The message names ten and counts the rest; the data has them all."""
    schema = {"type": "array", "items": WHOLE}
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(schema)).mend(["x"] * 25)
    assert caught.value.message.endswith('/9: must be an integer, got a string "x"; and 15 more')
    assert len(caught.value.problems) == 25
    assert (caught.value.path, caught.value.expected, caught.value.given) == ((0,), "an integer", "x")
