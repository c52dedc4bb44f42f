"""The engine: a value and a schema in, a value that satisfies the schema out, with a record of every change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NoReturn

from toolmend.repairs._settle import Settler
from toolmend.repairs._settled import Place
from toolmend.repairs.errors import AmbiguousError, LimitError, Problem, SchemaMismatchError
from toolmend.repairs.judge import Judge, SchemaJudge
from toolmend.repairs.policy import DEFAULT, RepairPolicy
from toolmend.repairs.problems import problem_of, whole
from toolmend.repairs.record import JsonValue, Mended, Refusal, Repair, pointer, snippet
from toolmend.repairs.rules.envelope import envelope_rules
from toolmend.repairs.rules.table import VALUE_RULES
from toolmend.repairs.values import examine, plain_copy, size_of

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.rule import RepairRule, Violation

__all__ = ("Mender",)

_STEPS: Final = 20_000
_STEPS_PER_SCALAR: Final = 100
_MOST_STEPS: Final = 400_000
"""Work that may be spent on a value, by its size; a fault takes a few steps."""

_MOST_FAULTS: Final = 50_000
_MOST_TOLD: Final = 10


class Mender:
    """One schema compiled with its rules and policy; it keeps no state of a mending, so that threads may share it.

    Attributes:
        schema: the compiled schema.
        rules: the rules that the tool declares.
        policy: which repairs are allowed.
        name: the tool's name, which may stand around or among the arguments; None if there is none.
        aliases: spellings of keys that the declared rules know, with the declared keys.
        bare_text: whether a declared rule takes unquoted text for the whole value.
    """

    def __init__(
        self,
        schema: SchemaNode,
        *,
        rules: Sequence[RepairRule] = (),
        policy: RepairPolicy = DEFAULT,
        name: str | None = None,
        judge: Judge | None = None,
    ) -> None:
        """Compile a schema with its rules.

        Args:
            schema: the root node.
            rules: rules that the tool declares; they are asked before our own.
            policy: which repairs are allowed.
            name: the tool's name.
            judge: decides on whole values in place of the schema's own walk, which it may build on.

        Raises:
            SchemaError: if the schema cannot be judged.
            RuleMismatchError: if a rule does not fit the schema.
        """
        self.schema = schema
        self.rules = tuple(rules)
        self.policy = policy
        self.name = name
        self._checker = SchemaJudge(schema, depth=policy.limits.depth)
        self._judge = judge
        self._object_rules = envelope_rules(name)
        self.aliases: Mapping[str, str] = {}
        self.bare_text = any(getattr(rule, "bare_text", False) for rule in self.rules)
        for rule in self.rules:
            if (bind := getattr(rule, "bind", None)) is not None:
                bind(schema)
            self.aliases = {**self.aliases, **getattr(rule, "aliases", {})}

    def check(self, value: JsonValue) -> Sequence[Violation]:
        """List what is wrong with a value, and mend nothing.

        Args:
            value: any value.

        Raises:
            LimitError: if the value is nested too deeply.
        """
        return self._checker(value) if self._judge is None else self._judge(value)

    def mend(self, value: JsonValue, *, repairs: tuple[Repair, ...] = ()) -> Mended:
        """Make a value satisfy the schema.

        Args:
            value: the value; it is not changed. Numbers in it may remember their text.
            repairs: what was done before, to the text that the value was read from.

        Returns:
            The very object given if it is valid, else the mended one, and everything that was changed, however much:
            what is let out of it is `counted` by those who do.

        Raises:
            SchemaMismatchError: if it breaks the schema in a way that no allowed repair mends.
            AmbiguousError: if it could be mended to several different values.
            LimitError: if it is nested too deeply, or has too many faults.
        """
        try:
            return self._mend(value, repairs)
        except RecursionError:
            raise LimitError("the value is nested too deeply to be mended from here", kind="too_deep") from None

    def _mend(self, value: JsonValue, repairs: tuple[Repair, ...]) -> Mended:
        state = examine(value, self.policy.limits.depth)
        if state == "unsound":
            self._refuse([problem_of(fault) for fault in self._checker.faults(value)])
        given = plain_copy(value) if state == "sourced" else value
        settler = self._settler()
        found = settler.judge(self.schema, value, ())
        if not (found if self._judge is None else self._judge(given)):
            return Mended(given, repairs)
        if len(found) > _MOST_FAULTS:
            raise LimitError(f"the value has {len(found)} faults; not more than {_MOST_FAULTS} are looked at")
        settler.steps = min(_STEPS + _STEPS_PER_SCALAR * size_of(value), _MOST_STEPS)
        settled = settler.settle(Place(self.schema, value), found)
        refused = tuple(settler.refused.values())
        if not settled.ok:
            self._refuse(settled.problems, refused)
        # Text that was decoded on the way brings numbers with their source, too.
        sourced = examine(settled.value, self.policy.limits.depth) == "sourced"
        mended = plain_copy(settled.value) if sourced else settled.value
        # Never is anything let out that does not satisfy the schema, whatever the rules did.
        if left := self.check(mended):
            self._refuse([problem_of(violation) for violation in left], refused)
        return Mended(mended, (*repairs, *settled.repairs), refused)

    def _settler(self) -> Settler:
        return Settler(self._checker, self.policy, self.name, self.rules, VALUE_RULES, self._object_rules, _MOST_STEPS)

    def _refuse(self, problems: Sequence[Problem], refused: tuple[Refusal, ...] = ()) -> NoReturn:
        """Raise the error that tells all that is wrong."""
        told = [f"{whole(snippet(pointer(one.path))) or '/'}: {one.message}" for one in problems[:_MOST_TOLD]]
        if len(problems) > _MOST_TOLD:
            told.append(f"and {len(problems) - _MOST_TOLD} more")
        first = problems[0]
        kind = AmbiguousError if all(problem.keyword == "ambiguous" for problem in problems) else SchemaMismatchError
        raise kind(
            "; ".join(told),
            path=first.path,
            expected=first.expected,
            given=first.given,
            problems=tuple(problems),
            refused=refused,
        )
