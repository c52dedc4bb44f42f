from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.text.strict import identical
from toolmend.toolkit import ToolMessage, ToolRegistry
from toolmend.toolkit.as_written import NO_JSON, ODD_JSON, call_as_written, decode
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


@pytest.mark.parametrize("text", ["", " ", "{", '{"a": }', '{"a": 1} x', '{"a": 1,}', "{'a': 1}", "nul", '{"a": NaN'])
def test_what_is_no_json_is_told(text: str) -> None:
    """Broken text is left to the readers that forgive."""
    assert decode(text, 100) is NO_JSON


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


def test_a_zero_is_a_number_however_it_is_written() -> None:
    """Only a number that becomes zero by being too small is odd."""
    assert decode("[0.0, -0.0, 0e5, 0.000]", 100) == [0.0, 0.0, 0.0, 0.0]


def test_a_right_call_is_made_at_once() -> None:
    """Arguments that the class takes are the call, with nothing on record."""
    text = '{"text": "ab", "weight": 2}'
    call = call_as_written(SPEC, text, "c1")
    assert call is not None
    assert (call.name, call.arguments, call.message) == ("note", {"text": "ab", "weight": 2}, Note(text="ab", weight=2))
    assert (call.repairs, call.raw, call.id, call.span, call.format) == ((), text, "c1", None, "api")


@pytest.mark.parametrize(
    "text",
    ['{"text": 1}', '{"text": "a", "text": "b"}', '{"text": "a", "weight": 1e999}', '["a"]', '{"text": "\\ud800"}', ""],
)
def test_anything_else_is_left_to_the_pipeline(text: str) -> None:
    """What the class refuses, and what is no plain JSON, is no call yet."""
    assert call_as_written(SPEC, text, None) is None


def test_a_tool_whose_class_does_not_decide_is_left_to_the_pipeline() -> None:
    """A tool that is only a schema is judged by the schema."""
    registry = ToolRegistry()
    registry.add_schema("free", "", {"type": "object"})
    assert call_as_written(registry["free"], "{}", None) is None
