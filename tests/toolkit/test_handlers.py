from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from toolmend.toolkit import ToolDefinitionError, ToolMessage, ToolRegistry
from toolmend.toolkit.handlers import check_handler


@pytest.mark.parametrize("name", ["handle", "handle_async"])
def test_a_method_that_wants_more_is_told_when_the_tool_is_added(name: str) -> None:
    """Not when a model calls it."""

    def method(self: Any, extra: int) -> None:  # noqa: ANN401
        pass

    kind = type("Say", (ToolMessage,), {"__module__": __name__, name: method})
    with pytest.raises(
        ToolDefinitionError, match=f"its method `{name}` cannot be called: .*'extra'; it is called with"
    ):
        ToolRegistry(kind)


def test_methods_that_take_the_message_are_taken() -> None:
    """With defaults, as static or class methods, and under that name on a class that is only a model."""

    class Say(ToolMessage):
        def handle(self, loud: bool = False) -> str:
            return "said"

    class Sing(ToolMessage):
        @staticmethod
        def handle(message: object) -> str:
            return "sung"

    class Plain(BaseModel):
        def handle(self, extra: int) -> int:
            return extra

    assert len(ToolRegistry([Say, Sing, Plain])) == 3


@pytest.mark.parametrize("wrong", ["h", 3, lambda: None, lambda a, b: None])
def test_a_handler_is_checked_when_it_is_declared(wrong: Any) -> None:  # noqa: ANN401
    """Of a raw schema, and of a tool that is there."""
    registry = ToolRegistry()
    with pytest.raises(
        ToolDefinitionError, match=r"tool x: its handler .*; it is called with one argument, the message"
    ):
        registry.add_schema("x", "", None, handler=wrong)
    registry.add_schema("x", "", None)
    with pytest.raises(ToolDefinitionError, match="tool x: its handler"):
        registry.handler("x")(wrong)


def test_a_handler_of_which_nobody_knows_the_arguments_is_taken() -> None:
    """Some built-in ones have no signature."""
    check_handler(dict, "x")
    check_handler(print, "x")
