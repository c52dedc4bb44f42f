from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.numbers import SourcedFloat
from toolmend.repairs.text.strict import identical
from toolmend.toolkit import ToolMessage, ToolRegistry
from toolmend.toolkit.as_written import ODD_JSON, ODD_TEXT, Taken, call_as_written, decode
from toolmend.toolkit.spec import ToolSpec, compile_class


class Note(ToolMessage, name="note"):
    """Write a note."""

    text: str
    weight: float = 1.0


SPEC: ToolSpec[Note] = compile_class(Note)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=10,
)


@given(_JSON, st.sampled_from(["", " ", "\n\t"]))
def test_json_is_read_as_json(value: object, blanks: str) -> None:
    """The value is that of the standard decoder, with blanks around it or without."""
    text = f"{blanks}{json.dumps(value)}{blanks}"
    assert identical(decode(text, 10_000), value)


@pytest.mark.parametrize("text", ["", " ", "{", '{"a": }', '{"a": 1} x', '{"a": 1,}', "{'a': 1}", "nul"])
def test_what_is_no_json_is_told(text: str) -> None:
    """Broken text is left to the readers that forgive."""
    assert isinstance(decode(text, 100), json.JSONDecodeError)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 1}',
        '[{"a": {"b": 1, "b": 2}}]',
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '{"a": 1e-999}',
        "9" * 5000,
        '{"a": NaN, "b": ' + "9" * 5000 + "}",
        "[" * 50_000,
        '"' + "x" * 60_000 + '"',
    ],
    ids=lambda text: text[:20],
)
def test_odd_json_is_left_to_a_closer_look(text: str) -> None:
    """Keys given twice, numbers that cannot be kept, and texts beyond the bounds are not believed at once."""
    assert decode(text, 55_000) is ODD_JSON


def test_odd_numbers_in_broken_text_are_told_apart() -> None:
    """Text that is no JSON and holds a number that cannot be kept is no text to be mended at once."""
    assert decode('{"a": NaN', 100) is ODD_TEXT


def test_a_zero_is_a_number_however_it_is_written() -> None:
    """Only a number that becomes zero by being too small is odd."""
    assert decode("[0.0, -0.0, 0e5, 0.000]", 100) == [0.0, 0.0, 0.0, 0.0]


def test_a_right_call_is_made_at_once() -> None:
    """Arguments that the class takes are the call, with nothing on record."""
    text = '{"text": "ab", "weight": 2}'
    call = call_as_written(SPEC, decode(text, 100), text, "c1")
    assert call is not None
    assert (call.name, call.arguments, call.message) == ("note", {"text": "ab", "weight": 2}, Note(text="ab", weight=2))
    assert (call.repairs, call.raw, call.id, call.span, call.format) == ((), text, "c1", None, "api")


@pytest.mark.parametrize(
    "text",
    ['{"text": 1}', '{"text": "a", "text": "b"}', '{"text": "a", "weight": 1e999}', '["a"]', '{"text": "\\ud800"}', ""],
)
def test_anything_else_is_left_to_the_pipeline(text: str) -> None:
    """What the class refuses, and what is no plain JSON, is no call yet."""
    assert call_as_written(SPEC, decode(text, 100), text, None) is None


def test_a_tool_whose_class_does_not_decide_is_left_to_the_pipeline() -> None:
    """A tool that is only a schema is judged by the schema."""
    registry = ToolRegistry()
    registry.add_schema("free", "", {"type": "object"})
    assert call_as_written(registry["free"], {}, "{}", None) is None


def test_arguments_that_were_read_leniently_are_taken_with_plain_numbers() -> None:
    """The class is asked with the arguments encoded anew; what it made is kept beside them."""
    assert SPEC.decider is not None
    taken = Taken(SPEC.decider)
    assert taken({"text": 1}) is None
    assert taken({"text": "a", "weight": float("nan")}) is None
    plain = taken({"text": "a", "weight": SourcedFloat.of(1.5, "1.50")})
    assert type(plain["weight"]) is float
    assert taken.made == [({"text": "a", "weight": 1.5}, Note(text="a", weight=1.5))]
