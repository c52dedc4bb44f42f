from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from toolmend.toolkit import ParseResult, ToolMessage, ToolRegistry


class Part(BaseModel):
    name: str
    flags: list[bool] = Field(default_factory=list)


class Order(ToolMessage, name="order"):
    """Order something."""

    text: str
    count: int | str | None = None
    kind: Literal["a", "b"] = "a"
    parts: list[Part] = Field(default_factory=list)
    words: list[str] = Field(default_factory=list)


REGISTRY = ToolRegistry([Order])
assert REGISTRY["order"].decider is not None

_TEXT = st.text(alphabet='ab "\\,:{}[]\n1T', max_size=6)
_PARTS = st.fixed_dictionaries({"name": _TEXT}, optional={"flags": st.lists(st.booleans(), max_size=3)})
_ORDERS = st.fixed_dictionaries(
    {"text": _TEXT},
    optional={
        "count": st.none() | st.integers(-9, 9) | _TEXT,
        "kind": st.sampled_from("ab"),
        "parts": st.lists(_PARTS, max_size=3),
        "words": st.lists(_TEXT, max_size=3),
    },
)
_SLIPS = [
    (", ", " "),
    (", ", ",, "),
    ("}", ",}"),
    ("]", ",]"),
    ("{", "{,"),
    ("true", "True"),
    ("null", "None"),
    (":", "::"),
]


def _with(slips: list[tuple[tuple[str, str], int]], text: str) -> str:
    for (old, new), number in slips:
        places = [at for at in range(len(text)) if text.startswith(old, at)]
        if places:
            at = places[number % len(places)]
            text = text[:at] + new + text[at + len(old) :]
    return text


def _parse(text: str, *, at_once: bool) -> ParseResult:
    with pytest.MonkeyPatch.context() as patch:
        if not at_once:
            patch.setattr("toolmend.toolkit.pipeline.mend_slips", lambda *_: None)
        return REGISTRY.parse_call("order", text)


@given(_ORDERS, st.lists(st.tuples(st.sampled_from(_SLIPS), st.integers(0, 12)), min_size=1, max_size=3))
def test_slips_come_out_as_the_lenient_reader_reads_them(
    order: dict[str, object], slips: list[tuple[tuple[str, str], int]]
) -> None:
    """Call, record and error are the same whether the slips are set right in place or read leniently."""
    text = _with(slips, json.dumps(order, ensure_ascii=False))
    assert _parse(text, at_once=True) == _parse(text, at_once=False)


@given(_ORDERS, st.lists(st.tuples(st.sampled_from(_SLIPS), st.integers(0, 12)), max_size=2), st.booleans())
def test_single_quotes_come_out_as_the_lenient_reader_reads_them(
    order: dict[str, object], slips: list[tuple[tuple[str, str], int]], by_python: bool
) -> None:
    """So they do as Python writes them, and around whatever stood in double ones."""
    text = _with(slips, repr(order) if by_python else json.dumps(order, ensure_ascii=False).replace('"', "'"))
    assert _parse(text, at_once=True) == _parse(text, at_once=False)


@given(
    _ORDERS,
    st.lists(st.tuples(st.sampled_from([*_SLIPS, ('"', "'"), ('"', ""), ("}", "")]), st.integers(0, 12)), max_size=1),
    st.sampled_from(["{}", "<tool_call>{}</tool_call>", "[TOOL_CALLS][{}]", "[{}, {}]", "So.\n```json\n{}\n```"]),
)
def test_a_plain_call_in_text_comes_out_as_the_lenient_reader_reads_it(
    order: dict[str, object], slips: list[tuple[tuple[str, str], int]], frame: str
) -> None:
    """Calls, records, errors and prose are the same whether a right call is read at once or with care."""
    call = _with(slips, json.dumps({"name": "order", "arguments": order}))
    text = frame.replace("{}", call)
    at_once = REGISTRY.parse_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("toolmend.toolkit.extract.jsonish.read_plain", lambda *_: None)
        assert REGISTRY.parse_text(text) == at_once
