"""Which candidates count as attempts at a call: by the marker around them, or else by their form and name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.toolkit.extract.candidate import Evidence, Shape
from toolmend.toolkit.names import NO_TOOL, bare_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolmend.repairs.record import Repair
    from toolmend.toolkit.extract.candidate import CallCandidate

__all__ = ("DIALECTS", "is_attempt", "is_sure")


def is_attempt(candidate: CallCandidate, *, registered: bool, dialect: str | None = None) -> bool:
    """Whether a candidate is a call or a faulty one; otherwise it is prose.

    Behind a marker everything is an attempt. Without one, whatever names a registered tool is, and so is a name beside
    arguments, whoever is called; anything else is data. In a conversation whose instructions asked for a form, that
    form counts as a marker.

    Args:
        candidate: what was found.
        registered: whether its name is that of a registered tool.
        dialect: the form that the conversation's instructions asked for.
    """
    part = candidate.part
    if registered:
        return True
    if part.name is not None and bare_name(part.name) in NO_TOOL:
        return False
    if candidate.evidence is not Evidence.SHAPE:
        return True
    return part.shape is Shape.ENVELOPE or (_is_asked(candidate, dialect) and part.name is not None)


def is_sure(candidate: CallCandidate, repairs: Iterable[Repair], *, dialect: str | None = None) -> bool:
    """Whether a call is still one after what was repaired in it.

    An object without a marker whose fields stand beside the name of a tool may be data about that tool. It is a call
    if its fields are arguments of the tool; a field that has to be given to one first says nothing of the kind.

    Args:
        candidate: what was found.
        repairs: what was repaired.
        dialect: the form that the conversation's instructions asked for.
    """
    may_be_data = candidate.evidence is Evidence.SHAPE and candidate.part.shape is Shape.FLAT
    if not may_be_data or candidate.format != "json" or _is_asked(candidate, dialect):
        return True
    return not any(repair.rule in _RESHAPING for repair in repairs)


def _is_asked(candidate: CallCandidate, dialect: str | None) -> bool:
    """Whether the conversation's instructions asked for the form of a candidate."""
    return dialect is not None and candidate.format in DIALECTS.get(dialect, ())


_RESHAPING = frozenset(
    {"bare-string", "bare-value", "dotted-key", "envelope", "json-repair", "key-slip", "lifted-object", "lone-key"}
)
"""Repairs that find out which argument a value is, and do not only mend how it is written."""

DIALECTS = {"json": ("json",), "pythonic": ("pythonic",), "hermes": ("json",), "xml": ()}
"""The forms that count as a marker where a dialect was asked for; a tag is one anyway."""
