from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.cursor import Cursor, Options
from toolmend.repairs.text.frames import Frame, Keys
from toolmend.repairs.text.strings import Follow, key_ahead, schema_end, strict_end

ValueOf = Callable[..., JsonValue]
NodeOf = Callable[..., SchemaNode]

QUOTED = (
    'Use `grep "foo bar" *.txt` and then "ls"',
    '"a" and "b"',
    'He said "no"',
    'choose "A", "B" or "C", please',
    'SELECT "name", "age" FROM "users" WHERE id = 1',
    'INSERT INTO "t" ("limit", "x") VALUES (1, 2)',
    '<a href="https://example.org" class="b">go</a>\n',
    'name,note\n"Ann","hi, there"\n"Bo","x"\n',
    '# A "b"\n\n- "c": d\n- e',
    '{"name": "x", "deps": {"a": "1", "b": ["c", "d"]}}',
    '[{"k": 1}, {"k": 2}]',
    'print("a: b", {"k": 1})',
    'print(", ".join(["a", "b"]))',
    'x = {"a": 1}["a"]\nprint(x)',
    's = "a" + "b"',
    'if x == "": pass',
    'console.log("a", {b: "c"});',
    'echo "hi" && git commit -m "fix: a, b"',
    'curl -H "Accept: x/json" -d \'{"a": "b"}\' http://x',
    '3" nail',
    '5" x 3" board',
    'for k in ["a"]:\n    print(f"{k}")\n',
    "He's \"here\", isn't he?",
)


@pytest.mark.parametrize("text", QUOTED)
def test_quotes_that_were_not_escaped_belong_to_the_string(text: str, value_of: ValueOf) -> None:
    """Code, markup, tables and speech keep their quotes, wherever the string stands."""
    raw = text.replace("\n", "\\n")
    wanted = {"body": text, "size": 3}
    assert value_of(f'{{"body": "{raw}", "size": 3}}', "body:text size?:whole") == wanted
    assert value_of(f'{{"size": 3, "body": "{raw}"}}', "body:text size?:whole") == wanted
    assert value_of(f'{{"size": 3, "body": "{text}",}}', "body:text size?:whole") == wanted
    assert value_of(
        f'```json\n{{"in": {{"body": "{raw}", "size": 3}}, "x": 1}}\n```', "in:object x:whole", "body:text size?:whole"
    ) == {
        "in": wanted,
        "x": 1,
    }


