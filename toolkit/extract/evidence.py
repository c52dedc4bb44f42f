"""Which candidates count as attempts at a call: by the marker around them, or else by their form and name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolmend.toolkit.extract.candidate import Evidence, Shape
from toolmend.toolkit.names import NO_TOOL, bare_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolmend.repairs.record import Repair
    from toolmend.toolkit.extract.candidate import CallCandidate

__all__ = ("is_attempt", "is_marked", "is_sure")


def is_marked(candidate: CallCandidate, asked: frozenset[str]) -> bool:
    """Whether something beside its form shows that a call was meant: a marker, or that this form was asked for.

    Args:
        candidate: what was found.
        asked: the unmarked formats that the conversation's instructions asked for.
    """
    return candidate.evidence is not Evidence.SHAPE or candidate.format in asked


def is_attempt(candidate: CallCandidate, asked: frozenset[str], *, registered: bool) -> bool:
    """Whether a candidate is a call or a faulty one; otherwise it is prose.

    Whatever names a registered tool is one. Behind a marker everything is, whoever is called, and even if nobody is
    named; in a form that was asked for, whatever names somebody; otherwise only a name beside arguments.

    Args:
        candidate: what was found.
        asked: the unmarked formats that the conversation's instructions asked for.
        registered: whether its name is that of a registered tool.
    """
    part = candidate.part
    if registered:
        return True
    if part.name is not None and bare_name(part.name) in NO_TOOL:
        return False
    if candidate.evidence is not Evidence.SHAPE:
        return True
    return part.shape is Shape.ENVELOPE or (part.name is not None and is_marked(candidate, asked))


def is_sure(candidate: CallCandidate, repairs: Iterable[Repair], asked: frozenset[str]) -> bool:
    """Whether a call is still one after what was repaired in it.

    An object without a marker whose fields stand beside the name of a tool may be data about that tool. It is a call
    if its fields are arguments of the tool; a field that has to be given to one first says nothing of the kind.

    Args:
        candidate: what was found.
        repairs: what was repaired.
        asked: the unmarked formats that the conversation's instructions asked for.
    """
    if is_marked(candidate, asked) or candidate.part.shape is not Shape.FLAT or candidate.format != "json":
        return True
    return not any(repair.rule in _RESHAPING for repair in repairs)


_RESHAPING: Final = frozenset(
    {"bare-string", "bare-value", "dotted-key", "envelope", "json-repair", "key-slip", "lifted-object", "lone-key"}
)
"""Repairs that find out which argument a value is, and do not only mend how it is written."""
