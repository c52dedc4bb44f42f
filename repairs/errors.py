"""Errors of the repairs layer.

ToolmendError                     root of everything that toolmend raises
├── RepairError                   a text or value could not be mended: the model's mistake
│   ├── NotJsonError              no reading of the text is JSON
│   ├── CutOffError               the text stops in the middle
│   ├── AmbiguousError            more than one different reading is valid
│   └── SchemaMismatchError       it is JSON, and breaks the schema
├── LimitError                    (also a RepairError) too long, too deep, or too much work
├── RuleFailedError               a repair rule raised, or offered what is no candidate: the user's mistake
├── UsageError                    the library is asked for what cannot work: the user's mistake
└── SchemaError                   the JSON Schema itself is wrong: the user's mistake
    └── RuleMismatchError         a declared repair rule does not fit the schema
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias, TypedDict, Unpack

from toolmend.repairs.record import Path, pointer

if TYPE_CHECKING:
    from toolmend.repairs.record import Refusal

__all__ = (
    "AmbiguousError",
    "CutOffError",
    "LimitError",
    "NotJsonError",
    "Problem",
    "RepairError",
    "RepairErrorData",
    "RepairErrorKind",
    "RuleFailedError",
    "RuleMismatchError",
    "SchemaError",
    "SchemaMismatchError",
    "ToolmendError",
    "UsageError",
)

RepairErrorKind: TypeAlias = Literal["not_json", "cut_off", "ambiguous", "too_large", "too_deep", "invalid_arguments"]


class ToolmendError(Exception):
    """Root of all errors of toolmend."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a value.

    Attributes:
        path: where.
        message: what is wrong, without the path.
        expected: what the schema wants there, in words; allowed values or known keys included.
        given: what stands there, shortened.
        keyword: the keyword of JSON Schema that is broken.
    """

    path: Path
    message: str
    expected: str = ""
    given: str = ""
    keyword: str = ""

    def __str__(self) -> str:
        """One line with the path in front."""
        return f"{pointer(self.path) or '/'}: {self.message}"


class RepairErrorData(TypedDict, total=False):
    """What a `RepairError` carries beside its message."""

    kind: RepairErrorKind | None
    path: Path
    line: int | None
    column: int | None
    expected: str
    given: str
    problems: tuple[Problem, ...]
    refused: tuple[Refusal, ...]


class RepairError(ToolmendError):
    """A text or value that has no single valid reading.

    Attributes:
        message: what is wrong, for a person or a model.
        kind: machine-readable kind.
        path: where in the value, as far as it is known.
        line: line in the raw text, from 1; None if the fault is not in the text.
        column: column in that line, from 1.
        expected: what was expected there.
        given: what stood there, shortened.
        problems: each thing that is wrong, where there are several.
        refused: repairs that were considered and not made.
    """

    default_kind: ClassVar[RepairErrorKind] = "invalid_arguments"

    def __init__(self, message: str, **data: Unpack[RepairErrorData]) -> None:
        """Keep the place and the data beside the message."""
        super().__init__(message)
        self.message = message
        self.kind: RepairErrorKind = data.get("kind") or self.default_kind
        self.path: Path = data.get("path", ())
        self.line = data.get("line")
        self.column = data.get("column")
        self.expected = data.get("expected", "")
        self.given = data.get("given", "")
        self.problems = data.get("problems", ())
        self.refused = data.get("refused", ())


class NotJsonError(RepairError):
    """No reading of the text is JSON.

    Attributes:
        final: whether no other way of reading can help: what stands there is refused in every form.
    """

    default_kind: ClassVar[RepairErrorKind] = "not_json"

    def __init__(self, message: str, *, final: bool = False, **data: Unpack[RepairErrorData]) -> None:
        """Keep whether another way of reading may be tried."""
        super().__init__(message, **data)
        self.final = final


class CutOffError(RepairError):
    """The text stops in the middle of a value, so that something may be missing."""

    default_kind: ClassVar[RepairErrorKind] = "cut_off"


class AmbiguousError(RepairError):
    """More than one different reading of the text or value is valid."""

    default_kind: ClassVar[RepairErrorKind] = "ambiguous"


class LimitError(RepairError):
    """The text or value is too long, too deep, or would take too much work."""

    default_kind: ClassVar[RepairErrorKind] = "too_large"


class SchemaMismatchError(RepairError):
    """The text is JSON, and what it says breaks the schema."""


class RuleFailedError(ToolmendError):
    """A repair rule of the user's own that raised, or offered what is no `Candidate`.

    Attributes:
        rule: name of the rule.
        path: the place of the violation that it was asked about.
        tool: name of the tool, if the schema is that of one.
    """

    def __init__(self, message: str, *, rule: str, path: Path = (), tool: str | None = None) -> None:
        """Keep the name of the rule and the place beside the message, which tells both."""
        place = f"at {pointer(path) or '/'}"
        super().__init__(f"the repair rule {rule!r} {message} ({f'tool {tool}, ' if tool else ''}{place})")
        self.rule = rule
        self.path = path
        self.tool = tool


class UsageError(ToolmendError):
    """The library was asked for something that cannot work: a wrong type, an unknown name."""


class SchemaError(ToolmendError):
    """A JSON Schema that cannot be used: unknown reference, wrong type of a keyword, unsupported feature.

    Attributes:
        pointer: the place in the schema, as a JSON Pointer.
    """

    def __init__(self, message: str, *, pointer: str = "") -> None:
        """Keep the place in the schema beside the message."""
        super().__init__(f"{message} (at #{pointer})" if pointer else message)
        self.pointer = pointer


class RuleMismatchError(SchemaError):
    """A declared repair rule that does not fit the tool's schema."""
