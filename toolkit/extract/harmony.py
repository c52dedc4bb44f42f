"""Reads the channels of the harmony format: who is spoken to, and where the message begins and ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ("RECIPIENT_IN_FRONT", "Message", "read_message")

RECIPIENT_IN_FRONT: Final = re.compile(r"(?:\A|(?<=[\s>]))to=[\w.:-]{1,200}\s{0,4}\Z")
"""A recipient in front of a message whose first part was in the prompt, at the end of what stands before it."""

_START: Final = re.compile(r"<\|(?:start|channel|message)\|>")
_HEADER: Final = re.compile(r"<\|(?P<token>\w{1,20})\|>|(?P<body>\{)")
"""What a header is made of beside words, and what begins the body where the token in front of it was lost."""

_IN_HEADER: Final = frozenset({"start", "channel", "constrain"})
_LONGEST_HEADER: Final = 400
_RECIPIENT: Final = re.compile(r"\bto=(?P<name>[\w.:-]{1,200})")
_CHANNEL: Final = re.compile(r"<\|channel\|>\s{0,4}(?P<channel>\w{1,40})")
_CONSTRAIN: Final = re.compile(r"<\|constrain\|>\s{0,4}(?P<name>\w[\w.-]{1,200})")
_BODY_TYPES: Final = frozenset({"json", "code", "text"})
_END: Final = re.compile(r"<\|(?:end|return|start|channel|call|eom|eot)\|>")
_TO_ITSELF, _TO_USER = "self", "user"


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
        start: where it begins, but for a recipient in front of it, as the part before that was in the prompt.

    Returns:
        The header, without a body if the text ends in it; None if none stands there.
    """
    if _START.match(text, start) is None:
        return None
    window = max(0, start - 210)
    in_front = RECIPIENT_IN_FRONT.search(text[window:start])
    first = window + in_front.start() if in_front is not None else start
    for part in _HEADER.finditer(text, start, start + _LONGEST_HEADER):
        if part["token"] == "message":  # noqa: S105 - no secret
            is_header = part.start() > start or in_front is not None
            return _message(text, first, part.start(), part.end()) if is_header else None
        if part["token"] not in (None, *_IN_HEADER):
            return None
        if part["body"]:
            message = _message(text, first, part.start(), part.start())
            return message if message.recipient is not None else None
    is_last = len(text) - start < _LONGEST_HEADER and "\n" not in text[start:].strip()
    if is_last and _RECIPIENT.search(text, first) is not None:
        return _message(text, first, len(text), len(text))
    return None


def _message(text: str, start: int, end: int, body: int) -> Message:
    """The message whose header stands between two places."""
    header = text[start:end]
    found = _CHANNEL.search(header)
    recipient = _RECIPIENT.search(header)
    constrained = _CONSTRAIN.search(header)
    name = recipient["name"] if recipient is not None else None
    channel = found["channel"] if found is not None else ""
    if name is None and constrained is not None and constrained["name"] not in _BODY_TYPES:
        name = constrained["name"]
    if name in (_TO_ITSELF, _TO_USER):
        return Message(None, "analysis" if name == _TO_ITSELF else "final", start, body)
    return Message(name, channel, start, body)
