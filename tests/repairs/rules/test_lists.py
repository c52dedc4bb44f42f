from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import AmbiguousError, RepairError, SchemaMismatchError
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.values import same

Field = Callable[..., JsonValue]
ERROR: Final = SchemaMismatchError


def list_of(**item: JsonValue) -> Mapping[str, JsonValue]:
    """A schema of a list."""
    return {"type": "array", "items": item}


TEXTS: Final = list_of(type="string")
WHOLES: Final = list_of(type="integer")
NUMBERS: Final = list_of(type="number")
SIZES: Final = list_of(enum=["s", "m", "x-large", "a, b"])
ROWS: Final = list_of(
    type="object",
    properties={"sku": {"type": "string"}, "qty": {"type": "integer"}},
    required=["sku", "qty"],
    additionalProperties=False,
)


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        (TEXTS, "calendar", ["calendar"]),
        (TEXTS, "send mail", ["send mail"]),
        (TEXTS, 7, ["7"]),
        (WHOLES, 5, [5]),
        (WHOLES, "5", [5]),
        (WHOLES, 5.0, [5]),
        (SIZES, "M", ["m"]),
        (SIZES, "a, b", ["a, b"]),
        (ROWS, {"sku": "K-9", "qty": "2"}, [{"sku": "K-9", "qty": 2}]),
        ({"type": "array"}, {"a": 1}, [{"a": 1}]),
    ],
)
def test_one_item_is_a_list_of_one(field: Field, schema: JsonValue, given: JsonValue, wanted: JsonValue) -> None:
    """What fits as an item is put into a list."""
    assert same(field(schema, given), wanted)


@pytest.mark.parametrize("given", ["a, b", "a;b", "a\nb", "a\rb", "https://example.org/map?at=45.1,7.6", "", " ", None])
def test_free_text_that_may_be_several_is_an_error(field: Field, given: JsonValue) -> None:
    """A separator may belong to the text or stand between two; no text may be none or one."""
    assert field(TEXTS, given) is ERROR


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        (WHOLES, "1,2", [1, 2]),
        (WHOLES, "1, 234", [1, 234]),
        (WHOLES, "1;2", [1, 2]),
        (WHOLES, "1\n2\n3", [1, 2, 3]),
        (NUMBERS, "1.5, 2", [1.5, 2]),
        (SIZES, "s, X-Large", ["s", "x-large"]),
        (list_of(type="boolean"), "yes,no", [True, False]),
    ],
)
def test_numbers_and_allowed_values_are_split(
    field: Field, schema: JsonValue, given: str, wanted: list[JsonValue]
) -> None:
    """Every part has to be an item."""
    assert same(field(schema, given), wanted)


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        (WHOLES, "1,two"),
        (WHOLES, "1,2;3"),
        (WHOLES, "1,"),
        (WHOLES, ",1"),
        (WHOLES, "1,,2"),
        (WHOLES, "a"),
        (SIZES, "s, xl"),
        (SIZES, "s,"),
        (ROWS, {"sku": "K-9"}),
        (ROWS, "K-9"),
    ],
)
def test_what_does_not_fit_in_all_its_parts_is_an_error(field: Field, schema: JsonValue, given: JsonValue) -> None:
    """No part is dropped, and none is guessed."""
    assert field(schema, given) is ERROR


@pytest.mark.parametrize(
    ("item", "given"),
    [
        ({"type": "object"}, {"0": {"a": 1}, "1": {"a": 2}}),
        ({"type": "object"}, {"item": [{"a": 1}, {"a": 2}]}),
        ({"type": "object"}, {"item": {"a": 1}}),
        ({"type": "object"}, {}),
        ({"type": "object", "properties": {"sku": {"type": "string"}}}, {"row": {"sku": "a"}}),
    ],
    ids=str,
)
def test_a_list_in_disguise_is_no_item(field: Field, item: JsonValue, given: JsonValue) -> None:
    """Numbered keys, or a key around the items, are for the model to write as a list."""
    assert field({"type": "array", "items": item}, given) is ERROR


def test_thousands_or_two_items_is_an_error(field: Field) -> None:
    """`1,234` for a list of integers is one number or two."""
    assert field(WHOLES, "1,234") is AmbiguousError


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        (TEXTS, '["calendar", "send mail"]', ["calendar", "send mail"]),
        (WHOLES, "[1, 2]", [1, 2]),
        (WHOLES, '["1"]', [1]),
        (ROWS, '[{"sku": "a", "qty": 1}]', [{"sku": "a", "qty": 1}]),
        (ROWS, ['{"sku": "a", "qty": 1}'], [{"sku": "a", "qty": 1}]),
        (TEXTS, "[]", []),
    ],
)
def test_json_text_of_a_list_is_decoded(field: Field, schema: JsonValue, given: JsonValue, wanted: JsonValue) -> None:
    """The text of a list is the list, before it is one item of it."""
    assert same(field(schema, given), wanted)


