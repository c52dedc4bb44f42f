"""Where a string ends: at its quote, or by what the schema lets follow the quote."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from toolmend.repairs.text.cursor import Cursor
from toolmend.repairs.text.escapes import starts_drive_path
from toolmend.repairs.text.frames import Frame, Keys
from toolmend.repairs.text.tokens import BARE_KEY_WORD, BLANKS, CLOSERS, COMMAS, OPENERS, QUOTES

__all__ = ("KEY_AHEAD", "Follow", "key_ahead", "schema_end", "strict_end")

KEY_AHEAD: Final = re.compile(
    r"""(?P<quote>["'`“”‘’„«＂＇]?)(?P<key>[^"'`“”‘’„«»＂＇:：={}\[\],\n\\]{1,120}?)(?P<close>["'`“”‘’»＂＇]?)\s*(?P<sep>=>|[:：=])(?!//)"""
)
"""A key, in quotes or bare, with the separator behind it."""

_KEY_OR_ITEM: Final = r"""(?:["'`][\w $.-]{1,60}["'`]|["'`]?[A-Za-z_$][\w-]{0,60}["'`]?\s*[:：="'`{\[]|\Z)"""
_NO_OPENING: Final = re.compile(
    rf"""\s*(?:[}}\]]|[+&]\s*["'`]|[,;，；、]\s*(?:\n|[:=(-]|{_KEY_OR_ITEM})|[-+*/|]\s*["'`]?\w+["'`]?\s*[:=])"""
)
"""What does not stand behind a quote that opens a quotation: a closer, a further key or item, a string joined on."""

_WORD_END: Final = re.compile(r'\w\w"\s|[^\w\s]?[^\W fFrRbBuU]"\s')
"""A quote behind a word, and not behind the letter in front of a string in Python."""

_KEY_INSIDE: Final = re.compile(r"""[,;]\s*["'`]?(?P<key>[\w $.-]{1,60})["'`]\s*[:=]""")
_TWO_QUOTES: Final = re.compile(r"""["'`][^\w"'`]{0,6}["'`]{1,2}""")

TRIPLE: Final = 3
"""How many quotes make a triple quote."""

_APOSTROPHE: Final = frozenset("'’`")


def strict_end(text: str, start: int, quote: str) -> int | None:
    """The offset of the quote that ends a string by the letter: the first one that is not escaped.

    Args:
        text: the raw text.
        start: offset behind the opening quote.
        quote: the opening quote, three characters long for a triple quote.

    Returns:
        The offset of the closing quote; None if there is none.
    """
    match = _content(quote).match(text, start)
    end = match.end() if match else start
    closes = text.startswith(quote, end) if len(quote) == TRIPLE else text[end : end + 1] in tuple(QUOTES[quote])
    return end if closes else None


@lru_cache(maxsize=32)
def _content(quote: str) -> re.Pattern[str]:
    """What may stand between quotes, up to the first closing one."""
    if len(quote) == TRIPLE:
        mark = quote[0]
        return re.compile(rf"[^{mark}\\]*(?:(?:\\.|{mark}(?!{mark}{mark}))[^{mark}\\]*)*", re.DOTALL)
    ends = re.escape(QUOTES[quote])
    return re.compile(rf"[^{ends}\\]*(?:\\.[^{ends}\\]*)*", re.DOTALL)


def key_ahead(cursor: Cursor, keys: Keys, frame: Frame, pos: int) -> re.Match[str] | None:
    """The key of an object that stands at an offset, if it may come next there.

    Args:
        cursor: the text.
        keys: the keys that are known.
        frame: the object.
        pos: where the key would begin.
    """
    match = KEY_AHEAD.match(cursor.text, pos)
    if match is None:
        return None
    quoted = bool(match["quote"] and match["close"])
    return match if keys.is_next(match["key"].strip(), frame, quoted=quoted) else None


