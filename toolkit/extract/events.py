"""What the scan of a text stops at: markers, reasoning, fences, and lines on which something may stand by itself."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from toolmend.toolkit.extract import reasoning
from toolmend.toolkit.extract.ends import BAR
from toolmend.toolkit.extract.markers import ANY_OPENER, STARTS
from toolmend.toolkit.extract.places import places_of

__all__ = ("EVENT", "LINE_START", "MARK", "REPLY_CLOSERS", "SHOWN_TAGS", "Openings", "closer_of", "event_at", "name_of")

REPLY_CLOSERS: Final = {
    "<response>": "</response>",
    "<|START_RESPONSE|>": "<|END_RESPONSE|>",
    "<|START_TEXT|>": "<|END_TEXT|>",
    "<|open|>response<|sep|>": "<|close|>response<|sep|>",
}
"""What is around that which is addressed to the user: each opening with what closes it."""

_RESULT: Final = (
    r"✿RESULT✿|<(?:tool|function)_(?:results?|responses?|outputs?)>|\[TOOL_RESULTS\]|<\|tool_response\|>"
    r"|<\|(?:im_start|start_header_id)\|>\s{0,2}(?:user|tool|ipython|assistant)\b"
    r"|<start_of_turn>\s{0,2}user\b|<\|(?:user|human)\|>|\[INST\]|<\|(?:endoftext|end_of_text|EOT)\|>(?=\s*\S)"
)
_REPLY: Final = "|".join(map(re.escape, REPLY_CLOSERS))
SHOWN_TAGS: Final = r"<(?i:examples?|samples?|(?:block)?quote|pre|code|documents?|context|user_input)"
"""What opens a tag around what is shown and not meant, up to the end of its name."""

_SHOWN: Final = rf"<!--|{SHOWN_TAGS}(?:\s[^<>\n]{{0,200}})?>"
_TAG: Final = re.compile(r"(?P<before><\|?|\[)(?P<name>\w+)[^<>\n]*?(?P<behind>\|?>|\])")
_TOKEN: Final = rf"<{BAR}[A-Za-z_▁][\w▁ ]{{0,40}}{BAR}>|</?s>|<(?:start|end)_of_turn>"
_LABEL: Final = r"(?:\*\*)?+[A-Za-z]{3,11}+[ _-]?+[A-Za-z]{0,8}+(?:\*\*)?+\s?+:"
_TURN: Final = r"\#{2,4}\s?+(?:[Ii]nstruction|[Hh]uman|[Uu]ser)"
_CALL: Final = (
    r"(?:[A-Za-z_]\w{0,60}+\s{0,4}+=\s{0,4}+)?+(?:await\s)?+[A-Za-z_][\w.:-]{0,200}+(?:\\_[\w.:-]{0,200}+){0,20}+\("
)
_LINE: Final = rf"[ \t\ufeff\u200b]*+(?=[\[{{(\"'`~><]|{_LABEL}|{_TURN}|{_CALL})"

LINE_START: Final = re.compile(_LINE)
"""The blanks at the start of a line on which something may stand by itself."""

MARK: Final = re.compile(ANY_OPENER)
"""A marker."""

EVENT: Final = re.compile(
    rf"(?P<line>\n{_LINE})|(?P<marker>{ANY_OPENER})|(?P<think>{reasoning.OPENERS})|(?P<thought>{reasoning.CLOSERS})"
    rf"|(?P<result>{_RESULT})|(?P<shown>{_SHOWN})|(?P<reply>{_REPLY})|(?P<message><\|(?:start|channel|message)\|>)"
    rf"|(?P<token>{_TOKEN})|(?P<code>`+)"
)
"""Whatever is met, by the name of what meets it."""

_WORDS: Final = tuple(start for start in STARTS if start[0].isalpha())
_SIGNS: Final = "|".join(re.escape(start) for start in STARTS if start[0] not in "[`" and start not in _WORDS)
_OPENING: Final = re.compile(rf"{_SIGNS}|`|◁|\[(?=/?[A-Z])|\n{_LINE}")
"""What an event begins with, but for words: a pattern that the engine looks for much faster than for the events."""


def event_at(text: str, pos: int) -> tuple[str, int] | None:
    """What stands at a place that a scan would not pass over, for those who read a text while it still grows.

    Args:
        text: the text.
        pos: the place.

    Returns:
        The kind of event, as the scan names its handlers, and the offset behind what shows it; None if there is none.
    """
    match = EVENT.match(text, pos)
    return (match.lastgroup or "", match.end()) if match is not None else None


def closer_of(opener: str) -> str:
    """What closes a comment, or a tag around what is shown or a result.

    Args:
        opener: what opens it.

    Returns:
        Its closer; empty if nothing does.
    """
    if opener == "<!--":
        return "-->"
    tag = _TAG.fullmatch(opener)
    return f"{tag['before']}/{tag['name']}{tag['behind']}" if tag is not None else ""


def name_of(opener: str) -> str:
    """The name of a tag around what is shown; empty for a comment.

    Args:
        opener: the tag.
    """
    tag = _TAG.fullmatch(opener)
    return tag["name"] if tag is not None else ""


class Openings:
    """The places in a text at which an event may begin.

    Words that open something are looked for once and apart: each letter in them would stop the search for the others.
    """

    def __init__(self, text: str) -> None:
        """Look for the words.

        Args:
            text: the text.
        """
        self._text = text
        self._words = sorted(place for word in _WORDS for place in places_of(text, word))
        self._next = -1  # where something other than a word was found last

    def after(self, pos: int) -> int | None:
        """The next such place; None if none follows.

        Args:
            pos: where to look from. It never goes back.
        """
        if self._next < pos:
            opening = _OPENING.search(self._text, pos)
            self._next = opening.start() if opening is not None else len(self._text)
        index = bisect_left(self._words, pos)
        first = min(self._next, self._words[index]) if index < len(self._words) else self._next
        return first if first < len(self._text) else None
