"""Which repairs are allowed, and how much work may be spent on them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from toolmend.repairs.errors import UsageError
from toolmend.repairs.record import RepairKind

__all__ = ("DEFAULT", "LOSSLESS", "STRICT", "Limits", "PolicyLike", "PolicyName", "RepairPolicy", "policy_of")

PolicyName: TypeAlias = Literal["strict", "lossless", "default"]
"""The policies that have names."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on the work that one text or value may cause.

    Attributes:
        strict_chars: longest text that is read as strict JSON, in characters.
        lenient_chars: longest text that is read leniently.
        fallback_chars: longest text that is handed to the json-repair library.
        depth: deepest nesting of objects and lists.
        steps_per_char: units of work that the lenient reader may spend per character.
        records: most repairs kept one by one; the rest is counted.
    """

    strict_chars: int = 8_000_000
    lenient_chars: int = 2_000_000
    fallback_chars: int = 64_000
    depth: int = 100
    steps_per_char: int = 40
    records: int = 100


@dataclass(frozen=True, slots=True)
class RepairPolicy:
    """Which repairs may be made.

    Attributes:
        kinds: kinds of repair that are allowed.
        allow: names of rules allowed whatever their kind.
        deny: names of rules never allowed.
        limits: bounds on the work.
    """

    kinds: frozenset[RepairKind] = frozenset({"lossless", "inferred"})
    allow: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()
    limits: Limits = field(default_factory=Limits)

    def allows(self, rule: str, kind: RepairKind) -> bool:
        """Whether a rule may make a repair of this kind.

        Args:
            rule: name of the rule.
            kind: kind of the repair that it offers.
        """
        return rule not in self.deny and (kind in self.kinds or rule in self.allow)

    def allowing(self, *rules: str) -> RepairPolicy:
        """The same policy with some rules allowed by name.

        Args:
            rules: names as in the records; they are not looked up, as a rule of your own may have any name.
        """
        return replace(self, allow=self.allow | set(rules), deny=self.deny - set(rules))

    def denying(self, *rules: str) -> RepairPolicy:
        """The same policy with some rules forbidden by name.

        Args:
            rules: names as in the records; they are not looked up, as a rule of your own may have any name.
        """
        return replace(self, deny=self.deny | set(rules), allow=self.allow - set(rules))


STRICT = RepairPolicy(kinds=frozenset())
"""Nothing is mended."""

LOSSLESS = RepairPolicy(kinds=frozenset({"lossless"}))
"""Only what has one reading and loses nothing: for tools with side effects."""

DEFAULT = RepairPolicy()
"""Lossless and inferred repairs; lossy ones become errors for the model."""

PolicyLike: TypeAlias = "RepairPolicy | PolicyName"
"""A policy, or the name of one."""

_NAMED: Final[dict[PolicyName, RepairPolicy]] = {"strict": STRICT, "lossless": LOSSLESS, "default": DEFAULT}


def policy_of(policy: PolicyLike) -> RepairPolicy:
    """The policy that is meant.

    Args:
        policy: a policy, or the name of one.

    Raises:
        UsageError: if it is neither.
    """
    if isinstance(policy, RepairPolicy):
        return policy
    name: object = policy
    found = next((named for key, named in _NAMED.items() if key == name), None)
    if found is None:
        names = ", ".join(repr(name) for name in _NAMED)
        raise UsageError(f"policy must be a RepairPolicy, or one of {names}; got {policy!r:.60}")
    return found
