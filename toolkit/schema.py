"""Tools in the shapes of the providers' APIs."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.strict import NotStrictError, strict_parameters

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("function_of", "openai_tool", "responses_tool", "strict_obstacle")

NULL_AS_ABSENT = "null-as-absent"
"""The rule by which a null for a key that may be left out counts as left out: strict tools stand on it."""


def function_of(spec: ToolSpec) -> dict[str, JsonValue]:
    """A tool in the shape of the legacy `functions` of Chat Completions.

    Args:
        spec: the tool.
    """
    return {"name": spec.name, "description": spec.description, "parameters": copy.deepcopy(dict(spec.parameters))}


def openai_tool(spec: ToolSpec, *, strict: bool = False) -> dict[str, JsonValue]:
    """A tool in the shape of the `tools` of Chat Completions.

    Args:
        spec: the tool.
        strict: whether the provider is to hold the model to the schema, where the tool can be told that way.
    """
    return {"type": "function", "function": _function(spec, strict=strict)}


def responses_tool(spec: ToolSpec, *, strict: bool = False) -> dict[str, JsonValue]:
    """A tool in the shape of the `tools` of the Responses API, where strict is what is not said otherwise.

    Args:
        spec: the tool.
        strict: whether the provider is to hold the model to the schema, where the tool can be told that way.
    """
    function = _function(spec, strict=strict)
    function.setdefault("strict", False)
    return {"type": "function", **function}


def strict_obstacle(spec: ToolSpec) -> str | None:
    """Why a tool cannot be told in the strict mode without another meaning; None if it can.

    Args:
        spec: the tool.
    """
    optional = spec.node.members.keys() - set(spec.node.required_members)
    if optional and not spec.mender.policy.allows(NULL_AS_ABSENT, "lossless"):
        return "its policy does not let a null stand for a key that is left out"
    try:
        strict_parameters(spec.parameters)
    except NotStrictError as error:
        return str(error)
    return None


def _function(spec: ToolSpec, *, strict: bool) -> dict[str, JsonValue]:
    function = function_of(spec)
    if strict:
        held = strict_obstacle(spec) is None
        function["strict"] = held
        if held:
            function["parameters"] = strict_parameters(spec.parameters)
    return function
