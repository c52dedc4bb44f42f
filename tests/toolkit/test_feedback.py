"""The texts that go back to the model, word for word."""

# ruff: noqa: E501  # the texts are as long as they are
from __future__ import annotations

from typing import Any, Literal

import pytest
from inline_snapshot import snapshot
from pydantic import BaseModel, Field, field_validator

from toolmend.toolkit.feedback import MAX_NAMES, unknown_tool
from toolmend.toolkit.message import ToolMessage
from toolmend.toolkit.registry import ToolRegistry


class Address(BaseModel):
    street: str
    zip_code: str = Field(pattern=r"^\d{5}$")


class Order(ToolMessage, name="order"):
    """Order something."""

    item: str
    size: Literal["small", "medium", "large"]
    count: int = Field(1, ge=1, le=10)
    address: Address | None = None

    @field_validator("item")
    @classmethod
    def is_sold(cls, item: str) -> str:
        if item == "moon":
            raise ValueError("the moon is not sold")
        return item


class Look(ToolMessage, name="look"):
    """Look around."""

    direction: str = "north"


REGISTRY = ToolRegistry([Order, Look])


def told(name: str, arguments: str, **more: Any) -> str:  # noqa: ANN401
    [error] = REGISTRY.parse_call(name, arguments, **more).errors
    return error.message


