from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.numbers import plain
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.text.strict import identical
from toolmend.toolkit.extract.convert import convert

STRING = {"type": "string"}
NULLABLE = {"anyOf": [{"type": "string"}, {"type": "null"}]}


@pytest.mark.parametrize(
    ("text", "schema", "expected"),
    [
        ("\n10001\n", STRING, "10001"),
        ("  two blanks  ", STRING, "  two blanks  "),
        ("\n\nline\n\n", STRING, "\nline\n"),
        ("\r\nline\r\n", STRING, "line"),
        ("null", STRING, "null"),
        ("true", STRING, "true"),
        ('{"a": 1}', STRING, '{"a": 1}'),
        ("null", NULLABLE, None),
        ("None", NULLABLE, "None"),
        ("x", NULLABLE, "x"),
        ("7", {}, "7"),
        ("7", {"type": "integer"}, 7),
        (" -3 ", {"type": "integer"}, -3),
        ("60.0", {"type": "integer"}, 60.0),
        ("2.5", {"type": "number"}, 2.5),
        ("1,000", {"type": "integer"}, "1,000"),
        ("007", {"type": "integer"}, "007"),
        ("5k", {"type": "integer"}, "5k"),
        ("1" * 5000, {"type": "integer"}, "1" * 5000),
        ("true", {"type": "boolean"}, True),
        ("False", {"type": "boolean"}, "False"),
        ("probably", {"type": "boolean"}, "probably"),
        ("null", {"type": ["integer", "null"]}, None),
        ("None", {"type": ["integer", "null"]}, None),
        ("null", {"type": "integer"}, "null"),
        ('["a", "b"]', {"type": "array"}, ["a", "b"]),
        ("['a', 'b']", {"type": "array"}, ["a", "b"]),
        ('["a"', {"type": "array"}, '["a"'),
        ('{"a": 1}', {"type": "array"}, '{"a": 1}'),
        ('{"lat": 1.5}', {"anyOf": [{"type": "object"}, {"type": "null"}]}, {"lat": 1.5}),
        ("a, b", {"type": "array"}, "a, b"),
    ],
)
def test_the_schema_says_what_a_text_stands_for(text: str, schema: dict[str, Any], expected: object) -> None:
    """Exactly what the schema wants is taken; anything else stays text, and mending has its say."""
    assert identical(plain([convert(text, compile_schema(schema)).value]), [expected])


def test_a_field_that_nobody_declared_is_text() -> None:
    """Without a schema nothing is guessed."""
    assert convert("\n42\n", None).value == "42"


def test_an_exact_format_keeps_its_line_breaks() -> None:
    """Where the format puts none around a value, they are the value's own."""
    assert convert("\nx\n", compile_schema(STRING), framed=False).value == "\nx\n"


def test_what_was_forgiven_in_a_structure_is_on_record() -> None:
    """With the path of the field in front."""
    reading = convert("['a',]", compile_schema({"type": "array"}), ("tags",))
    assert {repair.path[:1] for repair in reading.repairs} == {("tags",)}


@given(st.text().filter(lambda text: not text.endswith("\r")))  # with the line feed of the frame that is one break
def test_a_string_is_never_changed_but_for_its_frame(text: str) -> None:
    """Whatever stands in a string field comes back."""
    assert convert(f"\n{text}\n", compile_schema(STRING)).value == text
    assert convert(text, compile_schema(STRING), framed=False).value == text


@pytest.mark.parametrize(
    ("text", "value"), [("\n\r\n", "\r"), ("\na\r\n", "a\r"), ("\r\na\r\n", "a"), ("a\r\n", "a"), ("\na\n", "a")]
)
def test_a_frame_closes_with_the_line_break_that_it_opens_with(text: str, value: str) -> None:
    """A carriage return before the last line feed belongs to the text where the frame opens with a line feed alone."""
    assert convert(text, compile_schema({"type": "string"})).value == value
