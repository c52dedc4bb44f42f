from __future__ import annotations

import copy
import functools
import json
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import AmbiguousError, LimitError, RepairError, RuleFailedError, SchemaMismatchError
from toolmend.repairs.numbers import SourcedFloat, SourcedInt
from toolmend.repairs.policy import DEFAULT, LOSSLESS, RepairPolicy
from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.rule import Candidate, Violation
from toolmend.repairs.schema import compile_schema

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}


def tool(required: str = "", /, **properties: JsonValue) -> dict[str, JsonValue]:
    """A closed schema."""
    return {
        "type": "object",
        "properties": properties,
        "required": required.split(),
        "additionalProperties": False,
    }


def mender(schema: JsonValue, policy: RepairPolicy = DEFAULT) -> Mender:
    """A mender without rules of its own."""
    return Mender(compile_schema(schema), policy=policy, name="click")


ROWS: Final = tool("rows", rows={"type": "array", "items": tool("sku", sku=TEXT, qty=WHOLE)}, note=TEXT)


def test_a_valid_value_is_the_same_object() -> None:
    """Nothing is copied, and nothing is on record."""
    value = {"rows": [{"sku": "a", "qty": 1}], "note": " as it is "}
    mended = mender(ROWS).mend(value)
    assert mended.value is value
    assert (mended.repairs, mended.refused) == ((), ())
    assert mended.explain() == "nothing was changed"


def test_what_is_given_is_not_changed() -> None:
    """Only what is mended is copied; the rest is shared."""
    value = {"rows": [{"sku": "a", "qty": 1}, {"sku": 5, "Qty": "2"}], "note": "x", "reason": "y"}
    before = copy.deepcopy(value)
    mended = mender(ROWS).mend(value)
    assert value == before
    assert mended.value == {"rows": [{"sku": "a", "qty": 1}, {"sku": "5", "qty": 2}], "note": "x"}
    assert mended.value["rows"][0] is value["rows"][0]


def test_each_change_is_on_record_with_its_place() -> None:
    """Rule, kind, path, what was there and what is."""
    mended = mender(ROWS).mend({"Rows": [{"sku": "a", "qty": "2"}], "note": None})
    assert mended.repairs == (
        Repair("key-spelling", "inferred", ("Rows",), "Rows", "rows"),
        Repair("numeric-text", "lossless", ("rows", 0, "qty"), '"2"', "2"),
        Repair("null-as-absent", "lossless", ("note",), "null", ""),
    )
    assert mended.explain().splitlines()[0] == "mended: key-spelling (inferred) at /Rows: 'Rows' -> 'rows'"


def test_records_of_the_text_come_first() -> None:
    """What was done to the text is part of the story, for a valid value too."""
    before = (Repair("fence", "lossless"),)
    assert mender(ROWS).mend({"rows": []}, repairs=before).repairs == before
    assert mender(ROWS).mend({"Rows": []}, repairs=before).repairs[0] is before[0]


def test_what_a_policy_refuses_is_told() -> None:
    """The error names the rule that would have helped."""
    with pytest.raises(SchemaMismatchError) as caught:
        mender(ROWS, LOSSLESS).mend({"Rows": []})
    refused = {(refusal.rule, refusal.path) for refusal in caught.value.refused}
    assert refused >= {("key-spelling", ("Rows",)), ("drop-unknown-key", ("Rows",))}
    assert str(caught.value.refused[0]) == "key-spelling at /Rows: the policy does not allow this inferred repair"
    mended = mender(ROWS, LOSSLESS.allowing("key-spelling")).mend({"Rows": []})
    assert mended.value == {"rows": []}


def test_refused_trials_show_in_the_explanation() -> None:
    """What was considered and not done is told beside what was."""
    schema = tool("a", a={"anyOf": [WHOLE, {"type": "array", "items": TEXT}]})
    mended = mender(schema, LOSSLESS).mend({"a": "5"})
    assert mended.value == {"a": 5}
    assert "refused: wrap-item at /a" in mended.explain()


def test_numbers_lose_their_source_at_the_end() -> None:
    """What comes out are ordinary numbers, in a copy."""
    value = {"a": [SourcedFloat.of(1.1, "1.10"), SourcedInt.of(7, "007")], "b": SourcedFloat.of(1.1, "1.10")}
    numbers = {"type": "object", "properties": {"a": {"type": "array", "items": {"type": "number"}}}}
    mended = mender({**numbers, "additionalProperties": {"type": "number"}}).mend(value)
    assert [type(item) for item in (*mended.value["a"], mended.value["b"])] == [float, int, float]
    assert isinstance(value["b"], SourcedFloat)
    mended = mender({**numbers, "additionalProperties": TEXT}).mend(value)
    assert mended.value == {"a": [1.1, 7], "b": "1.10"}
    assert [type(item) for item in mended.value["a"]] == [float, int]


