"""Where a call ends that cannot be read: what follows may be a part of it, or the next call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import CutOffError, NotJsonError, RepairError
from toolmend.repairs.text.cursor import QuoteError
from toolmend.toolkit.extract.ends import BAR, CLOSING, ENDS

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source

__all__ = ("end_of_fault", "stop_ahead", "told")

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]()"\'`“”‘’]', re.DOTALL)
_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}
_NEXT: Final = re.compile(
    rf"[ \t\r,;]*(?:\Z|\n|\{{|\]|{CLOSING}|<[|｜]?(?:[\w.-]{{1,30}}[:_])?(?:tool|function|invoke)|\[TOOL_CALLS\])"
)
"""What shows that a call has ended: a closing tag, the next marker, or the end of the line."""

_LATER: Final = re.compile(
    r"<(?:[\w.-]{1,20}[:_])?(?:tool_call|function_call|invoke\s|function[=\s])|<[|｜]tool|\[TOOL_CALLS\]|\n\s{0,9}\{"
    r"|✿FUNCTION✿"
)
"""What looks like the start of a later call."""

_STOP: Final = re.compile(
    rf"{CLOSING}|</s>|<{BAR}(?:im_end|eot_id|eom_id|endoftext|end|call|return){BAR}>|\n[ \t]*`{{3,}}[ \t\r]*(?=\n|\Z)"
)
"""What a model writes behind a call: a closing tag, a token that ends the turn, or the end of a fence."""

_AHEAD: Final = re.compile(r"\s{0,9}(?:\Z|\n|<|\[)|\s{0,9}\n")
_BEHIND_VALUE: Final = frozenset("}]\"'")

WINDOW: Final = 20_000
"""Longest call whose end is looked for after it could not be read."""


def end_of_fault(source: Source, start: int, error: RepairError) -> int | None:
    """Where a call ends that cannot be read, so that later ones may be.

    That is known only if the fault lies in no string, every quote has its counterpart, every bracket its closer, and a
    closing tag, a marker or the end of the line follows. Otherwise what looks like a later call may be part of it.

    Args:
        source: the text, with the registered tools.
        start: where the brace or bracket stands with which the call begins.
        error: why it cannot be read.

    Returns:
        The offset behind its last bracket; None if that is not known.
    """
    if not isinstance(error, NotJsonError) or isinstance(error, QuoteError) or source.exhausted:
        return None
    source.charge(200)
    stack: list[str] = []
    for match in _TOKEN.finditer(source.text, start, start + WINDOW):
        token = match[0]
        if token in _CLOSERS:
            stack.append(_CLOSERS[token])
        elif token[0] == '"' and len(token) > 1:
            continue
        elif not stack or token != stack.pop():
            return None
        if not stack:
            return match.end() if _NEXT.match(source.text, match.end()) else None
    return None


def told(source: Source, start: int, error: RepairError) -> RepairError:
    """The error of a call to which all that follows belongs, which says so if a later call may stand there.

    Args:
        source: the text, with the registered tools.
        start: where the call begins.
        error: why it cannot be read.
    """
    later = _LATER.search(source.text, start + 1)
    if later is not None and not isinstance(error, CutOffError):
        error.message += "; what follows it in the message was not read, send later calls again too"
    return error


def stop_ahead(source: Source, start: int) -> int | None:
    """Where a call must end, as what closes it stands there, although a brace of its own may be missing.

    Args:
        source: the text, with the registered tools.
        start: where the brace stands with which the call begins.

    Returns:
        The offset behind the last character of the call; None if nothing that closes it stands near.
    """
    if source.exhausted:
        return None
    stop = _STOP.search(source.text, start, start + WINDOW)
    source.charge(stop.start() - start if stop is not None else WINDOW)
    if stop is None or source.hint(start, stop.start()) is None:
        return None
    ends = ENDS.match(source.text, stop.end())
    if _AHEAD.match(source.text, ends.end() if ends is not None else stop.end()) is None:
        return None
    written = source.text[start : stop.start()].rstrip()
    return start + len(written) if written[-1:] in _BEHIND_VALUE else None
