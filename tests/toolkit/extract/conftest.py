"""Tools that the readers are tried with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from toolmend.toolkit import ToolRegistry
from toolmend.toolkit.extract.source import Source
from toolmend.toolkit.spec import ToolSpec

FILL: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "selector": {"type": "string"},
        "count": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["selector"],
    "additionalProperties": False,
}


@pytest.fixture(scope="session")
def tools() -> Mapping[str, ToolSpec]:
    """`fill`, with a string, an integer and a list; and `ping`, without parameters."""
    registry = ToolRegistry()
    registry.add_schema("fill", "", FILL)
    registry.add_schema("ping", "", {"type": "object", "properties": {}, "additionalProperties": False})
    return {name: registry[name] for name in ("fill", "ping")}


@pytest.fixture(scope="session")
def source_of(tools: Mapping[str, ToolSpec]) -> Callable[..., Source]:
    """Makes a source of a text, with these tools."""

    def make(text: str, *, complete: bool | None = None) -> Source:
        return Source(text, tools, complete=complete)

    return make
