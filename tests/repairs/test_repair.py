from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from toolmend.repairs import (
    DEFAULT,
    LOSSLESS,
    STRICT,
    AmbiguousError,
    Candidate,
    RepairPolicy,
    RuleFailedError,
    SchemaMismatchError,
    UsageError,
    policy_of,
    repair_json,
    repair_value,
)
from toolmend.repairs.policy import Limits

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize("text", [5, None, b"{}"])
def test_a_text_that_is_none_is_told(text: Any) -> None:  # noqa: ANN401
    """What is no string is the caller's mistake, and the message says what was wanted and given."""
    with pytest.raises(UsageError, match=f"text must be a str, got {type(text).__name__}"):
        repair_json(text, SCHEMA)


@pytest.mark.parametrize(("name", "policy"), [("strict", STRICT), ("lossless", LOSSLESS), ("default", DEFAULT)])
def test_a_policy_has_a_name(name: Any, policy: RepairPolicy) -> None:  # noqa: ANN401
    """Each of the three policies may be given by its name."""
    assert policy_of(name) is policy
    assert policy_of(policy) is policy


def test_a_name_is_taken_where_a_policy_is() -> None:
    """Under `strict` nothing is mended."""
    with pytest.raises(SchemaMismatchError):
        repair_value({"n": "1"}, SCHEMA, policy="strict")
    assert repair_value({"n": "1"}, SCHEMA, policy="lossless").value == {"n": 1}


@pytest.mark.parametrize("call", [repair_json, repair_value])
@pytest.mark.parametrize("policy", ["lax", None, ["strict"]])
def test_an_unknown_policy_is_told(call: Callable[..., object], policy: object) -> None:
    """What is no policy is refused with the names that there are."""
    with pytest.raises(UsageError, match="policy must be a RepairPolicy, or one of 'strict', 'lossless', 'default'"):
        call('{"n": 1}', SCHEMA, policy=policy)


def test_a_candidate_of_an_unknown_kind_is_told() -> None:
    """A rule whose candidate has a kind that does not exist is named, and so are the kinds."""

    def sure(_: object) -> list[Candidate]:
        kind: Any = "sure"
        return [Candidate(5, kind)]

    with pytest.raises(RuleFailedError, match=r"'sure' offers .* kind 'sure'; there are: lossless, inferred, lossy"):
        repair_value({"n": "x"}, SCHEMA, rules=[sure])


def test_records_are_bounded() -> None:
    """So many of value and text alike, then one that counts the rest and has their weightiest kind."""
    policy = RepairPolicy(limits=Limits(records=3))
    numbers = repair_value(["1", "2", "3", "4", "5"], {"items": {"type": "integer"}}, policy=policy).repairs
    assert [repair.rule for repair in numbers] == ["numeric-text"] * 3 + ["more-repairs"]
    assert numbers[-1].after == "2 more"
    quotes = repair_json("['a', 'b', 'c', 'd', 'e']", {"items": {"type": "string"}}, policy=policy).repairs
    assert [repair.rule for repair in quotes] == ["quote-style"] * 3 + ["more-repairs"]
    members = repair_value(["A"] * 5, {"items": {"enum": ["a"]}}, policy=policy).repairs
    assert members[-1].kind == "inferred"


@pytest.mark.parametrize("items", [3, 150])
def test_what_is_guarded_against_is_seen_behind_any_number_of_records(items: int) -> None:
    """A bracket that is missing and an item that is wrapped are one guess too many, however much else was changed."""
    lists = {"l": {"items": {"type": "string"}, "type": "array"}, "n": {"items": {"type": "integer"}, "type": "array"}}
    strings = ", ".join(["'a'"] * items)
    text = f"{{'l': [{strings}, 'n': 5}}"
    with pytest.raises(AmbiguousError, match="a list holds what it should not"):
        repair_json(text, {"type": "object", "properties": lists}, complete=True)
