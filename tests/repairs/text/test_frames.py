from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.frames import Frame, Keys, fits, path_of

NodeOf = Callable[..., SchemaNode]


def test_frames_know_what_they_hold() -> None:
    """A list counts its items, an object has its key."""
    items = Frame("]", None, items=["a", "b"])
    members = Frame("}", None, members={"a": 1}, key="b")
    assert (items.is_list, items.empty, items.step) == (True, False, 2)
    assert (members.is_list, members.empty, members.step) == (False, False, "b")
    assert Frame("}", None).empty


def test_the_path_leaves_the_place_of_the_root_out() -> None:
    """It leads from the value to what is being read."""
    stack = [Frame("", None), Frame("}", None, key="rows"), Frame("]", None, items=[1])]
    assert path_of(stack) == ("rows", 1)


@pytest.mark.parametrize(
    ("key", "declared"),
    [
        ("file_path", "file_path"),
        ("filePath", "file_path"),
        ("FILE-PATH", "file_path"),
        ("element", "selector"),
        ("x", None),
        ("", None),
        ("f" * 300, None),
    ],
)
def test_declared_keys_by_any_spelling(key: str, declared: str | None, node: NodeOf) -> None:
    """Spellings and aliases stand for a declared key."""
    keys = Keys({"element": "selector"})
    assert keys.declared(key, node("file_path:text selector:text")) == declared
    assert keys.declared(key, None) is None


def test_keys_that_may_come_next(node: NodeOf) -> None:
    """Known and not yet given; any key in quotes where keys are free."""
    keys = Keys({})
    frame = Frame("}", node("a:text b:text"), members={"A": 1}, given={"a"})
    assert keys.is_next("b", frame, quoted=False)
    assert not keys.is_next("a", frame, quoted=True)
    assert not keys.is_next("c", frame, quoted=True)
    free = Frame("}", None, members={"a": 1}, given={"a"})
    assert keys.is_next("c", free, quoted=True)
    assert not keys.is_next("c", free, quoted=False)
    assert not keys.is_next("a", free, quoted=True)


def test_the_schema_of_a_child(node: NodeOf) -> None:
    """That of the member or item being read; of the object itself in a list around it."""
    schema = node("tags:texts n:whole")
    keys = Keys({})
    assert keys.child(Frame("}", None, key="n")) is None
    tags = keys.child(Frame("}", schema, key="TAGS"))
    assert tags is not None
    assert tags.allows("array")
    item = keys.child(Frame("]", tags, items=["a"]))
    assert item is not None
    assert item.allows("string")
    assert keys.child(Frame("]", schema, items=[], around=True)) is schema


@pytest.mark.parametrize(
    ("kind", "value", "fitting"),
    [
        ("texts", ["a"], True),
        ("texts", "a", False),
        ("texts", [1], False),
        ("rows", [[1.5]], True),
        ("rows", [1.5], False),
        ("rows", [["a"]], False),
        ("any", [[[]]], True),
        ("text|texts", "a", True),
    ],
)
def test_what_fits_by_type(kind: str, value: JsonValue, fitting: bool, node: NodeOf) -> None:
    """The types of lists within lists count, not what the values are."""
    assert fits(node(f"x:{kind}").member("x"), value) is fitting
    assert fits(None, value)


@pytest.mark.parametrize(
    ("members", "earlier"),
    [
        ({"m": {"a": 1}}, False),
        ({"m": {"a": {"x": 1}}}, True),
        ({"m": {"a": {}}}, False),
        ({"m": {"a": {"x": 1}, "b": 2}}, False),
        ({"m": [1]}, False),
        ({}, False),
    ],
)
def test_a_missing_closer_may_be_missing_further_in(members: dict[str, JsonValue], earlier: bool, node: NodeOf) -> None:
    """Where the last member could belong to an object around it."""
    assert Keys({}).may_end_earlier(Frame("}", node("m:map"), members=members)) is earlier


@pytest.mark.parametrize(
    ("value", "later"),
    [
        ({"m": {"a": {"x": 1}, "b": 2}}, True),
        ({"m": {"a": 1}, "n": 2}, False),
        ({"m": {"b": 2, "a": {"x": 1}}}, False),
        ({"m": {"a": {}, "b": {}}}, True),
        ({}, False),
    ],
)
def test_a_surplus_closer_may_have_come_too_early(value: JsonValue, later: bool, node: NodeOf) -> None:
    """Where the member that follows an object could belong to it."""
    assert Keys({}).may_end_later(value, node("m:map n:whole")) is later
