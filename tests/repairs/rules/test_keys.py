from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError, SchemaMismatchError
from toolmend.repairs.policy import DEFAULT, LOSSLESS
from toolmend.repairs.record import JsonValue
from toolmend.repairs.rules._names import is_near_miss, likeness
from toolmend.repairs.schema import compile_schema

Mend = Callable[..., JsonValue]
ERROR: Final = SchemaMismatchError


def tool(required: str, optional: str = "", *, closed: bool = True, **types: str) -> Mapping[str, JsonValue]:
    """A schema of texts, some keys of another type."""
    keys = f"{required} {optional}".split()
    schema = {"type": "object", "properties": {key: {"type": types.get(key, "string")} for key in keys}}
    return {**schema, "required": required.split(), **({"additionalProperties": False} if closed else {})}


QUERY: Final = tool("query")
CLICK: Final = tool("selector button count", count="integer")
WRITE: Final = tool("path content", "encoding dry_run", dry_run="boolean")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"Selector": "#go", "BUTTON": "left", "Count": 2}, {"selector": "#go", "button": "left", "count": 2}),
        ({"selector ": "#go", "but-ton": "left", "c.o.u.n.t": 2}, {"selector": "#go", "button": "left", "count": 2}),
        ({"sélector": "#go", "button": "left", "count": "2"}, {"selector": "#go", "button": "left", "count": 2}),
    ],
)
def test_a_key_spelled_otherwise_is_the_declared_one(mended: Mend, given: JsonValue, wanted: JsonValue) -> None:
    """Case, accents and signs between words do not count; the order of the keys stays."""
    outcome = mended(CLICK, given)
    assert outcome == wanted
    assert list(outcome) == list(wanted)


@pytest.mark.parametrize(
    "given",
    [
        {"Selector": "a", "SELECTOR": "b", "button": "left", "count": 2},
        {"Selector": "a", "selector": "a", "button": "left", "count": 2},
        {"selector": "a", "button": "left", "count": 2, "Count": 3},
    ],
)
def test_two_spellings_of_one_key_are_an_error(mended: Mend, given: JsonValue) -> None:
    """Which of the two is meant is not for us to say."""
    assert mended(CLICK, given) is ERROR


def test_a_spelling_that_two_keys_share_is_an_error(mended: Mend) -> None:
    """`AB` may be `a_b` or `ab`."""
    assert mended(tool("", "a_b ab"), {"AB": "x"}) is ERROR


def test_spellings_are_mended_in_inner_objects(mended: Mend) -> None:
    """Keys of objects in objects and lists are keys like others."""
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": tool("sku_id")}}}
    assert mended(schema, {"rows": [{"skuId": "a"}, {"SKU_ID": "b"}]}) == {"rows": [{"sku_id": "a"}, {"sku_id": "b"}]}


@pytest.mark.parametrize(
    ("schema", "given", "wanted"),
    [
        (tool("query"), {"q": "red shoes"}, {"query": "red shoes"}),
        (WRITE, {"file": "a.txt", "content": "x"}, {"path": "a.txt", "content": "x"}),
        (
            WRITE,
            {"path": "a.txt", "text": "x", "encoding": "utf-8"},
            {"path": "a.txt", "content": "x", "encoding": "utf-8"},
        ),
        (
            tool("source_path target_path"),
            {"source_path": "a", "dest_path": "b"},
            {"source_path": "a", "target_path": "b"},
        ),
        (tool("city", closed=False), {"town": "Oslo"}, {"city": "Oslo"}),
        (tool("start_time", "start_date"), {"start_tme": "9"}, {"start_time": "9"}),
        (tool("count", count="integer"), {"number": 3}, {"count": 3}),
        (tool("query"), {"input": "red shoes"}, {"query": "red shoes"}),
    ],
)
def test_the_only_unknown_key_is_the_only_missing_one(
    mended: Mend, schema: JsonValue, given: JsonValue, wanted: JsonValue
) -> None:
    """One unknown key and one missing field leave one candidate."""
    assert mended(schema, given) == wanted