def test_a_value_that_is_not_allowed() -> None:
    """The allowed values are listed."""
    assert told("order", '{"item": "cup", "size": "huge"}') == snapshot("""\
The call of 'order' was not run: its arguments do not fit.
- at /size: "huge" is not one of "small", "medium", "large"
Send the call again with arguments of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_several_faults_at_once() -> None:
    """Each with its place, and the form holds what they concern."""
    text = '{"item": "cup", "size": "small", "count": "many", "address": {"street": "Main"}, "colour": "red"}'
    assert told("order", text) == snapshot("""\
The call of 'order' was not run: its arguments do not fit.
- at /colour: unknown key 'colour'; known keys: item (required), size (required), count, address
- at /count: must be an integer (from 1, up to 10), got a string "many"
- at /address/zip_code: 'zip_code' is required and missing; expected a string (matching ^\\d{5}$)
Send the call again with arguments of this form: {"item": "<string>", "size": "<small|medium|large>", "count": <integer>, "address": {"street": "<string>", "zip_code": "<string>"}}\
""")


def test_everything_missing() -> None:
    """What is required is told with what it should be."""
    assert told("order", "") == snapshot("""\
The call of 'order' was not run: its arguments do not fit.
- at /item: 'item' is required and missing; expected a string
- at /size: 'size' is required and missing; expected one of "small", "medium", "large"
Send the call again with arguments of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_no_object_at_all() -> None:
    """The form says what was wanted."""
    assert told("order", "[1, 2]") == snapshot("""\
The call of 'order' was not run: its arguments do not fit.
- must be an object; known keys: item (required), size (required), count, address, got a list [1, 2]
Send the call again with arguments of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_text_that_is_no_json() -> None:
    """With the beginning of what was written."""
    assert told("order", "I would like a cup") == snapshot("""\
The call of 'order' was not run: its arguments are no JSON that can be read.
- no JSON object was found, the text begins 'I would li'; expected one JSON object
Send the call again with arguments in strict JSON of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_a_placeholder_left_in() -> None:
    """With the place in the text, once."""
    assert told("order", '{"item": "cup", "size": <size>}') == snapshot("""\
The call of 'order' was not run: its arguments are no JSON that can be read.
- '<size>' is a placeholder at line 1, column 25, near ', "size": <size>}'; expected the value itself
Send the call again with arguments in strict JSON of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_a_call_that_was_cut_off() -> None:
    """What to do about it comes with it."""
    assert told("order", '{"item": "cup", "size": "sm') == snapshot("""\
The call of 'order' was not run: it was cut off before its end (line 1, column 28).
- at /size: the text ends inside a string: something may be missing; expected the whole call again
Send the whole call again; if it is long, send less in one call. Its arguments have this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_a_call_at_the_output_limit() -> None:
    """The provider said so."""
    assert told("order", '{"item": "cup"', finish_reason="length") == snapshot("""\
The call of 'order' was not run: it was cut off before its end.
- the model reached its output limit in the middle of the call
Send the whole call again; if it is long, send less in one call. Its arguments have this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_two_calls_in_one() -> None:
    """Neither is chosen."""
    assert told("order", '{"item": "cup", "size": "small"}{"item": "pot", "size": "small"}') == snapshot("""\
The call of 'order' was not run: its arguments can be read in more than one way.
- 2 different objects stand where one is wanted; the tool of the others is not known; expected one JSON object; got {"item": "cup", "size": "small"}{"item": "pot", "size": "small"}
Send the call again with arguments of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_a_key_given_twice() -> None:
    """Neither value is chosen."""
    assert told("order", '{"item": "cup", "item": "pot", "size": "small"}') == snapshot("""\
The call of 'order' was not run: its arguments are no JSON that can be read.
- the key 'item' is given twice with different values; expected each key once; got pot
Send the call again with arguments in strict JSON of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_a_value_that_the_tool_refuses() -> None:
    """In the words of its validator."""
    assert told("order", '{"item": "moon", "size": "large"}') == snapshot("""\
The call of 'order' was not run: the tool refused its arguments.
- at /item: the moon is not sold
Send the call again with arguments of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_long_input_is_echoed_short() -> None:
    """No error is longer than what it is about needs."""
    text = told("order", '{"item": "cup", "size": "' + "x" * 5000 + '"}')
    assert len(text) < 400
    assert text == snapshot("""\
The call of 'order' was not run: its arguments do not fit.
- at /size: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxx" is not one of "small", "medium", "large"
Send the call again with arguments of this form: {"item": "<string>", "size": "<small|medium|large>"}\
""")


def test_a_tool_without_required_arguments() -> None:
    """All of them are shown then."""
    assert told("look", '{"direction": {"to": 1}}') == snapshot("""\
The call of 'look' was not run: its arguments do not fit.
- at /direction: must be a string, got an object {"to": 1}
Send the call again with arguments of this form: {"direction": "<string>"}\
""")


def test_too_deep() -> None:
    """With the limit."""
    assert told("look", '{"direction":' * 200) == snapshot("""\
The call of 'look' was not run: its arguments are nested too deeply.
- objects and lists are nested deeper than 100; expected at most 100 levels
Send the call again with arguments of this form: {"direction": "<string>"}\
""")


def test_an_unknown_tool_that_is_near_to_one() -> None:
    """It is named, not called."""
    assert told("ordr", "{}") == snapshot("""\
There is no tool named 'ordr'. Nothing was run.
The tools are: look, order.
If you meant 'order', send the call again with that name.\
""")


def test_an_unknown_tool() -> None:
    """The tools are listed."""
    assert told("delete_everything", "{}") == snapshot("""\
There is no tool named 'delete_everything'. Nothing was run.
The tools are: look, order.\
""")


def test_no_name() -> None:
    """The form of a whole call is shown."""
    assert told("", "{}") == snapshot("""\
The call does not name a tool. Nothing was run.
The tools are: look, order.
Send the call again in this form: {"name": "<name of the tool>", "arguments": {...}}\
""")


def test_calls_within_a_call_that_cannot_be_read() -> None:
    """The form of the call that holds others is shown."""
    assert told("multi_tool_use.parallel", '{"tool_uses": []}') == snapshot("""\
The call of 'multi_tool_use.parallel' was not run: its arguments do not fit.
- at /tool_uses: must have at least 1 items, got []; expected a list, each item an object (at least 1 items)
Send the call again with arguments of this form: {"tool_uses": [{"recipient_name": "<string>", "parameters": "<string or object>"}]}\
""")


@pytest.mark.parametrize("count", [0, 1, MAX_NAMES + 2])
def test_long_lists_of_tools_are_cut(count: int) -> None:
    """What is left out is counted."""
    text = unknown_tool("x" * 1000, [f"tool_{number:03}" for number in range(count)])
    assert len(text) < 700
    assert ("and 2 more" in text) is (count > MAX_NAMES)
    assert ("No tools are available" in text) is (count == 0)
