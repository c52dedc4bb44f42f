"""What is passed around while a value is mended: places, their outcomes, and the choice between several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

from toolmend.repairs.errors import Problem, RuleFailedError, ToolmendError
from toolmend.repairs.problems import listed, shown
from toolmend.repairs.record import JsonValue, Path, Repair, RepairKind, snippet
from toolmend.repairs.rule import Candidate
from toolmend.repairs.values import canonical

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.rule import RepairRule, Violation

__all__ = (
    "AMBIGUOUS",
    "AS_IT_STANDS",
    "RANKS",
    "Place",
    "Settled",
    "Work",
    "candidates_of",
    "choose",
    "name_of",
    "record_of",
)

AS_IT_STANDS: Final = -1
RANKS: Final[dict[RepairKind, int]] = {"lossless": 0, "inferred": 1, "lossy": 2}
"""The kinds of repair in the order of preference; a value that needs none comes before them."""

AMBIGUOUS: Final = "ambiguous"
"""Stands for the keyword in a problem that is no violation but a choice that must not be made."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value and the schema that it should fit.

    Attributes:
        node: the schema.
        value: the value as it stands now.
        path: where it is.
        used: names of the rules that made it what it is; none is used twice.
        kin: the union of which the schema is a branch; the keys of the other branches are known keys, too.
        in_union: whether it is a branch of a union, or lies within one.
    """

    node: SchemaNode
    value: JsonValue
    path: Path = ()
    used: frozenset[str] = frozenset()
    kin: SchemaNode | None = None
    in_union: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """The outcome at one place.

    Attributes:
        value: the value, mended as far as it could be.
        repairs: what was done.
        problems: what is still wrong; the value fits if there are none.
        rank: the least safe kind of repair in it.
    """

    value: JsonValue
    repairs: tuple[Repair, ...] = ()
    problems: tuple[Problem, ...] = ()
    rank: int = AS_IT_STANDS

    @property
    def ok(self) -> bool:
        """Whether the value fits."""
        return not self.problems

    @property
    def ambiguous(self) -> bool:
        """Whether it fits in more than one way."""
        return any(problem.keyword == AMBIGUOUS for problem in self.problems)


@dataclass(slots=True)
class Draft:
    """An object or list on its way to being settled.

    Attributes:
        value: the value so far; not the caller's once something in it was replaced.
        repairs: what was done so far.
        problems: what is wrong so far.
        rank: the least safe kind of repair so far.
        own: whether `value` may be changed.
    """

    value: JsonValue
    repairs: list[Repair] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    rank: int = AS_IT_STANDS
    own: bool = False

    def note(self, repair: Repair) -> None:
        """Keep the record of a repair."""
        self.repairs.append(repair)
        self.rank = max(self.rank, RANKS[repair.kind])

    def put(self, key: str | int, settled: Settled) -> None:
        """Take over the outcome of a member or item."""
        self.repairs += settled.repairs
        self.problems += settled.problems
        self.rank = max(self.rank, settled.rank)
        if settled.ok and settled.value is not self.value[key]:
            self.writable()[key] = settled.value

    def writable(self) -> JsonValue:
        """The value, copied before the first change."""
        if not self.own:
            self.value, self.own = self.value.copy(), True
        return self.value

    def take(self, settled: Settled) -> None:
        """Go on with the outcome of the whole value."""
        self.value, self.own = settled.value, False
        self.repairs += settled.repairs
        self.problems += settled.problems
        self.rank = max(self.rank, settled.rank)

    def done(self) -> Settled:
        """The outcome."""
        return Settled(self.value, tuple(self.repairs), tuple(self.problems), self.rank)


class Work(Protocol):
    """What the parts of the engine ask of it."""

    tool: str | None
    declared: Sequence[RepairRule]
    object_rules: Sequence[RepairRule]

    def settle(self, place: Place, found: list[Violation] | None = None) -> Settled:
        """Make a place fit; `found` are its violations where they are known."""
        ...

    def judge(self, node: SchemaNode, value: JsonValue, path: Path) -> list[Violation]:
        """List what is wrong at a place."""
        ...

    def allowed(self, rule: str, kind: RepairKind, path: Path) -> bool:
        """Whether the policy lets a rule do this; if not, that is kept for the explanation."""
        ...

    def trials(self, place: Place, violation: Violation, rules: Iterable[RepairRule]) -> list[Settled]:
        """Ask rules for candidates, and settle each."""
        ...


def name_of(rule: RepairRule) -> str:
    """The name of a rule in the records.

    Args:
        rule: built in, declared, or any function.
    """
    name = getattr(rule, "name", None) or getattr(rule, "__name__", None)
    return name if isinstance(name, str) else type(rule).__name__


class _Guard:
    """Turns what a rule raises into an error of ours that names the rule."""

    __slots__ = ("name", "path", "tool")

    def __init__(self, name: str, path: Path, tool: str | None) -> None:
        self.name = name
        self.path = path
        self.tool = tool

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, ToolmendError):
            message = f"raised {type(error).__name__}: {error}"
            raise RuleFailedError(message, rule=self.name, path=self.path, tool=self.tool) from error


def candidates_of(rule: RepairRule, violation: Violation, tool: str | None = None) -> Iterator[Candidate]:
    """What a rule offers, one by one; it may be anybody's code.

    Args:
        rule: built in, declared, or any function.
        violation: what it is asked about.
        tool: name of the tool, for the message.

    Raises:
        RuleFailedError: if the rule raises, or offers what is no candidate.
    """
    name, path = name_of(rule), violation.path
    with _Guard(name, path, tool):
        offered: Iterable[object] = rule(violation) or ()
        for candidate in offered:
            if not isinstance(candidate, Candidate):
                message = f"must offer Candidate objects, got {type(candidate).__name__}"
                raise RuleFailedError(message, rule=name, path=path, tool=tool)
            if candidate.kind not in RANKS:
                message = f"offers a repair of the kind {candidate.kind!r:.60}; there are: {', '.join(RANKS)}"
                raise RuleFailedError(message, rule=name, path=path, tool=tool)
            yield candidate


def choose(place: Place, trials: Sequence[Settled]) -> Settled | None:
    """Take the one outcome that fits with the safest repairs.

    Args:
        place: what is to be mended.
        trials: the outcomes of all that was tried.

    Returns:
        The outcome; one with an ambiguity as its problem if different values are equally safe; None if nothing fits.
    """
    fitting = [trial for trial in trials if trial.ok]
    lowest = min((trial.rank for trial in fitting), default=max(RANKS.values()))
    doubtful = [trial for trial in trials if trial.ambiguous and trial.rank <= lowest]
    if doubtful:
        return doubtful[0]
    best = [trial for trial in fitting if trial.rank == lowest]
    if len(best) > 1:  # of a single one nothing is compared: the value may be large, and this is asked at every level
        first = {canonical(trial.value): trial for trial in reversed(best)}
        best = _as_written(place.value, list(reversed(first.values())))
    if len(best) > 1:
        readings = listed(shown(trial.value) for trial in best)
        message = f"{shown(place.value)} has more than one reading: {readings}"
        problem = Problem(place.path, message, f"one of: {readings}", snippet(place.value), AMBIGUOUS)
        return Settled(place.value, problems=(problem,), rank=lowest)
    return best[0] if best else None


def _as_written(given: JsonValue, trials: list[Settled]) -> list[Settled]:
    """Of equal numbers, the one that is written like the text: `1.0` and `1` are no different readings of `"1.0"`."""
    values = [trial.value for trial in trials]
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in values) or len(set(values)) > 1:
        return trials
    fraction = isinstance(given, str) and any(mark in given for mark in ".eE")
    return [trial for trial in trials if isinstance(trial.value, float) is fraction][:1] or trials[:1]


def record_of(rule: str, kind: RepairKind, path: Path, before: JsonValue, after: JsonValue) -> Repair:
    """The record of a value that took the place of another; for an object, the keys that went and came.

    Args:
        rule: name of the rule.
        kind: how safe it was.
        path: where.
        before: what stood there.
        after: what stands there now.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        gone = [key for key in before if key not in after]
        come = [key for key in after if key not in before]
        if len(gone) == 1 and len(come) == 1 and before[gone[0]] is after[come[0]]:
            return Repair(rule, kind, (*path, gone[0]), snippet(gone[0]), snippet(come[0]))
        if len(gone) == 1 and not come and len(after) == len(before) - 1:
            return Repair(rule, kind, (*path, gone[0]), snippet({gone[0]: before[gone[0]]}), "")
    return Repair(rule, kind, path, shown(before), shown(after))
