"""Judging a value: which places of it break the schema, and how."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from toolmend.repairs._walk import Findings, Known, Walk
from toolmend.repairs.errors import SchemaError
from toolmend.repairs.rule import Violation
from toolmend.repairs.values import examine, faults

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.record import JsonValue, Path

__all__ = ("Judge", "SchemaJudge")


@runtime_checkable
class Judge(Protocol):
    """Tells what is wrong with a whole value."""

    def __call__(self, value: JsonValue, /) -> Sequence[Violation]:
        """List the violations; none if the value is valid."""
        ...


class SchemaJudge:
    """The judge of one schema: a compiled walk, and jsonschema for keywords that the walk does not know.

    It reads *valid* strictly: an integer has no fraction, `1`, `1.0` and `true` are three values, NaN and half a
    surrogate pair are no values at all. It keeps no state of a judgement: threads may share it.
    """

    def __init__(self, schema: SchemaNode, *, depth: int = 100) -> None:
        """Compile the schema.

        Args:
            schema: the root node.
            depth: deepest nesting of objects and lists that is accepted.

        Raises:
            SchemaError: if a keyword that is left to jsonschema is malformed.
        """
        self.schema = schema
        self.depth = depth
        self._walk = Walk(_foreign)
        self._walk.plan(schema)

    def __call__(self, value: JsonValue, /) -> Sequence[Violation]:
        """List all violations of a whole value, in document order.

        Args:
            value: any value.

        Raises:
            LimitError: if the value is nested too deeply.
        """
        if examine(value, self.depth) == "unsound":
            return self.faults(value)
        return self.at(self.schema, value, (), {})

    def faults(self, value: JsonValue) -> list[Violation]:
        """List what is no JSON in a value; the walk itself takes a sound value for granted.

        Args:
            value: a value whose depth is checked.
        """
        return [Violation(path, wrong, item, self.schema) for path, wrong, item in faults(value)]

    def at(self, node: SchemaNode, value: JsonValue, path: Path, known: Known) -> list[Violation]:
        """List the violations of one member by its own schema.

        Args:
            node: the schema of the place, from the judge's schema.
            value: a sound value.
            path: the place.
            known: answers kept from earlier walks over values that are still alive.
        """
        return self._walk.plan(node).judge(value, path, known)


def _foreign(node: SchemaNode) -> Callable[[JsonValue, Path, Findings, SchemaNode], None]:
    """The check of keywords that only jsonschema knows; it is loaded here, for a schema that has them."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError as Malformed
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    # What `unevaluated...` asks depends on its neighbours; the others stand alone.
    whole = any(keyword.startswith("unevaluated") for keyword in node.extra)
    part: Mapping[str, Any] = node.raw if whole and isinstance(node.raw, Mapping) else node.extra
    try:
        Draft202012Validator.check_schema(part)
    except Malformed as error:
        raise SchemaError(error.message, pointer=node.pointer) from error
    validator = Draft202012Validator(node.root, registry=Registry()).evolve(schema=part)

    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        try:
            for error in validator.iter_errors(value):
                keyword = str(error.schema_path[0]) if error.schema_path else "false"
                if keyword in node.extra:
                    out.add(path, keyword, value, holder)
        except Unresolvable as error:
            raise SchemaError(f"a reference leads nowhere: {error}", pointer=node.pointer) from error

    return check