@pytest.mark.parametrize(
    ("schema", "given"),
    [
        (tool("path recursive", recursive="boolean"), {"path": "a", "force": True}),  # any boolean fits any
        (tool("path"), {"file": None}),
        (tool("query", "limit"), {"reasoning": "the user wants ferries"}),  # no argument at all
        (tool("query"), {"q": "a", "search": "b"}),  # two candidates
        (tool("a b"), {"x": "1"}),  # two are missing
        (tool("query"), {"q": "a", "reasoning": "b"}),  # two unknown keys
        (tool("count", count="integer"), {"number": "3"}),  # fits only after a repair of its own
        (tool("command"), {"command=git status": ""}),  # no plain name
        (tool("command"), {"the command": "ls"}),
        (tool("command"), {'run "command"': "ls"}),
        (tool("force"), {"!force": "yes"}),  # no mere spelling
        (tool("command"), {"": "ls"}),
        (tool("command"), {"c" * 200: "ls"}),
        (WRITE, {"path": "a", "enc": "utf-8"}),  # resembles an optional key
        (WRITE, {"path": "a", "path2": "b"}),  # resembles one that is given
        (tool("text", "encoding"), {"Encodings": "b"}),
        (tool("source_path target_path"), {"path": "a.txt"}),
    ],
)
def test_otherwise_an_unknown_key_is_an_error(mended: Mend, schema: JsonValue, given: JsonValue) -> None:
    """A key that may be meant for another field, or for none, is not renamed."""
    assert mended(schema, given) is ERROR


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"path": "a", "content": "b", "encodng": "c"}, {"path": "a", "content": "b", "encoding": "c"}),
        ({"path": "a", "content": "b", "encodding": "c"}, {"path": "a", "content": "b", "encoding": "c"}),
        ({"path": "a", "content": "b", "ecnoding": "c"}, {"path": "a", "content": "b", "encoding": "c"}),
        ({"path": "a", "content": "b", "encodimg": "c"}, {"path": "a", "content": "b", "encoding": "c"}),
    ],
)
def test_a_slip_in_an_optional_key_is_mended(mended: Mend, given: JsonValue, wanted: JsonValue) -> None:
    """One letter too many, missing, wrong or out of place."""
    assert mended(WRITE, given) == wanted


def test_a_slip_has_to_be_of_one_key(mended: Mend) -> None:
    """Two optional keys that are as near, or two slips of one, are an error."""
    assert mended(tool("", "colors colour"), {"color": "a"}) is ERROR
    assert mended(tool("", "encoding"), {"encodin": "a", "encodingg": "b"}) is ERROR
    assert mended(tool("", "encoding", encoding="integer"), {"encodng": "utf-8"}) is ERROR
    assert mended(tool("", "encoding", encoding="integer"), {"encodng": "8"}) == {"encoding": 8}


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("selector", "selecter", True),
        ("selector", "selectro", True),
        ("selector", "seletor", True),
        ("start_time", "strat_time", True),
        ("colour", "color", True),
        ("data", "date", False),
        ("rates", "dates", False),
        ("page_1", "page_2", False),
        ("source1", "source2", False),
        ("temp_c", "temp_f", False),
        ("height", "weight", False),
        ("max_size", "min_size", False),
        ("include", "exclude", False),
        ("start", "start_time", False),
        ("title", "tilte", True),
        ("title", "table", False),
        ("x" * 200, "x" * 201, False),
    ],
)
def test_what_counts_as_a_slip(one: str, other: str, near: bool) -> None:
    """One slip in one long word whose first letter is right, digits apart."""
    assert is_near_miss(one, other) is near
    assert is_near_miss(other, one) is near


@given(st.text(max_size=30), st.text(max_size=30))
def test_likeness_is_mutual(one: str, other: str) -> None:
    """Which of two names is the declared one makes no difference."""
    assert likeness(one, other) == likeness(other, one)
    assert likeness(one, one) == 3


