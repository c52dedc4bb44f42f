from __future__ import annotations

import functools
from typing import Any

import pytest
from pydantic import BaseModel

from toolmend.toolkit import ToolCall, ToolDefinitionError, ToolMessage, ToolRegistry
from toolmend.toolkit.handlers import check_handler, extras_of


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


class Base:
    """Something to be asked for."""


class Derived(Base):
    """The same, in particular."""


HAVE = {"agent": Derived(), "call": ToolCall("x", {}, None), "context": {"a": 1}}


def by_class(message: object, one: Base) -> None: ...
def by_text(message: object, one: "Derived | None" = None) -> None: ...  # noqa: UP037  # text is what is tested
def by_generic(message: object, made: "ToolCall[int]") -> None: ...  # noqa: UP037
def by_name(message: object, agent, context) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001
def by_keyword(message: object, *, call) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001
def by_neither(message: object, loud: bool = False, other: str = "x") -> None: ...


@pytest.mark.parametrize(
    ("handler", "given"),
    [
        (by_class, {"one": "agent"}),
        (by_text, {"one": "agent"}),
        (by_generic, {"made": "call"}),
        (by_name, {"agent": "agent", "context": "context"}),
        (by_keyword, {"call": "call"}),
        (by_neither, {}),
        (functools.partial(by_class, one=Base()), {"one": "agent"}),
        (print, {}),
    ],
)
def test_a_handler_is_given_what_it_asks_for(handler: Any, given: dict[str, str]) -> None:  # noqa: ANN401
    """By annotation, text or not; by name; and nothing for what has a default and asks for nothing."""
    check_handler(handler, "x")
    assert extras_of(handler, HAVE, "x") == {key: HAVE[name] for key, name in given.items()}


@pytest.mark.parametrize("kind", [int, str | None, list[str], "dict[str, int] | None"])
def test_a_plain_value_cannot_be_asked_for(kind: object) -> None:
    """It is a parameter of the tool that was written in the wrong place."""

    def handler(message: object, more: object) -> None: ...

    handler.__annotations__["more"] = kind
    with pytest.raises(ToolDefinitionError, match="missing a required argument: 'more'"):
        check_handler(handler, "x")
