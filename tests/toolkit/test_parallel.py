from __future__ import annotations

import json

import pytest

from toolmend.toolkit import STRICT, CallError, ToolRegistry

LOOK = {"type": "object", "properties": {"of": {"type": "string"}, "days": {"type": "integer"}}, "required": ["of"]}
REGISTRY = ToolRegistry()
for name in ("read_file", "get_weather"):
    REGISTRY.add_schema(name, "", LOOK)


def uses(*calls: tuple[str, object]) -> str:
    return json.dumps({"tool_uses": [{"recipient_name": name, "parameters": value} for name, value in calls]})


def test_a_call_that_holds_others_is_opened() -> None:
    """In order, each mended by itself, each with an id of its own, and on record."""
    text = uses(("functions.read_file", {"of": "a"}), ("get_weather", {"of": "Kyoto", "days": "2"}))
    first, second = REGISTRY.parse_call("multi_tool_use.parallel", text, id="c").calls
    assert (first.name, first.arguments, first.id) == ("read_file", {"of": "a"}, "c")
    assert (second.name, second.arguments, second.id) == ("get_weather", {"of": "Kyoto", "days": 2}, "c_2")
    assert [repair.rule for repair in first.repairs] == ["parallel-calls", "tool-name"]
    assert [repair.rule for repair in second.repairs] == ["parallel-calls", "numeric-text"]


def test_what_is_wrong_with_one_leaves_the_others() -> None:
    """Each gets its own error."""
    text = uses(("fly", {}), ("read_file", {"of": "a"}), ("get_weather", None), ("read_file", '{"of": "b"}'))
    result = REGISTRY.parse_call("functions.multi_tool_use.parallel", text)
    kinds = [item.kind if isinstance(item, CallError) else item.arguments for item in result.items]
    assert kinds == ["unknown_tool", {"of": "a"}, "invalid_arguments", {"of": "b"}]
    assert [item.id for item in result.items] == [None] * 4


def test_broken_json_around_the_calls_is_mended() -> None:
    """The repairs of the whole are on the record of each call."""
    text = "{tool_uses: [{recipient_name: 'read_file', parameters: {'of': 'a',}}]}"
    [call] = REGISTRY.parse_call("multi_tool_use.parallel", text).calls
    assert call.arguments == {"of": "a"}
    assert len(call.repairs) > 1


@pytest.mark.parametrize(
    "text", ["", "{}", '{"tool_uses": []}', '{"tool_uses": [{"recipient_name": "read_file"}]}', "no"]
)
def test_a_holder_that_cannot_be_read_is_one_error(text: str) -> None:
    """It keeps the id."""
    [error] = REGISTRY.parse_call("multi_tool_use.parallel", text, id="c").errors
    assert (error.tool, error.id) == ("multi_tool_use.parallel", "c")


def test_values_are_opened_as_text_is() -> None:
    """For frameworks that hand over objects."""
    value = json.loads(uses(("read_file", {"of": "a"})))
    [call] = REGISTRY.check_call("multi_tool_use.parallel", value).calls
    assert call.arguments == {"of": "a"}


def test_a_name_is_mended_only_if_the_tool_allows_it() -> None:
    """As it is outside."""
    strict = ToolRegistry(policy=STRICT)
    strict.add_schema("read_file", "", None)
    assert strict.parse_call("multi_tool_use.parallel", uses(("functions.read_file", {}))).errors
