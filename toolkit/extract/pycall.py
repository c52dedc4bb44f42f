"""Reads one call in Python syntax, printed, assigned or escaped for Markdown as it may be. Nothing is evaluated."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.python import CallReading, read_call
from toolmend.toolkit.extract.candidate import Part, Shape

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("CALL", "end_of_brackets", "name_of", "read_one_call")

CALL: Final = re.compile(
    r"(?P<assigned>[A-Za-z_]\w{0,60}\s{0,4}=\s{0,4})?(?P<awaited>await\s{1,4})?(?P<printed>print\s?\(\s{0,9})?"
    r"(?P<start>(?P<quote>['\"]?)(?P<name>[A-Za-z_](?:[\w.:-]|\\_){0,200})(?P=quote)\()"
)
"""The start of a call: what may stand in front of it, its name, and the opening parenthesis."""

WINDOW: Final = 20_000
"""Longest call that is unescaped, or whose end is looked for after it could not be read."""

_TOKEN: Final = re.compile(r'"{3}.*?"{3}|\'{3}.*?\'{3}|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[()\[\]]', re.DOTALL)
_STEPS: Final = {"(": 1, "[": 1, ")": -1, "]": -1}
_CLOSED: Final = re.compile(r"\s*\)")


def name_of(match: re.Match[str]) -> str:
    """The name in the start of a call, without the escapes of Markdown.

    Args:
        match: a match of `CALL`.
    """
    return match["name"].replace("\\_", "_")


def end_of_brackets(text: str, start: int) -> int:
    """Where the bracket at one place is closed, strings passed over; the end of the text if that is not found.

    Args:
        text: the whole text.
        start: the place of the opening bracket.
    """
    depth = 0
    for match in _TOKEN.finditer(text, start, start + WINDOW):
        depth += _STEPS.get(match[0], 0)
        if depth == 0:
            return match.end()
    return len(text)


def read_one_call(source: Source, match: re.Match[str]) -> Part:
    """Read one call, with the print or assignment around it.

    Args:
        source: the text, with the registered tools.
        match: its start, as `CALL` matched it.

    Returns:
        The call; a faulty one if it cannot be read, which then ends behind its closing parenthesis.
    """
    name, start = name_of(match), match.start()
    tool = source.tool(name)
    try:
        call = _read(source, match.start("start"), match.end("start"), tool)
        end = _behind_print(source, call.end) if match["printed"] else call.end
        arguments, repairs = _arguments(call, tool)
    except RepairError as error:
        source.charge(200)
        return Part(name, None, (start, end_of_brackets(source.text, match.end() - 1)), Shape.FLAT, fault=error)
    around = "".join(match[group] or "" for group in ("assigned", "awaited", "printed"))
    if around:
        repairs = (Repair("call-dress", "lossless", before=around.strip(), span=(start, start + len(around))), *repairs)
    return Part(name, arguments, (start, end), Shape.FLAT, repairs=(*call.repairs, *repairs))


def _read(source: Source, start: int, inside: int, tool: ToolSpec | None) -> CallReading:
    """Read the call itself; if Markdown's escapes stand in it, without them."""
    schema = tool.node if tool is not None else None
    options = Options(complete=source.complete, limits=source.limits)
    window = source.text[start : start + WINDOW]
    if "\\_" not in window[: inside - start + 200]:
        return read_call(source.text, start, schema, options)
    call = read_call(window.replace("\\_", "_"), 0, schema, options)
    consumed = 0
    for position, char in enumerate(window):
        if consumed == call.end:
            break
        consumed += not (char == "\\" and window[position + 1 : position + 2] == "_")
    end = start + position
    if "\\_" not in source.text[start:end]:
        return read_call(source.text, start, schema, options)
    escaped = Repair("markdown-escape", "lossless", before="\\_", after="_", span=(start, end))
    repairs = tuple(replace(repair, span=None) for repair in call.repairs)
    return replace(call, end=end, repairs=(escaped, *repairs))


def _behind_print(source: Source, end: int) -> int:
    closed = _CLOSED.match(source.text, end)
    if closed is None:
        raise NotJsonError("something other than the call is printed", expected="print(name(key=value))")
    return closed.end()


def _arguments(call: CallReading, tool: ToolSpec | None) -> tuple[dict[str, JsonValue], tuple[Repair, ...]]:
    """The arguments of a call, its values without a keyword in the places that the schema gives them.

    Raises:
        NotJsonError: if they do not fit there.
    """
    if not call.positional or tool is None:
        return call.keywords, ()
    members = tool.node.members
    only = call.positional[0] if len(call.positional) == 1 and not call.keywords else None
    if isinstance(only, dict) and (set(only) & set(members) or not _fits(tool, {next(iter(members), ""): only})):
        return only, (Repair("dict-argument", "lossless", before="{...}", after=", ".join(only)[:80]),)
    placed = dict(zip(members, call.positional, strict=False))
    if len(call.positional) > len(members) or placed.keys() & call.keywords.keys() or not _fits(tool, placed):
        message = "the values without a keyword do not fit the parameters in their order; write key=value"
        raise NotJsonError(message, expected=", ".join(f"{key}=..." for key in members if key not in call.keywords))
    placed |= call.keywords
    return placed, (Repair("positional-arguments", "inferred", before="no keywords", after=", ".join(placed)[:80]),)


def _fits(tool: ToolSpec, placed: dict[str, JsonValue]) -> bool:
    """Whether each of the values fits as it stands."""
    return not any(violation.path and violation.path[0] in placed for violation in tool.mender.check(placed))
