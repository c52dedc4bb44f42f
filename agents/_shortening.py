"""Making contents shorter until a conversation fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolmend.agents._cuttable import FLOOR, marker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolmend.agents.conversation import Conversation
    from toolmend.agents.sizes import MessageCounter
    from toolmend.repairs.record import JsonValue

__all__ = ("shorten", "shorten_parts")


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
    messages, sizes, cuttable = conversation.messages.copy(), conversation.sizes.copy(), conversation.counter.cuttable
    # Two lists instead of pairs: thousands of small objects for a moment would set off the garbage collector.
    long = [at for at in positions if sizes[at] > FLOOR and isinstance(messages[at].get("content"), str)]
    texts = [cuttable(messages[at]["content"]) for at in long]
    later = sum(text.spare for text in texts if text.spare > 0)
    number = sum(text.spare > 0 for text in texts)
    for at, text in zip(long, texts, strict=True):
        if excess <= 0:
            break
        if (spare := text.spare) > 0:
            later -= spare
            share = -(-excess // number)
            given = max(excess - later, share)
            given = min(spare, given)
            messages[at] = {**messages[at], "content": text.cut(given)}
            sizes[at] -= given
            excess -= given
            number -= 1
    return conversation.with_messages(messages, sizes)


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
    messages, sizes = conversation.messages.copy(), conversation.sizes.copy()
    for at in positions:
        if excess <= 0:
            break
        if isinstance(parts := messages[at].get("content"), list):
            content, gone = _shorter_parts(parts, excess, conversation.counter)
            if gone:
                messages[at] = {**messages[at], "content": content}
                sizes[at] -= gone
                excess -= gone
    return conversation.with_messages(messages, sizes)


def _shorter_parts(parts: list[JsonValue], excess: int, counter: MessageCounter) -> tuple[list[JsonValue], int]:
    """The parts of a content with some of them shortened, and the tokens that are gone."""
    shorter, gone = [], 0
    for part in parts:
        size, new = counter.part(part), part
        if gone < excess and isinstance(text := part.get("text"), str):
            cuttable = counter.cuttable(text)
            if cuttable.spare > 0:
                new = {**part, "text": cuttable.cut(min(excess - gone, cuttable.spare))}
        elif gone < excess:
            new = {"type": "text", "text": marker(size, size).lstrip()}
        gain = size - counter.part(new)
        shorter.append(new if gain > 0 else part)
        gone += max(gain, 0)
    return shorter, gone
