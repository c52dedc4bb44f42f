"""Laws of whole calls: through the registry, for tools of all kinds."""

from __future__ import annotations

import asyncio
import datetime as dt
import enum
import json
from typing import Any, Literal

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, create_model

from toolmend.repairs.record import JsonValue
from toolmend.toolkit import ModelReply, RawCall, ToolCall, ToolMessage, ToolRegistry

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
SCALARS = (
    st.none() | st.booleans() | st.integers(-(10**25), 10**25) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=8
)
BROKEN = st.text(st.sampled_from("{}[]\"':,\\ \n.-+0123456789eEtruefalsnabcu<>`=()é|"), max_size=60)
"""Texts in which much looks like JSON and little is."""


class Side(enum.Enum):
    left = "left"
    right = "right"


class Inner(BaseModel):
    number: int
    words: list[str]


class Rich(ToolMessage, name="rich"):
    text: str
    number: int
    share: float
    flag: bool
    side: Side
    size: Literal["small", 2, True]
    day: dt.date
    inner: Inner
    table: dict[str, list[Inner]]
    pair: tuple[int, str]
    either: int | str | list[int]
    anything: Any
    left_out: str | None = None
    counted: int = 1


FIELDS = {
    str: TEXT,
    int: st.integers(-(10**25), 10**25),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bool: st.booleans(),
    list[int]: st.lists(st.integers(), max_size=4),
    dict[str, str]: st.dictionaries(TEXT, TEXT, max_size=3),
    str | None: TEXT | st.none(),
    dt.datetime: st.datetimes(),
    Literal["a", "b"]: st.sampled_from(["a", "b"]),
}
NAMES = st.sampled_from(
    ["alpha", "beta_two", "gammaThree", "name", "description", "request", "arguments", "properties", "reason"]
)


def rich(anything: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[Rich]:
    inner = st.builds(Inner, number=st.integers(), words=st.lists(TEXT, max_size=3))
    return st.builds(
        Rich,
        text=TEXT,
        number=FIELDS[int],
        share=FIELDS[float],
        inner=inner,
        table=st.dictionaries(TEXT, st.lists(inner, max_size=2), max_size=2),
        either=st.integers() | TEXT | st.lists(st.integers(), max_size=3),
        anything=anything,
        left_out=st.none() | TEXT,
    )


def only(registry: ToolRegistry, name: str, text: str) -> ToolCall:
    result = registry.parse_call(name, text)
    assert result.errors == ()
    [call] = result.calls
    return call


RICH = ToolRegistry([Rich])


@given(rich(VALUES), st.booleans())
def test_a_valid_call_of_a_class_comes_back_as_it_is(message: Rich, ascii_only: bool) -> None:
    """Valid in, same value out: no repair, the same arguments, the message that the class makes of them."""
    value = message.model_dump(mode="json")
    text = json.dumps(value, ensure_ascii=ascii_only)
    call = only(RICH, "rich", text)
    assert (call.arguments, call.repairs, call.raw) == (value, (), text)
    assert json.dumps(call.arguments) == json.dumps(value)
    assert call.message.model_dump(mode="json") == value


@given(st.data())
def test_a_valid_call_of_any_class_comes_back_as_it_is(data: st.DataObject) -> None:
    """For classes with fields of any name, required or not."""
    names = data.draw(st.lists(NAMES, unique=True, max_size=4))
    kinds = {name: data.draw(st.sampled_from(list(FIELDS))) for name in names}
    needed = {name: data.draw(st.booleans()) for name in names}
    fields: dict[str, Any] = {name: (kinds[name], ... if needed[name] else None) for name in names}
    registry = ToolRegistry([create_model("AnyTool", __base__=ToolMessage, **fields)])
    given_names = [name for name in names if needed[name] or data.draw(st.booleans())]
    drawn = {name: data.draw(FIELDS[kinds[name]]) for name in given_names}
    value = {name: item.isoformat() if isinstance(item, dt.datetime) else item for name, item in drawn.items()}
    call = only(registry, "any_tool", json.dumps(value))
    assert (call.arguments, call.repairs) == (value, ())
    assert {name: getattr(call.message, name) for name in given_names} == drawn


@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES))
def test_a_valid_call_of_a_schema_or_a_function_comes_back_as_it_is(value: dict[str, JsonValue]) -> None:
    """Untyped parameters take anything."""
    registry = ToolRegistry()
    registry.add_schema("raw", "", {"type": "object", "properties": {"a": {}, "b": {}, "c": {}}})
    registry.add_function(lambda a=None, b=None, c=None: [a, b, c], name="code")
    text = json.dumps(value)
    for name in ("raw", "code"):
        call = only(registry, name, text)
        assert (json.dumps(call.arguments), call.repairs, call.message) == (text, (), value)
        assert only(registry, name, json.dumps(call.arguments)).arguments == value
    [result] = registry.dispatch(registry.parse_call("code", text))
    assert result.value == [value.get("a"), value.get("b"), value.get("c")]


@given(rich(TEXT), st.data())
@settings(max_examples=40)
def test_a_call_that_is_cut_anywhere_never_becomes_another_one(message: Rich, data: st.DataObject) -> None:
    """It is the same call, or an error."""
    text = message.model_dump_json()
    cut = text[: data.draw(st.integers(0, len(text) - 1))]
    finish_reason = data.draw(st.sampled_from([None, "length"]))
    result = RICH.parse_call("rich", cut, finish_reason=finish_reason)
    assert len(result.items) == 1
    for call in result.calls:
        assert finish_reason is None
        assert call.arguments == json.loads(text)


@given(BROKEN | TEXT | VALUES.map(json.dumps), st.sampled_from([None, "stop", "length"]))
@settings(max_examples=150)
def test_whatever_the_model_wrote_no_exception_leaves(text: str, finish_reason: str | None) -> None:
    """A call through the API has exactly one outcome, and dispatch answers it."""
    result = RICH.parse_call("rich", text, finish_reason=finish_reason)
    assert len(result.items) == 1
    for error in result.errors:
        assert error.message.isprintable() or "\n" in error.message
        assert len(error.message) < 10_000
    assert len(RICH.dispatch(result.errors)) == len(result.errors)
    RICH.parse_text(text, finish_reason=finish_reason)


@given(VALUES)
def test_whatever_another_framework_hands_over_no_exception_leaves(value: JsonValue) -> None:
    """Parsed arguments have one outcome too, and are not changed."""
    before = json.dumps(value)
    assert len(RICH.check_call("rich", value).items) == 1
    assert json.dumps(value) == before


@given(st.lists(st.tuples(st.sampled_from(["echo", "fly", "functions.echo", "boom"]), BROKEN), max_size=5))
@settings(max_examples=40)
def test_each_call_of_a_reply_has_one_result(calls: list[tuple[str, str]]) -> None:
    """In order, under its own id, sync and async."""
    registry = ToolRegistry()
    registry.add_schema("echo", "", {"type": "object"}, lambda message: message)
    registry.add_schema("boom", "", {"type": "object"}, lambda message: message["missing"])
    raw = tuple(RawCall(name, text, str(number % 2)) for number, (name, text) in enumerate(calls))
    result = registry.parse_reply(ModelReply("", raw))
    assert len(result.items) == len(calls)
    ids = [item.id for item in result.items]
    assert len(set(ids)) == len(ids)
    for done in (registry.dispatch(result), asyncio.run(registry.dispatch_async(result))):
        assert [one.id for one in done] == ids
        assert all(one.text for one in done)
