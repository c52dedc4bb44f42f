"""Arguments in tags within tags, a token in front of each."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolmend.repairs.numbers import plain
from toolmend.repairs.text.strict import identical
from toolmend.toolkit import ToolRegistry

T: Final = "]<]minimax[>["
ORDER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "place": {
            "type": "object",
            "properties": {"text": {"type": "string"}, "count": {"type": "integer"}, "item": {"type": "string"}},
            "additionalProperties": False,
        },
        "tags": {"type": "array", "items": {"type": "string"}},
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False},
        },
        "free": {},
        "table": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "additionalProperties": False,
}
TOOLS: Final = ToolRegistry()
TOOLS.add_schema("order", "", ORDER)


def tagged(key: str, value: object) -> str:
    if isinstance(value, dict):
        inner = "".join(tagged(name, item) for name, item in value.items())
    elif isinstance(value, list):
        inner = "".join(tagged("item", item) for item in value)
    else:
        inner = str(value)
    return f"{T}<{key}>{inner}{T}</{key}>"


def called(body: str) -> str:
    return f'{T}<tool_call>\n{T}<invoke name="order">{body}{T}</invoke>\n{T}</tool_call>'


def arguments(body: str) -> Any:  # noqa: ANN401
    result = TOOLS.parse_text(called(body))
    assert result.errors == ()
    assert result.text == ""
    [call] = result.calls
    return plain(call.arguments)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("", {}),
        (tagged("count", 2), {"count": 2}),
        (tagged("text", " a <b> </b>\n"), {"text": " a <b> </b>\n"}),
        (tagged("place", {"text": "x", "count": 2}), {"place": {"text": "x", "count": 2}}),
        (tagged("place", {"item": "x"}), {"place": {"item": "x"}}),
        (tagged("tags", ["a", "b"]), {"tags": ["a", "b"]}),
        (tagged("tags", []), {"tags": []}),
        (tagged("tags", '["a"]'), {"tags": ["a"]}),
        (tagged("rows", [{"n": 1}, {"n": 2}]), {"rows": [{"n": 1}, {"n": 2}]}),
        (f"{T}<rows>\n{T}<item>\n{T}<n>1{T}</n>\n{T}</item>\n{T}</rows>\n", {"rows": [{"n": 1}]}),
        (tagged("rows", {"row": {"n": 1}}), {"rows": [{"n": 1}]}),
        (tagged("free", ["a", "b"]), {"free": ["a", "b"]}),
        (tagged("free", {"k": "v"}), {"free": {"k": "v"}}),
        (tagged("table", {"k": 1}), {"table": {"k": 1}}),
        (f"{T}<text>a</text>{T}<count>2</count>", {"text": "a", "count": 2}),
        (f"{T}<text>a</text> b{T}</text>", {"text": "a</text> b"}),
    ],
)
def test_tags_within_tags_are_objects_and_lists(body: str, expected: dict[str, Any]) -> None:
    """The schema tells which; where it does not, tags named `item` make a list. Values are exact."""
    assert arguments(body) == expected


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"{T}<text>a{T}<count>2{T}</count>{T}</text>", "not_json"),
        (f"{T}<text>a{T}</count>", "not_json"),
        (f"{tagged('text', 'a')} and {tagged('count', 2)}", "not_json"),
        (tagged("count", 1) + tagged("count", 2), "not_json"),
        (tagged("place", {"text": "a"}).replace("text", "x"), "invalid_arguments"),
        (tagged("count", "many"), "invalid_arguments"),
        (f"{T}<free>" + f"{T}<a>" * 200, "too_deep"),
    ],
)
def test_tags_that_do_not_fit_into_one_another_are_an_error(body: str, kind: str) -> None:
    """Nothing is dropped, and nothing of two chosen."""
    result = TOOLS.parse_text(called(body))
    assert result.calls == ()
    assert {error.kind for error in result.errors} == {kind}


LEAVES: Final = st.text(st.characters(codec="utf-8", exclude_characters="<[]"), max_size=6)
ORDERS: Final = st.fixed_dictionaries(
    {},
    optional={
        "text": LEAVES,
        "count": st.integers(),
        "place": st.fixed_dictionaries({"text": LEAVES}, optional={"count": st.integers()}),
        "tags": st.lists(LEAVES, min_size=1, max_size=3),
        "rows": st.lists(st.fixed_dictionaries({"n": st.integers()}), max_size=3),
        "table": st.dictionaries(st.sampled_from(["k", "item", "count"]), st.integers(), min_size=1),
    },
)


@given(ORDERS, st.floats(0, 1))
@settings(max_examples=100)
def test_what_is_written_is_read_back_and_never_cut(value: dict[str, Any], share: float) -> None:
    """The whole gives the same arguments; a piece of it gives them or an error."""
    body = "".join(tagged(*item) for item in value.items())
    assert identical(arguments(body), value)
    text = called(body)
    for call in TOOLS.parse_text(text[: int(len(text) * share)]).calls:
        assert identical(plain(call.arguments), value)
