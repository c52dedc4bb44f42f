"""Which candidates count as attempts at a call: by the marker around them, or else by their form and name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.toolkit.extract.candidate import Evidence, Shape
from toolmend.toolkit.names import NO_TOOL, bare_name

if TYPE_CHECKING:
    from toolmend.toolkit.extract.candidate import CallCandidate

__all__ = ("is_attempt",)


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
    asked = dialect is not None and candidate.format in _ASKED.get(dialect, ())
    return part.shape is Shape.ENVELOPE or (asked and part.name is not None)


_ASKED = {"json": ("json",), "pythonic": ("pythonic",), "hermes": ("json",), "xml": ()}
"""The forms that count as a marker where a dialect was asked for; a tag is one anyway."""
