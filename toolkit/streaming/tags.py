"""What stands in a growing text and is no plain prose, event by event, as the scan of a whole text meets them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from toolmend.toolkit.extract import reasoning
from toolmend.toolkit.extract.ends import CLOSING, END
from toolmend.toolkit.extract.events import REPLY_CLOSERS, closer_of, name_of
from toolmend.toolkit.extract.fences import FENCE
from toolmend.toolkit.extract.harmony import read_message
from toolmend.toolkit.streaming.blocks import open_fence
from toolmend.toolkit.streaming.buffer import Buffer
from toolmend.toolkit.streaming.openings import part_of

__all__ = ("EVENTS", "hide_reasoning")

_CLOSERS: Final = re.compile(CLOSING)
_HEADER: Final = re.compile(r"<\|message\|>")
_MESSAGE_END: Final = re.compile(r"(?=<\|(?:end|return|start|channel|call)\|>)")
_TAG_BEGUN: Final = re.compile(r"<[^<>\n]{0,40}\Z")
_ANY_THOUGHT: Final = re.compile(reasoning.CLOSERS)
_QUOTES: Final = frozenset("\"'“‘«")


# ---------------------------------------------------------------------- calls


def _marker(buffer: Buffer, _end: int) -> bool:
    """Hold a call back up to its closing tag; one in quotation marks may only be spoken of."""
    if buffer.char_before in _QUOTES:
        buffer.hold_back_all()
    else:
        buffer.hold_back(_CLOSERS, _call, is_call=True, fresh=buffer.fresh)
    return True


def _call(buffer: Buffer, text: str, end: int) -> None:
    """Look at a call where something stands that may close it."""
    buffer.read += end
    count = buffer.probe.count_calls(text[:end])
    if count:
        buffer.calls += count
        buffer.release(text)
        buffer.hide(end, "closers")
        buffer.kept = text[:end]


def _result(buffer: Buffer, end: int) -> bool:
    """Meet a result: behind a call the model invented it, and nothing more counts; else it is quoted."""
    if buffer.calls:
        buffer.hold_back_all()
    else:
        _show_up_to_closer(buffer, end)
    return True


# ---------------------------------------------------------------------- reasoning


def hide_reasoning(buffer: Buffer) -> None:
    """Hide all up to whatever closes reasoning.

    Args:
        buffer: the text.
    """
    buffer.hold_back(_ANY_THOUGHT, _thought_closed, fresh=True)


def _think(buffer: Buffer, end: int) -> bool:
    closer = reasoning.closer_of(buffer.text[buffer.pos : end])
    buffer.hold_back(re.compile(re.escape(closer)), _thought_closed, fresh=buffer.fresh)
    return True


def _thought_closed(buffer: Buffer, text: str, end: int) -> None:
    fresh = buffer.hold is not None and buffer.hold.fresh
    buffer.release(text)
    buffer.hide(end, "line" if fresh else "prose")


def _thought(buffer: Buffer, end: int) -> bool:
    """Meet the end of reasoning that was never opened: all that stands before it is reasoning."""
    buffer.out += buffer.prose.restart()
    buffer.calls = 0
    buffer.hide(end, "line")
    return True


# ---------------------------------------------------------------------- what is shown, or said to the user


def _shown(buffer: Buffer, end: int) -> bool:
    """Meet a comment, or a tag around what is shown and not meant: prose as a whole, once it is closed."""
    if name_of(buffer.text[buffer.pos : end]) in buffer.probe.tools:
        buffer.show(end)
        buffer.state = "prose"
    else:
        _show_up_to_closer(buffer, end)
    return True


def _show_up_to_closer(buffer: Buffer, end: int) -> None:
    """Show a tag and what it closes once it is closed."""
    closer = closer_of(buffer.text[buffer.pos : end])
    buffer.state = "prose"
    if closer:
        buffer.hold_back(re.compile(re.escape(closer)), _show_whole)
    else:
        buffer.show(end)


def _show_whole(buffer: Buffer, text: str, end: int) -> None:
    buffer.release(text)
    buffer.show(end)
    buffer.state = "prose"


def _reply(buffer: Buffer, end: int) -> bool:
    """Meet the start of what is addressed to the user: prose up to its closing tag."""
    closer = REPLY_CLOSERS[buffer.text[buffer.pos : end]]
    buffer.hide(end, "stretch")
    begun = re.compile(rf"{part_of(closer)}\Z")
    buffer.show_up_to(re.compile(f"(?={re.escape(closer)})"), begun, "closing tag")
    return True


# ---------------------------------------------------------------------- chat templates


def _message(buffer: Buffer, _end: int) -> bool:
    buffer.hold_back(_HEADER, _header, fresh=buffer.fresh)
    return True


def _header(buffer: Buffer, text: str, end: int) -> None:
    """Look at the header of a message: to a tool, to the user, or the model to itself."""
    message = read_message(text, 0)
    buffer.release(text)
    if message is None or message.recipient is not None or message.body != end:
        buffer.hold_back_all()
        return
    buffer.hide(end, "prose")
    if message.channel == "analysis":
        buffer.hold_back(_MESSAGE_END, _analysis)
    else:
        buffer.show_up_to(_MESSAGE_END, _TAG_BEGUN, "closers")


def _analysis(buffer: Buffer, text: str, end: int) -> None:
    buffer.release(text)
    buffer.hide(end, "closers")


def _token(buffer: Buffer, end: int) -> bool:
    """Meet a token of a chat template: hidden if it begins a line, or closes a turn at the end of one."""
    rest = buffer.text[end:].lstrip(" \t")
    closes = END.match(buffer.text, buffer.pos) is not None
    if not buffer.fresh and closes and not rest:
        return False
    if buffer.fresh or (closes and rest.startswith("\n")):
        buffer.hide(end, "line" if buffer.fresh else "prose")
    else:
        buffer.show(end)
        buffer.state = "prose"
    return True


# ---------------------------------------------------------------------- code


def _code(buffer: Buffer, end: int) -> bool:
    """Meet inline code, or a fence that does not begin a line."""
    if end == len(buffer.text):
        return False
    buffer.state = "prose"
    if FENCE.match(buffer.text, buffer.pos):
        return open_fence(buffer)
    size = end - buffer.pos
    if buffer.text[end].isspace() or buffer.plain_ticks.get(size, -1) >= buffer.offset + end:
        buffer.show(end)
    else:
        buffer.hold_back(re.compile(f"(?<![`\\s])`{{{size}}}(?=[^`])|\n\n"), _inline, behind=size)
    return True


def _inline(buffer: Buffer, text: str, end: int) -> None:
    """Show inline code; back-ticks that nothing closes in their paragraph open none."""
    size = len(text) - len(text.lstrip("`"))
    if text[end - 1] == "\n":
        buffer.plain_ticks[size] = buffer.offset + end
        end = size
    _show_whole(buffer, text, end)


EVENTS: Final[Mapping[str, Callable[[Buffer, int], bool]]] = {
    "marker": _marker,
    "result": _result,
    "think": _think,
    "thought": _thought,
    "shown": _shown,
    "reply": _reply,
    "message": _message,
    "token": _token,
    "code": _code,
}
"""What is done about each kind of event; False if more text is needed for it."""