@pytest.mark.parametrize(
    "text",
    [
        '{"title": "he said "x", "body": "y"}',
        '{"title": "a", "body": "she said "b"}',
        '{"title": "a", "body": "d = {"title": "x", "body": "y"}"}',
        '{"title": "", "body": "x", "title": "y"}',
        '{"title": "x", "unknown": "the "y" z"}',
        '{"title": ""Oslo"", "body": "x"}',
        '{"title": "Oslo"", "body": "x"}',
        '{"title": """"a" b""", "body": "x"}',
        '{"title": "a" if b else "c", "body": "x"}',
        '{"title": "x"{, "body": "y"}',
        '{"title": "a "b" + "c", "body": "y"}',
        "{'title': 'the dogs' bone', 'body': 'x'}",
    ],
)
def test_quotes_with_two_readings_are_refused(text: str, value_of: ValueOf) -> None:
    """Where a string may end at more than one quote, or a member may be swallowed, nothing is picked."""
    assert value_of(text, "title:text body:text") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["the "a" tag", "b"]', ['the "a" tag', "b"]),
        ('["b", "say "hi""]', ["b", 'say "hi"']),
        ('["say "a", "b" now", "c"]', None),
        ('["a" b", "c" d"]', None),
        ('["a", "b" "c" d"]', None),
        ('["a, "b", "c"]', None),
    ],
)
def test_quotes_in_the_items_of_a_list(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """A quote and a comma within an item could as well end it."""
    wanted = None if value is None else {"id": 1, "tags": value}
    assert value_of(f'{{"id": 1, "tags": {text}}}', "id:whole tags:texts") == wanted


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{'title': 'It's fine', 'body': 'x'}", {"title": "It's fine", "body": "x"}),
        ("{'title': 'rock 'n' roll', 'body': 'say \"hi\"'}", {"title": "rock 'n' roll", "body": 'say "hi"'}),
        ("{“title”: “a ”b” c”, “body”: “It’s”}", {"title": "a ”b” c", "body": "It’s"}),
        ("{‘title’: ‘it’s’, ‘body’: ‘b’}", {"title": "it’s", "body": "b"}),
    ],
)
def test_apostrophes_and_other_quotes(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """An apostrophe within a word is no quote; other quotes follow the same rules."""
    assert value_of(text, "title:text body:text") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"""a "b" c"""', 'a "b" c'),
        ("'''a \"b\" it's'''", 'a "b" it\'s'),
        ('"""\nx = 1\n"""', "\nx = 1\n"),
        ('"""a\\nb"""', "a\nb"),
        ('"""say "x""""', 'say "x"'),
        ('""""""', ""),
        ("```\nx\n```", "\nx\n"),
        ('"""a', None),
        ('"""a""', None),
    ],
)
def test_triple_quotes(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Three quotes end at the next three; what they enclose may hold quotes."""
    wanted = None if value is None else {"code": value, "size": 1}
    assert value_of(f'{{"code": {text}, "size": 1}}', "code:text size?:whole") == wanted


@pytest.mark.parametrize("cut", ['say "hi"', 'say "hi" and "', 'd = {"k": "v"}', 'say "a", "b', 'f("x", "'])
def test_a_cut_string_with_quotes_is_no_string(cut: str, value_of: ValueOf) -> None:
    """However the rest of the quotes could be paired, a text that ends in the string is an error."""
    assert value_of(f'{{"title": "a", "body": "{cut}', "title:text body:text") is None


def test_what_was_done_to_quotes_is_inferred(mend: Callable[..., Mended]) -> None:
    """The record has the string as it would have been written, and its place."""
    text = '{"body": "say "hi""}'
    [repair] = mend(text, "body:text").repairs
    assert (repair.rule, repair.kind, repair.path) == ("inner-quotes", "inferred", ("body",))
    assert text[slice(*(repair.span or ()))] == 'say "hi"'
    assert repair.after == 'say \\"hi\\"'


# ---------------------------------------------------------------------- the functions


@pytest.mark.parametrize(
    ("text", "quote", "end"),
    [
        ('a"b', '"', 1),
        ('a\\"b"c', '"', 4),
        ("abc", '"', None),
        ('a""b"""c', '"""', 4),
        ("a”b", "“", 1),
        ('a\\\\"b', '"', 3),
    ],
)
def test_the_end_by_the_letter(text: str, quote: str, end: int | None) -> None:
    """A string ends at the first closing quote that is not escaped."""
    assert strict_end(text, 0, quote) == end


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"days": 1', True),
        ("days: 1", True),
        ("'days' = 1", True),
        ("DAYS: 1", True),
        ('"city": 1', False),
        ("days 1", False),
        ("days://x", False),
    ],
)
def test_keys_that_may_come_next(text: str, found: bool, node: NodeOf) -> None:
    """A known key with its separator that was not yet given, in any spelling."""
    frame = Frame("}", node("city:text days?:whole"), members={"city": "x"}, given={"city"})
    cursor = Cursor(text, 0, Options())
    assert (key_ahead(cursor, Keys({}), frame, 0) is not None) is found


@pytest.mark.parametrize(
    ("rest", "ends"),
    [
        ("}", True),
        ("", True),
        (', "days": 3}', True),
        (', "x": 3}', False),
        (" and", False),
        ("} x", False),
        (" /* c */ }", True),
        (",}", True),
        ("};", True),
        ("}; x", False),
    ],
)
def test_what_may_follow_a_string(rest: str, ends: bool, node: NodeOf) -> None:
    """A closer, a comma and a known key, or the end of the text; comments aside."""
    text = '{"city": "x"' + rest
    schema = node("city:text days?:whole")
    stack = [Frame("", None, state="value"), Frame("}", schema, key="city", state="value")]
    follow = Follow(Cursor(text, 0, Options(schema=schema)), Keys({}), stack)
    assert follow.ends(len('{"city": "x"')) is ends


def test_the_end_by_the_schema(node: NodeOf) -> None:
    """The quote counts that the schema lets follow, not the first one."""
    text = '{"city": "the "big" x", "days": 3}'
    schema = node("city:text days?:whole")
    stack = [Frame("", None, state="value"), Frame("}", schema, key="city", state="value")]
    follow = Follow(Cursor(text, 0, Options(schema=schema)), Keys({}), stack)
    assert schema_end(follow, 10, '"') == text.index('", "days"')
