from __future__ import annotations

from typing import Any

import pytest
from openai.types.chat import ChatCompletion
from openai.types.responses import ResponseFunctionToolCall

from toolmend.toolkit import ModelReply, RawCall, ToolRegistry, ToolUsageError, Usage
from toolmend.toolkit.wire import read_reply, tool_messages, unique_ids

MESSAGE: dict[str, Any] = {
    "role": "assistant",
    "content": "Let me look.",
    "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "x"}'}},
        {"id": "c2", "type": "function", "function": {"name": "wait", "arguments": ""}},
    ],
}
CALLS = (RawCall("look", '{"at": "x"}', "c1"), RawCall("wait", "", "c2"))
COMPLETION: dict[str, Any] = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "tool_calls", "message": MESSAGE}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
}


def test_a_reply_is_itself() -> None:
    """Nothing is read anew."""
    reply = ModelReply("a")
    assert read_reply(reply) is reply


@pytest.mark.parametrize("shape", [COMPLETION, ChatCompletion.model_validate(COMPLETION)], ids=["dict", "object"])
def test_a_completion_is_read_as_dict_and_as_object(shape: object) -> None:
    """With why it ended and what it cost."""
    assert read_reply(shape) == ModelReply("Let me look.", CALLS, "tool_calls", Usage(7, 3))


def test_a_message_alone_has_no_finish_reason() -> None:
    """A choice has one."""
    assert read_reply(MESSAGE) == ModelReply("Let me look.", CALLS)
    assert read_reply({"message": MESSAGE, "finish_reason": "length"}) == ModelReply("Let me look.", CALLS, "length")
    assert read_reply(ChatCompletion.model_validate(COMPLETION).choices[0].message) == ModelReply("Let me look.", CALLS)


def test_the_legacy_call_has_no_id() -> None:
    """It is answered by its name."""
    message = {"content": None, "function_call": {"name": "look", "arguments": "{}"}}
    assert read_reply(message) == ModelReply("", (RawCall("look", "{}"),))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [({"a": "é"}, '{"a": "é"}'), (None, ""), ("", ""), ([1], "[1]"), ({"a": {1}}, "{'a': {1}}")],
)
def test_servers_that_hand_over_objects_are_read_too(arguments: object, text: str) -> None:
    """They are read again as text, so that all go one way; a call without an id gets one."""
    message = {"content": "", "tool_calls": [{"function": {"name": "look", "arguments": arguments}}]}
    assert read_reply(message).tool_calls == (RawCall("look", text, "call_1"),)


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"tool_calls": None, "content": None},
        {"tool_calls": [None, 3, {}, {"function": None}, {"id": 3, "function": {"name": 7}}]},
        {"choices": []},
        {"choices": [None]},
        {"message": None},
        {"content": [{"type": "image"}, None, {"type": "text", "text": 3}]},
        {"output": [None, {"type": "message"}, {"type": "function_call"}]},
        {"content": {"text": "x"}, "usage": 3},
    ],
)
def test_odd_shapes_are_read_without_a_crash(message: dict[str, object]) -> None:
    """A server may send anything."""
    reply = read_reply(message)
    assert reply.text == ""
    assert {type(text) for call in reply.tool_calls for text in (call.name, call.arguments)} <= {str}
    ToolRegistry().parse_reply(message)


def test_text_may_come_in_parts() -> None:
    """Only the words are taken."""
    parts = [{"type": "text", "text": "a "}, {"type": "refusal", "refusal": "no"}, {"type": "text", "text": "b"}]
    assert read_reply({"content": parts}).text == "a b"


def test_a_response_is_read() -> None:
    """The other API of the same provider."""
    call = ResponseFunctionToolCall(arguments="{}", call_id="c9", name="look", type="function_call", id="fc_1")
    response = {
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": "Looking."}]},
            call,
        ],
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    wanted = ModelReply("Looking.", (RawCall("look", "{}", "c9"),), "max_output_tokens", Usage(1, 2))
    assert read_reply(response) == wanted


@pytest.mark.parametrize("wrong", ["text", None, 3, [MESSAGE]])
def test_what_is_no_reply_is_the_callers_mistake(wrong: object) -> None:
    """The message says what is wanted."""
    with pytest.raises(ToolUsageError, match=r"is no reply of a model; give a ModelReply, or what"):
        read_reply(wrong)


def test_an_id_given_twice_is_made_unique() -> None:
    """The first keeps it; no id is not the same as none."""
    calls = [RawCall("a", "", name) for name in ("x", "x", "x_2", None, "x", None)]
    assert [call.id for call in unique_ids(calls)] == ["x", "x_3", "x_2", None, "x_4", None]
    same = tuple(calls[2:4])
    assert unique_ids(same) == same


def test_usages_add_up() -> None:
    """Token by token."""
    total = Usage(1, 2) + Usage(3, 4)
    assert (total, total.total_tokens) == (Usage(4, 6), 10)


def test_results_become_messages() -> None:
    """One for each id; a call found in text has none to answer."""
    tools = ToolRegistry()
    tools.add_schema("look", "", None, lambda message: "seen")
    results = tools.dispatch(tools.parse_call("look", "", id="c1"))
    assert tool_messages(results) == [{"role": "tool", "tool_call_id": "c1", "content": "seen"}]
    with pytest.raises(ToolUsageError, match="the call of 'look' has no id; answer a call found in text by a user"):
        tool_messages(tools.dispatch(tools.parse_call("look", "")))


def test_a_call_told_in_both_places_is_one() -> None:
    """A server that writes a call under `tool_calls` and `function_call` means it once."""
    function = {"name": "ping", "arguments": "{}"}
    message = {"tool_calls": [{"id": "c1", "type": "function", "function": function}], "function_call": function}
    assert [call.id for call in read_reply({"role": "assistant", "content": None, **message}).tool_calls] == ["c1"]


def test_the_nulls_of_a_client_are_empty() -> None:
    """A reply made by a client of one's own may hold None where there was nothing; it is read, and nothing is lost."""
    reply = ModelReply(text=None, tool_calls=None)  # type: ignore[arg-type]
    assert (reply.text, reply.tool_calls) == ("", ())
    call = RawCall(None, None, "c1")  # type: ignore[arg-type]
    [error] = ToolRegistry().parse_reply(ModelReply(tool_calls=(call,))).errors
    assert (error.kind, error.id) == ("no_tool_name", "c1")
