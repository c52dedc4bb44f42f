"""Texts with two readings, and texts that were cut: none of them gives a value."""

from __future__ import annotations

import pytest

from toolmend.repairs import RepairError, repair_json
from toolmend.repairs.record import JsonValue

TEXT = {"type": "string"}


def _object(required: str, /, *, closed: bool = True, **properties: JsonValue) -> dict[str, JsonValue]:
    schema = {"type": "object", "properties": properties, "required": required.split()}
    return {**schema, "additionalProperties": False} if closed else schema


TEXTS = _object("s", s={"type": "array", "items": TEXT})
ANY = _object("v", v={})


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (TEXTS, '{"s": ["a""b", "c"]}'),
        (TEXTS, '{"s": ["a"` "b"]}'),
        (_object("q", closed=False, q=TEXT), '{"q": "a""z": "d"}'),
        (_object("q", closed=False, q=TEXT), '{"q": "a"("z": "d"}'),
        (_object("e", e={"type": "object", "additionalProperties": TEXT}), '{"e": {"A": "1"", B": "x"}}'),
        (_object("path", path=TEXT, text=TEXT), '{"path": "it\'s,"text":\'q\', \\"n\\": 5"}'),
    ],
)
def test_a_string_swallows_no_neighbour(schema: JsonValue, text: str) -> None:
    """Quotes inside a string are not forgiven where they may as well be those of a key or an item."""
    with pytest.raises(RepairError):
        repair_json(text, schema, complete=True)


@pytest.mark.parametrize("mark", ["”", "'", "`", "»"])
def test_a_string_closed_by_a_quote_of_another_kind_is_an_error(mark: str) -> None:
    """The quote may be meant as the closing one, or as a part of the string."""
    with pytest.raises(RepairError):
        repair_json(f'{{"x": "a{mark}, "y": "b"}}', _object("x y", x=TEXT, y=TEXT))


@pytest.mark.parametrize(
    ("types", "text"),
    [(["string", "null"], '{"v": null"}'), (["string", "integer", "null"], '{"v": 5"}')],
)
def test_a_literal_in_front_of_one_quote_is_an_error(types: list[str], text: str) -> None:
    """It may be the literal with a stray quote, or a string that lost its first one."""
    with pytest.raises(RepairError):
        repair_json(text, _object("v", v={"type": types}))


@pytest.mark.parametrize(
    "text", ['{"v": tru}', '{"v": [nul]}', '{"v": {"x": {"z", "w"}}}', '{"v": [1, {"z"; "w"}]}', '{"v": [1[2]]}']
)
def test_where_anything_may_stand_nothing_is_read_into_it(text: str) -> None:
    """Without a schema, braces around strings may lack their values, and brackets behind a number be a subscript."""
    with pytest.raises(RepairError):
        repair_json(text, ANY)


@pytest.mark.parametrize("end", ["abc\\", "1.", "tru", "x-", "null:", "a,", "f("])
def test_words_that_go_on_are_cut_whatever_is_said_of_the_end(end: str) -> None:
    """A mark that ends no value, or half a literal, at the end of the text tells more than the reason given for it."""
    with pytest.raises(RepairError):
        repair_json(f'{{"v": {end}', _object("v", v={"type": ["string", "null"]}), complete=True)


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a"} dry_run: true',
        'dry_run=true {"path": "a"}',
        '{"path": "a"} [\'n\', 5]',
        '{"path": "a"} // {"path": "b"}',
        '{"path": "a"} // dry_run=true',
        '<path>b</path>{"path": "a"}',
    ],
)
def test_what_may_be_a_member_is_no_prose(text: str) -> None:
    """Beside the object nothing is left out that may belong to it."""
    with pytest.raises(RepairError):
        repair_json(text, _object("path", path=TEXT, dry_run={"type": "boolean"}))


@pytest.mark.parametrize("text", ['{"a": "b",: "c"}', '{"a": "b",= "c"}', '{"a": "b"-b: "c"}', '{"a": "b",(b): "c"}'])
def test_a_torn_key_is_no_part_of_the_string_before_it(text: str) -> None:
    """A quote in front of a comma or sign and a separator opens no quotation."""
    with pytest.raises(RepairError):
        repair_json(text, _object("a", a=TEXT, b=TEXT))


@pytest.mark.parametrize("number", ["1e-400", "-1e-999", "0.00001e-400"])
@pytest.mark.parametrize("rest", ["}", ",}"])
def test_a_number_too_small_for_a_float_is_not_zero(number: str, rest: str) -> None:
    """It is refused like one that is too large."""
    with pytest.raises(RepairError):
        repair_json(f'{{"v": {number}{rest}', ANY)


def test_members_without_any_separator_are_not_guessed() -> None:
    """Strings side by side in an object may be keys, values, or items."""
    with pytest.raises(RepairError):
        repair_json('{"a" "b" "c" "d"}', {})
