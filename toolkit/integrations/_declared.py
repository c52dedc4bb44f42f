"""Tools that another library declares by a JSON Schema, compiled once."""

from __future__ import annotations

import json
from functools import lru_cache

from toolmend.repairs.policy import RepairPolicy
from toolmend.toolkit.message import ToolOptions
from toolmend.toolkit.spec import ToolSpec, compile_raw

__all__ = ("declared_tool",)


def declared_tool(name: str, parameters: object, policy: RepairPolicy) -> ToolSpec:
    """A tool of which only the name and the schema are known; most programs declare the same ones each time.

    Args:
        name: the name that the model calls it by.
        parameters: the schema of its arguments; None if it has none.
        policy: which repairs are allowed.

    Raises:
        ToolDefinitionError: if the name or the schema cannot be used.
    """
    return _compiled(name, json.dumps(parameters), policy)


@lru_cache(maxsize=256)
def _compiled(name: str, text: str, policy: RepairPolicy) -> ToolSpec:
    return compile_raw(json.loads(text), ToolOptions(name=name, description=""), policy)
