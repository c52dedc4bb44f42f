"""Runs of plain JSON within a text that is none: the standard scanner reads them, a whole value at a time.

A text that needs mending is right nearly everywhere. What is right is read here, and comes out as the lenient reader
would read it, mark by mark: a member whose value ends at a comma or closer in its place. Where the scanner stops, or
where what is plain JSON may still mean something else, the lenient reader goes on.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from toolmend.repairs.numbers import SourcedFloat, SourcedInt, is_kept
from toolmend.repairs.record import JsonValue
from toolmend.repairs.text.escapes import is_doubtful
from toolmend.repairs.text.guard import is_deeper

if TYPE_CHECKING:
    from toolmend.repairs.text.cursor import Cursor
    from toolmend.repairs.text.frames import Frame
    from toolmend.repairs.text.lenient import Reader

__all__ = ("PlainRuns",)

_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_KEY: Final = re.compile(r'[ \t\r\n]*"([^"\\\x00-\x1f]*)"[ \t\r\n]*:(?![:：=])')
_BEHIND: Final = re.compile(r"[ \t\r\n]*(?:(,)|(?=[}\]]))")
_STRING: Final = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"')
_BEGINS: Final = frozenset('{["-0123456789tfn')
_TRIES: Final = 16
_FEW: Final = 20_000
"""A try that fails costs the characters up to its fault; a text may cost so many times its length, and so many more."""


class PlainRuns:
    """Reads the plain parts of one text for a lenient reader.

    Attributes:
        failed: where no plain value begins: it need not be tried again.
        left: what may still be spent on tries that fail, so that many faults do not make many passes.
    """

    __slots__ = ("escaped", "failed", "left", "reader")

    def __init__(self, reader: Reader) -> None:
        """Work for a reader."""
        self.reader = reader
        self.failed = -1
        self.left = _TRIES * len(reader.cursor.text) + _FEW
        self.escaped: list[tuple[int, int]] = []

    def read(self) -> bool:
        """Read as many plain members or items as follow here.

        Returns:
            Whether anything was read.
        """
        cursor, frame = self.reader.cursor, self.reader.stack[-1]
        start = pos = cursor.pos
        if start == self.failed or frame.call or frame.closer not in ("}", "]") or self.left < 0:
            return False
        text = cursor.text
        while True:
            if frame.state == "key":
                match = _KEY.match(text, pos)
                if match is None or match[1] in frame.members:
                    break
                frame.key, frame.state, pos = match[1], "value", match.end()
            elif frame.state != "value":
                break
            begin, pos = pos, self._value(frame, pos)
            if pos == begin:
                break
        self.failed = cursor.pos = pos
        if text.find("\\", start, pos) >= 0:
            self.escaped.append((start, pos))
        return pos > start

    def _value(self, frame: Frame, start: int) -> int:
        """Read one plain value with the comma behind it; gives the offset behind both, the old one if it is none."""
        text = self.reader.cursor.text
        pos = start if text[start : start + 1] in _BEGINS else _BLANKS.match(text, start).end()  # type: ignore[union-attr]
        if text[pos : pos + 1] not in _BEGINS:
            return start
        try:
            value, end = _DECODER.raw_decode(text, pos)
        except (ValueError, RecursionError) as error:
            self.left -= error.pos if isinstance(error, json.JSONDecodeError) else 100
            return start
        behind = _BEHIND.match(text, end)
        if behind is None or self._is_doubtful(frame, value, pos, behind.end()):
            return start
        self.reader.cursor.pos = end
        self.reader.put(value)
        if behind[1] is None:
            return int(end)
        frame.comma = behind.start(1)
        frame.state = "value" if frame.is_list else "key"
        frame.fresh = False
        return behind.end()

    def _is_doubtful(self, frame: Frame, value: JsonValue, start: int, behind: int) -> bool:
        """Whether a value is nested too deep, or is a bare word that may be text or go on behind the comma."""
        text = self.reader.cursor.text
        if isinstance(value, (dict, list)):
            options = self.reader.options
            room = options.limits.depth - len(self.reader.stack) + 1
            return not options.bounded and is_deeper(text[start:behind], room)
        if type(value) not in _BARE:
            return False
        schema = self.reader.keys.child(frame)
        if schema is None or not schema.allows("string"):
            return not frame.is_list and text[behind : behind + 1].isdigit()  # 1,200
        return not schema.allows("boolean") if isinstance(value, bool) else not frame.is_list  # 10, Downing Street

    def note_escapes(self, cursor: Cursor) -> None:
        """Note how backslashes were written in what was read, if that is in doubt elsewhere in the text.

        Args:
            cursor: keeps the signs.
        """
        if not cursor.signs & {"escaped-space", "unknown-escape"}:
            return
        for start, end in self.escaped:
            for match in _STRING.finditer(cursor.text, start, end):
                if "\\\\" in match[1]:
                    cursor.signs.add("doubled")
                if "\\" in match[1] and is_doubtful(match[1]):
                    cursor.signs.add("doubtful")


_BARE: Final = frozenset({bool, int, float, SourcedInt, SourcedFloat})


class _OddError(ValueError):
    """Plain JSON that has to be looked at more closely: a key twice, a number that no float holds."""


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _OddError
    return members


def _float(text: str) -> float:
    value = float(text)
    if not is_kept(value, text):
        raise _OddError
    return SourcedFloat.of(value, text)


def _int(text: str) -> int:
    return int(text) if text != "-0" else SourcedInt.of(0, text)


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_float=_float, parse_int=_int, parse_constant=_float)
