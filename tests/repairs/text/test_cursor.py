from __future__ import annotations

import pytest

from toolmend.repairs.errors import CutOffError, LimitError, NotJsonError
from toolmend.repairs.policy import Limits
from toolmend.repairs.text.cursor import Cursor, Options, QuoteError, place


@pytest.mark.parametrize(("offset", "line", "column"), [(0, 1, 1), (2, 1, 3), (3, 2, 1), (5, 2, 3), (6, 3, 1)])
def test_places_are_told_from_one(offset: int, line: int, column: int) -> None:
    """Line and column as an editor shows them."""
    assert place("ab\ncd\n", offset)[:2] == (line, column)


def test_a_place_shows_what_is_around() -> None:
    """About twenty characters."""
    assert place("a" * 50, 25)[2] == "a" * 20


def test_white_space_is_passed_over() -> None:
    """Plain blanks leave no record; invisible marks and comments do."""
    cursor = Cursor(" \n\t\xa0/* c */ // d\n x", 0, Options())
    cursor.skip_space()
    assert cursor.peek() == "x"
    assert [repair.rule for repair in cursor.repairs] == ["invisible-mark", "comment", "comment"]


def test_python_has_no_comments_of_c() -> None:
    """A slash is no comment there, nor is anything passed over as one."""
    cursor = Cursor(" // d", 0, Options(python=True))
    cursor.skip_space()
    assert cursor.peek(2) == "//"


@pytest.mark.parametrize(
    ("text", "end"),
    [(" /* a */ x", 9), ("// a\n # b\nx", 10), ("/* a", 0), ("// a", 4), ("/x", 0), ("x", 0), (" ", 1)],
)
def test_looking_behind_comments_moves_nothing(text: str, end: int) -> None:
    """The offset of the next token is told without moving."""
    cursor = Cursor(text, 0, Options())
    assert cursor.after_comments(0) == end
    assert (cursor.pos, cursor.repairs) == (0, [])


@pytest.mark.parametrize(
    ("text", "end"), [(" // it's\nx", 9), (' // "a" b\nx', 10), (' // a"\nx', 1), ('//"a"\nx', 0), (" # 'a\nx", 1)]
)
def test_a_comment_with_a_lone_quote_may_be_text(text: str, end: int) -> None:
    """Behind a quote, it is not passed over."""
    quote = "'" if "'" in text else '"'
    assert Cursor(text, 0, Options()).after_comments(0, quote=quote) == end


def test_looking_ahead_costs_budget() -> None:
    """A text cannot make the reader look at the same comment for ever."""
    cursor = Cursor("/*" + "x" * 100_000 + "*/", 0, Options(limits=Limits(steps_per_char=1)))
    before = cursor.budget.left
    cursor.after_comments(0)
    cost = before - cursor.budget.left
    cursor.budget.left = cost - 1
    with pytest.raises(LimitError):
        cursor.after_comments(0)


def test_errors_tell_their_place() -> None:
    """Each kind of error has line, column, and what was expected."""
    cursor = Cursor("ab\ncd", 3, Options())
    error = cursor.fail("no", expected="yes", final=True)
    assert isinstance(error, NotJsonError)
    assert (error.line, error.column, error.expected, error.final) == (2, 1, "yes", True)
    assert isinstance(cursor.quote_fault("no", 4), QuoteError)
    cut = cursor.cut("in the middle", ("a",))
    assert isinstance(cut, CutOffError)
    assert (cut.line, cut.column, cut.path) == (2, 3, ("a",))


def test_what_is_pythons_own_is_not_recorded() -> None:
    """In Python syntax its notation is no repair."""
    for python, count in ((True, 1), (False, 2)):
        cursor = Cursor("'a'", 0, Options(python=python))
        cursor.record("quote-style", 0, 3, '"a"')
        cursor.record("comment", 0, 3, "")
        assert len(cursor.repairs) == count
