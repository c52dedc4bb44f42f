"""The text that tells a model without a tool API of its tools, and the turns that show it how to call them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.skeleton import skeleton, type_text

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("example_turns", "instructions")

Message = dict[str, JsonValue]

_HEAD: Final = """\
You can call these tools. To call one, answer with one JSON object and nothing else:
{"name": "<name of the tool>", "arguments": {...}}
If no tool is needed, answer in plain words."""


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
    _call_in(dialect)
    parts = [_tool_text(spec) for spec in tools]
    return "\n\n".join([_HEAD, *parts]) if parts else ""


def example_turns(tools: Iterable[ToolSpec], dialect: str = "json") -> list[Message]:
    """Turns of a conversation in which the tools' examples are called, to be put before the real one.

    Args:
        tools: the tools; those examples count that have what a user says.
        dialect: the form of the calls.

    Raises:
        ToolUsageError: if the dialect is unknown.
    """
    write = _call_in(dialect)
    turns: list[Message] = []
    for spec in tools:
        for example in spec.examples:
            if example.user is not None:
                turns.append({"role": "user", "content": example.user})
                turns.append({"role": "assistant", "content": write(spec.name, example.arguments)})
    return turns


def _json_call(name: str, arguments: Mapping[str, JsonValue]) -> str:
    return json.dumps({"name": name, "arguments": dict(arguments)}, ensure_ascii=False)


_DIALECTS: Final[Mapping[str, Callable[[str, Mapping[str, JsonValue]], str]]] = {"json": _json_call}


def _call_in(dialect: str) -> Callable[[str, Mapping[str, JsonValue]], str]:
    """What writes a call in a dialect."""
    if dialect not in _DIALECTS:
        raise ToolUsageError(f"no dialect {dialect!r} is known; there are: {', '.join(sorted(_DIALECTS))}")
    return _DIALECTS[dialect]


def _tool_text(spec: ToolSpec) -> str:
    """One tool: what it does, the form of a call, its parameters, a right call."""
    lines = [f"Tool {spec.name}"]
    if spec.description:
        lines[0] += f": {spec.description}"
    lines.append(f'{{"name": "{spec.name}", "arguments": {skeleton(spec.node, optional=True)}}}')
    lines += _parameter_lines(spec)
    if spec.examples:
        lines.append(f"Example: {_json_call(spec.name, spec.examples[0].arguments)}")
    return "\n".join(lines)


def _parameter_lines(spec: ToolSpec) -> Iterable[str]:
    """A line for each parameter: its type, whether it may be left out, what it means."""
    declared = spec.parameters.get("properties", {})
    for key, member in spec.node.members.items():
        own = declared.get(key)  # what stands beside a reference is not part of what it refers to
        raw = own if isinstance(own, Mapping) else {}
        notes = [type_text(member)]
        if key not in spec.node.required_members:
            notes.append("may be left out")
        if raw.get("default") is not None:
            notes.append(f"default {json.dumps(raw['default'], ensure_ascii=False)}")
        meaning = raw.get("description", member.keyword("description"))
        yield f"- {key} ({', '.join(notes)}){f': {meaning}' if isinstance(meaning, str) else ''}"
