from __future__ import annotations

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from toolmend.agents.testing import CORRUPTIONS, Corrupted, corrupt
from toolmend.repairs.record import JsonValue
from toolmend.repairs.text.strict import identical
from toolmend.toolkit import ToolMessage, ToolRegistry, ToolUsageError

TEXT = st.text(st.characters(codec="utf-8"), max_size=20) | st.text("{}[]\"':,;=\\ \n<>&`“”-/#a1", max_size=12)


class Search(ToolMessage, name="search"):
    """Search the files."""

    search_text: str
    max_hits: int
    share: float
    whole_words: bool
    order: Literal["by_name", "by_date"]
    lines: list[int]
    labels: dict[str, str]
    anything: Any
    folder: str = "."


REGISTRY = ToolRegistry([Search])
EXAMPLE: dict[str, JsonValue] = {
    "search_text": "a\tb",
    "max_hits": 3,
    "share": 0.5,
    "whole_words": True,
    "order": "by_name",
    "lines": [7],
    "labels": {"owner": "ann"},
    "anything": None,
}


def calls() -> st.SearchStrategy[dict[str, JsonValue]]:
    """Valid arguments of the tool."""
    required = {
        "search_text": TEXT,
        "max_hits": st.integers(-(10**20), 10**20),
        "share": st.floats(allow_nan=False, allow_infinity=False),
        "whole_words": st.booleans(),
        "order": st.sampled_from(["by_name", "by_date"]),
        "lines": st.lists(st.integers(), max_size=3),
        "labels": st.dictionaries(TEXT, TEXT, max_size=3),
        "anything": st.none() | st.booleans() | st.integers() | TEXT | st.lists(TEXT, max_size=2),
    }
    return st.fixed_dictionaries(required, optional={"folder": TEXT})


class Words(ToolMessage, name="words"):
    """Parameters that are called as parts of calls are."""

    name: str
    arguments: str
    reason: str
    json_: str = Field("", alias="json")


class Point(BaseModel):
    x: int
    label: str = ""


class Draw(ToolMessage, name="draw"):
    """Objects in objects, and unions."""

    first: Point
    others: list[Point]
    colour: int | str
    last: Point | None = None


class Say(ToolMessage, name="say"):
    """One parameter, for which bare values stand too."""

    text: str


POINTS = st.fixed_dictionaries({"x": st.integers()}, optional={"label": TEXT})
OTHERS: list[tuple[type[ToolMessage], st.SearchStrategy[dict[str, JsonValue]]]] = [
    (Words, st.fixed_dictionaries({"name": TEXT, "arguments": TEXT, "reason": TEXT}, optional={"json": TEXT})),
    (
        Draw,
        st.fixed_dictionaries(
            {"first": POINTS, "others": st.lists(POINTS, max_size=3), "colour": st.integers() | TEXT},
            optional={"last": st.none() | POINTS},
        ),
    ),
    (Say, st.fixed_dictionaries({"text": TEXT})),
]


def names(corrupted: list[Corrupted]) -> set[str]:
    """The names of the faults."""
    return {one.name for one in corrupted}


def check(tool: type[ToolMessage], arguments: dict[str, JsonValue]) -> None:
    """Each corruption gives back the call, with repairs of the kind that is stated, or safer."""
    registry = ToolRegistry([tool])
    [name] = registry.names
    for corrupted in corrupt(arguments, tool):
        result = registry.parse_call(name, corrupted.text)
        assert not result.errors, (corrupted, result.errors[0].message)
        [call] = result.calls
        assert identical(call.arguments, arguments), (corrupted, call.arguments)
        kinds = {repair.kind for repair in call.repairs}
        assert kinds
        assert kinds <= {"lossless", corrupted.corruption.kind}, (corrupted, call.repairs)


@given(calls())
def test_each_corruption_is_mended_to_the_call_that_was_given(arguments: dict[str, JsonValue]) -> None:
    """Whatever the values are."""
    check(Search, arguments)


@pytest.mark.parametrize(("tool", "strategy"), OTHERS, ids=["words", "draw", "say"])
@given(data=st.data())
def test_that_holds_for_tools_of_all_shapes(
    tool: type[ToolMessage], strategy: st.SearchStrategy[dict[str, JsonValue]], data: st.DataObject
) -> None:
    """Also where the names of parameters, or bare values, could be taken for something else."""
    check(tool, data.draw(strategy))


def test_each_corruption_has_a_place_in_a_call_of_many_kinds() -> None:
    """None of them is dead."""
    plain = {"file_path": "a\tb", "max_hits": 3, "whole_words": True, "order": "by_name", "lines": [7]}
    found = names([*corrupt(EXAMPLE, Search), *corrupt({"search_text": "x", "max_hits": 1, "b": True}, Search)])
    assert found | names(list(corrupt(plain))) == set(CORRUPTIONS)


def test_the_text_of_a_corrupted_call_is_never_right() -> None:
    """Even where a fault changes little."""
    for corrupted in corrupt(EXAMPLE, Search):
        try:
            value = json.loads(corrupted.text)
        except ValueError:
            continue
        assert not identical(value, EXAMPLE), corrupted.name


def test_what_the_policy_lossless_allows_is_mended_under_it() -> None:
    """And the rest is refused, so that a tool with side effects can be tested for either."""
    registry = ToolRegistry([Search], policy="lossless")
    for corrupted in corrupt(EXAMPLE, Search):
        mended = bool(registry.parse_call("search", corrupted.text).calls)
        assert mended is (corrupted.corruption.kind == "lossless"), corrupted.name


def test_without_the_tool_only_the_text_is_spoilt() -> None:
    """What is wrong with a value depends on the schema."""
    found = list(corrupt(EXAMPLE))
    assert found
    assert not any(one.corruption.needs_tool for one in found)


def test_a_call_and_an_instance_are_taken_for_their_arguments() -> None:
    """In the words of the schema: an instance by its aliases, without what was left to its default."""
    [call] = REGISTRY.parse_call("search", json.dumps(EXAMPLE)).calls
    wanted = list(corrupt(EXAMPLE, Search))
    assert list(corrupt(call, Search)) == list(corrupt(call.message, Search)) == wanted


def test_a_call_without_arguments_can_be_spoilt() -> None:
    """Only around its braces; what comes out is mended."""
    registry = ToolRegistry()
    registry.add_schema("now", "Tell the time.", None)
    found = list(corrupt({}, next(iter(registry))))
    assert {"fence", "double-encoded"} <= names(found)
    assert [one.name for one in found if not registry.parse_call("now", one.text).calls] == []


@pytest.mark.parametrize("wrong", ["{}", 7, {"a": float("nan")}, {"a": object()}])
def test_what_is_no_call_is_refused(wrong: object) -> None:
    """By what is needed."""
    with pytest.raises(ToolUsageError, match="its arguments are needed"):
        list(corrupt(wrong))  # type: ignore[arg-type]
