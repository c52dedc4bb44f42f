"""Values without quotes: literals, numbers, and words where a string may stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolmend.repairs.errors import NotJsonError
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import ALL_TYPES, SchemaNode, json_type
from toolmend.repairs.text.cursor import Cursor
from toolmend.repairs.text.escapes import BadEscapeError, decode, starts_drive_path
from toolmend.repairs.text.frames import Frame, Keys
from toolmend.repairs.text.strings import KEY_AHEAD, Follow, key_ahead
from toolmend.repairs.text.tokens import (
    ARITHMETIC,
    BLANKS,
    CLOSERS,
    COMMAS,
    LITERALS,
    NOT_FINITE,
    OPENERS,
    PLACEHOLDER,
    QUOTES,
    SLASH_DATE,
    Number,
    read_number,
)

__all__ = ("BareReader",)

_STOP: Final = re.compile(
    r"""[,;，、；{\[(｛［}\])｝］\n"'`“”„‘«»＂＇]|\s(?://|/\*|\#\s)|\\[ntr](?=\s*["'},\]]|\\[ntr])"""
)
_GOES_ON: Final = frozenset(":=\\.,{[(-+/&")
"""Marks that end no value: a text that stops behind one was cut, even if the model is said to have stopped."""

_SCALARS: Final = frozenset({"null", "boolean", "integer", "number"})
_SHORTEST_HALF: Final = 2
"""Words up to this length are no halves of a literal: `n` and `no` are words."""

_LITERAL_AND_MORE: Final = re.compile(
    r"(?:true|false|null|True|False|None|-?\d+(?:\.\d+)?)(?:[:;\\`=]+(?!\d\d(?!\d)|//)|true|false|null)"
)
"""A literal or number with a mark behind it, and not a time of day."""

_LONGEST_WHOLE: Final = 400
"""Longest number or literal that is looked for in front of a mark, in characters: each mark looks back only so far."""

_ELLIPSIS: Final = ("...", "…")
_CALL: Final = re.compile(r"(?:new\s+[A-Za-z_][\w.]*\s*|[A-Za-z_][\w.]*)\(")
_ENTITY: Final = re.compile(r"&(?:quot|apos|#\d{1,4}|#x[0-9a-f]{1,4});")
_MEMBER: Final = re.compile(r"""(?P<mark>[\s,;，；])\s*["'`]?(?P<key>[A-Za-z_$][\w-]*)["'`]?\s*[:：=](?!//)""")
_LISTED: Final = re.compile(r"[,;，；]\s*(?P<key>[A-Za-z_$][\w-]*)(?=\s)")
_BETWEEN: Final = re.compile(f"[{re.escape(BLANKS)}]+")
_GROUPED: Final = re.compile(r"[-+]?\d[\d,. ]*")
_WRITTEN: Final = {True: "true", False: "false", None: "null"}
_JSON_LITERALS: Final = frozenset(_WRITTEN.values())


def _is_whole(token: str) -> bool:
    """Whether a token is a literal or a number, which nothing but a blank needs to end."""
    return token in LITERALS or read_number(token) is not None


