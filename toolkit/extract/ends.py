"""What may stand behind a call without meaning anything."""

from __future__ import annotations

import re
from typing import Final

__all__ = ("BAR", "CLOSING", "DSML", "END", "ENDS", "PARAMETER", "SUFFIX")

BAR: Final = r"[|｜‖]{1,2}"
"""The bars of special tokens, in the shapes in which they arrive."""

DSML: Final = rf"{BAR}(?:DSML|GCML){BAR} ?"
"""The prefix of tags in the markup of DeepSeek and GigaChat."""

SUFFIX: Final = r"(?::[\w.-]{1,30})?"
"""What some models append to the names of their tags."""

_END_WORDS: Final = "end|END|suffix|return|eot|eom|eot_id|eom_id|endoftext|sentence|sampling"
_END_TOKENS: Final = r"call|message_sep|end_message|END_\w{1,20}"

_CLOSING_TAG: Final = (
    r"</(?:[A-Za-z]{1,12}[:_])?(?i:tool[_-]?calls?|tool[_-]use|function[_-]calls?|function|invoke|action)"
    rf"{SUFFIX}\s*>"
)

CLOSING: Final = (
    rf"{_CLOSING_TAG}"
    rf"|</{DSML}[\w ]{{1,30}}>|\[/TOOL_CALLS?\]|<end_function_call>|<tool_call\|>"
    rf"|<{BAR}(?:/tool[▁_ ]calls?|tool[▁_ ]calls?(?:[▁_ ]section)?[▁_ ]end){BAR}>"
)
"""What closes a call, but for the tokens that end any turn."""

PARAMETER: Final = re.compile(r"\s*<(?:(?:[A-Za-z]{1,30}:)?param(?:eter)?[\s=]|(?:longcat_)?arg_key)")
"""What opens a parameter, which belongs to a call."""

END: Final = re.compile(
    r"\s*(?:"
    rf"{_CLOSING_TAG}"
    rf"|</{DSML}[\w ]{{1,30}}>"
    rf"|<{BAR}(?:/\w{{1,30}}|{_END_TOKENS}|[\w▁ ]{{0,40}}(?:{_END_WORDS})){BAR}>"
    r"|</s>|<eos>|<end_of_turn>|<tool_call\|>|<end_function_call>|\[/TOOL_CALLS?\]"
    r"|<\|close\|>\w{1,20}<\|sep\|>|\]<\]minimax\[>\[</\w{1,20}>|</parameters>|</answer>"
    r")"
)
"""A closing tag, or a token that ends a turn: for those who ask at many places whether one stands there."""

ENDS: Final = re.compile(f"(?:{END.pattern})+")
"""All of them that stand behind one another."""
