from __future__ import annotations

import inspect

import pytest
from pydantic import Field
from pydantic_core import PydanticUndefined

from toolmend.toolkit import ToolDefinitionError
from toolmend.toolkit.signature import default_of, docstring_of, parameters_of_function

NONE: list[int] = Field(default_factory=list)


def example(a: int, b: int = 2, c: int = Field(3, description="c"), d: list[int] = NONE) -> None:
    """Show the defaults."""


def test_defaults_stand_in_the_signature_or_in_a_field() -> None:
    """A parameter without one must be given."""
    parameters = parameters_of_function(example, "example")
    assert [default_of(parameter) for parameter in parameters.values()] == [PydanticUndefined, 2, 3, []]


def test_a_required_field_has_no_default() -> None:
    """`Field` may also say no more than a description."""
    parameter = inspect.Parameter("x", inspect.Parameter.KEYWORD_ONLY, default=Field(description="x"))
    assert default_of(parameter) is PydanticUndefined


def test_code_without_a_signature_cannot_be_a_tool() -> None:
    """Some of what is written in C has none."""
    with pytest.raises(ToolDefinitionError, match="tool type: its parameters are not known"):
        parameters_of_function(type, "type")


def test_the_docstring_is_that_of_the_code() -> None:
    """Not of what wraps it."""
    assert docstring_of(example) == "Show the defaults."


def test_a_method_of_a_class_is_no_tool() -> None:
    """The model would have to fill `self`; that of an instance is one."""

    class Thing:
        def look(self, at: str) -> str:
            return at

    with pytest.raises(
        ToolDefinitionError, match="`self` would be filled by the model; give the method of an instance"
    ):
        parameters_of_function(Thing.look, "look")
    assert list(parameters_of_function(Thing().look, "look")) == ["at"]
