from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

import pytest

from toolmend.repairs.record import JsonValue
from toolmend.repairs.text.reading import Reading
from toolmend.toolkit import ToolRegistry
from toolmend.toolkit.extract.candidate import Part, Shape
from toolmend.toolkit.extract.envelope import envelope_node, open_envelope
from toolmend.toolkit.extract.keys import ARGUMENT_KEYS, NAME_KEYS
from toolmend.toolkit.extract.source import Source
from toolmend.toolkit.spec import ToolSpec

GIVEN = {"selector": "#go"}


def opened(source: Source, value: object) -> tuple[Part, ...]:
    """The parts of a value."""
    return open_envelope(source, Reading(value, 0), 0)


@pytest.mark.parametrize("name_key", NAME_KEYS)
@pytest.mark.parametrize("argument_key", ARGUMENT_KEYS)
def test_a_name_beside_arguments_is_an_envelope(
    name_key: str, argument_key: str, source_of: Callable[..., Source]
) -> None:
    """Under any of the known keys, whoever is called."""
    for name in ("fill", "unknown"):
        [part] = opened(source_of(""), {name_key: name, argument_key: GIVEN, "id": "7", "type": "function"})
        assert (part.name, part.arguments, part.shape, part.id) == (name, GIVEN, Shape.ENVELOPE, "7")


@pytest.mark.parametrize(
    "value",
    [
        {"tool_calls": [{"name": "fill", "arguments": GIVEN}]},
        {"tool_call": {"name": "fill", "arguments": GIVEN}},
        {"function_call": {"name": "fill", "arguments": GIVEN}},
        {"type": "function", "function": {"name": "fill", "parameters": GIVEN}},
        {"content": None, "tool_calls": [{"id": "c", "function": {"name": "fill", "arguments": GIVEN}}]},
        {"thought": "so", "tool_calls": [{"name": "fill", "arguments": GIVEN}]},
        [{"name": "fill", "arguments": GIVEN}],
        {
            "name": "multi_tool_use.parallel",
            "arguments": {"tool_uses": [{"recipient_name": "fill", "parameters": GIVEN}]},
        },
    ],
)
def test_wrappers_are_opened(value: object, source_of: Callable[..., Source]) -> None:
    """What is said beside a wrapper says nothing about the call in it."""
    [part] = opened(source_of(""), value)
    assert (part.name, part.arguments, part.fault) == ("fill", GIVEN, None)


@pytest.mark.parametrize(
    ("wrapper", "inner"),
    [("tool_calls", [{"name": "ping"}]), ("function", {"name": "ping"}), ("function_call", {"name": "ping"})],
)
@pytest.mark.parametrize(
    "beside",
    [
        {"arguments": {"selector": "#go"}},
        {"tool_call": {"name": "fill", "arguments": {"selector": "#go"}}},
        {"name": "fill"},
        {"fill": {"selector": "#go"}},
    ],
)
def test_what_belongs_to_a_call_beside_a_wrapper_is_a_fault(
    wrapper: str, inner: JsonValue, beside: Mapping[str, JsonValue], source_of: Callable[..., Source]
) -> None:
    """Arguments, a further call, the name of another tool: it would be lost; what is empty is none."""
    [part] = opened(source_of(""), {wrapper: inner, **beside})
    assert part.fault is not None
    assert part.fault.args[0].endswith("would be lost")
    [part] = opened(source_of(""), {wrapper: inner, **dict.fromkeys(beside), "title": "words"})
    assert (part.name, part.fault) == ("ping", None)


def test_several_tools_may_be_the_keys_of_one_object(source_of: Callable[..., Source]) -> None:
    """Each is a call, in order, if nothing else is a key: behind a marker, or alone in the message."""
    source = source_of("")
    source.marked = True
    assert [part.name for part in opened(source, {"fill": GIVEN, "ping": {}})] == ["fill", "ping"]
    assert [part.name for part in opened(source, {"fill": GIVEN, "ping": {}, "b": 1})] == [None]
    registry = ToolRegistry()
    for name in ("one", "two"):
        registry.add_schema(name, "", {"type": "object", "properties": {"a": {}}})
    result = registry.parse_text('{"two": {"a": 2}, "one": {"a": 1}}')
    assert [(call.name, call.arguments) for call in result.calls] == [("two", {"a": 2}), ("one", {"a": 1})]
    assert registry.parse_text('{"two": {"a": 2}, "three": {"a": 1}}').items == ()


def test_a_flat_object_leaves_out_what_belongs_to_the_envelope(source_of: Callable[..., Source]) -> None:
    """Its id and type, that is; other keys are arguments."""
    [part] = opened(source_of(""), {"type": "tool_use", "id": "t", "name": "fill", "selector": "#go", "x": 1})
    assert (part.arguments, part.shape, part.id) == ({"selector": "#go", "x": 1}, Shape.FLAT, "t")


def test_what_would_be_lost_beside_the_arguments_is_a_fault(source_of: Callable[..., Source]) -> None:
    """Narration and empty members say nothing; anything else may."""
    beside: dict[str, Any] = {"name": "fill", "arguments": GIVEN, "thought": "so", "extra": None}
    [fine] = opened(source_of(""), beside)
    [lost] = opened(source_of(""), {**beside, "dry_run": False})
    assert fine.fault is None
    assert lost.fault is not None
    assert "'dry_run'" in lost.fault.message


