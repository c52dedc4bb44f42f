from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from toolmend.repairs import DEFAULT, LOSSLESS, STRICT, RenameKey, UsageError
from toolmend.repairs.rule import Candidate, Violation
from toolmend.toolkit import (
    CallError,
    ModelReply,
    RawCall,
    ToolCall,
    ToolDefinitionError,
    ToolMessage,
    ToolRegistry,
    ToolUsageError,
    UnknownToolError,
    tool,
)
from toolmend.toolkit.spec import compile_class

PARAMETERS = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
    "required": ["path"],
    "additionalProperties": False,
}


class Fill(ToolMessage, name="fill", repairs=[RenameKey("element", to="selector")]):
    """Type text into a field."""

    selector: str
    text: str

    def handle(self) -> str:
        return f"{self.text} in {self.selector}"


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def full() -> ToolRegistry:
    registry = ToolRegistry([Fill, add])
    registry.add_schema("read_file", "Read a file.", PARAMETERS)
    return registry


def test_a_registry_holds_tools_of_all_kinds() -> None:
    """By name, in the order in which they were added."""
    registry = full()
    assert registry.names == ("fill", "add", "read_file")
    assert [spec.kind for spec in registry] == ["class", "function", "schema"]
    assert len(registry) == 3
    assert "add" in registry
    assert Fill in registry
    assert registry["fill"] in registry
    assert "ad" not in registry
    assert list(registry.specs) == ["fill", "add", "read_file"]


def test_one_bad_call_is_mended_validated_and_run() -> None:
    """The main job, end to end."""
    registry = full()
    result = registry.parse_call("functions.fill", "{element: '#name', 'text': 'Ann',}", id="c1")
    [call] = result.calls
    assert call.message == Fill(selector="#name", text="Ann")
    assert call.arguments == {"selector": "#name", "text": "Ann"}
    assert {"tool-name", "rename-key"} <= {repair.rule for repair in call.repairs}
    [done] = registry.dispatch(result)
    assert (done.text, done.id) == ("Ann in #name", "c1")


def test_a_raw_schema_is_validated() -> None:
    """The message is the plain dict."""
    registry = full()
    [call] = registry.parse_call("read_file", '{"path": "a", "lines": "3"}').calls
    assert call.message == call.arguments == {"path": "a", "lines": 3}
    assert registry.parse_call("read_file", '{"lines": 3}').errors[0].path == ("path",)


def test_two_tools_cannot_share_a_name() -> None:
    """And nothing is added if one of several cannot be."""
    registry = ToolRegistry([Fill])
    with pytest.raises(ToolDefinitionError, match="tool fill: there is a tool of that name already; give one of"):
        registry.add([add, Fill])
    assert registry.names == ("fill",)


def test_tools_can_be_removed() -> None:
    """One that is not there is an error that lists those that are."""
    registry = full()
    registry.remove("add")
    assert registry.names == ("fill", "read_file")
    with pytest.raises(UnknownToolError, match="no tool is registered as 'add'; registered: fill, read_file"):
        registry.remove("add")
    with pytest.raises(UnknownToolError):
        registry["add"]


def test_a_compiled_tool_can_be_shared() -> None:
    """Registries may have it in common."""
    spec = compile_class(Fill, STRICT)
    for registry in (ToolRegistry([spec]), ToolRegistry(spec for _ in range(1))):
        assert registry["fill"] is spec


def test_the_policy_of_the_registry_is_that_of_its_tools() -> None:
    """Unless a tool has one of its own."""

    class Own(Fill, name="own", policy=DEFAULT):
        pass

    registry = ToolRegistry([Fill, Own], policy=STRICT)
    text = '{"selector": "a", "text": "b",}'
    assert registry.parse_call("fill", text).errors
    assert registry.parse_call("own", text).calls


def test_a_policy_may_be_given_by_its_name() -> None:
    """To a registry and to a tool; what is no policy is told when it is given."""

    @tool(policy="lossless")
    def add(a: int) -> int:
        return a

    registry = ToolRegistry([add, Fill], policy="strict")
    assert registry.policy is STRICT
    assert registry["add"].mender.policy is LOSSLESS
    lax: Any = "lax"
    with pytest.raises(UsageError, match="'strict', 'lossless', 'default'; got 'lax'"):
        ToolRegistry(policy=lax)


def test_one_tool_may_be_given_alone() -> None:
    """To the registry itself as to `add`."""
    assert ToolRegistry(Fill).names == ("fill",)
    assert ToolRegistry(compile_class(Fill)).names == ("fill",)


