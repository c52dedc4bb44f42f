from __future__ import annotations

from typing import Any

import pytest
from openai.types.chat import ChatCompletionChunk

from toolmend.toolkit import ModelReply, RawCall, ToolUsageError, Usage
from toolmend.toolkit.streaming.chunks import Chunks


def joined(*fragments: dict[str, Any], **delta: object) -> ModelReply:
    """The reply of which each fragment of a call comes in a chunk of its own."""
    chunks = Chunks()
    for fragment in fragments:
        chunks.add({"choices": [{"index": 0, "delta": {"tool_calls": [fragment]}}]})
    if delta:
        chunks.add({"choices": [{"delta": delta}]})
    return chunks.reply()


def part(arguments: object = None, name: str | None = None, **rest: object) -> dict[str, Any]:
    return {**rest, "function": {"name": name, "arguments": arguments}}


ONE = (RawCall("add", '{"a": 1}', "c1"),)
TWO = (*ONE, RawCall("sub", '{"b": 2}', "c2"))


@pytest.mark.parametrize(
    "fragments",
    [
        [part('{"a": 1}', "add", index=0, id="c1")],
        [part("", "add", index=0, id="c1"), part('{"a"', index=0), part(": 1}", index=0)],
        [part("", "add", id="c1"), part('{"a"'), part(": 1}")],
        [part("", "add", index=0, id="c1"), part('{"a"', id="c1"), part(": 1}", index=0, id="c1")],
        [part("", "add", index=0, id="c1"), part('{"a": ', "add", index=0, id="c1"), part("1}", "add", index=0)],
        [part("", "a", index=0, id="c1"), part("", "dd", index=0), part('{"a": 1}', index=0)],
        [part(None, "add", index=0), part('{"a": 1}', None, index=0, id="c1"), {"index": 0}],
        [part("", "add", index=0, id="c1"), part('{"a": 1}', "", index=0, id="other"), {}],
        [part({"a": 1}, "add", index=0, id="c1")],
        [{"index": 0, "id": "c1", "custom": {"name": "add", "input": '{"a": 1}'}}],
    ],
    ids=[
        *("whole", "id first", "without an index", "id again", "name again", "name in parts", "id later", "other id"),
        *("object", "custom"),
    ],
)
def test_fragments_of_a_call_are_joined(fragments: list[dict[str, Any]]) -> None:
    """However the server repeats or leaves out what says that they belong together."""
    assert joined(*fragments).tool_calls == ONE


@pytest.mark.parametrize(
    "fragments",
    [
        [part('{"a"', "add", index=0, id="c1"), part('{"b": 2}', "sub", index=1, id="c2"), part(": 1}", index=0)],
        [part('{"a": 1}', "add", id="c1"), part("", "sub", id="c2"), part('{"b": 2}')],
        [part('{"a": 1}', "add", index=0, id="c1"), part('{"b": 2}', "sub", index=0, id="c2")],
        [part("", "add", index=5, id="c1"), part('{"b": 2}', "sub", index=9, id="c2"), part('{"a": 1}', index=5)],
        [part('{"a"', "add", id="c1"), part('{"b": 2}', "sub", id="c2"), part(": 1}", id="c1")],
    ],
    ids=["interleaved", "without an index", "all at index 0", "odd indexes", "by their ids"],
)
def test_calls_are_told_apart(fragments: list[dict[str, Any]]) -> None:
    """By the index; by id and name where a server counts none."""
    assert joined(*fragments).tool_calls == TWO


def test_a_name_behind_arguments_begins_a_call_without_index_and_id() -> None:
    """Nothing else tells the two apart; their ids are those that a whole message gives to calls without any."""
    reply = joined(part('{"a": 1}', "add"), part('{"a": 2}', "add"))
    assert reply.tool_calls == (RawCall("add", '{"a": 1}', "call_1"), RawCall("add", '{"a": 2}', "call_2"))