class Follow:
    """Judges whether a string may end at a quote, by what follows it."""

    __slots__ = ("at_end", "cursor", "keys", "left_over", "seen", "stack")

    def __init__(self, cursor: Cursor, keys: Keys, stack: Sequence[Frame]) -> None:
        """Look at the containers that are open."""
        self.cursor = cursor
        self.keys = keys
        self.stack = stack
        self.left_over = False
        self.at_end = False
        self.seen = False

    def ends(self, pos: int) -> bool:
        """Whether what stands at an offset may follow the end of a string.

        Args:
            pos: offset behind the quote.
        """
        quote = self.cursor.text[pos - 1]
        self.cursor.budget.spend(4)
        self.left_over = self.at_end = False
        text, depth = self.cursor.text, len(self.stack) - 1
        pos = self.cursor.after_comments(pos, quote=quote)
        while pos < len(text) and text[pos] in CLOSERS:
            if depth >= 1 and self.stack[depth].closer == CLOSERS[text[pos]]:
                depth -= 1
            elif depth >= 1:
                return False
            pos = self.cursor.after_comments(pos + 1)
        if depth < 1:
            rest = text[pos : pos + 80].strip(BLANKS + ";")
            self.left_over = bool(rest) and not self.cursor.options.embedded
            return not self.left_over
        if pos >= len(text):
            self.at_end = True
            return True
        return self._continues(self.stack[depth], pos, closed=depth < len(self.stack) - 1)

    def begins_member(self, pos: int) -> bool:
        """Whether a quoted key that may come next in an open object, with its colon, stands at an offset.

        Args:
            pos: offset of a quote.
        """
        match = KEY_AHEAD.match(self.cursor.text, pos)
        if match is None or not match["close"]:
            return False
        key = match["key"].strip()
        self.cursor.budget.spend(len(self.stack))
        return any(not frame.is_list and self.keys.is_next(key, frame, quoted=True) for frame in self.stack[1:])

    def may_hold(self, key: str) -> bool:
        """Whether one of the open objects may hold a key besides the one being read: a known one, or any if it is open.

        Args:
            key: the key as written.
        """
        frames = [frame for frame in self.stack[1:] if not frame.is_list]
        if any(self.keys.is_next(key, frame, quoted=True) and key != frame.key for frame in frames):
            return True
        return bool(frames) and key not in frames[-1].members and self.keys.is_open(frames[-1])

    def begins_any(self, pos: int) -> bool:
        """Whether a key in quotes, with its colon, that an open object may hold stands at an offset.

        Args:
            pos: offset of its opening quote, or one behind it.
        """
        matches = (KEY_AHEAD.match(self.cursor.text, at) for at in (pos - 1, pos))
        return any(match is not None and match["close"] and self.may_hold(match["key"].strip()) for match in matches)

    def begins_item(self, pos: int) -> bool:
        """Whether a quote may open the next item of a list: it stands behind a comma or an opener.

        Args:
            pos: offset of the quote.
        """
        if not self.stack[-1].is_list:
            return False
        before = self.cursor.text[max(0, pos - 20) : pos].rstrip(BLANKS)[-1:]
        return before in COMMAS or before in OPENERS

    def next_on(self, pos: int) -> bool:
        """Whether a further item in quotes, or a known key without quotes or colon, stands there.

        Args:
            pos: offset behind a quote.
        """
        text, frame = self.cursor.text, self.stack[-1]
        after = self.cursor.after_space(pos)
        comma = text[after : after + 1] in {*COMMAS}
        if not comma and after == pos:
            return False
        if frame.is_list:
            return not comma and text[after : after + 1] in {*QUOTES}
        if comma:
            after = self.cursor.after_space(after + 1)
        word = BARE_KEY_WORD.match(text, after)
        return word is not None and (
            (comma and self.keys.is_next(word[0], frame, quoted=False))
            or key_ahead(self.cursor, self.keys, frame, after) is not None
        )

    def _continues(self, frame: Frame, pos: int, *, closed: bool) -> bool:
        """Whether an open container can go on at an offset."""
        text = self.cursor.text
        if text[pos] not in COMMAS:
            may_lack_comma = not frame.is_list and not closed and text[pos] == '"'
            return may_lack_comma and key_ahead(self.cursor, self.keys, frame, pos) is not None
        pos = self.cursor.after_comments(pos + 1)
        if pos >= len(text):
            return True
        if text[pos] in CLOSERS:
            return frame.closer == CLOSERS[text[pos]]
        if frame.is_list:
            return text[pos] in QUOTES or text[pos] in OPENERS or text[pos] in "-0123456789tfnTFN"
        return key_ahead(self.cursor, self.keys, frame, pos) is not None


