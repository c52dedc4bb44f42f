"""What stands around the whole of a value: fences, tags, special tokens, an assignment, another encoding.

Each wrapper is taken off exactly, and only if what is left begins like a value. Inside the value nothing is touched.
"""

from __future__ import annotations

import html
import json
import re
import string
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Final

from toolmend.repairs.record import Repair, snippet

__all__ = ("Layer", "layers")

MAX_LAYERS: Final = 12
"""Most wrappers around one value; more are no accident."""

_ENDS: Final = " \t\r\n\u200b\u200c\u200d\u2060\ufeff\xa0"
_FENCE: Final = re.compile(r"(?P<mark>`{3,}|~{3,})[ \t]*[\w+.-]*[ \t]*(?:\r?\n|\\n|(?=[\[{\"]))")
_LANGUAGE: Final = re.compile(r"(?:json|JSON|json5|jsonc|python|javascript|js|xml)\s+(?=[\[{])|(?:json|JSON)(?=[\[{])")
_TAG: Final = re.compile(r"<(?P<name>[A-Za-z_][\w:.-]{0,60})(?:\s[^<>]{0,200})?>\s*(?=[\[{(\"`])")
_TOKEN: Final = re.compile(r"<\|[^|<>\n]{0,60}\|>|<｜[^｜<>\n]{0,60}｜>|</?s>|\[/?[A-Z_]{3,30}\]")
_TOKENS_AT_END: Final = re.compile(
    r"(?:(?:<\|[^|<>\n]{0,60}\|>|<｜[^｜<>\n]{0,60}｜>|</s>|</[A-Za-z_][\w:.-]{0,60}>)\s*)+\Z"
)
_CLOSING: Final = {"{": "}", "[": "]", '"': '"', "'": "'"}
_ASSIGNMENT: Final = re.compile(
    r"(?:(?:const|let|var|return)[ \t]+)?"
    r"(?:(?P<name>[A-Za-z_][\w.]{0,60})[ \t]*(?::[ \t]*[\w.\[\], ]{1,60})?[ \t]*:?=(?!=)[ \t]*)?"
    r"(?=[{\[(]|dict\()"
)
_LABEL: Final = re.compile(
    r"(?P<name>arguments|parameters|input|args|output|result|json|answer)[ \t]*:\s*(?=[{\[])", re.IGNORECASE
)
_ENTITY: Final = re.compile(r"[{\[]\s*&(?:quot|apos|#34|#39|#x22|#x27);")
_ESCAPED: Final = re.compile(r'[{\[](?:\s|\\[nrt])*\\"')
_REASONING: Final = re.compile(r"<(?P<name>think|thinking|thought|reasoning)>", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Layer:
    """A text with some of its wrappers taken off.

    Attributes:
        text: what is left.
        repairs: each wrapper that was taken off.
        offset: where the text begins in the raw text; None once it was decoded into another text.
        keys: the keys that the object may have: what bears such a name is a member, and no wrapper.
    """

    text: str
    repairs: tuple[Repair, ...] = ()
    offset: int | None = 0
    keys: Collection[str] = ()


def layers(layer: Layer) -> Iterator[Layer]:
    """Take the wrappers off one by one.

    Args:
        layer: the raw text.

    Yields:
        The text after each step; the last one is bare.
    """
    for _ in range(MAX_LAYERS):
        inner = _peeled(layer)
        if inner is None:
            return
        layer = inner
        yield layer


def _peeled(layer: Layer) -> Layer | None:
    """The layer without its outermost wrapper; None if it is bare."""
    first = layer.text[:1]
    for peel, firsts in _PEELERS:
        if (not firsts or first in firsts) and (inner := peel(layer)) is not None:
            return inner
    return None


def _inside(layer: Layer, rule: str, start: int, end: int) -> Layer | None:
    """The layer without what stands before and behind two offsets."""
    text = layer.text
    if start >= end or (start == 0 and end == len(text)):
        return None
    offset = layer.offset
    around = f"{text[:start]}...{text[end:]}"
    span = None if offset is None else (offset, offset + len(text))
    repair = Repair(rule, "lossless", before=snippet(around), after="...", span=span)
    inner = replace(layer, text=text[start:end], repairs=(*layer.repairs, repair))
    return inner if offset is None else replace(inner, offset=offset + start)


def _ends(layer: Layer) -> Layer | None:
    text = layer.text
    start = len(text) - len(text.lstrip(_ENDS))
    end = len(text.rstrip(_ENDS))
    if text[:start].strip(" \t\r\n") or text[max(end, start) :].strip(" \t\r\n"):
        return _inside(layer, "invisible-mark", start, end)
    if start < end and (start or end < len(text)):
        return replace(layer, text=text[start:end], offset=None if layer.offset is None else layer.offset + start)
    return None


def _fence(layer: Layer) -> Layer | None:
    text = layer.text
    match = _FENCE.match(text)
    if match is None:
        return _back_ticks(layer)
    start, mark = match.end(), match["mark"]
    if text.endswith(mark) and len(text) - len(mark) >= start - 1:
        return _inside(layer, "fence", start, len(text) - len(mark))
    if f"\n{mark}" in text[start - 1 :]:
        return None  # more stands behind the fence than its closing mark
    return _inside(layer, "fence", start, len(text))


def _back_ticks(layer: Layer) -> Layer | None:
    text = layer.text
    body = text.strip("`")
    if text.startswith("`") and text.endswith("`") and "`" not in body and body.lstrip(_ENDS)[:1] in ("{", "["):
        ticks = len(text) - len(text.lstrip("`"))
        return _inside(layer, "fence", ticks, len(text) - ticks)
    return None


def _language(layer: Layer) -> Layer | None:
    match = _LANGUAGE.match(layer.text)
    return _inside(layer, "fence", match.end(), len(layer.text)) if match else None


def _tag(layer: Layer) -> Layer | None:
    text = layer.text
    match = _TAG.match(text)
    if match is None or _REASONING.match(text) or match["name"] in layer.keys:
        return None
    close = f"</{match['name']}>"
    end = len(text) - len(close) if text.endswith(close) else len(text)
    return _inside(layer, "wrapper-tag", match.end(), end)


def _special_token(layer: Layer) -> Layer | None:
    text = layer.text
    match = _TOKEN.match(text)
    if match is not None:
        return _inside(layer, "special-token", match.end(), len(text))
    if not text.rstrip().endswith(">"):
        return None
    tail = _TOKENS_AT_END.search(text, max(0, len(text) - 200))
    closing = _CLOSING.get(text[:1])
    whole = tail is not None and text[max(0, tail.start() - 20) : tail.start()].rstrip()[-1:] == closing
    return _inside(layer, "special-token", 0, tail.start()) if tail and whole else None


def _assignment(layer: Layer) -> Layer | None:
    match = _ASSIGNMENT.match(layer.text) or None
    if match is None or match.end() == 0:
        match = _LABEL.match(layer.text)
    if match is None or match.end() == 0 or match["name"] in layer.keys:
        return None
    return _inside(layer, "assignment", match.end(), len(layer.text))


def _reasoning(layer: Layer) -> Layer | None:
    match = _REASONING.match(layer.text)
    if match is None:
        return None
    close = f"</{match['name']}>"
    end = layer.text.find(close, match.end())
    return _inside(layer, "reasoning", end + len(close), len(layer.text)) if end >= 0 else None


def _decoded(layer: Layer, rule: str, text: str) -> Layer:
    repair = Repair(rule, "lossless", before=snippet(layer.text), after=snippet(text))
    return replace(layer, text=text, repairs=(*layer.repairs, repair), offset=None)


def _entities(layer: Layer) -> Layer | None:
    return _decoded(layer, "html-entities", html.unescape(layer.text)) if _ENTITY.match(layer.text) else None


def _over_escaped(layer: Layer) -> Layer | None:
    if _ESCAPED.match(layer.text) is None:
        return None
    try:
        text = json.loads(f'"{layer.text}"', strict=False)
    except ValueError:
        return None
    return _decoded(layer, "over-escaped", text)


_LETTERS: Final = frozenset(string.ascii_letters + "_")
_NOTHING: Final = frozenset[str]()
_OPENERS: Final = frozenset("{[")
_PEELERS: Final[tuple[tuple[Callable[[Layer], Layer | None], frozenset[str]], ...]] = (
    (_ends, _NOTHING),
    (_reasoning, frozenset("<")),
    (_fence, frozenset("`~")),
    (_language, _LETTERS),
    (_tag, frozenset("<")),
    (_special_token, _NOTHING),
    (_assignment, _LETTERS),
    (_entities, _OPENERS),
    (_over_escaped, _OPENERS),
)
"""What takes off a wrapper, in order, with the characters that it begins with; none given if it may be any."""
