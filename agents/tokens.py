"""Counting the tokens of a text, and cutting it to so many, with each text tokenised once."""

from __future__ import annotations

import functools
import logging
from array import array
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from toolmend.agents import vocabulary
from toolmend.agents._memo import Memo

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ("TiktokenCounter", "TokenCounter", "Utf8Counter", "counter_for", "encoding_of")

logger = logging.getLogger(__name__)

SLICE: Final = 50_000
"""Characters tokenised at once: runs of a million still raise in tiktoken 0.14, and were quadratic before."""
SEAM: Final = 2_000
"""How far before the end of a slice white space is looked for: a word that is cut in two costs tokens."""
MEMO_TOKENS: Final = 8_000_000
"""About 32 MB of token ids; a conversation of 10,000 messages of 100 tokens takes an eighth."""
DEFAULT_ENCODING: Final = "o200k_base"
# By the beginning of the model's name; the longest one that fits decides.
ENCODINGS: Final = {
    "chatgpt-4o": "o200k_base",
    "ft:gpt-3.5": "cl100k_base",
    "ft:gpt-4": "cl100k_base",
    "ft:gpt-4.1": "o200k_base",
    "ft:gpt-4o": "o200k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-35": "cl100k_base",
    "gpt-4": "cl100k_base",
    "gpt-4.1": "o200k_base",
    "gpt-4.5": "o200k_base",
    "gpt-4o": "o200k_base",
    "gpt-5": "o200k_base",
    "o1": "o200k_base",
    "o3": "o200k_base",
    "o4": "o200k_base",
    "text-embedding-3": "cl100k_base",
    "text-embedding-ada-002": "cl100k_base",
}


@runtime_checkable
class TokenCounter(Protocol):
    """Counts tokens and cuts texts; a model's own tokenizer can be put behind it."""

    def count(self, text: str, /) -> int:
        """How many tokens a text has, or more, but never fewer."""

    def head(self, text: str, tokens: int, /) -> str:
        """The beginning of a text that has so many tokens; it ends between two characters."""


class Utf8Counter:
    """Counts the bytes of UTF-8: a byte-level tokenizer can never make more tokens than there are bytes."""

    def count(self, text: str, /) -> int:
        """How many bytes a text has.

        Args:
            text: any text; half a surrogate pair counts like the sign that stands for it.
        """
        return len(_utf8(text))

    def head(self, text: str, tokens: int, /) -> str:
        """The beginning of a text that has at most so many bytes.

        Args:
            text: what to cut.
            tokens: how many bytes may stay.
        """
        return text[: _characters(_utf8(text)[: max(tokens, 0)])]

    def tail(self, text: str, tokens: int, /) -> str:
        """The end of a text that has at most so many bytes.

        Args:
            text: what to cut.
            tokens: how many bytes may stay.
        """
        return _last(text, _characters(_utf8(text)[-tokens:]) if tokens > 0 else 0)


class TiktokenCounter:
    """Counts with a vocabulary of tiktoken, which is loaded when the first text is counted.

    The ids of a text are remembered, so that counting it again and cutting it cost no tokenising. Where the vocabulary
    cannot be had, UTF-8 bytes are counted, and a warning is logged once.
    """

    def __init__(self, encoding: str = DEFAULT_ENCODING) -> None:
        """Choose the vocabulary.

        Args:
            encoding: its name.
        """
        self.encoding = encoding
        self._memo: Memo[array[int]] = Memo(MEMO_TOKENS)
        self._bytes = Utf8Counter()

    def count(self, text: str, /) -> int:
        """How many tokens a text has; special tokens in it are plain text.

        Args:
            text: any text.

        Raises:
            MissingExtraError: tiktoken is not installed.
        """
        ids = self._memo.get(text)
        if ids is None and (ids := self._ids(text)) is None:
            return self._bytes.count(text)
        return len(ids)

    def head(self, text: str, tokens: int, /) -> str:
        """The beginning of a text that has so many tokens, cut between two characters.

        Args:
            text: what to cut.
            tokens: how many tokens may stay.

        Raises:
            MissingExtraError: tiktoken is not installed.
        """
        ids = self._ids(text)
        if ids is None:
            return self._bytes.head(text, tokens)
        if tokens >= len(ids):
            return text
        kept = ids[: max(tokens, 0)]
        head = text[: _characters(self._decoded(kept))]
        self._remember(head, kept)  # it may be counted, and cut again, as part of a history that was fitted before
        return head

    def tail(self, text: str, tokens: int, /) -> str:
        """The end of a text that has so many tokens, cut between two characters.

        Args:
            text: what to cut.
            tokens: how many tokens may stay.

        Raises:
            MissingExtraError: tiktoken is not installed.
        """
        ids = self._ids(text)
        if ids is None:
            return self._bytes.tail(text, tokens)
        return (
            text if tokens >= len(ids) else _last(text, _characters(self._decoded(ids[-tokens:])) if tokens > 0 else 0)
        )

    def _decoded(self, ids: array[int]) -> bytes:
        encoding = vocabulary.load(self.encoding)
        return encoding.decode_bytes(ids) if encoding else b""

    def _ids(self, text: str) -> array[int] | None:
        """The ids of a text, or None if there is no vocabulary."""
        known = self._memo.get(text)
        if known is not None:
            return known
        encoding = vocabulary.load(self.encoding)
        if encoding is None:
            return None
        ids = array("I")
        start = 0
        while start < len(text):
            end = _seam(text, start)
            ids.extend(_encoded(encoding, text[start:end]))
            start = end
        self._remember(text, ids)
        return ids

    def _remember(self, text: str, ids: array[int]) -> None:
        self._memo.put(text, ids, len(ids) + 16)


def counter_for(model: str) -> TiktokenCounter:
    """The counter of a model, shared by all who ask for one with the same vocabulary.

    Args:
        model: the name of the model.
    """
    return _shared(encoding_of(model))


def encoding_of(model: str) -> str:
    """The name of a model's vocabulary; that of the newer models of OpenAI for one that is not known.

    Args:
        model: the name of the model, with or without the provider and a slash in front.
    """
    name = model.rsplit("/", 1)[-1].lower()
    known = [prefix for prefix in ENCODINGS if name.startswith(prefix)]
    return ENCODINGS[max(known, key=len)] if known else DEFAULT_ENCODING


@functools.cache
def _shared(encoding: str) -> TiktokenCounter:
    return TiktokenCounter(encoding)


@functools.cache
def _warn_once(text: str) -> None:
    logger.warning(text)


def _seam(text: str, start: int) -> int:
    """Where the slice from `start` ends: before white space, if there is any near its end."""
    end = start + SLICE
    if end >= len(text):
        return len(text)
    spaces = max(text.rfind(space, end - SEAM, end) for space in " \n")
    return spaces if spaces > start else end


def _encoded(encoding: Encoding, text: str) -> list[int]:
    try:
        return encoding.encode_ordinary(text)
    except ValueError as error:  # its regular expression ran out of stack
        _warn_once(f"a text cannot be tokenised and counts as UTF-8 bytes, as others like it will: {error}")
        return [encoding.encode_single_token(bytes((byte,))) for byte in _utf8(text)]


def _utf8(text: str) -> bytes:
    """A text as bytes; half a surrogate pair is replaced by U+FFFD, as tiktoken does."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def _characters(cut: bytes) -> int:
    """How many whole characters there are in bytes that were cut out of a text."""
    return len(cut.decode("utf-8", "ignore"))


def _last(text: str, characters: int) -> str:
    return text[len(text) - characters :]
