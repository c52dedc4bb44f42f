from __future__ import annotations

import dataclasses
import datetime as dt
import enum
from typing import Any

import pytest
from pydantic import BaseModel

from toolmend.toolkit.outcome import ToolCall
from toolmend.toolkit.results import value_result

CALL: ToolCall = ToolCall("look", {}, {})


class Spot(BaseModel):
    x: float
    name: str | None = None


@dataclasses.dataclass
class Point:
    x: int
    when: dt.date


class Colour(enum.Enum):
    red = 1


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("not today")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("ünï\nçödé", "ünï\nçödé"),
        ("", "The tool ran and returned an empty text."),
        (None, "The tool ran and returned nothing."),
        (b"bytes", "bytes"),
        (3, "3"),
        (2.5, "2.5"),
        (True, "True"),
        (Spot(x=1), '{"x":1.0,"name":null}'),
        ({"a": [1, None], "b": Spot(x=2)}, '{"a":[1,null],"b":{"x":2.0,"name":null}}'),
        ([], "[]"),
        ((1, "é"), '[1,"é"]'),
        ({1}, "[1]"),
        (Point(1, dt.date(2024, 5, 1)), '{"x":1,"when":"2024-05-01"}'),
        ([Point(1, dt.date(2024, 5, 1)), Colour.red], '[{"x":1,"when":"2024-05-01"},1]'),
        ([float("nan")], '["NaN"]'),
        ([object], "[\"<class 'object'>\"]"),
        (Colour.red, "Colour.red"),
        ("half \ud800", "half ?"),
    ],
)
def test_values_become_text(value: Any, text: str) -> None:  # noqa: ANN401
    """Text as it is, structures as JSON, anything else as Python shows it, and never nothing."""
    result = value_result(CALL, value)
    assert (result.text, result.ok) == (text, True)
    assert result.value is value


def test_a_value_that_holds_itself_is_shown_by_python() -> None:
    """JSON has no way to say it."""
    value: list[Any] = []
    value.append(value)
    assert value_result(CALL, value).text == "[[...]]"


def test_a_value_that_cannot_be_shown_is_a_failure() -> None:
    """Its text is foreign code, too."""
    result = value_result(CALL, Rude())
    assert (result.text, result.ok) == ("The tool 'look' failed: RuntimeError: not today", False)


@pytest.mark.parametrize(
    ("value", "kind"), [(object(), "object"), ((n for n in (1, 2)), "generator"), (iter([]), "list_iterator")]
)
def test_an_object_without_a_text_is_named_by_its_type(
    value: object, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The model is not shown an address in memory, and who wrote the tool is told."""
    assert (
        value_result(CALL, value).text == f"The tool ran and returned an object of type {kind}, which cannot be shown."
    )
    assert caplog.messages == [f"a tool returned an object of type {kind}, which has no text for the model"]
