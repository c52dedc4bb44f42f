from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import AmbiguousError, RepairError, SchemaMismatchError
from toolmend.repairs.numbers import SourcedFloat
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.values import same

Field = Callable[..., JsonValue]
ERROR: Final = SchemaMismatchError

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}


def branch(required: str, **properties: JsonValue) -> Mapping[str, JsonValue]:
    """A closed schema of an object."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


CLICK: Final = branch("action selector", action={"const": "click"}, selector=TEXT)
SCROLL: Final = branch("action dy", action={"const": "scroll"}, dy=WHOLE)
TYPE: Final = branch("action selector text", action={"const": "type"}, selector=TEXT, text=TEXT)
STEP: Final = {"oneOf": [CLICK, SCROLL, TYPE]}
STATED: Final = {"oneOf": [CLICK, SCROLL, TYPE], "discriminator": {"propertyName": "action"}}


@pytest.mark.parametrize("schema", [STEP, STATED, {"anyOf": [*STEP["oneOf"], {"type": "null"}]}])
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"action": "scroll", "dy": "300"}, {"action": "scroll", "dy": 300}),
        ({"action": "Scroll", "dy": 300}, {"action": "scroll", "dy": 300}),
        ({"Action": "scroll", "DY": 300}, {"action": "scroll", "dy": 300}),
        ({"type": "scroll", "dy": 300}, {"action": "scroll", "dy": 300}),
        ('{"action": "scroll", "dy": "300"}', {"action": "scroll", "dy": 300}),
        ([{"action": "scroll", "dy": 300}], {"action": "scroll", "dy": 300}),
        ({"action": "click", "element": "#go"}, {"action": "click", "selector": "#go"}),
    ],
)
def test_a_tag_binds(field: Field, schema: JsonValue, given: JsonValue, wanted: JsonValue) -> None:
    """The branch that the tag names is mended, and no other."""
    assert same(field(schema, given), wanted)


@pytest.mark.parametrize(
    "given",
    [
        {"action": "click", "dy": 300},
        {"action": "click", "selector": "#go", "text": "x"},
        {"action": "type", "selector": "#q"},
        {"action": "hover", "selector": "#q"},
        {"action": "clic", "selector": "#q"},
        {"action": None, "selector": "#q"},
        {"dy": 300},
        {"selector": "#q"},
        {},
    ],
    ids=str,
)
def test_never_another_branch(field: Field, given: JsonValue) -> None:
    """What fits another branch better is still an error."""
    assert field(STEP, given) is ERROR


@pytest.mark.parametrize(
    ("given", "path", "message"),
    [
        ({"action": "type", "selector": "#q"}, ("x", "text"), "'text' is required and missing"),
        ({"action": "hover"}, ("x", "action"), '"hover" is not one of "click", "scroll", "type"'),
        ({"dy": 300}, ("x", "action"), """'action' is required and missing; it is one of "click", "scroll", "type\""""),
    ],
)
def test_the_error_is_about_the_branch(given: JsonValue, path: tuple[str, ...], message: str) -> None:
    """The model is told what its own branch lacks, or which tags there are."""
    schema = {"type": "object", "properties": {"x": STEP}}
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(schema)).mend({"x": given})
    assert [(problem.path, problem.message) for problem in caught.value.problems] == [(path, message)]


TARGET: Final = {"anyOf": [branch("selector", selector=TEXT), branch("url", url=TEXT, wait=WHOLE)]}


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"Url": "a"}, {"url": "a"}),
        ({"url": "a", "wait": "3"}, {"url": "a", "wait": 3}),
        ({"url": 5}, {"url": "5"}),
        ({"url": ["a"]}, {"url": "a"}),
        ('{"url": "a"}', {"url": "a"}),
    ],
)
def test_one_branch_that_fits_is_taken(field: Field, given: JsonValue, wanted: JsonValue) -> None:
    """A key of one branch is not renamed to fit another."""
    assert same(field(TARGET, given), wanted)


def test_two_branches_that_could_be_meant_are_an_error(field: Field) -> None:
    """An address may be a selector or a page."""
    assert field(TARGET, {"href": "https://example.org"}) is AmbiguousError
    assert (
        field({"anyOf": [{"type": "array", "items": WHOLE}, {"type": "array", "items": TEXT}]}, ["1", 2])
        is AmbiguousError
    )
    assert field({"anyOf": [WHOLE, {"type": "boolean"}]}, "1") is AmbiguousError


def test_a_key_of_one_branch_never_moves_to_another(field: Field) -> None:
    """Not even if its own branch refuses the value."""
    schema = {"anyOf": [branch("url", url=TEXT), branch("index", index={"type": "number"})]}
    assert field(schema, {"url": 7.5}) is ERROR


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        ({"anyOf": [WHOLE, {"type": "boolean"}]}, "yes", True),
        ({"anyOf": [WHOLE, {"type": "boolean"}]}, "7", 7),
        ({"anyOf": [WHOLE, {"type": "number"}]}, "1.0", 1.0),
        ({"anyOf": [WHOLE, {"type": "number"}]}, "1", 1),
        ({"anyOf": [WHOLE, TEXT]}, SourcedFloat.of(1.1, "1.10"), "1.10"),
        ({"anyOf": [TEXT, {"type": "null"}]}, 5, "5"),
        ({"anyOf": [TEXT, {"type": "array", "items": TEXT}]}, 5, "5"),
        ({"anyOf": [{"type": "array", "items": WHOLE}, {"type": "null"}]}, "5", [5]),
        ({"anyOf": [{"anyOf": [WHOLE, {"type": "null"}]}, {"type": "array", "items": WHOLE}]}, ["5"], [5]),
        ({"allOf": [{"anyOf": [WHOLE, {"type": "null"}]}]}, "5", 5),
        ({"anyOf": [WHOLE, {"type": "null"}], "minimum": 3}, "5", 5),
    ],
)
def test_the_safest_reading_decides(field: Field, schema: JsonValue, given: JsonValue, wanted: JsonValue) -> None:
    """Lossless before inferred; equal results are one."""
    assert same(field(schema, given), wanted)


def test_what_the_branches_share_is_mended_first(field: Field) -> None:
    """Members declared beside a union are members like others."""
    schema = {
        "type": "object",
        "properties": {"a": WHOLE, "b": WHOLE},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    assert same(field(schema, {"a": "1"}), {"a": 1})
    assert same(field(schema, {"B": 1, "a": "2"}), {"B": 1, "a": 2})
    assert field(schema, {}) is ERROR


def test_exactly_one_branch_means_exactly_one(field: Field) -> None:
    """A value that fits two branches of `oneOf` fits none."""
    schema = {"oneOf": [{"type": "number"}, {"minimum": 3}]}
    assert field(schema, 5) is ERROR
    assert same(field(schema, 1), 1)
    assert same(field(schema, "x"), "x")


def test_a_union_within_itself(field: Field) -> None:
    """Recursive unions are mended at every level."""
    schema = {
        "$defs": {"tree": {"anyOf": [WHOLE, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]}},
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/tree"}},
    }
    mended = Mender(compile_schema(schema)).mend({"root": [1, "2", ["3", ["4"]]]})
    assert mended.value == {"root": [1, 2, [3, [4]]]}
    assert [repair.path for repair in mended.repairs] == [("root", 1), ("root", 2, 0), ("root", 2, 1, 0)]
