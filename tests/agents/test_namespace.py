from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from toolmend.agents._namespace import namespace
from toolmend.repairs.record import JsonValue


def shown(schema: object, definitions: dict[str, JsonValue] | None = None) -> str:
    """The type of one parameter."""
    parameters = {"type": "object", "properties": {"p": schema}, "required": ["p"], "$defs": definitions or {}}
    text = namespace([{"name": "f", "parameters": parameters}])
    return text.partition("p: ")[2].partition(",\n}) =>")[0]


def test_functions_are_shown_as_a_namespace() -> None:
    """Descriptions stand above what they describe, but not inside of objects; optional members have a question mark."""
    inner = {"type": "object", "properties": {"x": {"type": "integer", "description": "inside"}}}
    tool = {
        "name": "look_up",
        "description": "Look something up",
        "parameters": {
            "type": "object",
            "properties": {"q": {"type": "string", "description": "The query"}, "at": inner},
            "required": ["q"],
        },
    }
    assert namespace([tool, {"name": "now"}]) == snapshot("""\
namespace functions {

// Look something up
type look_up = (_: {
// The query
q: string,
at?: {
  x?: number,
},
}) => any;

type now = () => any;

} // namespace functions\
""")


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ({"type": "boolean"}, "boolean"),
        ({"type": "null"}, "null"),
        ({"type": "string", "enum": ["a", "b"]}, '"a" | "b"'),
        ({"type": "integer", "enum": [1, 2]}, "1 | 2"),
        ({"enum": ["a", None]}, '"a" | null'),
        ({"type": "array"}, "any[]"),
        ({"type": "array", "items": {"type": "string"}}, "string[]"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "string | null"),
        ({"oneOf": [{"type": "string"}, {"type": "number"}]}, "string | number"),
        ({"allOf": [{"type": "string"}]}, "string"),
        ({"type": ["integer", "null"]}, "number | null"),
        ({"$ref": "#/$defs/Known"}, "boolean"),
        ({"$ref": "#/$defs/Unknown"}, "any"),
        ({"$ref": "#/$defs/Loop"}, "any" + "[]" * 16),
        ({}, "any"),
        (True, "any"),
        ({"type": 5}, "any"),
        ({"type": "object", "properties": 5}, "{\n\n}"),
    ],
)
def test_each_kind_of_schema_is_shown(schema: object, text: str) -> None:
    """What is not known is any; references are followed, but not for ever."""
    definitions = {"Known": {"type": "boolean"}, "Loop": {"type": "array", "items": {"$ref": "#/$defs/Loop"}}}
    assert shown(schema, definitions) == text


def test_references_that_double_at_each_step_end() -> None:
    """A few lines of such a schema would stand for more text than there is memory."""
    definitions = {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(64)
    }
    start = time.perf_counter()
    shown({"$ref": "#/$defs/d0"}, definitions)
    assert time.perf_counter() - start < 5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "items", "properties", "enum", "anyOf", "$ref", "required", "description"]), inner
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_no_schema_makes_it_fail(schema: object) -> None:
    """Tools may come from a foreign server, and counting is not the place to judge them."""
    assert namespace([{"name": "f", "parameters": {"properties": {"p": schema}, "required": schema}}])
