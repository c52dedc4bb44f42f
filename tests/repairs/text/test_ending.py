from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.errors import CutOffError, NotJsonError
from toolmend.repairs.record import JsonValue, Mended

ValueOf = Callable[..., JsonValue]

FILE = "path:text content:text overwrite?:flag"


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a", "content": "x", "overwrite": true',
        '{"overwrite": true, "path": "a", "content": "x"',
        "{'overwrite': true, 'path': 'a', 'content': '1'",
        '```json\n{"overwrite": true, "path": "a", "content": "x"',
    ],
)
def test_a_full_object_may_be_closed(text: str, value_of: ValueOf) -> None:
    """Nothing could have followed, unless the model is known to have been cut off."""
    wanted = {"path": "a", "content": "1" if "'1'" in text else "x", "overwrite": True}
    assert value_of(text, FILE) == wanted
    assert value_of(text, FILE, complete=True) == wanted
    assert value_of(text, FILE, complete=False) is None


def test_an_object_that_may_go_on_is_closed_only_if_the_model_stopped(mend: Callable[..., Mended]) -> None:
    """An optional member may have been about to come."""
    text = '{"path": "a", "content": "x"'
    with pytest.raises(CutOffError, match="further members"):
        mend(text, FILE)
    assert mend(text, FILE, complete=True).value == {"path": "a", "content": "x"}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        '{"path',
        '{"path"',
        '{"path":',
        '{"path": ',
        '{"path": "a',
        '{"path": "a",',
        '{"path": "a", "content": "x", "overwrite": tru',
        '{"path": "a", "content": "x", ',
        '{"path": "a", "content": "x", ...',
        '{"path": "a", "content": ["x"',
        '{"path": "a", "content": {"x": 1',
        '{"path": "a", "content": "x", "overwrite": true, // so',
        '{"path": "a", "content": "x" /* y',
        '{"path": "a", "content": "x", "overwrite": true // y}',
        '{"path": "a", "content": "x\\',
        '{"path": "a", "content": "x\\u00',
        '"{\\"path\\": \\"a',
        '{\\"path\\": \\"a\\", \\"content\\": \\"x',
        "{&quot;path&quot;: &quot;a",
        "path='a', content='x",
        'dict(path="a", content="x"',
        '[{"path": "a", "content": "x"}',
        '[{"path": "a", "content": "x"},',
        '{"path": "a", "content": "x"},',
        'Sure: {"path": "a", "content": "x"},',
        'Sure: [{"path": "a", "content": "x"}',
        '<think>{"path": "a", "content": "x"}',
    ],
)
def test_text_that_stops_in_the_middle_is_an_error(text: str, value_of: ValueOf) -> None:
    """Whatever could be closed, and even if the model is known to have stopped by itself."""
    assert value_of(text, FILE) is None
    if not text.startswith("dict("):
        assert value_of(text, FILE, complete=True) is None


@pytest.mark.parametrize("end", ["\"it'", "'it'", "'Ann’", '""', "''", '"say "', '"print("', '"a, "'])
def test_a_last_quote_that_may_be_another_closes_nothing(end: str, value_of: ValueOf) -> None:
    """An apostrophe, the first two of three quotes, or one that opens a quotation."""
    assert value_of(f'{{"title": "a", "body": {end}', "title:text body:text") is None


def test_the_first_item_of_a_lost_list_closes_nothing(value_of: ValueOf) -> None:
    """Further items may have been about to come."""
    assert value_of('{"id": 1, "tags": "a"', "id:whole tags:texts") is None
    assert value_of('{"id": 1, "tags": ["a"]', "id:whole tags:texts") == {"id": 1, "tags": ["a"]}


def test_objects_within_must_be_full_too(value_of: ValueOf) -> None:
    """Each open object is asked whether something may follow in it."""
    full = '{"user": {"name": "Ann", "zip": "1"'
    assert value_of(full, "user:object", "name:text zip?:text") == {"user": {"name": "Ann", "zip": "1"}}
    assert value_of(full, "user:object note?:text", "name:text zip?:text") is None
    assert value_of('{"user": {"name": "Ann"', "user:object", "name:text zip?:text") is None
    assert value_of('{"m": {"a": 1}', "m:map") == {"m": {"a": 1}}
    assert value_of('{"m": {"a": "x"', "m:map") is None


@pytest.mark.parametrize("rest", ["}", "]", "}}", ")", ";", " } ;\n"])
def test_surplus_closers_behind_the_value_are_passed_over(rest: str, value_of: ValueOf) -> None:
    """They close nothing."""
    assert value_of('{"a": "x"}' + rest, "a:text") == {"a": "x"}


@pytest.mark.parametrize("rest", ["x", ' "b"', ",", ":", "{", '{"a": "y"}', "= 1"])
def test_anything_else_behind_the_value_is_refused(rest: str, value_of: ValueOf) -> None:
    """It may belong to the value."""
    assert value_of('{"a": "x",}' + rest, "a:text") is None


def test_the_error_tells_where_the_text_ends(mend: Callable[..., Mended]) -> None:
    """The message names the place and the member."""
    with pytest.raises(CutOffError, match="inside a string") as caught:
        mend('{"title": "a",\n "body": "x', "title:text body:text")
    assert caught.value.path == ("body",)
    assert caught.value.line == 2
    with pytest.raises(NotJsonError, match="no value"):
        mend('{"title": }', "title:text")
