from __future__ import annotations

import asyncio
import functools
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from toolmend.repairs.record import JsonValue
from toolmend.toolkit import ToolRegistry, tool
from toolmend.toolkit.errors import ToolDefinitionError
from toolmend.toolkit.function import function_options


class Place(BaseModel):
    city: str
    zip_code: int | None = None


@tool
def search(query: str, limit: Annotated[int, Field(ge=1)] = 5) -> list[Any]:
    """Search the web.

    Args:
        query: what to look for
        limit: how many
    """
    return [query, limit]


@tool(name="look_up", description="Find a place.", timeout=3)
async def find(place: Place, /, *, how: Literal["fast", "slow"] = Field("fast", description="the way")) -> str:
    """Not what the model is told."""
    await asyncio.sleep(0)
    return f"{place.city} {how}"


def odd_names(self: int, model_dump: int = 1, _hidden: str = "h", schema: bool = False, json: str = "") -> list[object]:
    return [self, model_dump, _hidden, schema, json]


class Counter:
    """Counts."""

    def __init__(self) -> None:
        self.total = 0

    def add(self, number: int) -> int:
        """Add to the total."""
        self.total += number
        return self.total

    def __call__(self, number: int) -> int:
        """Add to the total, too."""
        return self.add(number)


def parameters(registry: ToolRegistry, name: str) -> dict[str, JsonValue]:
    return dict(registry[name].parameters)


def ran(registry: ToolRegistry, name: str, arguments: str) -> object:
    [result] = registry.dispatch(registry.parse_call(name, arguments))
    assert result.error is None, result.text
    return result.value


def test_a_function_becomes_a_tool_and_stays_a_function() -> None:
    """Name, description and what the parameters mean are read from it."""
    registry = ToolRegistry([search])
    assert search("a") == ["a", 5]
    assert registry["search"].description == "Search the web."
    assert parameters(registry, "search") == {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "what to look for"},
            "limit": {"type": "integer", "minimum": 1, "default": 5, "description": "how many"},
        },
        "required": ["query"],
        "additionalProperties": False,
    }


def test_defaults_are_those_of_the_function() -> None:
    """A parameter that the model leaves out is left to the function."""
    registry = ToolRegistry([search])
    [call] = registry.parse_call("search", '{"query": "cats"}').calls
    assert call.message == {"query": "cats"}
    assert ran(registry, "search", '{"query": "cats"}') == ["cats", 5]
    assert ran(registry, "search", '{"query": "cats", "limit": "7"}') == ["cats", 7]


def test_options_of_the_decorator_hold() -> None:
    """A stated name and description come before the function's own; models, keywords and async work."""
    registry = ToolRegistry([find])
    assert registry["look_up"].description == "Find a place."
    assert registry["look_up"].options.timeout == 3
    assert ran(registry, "look_up", '{"place": {"city": "Rome"}}') == "Rome fast"
    assert ran(registry, "look_up", '{"place": {"city": "Rome"}, "how": "slow"}') == "Rome slow"


def test_parameters_may_have_any_name() -> None:
    """Also names that no field of a class may have."""
    registry = ToolRegistry()
    registry.add_function(odd_names)
    text = '{"self": 2, "model_dump": 3, "_hidden": "x", "schema": true, "json": "y"}'
    assert ran(registry, "odd_names", text) == [2, 3, "x", True, "y"]
    assert ran(registry, "odd_names", '{"self": 2}') == [2, 1, "h", False, ""]


def test_methods_partials_and_objects_are_functions_too() -> None:
    """What is bound is no parameter."""
    counter = Counter()
    registry = ToolRegistry()
    registry.add_function(counter.add)
    registry.add_function(counter, name="count")
    registry.add_function(functools.partial(search, limit=2), name="search_two")
    assert ran(registry, "add", '{"number": 2}') == 2
    assert ran(registry, "count", '{"number": 3}') == 5
    assert ran(registry, "search_two", '{"query": "a"}') == ["a", 2]
    assert registry["add"].description == "Add to the total."
    assert registry["search_two"].description == "Search the web."


