"""What a request costs: messages and tool schemas by the published rules, each text counted once.

A message costs 3 tokens, its role, its content and its name, and the reply 3 once (from OpenAI's cookbook).
A call costs 6 and its name, arguments and id: no rule is published, and what is known of it lies a little below.
Tools cost their rendering as a TypeScript namespace and 9, or 5 beside a system message.
"""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Final

from toolmend.agents._cuttable import Cuttable
from toolmend.agents._images import audio_tokens, file_tokens, image_tokens
from toolmend.agents._memo import Memo
from toolmend.agents._namespace import namespace
from toolmend.agents.tokens import TiktokenCounter, TokenCounter, counter_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from toolmend.agents.clients.base import Message
    from toolmend.repairs.record import JsonValue

__all__ = ("REPLY", "SYSTEM_ROLES", "MessageCounter", "message_counter")

SYSTEM_ROLES: Final = frozenset({"system", "developer"})
PER_MESSAGE: Final = 3
PER_NAME: Final = 1
PER_FUNCTION_RESULT: Final = -2
PER_CALL: Final = 6
PER_FUNCTION_CALL: Final = 3
REPLY: Final = 3
PER_OFFER: Final = 9
SYSTEM_DISCOUNT: Final = -4
MEMO_CHARACTERS: Final = 32_000_000
"""How much text is held for its size to be known; a conversation of 10,000 messages has about a sixth of it."""
MEMO_ENTRY: Final = 100
"""What an entry costs beside its text."""
COUNTED: Final = frozenset({"role", "content", "name", "tool_calls", "function_call"})
"""Members of a message that have rules of their own."""


class MessageCounter:
    """Counts messages, parts of contents, tools and whole requests with one counter of tokens."""

    def __init__(self, tokens: TokenCounter) -> None:
        """Count with a counter of tokens.

        Args:
            tokens: counts and cuts texts.
        """
        self.tokens = tokens
        self._texts: Memo[int] = Memo(MEMO_CHARACTERS)
        self._cuttables: Memo[Cuttable] = Memo(MEMO_CHARACTERS)

    def text(self, text: str) -> int:
        """The tokens of a text.

        Args:
            text: any text.
        """
        known = self._texts.get(text)
        if known is None:
            known = self.tokens.count(text)
            self._texts.put(text, known, len(text) + MEMO_ENTRY)
        return known

    def assume(self, text: str, tokens: int) -> str:
        """Take the size of a text as known, because of how it was made.

        Args:
            text: the text, which is given back.
            tokens: its size, or a little more.
        """
        self._texts.put(text, tokens, len(text) + MEMO_ENTRY)
        return text

    def cuttable(self, text: str) -> Cuttable:
        """A text as one that can be cut short.

        Args:
            text: a content, or the text of one of its parts.
        """
        known = self._cuttables.get(text)
        if known is None:
            known = Cuttable(text, self)
            self._cuttables.put(text, known, len(text) + MEMO_ENTRY)
        return known

    def content(self, content: JsonValue) -> int:
        """The tokens of a content: a text, nothing, or a list of parts.

        Args:
            content: the content of a message.
        """
        if isinstance(content, str):
            return self.text(content)
        return sum(self.part(part) for part in content or ())

    def part(self, part: JsonValue) -> int:
        """The tokens of one part of a content.

        Args:
            part: a text, an image, recorded speech or a file; anything else counts as the text of its JSON.
        """
        for kind in ("text", "refusal"):
            if isinstance(text := part.get(kind), str):
                return self.text(text)
        if "image_url" in part:
            image = part["image_url"]
            image = image if isinstance(image, dict) else {"url": image}
            return image_tokens(str(image.get("url")), image.get("detail") or part.get("detail"))
        for kind, cost in (("input_audio", audio_tokens), ("file", file_tokens)):
            if isinstance(data := part.get(kind), dict):
                return cost(data)
        return self.text(json.dumps(part, ensure_ascii=False, default=str))

    def message(self, message: Message) -> int:
        """The tokens of a message.

        Args:
            message: in the shape of Chat Completions.
        """
        total = PER_MESSAGE + self.text(message["role"]) + self.content(message.get("content"))
        if message["role"] == "function":
            total += PER_FUNCTION_RESULT
        if name := message.get("name"):
            total += PER_NAME + self.text(name)
        for call in message.get("tool_calls") or ():
            total += PER_CALL + self.text(call.get("id") or "") + self._call(call.get("function") or call.get("custom"))
        if message.get("function_call"):
            total += PER_FUNCTION_CALL + self._call(message["function_call"])
        return total + sum(self._other(message[key]) for key in message.keys() - COUNTED)

    def request(self, messages: Sequence[Message], tools: Sequence[Message] = ()) -> int:
        """The tokens of all that is sent, the beginning of the reply included.

        Args:
            messages: the conversation.
            tools: what is offered, as `tools` or as the older `functions` of Chat Completions.
        """
        system = next((message for message in messages if message["role"] in SYSTEM_ROLES), None)
        return REPLY + sum(map(self.message, messages)) + self.offer(tools, system)

    def offer(self, tools: Sequence[Message], system: Message | None) -> int:
        """What tools add to a request.

        Args:
            tools: as for `request`.
            system: the first system message, which goes with them.
        """
        if not tools:
            return 0
        cost = PER_OFFER + self.text(namespace([tool.get("function", tool) for tool in tools]))
        if system is None:
            return cost
        cost += SYSTEM_DISCOUNT
        if isinstance(content := system.get("content"), str):  # it is given a new line before the tools
            cost += self.text(content + "\n") - self.text(content)
        return max(cost, 0)

    def _call(self, function: JsonValue) -> int:
        return sum(self._other(value) for value in function.values()) if function else 0

    def _other(self, value: JsonValue) -> int:
        """A member that no rule speaks of, such as an id or a model's reasoning."""
        if value is None or isinstance(value, str):
            return self.text(value or "")
        return self.text(json.dumps(value, ensure_ascii=False, default=str))


def message_counter(model: str, tokens: TokenCounter | None = None) -> MessageCounter:
    """A counter of messages, shared by all who ask for one with the same vocabulary.

    Args:
        model: the name of the model.
        tokens: counts in place of the model's vocabulary; what it counted is not shared.
    """
    return MessageCounter(tokens) if tokens else _shared(counter_for(model))


@functools.cache
def _shared(tokens: TiktokenCounter) -> MessageCounter:
    return MessageCounter(tokens)
