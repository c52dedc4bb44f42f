"""Strings in quotes: where they end, and what their escapes stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolmend.repairs.text.cursor import Cursor
from toolmend.repairs.text.escapes import BadEscapeError, decode, is_doubtful
from toolmend.repairs.text.frames import Frame, Keys, path_of
from toolmend.repairs.text.strings import KEY_AHEAD, TRIPLE, Follow, key_ahead, schema_end, strict_end
from toolmend.repairs.text.tokens import OPENERS, QUOTES

__all__ = ("QuotedReader",)

_CONTROL: Final = re.compile("[\x00-\x1f]")
_ENDS_DOUBTFULLY: Final = re.compile(r"[\s,;，；、]\Z|\n|\s(?://|/\*|#)")
"""What tells that a string without closing quote may end before the comma."""


_ANY_QUOTE: Final = frozenset(QUOTES) | frozenset("".join(QUOTES.values()))


class QuotedReader:
    """Reads strings for the lenient reader, by the letter or by the schema."""

    __slots__ = ("cursor", "follow", "keys", "stack")

    def __init__(self, cursor: Cursor, keys: Keys, stack: Sequence[Frame]) -> None:
        """Read at a cursor, within the containers that are open."""
        self.cursor = cursor
        self.keys = keys
        self.stack = stack
        self.follow = Follow(cursor, keys, stack)

    def begins(self) -> bool:
        """Whether a string begins here: a quote, an escaped one, or one behind Python's `r` or `u`."""
        text = self.cursor.peek(2)
        return text[:1] in QUOTES or text == '\\"' or (len(text) == 2 and text[0] in "rRuU" and text[1] in "\"'")

    def read(self, *, is_key: bool = False) -> str:
        """Read a quoted string; a key ends at its first quote, whatever may stand in values."""
        cursor = self.cursor
        if cursor.text.startswith('\\"', cursor.pos):
            return self._over_escaped()
        start = cursor.pos
        raw = cursor.peek() in "rR"
        if cursor.peek() not in QUOTES:
            cursor.pos += 1
        quote = cursor.peek()
        quote *= self._opening_quotes(quote)
        content_start = cursor.pos + len(quote)
        by_schema = self.cursor.options.schema_strings and not is_key and not self._is_key_in_list(start)
        end, cursor.pos = (
            self._schema_end(content_start, quote) if by_schema else self._strict_end(content_start, quote)
        )
        content = cursor.text[content_start:end]
        if cursor.text[start] != '"' or len(quote) == TRIPLE:
            cursor.record("quote-style", start, cursor.pos, f'"{content}"')
        return content if raw else self._decoded(content, quote[0], content_start)

    def _is_key_in_list(self, start: int) -> bool:
        """Whether a key with its colon stands where a list should have been closed."""
        match = KEY_AHEAD.match(self.cursor.text, start) if self.stack[-1].is_list else None
        return match is not None and bool(match["close"])

    def _opening_quotes(self, quote: str) -> int:
        """How many quotes open the string: one, or three; six are an empty string in triple quotes."""
        text, start = self.cursor.text, self.cursor.pos
        if quote not in "\"'`" or not text.startswith(quote * TRIPLE, start):
            return 1
        run = next((at - start for at in range(start, start + 7) if text[at : at + 1] != quote), 7)
        if run in (TRIPLE, 2 * TRIPLE):
            return TRIPLE
        raise self.cursor.quote_fault("a string begins with several quotes", start)

    def _strict_end(self, start: int, quote: str) -> tuple[int, int]:
        """Where the string ends by the letter, and the offset behind its closing quote."""
        cursor = self.cursor
        end = strict_end(cursor.text, start, quote)
        if end is None:
            raise cursor.cut("inside a string", path_of(self.stack))
        if len(quote) == 1 and self._touches(end + 1, quote):
            raise cursor.quote_fault("a word touches a quote", end + 1)
        return end, end + len(quote)

    def _schema_end(self, start: int, quote: str) -> tuple[int, int]:
        """Where the string ends by what the schema lets follow, and the offset behind its closing quote."""
        cursor = self.cursor
        end = schema_end(self.follow, start, quote)
        if end is None:
            end = self._lost_end(start, quote)
            return end, end
        if end != strict_end(cursor.text, start, quote):
            escaped = cursor.text[start:end].replace('"', '\\"')
            cursor.record("inner-quotes", start, end, escaped, kind="inferred")
        return end, end + len(quote)

    def _touches(self, pos: int, quote: str) -> bool:
        """Whether a word or another quote follows a closing quote at once, or a word before the next mark."""
        text = self.cursor.text
        after = self.cursor.after_space(pos)
        if after >= len(text):
            return False
        char = text[after]
        if char in QUOTES:
            return after == pos
        if char in "/#" and self.cursor.after_comments(pos, quote=quote) == after:
            return True
        return char not in ",:;=}])，：；、｝］/#\\" and (after == pos or self._no_key(after))

    def _no_key(self, pos: int) -> bool:
        """Whether what stands behind a string and a blank is neither a value nor a key."""
        char = self.cursor.text[pos]
        if char in OPENERS or char in "-0123456789":
            return False
        match = KEY_AHEAD.match(self.cursor.text, pos)
        return match is None and not self.cursor.text.startswith(
            ("true", "false", "null", "True", "False", "None"), pos
        )

    def _lost_end(self, start: int, quote: str) -> int:
        """Put back a closing quote that was lost, if a known key follows and the string holds no other quote."""
        cursor, frame = self.cursor, self.stack[-1]
        stop = cursor.text.find(",", start)
        if frame.is_list or len(self.stack) == 1 or len(quote) == TRIPLE:
            raise cursor.cut("inside a string", path_of(self.stack))
        places = [cursor.text.find(mark, start) for mark in QUOTES[quote]]
        first_quote = min((at for at in places if at >= 0), default=len(cursor.text))
        while 0 <= stop < first_quote:
            cursor.budget.spend(8)
            match = key_ahead(cursor, self.keys, frame, cursor.after_space(stop + 1))
            whole = stop > start and not _ENDS_DOUBTFULLY.search(cursor.text, max(start, stop - 200), stop)
            if whole and match is not None and match["quote"] == match["close"] == quote:
                if cursor.text[stop - 1] in _ANY_QUOTE:
                    raise cursor.quote_fault("a string ends with a quote of another kind", stop - 1)
                cursor.record("lost-quote", start, stop, cursor.text[start:stop] + quote, kind="inferred")
                return stop
            stop = cursor.text.find(",", stop + 1)
        raise cursor.cut("inside a string", path_of(self.stack))

    def _over_escaped(self) -> str:
        r"""Read a string whose quotes are escaped though nothing is around them: `\"text\"`."""
        cursor = self.cursor
        end = cursor.text.find('\\"', cursor.pos + 2)
        content = cursor.text[cursor.pos + 2 : end]
        if end < 0:
            raise cursor.cut("inside a string", path_of(self.stack))
        if "\\" in content or '"' in content or not self.follow.ends(end + 2):
            raise cursor.fail("quotes are escaped where no string is open", expected="plain quotes")
        cursor.record("over-escaped", cursor.pos, end + 2, f'"{content}"')
        cursor.pos = end + 2
        return content

    def _decoded(self, content: str, quote: str, start: int) -> str:
        """The string that stands between the quotes."""
        signs = self.cursor.signs
        if "\\\\" in content:
            signs.add("doubled")
        try:
            value, loose = decode(content, quote)
        except BadEscapeError as error:
            raise self.cursor.fail(
                str(error), at=start + error.offset, expected="backslashes doubled", final=True
            ) from None
        if loose and "\\" in value:
            signs.add("unknown-escape")
        elif not loose and "\\" in content and is_doubtful(content):
            signs.add("doubtful")
        if loose:
            self.cursor.record("escape", start, start + len(content), value)
        elif _CONTROL.search(content) is not None:
            self.cursor.record("control-character", start, start + len(content), content)
        return value
