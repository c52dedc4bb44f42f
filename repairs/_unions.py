"""Settling a union: a tag binds, otherwise every branch is tried and one reading must be left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs._node import json_type, normalise_name, plain_words
from toolmend.repairs._settled import Place, Settled, Work, choose
from toolmend.repairs.errors import Problem
from toolmend.repairs.problems import listed, problem_of, shown
from toolmend.repairs.record import snippet
from toolmend.repairs.values import canonical

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.record import JsonValue
    from toolmend.repairs.rule import Violation

__all__ = ("Tag", "settle_union", "tag_of")

_UNION_ONLY: Final = frozenset({"json-text", "null-word"})
"""Rules that are asked about the union as a whole: whether text is allowed there is not for one branch to say."""


@dataclass(frozen=True, slots=True)
class Tag:
    """The key whose value tells the branches of a union apart.

    Attributes:
        key: its name.
        branches: the branch for each value, by the value's canonical text.
        values: the values.
    """

    key: str
    branches: dict[str, SchemaNode]
    values: tuple[JsonValue, ...]


def tag_of(union: SchemaNode) -> Tag | None:
    """The tag of a union; None if it has none.

    Args:
        union: a node with `anyOf` or `oneOf`.
    """
    objects = [branch for branch in union.alternatives if branch.types == {"object"}]
    stated = union.keyword("discriminator")
    if isinstance(stated, dict) and isinstance(stated.get("propertyName"), str):
        keys: Iterable[str] = (stated["propertyName"],)
    else:
        keys = objects[0].members if len(objects) > 1 else ()
    return next((tag for key in keys if (tag := _tag(key, objects)) is not None), None)


def _tag(key: str, objects: list[SchemaNode]) -> Tag | None:
    """The tag under a key, if every branch lists its values there and no value belongs to two."""
    branches: dict[str, SchemaNode] = {}
    values: list[JsonValue] = []
    for branch in objects:
        member = branch.members.get(key)
        if member is None or member.choices is None:
            return None
        for value in member.choices:
            if canonical(value) in branches:
                return None
            branches[canonical(value)] = branch
            values.append(value)
    return Tag(key, branches, tuple(values))


def settle_union(work: Work, place: Place, violation: Violation) -> Settled:
    """Make a value fit one branch of a union.

    Args:
        work: the engine.
        place: the value and the schema around the union.
        violation: the union that it breaks; its schema is the union itself.
    """
    union = violation.schema
    branches: Iterable[SchemaNode] = _branches(union, place.value)
    tag = tag_of(union) if isinstance(place.value, dict) else None
    if tag is not None and (key := _given(tag.key, place.value)) is not None:
        bound = _bound(tag, place.value[key])
        if bound is None:
            return Settled(place.value, problems=(_unknown_tag(place, tag, key),))
        branches = (bound,)
    used = place.used | _UNION_ONLY
    trials = [
        (branch, work.settle(replace(place, node=branch, used=used, kin=union, in_union=True))) for branch in branches
    ]
    doubtful = [trial for _, trial in trials if trial.ambiguous]
    if doubtful and isinstance(place.value, str) and "," in place.value:
        return doubtful[0]  # "1,234" is as doubtful where one number may stand as where only a list of them may
    fitting = [trial for _, trial in trials if not trial.ok or not work.judge(union, trial.value, place.path)]
    return choose(place, fitting) or Settled(place.value, problems=_told(place, violation, tag, trials))


def _branches(union: SchemaNode, value: JsonValue) -> tuple[SchemaNode, ...]:
    """The branches that may be meant: a number is not to dodge the bounds of one of them as the text of another."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return union.alternatives
    kind = json_type(value)
    meant = tuple(branch for branch in union.alternatives if branch.allows(kind) and branch.choices is None)
    return meant or union.alternatives


def _given(key: str, value: dict[str, JsonValue]) -> str | None:
    """The key under which the tag was given: spelled as declared, or the only one that reads alike."""
    if key in value:
        return key
    alike = [other for other in value if normalise_name(other) == normalise_name(key)]
    return alike[0] if len(alike) == 1 else None


def _bound(tag: Tag, given: JsonValue) -> SchemaNode | None:
    """The branch that a tag names, by an allowed value or by one that reads alike."""
    if (branch := tag.branches.get(canonical(given))) is not None:
        return branch
    words = plain_words(given) if isinstance(given, str) else ""
    alike = [value for value in tag.values if isinstance(value, str) and plain_words(value) == words]
    return tag.branches[canonical(alike[0])] if len(alike) == 1 else None


def _unknown_tag(place: Place, tag: Tag, key: str) -> Problem:
    allowed = listed(shown(value) for value in tag.values)
    given = place.value[key]
    message = f"{shown(given)} is not one of {allowed}"
    return Problem((*place.path, key), message, f"one of {allowed}", snippet(given), "const")


def _told(
    place: Place, violation: Violation, tag: Tag | None, trials: list[tuple[SchemaNode, Settled]]
) -> tuple[Problem, ...]:
    """Why nothing fits: the problems of the one branch that could be meant, or all the branches by name."""
    value = place.value
    meant = [(branch, trial) for branch, trial in trials if branch.allows(json_type(value))]
    if isinstance(value, dict) and len(meant) > 1:
        if tag is not None and _given(tag.key, value) is None:
            allowed = listed(shown(item) for item in tag.values)
            message = f"{tag.key!r} is required and missing; it is one of {allowed}"
            return (Problem((*place.path, tag.key), message, f"one of {allowed}", keyword="required"),)
        meant = [(branch, trial) for branch, trial in meant if value.keys() >= set(branch.required_members)]
    if len(trials) == 1 or len(meant) == 1:
        found = (meant or trials)[0][1].problems
        if found:
            return found
    return (problem_of(violation),)
