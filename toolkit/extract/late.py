"""Reads arguments that stand behind a call that was closed without any."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Repair, snippet
from toolmend.toolkit.extract.behind import with_fault
from toolmend.toolkit.extract.jsonish import read_arguments
from toolmend.toolkit.extract.keys import NAME_KEYS

if TYPE_CHECKING:
    from toolmend.toolkit.extract.candidate import Found
    from toolmend.toolkit.extract.source import Source

__all__ = ("with_arguments_behind",)

_OBJECT: Final = re.compile(r"(?P<blank>\s{0,20})(?:`{3}\w{0,20}\s{0,9}(?=\{))?(?=\{)")
_FENCE_END: Final = re.compile(r"\s{0,9}`{3,}")
_LOOK_AHEAD: Final = 200
_NOTHING: Final[tuple[JsonValue, ...]] = (None, {}, "", "{}", "null")


def with_arguments_behind(source: Source, found: Found, end: int) -> Found:
    """What was found, an object behind the closed call taken for the arguments that it lacks.

    That needs a parameter of the tool among its keys. An object of other keys on the same line makes the call a faulty
    one, as something was meant by it; on a line of its own it is prose, like the result that a model invents.

    Args:
        source: the text, with the registered tools.
        found: the calls as they were read.
        end: the offset behind what closes the last one.
    """
    last = found.parts[-1] if found.parts else None
    tool = source.tool(last.name) if last is not None else None
    opener = _OBJECT.match(source.text, end)
    if last is None or tool is None or opener is None or last.fault is not None or last.arguments not in _NOTHING:
        return found
    start = opener.end()
    try:
        reading = read_arguments(source, start, tool)
    except RepairError as error:
        begins = source.text[start : start + _LOOK_AHEAD]
        is_theirs = not source.keys.has_name(start) and any(key in begins for key in tool.node.members)
        return with_fault(found, error, len(source.text)) if is_theirs else found
    given = reading.value if isinstance(reading.value, dict) else {}
    named = {key: given[key] for key in NAME_KEYS if isinstance(given.get(key), str)}
    if any(key not in tool.node.members or source.tool(name) is not None for key, name in named.items()):
        return found  # a call of its own
    if not given.keys() & tool.node.members.keys():
        is_apart = not given or "\n" in opener["blank"]
        return found if is_apart else with_fault(found, _not_in_it(source.text[start : reading.end]), reading.end)
    closer = _FENCE_END.match(source.text, reading.end) if "`" in opener[0] else None
    behind = closer.end() if closer is not None else reading.end
    moved = Repair("arguments-behind", "inferred", before=snippet(source.text[end : reading.end]), span=(end, behind))
    text = source.text[start : reading.end]
    last = replace(last, arguments=text, span=(last.span[0], behind), repairs=(*last.repairs, moved))
    return replace(found, parts=(*found.parts[:-1], last), end=behind)


def _not_in_it(written: str) -> NotJsonError:
    message = "an object stands behind the call, not in it"
    return NotJsonError(message, given=snippet(written), expected="one whole call")
