"""All rules of ours that mend values, in the order in which they are asked."""

from __future__ import annotations

from typing import Final

from toolmend.repairs.rules.declared import DECLARED_INFOS
from toolmend.repairs.rules.enums import ENUM_RULES
from toolmend.repairs.rules.envelope import ENVELOPE_INFOS
from toolmend.repairs.rules.info import RuleInfo, ValueRule
from toolmend.repairs.rules.keys import KEY_RULES
from toolmend.repairs.rules.lists import LIST_RULES
from toolmend.repairs.rules.objects import NULL_AS_ABSENT, OBJECT_RULES
from toolmend.repairs.rules.scalars import SCALAR_RULES

__all__ = ("RULE_INFOS", "VALUE_RULES")

VALUE_RULES: Final[tuple[ValueRule, ...]] = (*SCALAR_RULES, *ENUM_RULES, *LIST_RULES, *OBJECT_RULES)
"""Rules for single values."""

RULE_INFOS: Final[tuple[RuleInfo, ...]] = (
    *ENVELOPE_INFOS,
    *(rule.info for rule in KEY_RULES),
    NULL_AS_ABSENT,
    *(rule.info for rule in VALUE_RULES),
    *DECLARED_INFOS,
)
"""Every rule that mends values, those that a tool may declare included."""