def test_a_name_as_key_counts_only_behind_a_marker(source_of: Callable[..., Source]) -> None:
    """In a plain text it is data."""
    source = source_of("")
    value = [{"fill": GIVEN}, {"ping": {}}]
    assert [part.name for part in opened(source, value)] == [None, None]
    with source.behind_marker():
        assert [part.name for part in opened(source, value)] == ["fill", "ping"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [('{"selector": "#go"}', '"{\\"selector\\": \\"#go\\"}"'), ("#go", '"#go"'), (None, "null"), ([], "[]"), (7, "7")],
)
def test_arguments_that_are_no_object_go_on_as_text(
    arguments: object, text: str, source_of: Callable[..., Source]
) -> None:
    """The same steps read them that read the arguments of an API call."""
    [part] = opened(source_of(""), {"name": "fill", "arguments": arguments})
    assert part.arguments == text


def test_an_object_without_a_call_is_a_part_without_a_name(source_of: Callable[..., Source]) -> None:
    """So are scalars, and what is wrapped too deep."""
    source = source_of("")
    for value in ({"selector": "#go"}, 7, "fill", {"a": {"name": "fill", "arguments": {}}}):
        [part] = opened(source, value)
        assert (part.name, part.shape) == (None, Shape.NAMELESS)
    deep: object = {"name": "fill", "arguments": GIVEN}
    for _ in range(8):
        deep = {"tool_call": deep}
    assert [part.name for part in opened(source, deep)] == [None]


def test_the_schema_of_an_envelope_knows_which_key_belongs_where(tools: Mapping[str, ToolSpec]) -> None:
    """Arguments under their key, beside the name, or in an object within, and nowhere else."""
    tool = tools["fill"]
    named, flat = envelope_node(tool, "named"), envelope_node(tool, "flat")
    wrapped = envelope_node(tool, "wrapped")
    assert named.member("arguments") is tool.node
    assert named.member("selector") is None
    assert flat.member("selector") is tool.node.member("selector")
    assert wrapped.member("arguments") is None
    function = wrapped.member("function")
    assert function is not None
    assert function.member("arguments") is tool.node


@pytest.mark.parametrize("empty", [None, "", [], {}])
def test_an_empty_member_beside_the_arguments_is_dropped_on_record(
    empty: object, source_of: Callable[..., Source]
) -> None:
    """It says nothing, if the tool has no parameter of that name."""
    [part] = opened(source_of(""), {"name": "fill", "arguments": GIVEN, "extra": empty})
    assert (part.fault, part.arguments) == (None, GIVEN)
    assert [(repair.rule, repair.kind) for repair in part.repairs] == [("empty-member", "lossless")]


@pytest.mark.parametrize("key", ["tags", "Tags", "count"])
@pytest.mark.parametrize("value", [None, "", [], {}, 0, False])
def test_an_argument_beside_the_arguments_is_never_dropped(
    key: str, value: object, source_of: Callable[..., Source]
) -> None:
    """An empty list or null is a value, too, where the tool has a parameter of that name."""
    [part] = opened(source_of(""), {"name": "fill", "arguments": GIVEN, key: value})
    assert part.fault is not None
    assert "put every argument inside" in part.fault.message


def test_a_parameter_named_like_what_may_stand_beside_is_never_dropped() -> None:
    """A comment beside the arguments means nothing, unless the tool has a parameter for it; ids are of the envelope."""
    registry = ToolRegistry()
    text = {"type": "string"}
    registry.add_schema(
        "note", "", {"type": "object", "properties": {"a": text, "comment": text, "type": text, "id": text}}
    )
    source = Source("", {"note": registry["note"]})
    [plain] = opened(source, {"name": "note", "arguments": {"a": "x"}, "id": "call_1", "type": "function", "role": "x"})
    assert (plain.fault, plain.id) == (None, "call_1")
    for beside in ({"comment": "c"}, {"type": "short"}, {"id": 7}):
        [part] = opened(source, {"name": "note", "arguments": {"a": "x"}, **beside})
        assert part.fault is not None


FILL: Final = {"name": "fill", "arguments": {"selector": "#go"}}
PING: Final = {"tool": "ping"}


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ({"fill": {"selector": "#go"}}, ["fill"]),
        ([{"fill": {"selector": "#go"}}, {"fill": {"selector": "b", "count": 2}}], ["fill", "fill"]),
        ({"tools": [FILL, PING]}, ["fill", "ping"]),
        ({"first": FILL, "second": {"calls": [PING, FILL]}}, ["fill", "ping", "fill"]),
    ],
)
def test_a_message_that_is_one_json_value_may_wrap_its_calls(
    value: JsonValue, names: list[str], source_of: Callable[..., Source]
) -> None:
    """The name as the only key, or calls under any keys, if nothing else is in it, and nothing else in the message."""
    text = json.dumps(value)
    assert [part.name for part in opened(source_of(text), value)] == names
    assert [part.name for part in opened(source_of(f"```json\n{text}\n```"), value)] == names
    assert {part.name for part in opened(source_of(f"So: {text}"), value)} == {None}


@pytest.mark.parametrize(
    "value",
    [
        {"fill": {}},
        {"fill": {"other": 1}},
        {"fill": {"selector": "a"}, "on": True},
        {"Fill": {"selector": "a"}},
        {"steps": {"fill": {"selector": "a"}}},
        {"jobs": [{"name": "fill", "needs": "ping"}]},
        {"jobs": [FILL, {"name": "other"}]},
        {"jobs": [FILL, "ping"]},
        {"jobs": [FILL], "on": "push"},
        {"tools": [{"name": "fill", "description": "x", "parameters": {"type": "object", "properties": {}}}]},
    ],
)
def test_data_that_names_tools_is_none(value: JsonValue, source_of: Callable[..., Source]) -> None:
    """Whatever else stands in it, or what the tool does not know, makes it a document."""
    assert {part.name for part in opened(source_of(json.dumps(value)), value)} == {None}
