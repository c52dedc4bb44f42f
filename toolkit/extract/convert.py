"""From text to typed values: tag and pair formats write text only, and the schema says what it stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import RepairError
from toolmend.repairs.record import JsonValue, Path, Repair
from toolmend.repairs.schema import SchemaNode, json_type
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import read_value
from toolmend.repairs.text.reading import Reading
from toolmend.repairs.text.tokens import read_number

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ("convert",)

_LITERALS: Final[Mapping[str, JsonValue]] = {"true": True, "false": False, "null": None, "None": None}
_NUMBER: Final = re.compile(r"-?\d[\d.eE+-]{0,400}")


def convert(text: str, node: SchemaNode | None, path: Path = (), *, framed: bool = True) -> Reading:
    """Read the text of one field as a value that its schema wants.

    A string stays what it is but for one line break at each end. A number, boolean or null is taken where the text is
    exactly that; an object or list where it reads as one. Anything else stays text, and mending has its say.

    Args:
        text: the text between the marks of the field.
        node: the schema of the field; None if nothing is known.
        path: where the field is, for the record.
        framed: whether a line break at each end belongs to the format.

    Returns:
        The value with what was forgiven in it.
    """
    kept = _without_line_breaks(text) if framed else text
    plain = text.strip()
    if node is None or node.allows("string"):
        is_null = plain == "null" and node is not None and node.allows("null") and "null" not in (node.choices or ())
        return Reading(None if is_null else kept, len(text))
    if plain in _LITERALS and node.allows(json_type(_LITERALS[plain])):
        return Reading(_LITERALS[plain], len(text))
    if _NUMBER.fullmatch(plain) and (node.allows("number") or node.allows("integer")):
        number = read_number(plain)
        if number is not None and number.is_json and number.value is not None:
            return Reading(number.value, len(text))
    if plain[:1] in ("{", "[", "(", '"', "'") and (node.allows("object") or node.allows("array")):
        return _structure(plain, node, path) or Reading(kept, len(text))
    return Reading(kept, len(text))


def _without_line_breaks(text: str) -> str:
    """The text without the one line break that the format puts at each end."""
    start = 2 if text.startswith("\r\n") else 1 if text.startswith("\n") else 0
    # A frame that opens with a line feed alone closes with one: a carriage return before that belongs to the text.
    end = len(text) - (2 if start != 1 and text.endswith("\r\n") else 1 if text.endswith("\n") else 0)
    return text[start:end] if start < end else ""


def _structure(text: str, node: SchemaNode, path: Path) -> Reading | None:
    """An object or list, None if the text is none that the schema lets stand here."""
    for schema_strings in (False, True):
        try:
            reading = read_value(text, 0, Options(schema=node, schema_strings=schema_strings))
        except RepairError:
            continue
        if reading.unclosed or not node.allows(json_type(reading.value)):
            return None
        repairs = tuple(
            Repair(repair.rule, repair.kind, (*path, *repair.path), repair.before, repair.after)
            for repair in reading.repairs
        )
        return Reading(reading.value, len(text), repairs)
    return None
