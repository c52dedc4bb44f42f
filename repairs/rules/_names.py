"""How much alike two names are."""

from __future__ import annotations

import re
from typing import Final

from toolmend.repairs._node import normalise_name

__all__ = ("is_near_miss", "likeness", "words_of")

_BREAKS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")
_SHORTEST_WORD: Final = 5
_SHORTEST_SHARED: Final = 3
_LONGEST: Final = 100

NEAR_MISS: Final = 3
"""The likeness of two names of which one is a slip of the other."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: `taxPercent`, `tax_percent` and `tax-percent` have two.

    Args:
        name: a key.
    """
    return tuple(word for word in _BREAKS.sub(" ", name).lower().split() if word)


def is_near_miss(name: str, declared: str) -> bool:
    """Whether one name is a slip of the other: one letter too many, missing, wrong, or two swapped, in one long word.

    The first letter and all digits have to be right: `data` is no slip of `date`, nor `page_2` of `page_1`.

    Args:
        name: the key that was given.
        declared: the key that it may stand for.
    """
    if max(len(name), len(declared)) > _LONGEST:
        return False
    ours, theirs = words_of(name), words_of(declared)
    if len(ours) != len(theirs):
        return False
    different = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    return len(different) == 1 and _is_slip(*different[0])


def _is_slip(one: str, other: str) -> bool:
    if min(len(one), len(other)) < _SHORTEST_WORD or one[0] != other[0]:
        return False
    short, long = sorted((one, other), key=len)
    start = next((at for at, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    tail_short, tail_long = short[start:], long[start:]
    if len(short) < len(long):
        slip = tail_short == tail_long[1:]
    elif tail_short[1:] == tail_long[1:]:
        slip = len(short) > _SHORTEST_WORD  # another letter is the weakest sign: `height` and `weight` differ by one
    else:
        slip = tail_short[:2] == tail_long[1::-1] and tail_short[2:] == tail_long[2:]
    changed = set(tail_short[:2]) ^ set(tail_long[:2])
    return slip and not any(sign.isdigit() for sign in changed)


def likeness(one: str, other: str) -> int:
    """How much two names are alike.

    Args:
        one: a name.
        other: another.

    Returns:
        3 for a slip or the same letters, 2 if one begins or ends with the other, 1 if they share a word, else 0.
    """
    ours, theirs = normalise_name(one), normalise_name(other)
    if ours == theirs or (max(len(ours), len(theirs)) <= _LONGEST and _is_slip(ours, theirs)):
        return NEAR_MISS
    short, long = sorted((ours, theirs), key=len)
    if len(short) >= _SHORTEST_SHARED and (long.startswith(short) or long.endswith(short)):
        return 2
    shared = set(words_of(one)) & set(words_of(other))
    return 1 if any(len(word) >= _SHORTEST_SHARED for word in shared) else 0
