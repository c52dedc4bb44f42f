"""Where two JSON values differ, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolmend.repairs.record import pointer, snippet
from toolmend.repairs.text.strict import identical

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolmend.repairs.record import Path

__all__ = ("differences",)

_ABSENT: Final = object()


def differences(wanted: object, got: object) -> Iterator[str]:
    """Tell each difference of two JSON values, a line each; types count.

    Args:
        wanted: a value.
        got: another.
    """
    for path, one, other in _unlike(wanted, got):
        yield f"at {pointer(path) or '/'}: wanted {_shown(one)}, got {_shown(other)}"


def _shown(value: object) -> str:
    return "nothing" if value is _ABSENT else f"{snippet([value])[1:-1]} ({type(value).__name__})"


def _unlike(wanted: object, got: object) -> Iterator[tuple[Path, object, object]]:
    """The places at which two JSON values differ, the smallest that are in both."""
    todo: list[tuple[Path, object, object]] = [((), wanted, got)]
    while todo:
        path, one, other = todo.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            keys = list(dict.fromkeys((*one, *other)))
            todo += [((*path, key), one.get(key, _ABSENT), other.get(key, _ABSENT)) for key in reversed(keys)]
        elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            places = reversed(range(len(one)))
            todo += [((*path, at), one[at], other[at]) for at in places]
        elif not identical(one, other):
            yield path, one, other
