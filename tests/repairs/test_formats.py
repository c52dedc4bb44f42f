from __future__ import annotations

import datetime as dt
import ipaddress
import uuid
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AnyUrl, TypeAdapter, ValidationError

from toolmend.repairs._formats import TIMES, is_number
from toolmend.repairs.judge import SchemaJudge
from toolmend.repairs.schema import compile_schema


def passes(name: str, text: str) -> bool:
    """Whether a text passes a format."""
    return not SchemaJudge(compile_schema({"format": name}))(text)


TYPES: Final[dict[str, tuple[Any, list[str]]]] = {
    "date": (dt.date, ["2026-02-28", "2026-02-28T00:00:00"]),
    "date-time": (
        dt.datetime,
        ["2026-02-28T10:00", "2026-02-28 10:00:00.5Z", "2026-02-28T10:00:00+02:00", "2026-02-28"],
    ),
    "time": (dt.time, ["10:30", "10:30:15", "10:30:15.5", "10:30:15Z", "10:30+02:00"]),
    "duration": (dt.timedelta, ["P1DT2H", "PT5M", "-P1D", "1 day, 02:03:04", "02:03:04", "3d"]),
    "uuid": (uuid.UUID, [str(uuid.UUID(int=5)), uuid.UUID(int=5).hex, f"urn:uuid:{uuid.UUID(int=5)}"]),
    "ipv4": (ipaddress.IPv4Address, ["127.0.0.1"]),
    "ipv6": (ipaddress.IPv6Address, ["::1", "fe80::1%eth0"]),
    "uri": (AnyUrl, ["https://example.org/a?b=c", "mailto:a@example.org", " ftp://x ", "urn:a:b"]),
}


@pytest.mark.parametrize("name", TYPES)
def test_formats_are_never_stricter_than_pydantic(name: str) -> None:
    """What a class of pydantic reads passes the format that it emits."""
    adapter, texts = TypeAdapter(TYPES[name][0]), TYPES[name][1]
    for text in texts:
        adapter.validate_python(text)
        assert passes(name, text)


@given(st.sampled_from(sorted(TYPES)), st.text("0123456789-:TZ+. /aP", max_size=24) | st.text(max_size=8))
def test_whatever_pydantic_reads_passes(name: str, text: str) -> None:
    """Texts made up of the signs of dates and times; only mere numbers are no dates."""
    try:
        TypeAdapter(TYPES[name][0]).validate_python(text)
    except ValidationError:
        return
    assert passes(name, text) is not (name in TIMES and is_number(text))


@given(st.datetimes(timezones=st.none() | st.timezones()) | st.dates() | st.times() | st.timedeltas() | st.uuids())
def test_what_pydantic_writes_passes(value: object) -> None:
    """A date, time, duration or id as JSON."""
    name = {
        dt.datetime: "date-time",
        dt.date: "date",
        dt.time: "time",
        dt.timedelta: "duration",
    }
    text = TypeAdapter(type(value)).dump_json(value).decode().strip('"')
    assert passes(name.get(type(value), "uuid"), text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("date", "05/06/2024"),
        ("date", "2024-02-30"),
        ("date", "tomorrow"),
        ("date", "2024"),
        ("date", "20240501"),
        ("date-time", "noon"),
        ("date-time", "1700000000.5"),
        ("time", "1030"),
        ("duration", "5"),
        ("duration", "1.5"),
        ("date-time", "2024-01-01T25:00"),
        ("time", "25:00"),
        ("duration", "soon"),
        ("uuid", "abc"),
        ("ipv4", "1.2.3.400"),
        ("ipv6", "1.2.3.4"),
        ("email", "ann"),
        ("uri", "example"),
    ],
)
def test_what_is_plainly_of_no_such_format_is_refused(name: str, text: str) -> None:
    """The lenient reading still has a limit."""
    assert not passes(name, text)


def test_unknown_formats_pass() -> None:
    """A format that nobody here knows asks nothing."""
    assert passes("color", "anything")
