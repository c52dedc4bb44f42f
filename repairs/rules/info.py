"""What every rule of ours says about itself: the source of docs/rules.md and of the tests of the examples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from toolmend.repairs.record import JsonValue, RepairKind
    from toolmend.repairs.rule import Candidate, RepairRule, Violation

__all__ = ("Offer", "RuleInfo", "ValueRule")

Offer: TypeAlias = "Callable[[Violation], Iterable[Candidate]]"
"""What a rule does: candidates for a violation."""


@dataclass(frozen=True, slots=True)
class RuleInfo:
    """A rule in words, with an example that holds.

    Attributes:
        name: its name in the records and in policies.
        sentence: what it does, in one sentence.
        example_schema: a JSON Schema for the example.
        given: what the model wrote: a JSON text for a rule of the text, a JSON value for a rule of the value.
        wanted: the mended value.
        kind: how safe it is; a lossy rule is refused unless a policy allows it.
        layer: whether it reads text or mends a value.
        tool: the name of the tool in the example, where it matters.
        declared: rules that the tool of the example declares.
    """

    name: str
    sentence: str
    example_schema: Mapping[str, JsonValue]
    given: JsonValue
    wanted: JsonValue
    kind: RepairKind
    layer: Literal["text", "value"] = "value"
    tool: str | None = None
    declared: tuple[RepairRule, ...] = ()


@dataclass(frozen=True, slots=True)
class ValueRule:
    """A built-in rule that answers a violation with candidates.

    Attributes:
        info: its name, sentence and example.
        offer: what it does.
        sees_union: whether it is asked about a union as a whole; the other rules are asked in each branch.
    """

    info: RuleInfo
    offer: Offer
    sees_union: bool = False

    @property
    def name(self) -> str:
        """Its name in the records."""
        return self.info.name

    def __call__(self, violation: Violation, /) -> Iterable[Candidate]:
        """Offer candidates for a violation."""
        return self.offer(violation)
