"""Values without quotes: literals, numbers, and words where a string may stand."""

from __future__ import annotations

import re
from typing import Final

from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import SchemaNode, json_type
from toolmend.repairs.text.cursor import Cursor
from toolmend.repairs.text.frames import Frame, Keys
from toolmend.repairs.text.strings import Follow, key_ahead
from toolmend.repairs.text.tokens import (
    ARITHMETIC,
    CALL,
    CLOSERS,
    COMMAS,
    LITERALS,
    NOT_FINITE,
    PLACEHOLDER,
    QUOTES,
    SLASH_DATE,
    read_number,
)

__all__ = ("read_bare",)

_STOP: Final = re.compile(r"""[,;，、；}\])｝］\n"'`“”„«»＂＇]|\s(?://|/\*|\#\s)|\\[ntr](?=\s*["'}\]]|\\[ntr])""")
_ELLIPSIS: Final = ("...", "…")


def read_bare(cursor: Cursor, keys: Keys, stack: list[Frame], schema: SchemaNode | None) -> JsonValue:
    """Read a value that stands without quotes, and move behind it.

    Args:
        cursor: the text, at the first character of the value.
        keys: the keys that are known.
        stack: the open containers.
        schema: the schema of the value; None if nothing is known.

    Returns:
        A literal, a number that remembers its text, or the words as a string.

    Raises:
        NotJsonError: for what would have to be evaluated, for a placeholder, a number that is not finite, and where a
            word touches a quote.
        CutOffError: if the text ends in the value and the model is not known to have stopped by itself.
    """
    start = cursor.pos
    if cursor.text.startswith(_ELLIPSIS, start):
        raise cursor.fail("something was left out with an ellipsis", expected="every value written out", final=True)
    if cursor.peek() in ":：=":
        raise cursor.fail("a value is missing", expected="a value")
    end, quoted_end = _end(cursor, keys, stack, schema)
    token = cursor.text[start:end].rstrip()
    if (first := _first_word(cursor, keys, stack[-1], token)) is not None:
        token, end = first, start + len(first)
    if not token or (token[0] in ":=+" and read_number(token) is None and not token[1:2].isdigit()):
        raise cursor.fail("a value is missing", expected="a value", final=True)
    _refuse_expressions(cursor, token)
    if end >= len(cursor.text) and cursor.options.complete is not True and token not in LITERALS:
        raise cursor.cut("in a value without quotes")
    value = _value(cursor, token, schema)
    cursor.pos = end if quoted_end is None else quoted_end
    if quoted_end is not None:
        cursor.record("lost-quote", start, quoted_end, f'"{token}"', kind="inferred")
        return token
    if isinstance(value, str):
        cursor.record("bare-text", start, start + len(token), f'"{token}"')
    elif token not in ("true", "false", "null") and (number := read_number(token)) is not None and not number.is_json:
        cursor.record("number-notation", start, start + len(token), repr(number.value))
    elif token in LITERALS and token not in ("true", "false", "null"):
        cursor.record(
            "literal", start, start + len(token), {True: "true", False: "false", None: "null"}[LITERALS[token]]
        )
    return value


def _is_whole(token: str) -> bool:
    """Whether a token is a literal or a number, which nothing but a blank needs to end."""
    return token in LITERALS or read_number(token) is not None


def _first_word(cursor: Cursor, keys: Keys, frame: Frame, token: str) -> str | None:
    """The number or literal at the head of several words, if the next value begins behind it without a comma."""
    first, blank, _ = token.partition(" ")
    if not blank or not _is_whole(first):
        return None
    after = cursor.after_space(cursor.pos + len(first))
    if frame.is_list:
        return first if all(_is_whole(word) for word in token.split(" ", 50)) else None
    return first if key_ahead(cursor, keys, frame, after) is not None else None


def _value(cursor: Cursor, token: str, schema: SchemaNode | None) -> JsonValue:
    """What a token stands for, given what may stand there."""
    if token in LITERALS:
        value = LITERALS[token]
        wants_text = schema is not None and schema.allows("string") and not schema.allows(json_type(value))
        return value if value is None or not wants_text else token
    number = read_number(token)
    if number is not None:
        if number.value is None:
            raise cursor.fail(f"the number {token[:30]} is out of range", expected="a finite number", final=True)
        if number.is_json or schema is None or not schema.allows("string"):
            return number.value
        return token
    if cursor.options.python:
        raise cursor.fail(f"{token[:40]!r} is no literal value", expected="a literal value", final=True)
    return token


def _refuse_expressions(cursor: Cursor, token: str) -> None:
    """Refuse what would have to be evaluated or filled in."""
    if NOT_FINITE.fullmatch(token):
        raise cursor.fail(f"{token} is no number that can be used", expected="a finite number", final=True)
    if PLACEHOLDER.fullmatch(token):
        raise cursor.fail(f"{token[:40]} is a placeholder", expected="the value itself", final=True)
    if CALL.match(token):
        raise cursor.fail(f"{token[:40]!r} is a call that nobody evaluates", expected="the value itself", final=True)
    if ARITHMETIC.fullmatch(token) and not SLASH_DATE.fullmatch(token):
        raise cursor.fail(
            f"{token[:40]!r} is an expression that nobody evaluates", expected="the value itself", final=True
        )


def _end(cursor: Cursor, keys: Keys, stack: list[Frame], schema: SchemaNode | None) -> tuple[int, int | None]:
    """Where a bare value ends, and the offset behind a closing quote whose opening one was lost."""
    text, frame = cursor.text, stack[-1]
    for match in _STOP.finditer(text, cursor.pos):
        at = match.start()
        cursor.budget.spend(2)
        mark = match[0]
        if mark in QUOTES or mark == "»":
            if mark in "'`" and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha():
                continue
            if cursor.options.schema_strings and at > cursor.pos and Follow(cursor, keys, stack).ends(at + 1):
                return at, at + 1
            if text[at - 1].isspace() and _is_whole(text[cursor.pos : at].strip()):
                return at, None
            raise cursor.quote_fault("a word touches a quote", at)
        if mark in CLOSERS:
            if len(stack) == 1 or any(open_frame.closer == CLOSERS[mark] for open_frame in stack):
                return at, None
        elif mark in COMMAS:
            if _comma_ends(cursor, keys, frame, schema, at):
                return at, None
        else:
            return at, None
    return len(text), None


def _comma_ends(cursor: Cursor, keys: Keys, frame: Frame, schema: SchemaNode | None, at: int) -> bool:
    """Whether a comma ends a bare value, or belongs to it: `New York, NY` and `1,200.50` are one value each."""
    text = cursor.text
    after = cursor.after_space(at + 1)
    if (
        frame.is_list
        or frame.closer == ""
        or cursor.options.python
        or after >= len(text)
        or text[after] in CLOSERS
        or text[after] in COMMAS
    ):
        return True
    if key_ahead(cursor, keys, frame, after) is not None or schema is None:
        return True
    token = text[cursor.pos : at].strip()
    if token in LITERALS:
        return True
    digits = text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit()
    return not (schema.allows("string") or digits)
