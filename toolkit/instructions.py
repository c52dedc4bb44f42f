"""The text that tells a model without a tool API of its tools, and the turns that show it how to call them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.dialects import Dialect, dialect_named
from toolmend.toolkit.skeleton import MAX_LEVELS, placeholders, type_text
from toolmend.toolkit.writers import Written

if TYPE_CHECKING:
    from toolmend.repairs.schema import SchemaNode
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("example_turns", "instructions")

Message = dict[str, JsonValue]


def instructions(tools: Iterable[ToolSpec], dialect: str = "json") -> str:
    """The part of a system prompt that tells of the tools, and asks for calls in one form.

    Args:
        tools: the tools.
        dialect: the form that is asked for.

    Returns:
        The text; empty if there are no tools.

    Raises:
        ToolUsageError: if the dialect is unknown.
    """
    asked = dialect_named(dialect)
    parts = [_tool_text(spec, asked) for spec in tools]
    return "\n\n".join([asked.head, *parts]) if parts else ""


def example_turns(tools: Iterable[ToolSpec], dialect: str = "json") -> list[Message]:
    """Turns of a conversation in which the tools' examples are called, to be put before the real one.

    Args:
        tools: the tools; those examples count that have what a user says.
        dialect: the form of the calls.

    Raises:
        ToolUsageError: if the dialect is unknown.
    """
    asked = dialect_named(dialect)
    turns: list[Message] = []
    for spec in tools:
        for example in spec.examples:
            if example.user is not None:
                turns.append({"role": "user", "content": example.user})
                turns.append({"role": "assistant", "content": _call(spec, example.arguments, asked)})
    return turns


def _call(spec: ToolSpec, arguments: Mapping[str, JsonValue], dialect: Dialect) -> str:
    return dialect.write([Written(spec.name, arguments, spec.node)])


def _tool_text(spec: ToolSpec, dialect: Dialect) -> str:
    """One tool: what it does, the form of a call, its parameters, a right call."""
    lines = [f"Tool {spec.name}"]
    if spec.description:
        lines[0] += f": {spec.description}"
    lines.append(dialect.form(spec.name, placeholders(spec.node, optional=True)))
    lines += _parameter_lines(spec.node, "", set())
    if spec.examples:
        example = _call(spec, spec.examples[0].arguments, dialect)
        lines.append(f"Example:{chr(10) if chr(10) in example else ' '}{example}")
    return "\n".join(lines)


def _parameter_lines(node: SchemaNode, place: str, seen: set[str], levels: int = MAX_LEVELS) -> Iterable[str]:
    """A line for each parameter: its type, whether it may be left out, what it means.

    Behind it come the keys within it that have a meaning of their own, each class of them once: names and types alone
    stand in the form.
    """
    declared = node.keyword("properties")
    for key, member in node.members.items():
        own = declared.get(key) if isinstance(declared, Mapping) else None
        raw = own if isinstance(own, Mapping) else {}  # what stands beside a reference is not part of what it refers to
        notes = [type_text(member)]
        if key not in node.required_members:
            notes.append("may be left out")
        if raw.get("default") is not None:
            notes.append(f"default {json.dumps(raw['default'], ensure_ascii=False)}")
        meaning = raw.get("description", member.keyword("description"))
        if isinstance(meaning, str) or not place:
            yield f"- {place}{key} ({', '.join(notes)}){f': {meaning}' if isinstance(meaning, str) else ''}"
        yield from _lines_within(member, f"{place}{key}", seen, levels)


def _lines_within(node: SchemaNode, place: str, seen: set[str], levels: int) -> Iterable[str]:
    """The lines of what is in an object, in the items of a list or of a mapping, or in each branch of a union."""
    if not levels:
        return
    for branch in [one for one in node.alternatives if one.types != {"null"}] or [node]:
        item = branch.item(0) if branch.types == {"array"} else None
        value = branch.member("") if branch.types == {"object"} and not branch.members else None
        if item is not None:
            yield from _lines_within(item, f"{place}[]", seen, levels - 1)
        elif value is not None:
            yield from _lines_within(value, f"{place}.<key>", seen, levels - 1)
        elif branch.pointer not in seen:
            seen.add(branch.pointer)
            yield from _parameter_lines(branch, f"{place}.", seen, levels - 1)
