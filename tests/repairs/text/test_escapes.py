from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.text.escapes import MAX_PATHS, BadEscapeError, decode, is_doubtful, starts_drive_path


@given(st.text())
def test_proper_escapes_are_decoded_as_json_does(text: str) -> None:
    """What JSON wrote is what comes back, and nothing is reported."""
    for ascii_only in (True, False):
        body = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        assert decode(body) == (text, False)


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (r"\d+\s*(\w+)", r"\d+\s*(\w+)"),
        (r"\bword\b\.", r"\bword\b\."),
        (r"\frac{a}{b} + \alpha", r"\frac{a}{b} + \alpha"),
        (r"\theta, \nu, \rho and \sum", r"\theta, \nu, \rho and \sum"),
        (r"\times\\\alpha", r"\times\\alpha"),
        (r"C:\Users\new\table.txt", r"C:\Users\new\table.txt"),
        (r"see D:\logs\q", r"see D:\logs\q"),
        (r"C:\users\u1", r"C:\users\u1"),
        (r"\x41\x42", "AB"),
        (r"\U0001F600 hi", "😀 hi"),
        (r"it\'s \"so\"", 'it\'s "so"'),
        (r"50\% of \$5\n", "50\\% of \\$5\n"),
        (r"\alpha\n\beta", "\\alpha\n\\beta"),
        (r"a\/b \ud83d\ude00 \q", "a/b 😀 \\q"),
        ("a\\\nb", "a\\\nb"),
        (r"\0", r"\0"),
    ],
)
def test_other_escapes_lose_no_backslash(content: str, value: str) -> None:
    """Beside an escape that JSON does not know, what was meant as a backslash stays one."""
    assert decode(content) == (value, True)


@pytest.mark.parametrize(
    "content",
    [
        r"caf\u00e",
        r"\u{1F600}",
        r"\u",
        r"\UFFFFFFFF",
        r"\\server\share\docs",
        r"see C:\dir name for\nmore \q",
        r"C:\q " * (MAX_PATHS + 1),
    ],
)
def test_escapes_with_two_readings_are_refused(content: str) -> None:
    """A short code, a network path half escaped, a line break or a part of a path: none is guessed."""
    with pytest.raises(BadEscapeError):
        decode(content)


def test_a_refused_escape_tells_its_place() -> None:
    """The offset is that of the backslash in the string."""
    with pytest.raises(BadEscapeError) as caught:
        decode(r"caf\u00")
    assert caught.value.offset == 3


@pytest.mark.parametrize(
    ("content", "value"),
    [("it's", "it's"), (r"it\'s", "it's"), (r"say \"hi\"", 'say "hi"'), ('say "hi"\\n', 'say "hi"\n')],
)
def test_strings_in_single_quotes(content: str, value: str) -> None:
    """Both kinds of quotes may be escaped, and double ones may stand bare."""
    assert decode(content, "'")[0] == value


@pytest.mark.parametrize(
    ("content", "is_path"),
    [("C:\\new", True), ("d:\\x", True), ("C:\\\\new", False), ("C:/x", False), ("abc:\\x", False)],
)
def test_drive_paths(content: str, is_path: bool) -> None:
    """A drive letter and a single backslash begin a path that was not escaped."""
    assert starts_drive_path(content) is is_path


@pytest.mark.parametrize(
    ("content", "doubtful"),
    [
        (r"C:\repo\new", True),
        (r"\times \theta", True),
        (r"\frac{1}{2}", True),
        (r"\bword\b", True),
        (r"line\nbreak", False),
        (r"C:\\repo\\new", False),
        (r"a\\frac", False),
        (r"tab\tseparated", False),
        (r"\f", False),
    ],
)
def test_strings_whose_escapes_may_be_none(content: str, doubtful: bool) -> None:
    """Paths and formulas whose backslashes JSON takes for escapes are told from plain text."""
    assert is_doubtful(content) is doubtful


@given(st.text("\\nutbx0cC:/ aU'\"", max_size=30))
def test_decoding_never_fails_otherwise(content: str) -> None:
    """Any content is decoded, or refused with the one error."""
    try:
        value, _ = decode(content)
    except BadEscapeError as error:
        value = content[error.offset :]
    assert isinstance(value, str)
