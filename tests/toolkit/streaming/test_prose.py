from __future__ import annotations

from toolmend.toolkit import TextDelta, TextRestart
from toolmend.toolkit.streaming.prose import Prose


def test_blanks_wait_until_something_follows() -> None:
    """At both ends of the text they are never shown."""
    prose = Prose()
    prose.write(" \n Hello")
    prose.write(" ")
    prose.write("\n")
    assert prose.events() == [TextDelta("Hello")]
    prose.write("world \n")
    assert prose.events() == [TextDelta(" \nworld")]
    assert prose.events() == []


def test_pieces_stand_on_lines_of_their_own() -> None:
    """As the whole parse joins them; blanks around them do not count, nor do pieces of blanks."""
    prose = Prose()
    for piece in ("", "one ", " \n", "\n two "):
        prose.write(piece)
        prose.end_piece()
    assert prose.events() == [TextDelta("one\ntwo")]


def test_a_restart_is_told_to_those_who_saw_something() -> None:
    """Text that was not told yet is forgotten without a word."""
    prose = Prose()
    prose.write("thought")
    assert prose.restart() == []
    assert prose.events() == []
    prose.write("more")
    prose.events()
    assert prose.restart() == [TextRestart("")]
    prose.write("answer")
    assert prose.events() == [TextDelta("answer")]


def test_text_is_settled_by_what_is_missing_or_anew() -> None:
    """What was shown is kept if it begins the text."""
    prose = Prose()
    prose.write("Hello")
    prose.events()
    assert prose.settle(" Hello, you ") == [TextDelta(", you")]
    assert prose.settle("Hello, you") == []
    assert prose.settle("Bye") == [TextRestart("Bye")]
    assert prose.settle("") == [TextRestart("")]


def test_settled_text_goes_on_with_its_blanks() -> None:
    """Those at its end are shown when something follows."""
    prose = Prose()
    prose.settle("one ")
    prose.write("two")
    assert prose.events() == [TextDelta(" two")]
