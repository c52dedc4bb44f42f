"""Tools as the model is shown them: a namespace of TypeScript functions.

The rendering is the one that was reverse-engineered from the counts that OpenAI's API reports.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolmend.repairs.record import JsonValue

__all__ = ("namespace",)

DEPTH: Final = 32
"""Schemas nested deeper are shown as `any` from there on: nobody writes them, but a foreign server may send one."""
TYPES: Final = 10_000
"""The same for schemas that grow beyond so many types by references to references."""
INDENT: Final = 2
NAMES: Final = {"integer": "number", "number": "number", "string": "string", "boolean": "boolean", "null": "null"}


def namespace(functions: Iterable[Mapping[str, JsonValue]]) -> str:
    """Render functions.

    Args:
        functions: each with `name`, and if it has them `description` and `parameters`.
    """
    lines = ["namespace functions {", ""]
    for function in functions:
        if function.get("description"):
            lines.append(f"// {function['description']}")
        parameters = function.get("parameters") or {}
        if _members(parameters, "properties"):
            body = _Rendering(parameters).members(parameters, 0, 0)
            lines += [f"type {function['name']} = (_: {{", body, "}) => any;"]
        else:
            lines.append(f"type {function['name']} = () => any;")
        lines.append("")
    return "\n".join((*lines, "} // namespace functions"))


class _Rendering:
    """One schema, whose definitions its references point to."""

    def __init__(self, root: Mapping[str, JsonValue]) -> None:
        self._definitions = _members(root, "definitions") | _members(root, "$defs")
        self._left = TYPES

    def members(self, schema: Mapping[str, JsonValue], indent: int, depth: int) -> str:
        required = schema.get("required")
        required = required if isinstance(required, list) else []
        lines = []
        for name, member in _members(schema, "properties").items():
            known = member if isinstance(member, dict) else {}
            if known.get("description") and indent < INDENT:
                lines.append(f"// {known['description']}")
            lines.append(f"{name}{'' if name in required else '?'}: {self._type(known, indent, depth + 1)},")
        return "\n".join(" " * indent + line for line in lines)

    def _type(self, schema: JsonValue, indent: int, depth: int) -> str:
        self._left -= 1
        if not isinstance(schema, dict) or depth > DEPTH or self._left < 0:
            return "any"
        if isinstance(target := schema.get("$ref"), str):
            return self._type(self._definitions.get(target.rsplit("/", 1)[-1]), indent, depth + 1)
        for keyword, joint in (("anyOf", " | "), ("oneOf", " | "), ("allOf", " & ")):
            if isinstance(choices := schema.get(keyword), list) and choices:
                return joint.join(self._type(one, indent, depth + 1) for one in choices)
        if isinstance(kinds := schema.get("type"), list):
            return " | ".join(self._type({**schema, "type": kind}, indent, depth + 1) for kind in kinds)
        return self._plain(schema, indent, depth)

    def _plain(self, schema: Mapping[str, JsonValue], indent: int, depth: int) -> str:
        kind = schema.get("type")
        if isinstance(values := schema.get("enum"), list) and values and kind not in {"array", "object"}:
            return " | ".join(_literal(value) for value in values)
        if kind == "array":
            return f"{self._type(schema['items'], indent, depth + 1)}[]" if "items" in schema else "any[]"
        if kind == "object":
            return "{\n" + self.members(schema, indent + INDENT, depth) + "\n}"
        return NAMES.get(str(kind), "any")


def _members(schema: Mapping[str, JsonValue], key: str) -> dict[str, JsonValue]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def _literal(value: JsonValue) -> str:
    return f'"{value}"' if isinstance(value, str) else json.dumps(value)