def schema_end(follow: Follow, start: int, quote: str) -> int | None:
    r"""The offset of the quote that ends a string, when quotes inside it were not escaped.

    A quote ends the string if what follows may follow there, and if the bare quotes before it come in pairs: an odd one
    would mean that this quote closes a quotation within the string, whose rest may be cut off. Where the two disagree,
    there are two readings and none counts. Apostrophes within a word and inch marks behind a digit are no quotations.

    Args:
        follow: the judge of what may follow.
        start: offset behind the opening quote.
        quote: the opening quote, three characters long for a triple quote.

    Returns:
        The offset of the closing quote; None if there is none.
    """
    text, closers = follow.cursor.text, QUOTES[quote[0]]
    marks = re.compile(rf"\\.|[{re.escape(closers)}]", re.DOTALL)
    drive = starts_drive_path(text[start : start + 4])
    inner = 0
    for match in marks.finditer(text, start):
        at = match.start()
        follow.cursor.budget.spend(1)
        if match[0][0] == "\\":
            if drive and match[0][1:] in closers and inner == 0 and follow.ends(match.end()):
                return match.end() - 1
            continue
        if len(quote) == TRIPLE:
            if text.startswith(quote, at) and not text.startswith(quote[0], at + 3):
                return at
            continue
        ends = follow.ends(at + 1)
        if inner % 2 == 0 and ends:
            if inner and (_begins_oddly(follow, start, at, closers) or _swallows_key(follow, start, at)):
                return None
            follow.seen = follow.seen or inner > 0
            return None if follow.at_end and follow.seen and follow.cursor.options.complete is not True else at
        if _has_two_readings(follow, at, ends=ends, within=inner % 2 == 1):
            return None
        if not _is_apostrophe(text, at, match[0]) and not (inner % 2 == 0 and _is_inch_mark(text, at)):
            inner += 1
    return None


def _begins_oddly(follow: Follow, start: int, end: int, closers: str) -> bool:
    """Whether a string with bare quotes may be something else: doubled quotes around it, the comma behind an item."""
    text = follow.cursor.text
    doubled = text[start] in closers and text[end - 1] in closers and end - start > 1
    only = doubled and not any(char in closers for char in text[start + 1 : min(end - 1, start + 200)])
    return only or (follow.stack[-1].is_list and text[start] in COMMAS)


def _swallows_key(follow: Follow, start: int, end: int) -> bool:
    """Whether a string with bare quotes holds a key, behind a comma, that may as well be one of an open object."""
    for match in _KEY_INSIDE.finditer(follow.cursor.text, start, end):
        follow.cursor.budget.spend(len(follow.stack))
        if follow.may_hold(match["key"].strip()):
            return True
    return False


def _has_two_readings(follow: Follow, at: int, *, ends: bool, within: bool) -> bool:
    """Whether a bare quote that is taken for a part of a string may be more than that.

    Args:
        follow: the judge of what may follow, having looked at this quote.
        at: offset of the quote.
        ends: whether the string might end there.
        within: whether the quote would close a quotation within the string.
    """
    if within:
        return ends or follow.begins_member(at) or follow.begins_item(at)
    text = follow.cursor.text
    beside = _TWO_QUOTES.match(text, at)
    if beside is not None and (follow.stack[-1].is_list or follow.begins_any(beside.end() - 1)):
        return True  # two strings side by side
    if text[at] == '"' and _WORD_END.match(text, max(0, at - 2)) and not _is_inch_mark(text, at):
        return True  # it stands behind a word, as a closing one does
    return follow.left_over or follow.next_on(at + 1) or _NO_OPENING.match(follow.cursor.text, at + 1) is not None


def _is_apostrophe(text: str, at: int, mark: str) -> bool:
    """Whether a bare single quote stands within a word."""
    return mark in _APOSTROPHE and text[at - 1 : at].isalpha() and text[at + 1 : at + 2].isalpha()


def _is_inch_mark(text: str, at: int) -> bool:
    """Whether a bare double quote stands behind a digit where no quotation is open."""
    return text[at] == '"' and text[at - 1 : at].isdigit() and text[at + 1 : at + 2] in (" ", "x", "×")