def test_a_chain_of_repairs_is_bounded() -> None:
    """A value may need several, one after the other."""
    schema = tool("x", x={"type": "array", "items": tool("n", n=WHOLE)})
    mended = mender(schema).mend(json.dumps({"arguments": {"x": json.dumps([{"N": "5"}])}}))
    assert mended.value == {"x": [{"n": 5}]}
    assert [repair.rule for repair in mended.repairs] == [
        "json-text",
        "envelope",
        "json-text",
        "key-spelling",
        "numeric-text",
    ]


def test_ambiguity_is_an_error_of_its_own() -> None:
    """Two readings are told with their values; beside another fault the schema is broken."""
    units = tool("", unit={"enum": ["Mb", "MB"]}, size=WHOLE)
    with pytest.raises(AmbiguousError, match='"mb" has more than one reading: "Mb", "MB"') as caught:
        mender(units).mend({"unit": "mb"})
    assert caught.value.kind == "ambiguous"
    with pytest.raises(SchemaMismatchError) as other:
        mender(units).mend({"unit": "mb", "size": "big"})
    assert [problem.keyword for problem in other.value.problems] == ["ambiguous", "type"]


def test_a_judge_may_decide_in_place_of_the_walk() -> None:
    """A judge of whole values has the first and the last word."""
    schema = compile_schema(tool("a b", a=WHOLE, b=WHOLE))

    def judge(value: JsonValue, /) -> Sequence[Violation]:
        return [] if value.get("a") != value.get("b") else [Violation(("b",), "differs", value["b"], schema)]

    strict = Mender(schema, judge=judge)
    assert strict.mend({"a": 1, "b": 2}).value == {"a": 1, "b": 2}
    assert [violation.keyword for violation in strict.check({"a": 1, "b": 1})] == ["differs"]
    with pytest.raises(SchemaMismatchError):
        strict.mend({"a": 1, "b": 1})


def test_nothing_that_breaks_the_schema_comes_out() -> None:
    """Not even if a rule claims so: what is mended is judged again as a whole."""
    schema = {"type": "object", "properties": {"a": WHOLE, "b": WHOLE}, "dependentRequired": {"a": ["b"]}}
    with pytest.raises(RepairError) as caught:
        mender(schema).mend({"a": "1", "b": None})
    assert caught.value.problems[0].keyword == "dependentRequired"


def test_what_json_cannot_hold_is_refused() -> None:
    """NaN, half of a surrogate pair, foreign objects."""
    for value in ({"a": float("nan")}, {"a": "\ud83d"}, {"a": (1,)}, {1: 2}, {"a": {"b": [float("inf")]}}):
        with pytest.raises(SchemaMismatchError):
            mender({}).mend(value)


def test_a_mender_is_shared_between_threads() -> None:
    """It keeps no state of a mending."""
    shared = mender(ROWS)
    found: list[JsonValue] = []

    def work(number: int) -> None:
        value = {"Rows": [{"sku": number, "qty": str(number)}]}
        found.extend(shared.mend(value).value["rows"][0]["qty"] == number for _ in range(20))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 160


# ---------------------------------------------------------------------- hostile values

MANY: Final = 10_000
KEYS: Final[dict[str, JsonValue]] = {f"key_{number}": WHOLE for number in range(MANY)}
LISTED: Final = {"enum": [f"m {number}" for number in range(MANY)]}
UNION: Final = {"anyOf": [tool("x", x=WHOLE), tool("y", y=TEXT), {"type": "null"}]}


@pytest.mark.parametrize(
    ("schema", "value", "problems"),
    [
        (tool("a", a=TEXT), {f"k{number}": number for number in range(MANY)}, MANY + 1),
        (tool("", **KEYS), {f"other{n}": "1" for n in range(MANY)}, MANY),
        (tool("", **KEYS), {f"KEY-{n}": str(n) for n in range(MANY)}, 0),
        (tool(" ".join(KEYS), **KEYS), {}, MANY),
        (tool("a", a={"type": "array", "items": WHOLE}), {"a": [str(number) for number in range(MANY)]}, 0),
        (tool("a", a={"type": "array", "items": WHOLE}), {"a": ["x"] * MANY}, MANY),
        (tool("a", a={"type": "array", "items": UNION}), {"a": [{"X": "1"} for _ in range(1000)]}, 0),
        (tool("a", a={"type": "array", "items": UNION}), {"a": [{"z": 1, "w": 2} for _ in range(1000)]}, 1000),
        (
            tool("a", a={"type": "array", "items": LISTED}),
            {"a": ["no"] * 1000},
            1000,
        ),
        (tool("a", a={"enum": ["x"]}), {"a": "*" * 1_000_000}, 1),
        (tool("a", a=WHOLE), {"a": "1" * 1_000_000}, 1),
        (tool("a", a={"type": "object"}), {"a": '{"a":' * MANY}, 1),
        (tool("a", a={"type": "array"}), {"a": "[" * MANY + "]" * MANY}, 1),
        (tool("a", a={"type": "object"}), {f"a.{number}": number for number in range(MANY)}, 0),
        (tool("a", a=TEXT), {"k" * 1_000_000: "x"}, 2),
        (
            tool("a", a={"type": "array", "uniqueItems": True}),
            {"a": [{"n": n % 5000} for n in range(MANY)]},
            1,
        ),
    ],
    ids=[*"abcdefghijklmnop"],
)
def test_hostile_values_take_bounded_work(schema: JsonValue, value: JsonValue, problems: int) -> None:
    """Ten thousand of anything are mended, or told, in linear time."""
    start = time.perf_counter()
    try:
        mender(schema).mend(value)
        found = 0
    except RepairError as error:
        found = len(error.problems)
    assert found == problems
    assert time.perf_counter() - start < 20