def test_an_instance_of_a_tool_is_told_whole() -> None:
    """It is neither taken apart into its fields nor into its letters."""
    for wrong in (Fill(selector="a", text="b"), "fill"):
        with pytest.raises(ToolDefinitionError, match="is no tool"):
            ToolRegistry(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", ["fill", 3, int, object()])
def test_what_is_no_tool_is_refused(wrong: Any) -> None:  # noqa: ANN401
    """With what would be one."""
    with pytest.raises(ToolDefinitionError, match="is no tool"):
        ToolRegistry([wrong])


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"type": "array"}, "its parameters must be an object, the schema says array; wrap it"),
        ({"type": ["object", "null"]}, "must be an object, the schema says null, object"),
        ({"type": "objekt"}, "no JSON Schema that can be used: type must be one of"),
        ({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}, "the reference '#/$defs/b' leads nowhere"),
        ({"type": "object", "properties": {"a": {"pattern": "("}}}, "is no regular expression"),
        ([], "its parameters must be a JSON Schema, got []"),
        (True, "its parameters must be a JSON Schema, got True"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(parameters: Any, said: str) -> None:  # noqa: ANN401
    """Where it is added, with the place."""
    with pytest.raises(ToolDefinitionError) as caught:
        ToolRegistry().add_schema("x", "", parameters)
    assert "tool x: " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("parameters", [None, {}, {"properties": {}}, {"type": "object"}])
def test_a_tool_may_have_no_parameters(parameters: dict[str, Any] | None) -> None:
    """However that is said, no text is as good as an empty object."""
    registry = ToolRegistry()
    registry.add_schema("now", "The time.", parameters)
    for text in ("", "{}", "null", None):
        [call] = registry.parse_call("now", text).calls
        assert call.arguments == {}


def test_a_rule_that_does_not_fit_is_refused() -> None:
    """Where the tool is added."""

    class Bad(ToolMessage, name="bad", repairs=[RenameKey("element", to="nothing")]):
        selector: str

    with pytest.raises(ToolDefinitionError, match=r"tool bad: a repair rule does not fit its parameters: .*nothing"):
        ToolRegistry([Bad])


@pytest.mark.parametrize(
    ("example", "said"),
    [
        ({"selector": "a"}, "example 1 is no valid call: /text: 'text' is required and missing"),
        ({"selector": "a", "text": 1}, "example 1 is no valid call: /text: must be a string"),
        ({"element": "a", "text": "b"}, "example 1 is no valid call: /selector: 'selector' is required and missing"),
        ({"selector": "a", "text": float("nan")}, "example 1 is no valid call: /text: a number must be finite"),
    ],
)
def test_an_example_that_does_not_parse_back_is_refused(example: dict[str, Any], said: str) -> None:
    """Nothing in an example is mended, not even by the tool's own rules."""
    shown = type("Shown", (Fill,), {"__module__": __name__}, examples=[example])
    with pytest.raises(ToolDefinitionError) as caught:
        ToolRegistry([shown])
    assert said in str(caught.value)
    assert "an example must be valid as it stands" in str(caught.value)


def test_an_option_that_is_not_known_is_refused() -> None:
    """For schemas as for classes."""
    with pytest.raises(ToolDefinitionError, match="tool x: no keyword colour is known"):
        ToolRegistry().add_schema("x", "", None, colour="red")


def test_rules_of_a_raw_schema_hold() -> None:
    """Its options are those of a class."""

    def upper(violation: Violation) -> Iterable[Candidate]:
        if violation.keyword == "enum":
            yield Candidate(f"{violation.value}!")

    schema = {"type": "object", "properties": {"a": {"enum": ["x!"]}}, "required": ["a"]}
    registry = ToolRegistry()
    registry.add_schema("shout", "", schema, repairs=[upper], timeout=1)
    [call] = registry.parse_call("shout", '{"a": "x"}').calls
    assert call.arguments == {"a": "x!"}


def test_the_schema_given_is_not_changed_nor_kept() -> None:
    """The caller may go on with it."""
    schema = {"properties": {"a": {"type": "string"}}}
    registry = ToolRegistry()
    registry.add_schema("x", "", schema)
    schema["properties"]["b"] = {"type": "integer"}
    assert list(registry["x"].parameters["properties"]) == ["a"]
    assert "type" not in schema


@pytest.mark.parametrize("text", [3, None, b"{}", ["{}"]])
def test_what_is_no_text_is_the_callers_mistake(text: Any) -> None:  # noqa: ANN401
    """Only the arguments may be None, which counts as empty."""
    registry = full()
    with pytest.raises(ToolUsageError, match="must be a string, got"):
        registry.parse_text(text)
    with pytest.raises(ToolUsageError, match="the name must be a string"):
        registry.parse_call(text, "{}")
    if text is not None:
        with pytest.raises(ToolUsageError, match="check_call takes parsed arguments"):
            registry.parse_call("add", text)


def test_parsed_arguments_are_checked_and_mended_too() -> None:
    """For frameworks that hand over objects."""
    registry = full()
    given = {"a": "1", "b": 2}
    [call] = registry.check_call("add", given, id="c").calls
    assert (call.arguments, call.id) == ({"a": 1, "b": 2}, "c")
    assert given == {"a": "1", "b": 2}
    assert registry.check_call("add", '{"a": 1, "b": 2}').calls
    assert registry.check_call("add", None).errors


@pytest.mark.parametrize(
    "value",
    [{"a": float("nan"), "b": 1}, {"a": {1}, "b": 1}, {1: 2}, {"a": "\ud800", "b": 1}, object(), {"a": (1,), "b": 2}],
)
def test_values_that_json_cannot_hold_are_errors_for_the_model(value: Any) -> None:  # noqa: ANN401
    """No exception leaves, whatever another framework hands over."""
    [error] = full().check_call("add", value).errors
    assert error.kind == "invalid_arguments"


def test_a_value_that_holds_itself_is_too_deep() -> None:
    """It has no end."""
    value: dict[str, Any] = {"a": 1}
    value["b"] = value
    [error] = full().check_call("add", value).errors
    assert error.kind == "too_deep"


def test_a_reply_is_read_as_a_whole() -> None:
    """Its calls in order, each with an id of its own, and its text for the user."""
    calls = (RawCall("fill", '{"selector": "a", "text": "b"}', "x"), RawCall("fly", "{}", "x"), RawCall("add", "", "y"))
    result = full().parse_reply(ModelReply("On it.", calls, "tool_calls"))
    assert [type(item) for item in result.items] == [ToolCall, CallError, CallError]
    assert [item.id for item in result.items] == ["x", "x_2", "y"]
    assert (result.text, result.finish_reason) == ("On it.", "tool_calls")


def test_the_text_of_a_reply_is_searched_if_there_is_no_other_call() -> None:
    """Or if that is asked for."""
    written = '{"name": "add", "arguments": {"a": 1, "b": 2}}'
    registry = full()
    assert registry.parse_reply(ModelReply(written)).calls[0].arguments == {"a": 1, "b": 2}
    assert registry.parse_reply(ModelReply(written), search_text=False).items == ()
    assert registry.parse_reply(ModelReply(written), search_text=False).text == written
    both = ModelReply(written, (RawCall("add", '{"a": 3, "b": 4}', "x"),))
    assert [call.arguments["a"] for call in registry.parse_reply(both).calls] == [3]
    assert [call.arguments["a"] for call in registry.parse_reply(both, search_text=True).calls] == [3, 1]


def test_a_handler_may_be_registered_apart() -> None:
    """By class, which is added by that, or by name."""
    registry = ToolRegistry([Fill])

    class Wait(ToolMessage, name="wait"):
        seconds: int

    @registry.handler(Wait)
    def wait(message: Wait) -> str:
        return f"waited {message.seconds}"

    @registry.handler("fill")
    def fill(message: Fill) -> str:
        return "filled by hand"

    assert registry.names == ("fill", "wait")
    results = registry.dispatch(
        [
            *registry.parse_call("wait", '{"seconds": 2}').items,
            *registry.parse_call("fill", '{"selector": "a", "text": ""}').items,
        ]
    )
    assert [result.text for result in results] == ["waited 2", "filled by hand"]
    registry.handler(Wait)(lambda message: "again")
    assert registry.dispatch(registry.parse_call("wait", '{"seconds": 2}'))[0].text == "again"
    with pytest.raises(UnknownToolError):
        registry.handler("fly")


def test_threads_may_share_a_registry() -> None:
    """Tools come and go while others parse, and each finds a whole catalog."""
    registry = full()
    started = threading.Barrier(6)

    def change(number: int) -> None:
        started.wait()
        for turn in range(30):
            registry.add_schema(f"t{number}_{turn}", "", PARAMETERS)
            registry.remove(f"t{number}_{turn}")

    def read() -> None:
        started.wait()
        for _ in range(60):
            assert registry.parse_call("fill", "{'element': 'a', 'text': 'b'}").calls
            names = [one["function"]["name"] for one in registry.openai_tools()]
            assert names[:3] == ["fill", "add", "read_file"]

    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(change, number) for number in range(3)] + [pool.submit(read) for _ in range(3)]
        for job in jobs:
            job.result()
    assert registry.names == ("fill", "add", "read_file")


def test_an_unknown_dialect_is_told_where_a_text_is_read() -> None:
    """The caller hears of it in place of calls that are silently left prose."""
    tools = ToolRegistry([Fill])
    with pytest.raises(ToolUsageError, match="no dialect 'foo' is known; there are: hermes, invoke, json, pyth"):
        tools.parse_reply(ModelReply(text="hello"), dialect="foo")
    with pytest.raises(ToolUsageError, match="no dialect 'foo' is known; there are: hermes, invoke, json, pyth"):
        tools.parse_text("hello", dialect="foo")
