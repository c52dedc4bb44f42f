"""A name in quotes with an object behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from toolmend.repairs.numbers import plain
from toolmend.toolkit.extract.pairs import read_pairs
from toolmend.toolkit.extract.source import Source

SourceOf: TypeAlias = Callable[..., Source]
FILL = ("fill", {"selector": "#go"})
PING: tuple[str, Any] = ("ping", {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("['fill', {'selector': '#go'}]", [FILL]),
        ('["fill", {"selector": "#go"}]', [FILL]),
        ("('fill', {'selector': '#go'})", [FILL]),
        ("[('fill', {'selector': '#go'}), ('ping', {})]", [FILL, PING]),
        ("[['fill', {'selector': '#go'}], ['ping', {}]]", [FILL, PING]),
        ("['fill', {'selector': '#go'}, 'ping', {}]", [FILL, PING]),
        ("[\n  ('fill', {'selector': '#go'}),\n]", [FILL]),
        ("[('fill', {'selector': '#go'}), ('fly', {'x': 1})]", [FILL, ("fly", {"x": 1})]),
        ("['fill', {'selector': '#go'}", [("fill", "cut_off")]),
        ("[('fill', {'selector': '#go'}),", [("fill", "cut_off")]),
        ("['fill', {'selector': '#g", [("fill", "cut_off")]),
    ],
)
def test_pairs_are_calls(text: str, expected: list[Any], source_of: SourceOf) -> None:
    """Lists, tuples, lists of either, and names and objects by turns; a list that is left open may have gone on."""
    found = read_pairs(source_of(text), 0)
    assert found is not None
    assert found.end == len(text)
    parts = [(part.name, plain(part.arguments) if part.fault is None else part.fault.kind) for part in found.parts]
    assert parts == expected


@pytest.mark.parametrize(
    "text",
    [
        "['fly', {'x': 1}]",
        "['fill', {'x': 1}]",
        "['fill', 1]",
        "['fill']",
        "['fill', {'selector': '#go'}",
        "('error', {'max': 1})",
        "['fill', ['selector']]",
        "['fly', {'x': 1",
    ],
)
def test_other_lists_are_none(text: str, source_of: SourceOf) -> None:
    """A list that begins with any other word, or whose object the tool does not know, is data."""
    found = read_pairs(source_of(f"{text}, 5]"), 0)
    assert found is None


def test_what_is_closed_too_often_or_too_early_ends_there(source_of: SourceOf) -> None:
    """Closers around all pairs belong to them."""
    found = read_pairs(source_of("('fill', {'selector': '#go'})]\nSo."), 0)
    assert found is not None
    assert found.end == len("('fill', {'selector': '#go'})]")
