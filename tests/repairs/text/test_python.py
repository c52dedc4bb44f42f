from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.errors import CutOffError, NotJsonError, RepairError
from toolmend.repairs.numbers import source_of
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.python import read_call


@pytest.mark.parametrize(
    ("text", "name", "positional", "keywords"),
    [
        ("f()", "f", [], {}),
        ("weather(city='Oslo', days=3)", "weather", [], {"city": "Oslo", "days": 3}),
        ('a.b.c("x", 1, flag=True)', "a.b.c", ["x", 1], {"flag": True}),
        ("f(x=None, y=[1, 2.5, -3], z={'k': (1, 'a')})", "f", [], {"x": None, "y": [1, 2.5, -3], "z": {"k": [1, "a"]}}),
        ('f("a" "b" \'c\')', "f", ["abc"], {}),
        ('f("""say "x"\n""")', "f", ['say "x"\n'], {}),
        ("f(r'\\d+', u'x')", "f", ["\\d+", "x"], {}),
        ("f( x = 1 , )", "f", [], {"x": 1}),
        ("'f'(x=1)", "f", [], {"x": 1}),
        ("my\\_tool(x=1)", "my_tool", [], {"x": 1}),
        ("f(x='a, b) c=1')", "f", [], {"x": "a, b) c=1"}),
        ("f({'city': 'Oslo'})", "f", [{"city": "Oslo"}], {}),
        ("f(x=0x10, y=1_000)", "f", [], {"x": 16, "y": 1000}),
        ("f(x=('a',), y=(1))", "f", [], {"x": ["a"], "y": 1}),
    ],
)
def test_a_call_with_literal_values(
    text: str, name: str, positional: list[JsonValue], keywords: dict[str, JsonValue]
) -> None:
    """Names, values in order and keywords are read as Python has them."""
    call = read_call(text + " and more")
    assert (call.name, call.positional, call.keywords) == (name, positional, keywords)
    assert call.end == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "f(x)",
        "f(x=y)",
        "f(g(1))",
        "f(x=g(1))",
        "f(1 + 2)",
        "f(x=3 * 4)",
        "f(x=a.b)",
        "f(x=<city>)",
        "f(x=1, 2)",
        "f(x=1, x=2)",
        "f(x=1 y=2)",
        "f(x=1; y=2)",
        "f(x=nan)",
        "f(x='a' + 'b')",
        "f(x=[y for y in z])",
        "f(x=f'{y}')",
        "f",
        "1(x=2)",
        "(x=2)",
        "",
    ],
)
def test_what_is_no_literal_call_is_refused(text: str) -> None:
    """Nothing is evaluated, and no variable is taken for a word."""
    with pytest.raises(NotJsonError):
        read_call(text)


@pytest.mark.parametrize(
    "text", ["f(", "f(x", "f(x=", "f(x='a", "f(x='a'", "f(x=[1, 2", "f(x=1,", "f(x={'a': 1}", "f(12"]
)
def test_a_call_that_ends_in_the_middle_is_refused(text: str) -> None:
    """A call ends with its parenthesis."""
    with pytest.raises(RepairError):
        read_call(text)


def test_a_cut_call_is_told_from_a_wrong_one() -> None:
    """An open string or parenthesis is cut off."""
    for text in ("f(x='a", "f(x='a'", "f("):
        with pytest.raises(CutOffError):
            read_call(text)


def test_the_end_of_the_list_around_a_call_closes_it() -> None:
    """Only the parenthesis can be missing in front of that bracket; it is on record."""
    call = read_call("f(a=[1, 2]]")
    assert (call.keywords, call.end) == ({"a": [1, 2]}, len("f(a=[1, 2]"))
    assert [repair.rule for repair in call.repairs] == ["missing-closer"]
    with pytest.raises(RepairError):
        read_call("f(a=[1, 2)]")


def test_what_is_right_in_python_leaves_no_record() -> None:
    """Single quotes, tuples, literals and notations are Python's own; joined strings are on record."""
    call = read_call("f(x='a', y=(1, 2), z=True, n=0x10)")
    assert call.repairs == ()
    assert [repair.rule for repair in read_call("f('a' 'b')").repairs] == ["joined-strings"]


def test_the_schema_tells_what_a_value_may_be(node: Callable[..., SchemaNode]) -> None:
    """A number keeps its text where a string is wanted."""
    call = read_call("f(zip=00501, n=2)", 0, node("zip:text n:whole"))
    assert str(call.keywords["zip"]) == "00501" or source_of(call.keywords["zip"]) == "00501"
    assert call.keywords["n"] == 2


def test_a_call_may_stand_anywhere() -> None:
    """Reading begins at an offset and ends behind the call."""
    text = "then f(x=1); g(y=2)"
    first = read_call(text, text.index("f("))
    assert text[first.end :] == "; g(y=2)"
    assert read_call(text, text.index("g("), options=Options()).keywords == {"y": 2}
