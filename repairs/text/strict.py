"""Strict JSON: one reading, no repair but control characters kept in strings and a key given twice with one value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final, NoReturn

from toolmend.repairs.errors import LimitError, NotJsonError
from toolmend.repairs.numbers import SourcedFloat, SourcedInt, is_kept
from toolmend.repairs.record import JsonValue, Repair, snippet
from toolmend.repairs.text.reading import Reading

__all__ = ("MAX_DIGITS", "identical", "read_strict", "read_with_controls", "refuse_surrogates")

MAX_DIGITS: Final = 4300
"""Longest integer that is read, in digits: the limit of Python's own conversion (`sys.int_info`)."""

_CONTROL: Final = re.compile("[\x00-\x1f]")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def read_strict(text: str) -> Reading | None:
    """Read a text as strict JSON, with raw control characters inside strings kept.

    Args:
        text: the raw text.

    Returns:
        The reading, floats with their source text; None if it is not JSON.

    Raises:
        NotJsonError: if it is JSON in form and holds what is refused everywhere: NaN, an infinity, a number out of
            range, a key given twice with different values, half of a surrogate pair.
        LimitError: if an integer has more than 4,300 digits, or the nesting is too deep for the decoder.
    """
    return _read(text, strict=True) or read_with_controls(text)


def read_with_controls(text: str) -> Reading | None:
    """Read a text as JSON but for raw control characters, which are kept inside strings.

    Args:
        text: the raw text; that it is no strict JSON is known.

    Returns:
        The reading; None if it is not JSON.

    Raises:
        NotJsonError: as `read_strict`.
        LimitError: as `read_strict`.
    """
    reading = _read(text, strict=False) if _CONTROL.search(text) is not None else None
    if reading is None:
        return None
    kept = Repair("control-character", "lossless", before="raw control character", after="kept in its string")
    return replace(reading, repairs=(kept, *reading.repairs))


def _read(text: str, *, strict: bool) -> Reading | None:
    repairs: list[Repair] = []
    try:
        try:
            value = _DECODERS[strict].decode(text)
        except _TwiceError:
            value = _decoder(_once(repairs), strict=strict).decode(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise LimitError("objects and lists are nested too deep", kind="too_deep") from None
    refuse_surrogates(text, value)
    return Reading(value, len(text), tuple(repairs))


def identical(left: JsonValue, right: JsonValue) -> bool:
    """Whether two values are the same in every type: `1`, `1.0` and `true` are three.

    Args:
        left: a JSON value.
        right: another.
    """
    todo = [(left, right)]
    while todo:
        one, other = todo.pop()
        if one is other:
            continue
        if _kind(one) is not _kind(other):
            return False
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            todo += [(item, other[key]) for key, item in one.items()]
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            todo += zip(one, other, strict=True)
        elif one != other:
            return False
    return True


def refuse_surrogates(text: str, value: JsonValue) -> None:
    """Refuse half of a surrogate pair, which no UTF-8 text can hold.

    Args:
        text: the raw text; the value is only searched if the text could make such a half.
        value: what was read from it.

    Raises:
        NotJsonError: if a string or key holds one.
    """
    if text.isascii() and _ESCAPED_SURROGATE.search(text) is None:
        return
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, dict):
            todo += item.keys()
            todo += item.values()
        elif isinstance(item, list):
            todo += item
        elif isinstance(item, str) and not item.isascii() and _SURROGATE.search(item):
            message = "a string holds half of a surrogate pair, which is no character"
            raise NotJsonError(message, given=snippet(ascii(item)), expected="whole characters", final=True)


_KINDS: Final = (str, bool, int, float, list, dict)


def _kind(value: JsonValue) -> type:
    return next((kind for kind in _KINDS if isinstance(value, kind)), type(None))


def _refuse_constant(name: str) -> NoReturn:
    raise NotJsonError(f"{name} is no number that can be used", given=name, expected="a finite number", final=True)


def _float(text: str) -> float:
    value = float(text)
    if not is_kept(value, text):
        raise NotJsonError(f"{text} is out of range", given=snippet(text), expected="a finite number", final=True)
    return SourcedFloat.of(value, text)


def _int(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise LimitError(f"an integer has more than {MAX_DIGITS:,} digits", given=snippet(text, 40))
    return int(text) if text != "-0" else SourcedInt.of(0, text)


def _once(repairs: list[Repair]) -> Callable[[list[tuple[str, JsonValue]]], dict[str, JsonValue]]:
    """A hook that refuses a key with two different values."""

    def build(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        members = dict(pairs)
        if len(members) == len(pairs):
            return members
        seen: dict[str, JsonValue] = {}
        for key, value in pairs:
            if key in seen and not identical(seen[key], value):
                message = f"the key {snippet(key)!r} is given twice with different values"
                raise NotJsonError(message, given=snippet(value), expected="each key once", final=True)
            if key in seen:
                repairs.append(Repair("duplicate-key", "lossless", before=f"{snippet(key, 30)} twice", after="once"))
            seen.setdefault(key, value)
        return seen

    return build


class _TwiceError(ValueError):
    """A key stands twice in one object."""


def _no_twice(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _TwiceError
    return members


def _decoder(hook: Callable[[list[tuple[str, JsonValue]]], dict[str, JsonValue]], *, strict: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        strict=strict,
        parse_constant=_refuse_constant,
        parse_float=_float,
        parse_int=_int,
        object_pairs_hook=hook,
    )


_DECODERS: Final = {strict: _decoder(_no_twice, strict=strict) for strict in (True, False)}
"""Ready for texts without a key given twice."""
