"""The keys that calls in JSON have, and where they stand in a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from toolmend.toolkit.extract.places import places_of

__all__ = ("ARGUMENT_KEYS", "NAME_KEYS", "WRAPPER_KEYS", "KeyPlaces")

NAME_KEYS: Final = ("request", "tool_name", "function_name", "recipient_name", "tool", "function", "name")
"""Keys that hold the name of a tool; `name` last, as it is the one that most often is an argument."""

ARGUMENT_KEYS: Final = ("arguments", "parameters", "args", "input", "tool_arguments", "params")
"""Keys that hold the arguments beside such a name."""

WRAPPER_KEYS: Final = ("tool_calls", "tool_call", "function_call", "function", "tool_uses")
"""Keys that hold whole calls."""

_QUOTE: Final = "[\"'`“”‘’]?"
_COLON: Final = rf"{_QUOTE}\s{{0,9}}[:=]\s{{0,9}}"


def _pattern(keys: tuple[str, ...], value: str) -> re.Pattern[str]:
    """One of some keys, the quote in front of it, and what its value must begin with."""
    return re.compile(rf"(?<![\w.-]){_QUOTE}(?:{'|'.join(keys)}){_COLON}{value}")


def _first_words(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The shortest keys that the others begin with."""
    return tuple({next(word for word in sorted(keys) if key.startswith(word)) for key in keys})


_KEYS: Final[tuple[tuple[str, ...], ...]] = (NAME_KEYS, ARGUMENT_KEYS, WRAPPER_KEYS)
_FIRST_WORDS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {keys: _first_words(keys) for keys in _KEYS}
_NAME: Final = _pattern(NAME_KEYS, rf"{_QUOTE}(?P<name>[\w.:\\-]{{1,100}})")
_ARGUMENTS: Final = _pattern(ARGUMENT_KEYS, "[\\[{\"'“`]")
_WRAPPER: Final = _pattern(WRAPPER_KEYS, r"[\[{]")


def _matches(text: str, pattern: re.Pattern[str], keys: tuple[str, ...]) -> list[re.Match[str]]:
    """All matches of a pattern in a text, looked for where the first word of a key stands: that is much faster."""
    found: list[re.Match[str]] = []
    for start in sorted(place for word in _FIRST_WORDS[keys] for place in places_of(text, word)):
        match = (pattern.match(text, start - 1) if start else None) or pattern.match(text, start)
        if match is not None and not (found and match.start() < found[-1].end()):
            found.append(match)
    return found


class KeyPlaces:
    """Where the keys of calls stand in a text."""

    def __init__(self, text: str) -> None:
        """Take a text.

        Args:
            text: the text.
        """
        self._text = text

    @cached_property
    def names(self) -> list[tuple[int, str]]:
        """Where a key that may hold the name of a tool holds any name, and that name."""
        return [(match.start(), match["name"]) for match in _matches(self._text, _NAME, NAME_KEYS)]

    @cached_property
    def _names(self) -> list[int]:
        return [place for place, _ in self.names]

    @cached_property
    def _arguments(self) -> list[int]:
        return [match.start() for match in _matches(self._text, _ARGUMENTS, ARGUMENT_KEYS)]

    @cached_property
    def _wrappers(self) -> list[int]:
        return [match.start() for match in _matches(self._text, _WRAPPER, WRAPPER_KEYS)]

    def has_name(self, start: int) -> bool:
        """Whether any name key follows, so that an object that begins here may be a call.

        Args:
            start: where to look from.
        """
        return bisect_left(self._names, start) < len(self._names)

    def following(self, start: int) -> tuple[int, int, int, int]:
        """Where the next keys stand: one that wraps calls, a name key, the name key after that, an argument key.

        Args:
            start: where to look from. What does not follow stands at the end of the text.
        """
        name = bisect_left(self._names, start)
        return (
            self._at(self._wrappers, bisect_left(self._wrappers, start)),
            self._at(self._names, name),
            self._at(self._names, name + 1),
            self._at(self._arguments, bisect_left(self._arguments, start)),
        )

    def _at(self, places: list[int], index: int) -> int:
        return places[index] if index < len(places) else len(self._text)
