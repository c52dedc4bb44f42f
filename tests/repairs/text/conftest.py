"""What the tests of reading text share: tools written in one line, and reading for them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Final

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError
from toolmend.repairs.policy import DEFAULT, RepairPolicy
from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.rule import RepairRule
from toolmend.repairs.schema import SchemaNode, compile_schema
from toolmend.repairs.text.ladder import mend_text

KINDS: Final[dict[str, JsonValue]] = {
    "text": {"type": "string"},
    "whole": {"type": "integer"},
    "real": {"type": "number"},
    "flag": {"type": "boolean"},
    "map": {"type": "object"},
    "any": {},
    "texts": {"type": "array", "items": {"type": "string"}},
    "wholes": {"type": "array", "items": {"type": "integer"}},
    "reals": {"type": "array", "items": {"type": "number"}},
    "rows": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
    "text|null": {"type": ["string", "null"]},
    "text|whole": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    "text|texts": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
}


def build(fields: str, inner: str = "") -> JsonValue:
    """A closed schema from words: `city:text days?:whole`; `who:object` and `items:objects` hold the inner fields."""
    kinds = dict(KINDS)
    if inner:
        kinds["object"] = build(inner)
        kinds["objects"] = {"type": "array", "items": kinds["object"]}
    names = [word.split(":") for word in fields.split()]
    return {
        "type": "object",
        "properties": {name.rstrip("?"): kinds[kind] for name, kind in names},
        "required": [name for name, _ in names if not name.endswith("?")],
        "additionalProperties": False,
    }


@pytest.fixture
def node() -> Callable[..., SchemaNode]:
    """The compiled schema of a tool written in one line."""

    def compiled(fields: str, inner: str = "") -> SchemaNode:
        return compile_schema(build(fields, inner))

    return compiled


@pytest.fixture
def mend(node: Callable[..., SchemaNode]) -> Callable[..., Mended]:
    """Reading of texts for a tool written in one line; raises a `RepairError`."""

    def read(
        text: str,
        fields: str,
        inner: str = "",
        *,
        complete: bool | None = None,
        policy: RepairPolicy = DEFAULT,
        rules: Iterable[RepairRule] = (),
    ) -> Mended:
        mender = Mender(node(fields, inner), policy=policy, rules=[*rules], name="click")
        return mend_text(text, mender, complete=complete, callees=frozenset({"click"}))

    return read


@pytest.fixture
def value_of(mend: Callable[..., Mended]) -> Callable[..., JsonValue]:
    """The value that a text is read as, or None for an error; whatever is not strict JSON leaves a record."""

    def read(text: str, fields: str, inner: str = "", *, complete: bool | None = None) -> JsonValue:
        try:
            mended = mend(text, fields, inner, complete=complete)
        except RepairError:
            return None
        try:
            assert mended.repairs or json.loads(text) == mended.value
        except ValueError:
            pytest.fail(f"{text!r} was mended without a record")
        return mended.value

    return read
