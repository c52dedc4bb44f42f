"""Reads calls written as JSON: one object, or a list of objects whose closing bracket may be missing."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import AmbiguousError, CutOffError, NotJsonError, RepairError
from toolmend.repairs.record import Repair
from toolmend.repairs.text.cursor import Options, QuoteError
from toolmend.repairs.text.ladder import mend_text
from toolmend.repairs.text.lenient import Reader
from toolmend.repairs.text.strict import identical
from toolmend.toolkit.extract.behind import list_cut, with_fault
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.envelope import Layout, envelope_node, open_envelope
from toolmend.toolkit.extract.faults import end_of_fault, stop_ahead, told
from toolmend.toolkit.extract.keys import ARGUMENT_KEYS
from toolmend.toolkit.extract.plain import read_plain
from toolmend.toolkit.extract.pycall import end_of_brackets
from toolmend.toolkit.extract.pythonic import LIST_MAY_END
from toolmend.toolkit.extract.source import MAX_CALLS, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolmend.repairs.text.reading import Reading
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("end_of_json", "read_arguments", "read_json")

MAX_READINGS: Final = 8
"""Most ways of reading one object that are compared, where brackets leave several open."""

_JSON: Final = json.JSONDecoder(strict=False)
_BETWEEN: Final = re.compile(r"[\s,;]*")
_HEAD: Final = re.compile(
    r"""\{\s*["'“`]?(?:name|tool_name|tool|function|recipient_name)["'”`]?\s*:\s*["'“`](?P<name>[\w.:\\-]{1,100})["'”`]\s*,"""
    r"""\s*["'“`]?(?:arguments|parameters|args|input|tool_arguments)["'”`]?\s*:"""
)


def read_json(source: Source, start: int) -> Found | None:
    """Read the calls of one JSON object, or of a list of objects.

    Args:
        source: the text, with the registered tools.
        start: where the brace or bracket stands.

    Returns:
        The calls, with a faulty one where the text cannot be read; None if it is no object and no list of objects.
    """
    if source.text.startswith("{", start):
        parts, end = _object(source, start)
        return Found(parts, end)
    return _list(source, start)


def read_arguments(source: Source, start: int, tool: ToolSpec | None) -> Reading:
    """Read one value that is the arguments of a call whose name is known, to learn where it ends.

    Args:
        source: the text, with the registered tools.
        start: where the brace or bracket stands.
        tool: the tool that is called; None if it is not registered.

    Raises:
        RepairError: if it cannot be read.
    """
    options = Options() if tool is None else Options(schema=tool.node, aliases=tool.mender.aliases)
    return next(_readings(source, start, options))


def end_of_json(source: Source, start: int) -> int | None:
    """Where a value ends that is JSON as it stands; None if it is not.

    Args:
        source: the text, with the registered tools.
        start: where the brace or bracket stands.
    """
    try:
        _, end = _JSON.raw_decode(source.text, start)
    except (ValueError, RecursionError) as error:
        source.charge(error.pos - start if isinstance(error, json.JSONDecodeError) else 0)
        return None
    return end


def _readings(source: Source, start: int, options: Options, stop: int | None = None) -> Iterator[Reading]:
    """Every way of reading a value that brackets leave open, the likeliest first.

    Where its strings end is left to the schema only if quotes alone do not tell. The text is read up to the stop.
    """
    text = source.text[:stop]
    given = replace(options, embedded=True, complete=source.complete, limits=source.limits)
    try:
        yield from _ways(text, start, given)
    except (CutOffError, QuoteError) as error:
        if options.schema is None:
            raise
        try:
            yield from _ways(text, start, replace(given, schema_strings=True))
        except RepairError:
            raise error from None


def _ways(text: str, start: int, options: Options) -> Iterator[Reading]:
    todo: list[tuple[int, ...]] = [()]
    for _ in range(MAX_READINGS):
        if not todo:
            return
        decisions = todo.pop(0)
        reader = Reader(text, start, replace(options, decisions=decisions))
        try:
            reading = reader.read()
        except RepairError:
            if not decisions:
                raise
        else:
            yield reading
        for index in range(len(decisions), len(reader.choices)):
            taken = (*decisions, *(0,) * (index - len(decisions)))
            todo += [(*taken, option) for option in range(1, reader.choices[index])]


def _object(source: Source, start: int) -> tuple[tuple[Part, ...], int]:
    """The calls of one object, and where it ends."""
    plain = read_plain(source, start)
    if plain is not None:
        return plain.parts, plain.end
    tool = source.hint(start)
    try:
        ways = _calls(source, start, tool)
        named = source.tool(ways[0].parts[0].name) if ways[0].parts else None
        if tool is not None and named not in (None, tool):
            ways = _calls(source, start, named)  # the name was that of a later call: once more by its own schema
        found = _settled(source, ways)
    except RepairError as error:
        closed = _without_brace(source, start) if isinstance(error, NotJsonError) else None
        if closed is None:
            part = _broken(source, start, error)
            return (part,), part.span[1]
        found = closed
    return found.parts, found.end


def _without_brace(source: Source, start: int) -> Found | None:
    """The calls of an object whose last braces are missing in front of what closes the call."""
    stop = stop_ahead(source, start)
    if stop is None:
        return None
    try:
        found = _settled(source, _calls(source, start, source.hint(start), stop))
    except RepairError:
        return None
    closed = [any(repair.rule == "missing-closer" for repair in part.repairs) for part in found.parts]
    return found if found.end == stop and closed and all(closed) else None


def _calls(source: Source, start: int, tool: ToolSpec | None, stop: int | None = None) -> list[Found]:
    """The calls of one object in every way of reading it, different ones only."""
    options = Options()
    if tool is not None:
        options = Options(schema=envelope_node(tool, _layout(source, start, tool)), aliases=tool.mender.aliases)
    readings: list[Reading] = []
    for reading in _readings(source, start, options, stop):
        if not any(identical(reading.value, other.value) for other in readings):
            readings.append(reading)
    return [Found(open_envelope(source, reading, start), reading.end) for reading in readings]


def _layout(source: Source, start: int, tool: ToolSpec) -> Layout:
    """How the call that begins at a place is put down, by the keys in sight."""
    wrapper, name, second_name, arguments = source.keys.following(start)
    if wrapper < min(name, arguments):
        return "wrapped"
    own = any(key in tool.node.members for key in ARGUMENT_KEYS)
    return "named" if arguments < second_name and not own else "flat"


def _settled(source: Source, ways: list[Found]) -> Found:
    """The one way of reading an object whose calls are all valid.

    Raises:
        AmbiguousError: if there is more than one.
    """
    if len(ways) == 1:
        return ways[0]
    valid = [found for found in ways if all(_is_valid(source, part) for part in found.parts)]
    if len(valid) > 1:
        raise AmbiguousError("the call can be read in more than one way", expected="plain JSON")
    return valid[0] if valid else ways[0]


def _is_valid(source: Source, part: Part) -> bool:
    tool = source.tool(part.name)
    if tool is None or part.fault is not None:
        return False
    try:
        if isinstance(part.arguments, str):
            mend_text(part.arguments, tool.mender)
        else:
            tool.mender.mend(part.arguments)
    except RepairError:
        return False
    return True


def _broken(source: Source, start: int, error: RepairError) -> Part:
    """An object that cannot be read, with the name that stands in it.

    If it is an attempt at a call and its end is not known, all that follows belongs to it: where its strings end is not
    known either, and what looks like a further call may be part of one. Otherwise it ends where the next block begins.
    """
    head = _HEAD.match(source.text, start)
    match = _NEXT_BLOCK.search(source.text, start + 1)
    end = match.start() if match is not None else len(source.text)
    tool = source.hint(start, end)
    source.charge(len(source.text) - start if isinstance(error, CutOffError) else end - start)
    if head is not None or tool is not None:
        name, shape = (tool.name if tool is not None else None), Shape.FLAT
        if head is not None:
            name, shape = head["name"], Shape.ENVELOPE
        known_end = end_of_fault(source, start, error)
        fault = error if known_end is not None else told(source, start, error)
        return Part(name, None, (start, known_end or len(source.text)), shape, fault=fault)
    return Part(None, None, (start, end), Shape.NAMELESS, fault=error)


_NEXT_BLOCK: Final = re.compile(r"\n(?=[{<]|```|~~~|\[[{\"'\w])")


def _list(source: Source, start: int) -> Found | None:
    """The calls of a list of objects; its closing bracket may be missing behind a complete object."""
    text, parts = source.text, list[Part]()
    end = start + 1
    pos = _behind_space(text, end)
    while len(parts) <= MAX_CALLS and text.startswith("{", pos):
        more, end = _object(source, pos)
        parts += more
        if any(part.fault is not None and (part.name is None or end >= len(text)) for part in more):
            return Found(tuple(parts), end)
        pos = _behind_space(text, end)
    if any(source.tool(part.name) for part in parts):
        # What is no call by itself was meant as one among calls.
        parts = [replace(part, shape=Shape.ENVELOPE) for part in parts]
    if text.startswith("]", pos):
        return Found(tuple(parts), pos + 1)
    if not parts:
        return None
    if "," in text[end:pos] and (pos >= len(text) or LIST_MAY_END.match(text, end) or source.marked):
        return with_fault(Found(tuple(parts), end), list_cut(), pos)
    if LIST_MAY_END.match(text, end) or source.marked:
        parts[-1] = replace(parts[-1], repairs=(*parts[-1].repairs, _closed(end)))
        return Found(tuple(parts), end)
    error = NotJsonError("a list of calls holds something that is no call", expected="[{...}, {...}]")
    known = next((part for part in parts if source.tool(part.name) is not None), parts[0])
    end = end_of_brackets(text, start)
    return Found((replace(known, arguments=None, span=(start, end), fault=error),), end)


def _behind_space(text: str, pos: int) -> int:
    match = _BETWEEN.match(text, pos)
    return match.end() if match is not None else pos


def _closed(pos: int) -> Repair:
    return Repair("missing-closer", "lossless", after="]", span=(pos, pos))
