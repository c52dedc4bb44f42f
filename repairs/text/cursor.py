"""A place in a text, with what was forgiven up to there."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from toolmend.repairs.errors import CutOffError, NotJsonError
from toolmend.repairs.policy import Limits
from toolmend.repairs.record import Path, Repair, RepairKind, snippet
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.guard import Budget
from toolmend.repairs.text.tokens import COMMAS, COMMENT, MAY_BE_SKIPPED, PLAIN_SPACE, SPACE

__all__ = ("MOST_RECORDS", "Cursor", "Options", "QuoteError", "place")

MOST_RECORDS: Final = 10_000
"""Most lossless repairs that one reading notes: far more than a policy keeps, far fewer than a text could ask for."""

PYTHON_OWN: Final = frozenset({"literal", "quote-style", "tuple", "number-notation"})
"""What is forgiven in JSON and is the right notation in Python."""


_CONTRADICTIONS: Final = {
    ("escaped-space", "doubled"): "line breaks between tokens are escaped, and backslashes in strings may be too",
    ("unknown-escape", "doubtful"): "backslashes are not escaped in one string, and may not be in another",
}
"""Signs of how backslashes are written that do not go together."""


class QuoteError(NotJsonError):
    """A place where a quote inside a string was not escaped, or one was lost: the schema may tell which."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a text is to be read.

    Attributes:
        schema: the schema of the value; None if nothing is known.
        aliases: spellings of keys that declared rules know, with the declared key.
        callees: names of calls that only wrap their keywords, `dict` among them.
        embedded: stop behind the value instead of asking that it is the whole text.
        schema_strings: find the ends of strings by what the schema lets follow.
        python: read Python's literals and nothing looser: a bare word is a variable.
        complete: whether the model is known to have stopped by itself (True), to have been cut (False), or neither.
        decisions: which option to take at each place where several are consistent.
        limits: bounds on the work.
        bounded: whether it is known that the text is nested no deeper than its limit.
    """

    schema: SchemaNode | None = None
    aliases: Mapping[str, str] = field(default_factory=dict)
    callees: frozenset[str] = frozenset({"dict"})
    embedded: bool = False
    schema_strings: bool = False
    python: bool = False
    complete: bool | None = None
    decisions: tuple[int, ...] = ()
    limits: Limits = field(default_factory=Limits)
    bounded: bool = False


def place(text: str, offset: int) -> tuple[int, int, str]:
    """Where an offset is, for a person.

    Args:
        text: the raw text.
        offset: characters from its start.

    Returns:
        Line and column, both from 1, and about 20 characters around the place.
    """
    line = text.count("\n", 0, offset) + 1
    column = offset - (text.rfind("\n", 0, offset) + 1) + 1
    return line, column, text[max(0, offset - 10) : offset + 10]


def _holds_quote(comment: str, quote: str, *, touching: bool) -> bool:
    """Whether the quotes in what may be a comment tell that it may as well be the rest of the string before it."""
    marks = [at for at, char in enumerate(comment) if char == quote]
    if quote == "'":
        marks = [at for at in marks if not (comment[at - 1 : at].isalpha() and comment[at + 1 : at + 2].isalpha())]
    return len(marks) % 2 == 1 or (touching and bool(marks))


class Cursor:
    """A place in a text that moves forward, and the record of what was forgiven behind it."""

    __slots__ = ("budget", "options", "pos", "repairs", "signs", "text", "where")

    def __init__(self, text: str, pos: int, options: Options) -> None:
        """Stand at an offset of the text."""
        self.text = text
        self.pos = pos
        self.options = options
        self.repairs: list[Repair] = []
        self.signs: set[str] = set()
        self.where: Callable[[], Path] = tuple
        self.budget = Budget(options.limits.steps_per_char * (len(text) + 200))

    def at_end(self) -> bool:
        """Whether nothing is left."""
        return self.pos >= len(self.text)

    def peek(self, length: int = 1) -> str:
        """The next characters."""
        return self.text[self.pos : self.pos + length]

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Match a pattern at this place, without moving."""
        return pattern.match(self.text, self.pos)

    def record(self, rule: str, start: int, end: int, after: str, *, kind: RepairKind = "lossless") -> None:
        """Keep what was forgiven between two offsets."""
        if self.options.python and rule in PYTHON_OWN:
            return
        if len(self.repairs) < MOST_RECORDS or kind != "lossless":
            before = snippet(self.text[start:end])
            self.repairs.append(Repair(rule, kind, self.where(), before, snippet(after), (start, end)))

    def skip(self, rule: str, length: int, after: str = "") -> None:
        """Pass over characters that mean nothing, on record."""
        self.record(rule, self.pos, self.pos + length, after)
        self.pos += length

    def skip_commas(self) -> None:
        """Pass over commas where a key or value is due, on record as one."""
        end = self.pos
        while end < len(self.text) and self.text[end] in COMMAS:
            end += 1
        self.budget.spend(end - self.pos)
        self.skip("extra-comma", end - self.pos)

    def skip_space(self, *, comments: bool = True) -> None:
        """Pass over white space, invisible marks and comments."""
        while self.text[self.pos : self.pos + 1] in MAY_BE_SKIPPED:
            self.budget.spend(1)
            match = SPACE.match(self.text, self.pos)
            if match is not None:
                if not PLAIN_SPACE.issuperset(match[0]):
                    self.record("invisible-mark", match.start(), match.end(), " ")
                    if "\\" in match[0]:
                        self.signs.add("escaped-space")
                self.pos = match.end()
            elif comments and not self.options.python and self._comment():
                continue
            else:
                return

    def _comment(self) -> bool:
        match = self.match(COMMENT) if self.text[self.pos] in "/#" else None
        if match is None:
            return False
        if not match[0].startswith("/*") and (match[0].count('"') - match[0].count('\\"')) % 2:
            raise self.quote_fault("a quote in what may be a comment may as well belong to a string", self.pos)
        self.skip("comment", len(match[0]))
        return True

    def after_space(self, pos: int) -> int:
        """The offset of the next token behind another offset, without moving."""
        match = SPACE.match(self.text, pos)
        return match.end() if match else pos

    def after_comments(self, pos: int, *, quote: str = "") -> int:
        """The offset of the next token behind white space and comments, without moving.

        Args:
            pos: where to begin.
            quote: the quote that may end a string just before; a comment that holds it in a way in which it may as well
                be the rest of the string is not passed over.
        """
        text = self.text
        begin = pos
        while (pos := self.after_space(pos)) < len(text) and text[pos] in "/#" and not self.options.python:
            end = self._comment_end(pos)
            if end is None:
                return pos
            if quote and _holds_quote(text[pos:end], quote, touching=pos == begin):
                return pos
            pos = end
        return pos

    def _comment_end(self, pos: int) -> int | None:
        """The offset behind the comment that begins at an offset; None if there is none."""
        text = self.text
        if text.startswith("/*", pos):
            end = text.find("*/", pos + 2) + 2
            found = end if end > 1 else None
        elif text[pos] == "#" or text.startswith("//", pos):
            end = text.find("\n", pos)
            found = end if end >= 0 else len(text)
        else:
            return None
        self.budget.spend(((len(text) if found is None else found) - pos) // 16 + 1)
        return found

    def fail(self, message: str, *, at: int | None = None, expected: str = "", final: bool = False) -> NotJsonError:
        """The error for a place that cannot be read."""
        line, column, around = place(self.text, self.pos if at is None else at)
        text = f"{message} at line {line}, column {column}, near {around!r}"
        return NotJsonError(text, line=line, column=column, expected=expected, given=around, final=final)

    def refuse_mixed_escapes(self) -> None:
        """Refuse backslashes that have one meaning in one place of the text and another elsewhere."""
        for pair, message in _CONTRADICTIONS.items():
            if self.signs.issuperset(pair):
                raise self.fail(message, at=0, expected="every backslash in a string escaped once", final=True)

    def quote_fault(self, message: str, at: int) -> QuoteError:
        """The error for a quote that neither ends a string nor is escaped."""
        line, column, around = place(self.text, at)
        text = f"{message} at line {line}, column {column}, near {around!r}"
        return QuoteError(text, line=line, column=column, expected='inner quotes escaped as \\"', given=around)

    def cut(self, where: str, path: Path = ()) -> CutOffError:
        """The error for a text that stops in the middle."""
        line, column, _ = place(self.text, len(self.text))
        message = f"the text ends {where}: something may be missing"
        return CutOffError(message, path=path, line=line, column=column, expected="the whole call again")
