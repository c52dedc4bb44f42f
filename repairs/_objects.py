"""Settling an object: first its keys, then its members, then what else it breaks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs import _unions
from toolmend.repairs._settled import (
    AMBIGUOUS,
    RANKS,
    Draft,
    Place,
    Settled,
    Work,
    candidates_of,
    choose,
    name_of,
    record_of,
)
from toolmend.repairs.errors import Problem
from toolmend.repairs.problems import known_keys, problem_of
from toolmend.repairs.record import JsonValue, Repair, snippet
from toolmend.repairs.rule import Candidate, RepairRule, Violation
from toolmend.repairs.rules.envelope import is_schema_echo
from toolmend.repairs.rules.keys import KEY_RULES, KeyEdit, KeyRule, Keys
from toolmend.repairs.rules.objects import NULL_AS_ABSENT
from toolmend.repairs.values import canonical

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode

__all__ = ("settle_object",)

_KEYED: Final = frozenset({"required", "additionalProperties"})
_FIXED: Final = (*_KEYED, "anyOf", "oneOf")


def settle_object(work: Work, place: Place, found: list[Violation]) -> Settled:
    """Make an object fit.

    Args:
        work: the engine.
        place: the object and its schema, which allows objects.
        found: what is wrong with it.
    """
    if not place.path and is_schema_echo(place.value, place.node):
        return Settled(place.value, problems=(_echo(place),))
    direct = _ObjectWork(work, place, found).run()
    whole = Violation(place.path, "object", place.value, place.node)
    rivals = [] if place.path else work.trials(place, whole, work.object_rules)
    chosen = choose(place, [direct, *rivals])
    if chosen is not None:
        return chosen
    # A wrapper that was recognised tells more by what is wrong inside of it.
    return rivals[0] if len(rivals) == 1 else direct


def _echo(place: Place) -> Problem:
    keys = known_keys(place.node)
    message = f"this is the schema itself and holds no values; send an object with values; {keys}"
    return Problem(place.path, message, keys, snippet(place.value), "properties")


class _ObjectWork:
    """The work on one object."""

    def __init__(self, work: Work, place: Place, found: list[Violation]) -> None:
        self.work = work
        self.place = place
        self.node = place.node
        self.draft = Draft(place.value)
        depth = len(place.path)
        self.own = [violation for violation in found if len(violation.path) == depth]
        self.below: dict[str, list[Violation]] = {}
        for violation in found:
            if len(violation.path) > depth:
                self.below.setdefault(str(violation.path[depth]), []).append(violation)
        self.moved: dict[str, None] = {}

    def run(self) -> Settled:
        """Settle it."""
        keyed = [violation for violation in self.own if violation.keyword in _KEYED]
        if keyed:
            self._declared(keyed)
            self._built_in(keyed)
        self._members()
        if len(keyed) < len(self.own):
            self._rest()
        return self.draft.done()

    # ------------------------------------------------------------------ keys

    def _declared(self, keyed: list[Violation]) -> None:
        """Let the rules that the tool declares settle the keys."""
        for violation in keyed if self.work.declared else ():
            value = self.draft.value
            if (violation.key in value) is (violation.keyword == "required"):
                continue  # an earlier repair settled it
            offers = self._offers(replace(violation, value=value))
            if len({canonical(after) for _, _, after in offers}) > 1:
                names = " and ".join(sorted({name_of(rule) for rule, _, _ in offers}))
                self._ambiguous(violation, f"{names} disagree about it")
            elif offers:
                rule, candidate, after = offers[0]
                self._replace(name_of(rule), candidate, after)

    def _offers(self, violation: Violation) -> list[tuple[RepairRule, Candidate, dict[str, JsonValue]]]:
        """Candidates that settle the violation without bringing in a key that is not declared."""
        offers = []
        for rule in self.work.declared:
            for candidate in candidates_of(rule, violation, self.work.tool):
                after = candidate.value
                if isinstance(after, dict) and (violation.key in after) is (violation.keyword == "required"):
                    new = after.keys() - violation.value.keys()
                    allowed = self.work.allowed(name_of(rule), candidate.kind, violation.path)
                    if new <= self.node.members.keys() and allowed:
                        offers.append((rule, candidate, after))
        return offers

    def _replace(self, name: str, candidate: Candidate, after: dict[str, JsonValue]) -> None:
        before = self.draft.value
        self.draft.note(record_of(name, candidate.kind, self.place.path, before, after))
        self.draft.value, self.draft.own = after, False
        self.moved |= dict.fromkeys(key for key in after if key not in before or after[key] is not before[key])

    def _ambiguous(self, violation: Violation, message: str) -> None:
        path = (*violation.path, violation.key or "")
        self.draft.problems.append(Problem(path, message, given=snippet(violation.key or ""), keyword=AMBIGUOUS))

    def _built_in(self, keyed: list[Violation]) -> None:
        """Let our own rules settle the keys; what they leave is wrong."""
        keys = self._keys(keyed)
        for rule in KEY_RULES:
            if not keys.unknown:
                break
            edits = [edit for edit in rule.edits(keys) if self._allowed(rule, edit)]
            if edits:
                self._edit(rule, edits)
                keys = self._keys(keyed)
        told = {violation.key: violation for violation in keyed}
        unknown = keys.unknown if keys.closed else ()
        self.draft.problems += [self._problem(told, "additionalProperties", key) for key in unknown]
        self.draft.problems += [self._problem(told, "required", key) for key in keys.missing]

    def _allowed(self, rule: KeyRule, edit: KeyEdit) -> bool:
        return self.work.allowed(rule.info.name, edit.kind, (*self.place.path, edit.old[0]))

    def _problem(self, told: dict[str | None, Violation], keyword: str, key: str) -> Problem:
        violation = told.get(key) or Violation(self.place.path, keyword, self.draft.value, self.node, key)
        return problem_of(violation)

    def _keys(self, keyed: list[Violation]) -> Keys:
        value = self.draft.value
        forbidden = {violation.key for violation in keyed if violation.keyword == "additionalProperties"}
        maps = any(part.additional is not None and not part.additional.never for part in self.node.conjuncts)
        patterns = [pattern for part in self.node.conjuncts for pattern, _ in part.pattern_properties]
        unknown = [
            key
            for key in value
            if key in forbidden
            or (key not in self.node.members and not maps and not any(pattern.search(key) for pattern in patterns))
        ]
        missing = [key for key in self.node.required_members if key not in value]
        known = (self.place.kin or self.node).members
        closed = not self.node.open_keys
        return Keys(
            self.node,
            self.place.path,
            value,
            unknown,
            missing,
            self.work.tool,
            closed,
            self.place.in_union,
            known,
            self._fits,
        )

    def _fits(self, key: str, value: JsonValue) -> int | None:
        node = self.node.child(key)
        if node is None:
            return -1
        settled = self.work.settle(self._member(node, value, key))
        return settled.rank if settled.ok else None

    def _member(self, node: SchemaNode, value: JsonValue, key: str) -> Place:
        return Place(node, value, (*self.place.path, key), in_union=self.place.in_union)

    def _edit(self, rule: KeyRule, edits: list[KeyEdit]) -> None:
        """Apply edits in one pass over the object."""
        first = {edit.old[0]: edit for edit in edits}
        gone = {key for edit in edits for key in edit.old}
        after: dict[str, JsonValue] = {}
        for key, item in self.draft.value.items():
            if (edit := first.get(key)) is not None and edit.new is not None:
                after[edit.new] = edit.value
                self.moved[edit.new] = None
            elif key not in gone:
                after[key] = item
        for edit in edits:
            before = (
                edit.old[0]
                if edit.new is not None and len(edit.old) == 1
                else {k: self.draft.value[k] for k in edit.old}
            )
            shape = edit.new if len(edit.old) == 1 else {edit.new: edit.value}
            path = (*self.place.path, edit.old[0])
            self.draft.note(
                Repair(rule.info.name, edit.kind, path, snippet(before), snippet(shape) if edit.new else "")
            )
        self.draft.value, self.draft.own = after, True

    # ------------------------------------------------------------------ members

    def _members(self) -> None:
        """Settle the members that are wrong, and those that came under a new key."""
        for key in (*self.moved, *(key for key in self.below if key not in self.moved)):
            if key not in self.draft.value:
                continue
            node = self.node.child(key)
            if node is None:
                continue
            item = self.draft.value[key]
            known = self.below.get(key) if key not in self.moved else None
            settled = self.work.settle(self._member(node, item, key), known)
            if item is None and (not settled.ok or settled.rank > RANKS["lossless"]) and self._may_be_absent(key):
                self._drop(key)
            else:
                self.draft.put(key, settled)

    def _may_be_absent(self, key: str) -> bool:
        return key in self.node.members and key not in self.node.required_members

    def _drop(self, key: str) -> None:
        path = (*self.place.path, key)
        if not self.work.allowed(NULL_AS_ABSENT.name, "lossless", path):
            violation = Violation(path, "type", None, self.node.members[key])
            self.draft.problems.append(problem_of(violation))
            return
        del self.draft.writable()[key]
        self.draft.note(Repair(NULL_AS_ABSENT.name, "lossless", path, "null", ""))

    # ------------------------------------------------------------------ the rest

    def _rest(self) -> None:
        """Settle what concerns the object as a whole: unions, counts, and keywords of all kinds."""
        place = replace(self.place, value=self.draft.value)
        depth = len(place.path)
        found = self.work.judge(self.node, self.draft.value, place.path)
        rest = [one for one in found if len(one.path) == depth and one.keyword not in _KEYED]
        if not rest:
            return
        trials = [trial for one in rest for trial in self.work.trials(place, one, self.work.declared)]
        chosen = choose(place, trials)
        if chosen is not None:
            self.draft.take(chosen)
            return
        for violation in rest:
            if violation.keyword in _FIXED:
                self.draft.take(_unions.settle_union(self.work, replace(place, value=self.draft.value), violation))
            else:
                self.draft.problems.append(problem_of(violation))
