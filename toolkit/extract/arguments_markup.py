"""Reads the arguments of an API call that came in the markup of a text format: some servers pass it on unread."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import NotJsonError, SchemaMismatchError
from toolmend.repairs.record import JsonValue, Repair, snippet
from toolmend.repairs.text.reading import Reading, may_close
from toolmend.toolkit.extract.braces import read_braces
from toolmend.toolkit.extract.candidate import Part, Shape
from toolmend.toolkit.extract.ends import ENDS
from toolmend.toolkit.extract.fields import NAMED, PAIRS, FieldGrammar, Fields, children_of, read_fields
from toolmend.toolkit.extract.harmony import read_message
from toolmend.toolkit.extract.keys import ARGUMENT_KEYS, WRAPPER_KEYS
from toolmend.toolkit.extract.marked import read_marked
from toolmend.toolkit.extract.pycall import CALL
from toolmend.toolkit.extract.pythonic import read_pythonic, read_quoted
from toolmend.toolkit.extract.react import read_react
from toolmend.toolkit.extract.source import Source

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("Markup", "read_markup")


_HEAD: Final = re.compile(r"(?P<name>[A-Za-z]\w*[_.]\w[\w.]*)[\s:]*(?=\{)")
_LABELS: Final = frozenset({*ARGUMENT_KEYS, *WRAPPER_KEYS, "tool_input", "action_input", "tool_args", "json_schema"})
"""Words that look like the name of a tool in front of an object, and are none."""


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
    """Read the arguments of an API call as a call in the form of a text format, or as its fields alone.

    Args:
        text: the text of the arguments.
        tool: the tool that the API call names.
        complete: whether the model is known to have stopped by itself.

    Returns:
        The arguments; None if the text is none of these, for the readers of JSON to try.

    Raises:
        RepairError: if it is a call of another tool, or one that must not be read in any other way.
    """
    stripped = text.strip()
    if stripped[:1] == "{":
        return None
    source = Source(stripped, {tool.name: tool}, complete=complete)
    _refuse_other(source, _name_in_front(stripped), tool)
    for read in (_marked, _unmarked, _bare_fields):
        markup = read(source, tool)
        if markup is not None:
            return markup
    return None


def _marked(source: Source, tool: ToolSpec) -> Markup | None:
    """One whole call with its markers."""
    pos, parts = 0, list[Part]()
    while pos < len(source.text):
        read = read_marked(source, pos)
        if read is None:
            break
        candidates, pos = read
        parts += [candidate.part for candidate in candidates]
        while source.text[pos : pos + 1].isspace():
            pos += 1
    return _of(source, parts, pos, tool)


def _unmarked(source: Source, tool: ToolSpec) -> Markup | None:
    """One whole call in Python syntax, in braces, or as an action with its input."""
    found = read_react(source, 0) or read_braces(source, 0) or read_quoted(source, 0)
    if found is None and CALL.match(source.text, _behind_bracket(source.text)):
        found = read_pythonic(source, 0)
    return _of(source, list(found.parts), found.end, tool) if found is not None else None


def _behind_bracket(text: str) -> int:
    return 1 if text.startswith("[") else 0


def _of(source: Source, parts: list[Part], end: int, tool: ToolSpec) -> Markup | None:
    """The arguments of the one call that was found, if it is all there is."""
    for part in parts:
        _refuse_other(source, part.name, tool)
    if len(parts) != 1 or source.text[end:].strip(" \t\r\n;}])"):
        return None
    [part] = parts
    if part.fault is not None and _is_evaluated(part):
        raise part.fault
    if part.fault is not None or source.tool(part.name) is not tool:
        return None
    if not may_close(Reading(part.arguments, 0, (), part.unclosed), tool.node, source.complete):
        return None
    return Markup(part.arguments, (_record(source.text), *part.repairs))


def _refuse_other(source: Source, name: str | None, tool: ToolSpec) -> None:
    """Refuse a call of another tool than the one that the API call names."""
    if name is not None and name != "dict" and source.tool(name) is None:
        message = f"the arguments are a call of {snippet(name, 64)!r}"
        raise SchemaMismatchError(message, given=snippet(name, 64), expected=f"the arguments of {tool.name!r}")


def _name_in_front(text: str) -> str | None:
    """The name that stands in front of an object, in the header of a message or by itself."""
    message = read_message(text, 0)
    if message is not None:
        return message.recipient
    head = _HEAD.match(text)
    return head["name"] if head is not None and head["name"] not in _LABELS else None


def _is_evaluated(part: Part) -> bool:
    """Whether a call cannot be read because something in it would have to be evaluated, which nobody may guess at."""
    return part.shape is Shape.FLAT and isinstance(part.fault, NotJsonError)


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
