"""What a row of the tables of markers tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolmend.toolkit.extract.candidate import Evidence
from toolmend.toolkit.extract.readers import MarkerReader

__all__ = ("LONGEST_ATTRIBUTES", "NAME", "SECTION", "Example", "Marker")

NAME: Final = r"[\"']?(?P<name>[^\"'<>\s=]{1,200})[\"']?"
"""The name of a tool in a marker, in quotes or not."""

LONGEST_ATTRIBUTES: Final = 1000
"""Most characters behind the name in a tag: models put arguments there, and are told that they would be lost."""

SECTION: Final = "section"
"""The name of what only opens a stretch in which calls stand, behind markers of their own."""


@dataclass(frozen=True, slots=True)
class Example:
    """How one family of models writes a call.

    Attributes:
        models: who does.
        text: a call of `add` with `a` 1.
    """

    models: str
    text: str


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker.

    Attributes:
        format: name of the form, as it stands in results.
        opener: the marker itself, a regular expression.
        evidence: how sure it is that a call was meant.
        read: reads what stands behind it; None if the marker only opens a section, in which further markers stand.
        examples: who writes it, and how.
        starts: the texts one of which it begins with.
        in_front: what may stand in front of it and belong to it, a regular expression; empty if nothing does.
    """

    format: str
    opener: str
    evidence: Evidence
    read: MarkerReader | None
    examples: tuple[Example, ...]
    starts: tuple[str, ...] = ("<",)
    in_front: str = ""