@pytest.mark.parametrize(
    "key", ["thought", "thoughts", "thinking", "Reasoning", "rationale", "explanation", "reason", "comment"]
)
def test_narration_is_no_argument(mended: Mend, key: str) -> None:
    """Thinking aloud is dropped, as lossless, if the tool lacks the key and nothing is missing."""
    schema = tool("query")
    assert mended(schema, {key: "the user asked", "query": "ferries"}) == {"query": "ferries"}
    assert mended(schema, {key: "the user asked"}) is ERROR
    declared = tool("query", key)
    given = {key: "the user asked", "query": "ferries"}
    assert mended(declared, given) is given
    repairs = Mender(compile_schema(schema), policy=LOSSLESS).mend(given).repairs
    assert [(repair.rule, repair.kind, repair.path) for repair in repairs] == [("narration-key", "lossless", (key,))]


@pytest.mark.parametrize("optional", ["comments", "review_comment", "commment"])
def test_narration_that_resembles_a_key_is_not_dropped(mended: Mend, optional: str) -> None:
    """It may be meant for the field."""
    assert mended(tool("query", optional), {"query": "a", "comment": ["x", "y"]}) is ERROR


def test_narration_within_nested_objects_is_dropped_too(mended: Mend) -> None:
    """If the object is closed, lacks nothing, and declares no key like it."""
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": tool("sku", "comments")}, "q": QUERY}}
    assert mended(schema, {"q": {"query": "a", "reasoning": "b"}}) == {"q": {"query": "a"}}
    assert mended(schema, {"rows": [{"sku": "a", "thought": "b"}]}) == {"rows": [{"sku": "a"}]}
    assert mended(schema, {"rows": [{"sku": "a", "comment": ["b"]}]}) is ERROR
    assert mended(schema, {"rows": [{"thought": "b"}]}) is ERROR
    repairs = Mender(compile_schema(schema)).mend({"q": {"query": "a", "reasoning": "b"}}).repairs
    assert [(one.rule, one.kind, one.path) for one in repairs] == [("narration-key", "lossless", ("q", "reasoning"))]


@pytest.mark.parametrize("value", [{"query": "a", "reason": "b"}, {"inner": {"query": "a", "reason": "b"}}])
def test_narration_within_a_union_stays(mended: Mend, value: JsonValue) -> None:
    """There the keys may tell which branch is meant, at any depth."""
    inner = {"type": "object", "properties": {"inner": QUERY}, "required": ["inner"], "additionalProperties": False}
    schema = {"type": "object", "properties": {"x": {"anyOf": [QUERY, inner, {"type": "null"}]}}}
    assert mended(schema, {"x": value}) is ERROR


@pytest.mark.parametrize("key", ["name", "tool", "request", "function"])
def test_the_own_name_is_no_argument(mended: Mend, key: str) -> None:
    """A key that repeats the tool's name is dropped, one that names another thing is not."""
    schema = tool("number", number="integer")
    assert mended(schema, {key: "square", "number": 7}, tool="square") == {"number": 7}
    assert mended(schema, {key: "functions.square", "number": 7}, tool="square") == {"number": 7}
    assert mended(schema, {key: "cube", "number": 7}, tool="square") is ERROR
    assert mended(schema, {key: "square"}, tool="square") is ERROR
    given = {key: "square", "number": 7}
    assert mended(tool("number", key, number="integer"), given, tool="square") is given


@pytest.mark.parametrize("key", ["dry_run", "force", "timeout", "note", "id"])
def test_any_other_key_is_an_error_that_names_the_known_ones(key: str) -> None:
    """It may carry meaning, so the model has to decide."""
    schema = tool("path", "mode")
    with pytest.raises(RepairError) as caught:
        Mender(compile_schema(schema)).mend({"path": "a", key: "x"})
    [problem] = caught.value.problems
    assert problem.path == (key,)
    assert problem.expected == "known keys: path (required), mode"
    assert [refusal.rule for refusal in caught.value.refused] == ["drop-unknown-key"]


def test_a_policy_may_drop_unknown_keys() -> None:
    """A lossy rule is allowed by its name."""
    mender = Mender(compile_schema(tool("path")), policy=DEFAULT.allowing("drop-unknown-key"))
    mended = mender.mend({"path": "a", "note": "x"})
    assert mended.value == {"path": "a"}
    assert [repair.kind for repair in mended.repairs] == ["lossy"]


