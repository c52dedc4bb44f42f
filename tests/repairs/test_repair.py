from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from toolmend.repairs import (
    DEFAULT,
    LOSSLESS,
    STRICT,
    Candidate,
    RepairPolicy,
    RuleFailedError,
    SchemaMismatchError,
    UsageError,
    policy_of,
    repair_json,
    repair_value,
)

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
