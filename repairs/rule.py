"""What a repair rule is: a callable that answers one violation with candidates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from toolmend.repairs.record import JsonValue, Path, RepairKind

if TYPE_CHECKING:
    from toolmend.repairs.schema import SchemaNode

__all__ = ("Candidate", "RepairRule", "Violation")


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which a value breaks its schema.

    Attributes:
        path: the member that breaks it; for `required` and `additionalProperties` the object around.
        keyword: the keyword of JSON Schema that is broken.
        value: the value at `path`.
        schema: the compiled schema that holds at `path`.
        key: for `required` the missing key, for `additionalProperties` the unknown one.
        source: the text of a number as the model wrote it, where it is known.
    """

    path: Path
    keyword: str
    value: JsonValue
    schema: SchemaNode
    key: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value that could stand at the violation's path.

    Attributes:
        value: the replacement for the value at the path of the violation.
        kind: how safe the replacement is.
    """

    value: JsonValue
    kind: RepairKind = "lossless"


@runtime_checkable
class RepairRule(Protocol):
    """A repair rule: given one violation, it offers replacements for the value there.

    A plain function is a rule. Three attributes are read where a rule has them: `name` (its name in the records;
    else the name of the function or class), `aliases` (a mapping from spellings of keys that it knows to the declared
    key, so that the reader of text knows them too) and `bind(schema)`, called once when the tool is defined, which
    raises `RuleMismatchError` if the rule does not fit the tool's schema.
    """

    def __call__(self, violation: Violation, /) -> Iterable[Candidate]:
        """Offer candidates for a violation; none if it is not this rule's business."""
        ...
