"""One call in Python syntax: a name, positional values and keywords, all of them literal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.cursor import Cursor, Options
from toolmend.repairs.text.lenient import read_value
from toolmend.repairs.text.tokens import QUOTES

__all__ = ("CallReading", "read_call")

_NAME: Final = re.compile(r"(?P<quote>['\"]?)(?P<name>[A-Za-z_](?:[\w.-]|\\_)*)(?P=quote)\s*\(")
_KEYWORD: Final = re.compile(r"(?P<key>[A-Za-z_][\w-]*)\s*=(?!=)")


@dataclass(slots=True)
class CallReading:
    """A call as it was read.

    Attributes:
        name: the name in front of the parenthesis, with dots.
        positional: the values without a keyword, in order.
        keywords: the values with one.
        end: the offset behind the closing parenthesis.
        repairs: what had to be forgiven.
    """

    name: str
    positional: list[JsonValue] = field(default_factory=list)
    keywords: dict[str, JsonValue] = field(default_factory=dict)
    end: int = 0
    repairs: tuple[Repair, ...] = ()


def read_call(
    text: str, start: int = 0, schema: SchemaNode | None = None, options: Options | None = None
) -> CallReading:
    """Read one call in Python syntax.

    Args:
        text: the raw text.
        start: where the name begins, in characters.
        schema: the schema of the arguments, so that values know what may stand there; None if nothing is known.
        options: limits and whether the model is known to have stopped by itself.

    Returns:
        The call.

    Raises:
        NotJsonError: if no call stands there, or a value is no literal: a variable, a nested call, arithmetic, a
            placeholder.
        CutOffError: if the text ends before the closing parenthesis.
        LimitError: if it is nested too deep or takes too much work.
    """
    base = replace(options or Options(), python=True, embedded=True, schema_strings=False, schema=None)
    cursor = Cursor(text, start, base)
    match = cursor.match(_NAME)
    if match is None:
        raise cursor.fail("no call stands here", expected="name(key=value)")
    call = CallReading(match["name"].replace("\\_", "_"))
    cursor.pos = match.end()
    cursor.skip_space()
    while cursor.peek() != ")":
        _argument(cursor, call, schema)
        cursor.skip_space()
        if cursor.at_end():
            raise cursor.cut("inside a call")
        if cursor.peek() == ",":
            cursor.pos += 1
            cursor.skip_space()
        elif cursor.peek() == "]":
            cursor.record("missing-closer", cursor.pos, cursor.pos, ")")
            break  # the list around the call ends: nothing but its parenthesis can be missing
        elif cursor.peek() != ")":
            raise cursor.fail("a comma or a parenthesis is missing", expected=", or )")
    call.end = cursor.pos + (cursor.peek() == ")")
    call.repairs = tuple(cursor.repairs)
    return call


def _argument(cursor: Cursor, call: CallReading, schema: SchemaNode | None) -> None:
    """Read one argument, with its keyword if it has one."""
    if cursor.at_end():
        raise cursor.cut("inside a call")
    match = cursor.match(_KEYWORD)
    if match is None:
        if call.keywords:
            raise cursor.fail("a value without a keyword stands behind one with a keyword", expected="key=value")
        call.positional.append(_value(cursor, None))
        return
    key = match["key"]
    if key in call.keywords:
        raise cursor.fail(f"the key {key!r} is given twice", expected="each key once", final=True)
    cursor.pos = cursor.after_space(match.end())
    call.keywords[key] = _value(cursor, schema.member(key) if schema is not None else None)


def _value(cursor: Cursor, schema: SchemaNode | None) -> JsonValue:
    """Read one literal value; strings side by side are one, as in Python."""
    value = _literal(cursor, schema)
    cursor.skip_space()
    if not isinstance(value, str):
        return value
    parts = [value]
    while cursor.peek() in QUOTES and not cursor.at_end():
        start = cursor.pos
        parts.append(str(_literal(cursor, schema)))
        cursor.record("joined-strings", start, cursor.pos, parts[-1])
        cursor.skip_space()
    return "".join(parts)


def _literal(cursor: Cursor, schema: SchemaNode | None) -> JsonValue:
    reading = read_value(cursor.text, cursor.pos, replace(cursor.options, schema=schema))
    if reading.unclosed:
        raise cursor.cut("inside a value")
    cursor.repairs += reading.repairs
    cursor.pos = reading.end
    return reading.value
