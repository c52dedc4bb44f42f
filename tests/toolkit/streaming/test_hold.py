from __future__ import annotations

import re

from toolmend.toolkit.streaming.hold import Hold


def test_endings_are_found_across_the_borders_of_pieces() -> None:
    """Each once, in order, however the text is cut."""
    told: list[tuple[str, int]] = []
    hold = Hold(re.compile("</a>"), lambda text, end: told.append((text, end)))
    for piece in ("x<", "/a", ">y</a>", "z"):
        hold.add(piece)
    assert [hold.try_end(), hold.try_end(), hold.try_end()] == [True, True, False]
    assert told == [("x</a>y</a>z", 5), ("x</a>y</a>z", 10)]


def test_what_is_looked_at_is_counted() -> None:
    """The piece, and as much of what came before as an ending may begin in."""
    hold = Hold(re.compile("</a>"), lambda text, end: None)
    assert hold.add("x" * 500) == 500
    assert hold.add("y") == 101


def test_endings_are_tried_as_often_as_the_text_is_long() -> None:
    """Then they are passed over until the text has grown, so that all of them together cost a few readings."""
    tries: list[int] = []
    hold = Hold(re.compile("!"), lambda text, end: tries.append(end))
    for _ in range(100_000):
        hold.add("!")
        hold.try_end()
    assert 0 < sum(tries) < 9 * 100_000 + 20_000
    assert tries[-1] > 80_000


def test_without_an_ending_nothing_is_kept() -> None:
    """The end of the message will show what it is, and there it is read as a whole."""
    hold = Hold(None, None)
    assert hold.add("x" * 10) == 0
    assert hold.pieces == []
    assert not hold.try_end()
