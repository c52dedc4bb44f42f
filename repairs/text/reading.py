"""What reading a text leniently gives."""

from __future__ import annotations

from dataclasses import dataclass

from toolmend.repairs.record import JsonValue, Path, Repair
from toolmend.repairs.schema import SchemaNode

__all__ = ("Reading", "may_close")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way of reading a text.

    Attributes:
        value: the value; its numbers may remember their source text.
        end: the offset behind the value, in characters.
        repairs: what had to be forgiven between the tokens.
        unclosed: the objects that the end of the text left open; `may_close` tells whether they may be closed.
    """

    value: JsonValue
    end: int
    repairs: tuple[Repair, ...] = ()
    unclosed: tuple[Path, ...] = ()


def may_close(reading: Reading, schema: SchemaNode | None, complete: bool | None) -> bool:
    """Whether the objects that the end of the text left open may be closed there.

    They may if the model is known to have stopped by itself, or if nothing could have followed: every declared member
    of each open object, optional ones too, is already there, and no undeclared one is allowed.

    Args:
        reading: what was read.
        schema: the schema of the whole value.
        complete: True if the model stopped by itself, False if it was cut off, None if that is unknown.
    """
    if not reading.unclosed or complete is True:
        return True
    if complete is False:
        return False
    return all(_is_full(reading.value, schema, path) for path in reading.unclosed)


def _is_full(value: JsonValue, schema: SchemaNode | None, path: Path) -> bool:
    """Whether the object at the path already has every member that its schema declares."""
    for part in path:
        value = value[part]
        if schema is not None:
            schema = schema.item(part) if isinstance(part, int) else schema.member(part)
    return schema is not None and not schema.free_keys and set(schema.members) <= set(value)
