"""Arguments that are right as they stand, which most are: read and validated in one go, and nothing else is done."""

from __future__ import annotations

import json
from math import isfinite
from typing import TYPE_CHECKING, Any, Final

from toolmend.repairs.errors import LimitError
from toolmend.repairs.numbers import is_kept
from toolmend.repairs.record import JsonValue
from toolmend.toolkit.dispatch_guard import Raised
from toolmend.toolkit.outcome import ToolCall

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec
    from toolmend.toolkit.validation import ClassValidator

__all__ = ("ODD_JSON", "ODD_TEXT", "UNREAD", "Taken", "call_as_written", "decode", "end_as_written")

UNREAD: Final = object()
"""Stands for a text that was not decoded yet."""

ODD_JSON: Final = object()
"""Stands for a text that is JSON in form, and holds what has to be looked at more closely."""

ODD_TEXT: Final = object()
"""Stands for a text that is no strict JSON, and holds a number that cannot be kept."""


def call_as_written(spec: ToolSpec, value: JsonValue, text: str, call_id: str | None) -> ToolCall | None:
    """The call of a tool through an API, if its class alone can tell that nothing is wrong with it.

    Args:
        spec: the tool.
        value: what `decode` makes of the text.
        text: the text of the arguments.
        call_id: the id of the call.

    Returns:
        The call; None if more has to be asked: the class takes what its schema refuses, or refuses the arguments, or
        they are no strict JSON.
    """
    if spec.decider is None or not isinstance(value, dict):
        return None
    message = spec.decider.take(text)
    return None if isinstance(message, Raised) else ToolCall(spec.name, value, message, (), text, call_id)


def end_as_written(spec: ToolSpec, text: str, start: int) -> int | None:
    """Where arguments within a text end, if they are strict JSON and right as they stand.

    Args:
        spec: the tool.
        text: the text.
        start: where they begin.

    Returns:
        The offset behind them; None if they are empty, or more has to be asked.
    """
    try:
        value, end = _DECODER.raw_decode(text, start)
        if not isinstance(value, dict) or not value or end - start > spec.mender.policy.limits.strict_chars:
            return None
        if spec.decider is not None:
            fits = not isinstance(spec.decider.take(text[start:end]), Raised)
        else:
            fits = not spec.mender.check(value)
    except (ValueError, RecursionError, LimitError):
        return None
    return int(end) if fits else None


class Taken:
    """Asks a tool's class whether arguments read from broken text are right as they are, and keeps what it made.

    There is one for each text.

    Attributes:
        made: arguments that the class took, each with what it made of them.
    """

    def __init__(self, decider: ClassValidator[Any]) -> None:
        """Ask a class that may decide alone."""
        self._decider = decider
        self.made: list[tuple[JsonValue, Any]] = []

    def __call__(self, value: JsonValue) -> JsonValue:
        """The arguments with plain numbers; None if the class does not take them.

        Args:
            value: arguments as a reader gives them: keys are text, and numbers may remember their source.
        """
        try:
            text = _ENCODER.encode(value)
        except (ValueError, RecursionError):  # a number that is none, or nested too deep
            return None
        plain = decode(text, len(text))
        return plain if self.take(text, plain) else None

    def take(self, text: str, value: JsonValue) -> bool:
        """Whether the class takes the arguments that strict JSON holds.

        Args:
            text: the text, mended or encoded anew.
            value: what `decode` makes of it.
        """
        message = self._decider.take(text, as_written=False)
        if isinstance(message, Raised):
            return False
        self.made.append((value, message))
        return True


class _TwiceError(ValueError):
    """A key stands twice in one object."""


class _NotKeptError(ValueError):
    """A number is none that a float can hold."""


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _TwiceError
    return members


def _float(text: str) -> float:
    number = float(text)
    if not (number and isfinite(number)) and not is_kept(number, text):
        raise _NotKeptError
    return number


_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_DECODER: Final = json.JSONDecoder(object_pairs_hook=_once, parse_float=_float, parse_constant=_float)


def decode(text: str, limit: int) -> JsonValue:
    """The value of a text in strict JSON; halves of surrogate pairs in it are left to whoever validates it.

    Args:
        text: the text.
        limit: longest text that is read, in characters.

    Returns:
        The value; the decoder's error if it is no JSON; `ODD_TEXT`; or `ODD_JSON`: a key stands twice in one object, a
        number is none that can be kept, it is nested deeper than the decoder goes, or the text is too long.
    """
    if len(text) > limit:
        return ODD_JSON
    try:
        # An object without blanks around it needs no search for them.
        value, end = _DECODER.raw_decode(text) if text[:1] == "{" else (None, -1)
        return value if end == len(text) else _DECODER.decode(text)
    except json.JSONDecodeError as error:
        return error
    except _NotKeptError:
        return ODD_JSON if _is_json(text) else ODD_TEXT
    except (ValueError, RecursionError):  # a key twice, an integer of too many digits, nested too deep
        return ODD_JSON


def _is_json(text: str) -> bool:
    """Whether a text is JSON, whatever its numbers."""
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    except (ValueError, RecursionError):
        return True
    return True
