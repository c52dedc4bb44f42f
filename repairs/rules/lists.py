"""Rules for lists that came as one item or as text, and for one item that came in a list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from toolmend.repairs.rule import Candidate, Violation
from toolmend.repairs.rules.info import RuleInfo, ValueRule
from toolmend.repairs.values import canonical

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.record import JsonValue

__all__ = ("LIST_RULES", "looks_like_json")

_SEPARATORS: Final = (",", ";", "\n")
_GROUPED: Final = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?", re.ASCII)
_BETWEEN: Final = re.compile(r",\s+")
_DECIMAL_COMMA: Final = re.compile(r"\d,\d", re.ASCII)


def looks_like_json(text: str) -> bool:
    """Whether a text begins like an object or a list, so that it is more than a plain word.

    Args:
        text: any text.
    """
    return text.lstrip()[:1] in {"{", "["}


def _takes_free_text(item: SchemaNode | None) -> bool:
    """Whether an item may be any text, so that a separator in it may belong to it."""
    return item is None or (item.allows("string") and item.choices is None)


def _wrap_item(violation: Violation) -> Iterator[Candidate]:
    value, schema = violation.value, violation.schema
    if value is None or not schema.allows("array") or (isinstance(value, list) and not _is_one_row(value, schema)):
        return
    if isinstance(value, str):
        separated = any(mark in value.strip() for mark in (*_SEPARATORS, "\r"))
        if not value.strip() or looks_like_json(value) or (separated and _takes_free_text(schema.item(0))):
            return
    if isinstance(value, dict) and not _is_one_item(value, schema.item(0)):
        return
    yield Candidate([value], "inferred")


def _is_one_row(value: list[JsonValue], schema: SchemaNode) -> bool:
    """Whether a list may be the only item of a list of lists."""
    item = schema.item(0)
    return bool(value) and item is not None and item.allows("array") and not any(isinstance(one, list) for one in value)


def _is_one_item(value: dict[str, JsonValue], item: SchemaNode | None) -> bool:
    """Whether an object is an item rather than a list in disguise: numbered keys, or one key around the items."""
    if item is not None and item.members:
        return not item.members.keys().isdisjoint(value) or not item.open_keys
    around = len(value) == 1 and isinstance(next(iter(value.values())), (dict, list))
    return bool(value) and not around and not all(key.isdecimal() for key in value)


def _split_text(violation: Violation) -> Iterator[Candidate]:
    value, item = violation.value, violation.schema.item(0)
    if not isinstance(value, str) or not violation.schema.allows("array") or item is None or _takes_free_text(item):
        return
    if _is_member(value, item):
        return
    if item.types & {"integer", "number"} and item.choices is None and (numbers := _by_thousands(value.strip())):
        yield Candidate(numbers, "inferred")  # beside the other reading: "1,234" is one number or two
    elif item.allows("number") and _BETWEEN.search(value.strip()) and _DECIMAL_COMMA.search(value):
        return  # "1,5, 2" may be two numbers, the first with a fraction
    marks = [mark for mark in _SEPARATORS if mark in value.strip()]
    parts = [part.strip() for part in value.split(marks[0])] if len(marks) == 1 else []
    if parts and all(parts):
        yield Candidate(parts, "inferred")


def _by_thousands(text: str) -> list[JsonValue]:
    """The numbers of a text in which commas stand between thousands; none if it cannot be read so."""
    parts = _BETWEEN.split(text)
    if "," not in "".join(parts) or not all(_GROUPED.fullmatch(part) for part in parts):
        return []
    return [part.replace(",", "") for part in parts]


def _is_member(value: str, item: SchemaNode) -> bool:
    """Whether the whole text is an allowed item by itself."""
    return item.choices is not None and any(canonical(value) == canonical(choice) for choice in item.choices)


def _unwrap_item(violation: Violation) -> Iterator[Candidate]:
    value = violation.value
    if isinstance(value, list) and len(value) == 1 and not violation.schema.allows("array"):
        [item] = value
        if item is not None and not isinstance(item, list):
            yield Candidate(item, "inferred")


_TAGS: Final = {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}}
_SIZES: Final = {"type": "object", "properties": {"sizes": {"type": "array", "items": {"enum": ["s", "m", "l"]}}}}

LIST_RULES: Final = (
    ValueRule(
        RuleInfo(
            "wrap-item",
            "One item becomes a list of one where a list of such items is wanted; free text must hold no separator.",
            _TAGS,
            {"tags": "calendar"},
            {"tags": ["calendar"]},
            "inferred",
        ),
        _wrap_item,
    ),
    ValueRule(
        RuleInfo(
            "split-text",
            "Text with commas, semicolons or line breaks becomes a list of numbers or allowed values if every part is "
            "one.",
            _SIZES,
            {"sizes": "s, l"},
            {"sizes": ["s", "l"]},
            "inferred",
        ),
        _split_text,
    ),
    ValueRule(
        RuleInfo(
            "unwrap-item",
            "The only item of a list stands for itself where no list is wanted.",
            {"type": "object", "properties": {"command": {"type": "string"}}},
            {"command": ["ls -la src"]},
            {"command": "ls -la src"},
            "inferred",
        ),
        _unwrap_item,
    ),
)
