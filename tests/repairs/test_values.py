from __future__ import annotations

from toolmend.repairs.numbers import SourcedFloat, SourcedInt
from toolmend.repairs.values import canonical, examine, json_text, plain_copy, same, size_of


def test_sound_values_are_told_from_those_with_sources() -> None:
    """Numbers that remember their text are numbers."""
    value = {"a": [SourcedFloat.of(1.1, "1.10"), SourcedInt.of(7, "007"), SourcedFloat.of(0.5, ".5")], "b": "x"}
    assert examine(value, 100) == "sourced"
    assert examine({"a": [1, 1.5, None, True, "é", 10**4299]}, 100) == "plain"
    copy = plain_copy(value)
    assert [type(item) for item in copy["a"]] == [float, int, float]
    assert isinstance(value["a"][0], SourcedFloat)
    assert json_text(value) == '{"a": [1.10, 7, 0.5], "b": "x"}'
    assert size_of({"a": [1, {}, []], "b": "x" * 250}) == 6


def test_canonical_texts_tell_values_apart() -> None:
    """Each of these is another value."""
    values = [
        1,
        1.0,
        True,
        "1",
        "true",
        None,
        "null",
        [],
        {},
        "",
        "[]",
        [1],
        [1.0],
        ["1"],
        {"a": 1},
        {"a": "1"},
        10**20,
        1e20,
    ]
    assert len({canonical(value) for value in values}) == len(values)
    assert same({"a": 1, "b": [None]}, {"b": [None], "a": 1})
    assert same(SourcedInt.of(7, "007"), 7)