def test_several_fragments_in_one_chunk_and_a_lone_one() -> None:
    """A list, as it should be, or an object that some servers send in its place; nulls say nothing."""
    chunks = Chunks()
    chunks.add({"choices": [{"delta": {"tool_calls": [part("", "add", index=0, id="c1"), None]}}]})
    chunks.add({"choices": [{"delta": {"tool_calls": part('{"a": 1}', index=0)}}]})
    assert chunks.reply().tool_calls == ONE


def test_the_legacy_call_counts_only_without_others() -> None:
    """As in a whole message."""
    chunks = Chunks()
    chunks.add({"choices": [{"delta": {"function_call": {"name": "add", "arguments": '{"a"'}}}]})
    _, [touched] = chunks.add({"choices": [{"delta": {"function_call": {"arguments": ": 1}"}}}]})
    assert (touched.name, "".join(touched.pieces)) == ("add", '{"a": 1}')
    assert chunks.reply().tool_calls == (RawCall("add", '{"a": 1}'),)
    chunks.add({"choices": [{"delta": {"tool_calls": [part('{"a": 1}', "add", index=0, id="c1")]}}]})
    assert chunks.add({"choices": [{"delta": {"function_call": {"arguments": " "}}}]}) == ("", [])
    assert chunks.reply().tool_calls == ONE


def test_text_reason_cost_and_refusal_are_kept() -> None:
    """The reason and the cost may come late, and apart."""
    chunks = Chunks()
    for content in ("Hel", None, "", [{"type": "text", "text": "lo"}]):
        chunks.add({"choices": [{"delta": {"content": content, "refusal": "I can"}, "finish_reason": None}]})
    chunks.add({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    chunks.add({"choices": [{"delta": {"refusal": "not."}, "finish_reason": ""}], "usage": None})
    chunks.add({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})
    chunks.add({"choices": None, "usage": None})
    chunks.add_text("!")
    assert chunks.reply() == ModelReply("Hello!", (), "stop", Usage(3, 2))
    assert chunks.refusal == "I canI canI canI cannot."


def test_a_whole_message_at_the_end_says_nothing_twice() -> None:
    """Some servers repeat there what they told bit by bit; what they did not tell is added."""
    chunks = Chunks()
    for delta in ({"content": "Hel"}, {"content": "lo"}, {"tool_calls": [part('{"a": 1}', "add", index=0, id="c1")]}):
        chunks.add({"choices": [{"delta": delta}]})
    calls = [part('{"a": 1}', "add", id="c1"), part('{"b": 2}', "sub", id="c2")]
    whole = {"content": "Hello there", "tool_calls": calls, "refusal": None}
    text, touched = chunks.add({"choices": [{"message": whole, "finish_reason": "tool_calls"}]})
    assert (text, [call.name for call in touched]) == (" there", ["sub"])
    assert chunks.reply() == ModelReply("Hello there", TWO, "tool_calls")
    alone = Chunks()
    alone.add({"choices": [{"message": {**whole, "tool_calls": [calls[0], {**calls[0], "id": "c9"}]}}]})
    assert [call.name for call in alone.reply().tool_calls] == ["add", "add"]


def test_other_choices_are_other_replies() -> None:
    """The first one is read; a message in place of a delta is one too."""
    chunks = Chunks()
    chunks.add({"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}, None]})
    chunks.add({"choices": [{"message": {"content": "!"}}, {"index": 0}]})
    assert chunks.reply() == ModelReply("a!")


def test_objects_of_the_client_library_are_read_as_dicts_are() -> None:
    """By the same names."""
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "add", "arguments": '{"a": 1}'}}
    choice = {"index": 0, "delta": {"content": "Hi", "tool_calls": [call]}, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    whole = {
        "id": "1",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }
    chunks = Chunks()
    chunks.add(ChatCompletionChunk.model_validate(whole))
    assert chunks.reply() == ModelReply("Hi", ONE, "tool_calls", Usage(3, 2))


@pytest.mark.parametrize("chunk", [None, 3, b"text", {}, {"delta": {"content": "x"}}, {"error": {"message": "busy"}}])
def test_what_is_no_chunk_is_refused(chunk: object) -> None:
    """With what was given, and what is taken."""
    with pytest.raises(ToolUsageError, match="no chunk of Chat Completions: it has no `choices`; give"):
        Chunks().add(chunk)
