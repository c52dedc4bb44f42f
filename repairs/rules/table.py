"""All rules of ours that mend values, in the order in which they are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolmend.repairs.rules.enums import ENUM_RULES
from toolmend.repairs.rules.scalars import SCALAR_RULES

if TYPE_CHECKING:
    from toolmend.repairs.rule import RepairRule
    from toolmend.repairs.rules.info import ValueRule

__all__ = ("VALUE_RULES", "object_rules")

VALUE_RULES: Final[tuple[ValueRule, ...]] = (*SCALAR_RULES, *ENUM_RULES)
"""Rules for single values."""


def object_rules(tool: str | None) -> tuple[RepairRule, ...]:
    """Rules for an object as a whole.

    Args:
        tool: the name of the tool, which may stand around its arguments.
    """
    return ()
