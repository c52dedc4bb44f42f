"""One pass over a text from left to right, which finds calls where they may stand and passes over what is quoted."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import LimitError
from toolmend.repairs.record import Repair, snippet
from toolmend.toolkit.extract import reasoning
from toolmend.toolkit.extract.bare import begins_bare
from toolmend.toolkit.extract.bodies import Head, name_alone, read_named
from toolmend.toolkit.extract.candidate import CallCandidate, Evidence, Part, Shape
from toolmend.toolkit.extract.ends import END, ENDS
from toolmend.toolkit.extract.events import EVENT, LINE_START, MARK, REPLY_CLOSERS, Openings, closer_of, name_of
from toolmend.toolkit.extract.evidence import is_attempt, is_marked
from toolmend.toolkit.extract.fences import FENCE, read_fence
from toolmend.toolkit.extract.harmony import read_message
from toolmend.toolkit.extract.marked import read_marked
from toolmend.toolkit.extract.shapes import read_block, read_lines
from toolmend.toolkit.extract.shown import is_blank, shown_fences
from toolmend.toolkit.extract.source import MAX_CALLS, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ("Extraction", "find_calls")


@dataclass(slots=True)
class Extraction:
    """What was found in a text.

    Attributes:
        candidates: what may be calls, in order.
        hidden: spans that are no prose: reasoning, markers that stand alone, tokens.
        cut: where a result begins that the model invented; the end of the text if there is none.
        repairs: changes that belong to no single call.
    """

    candidates: list[CallCandidate] = field(default_factory=list)
    hidden: list[tuple[int, int]] = field(default_factory=list)
    cut: int = 0
    repairs: tuple[Repair, ...] = ()


FENCE_MARKS: Final = 3
"""Fewest back-ticks that open a fence; fewer open inline code."""

CODE_INDENT: Final = 4
"""Fewest blanks in front of a line that make it code."""

_OBSERVATION: Final = re.compile(r"(?:\*\*)?[Oo]bservation(?:\*\*)?\s?:")
_TURN: Final = re.compile(r"\#{2,4}\s?(?:Instruction|Human|User)\b", re.IGNORECASE)
_SPEAKER: Final = re.compile(r"(?:\*\*)?(?:User|Human)(?:\*\*)?\s?:", re.IGNORECASE)
_ANSWER: Final = re.compile(r"\n[ \t]*(?:\*\*)?(?:Assistant|AI)(?:\*\*)?\s?:", re.IGNORECASE)
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»"}


def find_calls(source: Source) -> Extraction:
    """Find whatever may be a call in a text.

    Args:
        source: the text, with the registered tools.
    """
    return _Scan(source).run()


class _Scan:
    """One pass over one text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.found: list[CallCandidate] = []
        self.hidden: list[tuple[int, int]] = []
        self.fences: list[tuple[int, int]] = []
        self.cut = len(source.text)
        self.repairs: tuple[Repair, ...] = ()
        self.open_since: int | None = None  # where reasoning began that is still open
        self.fresh_at = 0  # up to here a line is blank although something hidden stands in it
        self.missing: set[str] = set()  # what closes something and does not follow any more
        self.unclosed_code: dict[int, int] = {}  # for runs of back-ticks: none of that length follows up to there
        self.paragraph_end = -1

    def run(self) -> Extraction:
        """Go through the text, then drop what turns out not to count."""
        openings = Openings(self.text)
        is_document = self.source.is_document
        pos = self.block(self.source.first) if is_document or begins_bare(self.source) else self.line_at(0)
        if is_document and not self.found:
            return Extraction(cut=self.cut)
        while pos < self.cut:
            opening = openings.after(pos)
            if opening is None:
                break
            match = EVENT.match(self.text, opening)
            if match is None:
                pos = opening + 1
                continue
            pos = _HANDLERS[match.lastgroup or ""](self, match)
            if len(self.found) > MAX_CALLS:
                self.stop_at_limit()
        self.drop_fences_before_prose()
        self.drop_drafts()
        return Extraction(self.found, sorted(self.hidden), self.cut, self.repairs)

    def stop_at_limit(self) -> None:
        """Look no further in a text with more calls than anyone means."""
        kept = [candidate for candidate in self.found[:MAX_CALLS] if candidate.span not in self.fences]
        start = self.found[MAX_CALLS].span[0]
        error = LimitError(f"the text holds more than {MAX_CALLS} calls", expected="fewer calls in one message")
        rest = Part(None, None, (start, self.cut), Shape.NAMELESS, fault=error)
        self.found = [*kept, CallCandidate(rest, "", Evidence.TAG, rest.span)]
        self.fences, self.cut = [], start

    # ------------------------------------------------------------------ events

    def marker(self, match: re.Match[str]) -> int:
        """Meet a marker: read what stands behind it."""
        start = match.start()
        if self.is_closer(match):
            return self.hide(*match.span())
        read = read_marked(self.source, start)
        if read is None:
            return match.end()
        candidates, end = read
        if not candidates:
            return self.hide(start, end)
        if not self.is_quoted(start, end):
            self.found += candidates
        is_closed = self.text[end - 1 : end] == ">"  # a further call may stand right behind a closing tag
        return self.line_at(end) if is_closed else end

    def is_closer(self, match: re.Match[str]) -> bool:
        """Whether a marker stands right behind a call, and nothing behind it: some models close calls so."""
        if self.source.complete is not True or not self.found or self.found[-1].part.fault is not None:
            return False
        start, end = self.found[-1].span
        again = self.text.startswith(match[0], start) and is_blank(self.text[end : match.start()])
        return again and not self.text[match.end() :].strip()

    def think(self, match: re.Match[str]) -> int:
        """Meet the start of reasoning: pass over it, or remember that it is open."""
        closer = reasoning.closer_of(match[0])
        if self.open_since is None and closer not in self.missing:
            end = self.text.find(closer, match.end(), self.cut)
            if end >= 0:
                return self.hide(match.start(), end + len(closer))
            self.missing.add(closer)
        if self.open_since is None and self.is_fresh(match.start()):
            self.open_since = match.start()
        return match.end()

    def thought(self, match: re.Match[str]) -> int:
        """Meet the end of reasoning that was never opened: all that stands before it is reasoning."""
        self.found, self.fences, self.hidden, self.open_since = [], [], [], None
        self.hidden.append((0, match.end()))
        self.fresh_at = match.end()
        return self.line_at(match.end())

    def result(self, match: re.Match[str]) -> int:
        """Meet a result: behind a call the model invented it; else it is quoted, and no call is read from it."""
        if self.open_since is not None:
            return match.end()
        return self.cut_at(match.start()) if self.found else self.behind_closer(match)

    def reply(self, match: re.Match[str]) -> int:
        """Meet the start of what is addressed to the user: no call is read from it."""
        closer = REPLY_CLOSERS[match[0]]
        end = self.text.find(closer, match.end())
        self.hidden.append(match.span())
        if end < 0:
            return len(self.text)
        self.hidden.append((end, end + len(closer)))
        return end + len(closer)

    def shown(self, match: re.Match[str]) -> int:
        """Meet a comment, or a tag around what is shown and not meant: pass over it, if it is closed."""
        return match.end() if name_of(match[0]) in self.source.tools else self.behind_closer(match)

    def message(self, match: re.Match[str]) -> int:
        """Meet the header of a message: to a tool, to the user, or the model to itself."""
        message = read_message(self.text, match.start())
        if message is None:
            return self.token(match)
        if message.recipient is None:
            reasoning_too = message.end(self.text) if message.channel == "analysis" else message.body
            self.hidden.append((message.start, reasoning_too))
            closers = ENDS.match(self.text, message.end(self.text))
            if closers is None:
                return message.end(self.text)
            self.hidden.append(closers.span())
            return closers.end()
        if MARK.match(self.text, message.body):
            return self.hide(message.start, message.body)
        head = Head(message.recipient, message.start)
        with self.source.behind_marker():
            found = read_named(self.source, message.body, head)
        if message.body >= len(self.text) and self.source.complete is not True:
            found = name_alone(head, message.body)
        closers = ENDS.match(self.text, found.end)
        end = closers.end() if closers is not None else found.end
        self.found += [
            CallCandidate(part, "harmony", Evidence.SPECIAL_TOKEN, (message.start, end)) for part in found.parts
        ]
        return end

    def token(self, match: re.Match[str]) -> int:
        """Meet a token of a chat template that leaked into the text."""
        at_end = END.match(self.text, match.start()) and self.ends_line(match.end())
        if self.is_fresh(match.start()) or at_end:
            return self.hide(*match.span())
        return match.end()

    def code(self, match: re.Match[str]) -> int:
        """Meet inline code: pass over it."""
        length = len(match[0])
        fence = FENCE.match(self.text, match.start()) if length >= FENCE_MARKS else None
        if fence is not None:
            return self.fence(match.start(), fence)
        if self.text[match.end() : match.end() + 1].isspace() or self.unclosed_code.get(length, -1) >= match.end():
            return match.end()
        if self.paragraph_end < match.end():
            end = self.text.find("\n\n", match.end())
            self.paragraph_end = end if end >= 0 else len(self.text)
        closer = re.compile(f"(?<![`\\s])`{{{length}}}(?!`)").search(self.text, match.end(), self.paragraph_end)
        if closer is None:
            self.unclosed_code[length] = self.paragraph_end
            return match.end()
        if match.start() == self.source.first and not self.text[closer.end() :].strip():
            self.whole_code(match, closer)
        return closer.end()

    def whole_code(self, opener: re.Match[str], closer: re.Match[str]) -> None:
        """Read a message that is one piece of inline code and nothing else: the marks are around it, not in a text."""
        found = read_block(self.source, opener.end())
        if found is None or found.end != closer.start():
            return
        marks = Repair("code-marks", "lossless", before=opener[0], span=opener.span())
        span = (opener.start(), closer.end())
        for part in found.parts:
            marked = replace(part, repairs=(marks, *part.repairs))
            self.found.append(CallCandidate(marked, found.format or "json", Evidence.SHAPE, span))

    def line(self, match: re.Match[str]) -> int:
        """Meet the start of a line on which something may stand by itself."""
        return self.block(match.end())

    def line_at(self, pos: int) -> int:
        """Treat a place as the start of a line."""
        match = LINE_START.match(self.text, pos)
        return self.block(match.end()) if match is not None else pos

    def block(self, pos: int) -> int:
        """Read what stands at the start of a line."""
        if self.text[pos] == ">" and not MARK.match(self.text, pos):
            end = self.text.find("\n", pos)
            return end if end >= 0 else len(self.text)
        fence = FENCE.match(self.text, pos)
        if fence is not None:
            return self.fence(pos, fence)
        if self.found and self.open_since is None and self.is_invented(pos):
            return self.cut_at(pos)
        is_thought = self.open_since is not None and not self.source.asked
        if is_thought or self.source.exhausted or MARK.match(self.text, pos):
            return pos
        found = read_lines(self.source, pos)
        if found is None:
            return pos
        if found.parts and self.is_indented(pos):
            self.fences.append((pos, found.end))
        if any(part.shape is not Shape.NAMELESS or self.source.nameless for part in found.parts):
            form = found.format or "json"
            span = (pos, found.end)
            self.found += [CallCandidate(part, form, Evidence.SHAPE, span) for part in found.parts]
        return found.end

    def fence(self, pos: int, opener: re.Match[str]) -> int:
        """Meet a fence: read it as a whole; whether it counts is known only at the end."""
        fence = read_fence(self.source, opener)
        if fence.candidates and self.open_since is None:
            self.fences.append((pos, fence.end))
            self.found += fence.candidates
        return fence.end

    # ------------------------------------------------------------------ places

    def hide(self, start: int, end: int) -> int:
        """Take a span out of the prose; what follows begins a line if the span did."""
        fresh = self.is_fresh(start)
        self.hidden.append((start, end))
        if not fresh:
            return end
        self.fresh_at = end
        return self.line_at(end)

    def cut_at(self, pos: int) -> int:
        """Let the text end here."""
        invented = Repair(
            "invented-result", "lossless", before=snippet(self.text[pos : pos + 200]), span=(pos, self.cut)
        )
        self.repairs = (*self.repairs, invented)
        self.cut = pos
        return pos

    def behind_closer(self, match: re.Match[str]) -> int:
        """Behind what closes a tag, or behind the tag if nothing does."""
        closer = closer_of(match[0])
        if not closer or closer in self.missing:
            return match.end()
        end = self.text.find(closer, match.end(), self.cut)
        if end < 0:
            self.missing.add(closer)
            return match.end()
        return end + len(closer)

    def is_fresh(self, pos: int) -> bool:
        """Whether nothing but blanks and hidden spans stands before a place on its line."""
        while pos > 0 and self.text[pos - 1] in " \t":
            pos -= 1
        return pos in (0, self.fresh_at) or self.text[pos - 1] == "\n"

    def is_indented(self, pos: int) -> bool:
        """Whether a block is indented so far that it is code, as a fence is: by four blanks behind a blank line."""
        start = self.text.rfind("\n", 0, pos) + 1
        indent = self.text[start:pos].expandtabs(CODE_INDENT)
        return (
            len(indent) >= CODE_INDENT
            and not self.text[self.text.rfind("\n", 0, max(start - 1, 0)) + 1 : start].strip()
        )

    def ends_line(self, pos: int) -> bool:
        """Whether nothing but blanks stands behind a place on its line."""
        while pos < len(self.text) and self.text[pos] in " \t":
            pos += 1
        return pos == len(self.text) or self.text[pos] == "\n"

    def is_quoted(self, start: int, end: int) -> bool:
        """Whether quotation marks stand around a span, so that it is spoken of and not made."""
        closer = _QUOTES.get(self.text[start - 1 : start])
        return closer is not None and self.text.startswith(closer, end)

    def is_invented(self, pos: int) -> bool:
        """Whether a line behind a call is the label of a result, or of a turn that is not the model's."""
        if _OBSERVATION.match(self.text, pos) or _TURN.match(self.text, pos):
            return True
        if _SPEAKER.match(self.text, pos) is None or _ANSWER.pattern in self.missing:
            return False
        if _ANSWER.search(self.text, pos) is not None:
            return True
        self.missing.add(_ANSWER.pattern)
        return False

    def may_count(self, candidate: CallCandidate) -> bool:
        """Whether a candidate may be a call, or else is a part of what is said."""
        name = candidate.part.name
        is_registered = self.source.tool(name) is not None or (name is None and self.source.nameless)
        return is_attempt(candidate, self.source.asked, registered=is_registered)

    # ------------------------------------------------------------------ what does not count in the end

    def drop_fences_before_prose(self) -> None:
        """Drop the calls of fences behind which more is said."""
        if not self.fences:
            return
        counting = {candidate.span for candidate in self.found if self.may_count(candidate)}
        fences = counting.intersection(self.fences)
        shown = shown_fences(self.text, fences, counting.union(self.hidden) - fences, self.cut)
        dropped = shown.union(set(self.fences) - fences)
        self.found = [candidate for candidate in self.found if candidate.span not in dropped]

    def drop_drafts(self) -> None:
        """Drop what stands in reasoning that is still open, but for the complete calls at its very end."""
        since = self.open_since
        if since is None:
            return
        start = self.cut
        for candidate in reversed(self.found):
            is_draft = candidate.span[0] < since or not is_marked(candidate, self.source.asked)
            if is_draft or not (candidate.span[0] == start or is_blank(self.text[candidate.span[1] : start])):
                break
            start = candidate.span[0]
        self.found = [one for one in self.found if one.span[0] < since or one.span[0] >= start]
        self.hidden.append((since, start))


_HANDLERS: Final[Mapping[str, Callable[[_Scan, re.Match[str]], int]]] = {
    "marker": _Scan.marker,
    "think": _Scan.think,
    "thought": _Scan.thought,
    "result": _Scan.result,
    "message": _Scan.message,
    "reply": _Scan.reply,
    "shown": _Scan.shown,
    "token": _Scan.token,
    "code": _Scan.code,
    "line": _Scan.line,
}
