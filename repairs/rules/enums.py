"""Rules for values that must be one of a list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolmend.repairs._node import plain_words
from toolmend.repairs.rule import Candidate, Violation
from toolmend.repairs.rules.info import RuleInfo, ValueRule

__all__ = ("ENUM_RULES",)


def _enum_spelling(violation: Violation) -> Iterator[Candidate]:
    if isinstance(violation.value, str) and (words := plain_words(violation.value)):
        for choice in violation.schema.choices_by_words.get(words, ()):
            yield Candidate(choice, "inferred")


ENUM_RULES: Final = (
    ValueRule(
        RuleInfo(
            "enum-spelling",
            "A value that differs from one allowed value in case, blanks, hyphens, underscores, accents, or by quotes "
            "or emphasis around it, becomes that value.",
            {"type": "object", "properties": {"color": {"enum": ["red", "dark_green"]}}},
            {"color": "**Dark-Green**"},
            {"color": "dark_green"},
            "inferred",
        ),
        _enum_spelling,
    ),
)
