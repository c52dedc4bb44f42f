"""Formats of strings, read leniently: whatever a class of pydantic takes for one passes."""

from __future__ import annotations

import ipaddress
import re
import uuid
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final

__all__ = ("FORMATS",)

_DATE: Final = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_TIME: Final = re.compile(
    r"([01]\d|2[0-3]):?[0-5]\d(:?[0-5]\d|:60)?([.,]\d+)?\s?(Z|[+-]\d{2}:?(\d{2})?)?\Z", re.IGNORECASE
)
_UNIX: Final = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*\Z")
_DURATION: Final = re.compile(r"[+-]?(P[\dTYMWDHS.,]+\Z|[\d:., ]|\d+ ?d)", re.IGNORECASE)
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def _is_date(text: str) -> bool:
    """A day of the calendar, alone or before a time; or a number of seconds, as pydantic reads it."""
    found = _DATE.match(text)
    if found is None:
        return _UNIX.match(text) is not None
    try:
        date(*map(int, found.groups()))
    except ValueError:
        return False
    return found.end() == len(text) or text[found.end()] in "Tt _"


def _is_time(text: str) -> bool:
    return _TIME.match(text) is not None or _UNIX.match(text) is not None


def _is_date_time(text: str) -> bool:
    return _is_date(text) and (len(text) < 12 or _UNIX.match(text) is not None or _is_time(text[11:]))


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
    "duration": lambda text: _DURATION.match(text) is not None,
    "email": lambda text: "@" in text.strip()[1:-1],
    "ipv4": _is_made_by(ipaddress.IPv4Address),
    "ipv6": _is_made_by(ipaddress.IPv6Address),
    "time": _is_time,
    "uri": lambda text: _URI.match(text.strip()) is not None,
    "uuid": _is_made_by(uuid.UUID),
}
"""A test per format that is checked; strings of any other format pass."""