def test_an_open_object_keeps_its_keys(mended: Mend) -> None:
    """Where other keys are not forbidden nothing is done to them, unless something is missing."""
    schema = tool("city", closed=False)
    given = {"city": "Oslo", "City": "Bergen", "comment": "x"}
    assert mended(schema, given) is given
    assert mended(schema, {"City": "Oslo", "foo": 1}) == {"city": "Oslo", "foo": 1}


def test_keys_of_a_map_are_data(mended: Mend) -> None:
    """In an object of free keys none is unknown."""
    schema = {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
        "additionalProperties": {"type": "string"},
    }
    assert mended(schema, {"file": "a"}) is ERROR
    assert mended(schema, {"path": "a", "reason": "b"}) == {"path": "a", "reason": "b"}


def test_keys_by_pattern_are_known(mended: Mend) -> None:
    """A key that matches a pattern is declared by it."""
    schema = {**tool("path"), "patternProperties": {"^x-": {"type": "integer"}}}
    assert mended(schema, {"path": "a", "x-a": "1"}) == {"path": "a", "x-a": 1}
    assert mended(schema, {"x-path": 5}) is ERROR


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"slot.start": "9", "slot.room": "4", "who": "a"}, {"slot": {"start": "9", "room": 4}, "who": "a"}),
        ({"who": "a", "slot.start": "9"}, {"who": "a", "slot": {"start": "9"}}),
        ({"who": "a", "slot.start": "9", "slot.desk.no": 1}, {"who": "a", "slot": {"start": "9", "desk": {"no": 1}}}),
    ],
)
def test_dotted_keys_are_the_object_they_spell(mended: Mend, given: JsonValue, wanted: JsonValue) -> None:
    """Keys joined by dots are nested if the object fits."""
    assert mended(_SLOT, given) == wanted


@pytest.mark.parametrize(
    "given",
    [
        {"who": "a", "slot.start": "9", "slot": {"start": "10"}},
        {"who": "a", "slot.begin": "9"},
        {"who": "a", "slot.start": "9", "slot.start.x": "1"},
        {"who": "a", "slot.": "9"},
        {"who": "a", ".start": "9"},
        {"who": "a", "place.start": "9"},
    ],
)
def test_dotted_keys_that_do_not_fit_are_unknown(mended: Mend, given: JsonValue) -> None:
    """A dot alone is no reason to nest."""
    assert mended(_SLOT, given) is ERROR


_DESK: Final = {"type": "object", "properties": {"no": {"type": "integer"}}, "additionalProperties": False}
_SLOT: Final = {
    "type": "object",
    "properties": {
        "who": {"type": "string"},
        "slot": {
            "type": "object",
            "properties": {"start": {"type": "string"}, "room": {"type": "integer"}, "desk": _DESK},
            "required": ["start"],
            "additionalProperties": False,
        },
    },
    "required": ["who", "slot"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("free", [True, {"type": "integer"}, {}])
def test_a_key_that_the_schema_allows_is_not_taken_for_another(mended: Mend, free: JsonValue) -> None:
    """Where undeclared keys are welcome by name of the schema, nothing tells that this one is a wrong one."""
    schema = {**tool("a", "b encoding", closed=False, a="integer"), "additionalProperties": free}
    assert mended(schema, {"b": "y", "c": 5}) is ERROR
    if free is True:
        assert mended(schema, {"A": 1, "encodng": 5}) == {"a": 1, "encodng": 5}


def test_a_key_that_is_merely_not_forbidden_is_unknown(mended: Mend) -> None:
    """Schemas of tools seldom say that they are closed."""
    assert mended(tool("a", "b", closed=False, a="integer"), {"b": "y", "c": 5}) == {"b": "y", "a": 5}


def test_the_own_name_is_an_argument_where_any_key_is_one(mended: Mend) -> None:
    """It is kept like any other key that the schema allows."""
    schema = {**tool("number", number="integer"), "additionalProperties": True}
    assert mended(schema, {"name": "square", "Number": 7}, tool="square") == {"name": "square", "number": 7}
