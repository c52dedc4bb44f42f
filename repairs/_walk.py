"""The compiled walk: each place of a schema becomes one function that notes what a value there breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

from toolmend.repairs._formats import FORMATS
from toolmend.repairs.numbers import SourcedFloat, SourcedInt, source_of
from toolmend.repairs.rule import Violation
from toolmend.repairs.values import canonical

if TYPE_CHECKING:
    import re

    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.record import JsonValue, Path

__all__ = ("Findings", "Known", "Plan", "Walk")

Check: TypeAlias = "Callable[[JsonValue, Path, Findings, SchemaNode], None]"
"""Notes what is wrong with a value at a path; the node is the one that the violation names."""

_CLASSES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int, SourcedInt),
    "number": (float, SourcedFloat),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


Known: TypeAlias = "dict[tuple[int, int, Path], list[Violation]]"
"""What was found for a plan and a value at a path, by the ids of both; the values must stay alive as long."""


@dataclass(slots=True)
class Findings:
    """What one walk has found.

    Attributes:
        violations: in document order.
        known: answers for branches of unions: nested unions would otherwise ask the same question again and again.
    """

    violations: list[Violation] = field(default_factory=list)
    known: Known = field(default_factory=dict)

    def add(self, path: Path, keyword: str, value: JsonValue, schema: SchemaNode, key: str | None = None) -> None:
        """Note one violation."""
        self.violations.append(Violation(path, keyword, value, schema, key, source_of(value)))


class Plan:
    """The compiled check of one node.

    Attributes:
        node: the place in the schema.
        check: the function; set after the node's children are known, because schemas may refer to themselves.
    """

    __slots__ = ("check", "node")

    def __init__(self, node: SchemaNode) -> None:
        self.node = node
        self.check: Check = _nothing

    def judge(self, value: JsonValue, path: Path, known: Known) -> list[Violation]:
        """All that a value breaks; asked once per value and place."""
        place = (id(self), id(value), path)
        if (found := known.get(place)) is None:
            probe = Findings(known=known)
            self.check(value, path, probe, self.node)
            found = known[place] = probe.violations
        return found


def _nothing(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
    """Ask nothing."""


class Walk:
    """Compiles nodes to plans, each once."""

    def __init__(self, foreign: Callable[[SchemaNode], Check]) -> None:
        """Make an empty walk.

        Args:
            foreign: makes the check of a node's keywords that are not known here.
        """
        self._plans: dict[int, Plan] = {}
        self._foreign = foreign

    def plan(self, node: SchemaNode) -> Plan:
        """The plan of a node, compiled on first use."""
        known = self._plans.get(id(node))
        if known is None:
            known = self._plans[id(node)] = Plan(node)
            known.check = self._compile(node)
        return known

    def _compile(self, node: SchemaNode) -> Check:
        if node.never:
            return lambda value, path, out, holder: out.add(path, "false", value, holder)
        shared = tuple(self._shared(node))
        by_type = {
            "string": _string_checks(node),
            "array": tuple(self._array(node)),
            "object": tuple(self._object(node)),
        }
        by_type["integer"] = by_type["number"] = tuple(_number_checks(node))
        table: dict[type, tuple[Check, ...]] = {
            kind: (*by_type.get(name, ()), *shared) for name in node.own_types for kind in _CLASSES[name]
        }

        def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
            checks = table.get(type(value))
            if checks is None:
                out.add(path, "type", value, holder)
                return
            for one in checks:
                one(value, path, out, holder)

        return check

    # ------------------------------------------------------------------ whatever the type

    def _shared(self, node: SchemaNode) -> Iterable[Check]:
        if node.enum is not None:
            yield _among(node.enum, "const" if node.keyword("const") is not None else "enum")
        for part in node.all_of:
            yield _all_of(self.plan(part))
        if node.any_of:
            yield _any_of(node, [self.plan(branch) for branch in node.any_of])
        if node.one_of:
            yield _one_of(node, [self.plan(branch) for branch in node.one_of])
        if node.extra:
            yield self._foreign(node)

    # ------------------------------------------------------------------ objects

    def _object(self, node: SchemaNode) -> Iterable[Check]:
        if node.required:
            yield _required(node.required)
        if bounds := _bounds(node, "minProperties", "maxProperties"):
            yield _counted(bounds)
        if node.property_names is not None:
            yield _names(self.plan(node.property_names))
        properties = {key: self.plan(child) for key, child in node.properties.items()}
        patterns = [(pattern, self.plan(child)) for pattern, child in node.pattern_properties]
        if patterns:
            yield _patterned(properties, patterns, self.plan(node.additional) if node.additional else None)
        elif node.additional is not None and node.additional.never:
            yield _closed(properties)
        elif node.additional is not None:
            yield _mapped(properties, self.plan(node.additional))
        elif properties:
            yield _declared(properties)

    # ------------------------------------------------------------------ lists

    def _array(self, node: SchemaNode) -> Iterable[Check]:
        if bounds := _bounds(node, "minItems", "maxItems"):
            yield _counted(bounds)
        first = [self.plan(child) for child in node.prefix_items]
        if first or node.items is not None:
            yield _items(first, self.plan(node.items) if node.items is not None else None)
        if node.keyword("uniqueItems") is True:
            yield _unique


# ---------------------------------------------------------------------- whatever the type


def _among(values: Iterable[JsonValue], keyword: str) -> Check:
    allowed = {canonical(value) for value in values}

    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        if canonical(value) not in allowed:
            out.add(path, keyword, value, holder)

    return check


def _all_of(part: Plan) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        part.check(value, path, out, holder)

    return check


def _any_of(node: SchemaNode, branches: list[Plan]) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, _holder: SchemaNode) -> None:
        if not any(not branch.judge(value, path, out.known) for branch in branches):
            out.add(path, "anyOf", value, node)

    return check


def _one_of(node: SchemaNode, branches: list[Plan]) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, _holder: SchemaNode) -> None:
        if sum(not branch.judge(value, path, out.known) for branch in branches) != 1:
            out.add(path, "oneOf", value, node)

    return check


# ---------------------------------------------------------------------- objects


def _required(keys: tuple[str, ...]) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        for key in keys:
            if key not in value:
                out.add(path, "required", value, holder, key)

    return check


def _names(plan: Plan) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        for key in value:
            if plan.judge(key, path, out.known):
                out.add(path, "propertyNames", value, holder, key)

    return check


def _declared(properties: dict[str, Plan]) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, _holder: SchemaNode) -> None:
        for key, item in value.items():
            if (plan := properties.get(key)) is not None:
                plan.check(item, (*path, key), out, plan.node)

    return check


def _closed(properties: dict[str, Plan]) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        for key, item in value.items():
            if (plan := properties.get(key)) is not None:
                plan.check(item, (*path, key), out, plan.node)
            else:
                out.add(path, "additionalProperties", value, holder, key)

    return check


def _mapped(properties: dict[str, Plan], additional: Plan) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, _holder: SchemaNode) -> None:
        for key, item in value.items():
            plan = properties.get(key, additional)
            plan.check(item, (*path, key), out, plan.node)

    return check


def _patterned(
    properties: dict[str, Plan], patterns: list[tuple[re.Pattern[str], Plan]], additional: Plan | None
) -> Check:
    def plans_of(key: str) -> Iterable[Plan]:
        if key in properties:
            yield properties[key]
        for pattern, plan in patterns:
            if pattern.search(key):
                yield plan

    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        for key, item in value.items():
            plans = list(plans_of(key))
            if not plans and additional is not None:
                if additional.node.never:
                    out.add(path, "additionalProperties", value, holder, key)
                    continue
                plans = [additional]
            for plan in plans:
                plan.check(item, (*path, key), out, plan.node)

    return check


# ---------------------------------------------------------------------- lists


def _items(first: list[Plan], rest: Plan | None) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, _holder: SchemaNode) -> None:
        for index, item in enumerate(value):
            plan = first[index] if index < len(first) else rest
            if plan is not None:
                plan.check(item, (*path, index), out, plan.node)

    return check


def _unique(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
    if len({canonical(item) for item in value}) < len(value):
        out.add(path, "uniqueItems", value, holder)


# ---------------------------------------------------------------------- bounds


def _bounds(node: SchemaNode, least: str, most: str) -> tuple[tuple[str, bool, int], ...]:
    """Bounds on a count: keyword, whether it is the upper one, and the number."""
    limits = ((least, False, node.keyword(least)), (most, True, node.keyword(most)))
    return tuple((keyword, upper, limit) for keyword, upper, limit in limits if limit is not None)


def _counted(bounds: tuple[tuple[str, bool, int], ...]) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        size = len(value)
        for keyword, upper, limit in bounds:
            if size > limit if upper else size < limit:
                out.add(path, keyword, value, holder)

    return check


def _string_checks(node: SchemaNode) -> tuple[Check, ...]:
    checks: list[Check] = []
    if bounds := _bounds(node, "minLength", "maxLength"):
        checks.append(_counted(bounds))
    if node.pattern is not None:
        search = node.pattern.search
        checks.append(_tested("pattern", lambda text: search(text) is not None))
    if (test := FORMATS.get(node.keyword("format"))) is not None:
        checks.append(_tested("format", test))
    return tuple(checks)


def _tested(keyword: str, test: Callable[[JsonValue], bool]) -> Check:
    def check(value: JsonValue, path: Path, out: Findings, holder: SchemaNode) -> None:
        if not test(value):
            out.add(path, keyword, value, holder)

    return check


def _number_checks(node: SchemaNode) -> Iterable[Check]:
    for keyword, test in _COMPARISONS.items():
        limit = node.keyword(keyword)
        if isinstance(limit, bool):  # draft 4: the bound itself is under the other keyword
            limit = node.keyword(keyword.removeprefix("exclusive").lower()) if limit else None
        if limit is not None:
            yield _tested(keyword, test(limit))


def _is_multiple_of(step: float) -> Callable[[JsonValue], bool]:
    """Exact for integers, by the decimal digits for others: 0.3 is a multiple of 0.1."""
    if isinstance(step, int):
        return lambda value: value % step == 0
    exact = Fraction(repr(float(step)))
    return lambda value: (Fraction(repr(float(value))) if isinstance(value, float) else value) % exact == 0


_COMPARISONS: Final[dict[str, Callable[[float], Callable[[JsonValue], bool]]]] = {
    "minimum": lambda limit: lambda value: value >= limit,
    "maximum": lambda limit: lambda value: value <= limit,
    "exclusiveMinimum": lambda limit: lambda value: value > limit,
    "exclusiveMaximum": lambda limit: lambda value: value < limit,
    "multipleOf": _is_multiple_of,
}
