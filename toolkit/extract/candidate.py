"""What a reader finds in a text: something that may be a call, and how sure one can be that it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from toolmend.repairs.errors import RepairError
from toolmend.repairs.record import JsonValue, Path, Repair

__all__ = ("CallCandidate", "Evidence", "Found", "Part", "Shape")


class Evidence(Enum):
    """How sure it is that a call was meant, from what stands around it."""

    SPECIAL_TOKEN = "A"  # noqa: S105 - a class of evidence, no secret
    """Special tokens that nobody writes by accident."""
    TAG = "B"
    """Ordinary-looking tags, or a form that the conversation's instructions asked for."""
    SHAPE = "C"
    """No marker: only the form of the text itself."""


class Shape(Enum):
    """How a call is put down, which decides what an unknown name means where there is no marker."""

    ENVELOPE = "envelope"
    """A name beside arguments: a call was meant, whoever is called."""
    FLAT = "flat"
    """The arguments beside the name key, or call syntax: a call only if the name is registered."""
    NAMELESS = "nameless"
    """Arguments alone."""


@dataclass(frozen=True, slots=True)
class Part:
    """A call as one reader of bodies gives it.

    Attributes:
        name: the name as it is written; None if there is none.
        arguments: the arguments: text that is still to be read as JSON, or a value.
        span: start and end in the text, in characters.
        shape: how it is put down.
        id: an id that the model wrote beside it.
        repairs: what had to be forgiven so far.
        unclosed: objects within the arguments that the end of the text left open.
        fault: why the arguments cannot be read.
    """

    name: str | None
    arguments: JsonValue
    span: tuple[int, int]
    shape: Shape = Shape.ENVELOPE
    id: str | None = None
    repairs: tuple[Repair, ...] = ()
    unclosed: tuple[Path, ...] = ()
    fault: RepairError | None = None


@dataclass(frozen=True, slots=True)
class CallCandidate:
    """Something in a text that may be a call.

    Attributes:
        part: the name and the arguments.
        format: name of the form in which it is written.
        evidence: how sure it is that a call was meant.
        span: start and end in the text, markers included.
    """

    part: Part
    format: str
    evidence: Evidence
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader of bodies found at one place.

    Attributes:
        parts: the calls, in order; empty if the place says that nothing is called.
        end: the offset behind what was read.
        format: name of the form, where the reader knows better than the marker.
    """

    parts: tuple[Part, ...]
    end: int
    format: str = field(default="")