def test_what_is_stated_when_adding_comes_first() -> None:
    """The same function may be two tools."""
    registry = ToolRegistry([search])
    registry.add_function(search, name="search_again", examples=[{"query": "x"}])
    assert registry.names == ("search", "search_again")
    assert registry["search_again"].examples[0].arguments == {"query": "x"}


def test_an_unknown_return_type_is_nobodys_business() -> None:
    """Only the types of parameters are looked up."""

    def later(count: int) -> NotThere:  # type: ignore[name-defined]  # noqa: F821
        return count

    registry = ToolRegistry()
    registry.add_function(later)
    assert ran(registry, "later", '{"count": 1}') == 1


def test_a_function_may_use_what_stands_around_it() -> None:
    """A closure is a function as any other."""
    factor = 3

    def times(number: int) -> int:
        return number * factor

    registry = ToolRegistry([times])
    assert ran(registry, "times", '{"number": 2}') == 6


def test_parameters_without_types_take_anything() -> None:
    """No annotation is no reason to refuse a function."""
    registry = ToolRegistry()
    registry.add_function(lambda value, other=None: [value, other], name="echo")
    assert ran(registry, "echo", '{"value": {"a": [1, null]}}') == [{"a": [1, None]}, None]


def test_a_default_that_json_cannot_hold_is_not_told() -> None:
    """A sentinel stays the function's own business."""
    sentinel = object()

    def fetch(url: str, cache: object = sentinel) -> object:
        return cache

    registry = ToolRegistry()
    registry.add_function(fetch)
    assert "default" not in parameters(registry, "fetch")["properties"]["cache"]
    assert ran(registry, "fetch", '{"url": "x"}') is sentinel


def test_open_ended_parameters_are_refused() -> None:
    """The model could pass anything by them."""

    def stars(*values: int) -> None: ...

    def more(**values: int) -> None: ...

    registry = ToolRegistry()
    with pytest.raises(ToolDefinitionError, match=r"tool stars: `\*values` would let the model pass anything; name"):
        registry.add_function(stars)
    with pytest.raises(ToolDefinitionError, match=r"`\*\*values`"):
        registry.add_function(more)


def test_an_unknown_type_is_an_error_with_a_hint() -> None:
    """It says where types have to be defined."""

    class Local(BaseModel):
        x: int

    def use(value: Local) -> None: ...

    with pytest.raises(ToolDefinitionError, match=r"'Local' is not defined; define it where the module is imported"):
        ToolRegistry([use])


def test_a_type_without_json_is_an_error_with_a_hint() -> None:
    """A parameter must be something that a model can write."""

    def use(value: object, code: functools.partial[int]) -> None: ...

    with pytest.raises(ToolDefinitionError, match="its parameters have no JSON Schema"):
        ToolRegistry([use])


def test_a_function_without_a_name_needs_one() -> None:
    """A lambda has none that a provider takes."""
    with pytest.raises(ToolDefinitionError, match="cannot be the name of a tool"):
        ToolRegistry([lambda: None])


@pytest.mark.parametrize("wrong", [3, Place])
def test_only_functions_can_be_decorated(wrong: object) -> None:
    """A class is a tool in another way, and the message says so."""
    with pytest.raises(ToolDefinitionError, match="is no function"):
        tool(wrong)  # type: ignore[call-overload]


def test_a_wrong_option_is_an_error_where_the_function_is_defined() -> None:
    """The decorator refuses what can be refused already."""
    with pytest.raises(ToolDefinitionError, match="no keyword colour is known"):
        tool(colour="red")(search)  # type: ignore[call-overload]
    with pytest.raises(ToolDefinitionError, match="cannot be the name"):
        tool(name="a b")(search)
    assert function_options(search).name == "search"
