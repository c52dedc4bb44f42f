"""What the scan of a text stops at."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from toolmend.toolkit.extract import reasoning
from toolmend.toolkit.extract.events import EVENT, Openings, event_at
from toolmend.toolkit.extract.markers import MARKERS, STARTS
from toolmend.toolkit.extract.places import places_of

EXAMPLES = [example.text for marker in MARKERS for example in marker.examples]
WORDS = ("<think>", "[/THINK]", "◁think▷", "[TOOL_RESULTS]", "✿RESULT✿", "```", "`", "f(", "(", "User:", "[", "x", " ")
PIECES = st.sampled_from([*STARTS, *EXAMPLES, *WORDS, "### Instruction", "functools [", "x = f(", "\n", "\n "])


def stops(text: str) -> list[int]:
    """The places that openings give for a text, from left to right."""
    openings, places, pos = Openings(text), list[int](), 0
    while (place := openings.after(pos)) is not None:
        places.append(place)
        pos = place + 1
    return places


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_event_is_passed_over(text: str) -> None:
    """The quick search stops wherever the slow one finds an event, markers of plain words included."""
    events = {place for place in range(len(text)) if EVENT.match(text, place) is not None and _begins(text, place)}
    assert events <= set(stops(text))


def _begins(text: str, place: int) -> bool:
    """Whether no event covers a place that begins in front of it, as back-ticks in a row do."""
    return text[place] != "`" or text[place - 1 : place] != "`"


def test_prose_has_no_openings() -> None:
    """Brackets and quotes within a line, and words in front of a line, open nothing."""
    assert stops("He said [so] (twice) \"yes\".\nThen 'f(x)' and x = {y}, functional calls; see [1].\n") == []


def test_an_event_is_named_by_what_meets_it() -> None:
    """For those who read a text while it grows."""
    assert event_at("a <think>", 2) == ("think", 9)
    assert event_at("a\n[x", 1) == ("line", 2)
    assert event_at("a", 0) is None
    assert all(event_at(opener, 0) == ("think", len(opener)) for opener, _ in reasoning.TAGS)


def test_places_may_overlap() -> None:
    """Each place counts at which a word begins."""
    assert places_of("aaa b aa", "aa") == [0, 1, 6]
    assert places_of("", "aa") == []
