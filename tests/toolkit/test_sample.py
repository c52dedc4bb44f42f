from __future__ import annotations

from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from toolmend.toolkit import ToolMessage, ToolRegistry
from toolmend.toolkit.feedback import insistence
from toolmend.toolkit.sample import sample_arguments
from toolmend.toolkit.spec import compile_class


class Spot(BaseModel):
    x: float
    name: str | None


class Go(ToolMessage):
    spots: list[Spot]
    how: Literal["fast", "slow"]
    often: int = Field(ge=3)
    sure: bool
    note: str = ""


class Odd(ToolMessage):
    even: int

    @field_validator("even")
    @classmethod
    def _is_even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("odd")
        return value


class Shown(ToolMessage, examples=[{"at": "noon"}]):
    at: str


class Tree(BaseModel):
    left: Tree | None
    leaves: list[Tree]


class Plant(ToolMessage):
    tree: Tree


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        (Go, {"spots": [{"x": 1.5, "name": "text"}], "how": "fast", "often": 3, "sure": True}),
        (Shown, {"at": "noon"}),
        (Odd, None),
    ],
)
def test_arguments_are_made_up_only_if_they_fit(tool: type[ToolMessage], arguments: Any) -> None:  # noqa: ANN401
    """An example of the tool's own comes first; what the tool would refuse is not shown."""
    assert sample_arguments(compile_class(tool)) == arguments


def test_a_schema_that_holds_itself_comes_to_an_end() -> None:
    """Whether or not arguments are found."""
    made = sample_arguments(compile_class(Plant))
    assert made is None or not ToolRegistry(Plant).check_call("plant", made).errors


def test_the_second_time_all_is_told() -> None:
    """The schema whole and arguments that fit; a schema that is too long is left out."""
    told = insistence(compile_class(Shown))
    assert '"required": ["at"]' in told
    assert 'Arguments that fit, for example: {"at": "noon"}' in told
    registry = ToolRegistry()
    registry.add_schema("wide", "", {"type": "object", "description": "x" * 5000})
    assert insistence(registry["wide"]) == "This is the same fault as before.\nArguments that fit, for example: {}"
