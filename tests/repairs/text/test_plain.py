from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.errors import RepairError
from toolmend.repairs.numbers import source_of
from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.schema import SchemaNode, compile_schema
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import Reader
from toolmend.repairs.text.plain import PlainRuns
from toolmend.repairs.text.strict import identical

SCHEMA: Final[SchemaNode] = compile_schema({"type": "object", "properties": {"a": {"type": "array"}, "b": {}}})
_SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | st.sampled_from([0.5, 1e300, -0.0]) | st.text(max_size=5)
_VALUES = st.recursive(
    _SCALARS, lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.text(max_size=2), inside, max_size=3)
)
_OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "c d", "é"]), _VALUES, min_size=1)
_FAULTS = st.sampled_from(
    [",", "", " ", "'", '"', "]", "}", ":", "// x\n", "True", "\\", "1", "，", "\u200b", "{", "["]
)

Outcome = tuple[str, JsonValue, tuple[Repair, ...]]


def _read(text: str, schema: SchemaNode | None, *, plain: bool) -> Outcome:
    with pytest.MonkeyPatch.context() as patch:
        if not plain:
            patch.setattr(PlainRuns, "read", lambda _self: False)
        try:
            reading = Reader(text, 0, Options(schema=schema)).read()
        except RepairError as error:
            return f"{type(error).__name__} {error}", None, ()
        return str(reading.end), reading.value, reading.repairs


@given(_OBJECTS, st.data(), st.sampled_from([None, 1]))
def test_runs_are_read_as_the_lenient_reader_reads_them(
    value: JsonValue, data: st.DataObject, indent: int | None
) -> None:
    """With one fault anywhere, the value, the record and the error are what they are when nothing is read in runs."""
    text = json.dumps(value, indent=indent, ensure_ascii=data.draw(st.booleans()))
    start = data.draw(st.integers(0, len(text)))
    broken = text[:start] + data.draw(_FAULTS) + text[start + data.draw(st.integers(0, 2)) :]
    for schema in (None, SCHEMA):
        told, got, repairs = _read(broken, schema, plain=True)
        told_slowly, wanted, repairs_slowly = _read(broken, schema, plain=False)
        assert (told, repairs) == (told_slowly, repairs_slowly)
        assert identical(got, wanted)


def test_most_of_a_text_is_read_in_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comma too many in a long list costs as many steps of the reader as in a short one."""
    steps = []
    for size in (10, 1000):
        text = json.dumps({"a": [{"x": [number, "y"]} for number in range(size)], "b": 1})[:-1] + ",}"
        seen: list[str] = []
        _count_states(monkeypatch, seen)
        assert len(Reader(text, 0, Options(schema=SCHEMA)).read().value["a"]) == size
        steps.append(len(seen))
        monkeypatch.undo()
    assert steps[0] == steps[1] < 10


def _count_states(monkeypatch: pytest.MonkeyPatch, seen: list[str]) -> None:
    skip: Callable[[Reader], None] = Reader.skip_space

    def counted(reader: Reader) -> None:
        seen.append(reader.stack[-1].state)
        skip(reader)

    monkeypatch.setattr(Reader, "skip_space", counted)


def test_numbers_in_runs_keep_what_a_text_field_would_want() -> None:
    """A fraction remembers how it was written, and so does a zero below nothing."""
    value = Reader('{"b": [1.10, -0, 7],}', 0, Options()).read().value
    assert [source_of(item) for item in value["b"]] == ["1.10", "-0", None]


@pytest.mark.parametrize(
    "text", ['{"b": 1,200}', '{"b": 10, Downing Street}', '{"b": true, "b": false}', '{"b": 1e999,}']
)
def test_what_may_mean_something_else_is_left_to_the_lenient_reader(text: str) -> None:
    """A number that may go on behind its comma, a key given twice and a number out of range are not plain."""
    schema = compile_schema({"type": "object", "properties": {"b": {"type": ["string", "number"]}}})
    assert _read(text, schema, plain=True) == _read(text, schema, plain=False)


def test_many_faults_do_not_make_many_passes() -> None:
    """What is spent on tries that fail is bounded by the length of the text."""
    text = '{"a": [' + ", ".join('{"x": [1, 2,, 3]}' for _ in range(5000)) + "]}"
    reader = Reader(text, 0, Options(schema=SCHEMA))
    runs = PlainRuns(reader)
    assert runs.left < 20 * len(text) + 50_000
    assert len(reader.read().value["a"]) == 5000
