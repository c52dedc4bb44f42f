"""From arguments that fit the JSON Schema to what the handler gets: the classes of pydantic have the last word."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, get_args

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails, core_schema
from typing_extensions import TypeVar

from toolmend.repairs._formats import TIMES, is_number
from toolmend.repairs.errors import Problem, ToolmendError
from toolmend.repairs.judge import SchemaJudge
from toolmend.repairs.record import JsonValue, Path, snippet
from toolmend.repairs.rule import Violation
from toolmend.repairs.schema import SchemaNode
from toolmend.toolkit.dispatch_guard import Raised, guarded
from toolmend.toolkit.model_schema import makes_decimals, reads_more, states_extra

__all__ = ("ArgumentsError", "ClassJudge", "ClassValidator", "DictValidator", "Validator", "refusal_of")

M_co = TypeVar("M_co", covariant=True, default=Any)
M = TypeVar("M", default=Any)

Refused: TypeAlias = Literal["invalid_arguments", "refused_by_tool"]

_KNOWN_TYPES: Final = frozenset(get_args(core_schema.ErrorType))
_SAID_BY_THE_TOOL: Final = frozenset({"value_error", "assertion_error"})
_NUMBERS: Final = (int, float)
_LONG_NUMBER: Final = re.compile(r"[\d.]{16}", re.ASCII)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)
_SAFE_DIGITS: Final = 15
"""So many digits of a decimal number survive in a float."""

_EXACT_FLOAT: Final = 2**53
_LEFT_TO_PYDANTIC: Final = frozenset(
    {"format", "pattern", "multipleOf", "minLength", "maxLength"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
)
"""Keywords where pydantic's own check is the exact one, and the schema's a rendering of it."""


class ArgumentsError(ToolmendError):
    """Arguments that a tool refuses although they fit its JSON Schema.

    Attributes:
        kind: whether pydantic refuses a type, or a validator of the tool a value.
        problems: each fault.
    """

    def __init__(self, kind: Refused, problems: tuple[Problem, ...]) -> None:
        """Keep the faults."""
        super().__init__("; ".join(map(str, problems)))
        self.kind = kind
        self.problems = problems


class Validator(Protocol[M_co]):
    """Makes what the handler gets of arguments."""

    def __call__(self, value: dict[str, JsonValue], text: str | None = None, /) -> M_co:
        """Validate arguments.

        Args:
            value: the arguments.
            text: strict JSON that holds them, if there is such a text; else they are encoded.

        Raises:
            ArgumentsError: if the tool refuses them.
        """
        ...


class DictValidator:
    """Takes arguments that fit the schema as they are: for a tool that is only a schema."""

    def __call__(self, value: dict[str, JsonValue], _text: str | None = None, /) -> dict[str, JsonValue]:
        """Give the arguments back."""
        return value


class ClassValidator(Generic[M]):
    """Validates by a class of pydantic, or the adapter of a type, in the strict mode for JSON.

    Strict Python mode would refuse dates, enums and tuples; the lax mode would take what is to be mended on record.
    """

    def __init__(self, kind: type[BaseModel] | TypeAdapter[Any]) -> None:
        """Prepare the validation.

        Args:
            kind: the class, or the adapter of a type.
        """
        validator = kind.validator if isinstance(kind, TypeAdapter) else kind.__pydantic_validator__
        # What is said here holds for nested classes too, so it may only be said where none of them says otherwise.
        extra: Literal["forbid"] | None = None if states_extra(kind) else "forbid"
        self._read = partial(validator.validate_json, strict=True, extra=extra)
        self._may_round = makes_decimals(kind)

    def take(self, text: str, *, as_written: bool = True) -> M | Raised[M]:
        """What the class makes of arguments, or the exception that it raises over them.

        Args:
            text: strict JSON that holds them.
            as_written: whether the model wrote the text, or the arguments were encoded anew.
        """
        message = guarded(self._read, text)
        if not self._may_round or isinstance(message, Raised):
            return message
        rounded = _rounded(text, message, as_written=as_written)
        return Raised(ArgumentsError("invalid_arguments", rounded)) if rounded else message

    def __call__(self, value: dict[str, JsonValue], text: str | None = None, /) -> M:
        """Validate arguments.

        Args:
            value: the arguments.
            text: strict JSON that holds them, if there is such a text.

        Raises:
            ArgumentsError: if the class refuses them.
        """
        given = text if text is not None else _ENCODER.encode(value)
        message = self.take(given, as_written=text is not None)
        if isinstance(message, Raised):
            raise refusal_of(message.error, value)
        return message


class ClassJudge(SchemaJudge):
    """Judges by the JSON Schema of a class, and lets the class overrule it where the class knows better.

    Pydantic takes `1.0` and `true` for `Literal[1]`, and drops doubles from a set: there the schema decides. The exact
    meaning of a format, a pattern or a bound is pydantic's; and a class with validators of its own before pydantic's
    may take what no schema tells.
    """

    def __init__(
        self, schema: SchemaNode, kind: type[BaseModel] | TypeAdapter[Any], validator: Validator, *, depth: int = 100
    ) -> None:
        """Compile the schema.

        Args:
            schema: the root node.
            kind: the class, or the adapter of a type.
            validator: its validator.
            depth: deepest nesting of objects and lists that is accepted.
        """
        super().__init__(schema, depth=depth)
        self._validator = validator
        self._reads_more = reads_more(kind)

    def __call__(self, value: JsonValue, /) -> Sequence[Violation]:
        """List all violations of a whole value.

        Args:
            value: any value.

        Raises:
            LimitError: if the value is nested too deeply.
        """
        violations = super().__call__(value)
        if not violations or not isinstance(value, dict) or any(map(self._binds, violations)):
            return violations
        try:
            self._validator(value)
        except ArgumentsError:
            return violations
        return ()

    def _binds(self, violation: Violation) -> bool:
        """Whether the class cannot overrule a violation."""
        if not violation.keyword.isalpha():
            return True  # a sentence: what stands there is no JSON value at all
        if violation.keyword in _LEFT_TO_PYDANTIC:
            return _is_bare_number(violation)
        if violation.keyword == "uniqueItems" or not self._reads_more or _is_bare_number(violation):
            return True
        return violation.schema.choices is not None and isinstance(violation.value, _NUMBERS)


def _is_bare_number(violation: Violation) -> bool:
    """Whether a mere number stands where a time should: pydantic takes it for seconds since 1970."""
    value, formats = violation.value, (part.keyword("format") for part in violation.schema.parts)
    return isinstance(value, str) and is_number(value) and any(name in TIMES for name in formats)


def _rounded(text: str, message: object, *, as_written: bool) -> tuple[Problem, ...]:
    """Decimal numbers that came out of floats with more digits than a float holds; pydantic rounds them silently.

    What was mended is no longer as it was written: there a float that may have been rounded counts as one.
    """
    if as_written and _LONG_NUMBER.search(text) is None:
        return ()
    written: dict[Decimal, str] = {}

    def note(source: str) -> float:
        number = float(source)
        kept = Decimal(repr(number))
        doubtful = len(kept.as_tuple().digits) > _SAFE_DIGITS or abs(number) > _EXACT_FLOAT
        if kept != Decimal(source) or (doubtful and not as_written):
            written[kept] = source
        return number

    json.loads(text, parse_float=note)
    found = [written[number] for number in _decimals(message) if number in written] if written else []
    advice = "this number has more digits than can be kept; send it as text, in quotes"
    return tuple(Problem((), advice, "the number as text", snippet(source)) for source in dict.fromkeys(found))


def _decimals(message: object) -> Iterator[Decimal]:
    """The decimal numbers within what a class made of arguments."""
    todo: list[object] = [message]
    while todo:
        item = todo.pop()
        if isinstance(item, Decimal):
            yield item
        elif isinstance(item, Mapping):
            todo += (*item.keys(), *item.values())
        elif isinstance(item, (list, tuple, set, frozenset)):
            todo += item
        elif isinstance(item, BaseModel) or is_dataclass(item):
            todo += (*getattr(item, "__dict__", {}).values(), *(getattr(item, "model_extra", None) or {}).values())


def refusal_of(error: Exception, value: JsonValue) -> ArgumentsError:
    """What a class has against arguments, with the places in them.

    Args:
        error: what it raised.
        value: the arguments.
    """
    if isinstance(error, ArgumentsError):
        return error
    if isinstance(error, ValidationError):
        refusal = _told_by_pydantic(error, value)
    else:
        told = f"{type(error).__name__}: {error}"
        refusal = ArgumentsError("refused_by_tool", (Problem((), snippet(told, 300)),))
    refusal.__cause__ = error
    return refusal


def _told_by_pydantic(error: ValidationError, value: JsonValue) -> ArgumentsError:
    details = error.errors(include_url=False)
    own = [detail for detail in details if _is_said_by_the_tool(detail)]
    kind: Refused = "refused_by_tool" if own else "invalid_arguments"
    return ArgumentsError(kind, tuple(_problem(detail, value) for detail in own or details))


def _is_said_by_the_tool(detail: ErrorDetails) -> bool:
    return detail["type"] in _SAID_BY_THE_TOOL or detail["type"] not in _KNOWN_TYPES


def _problem(detail: ErrorDetails, value: JsonValue) -> Problem:
    raised = detail.get("ctx", {}).get("error")
    said = str(raised) if isinstance(raised, Exception) and str(raised) else detail["msg"]
    path, given = _place(detail["loc"], value)
    return Problem(path, snippet(said, 300), given=snippet(given), keyword=detail["type"])


def _place(loc: tuple[int | str, ...], value: JsonValue) -> tuple[Path, JsonValue]:
    """The path in the arguments: pydantic's own `loc` also names branches of unions and validators."""
    path: list[str | int] = []
    for part in loc:
        key = isinstance(value, Mapping) and isinstance(part, str) and part in value
        index = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if key or index:
            value = value[part]
            path.append(part)
    return tuple(path), value
