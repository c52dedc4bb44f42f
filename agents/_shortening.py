"""Contents cut short, with a marker that says so and how much is gone."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolmend.agents.clients.base import Message
    from toolmend.agents.conversation import Conversation
    from toolmend.agents.sizes import MessageCounter
    from toolmend.repairs.record import JsonValue

__all__ = ("FLOOR", "MARKER", "shorten", "shorten_parts")

FLOOR: Final = 30
"""The tokens that are left of any content."""
MARKER: Final = "... [Contents truncated!]"
SEAM: Final = 2
"""Tokens that the joint of head and marker may cost beyond their own."""
_MARKED = re.compile(r"\n\.\.\. \[Contents truncated!\] \((\d{1,12}) of (\d{1,12}) tokens left out\)\Z")
MARKER_LENGTH: Final = 100
"""Characters at the end of a text among which its marker is."""


@dataclass(frozen=True, slots=True)
class _Text:
    """A content that can give something up.

    Attributes:
        at: the position of its message.
        body: the text, without the marker of an earlier cut.
        tokens: what it costs now.
        whole: what it cost before it was cut at all.
        marker: what a marker costs.
    """

    at: int
    body: str
    tokens: int
    whole: int
    marker: int

    @property
    def spare(self) -> int:
        return self.tokens - FLOOR - self.marker


def shorten(conversation: Conversation, positions: Iterable[int], excess: int) -> Conversation:
    """Cut contents, so that each gives up about the same and none more than it has above the floor.

    The excess is divided by the number of contents that can give anything, from the oldest on, and divided anew after
    each; one gives more where those behind it could not make up for it. Contents that are lists of parts stay.

    Args:
        conversation: what is too long.
        positions: which messages may be cut, in order.
        excess: how many tokens are too many.

    Returns:
        The conversation, still too long if the contents cannot give as much.
    """
    texts = _texts(conversation, positions)
    later = sum(text.spare for text in texts)
    changed: dict[int, tuple[Message, int]] = {}
    for number, text in enumerate(texts):
        if excess <= 0:
            break
        later -= text.spare
        share = max(math.ceil(excess / (len(texts) - number)), excess - later)
        given = min(share, text.spare)
        content = _cut(text, text.tokens - given - text.marker, conversation.counter)
        size = conversation.sizes[text.at] - given
        changed[text.at] = ({**conversation.messages[text.at], "content": content}, size)
        excess -= given
    return conversation.replaced(changed) if changed else conversation


def shorten_parts(conversation: Conversation, positions: Iterable[int], excess: int) -> Conversation:
    """Shorten contents that are lists of parts, oldest first, until enough is gone.

    Texts are cut, images and other data give way to a marker.

    Args:
        conversation: what is too long.
        positions: which messages may be cut, in order.
        excess: how many tokens are too many.

    Returns:
        The conversation, still too long if the parts cannot give as much.
    """
    changed: dict[int, tuple[Message, int]] = {}
    for at in positions:
        if excess <= 0:
            break
        message, size = conversation.messages[at], conversation.sizes[at]
        if isinstance(parts := message.get("content"), list):
            content, gone = _shorter_parts(parts, excess, conversation.counter)
            if gone:
                changed[at] = ({**message, "content": content}, size - gone)
                excess -= gone
    return conversation.replaced(changed) if changed else conversation


def _shorter_parts(parts: list[JsonValue], excess: int, counter: MessageCounter) -> tuple[list[JsonValue], int]:
    """The parts of a content with some of them shortened, and the tokens that are gone."""
    shorter, gone = [], 0
    for part in parts:
        size, new = counter.part(part), part
        if gone >= excess:
            pass
        elif not isinstance(text := part.get("text"), str):
            new = {"type": "text", "text": _marker(size, size).lstrip()}
        elif (cuttable := _text(0, text, counter)) is not None:
            kept = cuttable.tokens - min(excess - gone, cuttable.spare) - cuttable.marker
            new = {**part, "text": _cut(cuttable, kept, counter)}
        gain = size - counter.part(new)
        shorter.append(new if gain > 0 else part)
        gone += max(gain, 0)
    return shorter, gone


def _texts(conversation: Conversation, positions: Iterable[int]) -> list[_Text]:
    messages, sizes, counter = conversation.messages, conversation.sizes, conversation.counter
    found = (_text(at, messages[at].get("content"), counter) for at in positions if sizes[at] > FLOOR)
    return [text for text in found if text is not None]


def _text(at: int, content: JsonValue, counter: MessageCounter) -> _Text | None:
    """A content that can give something up, or None."""
    if not isinstance(content, str):
        return None
    body, tokens = content, counter.text(content)
    whole = tokens
    if marked := _MARKED.search(content, max(len(content) - MARKER_LENGTH, 0)):
        body, whole = content[: marked.start()], max(int(marked[2]), tokens)
    text = _Text(at, body, tokens, whole, _marker_tokens(counter, len(str(whole))))
    return text if text.spare > 0 else None


def _cut(text: _Text, kept: int, counter: MessageCounter) -> str:
    content = counter.head(text.body, kept) + _marker(text.whole - kept, text.whole)
    return counter.assume(content, kept + text.marker)


def _marker(gone: int, whole: int) -> str:
    return f"\n{MARKER} ({gone} of {whole} tokens left out)"


def _marker_tokens(counter: MessageCounter, digits: int) -> int:
    """What a marker costs; digits cost the same whichever they are."""
    number = int("9" * digits)
    return counter.text(_marker(number, number)) + SEAM