def test_too_many_faults_are_a_limit() -> None:
    """Beyond that nothing is mended."""
    with pytest.raises(LimitError, match="100000 faults"):
        mender({"type": "array", "items": WHOLE}).mend(["x"] * 100_000)


def test_unions_of_hundreds_of_branches_are_bounded() -> None:
    """Work that branches without end is a limit."""
    branches = {"anyOf": [tool(f"k{number}", **{f"k{number}": WHOLE}) for number in range(200)]}
    assert mender(branches).mend({"K77": "1"}).value == {"k77": 1}
    with pytest.raises(LimitError, match="too many faults"):
        mender({"type": "array", "items": branches}).mend([{"K77": "1"} for _ in range(500)])


LEAF: Final[JsonValue] = {"v": 1}
LEAF_TEXT: Final[JsonValue] = {"v": "1"}
TREE: Final = {
    "$defs": {
        "n": tool("v", v=WHOLE, a={"anyOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/m"}, {"type": "null"}]}),
        "m": tool("v", v=WHOLE, w=TEXT, a={"anyOf": [{"$ref": "#/$defs/m"}, {"$ref": "#/$defs/n"}]}),
    },
    "$ref": "#/$defs/n",
}


@pytest.mark.parametrize("levels", [1, 10, 30])
def test_nested_unions_do_not_explode(levels: int) -> None:
    """Two branches that lead to one another are tried once each at every place."""
    value: JsonValue = functools.reduce(lambda inner, _: {"V": "1", "A": inner}, range(levels), LEAF_TEXT)
    wanted: JsonValue = functools.reduce(lambda inner, _: {"v": 1, "a": inner}, range(levels), LEAF)
    start = time.perf_counter()
    assert mender(TREE).mend(value).value == wanted
    assert time.perf_counter() - start < 5


def test_depth_is_a_limit() -> None:
    """Too deep for the policy, or for the stack that is left, is the same clear error."""
    deep: JsonValue = functools.reduce(lambda inner, _: {"v": 1, "a": inner}, range(99), LEAF)
    assert mender(TREE).mend(deep).value is deep
    for levels, leaf in ((100, LEAF), (99, LEAF_TEXT), (50_000, LEAF)):
        value: JsonValue = functools.reduce(lambda inner, _: {"v": 1, "a": inner}, range(levels), leaf)
        with pytest.raises(LimitError) as caught:
            mender(TREE).mend(value)
        assert caught.value.kind == "too_deep"


def test_a_rule_that_never_ends_is_a_limit() -> None:
    """A rule that answers its own candidates is stopped."""

    def deeper(violation: Violation) -> list[Candidate]:
        return [Candidate({"a": "x"})]

    schema = compile_schema({"$defs": {"n": tool("a", a={"$ref": "#/$defs/n"})}, "$ref": "#/$defs/n"})
    with pytest.raises(LimitError):
        Mender(schema, rules=[deeper]).mend({"a": "x"})


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda _: [1 / 0], "raised ZeroDivisionError: division by zero"),
        (lambda _: 7, "raised TypeError"),
        (lambda _: ["x"], "must offer Candidate objects, got str"),
    ],
)
def test_a_rule_that_fails_is_an_error_that_names_it(rule: Callable[[Violation], list[Candidate]], words: str) -> None:
    """What a rule of the user's raises, or offers wrongly, comes out as an error of ours."""
    schema = compile_schema(tool("n", n=WHOLE))
    for value in ({"n": "x"}, {"m": 1}):
        with pytest.raises(RuleFailedError, match=words) as caught:
            Mender(schema, rules=[rule], name="count").mend(value)
        place = ("n",) if "n" in value else ()
        assert (caught.value.rule, caught.value.path, caught.value.tool) == ("<lambda>", place, "count")
        assert f"(tool count, at /{''.join(place)})" in str(caught.value)


def test_a_valid_value_takes_microseconds() -> None:
    """The fast path is fast; the bound is generous for a busy machine."""
    value = {"rows": [{"sku": "a", "qty": 1}, {"sku": "b"}], "note": "x"}
    ready = mender(ROWS)
    ready.mend(value)
    best = min(_seconds(ready, value) for _ in range(5))
    assert best < 100e-6


def _seconds(ready: Mender, value: JsonValue) -> float:
    start = time.perf_counter()
    for _ in range(200):
        ready.mend(value)
    return (time.perf_counter() - start) / 200
