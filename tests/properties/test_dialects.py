"""Whatever is written in a dialect is read back as it was: instructions, examples and histories rest on it."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolmend.repairs.text.strict import identical
from toolmend.toolkit import DIALECTS, ToolCall, ToolRegistry

SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "list": {"type": "array", "items": {"type": "string"}},
    "object": {"type": "object", "properties": {"k": {"type": "string"}, "n": {"type": ["integer", "null"]}}},
    "nullable": {"type": ["string", "null"]},
    "either": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "array"}]},
    "anything": {},
}
"""What a parameter may be."""

BITS: Final = (
    *("hello", 'a "quoted" bit', "it's", "\n", "\n\n", "\r\n", " ", "\t", "é", "😀", "true", "42", "null"),
    *("None", "1e3", "0x1F"),
    *("</tool_call>", "</parameter>", "<tool_call>", "</function>", "</invoke>", "</think>", "<think>", "<b>", "</p>"),
    *("<parameter=alpha>", '<parameter name="alpha">', "<invoke name='x'>", "<function=other>", "</param>", "<param"),
    *("<![CDATA[", "]]>", "```", "```json\n", "{", "}", "[", "]", ",", ":", "\\", "\\n", "\\_", "&amp;", "#", "//"),
    *("(", ")", "=", "'", '"', '","', '"""', '{"name": "tool_a", "arguments": {}}', "\ntool_a()\n", "[TOOL_CALLS]"),
    *("Observation: x", "\nAction: tool_a\nAction Input: {}\n", "<|im_end|>", '"}', "\x00", "\u2028", "\x85", "\x1b["),
    *("C:\\new\\table", "a\\_b", "<string>", "1,234", "functions.tool_a:0{}", ">>>tool_a\n{}", "call:tool_a{}"),
)
STRINGS: Final = st.lists(st.sampled_from(BITS) | st.text(st.characters(codec="utf-8"), max_size=4), max_size=5).map(
    "".join
)
INTEGERS: Final = st.integers(-(10**25), 10**25)
NUMBERS: Final = st.floats(allow_nan=False, allow_infinity=False)
ANYTHING: Final = st.recursive(
    st.none() | st.booleans() | INTEGERS | NUMBERS | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=3),
    max_leaves=6,
)
VALUES: Final[dict[str, st.SearchStrategy[Any]]] = {
    "string": STRINGS,
    "integer": INTEGERS,
    "number": NUMBERS | INTEGERS,
    "boolean": st.booleans(),
    "list": st.lists(STRINGS, max_size=3),
    "object": st.fixed_dictionaries({}, optional={"k": STRINGS, "n": INTEGERS | st.none()}),
    "nullable": STRINGS | st.none(),
    "either": INTEGERS | STRINGS | st.lists(STRINGS | INTEGERS, max_size=2),
    "anything": ANYTHING,
}
KEYS: Final = st.sampled_from(
    ["alpha", "beta_two", "gammaThree", "name", "arguments", "request", "from", "a b", "x-y", "ключ", "a<b", "1", "$"]
)
TOOLS: Final = st.dictionaries(
    st.sampled_from(["tool_a", "tool-b", "ns.tool_c", "add", "7up", "ToolD"]),
    st.dictionaries(KEYS, st.sampled_from(sorted(SCHEMAS)), max_size=4),
    min_size=1,
    max_size=3,
)


def registry_of(tools: dict[str, dict[str, str]]) -> ToolRegistry:
    registry = ToolRegistry()
    for name, kinds in tools.items():
        schema: dict[str, Any] = {"type": "object", "additionalProperties": False, "required": sorted(kinds)[:1]}
        registry.add_schema(name, "", schema | {"properties": {key: SCHEMAS[kind] for key, kind in kinds.items()}})
    return registry


@st.composite
def calls_of(draw: st.DrawFn, tools: dict[str, dict[str, str]]) -> list[ToolCall]:
    calls = []
    for name in draw(st.lists(st.sampled_from(sorted(tools)), min_size=1, max_size=3)):
        kinds = tools[name]
        needed = sorted(kinds)[:1]
        given_keys = [key for key in kinds if key in needed or draw(st.booleans())]
        arguments = {key: draw(VALUES[kinds[key]]) for key in given_keys}
        calls.append(ToolCall(name, arguments, arguments))
    return calls


@pytest.mark.parametrize("dialect", DIALECTS)
@given(st.data())
@settings(max_examples=120)
def test_what_is_written_in_a_dialect_is_read_back(dialect: str, data: st.DataObject) -> None:
    """Each call with its arguments, in order, with no repair, and nothing beside them; asked for or not."""
    tools = data.draw(TOOLS)
    calls = data.draw(calls_of(tools))
    registry = registry_of(tools)
    text = registry.render(calls, dialect)
    for asked in (None, dialect):
        result = registry.parse_text(text, dialect=asked, finish_reason="stop")
        assert result.errors == ()
        assert [call.name for call in result.calls] == [call.name for call in calls]
        for got, wanted in zip(result.calls, calls, strict=True):
            assert identical(got.arguments, wanted.arguments)
            assert got.repairs == ()
        assert result.text == ""
