"""Lines and fences of a growing text that may hold a call without a marker: held back until they hold none."""

from __future__ import annotations

import re
from typing import Final

from toolmend.toolkit.extract.events import event_at
from toolmend.toolkit.extract.fences import FENCE
from toolmend.toolkit.streaming.buffer import Buffer
from toolmend.toolkit.streaming.heads import Head, head_of_line
from toolmend.toolkit.streaming.openings import OPENING, may_open

__all__ = ("open_block", "open_fence", "pass_fence")

_LINE_END: Final = re.compile(r"(?=\n)")
_FENCE_BEGUN: Final = re.compile(r"\n[ \t]{0,99}[`~]{0,99}[ \t\r]{0,99}\Z")
_STRING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SURE: Final = (Head.PLAIN, Head.FENCE)  # marks behind the marks of a fence close it, or are a part of what it holds
_BEGINS_VALUE: Final = frozenset("{[(\"'")


def open_block(buffer: Buffer) -> None:
    """Hold lines back that may be a call.

    Args:
        buffer: the text, at the first of them.
    """
    buffer.hold_back(_LINE_END, _whole_lines)


def _whole_lines(buffer: Buffer, text: str, end: int) -> None:
    """Look at lines that may be a call: they are prose if nothing in them is one."""
    block = text[:end]
    first = block.partition("\n")[0]
    buffer.read += end
    is_label = block[0] not in _BEGINS_VALUE and "(" not in first and ":" in first
    if (is_label and "\n" not in block.strip()) or not _is_balanced(block):
        return
    if buffer.probe.finds(block) or (not is_label and _holds_event(block)):
        buffer.hold_back_all()
        return
    buffer.release(text)
    buffer.show(first.index(":") + 1 if is_label else end)  # what stands behind a label may be something else
    buffer.state = "prose"


def open_fence(buffer: Buffer) -> bool:
    """Meet a fence: show it as it comes if what it holds cannot be a call, else hold it back.

    Args:
        buffer: the text, at the fence.

    Returns:
        False if more text is needed to tell.
    """
    opener = FENCE.match(buffer.text, buffer.pos)
    if opener is None or opener.end() == len(buffer.text):
        return False
    head, pos = head_of_line(buffer.text, opener.end(), buffer.probe.tools)
    if head is Head.WAIT:
        return False
    marks = opener["marks"]
    closer = re.compile(rf"\n[ \t]{{0,99}}{marks[0]}{{{len(marks)},99}}[ \t\r]{{0,99}}(?=\n)")
    if head in _SURE and not may_open(buffer.text, pos):
        buffer.show(opener.end())
        buffer.show_up_to(closer, _FENCE_BEGUN)
    else:
        buffer.hold_back(closer, _whole_fence)
    return True


def _whole_fence(buffer: Buffer, text: str, end: int) -> None:
    """Look at a fence: it is prose if nothing in it is a call."""
    buffer.read += end
    buffer.release(text)
    if buffer.probe.finds(text[:end]):
        buffer.kept = text[:end]
        buffer.pos, buffer.state = end, "behind fence"
    else:
        buffer.show(end)
        buffer.state = "prose"


def pass_fence(buffer: Buffer) -> bool:
    """Meet what follows a fence that holds calls: they count only if nothing more is said.

    Args:
        buffer: the text, behind the fence.

    Returns:
        False if more text is needed to tell.
    """
    blanks = len(buffer.text) - buffer.pos - len(buffer.text[buffer.pos :].lstrip())
    head, pos = head_of_line(buffer.text, buffer.pos + blanks, buffer.probe.tools)
    if head is Head.WAIT:
        return False
    if head is Head.PLAIN and not may_open(buffer.text, pos):
        buffer.prose.write(buffer.kept)
        buffer.state, buffer.kept = "prose", ""
    else:
        buffer.hold_back_all()
    return True


def _is_balanced(block: str) -> bool:
    """Whether every bracket outside of strings is closed, as far as that can be told without understanding."""
    bare = _STRING.sub("", block)
    return all(bare.count(opener) <= bare.count(closer) for opener, closer in ("{}", "[]", "()"))


def _holds_event(block: str) -> bool:
    """Whether something stands in lines that the scan of the whole text may not pass over."""
    events = (event_at(block, opening.start()) for opening in OPENING.finditer(block))
    return any(event is not None and event[0] not in ("code", "line") for event in events)
