"""Settling: one place of a value is made to fit its schema, or told why not.

A place is settled top down. At an object first the keys, then the members; at a list the items; at anything else the
rules are asked for candidates, and each candidate is settled in turn. Only what is wrong is looked at, and nothing
that the caller gave is changed: an object or list is copied when something in it is replaced.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs._node import json_type
from toolmend.repairs._objects import settle_object
from toolmend.repairs._settled import RANKS, Draft, Place, Settled, candidates_of, choose, name_of, record_of
from toolmend.repairs._unions import settle_union
from toolmend.repairs.errors import LimitError, Problem
from toolmend.repairs.problems import problem_of
from toolmend.repairs.record import Refusal
from toolmend.repairs.rule import Candidate, RepairRule, Violation
from toolmend.repairs.rules.info import ValueRule
from toolmend.repairs.values import examine

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs._walk import Known
    from toolmend.repairs.judge import SchemaJudge
    from toolmend.repairs.policy import RepairPolicy
    from toolmend.repairs.record import JsonValue, Path, RepairKind

__all__ = ("Settler",)

_LONGEST_CHAIN: Final = 4
"""Most rules that one value may go through at one place, e.g. decoded, then wrapped, then its items read as numbers."""

_ONCE_WITHIN: Final = frozenset({"wrap-item"})
"""Rules that are not used on the item of a list that they made: a list of lists would grow without end."""

_UNIONS: Final = frozenset({"anyOf", "oneOf"})


@dataclass(slots=True)
class Settler:
    """The work on one value.

    Attributes:
        checker: judges single places.
        policy: which repairs are allowed.
        tool: name of the tool, if it is known.
        declared: rules that the tool declares; they come first.
        value_rules: our own rules for single values.
        object_rules: our own rules for an object as a whole.
        steps: work that is left.
        known: what was found at places already judged.
        refused: what the policy did not allow.
    """

    checker: SchemaJudge
    policy: RepairPolicy
    tool: str | None
    declared: Sequence[RepairRule]
    value_rules: Sequence[ValueRule]
    object_rules: Sequence[RepairRule]
    steps: int
    known: Known = field(default_factory=dict)
    refused: dict[tuple[str, Path], Refusal] = field(default_factory=dict)
    _settled: dict[tuple[int, int, Path, frozenset[str], int, bool], Settled] = field(default_factory=dict)
    _alive: list[JsonValue] = field(default_factory=list)

    def settle(self, place: Place, found: list[Violation] | None = None) -> Settled:
        """Make a place fit its schema.

        Args:
            place: the value and its schema.
            found: its violations, where they are known already.

        Raises:
            LimitError: if the work that is left does not suffice.
        """
        name = (id(place.node), id(place.value), place.path, place.used, id(place.kin), place.in_union)
        if name not in self._settled:
            if found is None:
                found = self.judge(place.node, place.value, place.path)
            self._spend(1 + len(found))
            self._settled[name] = self._mended(place, found) if found else Settled(place.value)
        return self._settled[name]

    def _spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise LimitError("the value has too many faults to be mended with bounded work")

    def _mended(self, place: Place, found: list[Violation]) -> Settled:
        if isinstance(place.value, dict) and place.node.allows("object"):
            return settle_object(self, place, found)
        if isinstance(place.value, list) and place.node.allows("array"):
            return self._list(place, found)
        return self._replaced(place, found)

    # ------------------------------------------------------------------ what the parts ask

    def judge(self, node: SchemaNode, value: JsonValue, path: Path) -> list[Violation]:
        """List what is wrong at a place.

        Args:
            node: its schema.
            value: its value.
            path: where it is.
        """
        self._alive.append(value)  # answers are kept by identity
        return self.checker.at(node, value, path, self.known)

    def allowed(self, rule: str, kind: RepairKind, path: Path) -> bool:
        """Whether the policy lets a rule make a repair; if not, that is kept for the explanation.

        Args:
            rule: name of the rule.
            kind: kind of the repair.
            path: where.
        """
        if self.policy.allows(rule, kind):
            return True
        if len(self.refused) < self.policy.limits.records:
            self.refused[rule, path] = Refusal(rule, path, f"the policy does not allow this {kind} repair")
        return False

    def trials(self, place: Place, violation: Violation, rules: Iterable[RepairRule]) -> list[Settled]:
        """Ask rules for candidates, and settle each.

        Args:
            place: what is wrong.
            violation: how.
            rules: whom to ask.
        """
        if len(place.used) >= _LONGEST_CHAIN + len(_UNIONS):
            return []
        found = []
        for rule in rules:
            name = name_of(rule)
            for candidate in candidates_of(rule, violation, self.tool) if name not in place.used else ():
                trial = self._try(place, name, candidate)
                if trial is not None:
                    found.append(trial)
        return found

    def _try(self, place: Place, name: str, candidate: Candidate) -> Settled | None:
        """The outcome of one candidate; None if it is no JSON or the policy is against it."""
        if candidate.value is place.value or not self._is_sound(candidate.value, place.path):
            return None
        self._alive.append(candidate.value)
        after = self.settle(replace(place, value=candidate.value, used=place.used | {name}))
        rank = max(RANKS[candidate.kind], after.rank)
        if not after.ok:
            return replace(after, rank=rank)
        if not self.allowed(name, candidate.kind, place.path):
            return None
        record = record_of(name, candidate.kind, place.path, place.value, candidate.value)
        return replace(after, repairs=(record, *after.repairs), rank=rank)

    def _is_sound(self, value: JsonValue, path: Path) -> bool:
        """Whether a candidate is JSON, and not nested too deeply for its place."""
        try:
            return examine(value, self.policy.limits.depth - len(path)) != "unsound"
        except LimitError:
            return False

    # ------------------------------------------------------------------ lists

    def _list(self, place: Place, found: list[Violation]) -> Settled:
        """Settle the items, each alone; none is ever dropped."""
        depth = len(place.path)
        below: dict[int, list[Violation]] = {}
        for violation in found:
            if len(violation.path) > depth and isinstance(index := violation.path[depth], int):
                below.setdefault(index, []).append(violation)
        draft = Draft(place.value)
        used = place.used & _ONCE_WITHIN
        for index, known in below.items():
            node = place.node.entry(index)
            if node is not None:
                item = Place(node, place.value[index], (*place.path, index), used, in_union=place.in_union)
                draft.put(index, self.settle(item, known))
        if any(len(violation.path) == depth for violation in found):
            self._rest_of_list(place, draft)
        direct = draft.done()
        whole = Violation(place.path, "array", place.value, place.node)
        rows = self.trials(place, whole, [rule for rule in self.value_rules if rule.name in _ONCE_WITHIN])
        # Either each item wants a list around it, or the whole list is the one item.
        return (choose(place, [direct, *rows]) if rows else None) or direct

    def _rest_of_list(self, place: Place, draft: Draft) -> None:
        """Settle what concerns the list as a whole."""
        place = replace(place, value=draft.value)
        rest = [one for one in self.judge(place.node, place.value, place.path) if len(one.path) == len(place.path)]
        trials = [trial for one in rest for trial in self.trials(place, one, self.declared)]
        chosen = choose(place, trials)
        if chosen is not None:
            draft.take(chosen)
            return
        for violation in rest:
            if violation.keyword in _UNIONS:
                draft.take(settle_union(self, replace(place, value=draft.value), violation))
            else:
                draft.problems.append(problem_of(violation))

    # ------------------------------------------------------------------ single values

    def _replaced(self, place: Place, found: list[Violation]) -> Settled:
        """Settle a value by putting another in its place."""
        declared = [trial for violation in found for trial in self.trials(place, violation, self.declared)]
        chosen = choose(place, declared)
        if chosen is not None:
            return chosen
        trials, told = self._built_in(place, found)
        chosen = choose(place, trials)
        if chosen is not None:
            return chosen
        # Text that held an object, or an item that wanted a list around it, tells more by what is wrong inside of it.
        inner = [trial for trial in (*declared, *trials) if isinstance(trial.value, (dict, list)) and trial.problems]
        if len(inner) == 1 and _tells_more(inner[0], place):
            return Settled(place.value, problems=inner[0].problems)
        return Settled(place.value, problems=told)

    def _built_in(self, place: Place, found: list[Violation]) -> tuple[list[Settled], tuple[Problem, ...]]:
        """What our own rules make of a value, and what is wrong with it if nothing comes of that."""
        unions = [violation for violation in found if violation.keyword in _UNIONS]
        rules = [rule for rule in self.value_rules if rule.sees_union] if unions else self.value_rules
        if not unions and place.node.choices is None and place.node.allows(json_type(place.value)):
            rules = ()  # the type is right: as another one it would only dodge what else is asked of it
        whole = replace(found[0], schema=place.node)
        trials = self.trials(place, whole, rules)
        problems = [problem_of(violation) for violation in found if violation not in unions]
        for violation in unions:
            settled = settle_union(self, place, violation)
            if settled.ok or settled.ambiguous:
                trials.append(settled)
            problems += settled.problems
        return trials, tuple(problems)


def _tells_more(trial: Settled, place: Place) -> bool:
    """Whether what is wrong inside of a candidate is of more use than that the value is of another type."""
    if isinstance(place.value, type(trial.value)):
        return False
    return isinstance(trial.value, dict) or any(len(problem.path) > len(place.path) + 1 for problem in trial.problems)
