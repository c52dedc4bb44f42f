"""Reads the channels of the harmony format: who is spoken to, and where the message begins and ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ("Message", "read_message")

_START: Final = re.compile(r"<\|(?:start|channel)\|>")
_BODY: Final = "<|message|>"
_LONGEST_HEADER: Final = 400
_RECIPIENT: Final = re.compile(r"\bto=(?P<name>[\w.:-]{1,200})")
_CHANNEL: Final = re.compile(r"<\|channel\|>\s{0,4}(?P<channel>\w{1,40})")
_CONSTRAIN: Final = re.compile(r"<\|constrain\|>\s{0,4}(?P<name>\w[\w.-]{1,200})")
_BODY_TYPES: Final = frozenset({"json", "code", "text"})
_END: Final = re.compile(r"<\|(?:end|return|start|channel|call)\|>")


@dataclass(frozen=True, slots=True)
class Message:
    """The header of one message.

    Attributes:
        recipient: the tool that is spoken to; None if it is the user, or the model itself.
        channel: the channel.
        start: where the message begins.
        body: where its body begins.
    """

    recipient: str | None
    channel: str
    start: int
    body: int

    def end(self, text: str) -> int:
        """Where the body ends.

        Args:
            text: the whole text.
        """
        match = _END.search(text, self.body)
        return match.start() if match is not None else len(text)


def read_message(text: str, start: int) -> Message | None:
    """Read the header of a message.

    Args:
        text: the whole text.
        start: where it begins.

    Returns:
        The header, without a body if the text ends in it; None if none stands there.
    """
    if _START.match(text, start) is None:
        return None
    body = text.find(_BODY, start, start + _LONGEST_HEADER)
    if body < 0:
        is_last = len(text) - start < _LONGEST_HEADER and _RECIPIENT.search(text, start) is not None
        return _message(text, start, len(text), len(text)) if is_last and "\n" not in text[start:].strip() else None
    return _message(text, start, body, body + len(_BODY))


def _message(text: str, start: int, end: int, body: int) -> Message:
    """The message whose header stands between two places."""
    header = text[start:end]
    channel = _CHANNEL.search(header)
    recipient = _RECIPIENT.search(header)
    constrained = _CONSTRAIN.search(header)
    name = recipient["name"] if recipient is not None else None
    if name is None and constrained is not None and constrained["name"] not in _BODY_TYPES:
        name = constrained["name"]
    return Message(name, channel["channel"] if channel is not None else "", start, body)
