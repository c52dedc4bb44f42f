"""From the name that a model wrote to the name that is registered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toolmend.repairs.record import Repair, RepairKind
from toolmend.repairs.schema import normalise_name

__all__ = ("NO_TOOL", "PARALLEL", "NameMatch", "bare_name", "find_name")

NO_TOOL: Final = frozenset({"None", "none", "directly-answer", "directly_answer"})
"""Names by which a model says that it calls nothing, unless a tool is registered under them."""

PARALLEL: Final = "multi_tool_use.parallel"
"""The name of a call that only holds other calls."""

MAX_NAME: Final = 200
"""Longest text that is looked at as a name."""

_MARK: Final = r"(?:<[|｜‖]{1,2}[^<>\s]{0,60}?[|｜‖]{1,2}>|</?[A-Za-z_][\w:.-]{0,40}>|\[/?[A-Z_]{2,30}\])"
_AROUND: Final = re.compile(rf"^(?:\s|{_MARK}|[\"'`“”‘’*])+|(?:\s|{_MARK}|[\"'`“”‘’*,;])+$")
_PREFIX: Final = re.compile(r"(?:functions|default_api|tools)[.:]")
_SUFFIX: Final = re.compile(r"(?:\.call)?\(\)$|\.call$|:\d{1,6}$")


@dataclass(frozen=True, slots=True)
class NameMatch:
    """What a written name stands for.

    Attributes:
        name: the registered name; None if none or more than one is meant.
        repairs: what had to be changed in the name, for the record.
    """

    name: str | None
    repairs: tuple[Repair, ...] = ()


def find_name(raw: str, names: Iterable[str]) -> NameMatch:
    """Find the registered tool that a written name stands for.

    A registered name always stands for itself. Otherwise known prefixes and suffixes, quotes and special tokens around
    the name are taken off, and then case and punctuation are looked through, if one registered name remains. Nothing
    is guessed from similarity.

    Args:
        raw: the name as the model wrote it.
        names: the registered names.
    """
    known = names if isinstance(names, frozenset) else frozenset(names)
    if raw in known:
        return NameMatch(raw)
    if len(raw) > MAX_NAME:
        return NameMatch(None)
    spellings = list(_undressed(raw))
    for spelling in spellings:
        if spelling in known:
            return _mended(raw, spelling, "lossless")
    by_letters = _by_letters(known)
    for spelling in spellings:
        if spelling in NO_TOOL or spelling == PARALLEL:
            return NameMatch(None)
        if (found := by_letters.get(normalise_name(spelling))) is not None:
            return _mended(raw, found, "inferred")
    return NameMatch(None)


def bare_name(raw: str) -> str:
    """A written name without quotes, special tokens and known affixes around it.

    Args:
        raw: the name as the model wrote it.
    """
    return list(_undressed(raw[: MAX_NAME + 1]))[-1]


def _undressed(raw: str) -> Iterator[str]:
    """The name as written, then with one more layer taken off at each step."""
    yield raw
    name = _AROUND.sub("", raw)
    yield name
    for pattern in (_SUFFIX, _PREFIX, _SUFFIX):
        match = pattern.search(name) if pattern is _SUFFIX else pattern.match(name)
        if match is not None:
            name = name[: match.start()] + name[match.end() :]
            yield name
    half = len(name) // 2
    if len(name) % 2 == 1 and name[half] == "." and name[:half] == name[half + 1 :]:
        yield name[:half]


@lru_cache(maxsize=64)
def _by_letters(names: frozenset[str]) -> dict[str, str]:
    """Registered names by their letters and digits, those left out that share them."""
    letters = {name: normalise_name(name) for name in names}
    shared = Counter(letters.values())
    return {key: name for name, key in letters.items() if key and shared[key] == 1}


def _mended(raw: str, name: str, kind: RepairKind) -> NameMatch:
    return NameMatch(name, (Repair("tool-name", kind, before=raw[:80], after=name[:80]),))
