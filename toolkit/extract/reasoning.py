"""What models think aloud: the tags around it, in one table."""

from __future__ import annotations

import re
from typing import Final

__all__ = ("CLOSERS", "OPENERS", "TAGS", "closer_of")

TAGS: Final[tuple[tuple[str, str], ...]] = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("◁think▷", "◁/think▷"),
    ("<|channel>thought", "<channel|>"),
    ("<|content_thinking|>", "<|end_message|>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
)
"""What opens and closes reasoning, by family of models."""

OPENERS: Final = "|".join(re.escape(opener) for opener, _ in TAGS)
"""A pattern for whatever opens reasoning."""

_CLOSE_MORE: Final = frozenset({"<channel|>", "<|end_message|>"})
"""Closers that other things have, too."""

CLOSERS: Final = "|".join(re.escape(closer) for _, closer in TAGS if closer not in _CLOSE_MORE)
"""A pattern for whatever closes reasoning and nothing else, so that what stands before it is reasoning too."""

_CLOSER_OF: Final = dict(TAGS)


def closer_of(opener: str) -> str:
    """What closes the reasoning that a tag opens.

    Args:
        opener: the tag.
    """
    return _CLOSER_OF[opener]
