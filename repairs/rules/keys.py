"""Rules for the keys of an object: spelled otherwise, unknown, or saying what is no argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.record import JsonValue, Path, RepairKind
    from toolmend.repairs.rules.info import RuleInfo

__all__ = ("KEY_RULES", "KeyEdit", "KeyRule", "Keys")


@dataclass(frozen=True, slots=True)
class KeyEdit:
    """One change of an object's keys.

    Attributes:
        old: the keys that go.
        new: the key that comes in the place of the first of them; None if they are only dropped.
        value: what stands under the new key.
        kind: how safe it is.
    """

    old: tuple[str, ...]
    new: str | None
    value: JsonValue
    kind: RepairKind


@dataclass(slots=True)
class Keys:
    """The keys of one object as they stand.

    Attributes:
        node: the schema of the object.
        path: where it is.
        value: the object; not to be changed.
        unknown: keys that are not declared, in order.
        missing: required keys that are not there.
        tool: the name of the tool, if it is known.
        closed: whether unknown keys are forbidden.
        fits: how safely a value can be made to fit under a key: the rank of its repairs, None if not.
    """

    node: SchemaNode
    path: Path
    value: dict[str, JsonValue]
    unknown: list[str]
    missing: list[str]
    tool: str | None
    closed: bool
    fits: Callable[[str, JsonValue], int | None]


@dataclass(frozen=True, slots=True)
class KeyRule:
    """A built-in rule that looks at all keys of an object at once: some of them only make sense together.

    Attributes:
        info: its name, sentence and example.
        edits: what it would change.
    """

    info: RuleInfo
    edits: Callable[[Keys], Iterable[KeyEdit]]


KEY_RULES: tuple[KeyRule, ...] = ()
