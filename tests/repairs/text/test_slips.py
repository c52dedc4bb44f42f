from __future__ import annotations

import json

import pytest

from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.text.slips import MOST_CHARS, mend_slips


def _decode(text: str) -> JsonValue:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        return error


def _mend(text: str) -> tuple[JsonValue, tuple[Repair, ...]] | None:
    stop = _decode(text)
    assert isinstance(stop, json.JSONDecodeError)
    found = mend_slips(text, stop, _decode)
    if found is None:
        return None
    mended, value, repairs = found
    assert len(mended) == len(text)
    assert _decode(mended) == value
    return value, repairs


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        ('{"a": 1,}', {"a": 1}, [("extra-comma", (), ",", (7, 8))]),
        ('{"a": 1 , }', {"a": 1}, [("extra-comma", (), ",", (8, 9))]),
        ('{,"a": 1}', {"a": 1}, [("extra-comma", (), ",", (1, 2))]),
        ('{"a": 1,,, "b": 2}', {"a": 1, "b": 2}, [("extra-comma", (), ",,", (8, 10))]),
        ('{"a": [1, 2,]}', {"a": [1, 2]}, [("extra-comma", ("a", 2), ",", (11, 12))]),
        ('{"a": [1,, 2]}', {"a": [1, 2]}, [("extra-comma", ("a", 1), ",", (9, 10))]),
        ('{"a\\n": {"b": 1,}}', {"a\n": {"b": 1}}, [("extra-comma", ("a\n",), ",", (15, 16))]),
        ('{"a": 1 "b": 2}', {"a": 1, "b": 2}, [("missing-comma", ("a",), "", (8, 8))]),
        ('{"a": ["x" "y"]}', {"a": ["x", "y"]}, [("missing-comma", ("a", 1), "", (11, 11))]),
        ('{"a": True}', {"a": True}, [("literal", ("a",), "True", (6, 10))]),
        ('{"a": [0, undefined ]}', {"a": [0, None]}, [("literal", ("a", 1), "undefined", (10, 19))]),
    ],
)
def test_a_slip_is_set_right_in_place(text: str, value: JsonValue, told: list[tuple[object, ...]]) -> None:
    """The text keeps its length, and the record tells the rule, the place and what stood there."""
    found = _mend(text)
    assert found is not None
    assert found[0] == value
    assert [(one.rule, one.path, one.before, one.span) for one in found[1]] == told


def test_single_quotes_throughout_become_double_ones() -> None:
    """So do the literals that Python writes beside them; each string is told at its value, a key at its object."""
    found = _mend("{'a': {'b c': [1, 'x'], 'd': None}, 'e': ''}")
    assert found is not None
    assert found[0] == {"a": {"b c": [1, "x"], "d": None}, "e": ""}
    assert [(one.rule, one.path, one.before) for one in found[1]] == [
        ("quote-style", (), "'a'"),
        ("quote-style", ("a",), "'b c'"),
        ("quote-style", ("a", "b c", 1), "'x'"),
        ("quote-style", ("a",), "'d'"),
        ("literal", ("a", "d"), "None"),
        ("quote-style", (), "'e'"),
        ("quote-style", ("e",), "''"),
    ]


@pytest.mark.parametrize(
    "text",
    ["{'a': 'it's'}", "{'a': \"x\"}", "{'a': 'it\\'s'}", "{'a': 'x',}", "{'a': 'x' 'b': 1}", "{'a': x}", "{'a': 'x"],
)
def test_single_quotes_beside_another_fault_are_left_to_the_reader(text: str) -> None:
    """Where a string ends is known only if its quotes are the one thing that is wrong."""
    assert _mend(text) is None


def test_several_slips_are_set_right_one_after_another() -> None:
    """Each is told where it stood in the text as written."""
    text = '{"a": [True, None,], "b": {"c": "x" "d": 1,},}'
    found = _mend(text)
    assert found is not None
    assert found[0] == {"a": [True, None], "b": {"c": "x", "d": 1}}
    assert [text[start:end] for start, end in (one.span or (0, 0) for one in found[1])] == [
        "True", "None", ",", "", ",", ",",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{"a": }',
        '{"a": , "b": 1}',
        '{"a": 1} "b"}',
        '{"a": 1,} "b": 2}',
        '{"a": 1',
        '{"a": 1,',
        "{a: 1,}",
        '{"a": "x"y"}',
        '{"a": "x""b": 1}',
        '{"a": "b" "c"}',
        '{"a" "b": 1}',
        '{"a": ["x" "y": 1]}',
        '{"a": [1,}',
        '{"a": Truely}',
        '{"a": True',
        '{"a": "x" // "b": 1\n}',
        '{"a": 1} {"a": 1,}',
    ],
)
def test_anything_else_is_left_to_the_lenient_reader(text: str) -> None:
    """What is more than a slip, or may be, is not set right here."""
    assert _mend(text) is None


def test_the_passes_over_a_long_text_are_few() -> None:
    """The number of slips that are looked for falls with the length of the text."""
    passes = []
    for size in (10, MOST_CHARS):
        asked: list[str] = []

        def counted(text: str, asked: list[str] = asked) -> JsonValue:
            asked.append(text)
            return _decode(text)

        text = '{"a": [' + "1,, " * 20 + f'"{"x" * size}"]}}'
        stop = _decode(text)
        assert isinstance(stop, json.JSONDecodeError)
        assert mend_slips(text, stop, counted) is None
        passes.append(len(asked))
    assert passes == [8, 2]
