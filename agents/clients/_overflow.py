"""Reads out of a server's error that a request does not fit into the context window, and the numbers it tells.

Each server has words of its own for it. Their kinds:

    by code         OpenAI, Groq, Cerebras: `context_length_exceeded`; llama.cpp: `exceed_context_size_error`
    by words        vLLM, SGLang, Ollama, LM Studio, TGI, Mistral, Anthropic, Gemini, xAI and others
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ("Overflow", "read_overflow")

READ = 2000  # characters of a message that are looked at

CODES: Final = frozenset(
    {
        "context_length_exceeded",
        "context_window_exceeded",
        "exceed_context_size_error",
        "model_max_prompt_tokens_exceeded",
    }
)

# A message tells of an overflow if all words of one row are in it.
WORDS: Final = tuple(
    tuple(re.compile(word) for word in row)
    for row in (
        (r"context (?:length|window|size|limit)", r"exceed|overflow|longer than|too (?:long|large|many)|not enough"),
        (r"context (?:length|window|size|limit)", r"maximum|reduce|shorter"),
        (r"(?:prompt|input)(?: is)? too long",),
        (r"maximum (?:prompt|model|input) length",),
        (r"input token count", r"exceed"),
        (r"prompt (?:token count|length|exceeds)", r"exceed|limit"),
        (r"reduce the length of the (?:messages|prompt|input)",),
        (r"exceeded model token limit",),
        (r"`?inputs`? tokens \+ `?max_new_tokens`?|`inputs` must have less than",),
        (r"range of input length",),
    )
)

NUMBER: Final = r"(\d[\d,_]{0,15})"
LENGTH: Final = "(?:context (?:length|window|size)|(?:prompt|model|input) length|token limit)"

# The last group of the first that is found is the length of the window.
LENGTHS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{NUMBER} \+ {NUMBER} > {NUMBER}",
        rf"{NUMBER} (?:tokens )?> {NUMBER}",
        rf"with {NUMBER} maximum context length",
        rf"{LENGTH}(?: is| of)?(?: only)?:? ?\(?{NUMBER}",
        rf"tokens allowed:? \(?{NUMBER}",
        rf"limit (?:of|is) {NUMBER}",
        rf"must be <= {NUMBER}",
        rf"less than {NUMBER}",
        rf"should be \[\d+, ?{NUMBER}",
    )
)

# Parts of a prompt, which add up: messages, functions, images.
PARTS: Final = re.compile(
    rf"{NUMBER} (?:tokens )?(?:in|of|from) (?:the |your )?(?:input messages|messages|prompt|functions|\w+ input\b)"
)

# The first group of the first that is found is the length of the prompt.
PROMPTS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{NUMBER} \+ {NUMBER} > {NUMBER}",
        rf"(?:resulted in|has|contains|passed|given:|count of|current length is|too long:|keep the first) {NUMBER}",
        rf"\(length {NUMBER}\)",
        rf"(?:request|input|token count) \({NUMBER}",
        rf"{NUMBER} (?:tokens )?> {NUMBER}",
    )
)


@dataclass(frozen=True, slots=True)
class Overflow:
    """What a server tells of a request that is too long.

    Attributes:
        context_length: the tokens of the window; None if it does not say.
        prompt_tokens: the tokens of what was sent; None if it does not say.
    """

    context_length: int | None = None
    prompt_tokens: int | None = None


def read_overflow(message: str, error: Mapping[str, Any]) -> Overflow | None:
    """What an error tells of a request that is too long; None if it is about something else.

    Args:
        message: the words of the error.
        error: all that the server sent of it.
    """
    text = message[:READ].lower()
    coded = any(isinstance(code := error.get(key), str) and code in CODES for key in ("code", "type"))
    if not coded and not any(all(word.search(text) for word in row) for row in WORDS):
        return None
    length = _count(error.get("n_ctx")) or _found(LENGTHS, text, group=-1)
    prompt = _count(error.get("n_prompt_tokens")) or _sum_of_parts(text) or _found(PROMPTS, text, group=0)
    return Overflow(length, prompt)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _found(patterns: Iterable[re.Pattern[str]], text: str, *, group: int) -> int | None:
    match = next((match for pattern in patterns if (match := pattern.search(text))), None)
    return _number(match.groups()[group]) if match else None


def _sum_of_parts(text: str) -> int | None:
    return sum(_number(part) or 0 for part in PARTS.findall(text)) or None


def _number(digits: str) -> int | None:
    return int(digits.replace(",", "").replace("_", "")) or None
