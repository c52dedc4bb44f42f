"""Reads the arguments of an API call that came in the markup of a text format: some servers pass it on unread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolmend.repairs.record import JsonValue, Repair, snippet
from toolmend.repairs.text.reading import Reading, may_close
from toolmend.toolkit.extract.ends import ENDS
from toolmend.toolkit.extract.fields import NAMED, PAIRS, FieldGrammar, Fields, children_of, read_fields
from toolmend.toolkit.extract.marked import read_marked
from toolmend.toolkit.extract.source import Source

if TYPE_CHECKING:
    from toolmend.toolkit.extract.candidate import Part
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("Markup", "read_markup")

_OPENERS: Final = ("<", "[TOOL_CALLS]", "✿")
"""What markup begins with; anything else is left to the readers of JSON."""


@dataclass(frozen=True, slots=True)
class Markup:
    """Arguments that were written in markup.

    Attributes:
        arguments: their value, or text that is to be read as JSON.
        repairs: what had to be forgiven.
    """

    arguments: JsonValue
    repairs: tuple[Repair, ...]


def read_markup(text: str, tool: ToolSpec, *, complete: bool | None = None) -> Markup | None:
    """Read the arguments of an API call as the markup of a text format.

    Args:
        text: the text of the arguments.
        tool: the tool that the API call names.
        complete: whether the model is known to have stopped by itself.

    Returns:
        The arguments; None if the text is no markup, names another tool, holds more than one call or anything else.
    """
    stripped = text.strip()
    if not stripped.startswith(_OPENERS):
        return None
    source = Source(stripped, {tool.name: tool}, complete=complete)
    return _marked(source, tool) or _bare_fields(source, tool)


def _marked(source: Source, tool: ToolSpec) -> Markup | None:
    """One whole call with its markers, which must be a call of the same tool."""
    pos, parts = 0, []
    while pos < len(source.text):
        read = read_marked(source, pos)
        if read is None:
            return None
        candidates, pos = read
        parts += [candidate.part for candidate in candidates]
        while source.text[pos : pos + 1].isspace():
            pos += 1
    return _of(source, parts[0], tool) if len(parts) == 1 else None


def _of(source: Source, part: Part, tool: ToolSpec) -> Markup | None:
    if source.tool(part.name) is not tool or part.fault is not None:
        return None
    if not may_close(Reading(part.arguments, 0, (), part.unclosed), tool.node, source.complete):
        return None
    return Markup(part.arguments, (_record(source.text), *part.repairs))


def _bare_fields(source: Source, tool: ToolSpec) -> Markup | None:
    """Fields without a call around them: pairs, a tag per parameter, or a tag named like each parameter."""
    keys = frozenset(tool.node.members)
    grammars: tuple[FieldGrammar, ...] = (PAIRS, NAMED, children_of(tool.name, keys), children_of("arguments", keys))
    for grammar in grammars:
        start = _behind_wrapper(source.text, grammar, tool)
        fields = read_fields(source, start, grammar, tool)
        if fields.values and fields.fault is None and _is_over(source, fields):
            return Markup(fields.values, (_record(source.text), *fields.repairs))
    return None


def _behind_wrapper(text: str, grammar: FieldGrammar, tool: ToolSpec) -> int:
    """Behind a tag around all fields, if one is there."""
    for name in ("arguments", "parameters", tool.name):
        opener = f"<{name}>"
        if text.startswith(opener) and grammar.opener.match(text, len(opener) + _blanks(text, len(opener))):
            return len(opener)
    return 0


def _blanks(text: str, pos: int) -> int:
    return len(text[pos:]) - len(text[pos:].lstrip())


def _is_over(source: Source, fields: Fields) -> bool:
    """Whether nothing stands behind the fields but tags that close something."""
    ends = ENDS.match(source.text, fields.end)
    rest = source.text[ends.end() if ends is not None else fields.end :].strip()
    return not rest or rest in ("</arguments>", "</parameters>")


def _record(text: str) -> Repair:
    return Repair("markup", "lossless", before=snippet(text), after="arguments")
