"""Rules for values that must be one of a list."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from toolmend.repairs.rule import Candidate, Violation
from toolmend.repairs.rules.info import RuleInfo, ValueRule

if TYPE_CHECKING:
    from toolmend.repairs.record import JsonValue

__all__ = ("ENUM_RULES", "matches", "plain_words")

_SEPARATORS: Final = str.maketrans("", "", " \t\r\n-_\u2010\u2011\u00a0")
_WRAPPERS: Final = ('"', "'", "`", "*", "_", "“", "”", "‘", "’", "«", "»")
_LONGEST: Final = 500


def plain_words(text: str) -> str:
    """A text without case, blanks, hyphens, underscores, accents, and without quotes or emphasis around it.

    Args:
        text: the text; every other sign in it counts.
    """
    text = text.strip()
    while len(text) > 1 and text[0] in _WRAPPERS and text[-1] in _WRAPPERS:
        text = text[1:-1].strip()
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(sign for sign in decomposed if not unicodedata.combining(sign))
    return text.casefold().translate(_SEPARATORS)


def matches(given: JsonValue, choices: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """The members of a list that a value may stand for.

    Args:
        given: the value.
        choices: the members.
    """
    if not isinstance(given, str) or len(given) > _LONGEST:
        return
    word = plain_words(given)
    for choice in choices:
        spelled = choice if isinstance(choice, str) else json.dumps(choice)
        if word and plain_words(spelled) == word:
            yield choice


def _enum_spelling(violation: Violation) -> Iterator[Candidate]:
    choices = violation.schema.choices or ()
    listed = [choice for choice in choices if isinstance(choice, (str, bool, int, float))]
    for choice in matches(violation.value, listed):
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
