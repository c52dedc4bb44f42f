"""Reads the lines `Action:` and `Action Input:`."""

from __future__ import annotations

import json
import re
from typing import Final

from toolmend.repairs.errors import CutOffError, RepairError
from toolmend.toolkit.extract.behind import rest_of_call
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.jsonish import read_arguments
from toolmend.toolkit.extract.source import Source

__all__ = ("read_react",)

_HEAD: Final = re.compile(
    r"(?:\*\*)?Action(?:\*\*)?[ \t]?:(?:\*\*)?[ \t]*[`\"'\[]?(?P<name>[\w.:-]{1,200}(?:\(\))?)[`\"'\]]?[ \t\r]*\n\s*"
    r"(?:\*\*)?Action[ _]Input(?:\*\*)?[ \t]?:(?:\*\*)?[ \t]*"
)
_IN_PARENTHESES: Final = re.compile(
    r"(?:\*\*)?Action(?:\*\*)?[ \t]?:(?:\*\*)?[ \t]*[`\"']?(?P<name>[\w.:-]{1,200})[`\"']?[ \t]+\([ \t]*(?=\{)"
)
_CLOSED: Final = re.compile(r"[ \t]*\)")
_FENCE: Final = re.compile(r"\s*`{3,}[\w-]*\s*")
_FENCE_END: Final = re.compile(r"\s*`{3,}")
_NEXT: Final = re.compile(r"\n[ \t]*(?:\*\*)?(?:Observation|Thought|Final Answer|Action)(?:\*\*)?[ \t]?:")
_TO_VALUE: Final = re.compile(r"\s*(?=[{\[\"'])")


def read_react(source: Source, start: int) -> Found | None:
    """Read one action with its input.

    Args:
        source: the text, with the registered tools.
        start: where the line of the action begins.

    Returns:
        The call; None if no such pair of lines stands there.
    """
    head = _HEAD.match(source.text, start)
    if head is None:
        return _in_parentheses(source, start)
    fence = _FENCE.match(source.text, head.end())
    pos = fence.end() if fence is not None else head.end()
    value = _TO_VALUE.match(source.text, pos)
    if value is None:
        return _plain(source, head)
    try:
        reading = read_arguments(source, value.end(), source.tool(head["name"]))
    except RepairError as error:
        return _broken(source, head, value.end(), error)
    end = reading.end
    closer = _FENCE_END.match(source.text, end) if fence is not None else None
    behind = closer.end() if closer is not None else end
    call = Found((Part(head["name"], None, (start, behind)),), behind, "react")
    rest = rest_of_call(source, call, behind)
    if rest is not None:
        return _broken(source, head, behind, rest)
    if source.text[behind : _line_end(source.text, behind)].strip(" \t,;.}") and not _NEXT.match(source.text, behind):
        return _plain(source, head)
    text = source.text[value.end() : end]
    text = text if text[0] in "{[" else json.dumps(reading.value, ensure_ascii=False)
    return Found((Part(head["name"], text, (start, behind), Shape.ENVELOPE),), behind, "react")


def _in_parentheses(source: Source, start: int) -> Found | None:
    """An action with its input in parentheses behind it, on the same line."""
    head = _IN_PARENTHESES.match(source.text, start)
    tool = source.tool(head["name"]) if head is not None else None
    if head is None or tool is None:
        return None
    try:
        reading = read_arguments(source, head.end(), tool)
    except RepairError as error:
        return _broken(source, head, head.end(), error)
    closed = _CLOSED.match(source.text, reading.end)
    if closed is None:
        return None
    text = source.text[head.end() : reading.end]
    return Found((Part(head["name"], text, (start, closed.end()), Shape.ENVELOPE),), closed.end(), "react")


def _plain(source: Source, head: re.Match[str]) -> Found:
    """An input in plain words, up to the next label."""
    following = _NEXT.search(source.text, head.end())
    end = following.start() if following is not None else len(source.text)
    words = source.text[head.end() : end].strip()
    span = (head.start(), end)
    if end >= len(source.text) and source.complete is not True:
        message = (
            "the text ends in words without quotes: more may be missing" if words else "the text ends before the input"
        )
        error = CutOffError(message, expected="a JSON object")
        return Found((Part(head["name"], None, span, Shape.ENVELOPE, fault=error),), end, "react")
    arguments = json.dumps(words, ensure_ascii=False)
    return Found((Part(head["name"], arguments, span, Shape.ENVELOPE),), end, "react")


def _broken(source: Source, head: re.Match[str], start: int, error: RepairError) -> Found:
    """An input that cannot be read ends before the next label, if it was not cut off."""
    following = _NEXT.search(source.text, start) if not isinstance(error, CutOffError) else None
    end = following.start() if following is not None else len(source.text)
    return Found((Part(head["name"], None, (head.start(), end), Shape.ENVELOPE, fault=error),), end, "react")


def _line_end(text: str, pos: int) -> int:
    end = text.find("\n", pos)
    return end if end >= 0 else len(text)
