"""Numbers that remember how they were written, so that a field that wants text can have the source text."""

from __future__ import annotations

import math
import re
from typing import Final

from toolmend.repairs.record import JsonValue

__all__ = ("SourcedFloat", "SourcedInt", "is_kept", "plain", "source_of")


class SourcedInt(int):
    """An integer with the text it was read from, e.g. `007` or `0xFF`."""

    text: str

    @classmethod
    def of(cls, value: int, text: str) -> SourcedInt:
        """An integer that remembers its text.

        Args:
            value: what the text means.
            text: the text as the model wrote it.
        """
        number = cls(value)
        number.text = text
        return number


class SourcedFloat(float):
    """A number with a fraction or exponent, with the text it was read from, e.g. `1.10`."""

    text: str

    @classmethod
    def of(cls, value: float, text: str) -> SourcedFloat:
        """A float that remembers its text.

        Args:
            value: what the text means.
            text: the text as the model wrote it.
        """
        number = cls(value)
        number.text = text
        return number


_SOURCED: Final = (SourcedInt, SourcedFloat)
_NOT_ZERO: Final = re.compile(r"[-0.]*[1-9]")
"""The digits of a number that is not zero, however small."""


def is_kept(value: float, text: str) -> bool:
    """Whether a float can stand for the number that a text writes: one too large is infinite, one too small zero.

    Args:
        value: what `float` makes of the text.
        text: a number in JSON.
    """
    return math.isfinite(value) and (value != 0.0 or _NOT_ZERO.match(text) is None)


def source_of(value: JsonValue) -> str | None:
    """The text a number was read from, None if that is not known.

    Args:
        value: any JSON value.
    """
    return value.text if isinstance(value, _SOURCED) else None


def plain(value: JsonValue) -> JsonValue:
    """The value with ordinary numbers in place of those that remember their text.

    Args:
        value: a JSON value of any depth; it is changed in place where it is a list or dict.

    Returns:
        The same list or dict, or the plain scalar.
    """
    root: list[JsonValue] = [value]
    todo: list[JsonValue] = [root]
    while todo:
        container = todo.pop()
        places = list(container.items()) if isinstance(container, dict) else enumerate(container)
        for key, item in places:
            if isinstance(item, (list, dict)):
                todo.append(item)
            elif isinstance(item, SourcedInt):
                container[key] = int(item)
            elif isinstance(item, SourcedFloat):
                container[key] = float(item)
    return root[0]
