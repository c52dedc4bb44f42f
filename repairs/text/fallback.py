"""The json-repair library, last and behind guards: its result counts only if no token of the text was lost or added."""

from __future__ import annotations

import json
import re
from typing import Final

from toolmend.repairs.record import Repair, snippet
from toolmend.repairs.text.reading import Reading
from toolmend.repairs.text.strict import read_strict

__all__ = ("read_guarded",)

_SUSPICIOUS: Final = ("missing", "ignor", "skip", "unmatched", "stray", "discard", "incomplete", "ellipsis", "...")
"""What the library's own log says when it completed a string or dropped something."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\],:"]+|"')
_DOUBTFUL: Final = re.compile(r'\w\s*[\[{(]|[:=]"\s*[^\s,:}\]]|\{\s*"[^"]*"\s*"')
"""A subscript or call, a separator that slipped into a key, and a key without a separator."""

_CLOSED: Final = re.compile(r"[}\]]\s*\Z")


def read_guarded(text: str, limit: int) -> Reading | None:
    """Let json-repair read a text, and believe it only if every token is still there, in order.

    Args:
        text: the raw text.
        limit: longest text that is handed over, in characters.

    Returns:
        The reading; None if the library gave none that can be believed.
    """
    text = text.strip()
    if len(text) > limit or text[:1] not in ("{", "[") or not _CLOSED.search(text):
        return None
    tokens = _TOKEN.findall(text)
    if "\\" in text or "\n" in text or _DOUBTFUL.search(text) or not _is_balanced(tokens):
        return None
    from json_repair import repair_json

    try:
        value, log = repair_json(text, return_objects=True, logging=True)
    except (ValueError, RecursionError, TypeError, IndexError):
        return None
    if not isinstance(value, (dict, list)) or any(word in str(entry).lower() for entry in log for word in _SUSPICIOUS):
        return None
    if tokens != _TOKEN.findall(json.dumps(value, ensure_ascii=False)):
        return None  # a string, a number or a bracket was lost, added or changed
    strict = read_strict(json.dumps(value, ensure_ascii=False))
    if strict is None:
        return None
    repair = Repair("json-repair", "inferred", before=snippet(text), after=snippet(value))
    return Reading(strict.value, len(text), (repair,))


def _is_balanced(tokens: list[str]) -> bool:
    """Whether every string is closed and every bracket has its closer: else the library could only guess."""
    closers: list[str] = []
    for part in tokens:
        if part in ("{", "["):
            closers.append("}" if part == "{" else "]")
        elif part == '"' or (part in ("}", "]") and (not closers or closers.pop() != part)):
            return False
    return not closers
