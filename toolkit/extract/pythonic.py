"""Reads calls in Python syntax: a list of them, one by itself, quoted, printed or assigned. Nothing is evaluated."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import read_value
from toolmend.repairs.text.python import CallReading, read_call
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.source import Source

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("begins_call", "read_pythonic", "read_quoted")

_CALL: Final = re.compile(
    r"(?P<assigned>[A-Za-z_]\w{0,60}\s{0,4}=\s{0,4})?(?P<awaited>await\s{1,4})?(?P<printed>print\s?\(\s{0,9})?"
    r"(?P<start>['\"]?(?P<name>[A-Za-z_](?:[\w.:-]|\\_){0,200})['\"]?\s{0,4}\()"
)
_BETWEEN: Final = re.compile(r"[\s,;]*")
_SAME_LINE: Final = re.compile(r"[ \t]*[,;]?[ \t]*")
_CLOSED: Final = re.compile(r"\s*\)")
_BLANK: Final = re.compile(r"\s*")
_KEYWORD: Final = re.compile(r"\s*(?:[A-Za-z_]\w*\s*=[^=]|\))")


def begins_call(source: Source, start: int) -> bool:
    """Whether a call of a registered tool may begin at this place.

    Args:
        source: the text, with the registered tools.
        start: the place.
    """
    match = _CALL.match(source.text, start)
    return match is not None and source.tool(_name_of(match)) is not None


def read_pythonic(source: Source, start: int) -> Found | None:
    """Read the calls that begin at one place: in brackets, or one after the other on a line.

    Args:
        source: the text, with the registered tools.
        start: the place.

    Returns:
        The calls, with a faulty one where something is no literal call; None if no call begins there.
    """
    bracket = source.text[start : start + 1] in ("[", "(")
    inside = _BLANK.match(source.text, start + 1) if bracket else None
    pos = inside.end() if inside is not None else start
    if bracket and source.text.startswith("]", pos):
        return Found((), pos + 1, "pythonic")
    between = _BETWEEN if bracket else _SAME_LINE
    shape = Shape.ENVELOPE if bracket and _is_whole(source, start) else Shape.FLAT
    parts: list[Part] = []
    end = pos
    while (match := _CALL.match(source.text, pos)) is not None:
        part = _part(source, match, pos, shape)
        parts.append(part)
        end = part.span[1]
        if part.fault is not None:
            break
        behind = between.match(source.text, end)
        pos = behind.end() if behind is not None else end
    if not parts:
        return None
    return _closed(source, parts, start, end) if bracket else Found(tuple(parts), end, "pythonic")


def _closed(source: Source, parts: list[Part], start: int, end: int) -> Found:
    """The calls of a list, behind which its closing bracket stands or is missing."""
    behind = _BETWEEN.match(source.text, end)
    pos = behind.end() if behind is not None else end
    if parts[-1].fault is not None:
        return Found(tuple(parts), end, "pythonic")
    if source.text[pos : pos + 1] == {"[": "]", "(": ")"}[source.text[start]]:
        return Found(tuple(parts), pos + 1, "pythonic")
    if "\n" in source.text[end:pos] or pos >= len(source.text) or source.marked:
        closed = Repair("missing-closer", "lossless", after="]", span=(end, end))
        parts[-1] = replace(parts[-1], repairs=(*parts[-1].repairs, closed))
        return Found(tuple(parts), end, "pythonic")
    error = NotJsonError("a list of calls holds something that is no call", expected="name(key=value)")
    broken = Part(parts[-1].name, None, (start, pos), parts[-1].shape, fault=error)
    return Found((*parts, broken), pos, "pythonic")


def _is_whole(source: Source, start: int) -> bool:
    """Whether a list of keyword calls is the whole message."""
    text = source.text
    match = _CALL.match(text, start + 1)
    return (
        not text[:start].strip() and text.rstrip().endswith("]") and bool(match and _KEYWORD.match(text, match.end()))
    )


# ---------------------------------------------------------------------- one call


def _name_of(match: re.Match[str]) -> str:
    return match["name"].replace("\\_", "_")


def _part(source: Source, match: re.Match[str], start: int, shape: Shape) -> Part:
    """One call, with the print or assignment around it."""
    name = _name_of(match)
    tool = source.tool(name)
    options = Options(complete=source.complete, limits=source.limits)
    try:
        call = read_call(source.text, match.start("start"), tool.node if tool is not None else None, options)
        end = _behind_print(source, call.end) if match["printed"] else call.end
        arguments, repairs = _arguments(call, tool)
    except RepairError as error:
        source.charge(200)
        return Part(name, None, (start, _end_of_broken(source.text, match.end() - 1)), shape, fault=error)
    around = "".join(match[group] or "" for group in ("assigned", "awaited", "printed"))
    dress = (
        (Repair("call-dress", "lossless", before=around.strip(), span=(start, start + len(around))),) if around else ()
    )
    return Part(name, arguments, (start, end), shape, repairs=(*dress, *call.repairs, *repairs))


def _behind_print(source: Source, end: int) -> int:
    closed = _CLOSED.match(source.text, end)
    if closed is None:
        raise NotJsonError("something other than the call is printed", expected="print(name(key=value))")
    return closed.end()


_TOKEN: Final = re.compile(r'"{3}.*?"{3}|\'{3}.*?\'{3}|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[()]', re.DOTALL)
_WINDOW: Final = 20_000


def _end_of_broken(text: str, start: int) -> int:
    """Where a call that cannot be read ends: behind its closing parenthesis, or with the text if that is not found."""
    depth = 0
    for match in _TOKEN.finditer(text, start, start + _WINDOW):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return len(text)


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
    keys = [key for key in members if key not in call.keywords]
    placed = dict(zip(members, call.positional, strict=False))
    if len(call.positional) > len(members) or placed.keys() & call.keywords.keys() or not _fits(tool, placed):
        message = "the values without a keyword do not fit the parameters in their order; write key=value"
        raise NotJsonError(message, expected=", ".join(f"{key}=..." for key in keys))
    placed |= call.keywords
    return placed, (Repair("positional-arguments", "inferred", before="no keywords", after=", ".join(placed)[:80]),)


def _fits(tool: ToolSpec, placed: dict[str, JsonValue]) -> bool:
    """Whether each of the values fits as it stands."""
    return not any(violation.path and violation.path[0] in placed for violation in tool.mender.check(placed))


# ---------------------------------------------------------------------- calls in quotes


def read_quoted(source: Source, start: int) -> Found | None:
    """Read calls that are quoted as a whole: `"f(x=1)"`, or a list of such strings.

    Args:
        source: the text, with the registered tools.
        start: where the quote or the bracket stands.

    Returns:
        The calls; None if the strings hold anything else.
    """
    try:
        reading = read_value(source.text, start, Options(embedded=True, complete=source.complete, limits=source.limits))
    except RepairError:
        source.charge(200)
        return None
    texts = reading.value if isinstance(reading.value, list) else [reading.value]
    parts = [part for text in texts for part in _unquoted(source, text, (start, reading.end))]
    return Found(tuple(parts), reading.end, "pythonic") if parts and len(parts) >= len(texts) else None


def _unquoted(source: Source, text: JsonValue, span: tuple[int, int]) -> list[Part]:
    """The calls that one quoted text holds, if it holds nothing else."""
    if not isinstance(text, str) or (_CALL.match(text.strip()) is None and not text.lstrip().startswith("[")):
        return []
    inner = Source(text.strip(), source.tools, complete=source.complete)
    found = read_pythonic(inner, 0)
    if found is None or found.end != len(inner.text):
        return []
    unquoted = Repair("call-in-quotes", "lossless", before=text[:80], span=span)
    return [replace(part, span=span, repairs=(unquoted, *part.repairs)) for part in found.parts]