@pytest.mark.parametrize("given", ['["a"', "['a']", "[a]", '{"a": 1}'])
def test_broken_json_is_no_item(field: Field, given: str) -> None:
    """Text that begins like a list or object is not taken for a word."""
    assert field(TEXTS, given) is ERROR


@pytest.mark.parametrize(("kind", "given"), [("string", "a"), ("integer", 5), ("boolean", True), ("object", {"a": 1})])
def test_the_only_item_stands_for_itself(field: Field, kind: str, given: JsonValue) -> None:
    """A list of one is opened where none is wanted; a list of several, of none or within another is not."""
    schema = {"type": kind}
    assert same(field(schema, [given]), given)
    assert field(schema, [given, given]) is ERROR
    assert field(schema, []) is ERROR
    assert field(schema, [[given]]) is ERROR
    assert field(schema, [None]) is ERROR


def test_a_bad_item_is_named_and_kept() -> None:
    """The error tells the index, and every bad item."""
    schema = {"type": "object", "properties": {"values": WHOLES, "rows": ROWS}}
    value = {"values": [1, "two", 3, "four"], "rows": [{"sku": "a", "qty": 1}, {"sku": "b"}]}
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(schema)).mend(value)
    assert [problem.path for problem in caught.value.problems] == [("values", 1), ("values", 3), ("rows", 1, "qty")]


def test_a_repeated_item_is_an_error(field: Field) -> None:
    """Items that must differ are not thinned out, not even after mending."""
    seats = {"type": "array", "items": {"type": "integer"}, "uniqueItems": True}
    assert field(seats, [4, 7, 4]) is ERROR
    assert field(seats, [4, "4"]) is ERROR
    assert same(field(seats, ["4", 7]), [4, 7])


def test_the_first_items_have_schemas_of_their_own(field: Field) -> None:
    """Tuples are settled place by place."""
    pair = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "boolean"}}
    assert same(field(pair, [7, "7", "yes"]), ["7", 7, True])


@pytest.mark.parametrize(
    ("item", "given"),
    [
        ("number", "1,234.5, 3"),
        ("number", "1,500, 2"),
        ("integer", "1,500, 2"),
        ("integer", "2, 1,500"),
        ("number", "3,140"),
        ("number", "1,234,567"),
    ],
)
def test_thousands_in_a_list_are_an_error(field: Field, item: str, given: str) -> None:
    """A comma between digits may part thousands or items, also beside commas that clearly part items."""
    assert field(list_of(type=item), given) is AmbiguousError


def test_a_decimal_comma_in_a_list_is_an_error(field: Field) -> None:
    """Where other commas are followed by a blank, one between digits may be the point of a fraction."""
    assert field(NUMBERS, "1,5, 2") is ERROR
    assert same(field(WHOLES, "1,5, 2"), [1, 5, 2])


@pytest.mark.parametrize("given", ["1,234", "1,234,567"])
def test_a_list_or_one_number_is_as_doubtful_as_a_list(field: Field, given: str) -> None:
    """A union does not make two readings one."""
    assert field({"anyOf": [WHOLES, {"type": "integer"}]}, given) is AmbiguousError
    assert field({"anyOf": [NUMBERS, {"type": "number"}]}, given) is AmbiguousError


@pytest.mark.parametrize(
    ("item", "given"),
    [("number", [48.85, 2.35]), ("string", ["ls", "-l"]), ("integer", ["1", "2"]), ("object", [{"a": 1}, {"a": 2}])],
)
def test_a_list_for_a_list_of_lists_is_one_row_or_many(field: Field, item: str, given: JsonValue) -> None:
    """Each item may want a list around it, or the whole list may be the one row."""
    assert field({"type": "array", "items": list_of(type=item)}, given) is AmbiguousError


@pytest.mark.parametrize(
    ("row", "given", "wanted"),
    [
        ({"minItems": 2}, [1, 2], [[1, 2]]),
        ({"minItems": 2, "maxItems": 2}, ["1", 2], [["1", 2]]),
        ({"maxItems": 1}, [1, 2], [[1], [2]]),
        ({}, [1], [[1]]),
        ({}, [[1], 2], [[1], [2]]),
    ],
)
def test_the_lengths_of_rows_tell_them_apart(
    field: Field, row: dict[str, JsonValue], given: JsonValue, wanted: JsonValue
) -> None:
    """A pair is one row where each row is a pair, and a list that holds a row is the list of rows."""
    item: dict[str, JsonValue] = {"items": {"type": ["integer", "string"] if "1" in given else "integer"}}
    assert same(field({"type": "array", "items": {"type": "array", **item, **row}}, given), wanted)
