"""A call's arguments as a form to fill in: what small models read more easily than a schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from toolmend.repairs.record import JsonValue, snippet
from toolmend.repairs.schema import SchemaNode

__all__ = ("choices_text", "in_braces", "placeholders", "skeleton", "type_text")

MAX_LEVELS: Final = 4
"""Deepest level that is written out: a schema may refer to itself."""

MAX_CHOICES: Final = 30
"""Most allowed values that are listed."""

_WORDS: Final = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "true or false",
    "array": "list",
    "object": "object",
    "null": "null",
}


def skeleton(node: SchemaNode, *, optional: bool = False, also: frozenset[str] = frozenset()) -> str:
    """Arguments with a placeholder in place of each value.

    Placeholders of strings are quoted, all others are not: a model that copies one of those writes no JSON, and is told
    so, instead of calling the tool with it.

    Args:
        node: the compiled schema.
        optional: whether keys that may be left out are shown, too; they are if there are no others.
        also: keys that are shown in any case.
    """
    return in_braces(placeholders(node, optional=optional, also=also))


def placeholders(node: SchemaNode, *, optional: bool = False, also: frozenset[str] = frozenset()) -> dict[str, str]:
    """The placeholder of each argument, as it would stand in JSON.

    Args:
        node: the compiled schema.
        optional: whether keys that may be left out are shown, too; they are if there are no others.
        also: keys that are shown in any case.
    """
    keys = [key for key in node.members if optional or key in also or key in node.required_members]
    if not keys and not also:
        keys = list(node.members)
    return _members(node, keys, optional, 0)


def in_braces(texts: Mapping[str, str]) -> str:
    """A JSON object whose values are texts already.

    Args:
        texts: the text of each value.
    """
    return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {text}" for key, text in texts.items()) + "}"


def choices_text(values: tuple[JsonValue, ...]) -> str:
    """Allowed values as a list in words, long lists shortened.

    Args:
        values: the allowed values.
    """
    shown = [json.dumps(value, ensure_ascii=False) for value in values[:MAX_CHOICES]]
    more = [f"and {len(values) - MAX_CHOICES} more"] if len(values) > MAX_CHOICES else []
    return ", ".join(shown + more)


def type_text(node: SchemaNode) -> str:
    """What kind of value is wanted, in a few words: `integer`, `list of string`, `"left" or "right"`.

    Args:
        node: the compiled schema.
    """
    return _type_text(node, 0)


def _type_text(node: SchemaNode, level: int) -> str:
    if node.choices is not None:
        return f"one of {choices_text(node.choices)}" if len(node.choices) > 1 else choices_text(node.choices)
    kinds = [kind for kind in _WORDS if kind in node.types]
    if "number" in kinds:
        kinds.remove("integer")
    if len(kinds) >= len(_WORDS) - 1:
        return "any JSON value"
    words = [_WORDS[kind] for kind in kinds]
    item = node.item(0)
    if "array" in kinds and item is not None and level < MAX_LEVELS:
        words[kinds.index("array")] = f"list of {_type_text(item, level + 1)}"
    if isinstance(given := node.keyword("format"), str) and kinds == ["string"]:
        words = [f"string ({given})"]
    return " or ".join(words)


def _form(node: SchemaNode, optional: bool, level: int) -> str:
    """One place of the form."""
    node = _first_branch(node)
    if node.choices is not None:
        return _choice(node.choices)
    if node.allows("object") and node.types <= {"object", "null"}:
        keys = [key for key in node.members if optional or key in node.required_members]
        return in_braces(_members(node, keys, optional, level)) if level < MAX_LEVELS else "{...}"
    if node.allows("array") and node.types <= {"array", "null"}:
        item = node.item(0)
        return f"[{_form(item, optional, level + 1)}]" if item is not None and level < MAX_LEVELS else "[...]"
    text = _type_text(node, 0).removesuffix(" or null")
    return f'"<{text}>"' if node.allows("string") and text != "any JSON value" else f"<{text}>"


def _members(node: SchemaNode, keys: list[str], optional: bool, level: int) -> dict[str, str]:
    if not node.members and node.free_keys:
        value = node.member("")
        return {"<key>": _form(value, optional, level + 1) if value is not None else "<any JSON value>"}
    return {key: _form(node.members[key], optional, level + 1) for key in keys}


def _choice(values: tuple[JsonValue, ...]) -> str:
    if len(values) == 1:
        return json.dumps(values[0], ensure_ascii=False)
    texts = [value if isinstance(value, str) else json.dumps(value) for value in values if value is not None]
    form = snippet("|".join(texts), 300)
    return f'"<{form}>"' if all(isinstance(value, str) for value in values if value is not None) else f"<{form}>"


def _first_branch(node: SchemaNode) -> SchemaNode:
    """The first branch of a union that is not only null: a form shows one way to write it."""
    for _ in range(MAX_LEVELS):
        branches = [branch for branch in node.alternatives if branch.types != {"null"}]
        if node.choices is not None or not branches or node.properties:
            break
        node = branches[0]
    return node
