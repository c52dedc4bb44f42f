from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError
from toolmend.repairs.record import JsonValue
from toolmend.repairs.rule import RepairRule
from toolmend.repairs.schema import compile_schema

Outcome: TypeAlias = "JsonValue | type[RepairError]"


def mend(
    schema: Mapping[str, JsonValue], value: JsonValue, *, tool: str = "click", rules: Sequence[RepairRule] = ()
) -> Outcome:
    """The mended value, or the class of the error."""
    try:
        return Mender(compile_schema(schema), name=tool, rules=rules).mend(value).value
    except RepairError as error:
        return type(error)


@pytest.fixture
def mended() -> Callable[..., Outcome]:
    """Mends a value by a schema: the value that comes out, or the class of the error."""
    return mend


@pytest.fixture
def field() -> Callable[..., Outcome]:
    """Mends the one field `x` of an object: its value, or the class of the error."""

    def one(schema: Mapping[str, JsonValue], value: JsonValue, key: str = "x") -> Outcome:
        around = {"type": "object", "properties": {key: schema}, "required": [key], "additionalProperties": False}
        outcome = mend(around, {key: value})
        return outcome[key] if isinstance(outcome, dict) else outcome

    return one
