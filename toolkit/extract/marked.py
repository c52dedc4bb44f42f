"""Reads the calls behind a marker, with what closes them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import CutOffError, NotJsonError
from toolmend.repairs.record import snippet
from toolmend.toolkit.extract.behind import rest_of_call, with_fault, with_surplus
from toolmend.toolkit.extract.candidate import CallCandidate, Evidence, Found, Part, Shape
from toolmend.toolkit.extract.ends import BAR, CLOSING, END, ENDS, PARAMETER
from toolmend.toolkit.extract.late import with_arguments_behind
from toolmend.toolkit.extract.markers import ANY_OPENER, OPENERS

if TYPE_CHECKING:
    from toolmend.toolkit.extract.marker import Marker
    from toolmend.toolkit.extract.source import Source

__all__ = ("read_marked",)

_OPENER: Final = re.compile(rf"\s*(?:{ANY_OPENER})")
_NEXT: Final = re.compile(f"(?P<opener>{ANY_OPENER})|(?P<closer>{CLOSING})")
"""What ends a stretch behind a marker: the next marker, or a closing tag."""

_LIKE_CALL: Final = re.compile(r"\s*(?:[{\[(\"']|\w[\w-]{0,40}\s?:)")
_TOKENS: Final = re.compile(rf"<{BAR}[^<>\n]{{1,60}}{BAR}>")
_HALF_CLOSER: Final = re.compile(rf"\s*(?:</[A-Za-z_:]{{0,30}}|<{BAR}[/\w▁ ]{{0,40}}(?:{BAR})?|\[/[A-Z_]{{0,20}})\Z")
_LINE: Final = 200
"""How far back the start of a line is looked for."""


def read_marked(source: Source, start: int) -> tuple[list[CallCandidate], int] | None:
    """Read the calls behind a marker.

    Args:
        source: the text, with the registered tools.
        start: where the marker begins.

    Returns:
        The calls, and the offset behind them and what closes them; no calls for a marker that only opens a section;
        None if no marker stands there, or nothing behind it looks like a call.
    """
    for marker, opener in OPENERS.get(source.text[start : start + 1], ()):
        match = opener.match(source.text, start)
        if match is None:
            continue
        if marker.read is None:
            return [], match.end()
        with source.behind_marker():
            found = marker.read(source, match)
        if found is None and _OPENER.match(source.text, match.end()):
            return [], match.end()
        found = _whole(source, _joined(source, found)) if found is not None else _attempt(source, marker, match)
        if found is None:
            return None
        found = with_arguments_behind(source, found, _behind_closers(source, found.end))
        found = _with_parameters(source, found, _behind_closers(source, found.end))
        end = _behind_closers(source, found.end)
        spans = [(min(start, part.span[0]), end) for part in found.parts]
        candidates = [
            CallCandidate(part, marker.format, marker.evidence, span)
            for part, span in zip(found.parts, spans, strict=True)
        ]
        return candidates, end
    return None


def _behind_closers(source: Source, pos: int) -> int:
    """Behind what closes a call, the half of a closing tag at the end of the text too."""
    closers = ENDS.match(source.text, pos)
    end = closers.end() if closers is not None else pos
    half = _HALF_CLOSER.match(source.text, end)
    return half.end() if half is not None else end


def _with_parameters(source: Source, found: Found, end: int) -> Found:
    """What was found, with a fault if a parameter stands behind the tag that closes the last call."""
    behind = PARAMETER.match(source.text, end)
    if behind is None or not found.parts or found.parts[-1].fault is not None:
        return found
    following = _NEXT.search(source.text, behind.end())
    given = snippet(source.text[end : end + 60].strip())
    error = NotJsonError("a parameter stands behind the end of the call", given=given, expected="one whole call")
    return with_fault(found, error, following.start() if following is not None else len(source.text))


def _joined(source: Source, found: Found) -> Found:
    """What was found, an object of arguments behind a call without any taken for a fault of that call."""
    parts: list[Part] = []
    for part in found.parts:
        before = parts[-1] if parts else None
        tool = source.tool(before.name) if before is not None and before.arguments == {} else None
        members = tool.node.members if tool is not None else {}
        theirs = isinstance(part.arguments, dict) and any(key in members for key in part.arguments)
        if before is not None and part.name is None and theirs:
            error = NotJsonError("the arguments stand behind the call, not in it", expected="one object for a call")
            parts[-1] = replace(before, arguments=None, span=(before.span[0], part.span[1]), fault=error)
        else:
            parts.append(part)
    return replace(found, parts=tuple(parts))


def _whole(source: Source, found: Found) -> Found:
    """What was found, with a fault if anything that may belong to the last call stands behind its value."""
    if not found.parts or found.parts[-1].fault is not None:
        return found
    error = rest_of_call(source, found, found.end)
    if error is not None:
        following = _NEXT.search(source.text, found.end)
        return with_fault(found, error, following.start() if following is not None else len(source.text))
    if END.match(source.text, found.end):
        return found
    found = with_surplus(source, found)
    if END.match(source.text, found.end):
        return found
    following = _NEXT.search(source.text, found.end)
    if following is None or following["closer"] is None:
        return found
    between = source.text[found.end : following.start()].strip(" \t\r\n,;`")
    if not between:
        return found
    error = NotJsonError(
        f"{snippet(between[:60])!r} stands behind the call, in front of its closing tag",
        given=snippet(between[:60]),
        expected="the closing tag right behind the call",
    )
    return with_fault(found, error, following.start())


def _attempt(source: Source, marker: Marker, match: re.Match[str]) -> Found | None:
    """A marker behind which nothing reads as a call: a faulty one if it was meant as one, else nothing."""
    if "name" in match.re.groupindex:
        return None
    text, start = source.text, match.start()
    following = _NEXT.search(text, match.end())
    end = following.start() if following is not None else len(text)
    closed = following is not None and following["closer"] is not None
    before = text[max(text.rfind("\n", 0, start) + 1, start - _LINE) : start]
    begins_line = not _TOKENS.sub("", before).strip()
    like_call = _LIKE_CALL.match(text, match.end()) is not None
    if not (begins_line or like_call):
        return None
    if not text[match.end() : end].strip() and not (closed and following is not None and _ends_line(text, following)):
        return None
    if not (closed or marker.evidence is Evidence.SPECIAL_TOKEN or _BRACKET.match(text, match.end())):
        return None
    tool = source.hint(match.end(), end)
    lone = _LONE.fullmatch(text, match.end(), end) is not None
    if end >= len(text) and source.complete is not True and (lone or like_call or source.complete is False):
        error: CutOffError | NotJsonError = CutOffError("the text ends before a call is whole", expected="a whole call")
    else:
        given = snippet(text[match.end() : match.end() + 60].strip())
        error = NotJsonError(f"no call can be read behind {match[0]}", given=given, expected="one call")
    named = tool.name if tool is not None else None
    fault = error if tool is not None or isinstance(error, CutOffError) else None
    return Found((Part(named, None, (start, end), Shape.NAMELESS, fault=fault),), end)


def _ends_line(text: str, closer: re.Match[str]) -> bool:
    """Whether nothing stands behind a closing tag on its line."""
    return not text[closer.end() : closer.end() + _LINE].partition("\n")[0].strip()


_LONE: Final = re.compile(r"\s*[\w.:-]+\s*")
_BRACKET: Final = re.compile(r"\s*[{\[(\"]")
