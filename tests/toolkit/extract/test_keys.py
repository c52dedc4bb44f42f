"""Where the keys of calls stand."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from toolmend.toolkit.extract.keys import ARGUMENT_KEYS, NAME_KEYS, WRAPPER_KEYS, KeyPlaces

QUOTE = "[\"'`“”‘’]?"
PIECES = st.sampled_from(
    [
        *NAME_KEYS,
        *ARGUMENT_KEYS,
        *WRAPPER_KEYS,
        '"',
        "'",
        "“",
        ":",
        "=",
        ": ",
        " ",
        "{",
        "[",
        "x",
        "_",
        "-",
        "\\",
        ".",
        "\n",
    ]
)


def plainly(keys: tuple[str, ...], value: str) -> re.Pattern[str]:
    """The same as one pattern that is tried at each character."""
    return re.compile(rf"(?<![\w.-]){QUOTE}(?:{'|'.join(keys)}){QUOTE}\s{{0,9}}[:=]\s{{0,9}}{value}")


NAME = plainly(NAME_KEYS, rf"{QUOTE}(?P<name>[\w.:\\-]{{1,100}})")
ARGUMENTS = plainly(ARGUMENT_KEYS, "[\\[{\"'“`]")
WRAPPER = plainly(WRAPPER_KEYS, r"[\[{]")


@given(st.lists(PIECES, max_size=40).map("".join))
def test_the_places_are_those_of_a_plain_search(text: str) -> None:
    """To look only where words stand finds the same keys."""
    places = KeyPlaces(text)
    end = len(text)
    assert places.names == [(match.start(), match["name"]) for match in NAME.finditer(text)]
    wrapper, name, second, arguments = places.following(0)
    names = [match.start() for match in NAME.finditer(text)]
    assert [name, second] == [*names, end, end][:2]
    assert arguments == next((match.start() for match in ARGUMENTS.finditer(text)), end)
    assert wrapper == next((match.start() for match in WRAPPER.finditer(text)), end)
    assert places.has_name(0) == bool(names)
