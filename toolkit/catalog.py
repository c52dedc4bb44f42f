"""The tools of a registry at one moment: immutable, so that what is made of them is made once."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias, TypeVar, overload

from toolmend.repairs.record import JsonValue
from toolmend.toolkit import instructions as prompt
from toolmend.toolkit.errors import ToolDefinitionError, UnknownToolError
from toolmend.toolkit.schema import function_of, openai_tool, responses_tool
from toolmend.toolkit.spec import ToolSpec

__all__ = ("Catalog", "Shape")

Shape: TypeAlias = list[dict[str, JsonValue]]
"""Tools, or messages, as a provider's API takes them."""

T = TypeVar("T")


class Catalog(Mapping[str, ToolSpec]):
    """Tools by name, in the order in which they were added.

    What is told to a model is made when it is first asked for, and kept.
    """

    def __init__(self, specs: Mapping[str, ToolSpec]) -> None:
        """Hold the tools.

        Args:
            specs: the tools by name.
        """
        self._specs = MappingProxyType(dict(specs))
        self._made: dict[object, object] = {}

    def __getitem__(self, name: str) -> ToolSpec:
        """A tool by its name."""
        return self._specs[name]

    @overload
    def get(self, name: str, default: None = None, /) -> ToolSpec | None: ...
    @overload
    def get(self, name: str, default: ToolSpec | T, /) -> ToolSpec | T: ...
    def get(self, name: str, default: ToolSpec | T | None = None, /) -> ToolSpec | T | None:
        """A tool by its name; asked for each call, so without the detour of a mapping's own `get`."""
        return self._specs.get(name, default)

    def __iter__(self) -> Iterator[str]:
        """The names."""
        return iter(self._specs)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._specs)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names, in the order in which the tools were added."""
        return tuple(self._specs)

    def adding(self, spec: ToolSpec) -> Catalog:
        """These tools and one more.

        Args:
            spec: the tool.

        Raises:
            ToolDefinitionError: if another tool has its name.
        """
        if spec.name in self._specs:
            hint = "give one of the two another name, or remove the first"
            raise ToolDefinitionError("there is a tool of that name already", tool=spec.name, hint=hint)
        return Catalog({**self._specs, spec.name: spec})

    def replacing(self, spec: ToolSpec) -> Catalog:
        """These tools, one of them in another state.

        Args:
            spec: the tool.
        """
        return Catalog({**self._specs, spec.name: spec})

    def without(self, name: str) -> Catalog:
        """These tools but one.

        Args:
            name: name of the tool.

        Raises:
            UnknownToolError: if there is none of that name.
        """
        if name not in self._specs:
            raise UnknownToolError(name, self.names)
        return Catalog({key: spec for key, spec in self._specs.items() if key != name})

    def openai_tools(self, *, strict: bool) -> Shape:
        """The tools for Chat Completions.

        Args:
            strict: whether the provider is to hold the model to the schemas.
        """
        return self._shape(("tools", strict), lambda: [openai_tool(spec, strict=strict) for spec in self.values()])

    def openai_functions(self) -> Shape:
        """The tools as legacy functions of Chat Completions."""
        return self._shape("functions", lambda: [function_of(spec) for spec in self.values()])

    def responses_tools(self, *, strict: bool) -> Shape:
        """The tools for the Responses API.

        Args:
            strict: whether the provider is to hold the model to the schemas.
        """
        return self._shape(
            ("responses", strict), lambda: [responses_tool(spec, strict=strict) for spec in self.values()]
        )

    def instructions(self, dialect: str) -> str:
        """The part of a system prompt that tells of the tools.

        Args:
            dialect: the form of calls that is asked for.
        """
        return self._once(("instructions", dialect), lambda: prompt.instructions(self.values(), dialect))

    def example_turns(self, dialect: str) -> Shape:
        """The tools' examples as turns of a conversation.

        Args:
            dialect: the form of the calls.
        """
        return self._shape(("turns", dialect), lambda: prompt.example_turns(self.values(), dialect))

    def _shape(self, key: object, make: Callable[[], Shape]) -> Shape:
        """A copy of what was made: the caller may change it."""
        return copy.deepcopy(self._once(key, make))

    def _once(self, key: object, make: Callable[[], T]) -> T:
        """What is made when it is first asked for. Two threads may both make it: the same, and either is kept."""
        if key not in self._made:
            self._made[key] = make()
        kept: T = self._made[key]  # type: ignore[assignment]  # each key has a type of its own
        return kept
