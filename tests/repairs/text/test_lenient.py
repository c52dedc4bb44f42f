from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.errors import CutOffError, LimitError, NotJsonError, RepairError
from toolmend.repairs.numbers import source_of
from toolmend.repairs.policy import Limits
from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.text.cursor import Options, QuoteError
from toolmend.repairs.text.lenient import read_value

ValueOf = Callable[..., JsonValue]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ("[]", []),
        ("()", []),
        ('"x"', "x"),
        ("'x'", "x"),
        ("{a: 1, 'b': [True, None, \"x\"]}", {"a": 1, "b": [True, None, "x"]}),
        ("[1, [2, [3, {a: []}]],]", [1, [2, [3, {"a": []}]]]),
        ("dict(a=1, b=dict(c=2))", {"a": 1, "b": {"c": 2}}),
        ("(1)", 1),
        ("(1,)", [1]),
        ("('a', 'b')", ["a", "b"]),
        ("{a: x y, b: 1}", {"a": "x y", "b": 1}),
        ("{“a”: ‘b’}", {"a": "b"}),
    ],
)
def test_values_without_a_schema(text: str, value: JsonValue) -> None:
    """Nothing needs to be known of a value to read it."""
    assert read_value(text).value == value


@pytest.mark.parametrize("behind", [" and more", ", x", "{}", '"'])
def test_an_embedded_value_ends_where_it_ends(behind: str) -> None:
    """What stands behind it is not looked at, and the end is told."""
    text = "{'a': [1, 2]}"
    reading = read_value("see " + text + behind, 4, Options(embedded=True))
    assert reading.value == {"a": [1, 2]}
    assert reading.end == 4 + len(text)


@pytest.mark.parametrize("text", ["", " ", "{", "[", "[1", '"a', "{'a': 1", "{a", "{a:", "(1, 2"])
def test_a_value_that_is_not_whole(text: str) -> None:
    """It is cut off, or what was left open is told."""
    try:
        reading = read_value(text)
    except CutOffError:
        return
    assert reading.unclosed


@pytest.mark.parametrize(
    "text", ["{a: 1} x", "{:}", "{]", "}", "{a: ,}", "{'a', 'b'}", "{'a': 'b' 'c'}", "{a: 1, a: 2}", "<x>"]
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    """The error tells line, column and what stands there."""
    with pytest.raises(RepairError) as caught:
        read_value(text)
    assert caught.value.line == 1
    assert caught.value.column is not None


def test_a_quote_that_needs_the_schema_is_told() -> None:
    """Where a quote was not escaped, the error says that the schema may help."""
    with pytest.raises(QuoteError):
        read_value('{"a": "say "hi" now"}')


def test_nesting_is_bounded() -> None:
    """The reader goes as deep as the limit, and never recurses."""
    options = Options(limits=Limits(depth=5))
    assert read_value("[" * 5 + "]" * 5, 0, options).value == [[[[[]]]]]
    with pytest.raises(LimitError, match="deeper than 5"):
        read_value("[" * 6 + "]" * 6, 0, options)
    deep = Options(limits=Limits(depth=5000))
    assert read_value("[" * 3000 + "]" * 3000, 0, deep).unclosed == ()


def test_numbers_remember_their_text() -> None:
    """So that a rule can have it where a string is wanted."""
    reading = read_value("[1.10, 0xFF]")
    assert [source_of(item) for item in reading.value] == ["1.10", "0xFF"]


@pytest.mark.parametrize(
    "text",
    [
        '{ // "a": 2,\n "a": 1 }',
        '{"a": /* 2 */ 1}',
        '{"a" /* c */ : 1}',
        "# x\n{'a': 1}",
        '{"a": 1} // done',
        '{"a": 1, # }\n}',
        '{"a": 1 /* "b": 2, } */}',
        '/***/{"a": 1}/**/',
        '{"a": 1, // it\'s "x", {y}\n}',
    ],
)
def test_comments_are_white_space(text: str) -> None:
    """Whatever stands in them is not read."""
    reading = read_value(text)
    assert reading.value == {"a": 1}
    assert "comment" in {repair.rule for repair in reading.repairs}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "see " // b",\n "c": 1}',
        '{"a": ""//x",\n "c": 1}',
        '["x", // 5" pipe\n "y"]',
        '{"a": 1, /* x',
    ],
)
def test_a_comment_that_may_be_text_is_refused(text: str) -> None:
    """A lone quote in it may belong to a string."""
    with pytest.raises((NotJsonError, CutOffError)):
        read_value(text)


@pytest.mark.parametrize("space", ["\xa0", "\u200b", "\ufeff", "\u3000", "\\n", "\\n\\t", "\x0c"])
def test_odd_white_space_between_tokens_is_on_record(space: str, value_of: ValueOf) -> None:
    """Invisible marks and escaped line breaks are passed over, never within strings or words."""
    text = f'{{{space} "a"{space}: "x{space}y", "b": 3{space}}}'
    wanted = {"a": "x\n\ty" if space == "\\n\\t" else "x\ny" if space == "\\n" else f"x{space}y", "b": 3}
    assert value_of(text, "a:text b:whole") == wanted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": ("x")}', "x"),
        ('{"a": (("x"))}', "x"),
        ('{"a": ("x",)}', None),
    ],
)
def test_parentheses_around_a_value(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """They mean nothing, unless a comma makes a tuple of them."""
    assert value_of(text, "a:text") == ({"a": value} if value else value_of('{"a": ["x"]}', "a:text"))


def test_parentheses_where_a_list_may_stand_too(value_of: ValueOf) -> None:
    """One value in parentheses is a list only where nothing else fits."""
    assert value_of('{"a": ("x")}', "a:texts") == {"a": ["x"]}
    assert value_of('{"a": ("x")}', "a:text|texts") is None
    assert value_of('{"a": ([1, 2])}', "a:rows") == {"a": [[1, 2]]}
    assert value_of('{"a": ([1, 2]), "b": ()}', "a:reals b:reals") == {"a": [1, 2], "b": []}
    assert value_of('{"rows": [[], "name": "x"}', "rows:rows name:text") is None


def test_paths_of_records(mend: Callable[..., Mended]) -> None:
    """A record tells the member that was being read."""
    mended = mend("{'items': [{'name': 'a', 'qty': 0x2}]}", "items:objects", "name:text qty:whole")
    assert ("items", 0, "qty") in {repair.path for repair in mended.repairs}


def test_a_list_around_the_object_knows_the_schema(value_of: ValueOf) -> None:
    """What stands in it is read as the object would be."""
    assert value_of('[{"body": "say "hi"", "size": 3}]', "body:text size:whole") == {"body": 'say "hi"', "size": 3}
