"""Formats of strings, read leniently: whatever a class of pydantic takes for one passes, but for mere numbers.

A number for a date counts the seconds since 1970 to pydantic, and is a year or a day run together to whoever wrote it.
"""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

__all__ = ("FORMATS", "TIMES", "is_number")

_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_TIME: Final = re.compile(
    r"([01]\d|2[0-3]):?[0-5]\d(:?[0-5]\d|:60)?([.,]\d+)?\s?(Z|[+-]\d{2}:?(\d{2})?)?\Z", re.IGNORECASE
)
_NUMBER: Final = re.compile(r"[+-]?[\d.,_]+(?:[eE][+-]?\d+)?\Z")
_DURATION: Final = re.compile(r"[+-]?(P[\dTYMWDHS.,]+\Z|[\d:., ]|\d+ ?d)", re.IGNORECASE)
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def is_number(text: str) -> bool:
    """Whether a text is a mere number, without any sign of a time.

    Args:
        text: any text.
    """
    return _NUMBER.match(text.strip()) is not None


def _is_date(text: str) -> bool:
    """A day of the calendar, alone or before a time."""
    found = _DATE.match(text)
    if found is None:
        return False
    try:
        date(*map(int, found.groups()))
    except ValueError:
        return False
    return found.end() == len(text) or text[found.end()] in "Tt _"


def _is_time(text: str) -> bool:
    return _TIME.match(text) is not None and not is_number(text)


def _is_date_time(text: str) -> bool:
    return _is_date(text) and (len(text) < 12 or _TIME.match(text[11:]) is not None)


def _is_made_by(make: Callable[[str], object]) -> Callable[[str], bool]:
    """A test whether a class can be made of the text."""

    def check(text: str) -> bool:
        try:
            make(text)
        except ValueError:
            return False
        return True

    return check


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = {
    "date": _is_date,
    "date-time": _is_date_time,
    "duration": lambda text: _DURATION.match(text) is not None and not is_number(text),
    "email": lambda text: "@" in text.strip()[1:-1],
    "ipv4": _is_made_by(ipaddress.IPv4Address),
    "ipv6": _is_made_by(ipaddress.IPv6Address),
    "time": _is_time,
    "uri": lambda text: _URI.match(text.strip()) is not None,
    "uuid": _is_made_by(uuid.UUID),
}
"""A test per format that is checked; strings of any other format pass."""

TIMES: Final = frozenset({"date", "date-time", "duration", "time"})
"""Formats of points and spans of time: a bare number is none, for it does not tell its unit."""