class BareReader:
    """Reads one value that stands without quotes."""

    __slots__ = ("cursor", "frame", "keys", "schema", "stack", "start", "text")

    def __init__(self, cursor: Cursor, keys: Keys, stack: Sequence[Frame], schema: SchemaNode | None) -> None:
        """Stand at the first character of the value.

        Args:
            cursor: the text.
            keys: the keys that are known.
            stack: the open containers.
            schema: the schema of the value; None if nothing is known.
        """
        self.cursor = cursor
        self.text = cursor.text
        self.start = cursor.pos
        self.keys = keys
        self.stack = stack
        self.frame = stack[-1]
        self.schema = schema

    def read(self) -> JsonValue:
        """Read the value, and move behind it.

        Returns:
            A literal, a number that remembers its text, or the words as a string.

        Raises:
            NotJsonError: for what would have to be evaluated, for a placeholder, a number that is not finite, where a
                word touches a quote, and where words may be more than one value.
            CutOffError: if the text ends in the value and the model is not known to have stopped by itself.
        """
        cursor, start = self.cursor, self.start
        self._refuse_beginning()
        end, quoted_end = self._end()
        if quoted_end is not None:
            return self._without_opening_quote(end, quoted_end)
        token = self._first_word(self.text[start:end].rstrip(BLANKS))
        self._refuse_expressions(token)
        if cursor.after_space(start + len(token)) >= len(self.text) and not self._ends_by_itself(token):
            raise cursor.cut("in a value without quotes")
        value = self._value(token)
        if isinstance(value, str):
            self._refuse_several(token, end)
        cursor.pos = start + len(token)
        self._record(token, value)
        return value

    # ------------------------------------------------------------------ refusals

    def _fail(self, message: str, expected: str = "the value itself") -> NotJsonError:
        return self.cursor.fail(message, at=self.start, expected=expected, final=True)

    def _refuse_beginning(self) -> None:
        """Refuse what no value begins with."""
        text, start = self.text, self.start
        if text.startswith(_ELLIPSIS, start):
            raise self._fail("something was left out with an ellipsis", "every value written out")
        if _ENTITY.match(text, start):
            raise self._fail("an HTML entity stands in place of a quote", "plain quotes")
        if text[start] == "\\" and text[start + 1 : start + 2] in "ntr":
            raise self.cursor.quote_fault("an escaped line break stands where a value is due", start)
        if text.startswith("/*", start):
            raise self.cursor.cut("inside a comment")
        if text[start] in ":：=":
            raise self.cursor.fail("a value is missing", expected="a value")

    def _refuse_expressions(self, token: str) -> None:
        """Refuse what would have to be evaluated or filled in."""
        shown = repr(token[:40])
        if not token or (token[0] == "+" and read_number(token) is None and not token[1:2].isdigit()):
            raise self._fail("a value is missing", "a value")
        if NOT_FINITE.fullmatch(token):
            raise self._fail(f"{token} is no number that can be used", "a finite number")
        if PLACEHOLDER.fullmatch(token):
            raise self._fail(f"{shown} is a placeholder")
        if _CALL.match(token):
            raise self._fail(f"{shown} is a call that nobody evaluates")
        if ARITHMETIC.fullmatch(token) and not SLASH_DATE.fullmatch(token):
            raise self._fail(f"{shown} is an expression that nobody evaluates")

    def _refuse_several(self, token: str, end: int) -> None:
        """Refuse words that may be more than one thing: several values, a comment, or something escaped."""
        for match in _MEMBER.finditer(token):
            self.cursor.budget.spend(2)
            if not match["mark"].isspace() or self.keys.is_next(match["key"], self.frame, quoted=True):
                raise self._fail(f"{match['key']!r} may be a key, or a part of the words before it", "quotes")
        for match in _LISTED.finditer(token):
            self.cursor.budget.spend(2)
            if self.keys.is_next(match["key"], self.frame, quoted=False):
                raise self._fail(f"{match['key']!r} may be a key, or a part of the words before it", "quotes")
        if self.frame.is_list and (key := KEY_AHEAD.match(token)) and self._is_key_outside(key["key"].strip()):
            raise self._fail(f"{key['key']!r} may be a key behind a list that was not closed", "]")
        if " #" in token and self.text[end : end + 1] == "\n":
            raise self._fail("the words behind # may be a comment, or a part of the value", "quotes")
        try:
            as_string = decode(token)[0]
        except BadEscapeError:
            as_string = ""
        if as_string != token:
            raise self._fail("a backslash in words without quotes may be escaped or not", "quotes")

    def _is_key_outside(self, key: str) -> bool:
        """Whether a key may come next in one of the objects around."""
        return any(not frame.is_list and self.keys.is_next(key, frame, quoted=False) for frame in self.stack[1:])

    def _ends_by_itself(self, token: str) -> bool:
        """Whether a token at the very end of the text is known to be whole."""
        if token in _JSON_LITERALS:
            return True
        if self.cursor.options.complete is True:
            return token[-1] not in _GOES_ON and not any(word.startswith(token) for word in LITERALS if word != token)
        return token in LITERALS and not (self.schema is not None and self.schema.allows("string"))

    # ------------------------------------------------------------------ what it is

    def _first_word(self, token: str) -> str:
        """The number or literal at the head of several words, if the next value begins behind it without a comma."""
        first, blank, _ = token.partition(" ")
        if not blank or not _is_whole(first):
            return token
        if not self.frame.is_list:
            after = self.cursor.after_space(self.start + len(first))
            return first if key_ahead(self.cursor, self.keys, self.frame, after) is not None else token
        if not all(_is_whole(word) for word in _BETWEEN.split(token)):
            return token
        if self.schema is not None and self.schema.allows("string"):
            raise self._fail(f"{token[:40]!r} may be one item or several", "commas or quotes")
        return first

    def _value(self, token: str) -> JsonValue:
        """What a token stands for, given what may stand there."""
        schema = self.schema
        if token in LITERALS:
            value = LITERALS[token]
            wants_text = schema is not None and schema.allows("string") and not schema.allows(json_type(value))
            return value if value is None or not wants_text else token
        number = read_number(token)
        if number is not None:
            return self._number(token, number)
        if self.cursor.options.python:
            raise self._fail(f"{token[:40]!r} is no literal value", "a literal value")
        if "," in token and self._may_be_either() and _GROUPED.fullmatch(token):
            raise self._fail(f"{token[:40]!r} may be a number or text", "a plain number, or quotes")
        half = len(token) > _SHORTEST_HALF and any(word.startswith(token) for word in LITERALS)
        if (half or _LITERAL_AND_MORE.match(token)) and (schema is None or schema.types & _SCALARS):
            raise self._fail(f"{token[:40]!r} may be text, or a literal gone wrong", "quotes around text")
        return token

    def _number(self, token: str, number: Number) -> JsonValue:
        """A number, or its text where only a string may stand."""
        schema = self.schema
        if number.value is None:
            raise self._fail(f"the number {token[:30]} is out of range", "a finite number")
        if number.is_json or (schema is not None and not schema.allows("string")):
            return number.value
        if schema is not None and not schema.allows("number") and not schema.allows("integer"):
            return token
        untyped = schema is None or schema.types == ALL_TYPES
        if untyped and (self.cursor.options.python or not _has_leading_zero(token)):
            return number.value
        raise self._fail(f"{token[:40]!r} may be a number or text", "a plain number, or quotes")

    def _may_be_either(self) -> bool:
        schema = self.schema
        return schema is not None and schema.allows("string") and (schema.allows("number") or schema.allows("integer"))

    def _record(self, token: str, value: JsonValue) -> None:
        start, end = self.start, self.start + len(token)
        if isinstance(value, str):
            self.cursor.record("bare-text", start, end, f'"{token}"')
        elif token in LITERALS:
            if token not in _JSON_LITERALS:
                self.cursor.record("literal", start, end, _WRITTEN[LITERALS[token]])
        elif (number := read_number(token)) is not None and not number.is_json:
            self.cursor.record("number-notation", start, end, repr(number.value))

    def _without_opening_quote(self, end: int, quoted_end: int) -> str:
        """A string that lost the quote in front of it."""
        cursor, start = self.cursor, self.start
        content = self.text[start:end]
        if _is_whole(content.strip(BLANKS)) and (self.schema is None or self.schema.types != {"string"}):
            raise cursor.quote_fault("a literal or number in front of one quote may be text or not", start)
        if self._begins_doubtfully():
            raise cursor.quote_fault("a quote is missing, and what stands before may belong to the string", start)
        try:
            value = decode(content)[0]
        except BadEscapeError as error:
            raise self._fail(str(error), "backslashes doubled") from None
        cursor.pos = quoted_end
        cursor.record("lost-quote", start, quoted_end, f'"{content}"', kind="inferred")
        return value

    def _begins_doubtfully(self) -> bool:
        """Whether what stands before the value may belong to a string without opening quote, or to a string before."""
        gap = self.text[max(0, self.start - 2) : self.start]
        if gap[-1:] in BLANKS and (gap[-1:] != " " or gap[0] in BLANKS or gap[0] in OPENERS):
            return True
        last = self.cursor.repairs[-1] if self.cursor.repairs else None
        if last is not None and last.rule in ("invisible-mark", "comment") and last.path == self.cursor.where():
            return True
        if self.frame.is_list and last is not None and last.rule in ("extra-comma", "bare-text"):
            return True
        if ":" in self.frame.key or "=" in self.frame.key:
            return True  # the quote may be missing in the key
        lost = (repair.span for repair in self.cursor.repairs if repair.rule == "lost-quote")
        return any(span is not None and self.text[max(0, span[0] - 1)] in QUOTES for span in lost)

    # ------------------------------------------------------------------ where it ends

    def _end(self) -> tuple[int, int | None]:
        """Where a bare value ends, and the offset behind a closing quote whose opening one was lost."""
        brackets: list[str] = []
        for match in _STOP.finditer(self.text, self.start):
            at, mark = match.start(), match[0]
            self.cursor.budget.spend(2)
            if mark in QUOTES or mark == "»":
                if (found := self._at_quote(at, mark)) is not None:
                    return found
            elif mark in OPENERS or mark in CLOSERS:
                if self._at_bracket(at, mark, brackets):
                    return at, None
            elif mark not in COMMAS or self._comma_ends(at, bracketed=bool(brackets)):
                if mark[0] == "\\" and starts_drive_path(self.text[self.start : self.start + 4]):
                    raise self._fail(f"{mark} may be a part of the path or a line break", "quotes")
                if brackets:
                    raise self._fail(f"a {brackets[-1]} is missing in words without quotes", "quotes")
                return at, None
        return len(self.text), None

    def _at_quote(self, at: int, mark: str) -> tuple[int, int | None] | None:
        """Meet a quote: an apostrophe, the end of a string that lost its opening quote, or the next token."""
        text, cursor = self.text, self.cursor
        if mark in "'`" and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha():
            return None
        if cursor.options.schema_strings and at > self.start and Follow(cursor, self.keys, self.stack).ends(at + 1):
            return at, at + 1
        if text[at - 1].isspace() and _is_whole(text[self.start : at].strip(BLANKS)):
            return at, None
        raise cursor.quote_fault("a word touches a quote", at)

    def _at_bracket(self, at: int, mark: str, brackets: list[str]) -> bool:
        """Meet a bracket: whether it ends the value; one within the words must have its closer there."""
        short = not brackets and at - self.start < _LONGEST_WHOLE
        is_whole = short and _is_whole(self.text[self.start : at].rstrip(BLANKS))
        if mark in OPENERS and not (is_whole and (self.frame.is_list or self.text[at - 1] not in BLANKS)):
            brackets.append(OPENERS[mark])
            return False
        if mark in CLOSERS and brackets:
            if brackets.pop() != CLOSERS[mark]:
                raise self.cursor.fail(f"{mark} closes nothing that is open", at=at)
            return False
        if is_whole or len(self.stack) == 1 or any(frame.closer == CLOSERS.get(mark) for frame in self.stack):
            return True
        raise self.cursor.fail(f"{mark} closes nothing that is open", at=at)

    def _comma_ends(self, at: int, *, bracketed: bool) -> bool:
        """Whether a comma ends the value, or belongs to it: `New York, NY` and `1,200.50` are one value each."""
        text, frame, schema = self.text, self.frame, self.schema
        if frame.is_list:
            return not bracketed
        after = self.cursor.after_comments(at + 1)
        if frame.closer == "" or self.cursor.options.python or after >= len(text):
            return True
        if text[after] in CLOSERS or text[after] in COMMAS or schema is None:
            return True
        if key_ahead(self.cursor, self.keys, frame, after) is not None:
            return True
        if at - self.start < _LONGEST_WHOLE and text[self.start : at].strip(BLANKS) in LITERALS:
            return True
        digits = text[at - 1].isdigit() and text[at + 1 : at + 2].isdigit()
        return not (schema.allows("string") or digits)


def _has_leading_zero(token: str) -> bool:
    """Whether a number has zeros in front that no number needs, as codes have: `007`."""
    digits = token.lstrip("+-")
    return digits[:1] in ("0", "０") and digits[1:2].isdigit()
