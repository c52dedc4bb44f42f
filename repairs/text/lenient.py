"""The string-faithful lenient reader: what stands in quotes is decoded exactly, what stands between tokens is forgiven.

A machine with an explicit stack of open containers; each container has a state that says what is read next. It never
recurses, never goes back behind a token, and spends a bounded number of steps per character.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from toolmend.repairs.errors import LimitError
from toolmend.repairs.record import JsonValue, Path
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.bare import BareReader
from toolmend.repairs.text.brackets import close_wrongly
from toolmend.repairs.text.cursor import Cursor, Options
from toolmend.repairs.text.ending import end_text, read_rest
from toolmend.repairs.text.frames import Frame, Keys, fits, path_of
from toolmend.repairs.text.members import read_key, read_separator
from toolmend.repairs.text.plain import PlainRuns
from toolmend.repairs.text.quoted import QuotedReader
from toolmend.repairs.text.reading import Reading
from toolmend.repairs.text.strict import identical, refuse_surrogates
from toolmend.repairs.text.strings import KEY_AHEAD, key_ahead
from toolmend.repairs.text.tokens import CALL, CLOSERS, COMMAS, MAY_BE_SKIPPED, OPENERS, QUOTES, SEPARATOR

__all__ = ("Reader", "read_value")


def read_value(text: str, start: int = 0, options: Options | None = None) -> Reading:
    """Read one value leniently.

    Args:
        text: the raw text.
        start: where the value begins, in characters.
        options: how to read.

    Returns:
        The value, where it ends, and what was forgiven.

    Raises:
        NotJsonError: if no value can be read there, or something stands behind it and `embedded` is off.
        CutOffError: if the text ends in the middle of the value.
        LimitError: if it is nested too deep or takes too much work.
    """
    return Reader(text, start, options or Options()).read()


class Reader:
    """Reads one value; used once."""

    def __init__(self, text: str, start: int, options: Options) -> None:
        """Stand at the start of a value."""
        self.start = start
        self.cursor = Cursor(text, start, options)
        self.options = options
        self.keys = Keys(options.aliases)
        self.root = Frame("", None, state="value")
        self.stack: list[Frame] = [self.root]
        self.quoted = QuotedReader(self.cursor, self.keys, self.stack)
        self.cursor.where = self._where
        self.unclosed: list[Path] = []
        self.choices: list[int] = []

    # ------------------------------------------------------------------ the machine

    def read(self) -> Reading:
        """Run the machine to the end of the value."""
        self._implicit_root()
        plain = None if self.options.schema_strings or self.options.python else PlainRuns(self)
        while self.root.state != "after":
            self.cursor.budget.spend(1)
            if plain is not None and plain.read():
                continue
            self.skip_space()
            if self.cursor.at_end():
                end_text(self)
            else:
                _STATES[self.stack[-1].state](self)
        if not self.options.embedded:
            read_rest(self)
        if plain is not None:
            plain.note_escapes(self.cursor)
        self.cursor.refuse_mixed_escapes()
        value = self.root.members[""]
        self._refuse_moved_members(value)
        refuse_surrogates(self.cursor.text[self.start : self.cursor.pos], value)
        return Reading(value, self.cursor.pos, tuple(self.cursor.repairs), tuple(self.unclosed))

    def _where(self) -> Path:
        """The path that a record tells: of the value being read, or of the object around the key being read."""
        path = path_of(self.stack)
        return path[:-1] if self.stack[-1].state == "key" else path

    def _refuse_moved_members(self, value: JsonValue) -> None:
        """Refuse a closer too many if it may have ended an object too early; a doubled opener explains one."""
        rules = [repair.rule for repair in self.cursor.repairs if repair.before in ("}", "｝", "{", "｛")]
        surplus = rules.count("extra-closer") > rules.count("doubled-brace")
        if surplus and self.keys.may_end_later(value, self.options.schema):
            raise self.cursor.fail("one of several closers is too many", expected="balanced brackets")

    def skip_space(self) -> None:
        """Pass over white space; where a value without quotes may begin with `#`, that is no comment."""
        cursor = self.cursor
        if cursor.peek() not in MAY_BE_SKIPPED:
            return
        cursor.skip_space(comments=False)
        if cursor.peek() not in MAY_BE_SKIPPED:
            return
        frame = self.stack[-1]
        bare_hash = cursor.peek() == "#" and cursor.peek(2)[1:].strip() and frame.state == "value"
        if not bare_hash:
            cursor.skip_space()

    def schema(self) -> SchemaNode | None:
        """The schema of the value that is being read."""
        frame = self.stack[-1]
        return self.options.schema if frame is self.root else self.keys.child(frame)

    def choose(self, options: int) -> int:
        """Which of several consistent options to take; the first, unless a decision was handed in."""
        index = len(self.choices)
        self.choices.append(options)
        return self.options.decisions[index] if index < len(self.options.decisions) else 0

    # ------------------------------------------------------------------ containers

    def push(self, closer: str, *, is_list: bool, call: bool = False, implicit: bool = False) -> Frame:
        """Open a container as the value that is being read."""
        if len(self.stack) > self.options.limits.depth:
            message = f"objects and lists are nested deeper than {self.options.limits.depth}"
            raise LimitError(message, kind="too_deep", expected=f"at most {self.options.limits.depth} levels")
        frame = Frame(closer, self.schema(), call=call, implicit=implicit, opened=self.cursor.pos)
        if is_list:
            frame.around = len(self.stack) == 1 and frame.schema is not None and not frame.schema.allows("array")
            frame.items = []
            frame.state = "value"
        self.stack.append(frame)
        return frame

    def pop(self) -> None:
        """Close the innermost container: it becomes a value of the one around it."""
        frame = self.stack.pop()
        self.put(frame.items if frame.items is not None else frame.members)

    def put(self, value: JsonValue) -> None:
        """Put a value where it belongs."""
        frame = self.stack[-1]
        if frame.items is not None:
            frame.items.append(value)
        elif frame.key in frame.members:
            self._given_twice(frame, value)
        else:
            frame.members[frame.key] = value
            frame.given.add(self.keys.declared(frame.key, frame.schema) or frame.key)
        frame.state = "after"
        frame.fresh = True

    def _given_twice(self, frame: Frame, value: JsonValue) -> None:
        if not identical(frame.members[frame.key], value):
            message = f"the key {frame.key!r} is given twice with different values"
            raise self.cursor.fail(message, expected="each key once", final=True)
        self.cursor.record("duplicate-key", self.cursor.pos, self.cursor.pos, f"{frame.key} once")

    # ------------------------------------------------------------------ values

    def _value(self) -> None:
        """Read a value: a container, a string, or something without quotes."""
        cursor, char = self.cursor, self.cursor.peek()
        if char == "(" and self._wrapper_call():
            return
        if char in OPENERS and not self._is_word(char):
            self._open(char)
        elif self.quoted.begins():
            self.put(self.quoted.read())
        elif char in CLOSERS:
            self._closer_for_value(char)
        elif char in COMMAS:
            self._comma_for_value()
        elif not self._wrapper_call():
            self.put(BareReader(cursor, self.keys, self.stack, self.schema()).read())

    def _is_word(self, char: str) -> bool:
        """Whether a parenthesis begins words without quotes, as in a telephone number."""
        schema = self.schema()
        if char != "(" or schema is None or not schema.allows("string") or self.cursor.peek(2)[1:] in {*QUOTES, "("}:
            return False
        return not schema.allows("array") and not schema.allows("object")

    def _open(self, char: str) -> None:
        closer, cursor = OPENERS[char], self.cursor
        if char not in "{[(":
            cursor.record("full-width-mark", cursor.pos, cursor.pos + 1, {"}": "{", "]": "["}[closer])
        elif char == "(":
            cursor.record("tuple", cursor.pos, cursor.pos + 1, "[")
        self.push(closer, is_list=closer != "}")
        cursor.pos += 1

    def _wrapper_call(self) -> bool:
        """Open a call that only wraps its keywords: `dict(a=1)`."""
        match = self.cursor.match(CALL)
        name = match[0].rstrip("( \t\n") if match else ""
        if match is None or (name and name not in self.options.callees) or (not name and len(self.stack) > 1):
            return False
        self.cursor.record("call-wrapper", match.start(), match.end(), "{")
        self.push(")", is_list=False, call=True)
        self.cursor.pos = match.end()
        return True

    def _closer_for_value(self, char: str) -> None:
        """Meet a closer where a value is due."""
        frame = self.stack[-1]
        if frame.is_list and CLOSERS[char] == frame.closer:
            if not frame.empty:
                self.cursor.record("extra-comma", frame.comma, frame.comma + 1, "")
            self._close(char)
        elif frame.is_list:
            frame.state = "after"
            self._after()
        else:
            raise self.cursor.fail(f"no value stands behind {frame.key!r}", expected="a value", final=True)

    def _comma_for_value(self) -> None:
        frame = self.stack[-1]
        if not frame.is_list:
            raise self.cursor.fail(
                f"no value stands behind {frame.key!r}", expected="a value", final=frame is not self.root
            )
        self.cursor.skip_commas()

    # ------------------------------------------------------------------ behind a value

    def _after(self) -> None:
        """Read what stands behind a value: a comma, a closer, or the next value without a comma."""
        cursor, frame, char = self.cursor, self.stack[-1], self.cursor.peek()
        if char in COMMAS:
            if char != ",":
                cursor.record("comma-style", cursor.pos, cursor.pos + 1, ",")
            frame.comma = cursor.pos
            cursor.pos += 1
            self._next(frame)
        elif char in CLOSERS:
            self.close(char)
        elif frame.is_list and SEPARATOR.match(cursor.text, cursor.pos) and self._key_in_list(frame):
            return
        else:
            self._missing_comma(frame, char)

    def _next(self, frame: Frame) -> None:
        frame.state = "value" if frame.is_list else "key"
        frame.fresh = False

    def _missing_comma(self, frame: Frame, char: str) -> None:
        cursor = self.cursor
        touches = cursor.text[cursor.pos - 1] in QUOTES and char in QUOTES
        if frame.is_list:
            starts = (
                char in QUOTES
                or char in OPENERS
                or char in "-0123456789"
                or cursor.peek(4) in ("true", "null", "True", "None")
            )
            subscript = char in OPENERS and cursor.text[cursor.pos - 1].isalnum()
            fits = starts and not subscript and not self.options.python
        else:
            fits = key_ahead(cursor, self.keys, frame, cursor.pos) is not None or self._quoted_key_ahead()
        if touches:
            raise cursor.quote_fault("two quotes touch", cursor.pos)
        if not fits:
            raise cursor.fail("a comma or a closer is missing", expected=f", or {frame.closer}")
        cursor.record("missing-comma", cursor.pos, cursor.pos, ",")
        self._next(frame)

    def _quoted_key_ahead(self) -> bool:
        match = self.cursor.match(KEY_AHEAD)
        return match is not None and match["quote"] == match["close"] == '"'

    def _key_in_list(self, frame: Frame) -> bool:
        """Close a list that was left open before a key of the object around it."""
        items = frame.items or []
        parent = self.stack[-2]
        key = items[-1] if len(items) > 1 else None
        if parent.is_list or parent is self.root or not isinstance(key, str):
            return False
        if frame.closer != "]" or items[:-1] in ([[]], [{}]):
            return False  # a parenthesis around one value, or an opener too many, is as likely
        if not self.keys.is_next(key, parent, quoted=True) or key == parent.key:
            return False
        items.pop()
        self.cursor.record("missing-closer", self.cursor.pos, self.cursor.pos, "]", kind="inferred")
        self.pop()
        parent.key, parent.state = key, "separator"
        return True

    # ------------------------------------------------------------------ closers and the end

    def _close(self, char: str) -> None:
        """Close the innermost container with its own closer."""
        cursor, frame = self.cursor, self.stack[-1]
        if self._closes_root_early(frame):
            cursor.skip("extra-closer", 1)
            return
        if char not in "}])":
            cursor.record("full-width-mark", cursor.pos, cursor.pos + 1, CLOSERS[char])
        cursor.pos += 1
        if frame.closer == ")" and frame.is_list and frame.fresh and len(frame.items or ()) == 1:
            self._close_parenthesis(frame)
        else:
            self.pop()

    def _close_parenthesis(self, frame: Frame) -> None:
        """Close a parenthesis around one value: that value, or a list of it where only that fits."""
        [value] = frame.items or [None]
        schema = frame.schema
        self.stack.pop()
        as_it_is, as_item = schema is None or fits(schema, value), fits(schema, [value])
        if schema is not None and as_it_is and as_item and schema is not self.options.schema:
            raise self.cursor.fail("parentheses around one value may be a list", expected="brackets for a list")
        self.put(value if as_it_is or not as_item else [value])

    def _closes_root_early(self, frame: Frame) -> bool:
        """Whether the closer of the whole object stands in front of a further member: `{"a": 1}, "b": 2}`."""
        cursor = self.cursor
        if len(self.stack) != 2 or frame.is_list or self.options.embedded or frame.schema is None:
            return False
        after = cursor.after_space(cursor.pos + 1)
        if after >= len(cursor.text) or cursor.text[after] not in COMMAS:
            return False
        return key_ahead(cursor, self.keys, frame, cursor.after_space(after + 1)) is not None

    def close(self, char: str) -> None:
        """Close with a closer that may be the wrong one, one too many, or that of a container further out."""
        if CLOSERS[char] == self.stack[-1].closer:
            self._close(char)
        else:
            close_wrongly(self, char)

    def begins_inside(self) -> bool:
        """Whether the text begins with a member of the object, or a call that only wraps its members."""
        self._implicit_root()
        return len(self.stack) > 1 or self._wrapper_call()

    def _implicit_root(self) -> None:
        """Open an object whose opening brace is not there: `"city": "Oslo"}` or `city="Oslo"`."""
        cursor = self.cursor
        cursor.skip_space()
        if cursor.peek() in ("{", "["):
            return
        if self.options.embedded or self.options.schema is None or not self.options.schema.allows("object"):
            return
        probe = Frame("}", self.options.schema)
        if key_ahead(cursor, self.keys, probe, cursor.pos) is None or CALL.match(cursor.text, cursor.pos):
            return
        cursor.record("missing-opener", cursor.pos, cursor.pos, "{")
        self.push("}", is_list=False, implicit=True)


_STATES: Final[Mapping[str, Callable[[Reader], None]]] = {
    "key": read_key,
    "separator": read_separator,
    "value": Reader._value,  # noqa: SLF001
    "after": Reader._after,  # noqa: SLF001
}
