"""Looks at what stands behind the value of a call: the rest of the call may have been written there."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import CutOffError, NotJsonError, RepairError
from toolmend.repairs.record import Repair, snippet
from toolmend.repairs.schema import normalise_name
from toolmend.toolkit.extract.keys import ARGUMENT_KEYS

if TYPE_CHECKING:
    from toolmend.toolkit.extract.candidate import Found
    from toolmend.toolkit.extract.source import Source

__all__ = ("SURPLUS", "list_cut", "rest_of_call", "with_fault", "with_surplus")

SURPLUS: Final = re.compile(r"\s*[}\])](?:\s*[}\])]){0,3}")
"""Closers too many behind a call."""

_CLOSERS: Final = re.compile(r"[\s}\])]*")
_KEY: Final = re.compile(
    r"\s*(?P<comma>(?:[,;]\s*)*)(?:(?:#|//)[ \t]*)?(?P<quote>[\"'“”‘’`]?)(?P<key>[^\W\d][\w .$-]{0,100}?)[\"'“”‘’`]?"
    r"\s{0,9}(?:=>|:|=(?!=))"
)
_EXPECTED: Final = "one object that holds the whole call"


def rest_of_call(source: Source, found: Found, end: int) -> NotJsonError | None:
    """The fault of a call behind which a further member of it stands, as its value was closed too early.

    A quoted key with its colon is one; so is a word that names a parameter of the tool.

    Args:
        source: the text, with the registered tools.
        found: the calls as they were read.
        end: where the last one ends.
    """
    if not found.parts or found.parts[-1].fault is not None:
        return None
    closers = _CLOSERS.match(source.text, end)
    match = _KEY.match(source.text, closers.end() if closers is not None else end)
    if match is None:
        return None
    tool = source.tool(found.parts[-1].name)
    known = {normalise_name(key) for key in (*ARGUMENT_KEYS, *(tool.node.members if tool is not None else ()))}
    beside = match["comma"] or "\n" not in source.text[end : match.start("key")]
    if not match["quote"] and not (beside and normalise_name(match["key"]) in known):
        return None
    given = snippet(source.text[match.start() : match.start() + 60].strip())
    return NotJsonError(f"a member stands behind the end of the call, near {given!r}", given=given, expected=_EXPECTED)


def with_fault(found: Found, error: RepairError, end: int) -> Found:
    """What was found, with a fault of the last call, which ends at a place.

    Args:
        found: the calls as they were read.
        error: what is wrong with the last one.
        end: where it ends.
    """
    last = found.parts[-1]
    last = replace(last, arguments=None, span=(last.span[0], max(end, last.span[1])), fault=error)
    return replace(found, parts=(*found.parts[:-1], last), end=max(end, found.end))


def with_surplus(source: Source, found: Found) -> Found:
    """What was found, with surplus closers behind it on record and passed over.

    Args:
        source: the text, with the registered tools.
        found: the calls as they were read.
    """
    surplus = SURPLUS.match(source.text, found.end)
    if surplus is None or not found.parts or found.parts[-1].fault is not None:
        return found
    dropped = Repair("extra-closer", "lossless", before=surplus[0].strip(), span=surplus.span())
    last = replace(found.parts[-1], repairs=(*found.parts[-1].repairs, dropped))
    return replace(found, parts=(*found.parts[:-1], last), end=surplus.end())


def list_cut() -> CutOffError:
    """The fault of a list of calls that is left open behind a comma."""
    message = "a list of calls is left open behind a comma: further calls may be missing"
    return CutOffError(message, expected="the whole list again")
