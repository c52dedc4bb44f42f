from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.streaming.partial import read_partial, view_of_arguments, view_of_call


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("nonsense", None),
        ("{", {}),
        ('{"a', {}),
        ('{"a"', {}),
        ('{"a":', {}),
        ('{"a": "x', {"a": "x"}),
        ('{"a": "x", "b": [', {"a": "x", "b": []}),
        ('{"a": {"b": {"c": "d', {"a": {"b": {"c": "d"}}}),
        ("[[1, 2], [3,", [[1, 2], [3]]),
        ('{"a": true, "b": null, "c": false', {"a": True, "b": None, "c": False}),
        ('{"a": 1} {"b": 2}', {"a": 1}),
    ],
)
def test_what_is_there_is_read(text: str, value: JsonValue) -> None:
    """Closed members, and the string that is open; a key that is open says nothing yet."""
    assert read_partial(text) == value


@pytest.mark.parametrize("text", ['{"a": 12', '{"a": -', '{"a": 1.', '{"a": tru', '{"a": nul'])
def test_a_value_that_may_go_on_is_left_out(text: str) -> None:
    """Half a number is another number."""
    assert read_partial(text) == {}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r'{"a": "x\n\"y', 'x\n"y'),
        ('{"a": "x\\', "x"),
        ('{"a": "x\\\\', "x\\"),
        (r'{"a": "x\u00', "x"),
        (r'{"a": "x\\u00', r"x\u00"),
        (r'{"a": "x\ud83d', "x"),
        (r'{"a": "x\ud83d\ude00', "x😀"),
        (r'{"a": "\q', r"\q"),
        ('{"a": "x\ny', "x\ny"),
    ],
)
def test_half_an_escape_is_left_out(text: str, shown: str) -> None:
    """A character is shown when it is whole; what is no escape is shown as it is written."""
    assert read_partial(text) == {"a": shown}


@pytest.mark.parametrize("text", ['{"a" 1}', '{"a": 1]', '{"a": 01x, "b": 2', "{1: 2", '["a"}', '{"a": yes, "b": 1}'])
def test_what_is_no_json_ends_the_view(text: str) -> None:
    """Nothing is mended for show."""
    assert read_partial(text) in ({}, {"a": 1}, ["a"])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def grows_into(part: JsonValue, whole: JsonValue) -> bool:
    """Whether a value is the first part of another one."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and grows_into(value, whole[key]) for key, value in part.items())
    if isinstance(part, list) and isinstance(whole, list):
        return len(part) <= len(whole) and all(grows_into(*both) for both in zip(part, whole, strict=False))
    if isinstance(part, str) and isinstance(whole, str):
        return whole.startswith(part)
    return bool(part == whole)


@given(st.dictionaries(st.text(), VALUES, max_size=4), st.data(), st.booleans())
def test_each_part_of_json_grows_into_the_whole(
    value: dict[str, JsonValue], data: st.DataObject, ascii_only: bool
) -> None:
    """Nothing is shown that the whole does not hold, and the whole is read as it is."""
    text = json.dumps(value, ensure_ascii=ascii_only)
    assert read_partial(text) == value
    part = read_partial(text[: data.draw(st.integers(1, len(text)))])
    assert grows_into(part, value)


def test_deep_nesting_is_read_without_recursion() -> None:
    """As deep as a text goes."""
    value = read_partial("[" * 50_000)
    for _ in range(49_999):
        assert isinstance(value, list)
        value = value[0]
    assert value == []


def test_arguments_begin_with_their_brace() -> None:
    """What stands before it is passed over; without one there is nothing to show."""
    assert view_of_arguments('```json\n{"a": "x') == {"a": "x"}
    assert view_of_arguments("") is None


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("<tool_call>", ("", None)),
        ("<tool_call>ad", ("", None)),
        ('<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": "he', ("add", {"a": 1, "b": "he"})),
        ('<tool_call>{"name": "add", "a": "x"', ("add", {"a": "x"})),
        ('<tool_call>\n{"arguments": {"a": "x"}, "na', ("", None)),
        ("<function=add>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\nhel", ("add", {"a": "1", "b": "hel"})),
        ('<function_calls>\n<invoke name="add">\n<parameter name="a">1', ("add", {"a": "1"})),
        ('[TOOL_CALLS]add[ARGS]{"name": "b', ("add", {"name": "b"})),
        ('[TOOL_CALLS][{"name": "add", "arguments": {"a": [1, 2', ("add", {"a": [1]})),
        ('<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a": "x', ("add", {"a": "x"})),
        ("<tool_call>add\n<arg_key>a</arg_key>\n<arg_value>1", ("add", {"a": "1"})),
        ("<tool_call>add(a=1", ("add", None)),
    ],
)
def test_a_call_in_text_shows_its_name_and_arguments(text: str, view: tuple[str, JsonValue]) -> None:
    """Whatever the form: JSON, a tag for each parameter, the name in front."""
    assert view_of_call(text) == view
