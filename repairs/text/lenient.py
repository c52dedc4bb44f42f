"""The string-faithful lenient reader: what stands in quotes is decoded exactly, what stands between tokens is forgiven.

A machine with an explicit stack of open containers; each container has a state that says what is read next. It never
recurses, never goes back behind a token, and spends a bounded number of steps per character.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from toolmend.repairs.errors import LimitError, NotJsonError
from toolmend.repairs.record import JsonValue, Path
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.bare import read_bare
from toolmend.repairs.text.brackets import close_wrongly
from toolmend.repairs.text.cursor import Cursor, Options
from toolmend.repairs.text.frames import Frame, Keys, path_of
from toolmend.repairs.text.quoted import QuotedReader
from toolmend.repairs.text.reading import Reading
from toolmend.repairs.text.strict import identical, refuse_surrogates
from toolmend.repairs.text.strings import KEY_AHEAD, key_ahead
from toolmend.repairs.text.tokens import CALL, CLOSERS, COMMAS, OPENERS, QUOTES, SEPARATOR

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
        self.cursor = Cursor(text, start, options)
        self.options = options
        self.keys = Keys(options.aliases)
        self.root = Frame("", None, state="value")
        self.stack: list[Frame] = [self.root]
        self.quoted = QuotedReader(self.cursor, self.keys, self.stack)
        self.cursor.where = lambda: path_of(self.stack)
        self.unclosed: list[Path] = []
        self.choices: list[int] = []

    # ------------------------------------------------------------------ the machine

    def read(self) -> Reading:
        """Run the machine to the end of the value."""
        self._implicit_root()
        while self.root.state != "after":
            self.cursor.budget.spend(1)
            self._skip_space()
            if self.cursor.at_end():
                self._at_end()
            else:
                _STATES[self.stack[-1].state](self)
        if not self.options.embedded:
            self._behind_root()
        value = self.root.members[""]
        refuse_surrogates(self.cursor.text, value)
        return Reading(value, self.cursor.pos, tuple(self.cursor.repairs), tuple(self.unclosed))

    def _skip_space(self) -> None:
        """Pass over white space; where a value without quotes may begin with `#`, that is no comment."""
        cursor = self.cursor
        cursor.skip_space(comments=False)
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
        if char in OPENERS:
            self._open(char)
        elif self.quoted.begins():
            self.put(self.quoted.read())
        elif char in CLOSERS:
            self._closer_for_value(char)
        elif char in COMMAS:
            self._comma_for_value()
        elif not self._wrapper_call():
            self.put(read_bare(cursor, self.keys, self.stack, self.schema()))

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
        if match is None or match[0].rstrip("( \t\n") not in self.options.callees:
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
                self.cursor.record("extra-comma", self.cursor.pos, self.cursor.pos, "")
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
        self.cursor.skip("extra-comma", 1)

    # ------------------------------------------------------------------ keys

    def _key(self) -> None:
        """Read a key of an object, or what stands in place of one."""
        cursor, frame, char = self.cursor, self.stack[-1], self.cursor.peek()
        if char in CLOSERS:
            if not frame.empty and not frame.fresh:
                cursor.record("extra-comma", cursor.pos, cursor.pos, "")
            frame.state = "after"
            self._close_any(char)
        elif char in COMMAS:
            cursor.skip("extra-comma", 1)
        elif cursor.text.startswith(("...", "…"), cursor.pos):
            raise cursor.fail("members were left out with an ellipsis", expected="every member written out", final=True)
        elif char in "{｛":
            self._object_for_key(frame)
        elif not self._key_with_lost_quote(frame):
            self._plain_key(frame)

    def _plain_key(self, frame: Frame) -> None:
        cursor = self.cursor
        start = cursor.pos
        match = KEY_AHEAD.match(cursor.text, start)
        bare = match is not None and not match["quote"] and not match["close"]
        if bare and match is not None:
            frame.key = match["key"].strip()
            cursor.pos = match.start("sep")
            if not (frame.call and match["sep"] == "="):
                cursor.record("bare-key", start, start + len(frame.key), f'"{frame.key}"')
        elif self.quoted.begins():
            key = self.quoted.read(is_key=True)
            if self._not_a_key(frame, key):
                return
            frame.key = key
        else:
            raise self._no_key_error(start)
        frame.state = "separator"

    def _no_key_error(self, start: int) -> NotJsonError:
        message = "a key is missing or has no value"
        if any(mark in self.cursor.text[start : start + 80] for mark in QUOTES):
            return self.cursor.quote_fault(message, start)
        return self.cursor.fail(message, at=start, expected='"key": value', final=True)

    def _key_with_lost_quote(self, frame: Frame) -> bool:
        """Read a known key that lost one of its quotes: `"title: 3` or `title": 3`."""
        if not self.options.schema_strings:
            return False
        match = self.cursor.match(KEY_AHEAD)
        if match is None or bool(match["quote"]) == bool(match["close"]):
            return False
        key = match["key"].strip()
        if self.keys.declared(key, frame.schema) is None or key in frame.members:
            return False
        self.cursor.record("lost-quote", match.start(), match.start("sep"), f'"{key}"', kind="inferred")
        frame.key, frame.state = key, "separator"
        self.cursor.pos = match.start("sep")
        return True

    def _not_a_key(self, frame: Frame, text: str) -> bool:
        """Deal with a string in place of a key that has no value: the member of a set, or the next item of a list."""
        self._skip_space()
        after = self.cursor.peek()
        if after not in {*COMMAS, *CLOSERS} or after == "":
            return False
        a_set = frame.schema is None or (frame.schema.allows("array") and not frame.schema.allows("object"))
        if a_set and frame.empty and frame.closer == "}":
            self.cursor.record("set", frame.opened, frame.opened + 1, "[")
            frame.items = [text]
            frame.state = "after"
            return True
        return self._list_without_opener(frame, text)

    def _list_without_opener(self, frame: Frame, text: str) -> bool:
        """Take the last member as the first item of a list whose opener was lost: `"tags": "a", "b"]`."""
        schema = self.keys.child(frame)
        last = frame.members.get(frame.key)
        if (
            frame.fresh
            or schema is None
            or not schema.allows("array")
            or schema.allows("string")
            or not isinstance(last, str)
        ):
            return False
        del frame.members[frame.key]
        frame.given.discard(self.keys.declared(frame.key, frame.schema) or frame.key)
        frame.state = "value"
        self.cursor.record("missing-opener", self.cursor.pos, self.cursor.pos, "[", kind="inferred")
        opened = self.push("]", is_list=True, implicit=True)
        opened.items = [last, text]
        opened.state = "after"
        return True

    def _object_for_key(self, frame: Frame) -> None:
        """Meet an opening brace where a key is due: a doubled brace, or the next item of the list around."""
        if frame.empty and not frame.call:
            self.cursor.skip("doubled-brace", 1)
            return
        if len(self.stack) > 2 and self.stack[-2].is_list and not frame.fresh:
            self.cursor.record("missing-closer", self.cursor.pos, self.cursor.pos, "}", kind="inferred")
            self.pop()
            self.stack[-1].state = "value"
            return
        raise self.cursor.fail("an object stands where a key is due", expected='"key": value')

    def _separator(self) -> None:
        """Read what stands between a key and its value."""
        cursor, frame = self.cursor, self.stack[-1]
        match = cursor.match(SEPARATOR)
        if match is None:
            self._missing_separator(frame)
        elif match[0] not in ({"="} if frame.call else {":"}):
            cursor.skip("separator", len(match[0]), ":")
        else:
            cursor.pos = match.end()
        frame.state = "value"

    def _missing_separator(self, frame: Frame) -> None:
        char = self.cursor.peek()
        if char in CLOSERS or char in COMMAS:
            raise self.cursor.fail(f"no value stands behind {frame.key!r}", expected="a value", final=True)
        known = self.keys.declared(frame.key, frame.schema) is not None or frame.schema is None
        if not known or not (char in QUOTES or char in OPENERS or char in "-0123456789tfnTFN"):
            raise self.cursor.fail(f"a colon is missing behind {frame.key!r}", expected=":")
        self.cursor.record("missing-colon", self.cursor.pos, self.cursor.pos, ":")

    # ------------------------------------------------------------------ behind a value

    def _after(self) -> None:
        """Read what stands behind a value: a comma, a closer, or the next value without a comma."""
        cursor, frame, char = self.cursor, self.stack[-1], self.cursor.peek()
        if char in COMMAS:
            if char != ",":
                cursor.record("comma-style", cursor.pos, cursor.pos + 1, ",")
            cursor.pos += 1
            self._next(frame)
        elif char in CLOSERS:
            self._close_any(char)
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
            fits = starts and not self.options.python
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
        only_brackets = frame.closer == ")" and frame.is_list and frame.fresh and len(frame.items or ()) == 1
        if only_brackets:
            self.stack.pop()
            self.put((frame.items or [None])[0])
        else:
            self.pop()

    def _closes_root_early(self, frame: Frame) -> bool:
        """Whether the closer of the whole object stands in front of a further member: `{"a": 1}, "b": 2}`."""
        cursor = self.cursor
        if len(self.stack) != 2 or frame.is_list or self.options.embedded or frame.schema is None:
            return False
        after = cursor.after_space(cursor.pos + 1)
        if after >= len(cursor.text) or cursor.text[after] not in COMMAS:
            return False
        return key_ahead(cursor, self.keys, frame, cursor.after_space(after + 1)) is not None

    def _close_any(self, char: str) -> None:
        """Close with a closer that may be the wrong one, one too many, or that of a container further out."""
        if CLOSERS[char] == self.stack[-1].closer:
            self._close(char)
        else:
            close_wrongly(self, char)

    def _at_end(self) -> None:
        """Meet the end of the text with containers open."""
        frame = self.stack[-1]
        if frame.state != "after" or frame is self.root:
            raise self.cursor.cut(_WHERE.get(frame.state, "in the middle"), path_of(self.stack)[:-1])
        if frame.is_list:
            raise self.cursor.cut("inside a list", path_of(self.stack)[:-1])
        if self.options.complete is not True and self.cursor.text.rstrip().endswith(('""', "''")):
            raise self.cursor.cut("behind two quotes, which may open a longer string", path_of(self.stack))
        self.unclosed.append(path_of(self.stack)[:-1])
        if not frame.implicit:
            self.cursor.record("missing-closer", self.cursor.pos, self.cursor.pos, frame.closer)
        self.pop()

    def begins_inside(self) -> bool:
        """Whether the text begins with a member of the object, or a call that only wraps its members."""
        self._implicit_root()
        return len(self.stack) > 1 or self._wrapper_call()

    def _implicit_root(self) -> None:
        """Open an object whose opening brace is not there: `"city": "Oslo"}` or `city="Oslo"`."""
        cursor = self.cursor
        cursor.skip_space()
        if self.options.embedded or self.options.schema is None or not self.options.schema.allows("object"):
            return
        probe = Frame("}", self.options.schema)
        if key_ahead(cursor, self.keys, probe, cursor.pos) is None or CALL.match(cursor.text, cursor.pos):
            return
        cursor.record("missing-opener", cursor.pos, cursor.pos, "{")
        self.push("}", is_list=False, implicit=True)

    def _behind_root(self) -> None:
        """Ask that nothing but surplus closers stands behind the value."""
        cursor = self.cursor
        cursor.skip_space()
        while not cursor.at_end():
            if cursor.peek() not in CLOSERS and cursor.peek() != ";":
                raise cursor.fail("something stands behind the value", expected="nothing more")
            cursor.skip("extra-closer", 1)
            cursor.skip_space()


_STATES: Final[Mapping[str, Callable[[Reader], None]]] = {
    "key": Reader._key,  # noqa: SLF001
    "separator": Reader._separator,  # noqa: SLF001
    "value": Reader._value,  # noqa: SLF001
    "after": Reader._after,  # noqa: SLF001
}

_WHERE: Final = {"key": "where a key is due", "separator": "behind a key", "value": "where a value is due"}
