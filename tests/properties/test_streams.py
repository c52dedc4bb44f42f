"""Replies cut into chunks in any way: the result is that of the whole reply, and the events add up to it."""

from __future__ import annotations

import json
import pathlib
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolmend.toolkit import (
    CallCompleted,
    CallError,
    CallFailed,
    CallRetracted,
    ParseResult,
    ReplyStream,
    StreamEvent,
    StreamFinished,
    TextRestart,
    ToolCall,
    ToolRegistry,
    replay,
)

CASES: Final = pathlib.Path(__file__).parents[1] / "cases"
RANDOM: Final = 0
SIZES: Final = (1, 2, 3, 7, RANDOM)
AROUND: Final = (
    ("", ""),
    ("I think so.\n\n", "\n\nAnd that is all I did.\nNote: done."),
    ("", ' <tool_call>\n{"name": "nobody"}</tool_call> fin'),
)
"""What stands around each case: nothing, prose, a faulty call behind it."""

TAKEN_BACK: Final = frozenset({"wire-095"})
"""Cases whose text is shown and taken back: reasoning that nothing opened."""


def _rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


CONTENT: Final = _rows("parse_content.jsonl")
ARGUMENTS: Final = _rows("parse_arguments.jsonl")


def registry_of(row: dict[str, Any]) -> ToolRegistry:
    registry = ToolRegistry()
    for tool in row["tools"]:
        registry.add_schema(tool["name"], tool["description"], tool["parameters"])
    return registry


def pieces(text: str, size: int, seed: int = 0) -> Iterator[str]:
    """A text in pieces of one size, or of random ones."""
    rng, pos = random.Random(seed), 0
    while pos < len(text):
        end = pos + (size or rng.randint(1, 40))
        yield text[pos:end]
        pos = end


def items_told(events: Sequence[StreamEvent]) -> list[ToolCall | CallError]:
    """The calls and errors that a follower of the events knows of in the end."""
    items: list[ToolCall | CallError] = []
    for event in events:
        if isinstance(event, CallCompleted):
            items.append(event.call)
        elif isinstance(event, CallFailed):
            items.append(event.error)
        elif isinstance(event, CallRetracted):
            items.remove(event.call)
    return items


def check(stream: ReplyStream, events: Sequence[StreamEvent], whole: ParseResult) -> None:
    """The stream came to the result of the whole reply, and its events add up to that."""
    assert stream.result() == whole
    assert replay(events) == whole.text.strip()
    told = items_told(events)
    assert len(told) == len(whole.items)
    assert all(item in told for item in whole.items)
    assert events[-1] == StreamFinished(whole, stream.reply())


# ---------------------------------------------------------------------- calls in the text


@pytest.mark.parametrize("eager", [False, True], ids=["at the end", "eager"])
@pytest.mark.parametrize("row", CONTENT, ids=[row["id"] for row in CONTENT])
def test_a_text_in_pieces_is_read_as_the_whole(row: dict[str, Any], eager: bool) -> None:
    """Items, text, repairs and spans are the same for every size of the pieces, and no call is told in vain."""
    registry = registry_of(row)
    finish_reason = row.get("finish_reason")
    for before, after in AROUND:
        text = before + row["raw"] + after
        whole = registry.parse_text(text, finish_reason=finish_reason)
        for size in SIZES:
            stream = registry.stream(eager=eager)
            events = [event for piece in pieces(text, size) for event in stream.feed(piece)]
            if not eager:
                assert items_told(events) == []
            events += stream.finish(finish_reason)
            check(stream, events, whole)
            assert not any(isinstance(event, CallRetracted) for event in events)
            if not after and row["id"] not in TAKEN_BACK:
                assert not any(isinstance(event, TextRestart) for event in events)


@pytest.mark.parametrize("dialect", ["json", "pythonic", "xml", "hermes"])
def test_a_dialect_is_kept(dialect: str) -> None:
    """The whole message is read with it, and so are the pieces."""
    for row in CONTENT[::7]:
        registry = registry_of(row)
        whole = registry.parse_text(row["raw"], dialect=dialect)
        stream = registry.stream(dialect=dialect, eager=True)
        check(stream, list(stream.events(pieces(row["raw"], 5))), whole)


SNIPPETS: Final = (
    *(
        "Hello world. ",
        "\n",
        "\n\n",
        "  ",
        "x < y ",
        "Note: so\n",
        "- item\n",
        "> quoted\n",
        "[1] a link\n",
        '"Yes," he said.\n',
    ),
    *("`code`", "``", "`", "```python\nprint(1)\n```\n", "```json\n", "```", "~~~\n", "functools", "functools["),
    *(
        "<think>",
        "</think>",
        "<thinking>",
        "</thinking>",
        "<response>",
        "</response>",
        "<pre>",
        "</pre>",
        "<!--",
        "-->",
    ),
    *('<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>', "<tool_call>", "</tool_call>", "<|im_end|>"),
    *('[TOOL_CALLS]add[ARGS]{"a": 2}', "<function=add><parameter=a>3</parameter></function>", "[TOOL_RESULTS]"),
    *('{"name": "add", "arguments": {"a": 4}}\n', '{"a": [1,\n', "}\n", "add(a=5)\n", "[add(a=6)]\n", "Action: add\n"),
    *("Action Input: ", '{"a": 7}\n', "Observation: 8\n", "<add><a>9</a></add>\n", "tool: add\narguments:\n  a: 10\n"),
    *(
        "<|channel|>analysis<|message|>",
        "<|channel|>final<|message|>",
        "<|end|>",
        "<|start|>assistant",
        "<tool_response>",
    ),
    *(
        "✿FUNCTION✿: add\n✿ARGS✿: ",
        "✿",
        "◁think▷",
        "◁/think▷",
        "<invoke>",
        "<|action_start|>",
        "]<]minimax[>[",
        "<b>bold</b>",
    ),
)
"""What messages are made of, whole and torn."""

ADD: Final = ToolRegistry()
ADD.add_schema("add", "", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(SNIPPETS), max_size=12).map("".join),
    st.sampled_from(SIZES),
    st.integers(0, 1000),
    st.booleans(),
    st.sampled_from([None, "stop", "length"]),
)
def test_any_text_in_any_pieces_is_read_as_the_whole(
    text: str, size: int, seed: int, eager: bool, finish_reason: str | None
) -> None:
    """Whatever openings, closers, calls and prose stand behind one another, torn or whole."""
    whole = ADD.parse_text(text, finish_reason=finish_reason)
    stream = ADD.stream(eager=eager)
    events = [event for piece in pieces(text, size, seed) for event in stream.feed(piece)]
    events += stream.finish(finish_reason)
    check(stream, events, whole)


@given(st.text(alphabet="<>[]{}()`~\"'\n \\:=|/abdA｜▁✿", max_size=80), st.sampled_from(SIZES))
def test_signs_in_any_order_are_no_trouble(text: str, size: int) -> None:
    """Nothing is lost, nothing raises."""
    stream = ADD.stream(eager=True)
    check(stream, list(stream.events(pieces(text, size))), ADD.parse_text(text))


# ---------------------------------------------------------------------- calls through the API


def chunk(**delta: object) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def fragments(index: int, call_id: str, name: str, arguments: Sequence[str]) -> list[dict[str, Any]]:
    """The chunks of one call: its id and name first, then its arguments bit by bit."""
    head = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
    rest = [{"index": index, "function": {"arguments": text}} for text in arguments]
    return [chunk(tool_calls=[fragment]) for fragment in (head, *rest)]


def message(text: str, calls: Sequence[tuple[str, str, str]], finish_reason: str | None) -> dict[str, Any]:
    """The whole reply."""
    made = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
        for call_id, name, arguments in calls
    ]
    return {"choices": [{"message": {"content": text, "tool_calls": made}, "finish_reason": finish_reason}]}


@pytest.mark.parametrize("row", ARGUMENTS, ids=[row["id"] for row in ARGUMENTS])
def test_arguments_in_pieces_are_read_as_the_whole(row: dict[str, Any]) -> None:
    """For every size of the pieces, whether or not the model was cut off."""
    registry = registry_of(row)
    finish_reason = row.get("finish_reason", "tool_calls")
    whole = registry.parse_reply(message("", [("c1", row["tool"], row["raw"])], finish_reason))
    for size in SIZES:
        stream = registry.stream(eager=True)
        chunks = fragments(0, "c1", row["tool"], list(pieces(row["raw"], size)))
        events = [event for one in chunks for event in stream.feed(one)]
        events += stream.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]})
        events += stream.finish()
        check(stream, events, whole)


def interleaved(data: st.DataObject, streams: list[list[dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    """Chunks of several origins, each in its order: the first of each call before that of the next."""
    order = data.draw(st.permutations([number for number, stream in enumerate(streams) for _ in stream]))
    waiting = [iter(stream) for stream in streams]
    begun = 0
    for number in order:
        while begun <= number:
            yield from [next(waiting[begun])]
            begun += 1
        yield from [one for one in (next(waiting[number], None),) if one is not None]
    for stream in waiting:
        yield from stream


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_calls_that_are_written_at_the_same_time_are_told_apart(data: st.DataObject) -> None:
    """Their fragments may come in any order, with text in between; the text is that of the whole reply as well."""
    rows = [row for row in ARGUMENTS if row["tools"] == ARGUMENTS[0]["tools"]]
    drawn = data.draw(st.lists(st.sampled_from(rows), min_size=1, max_size=4))
    text = data.draw(st.lists(st.sampled_from(SNIPPETS), max_size=4).map("".join))
    calls = [(f"c{number}", row["tool"], row["raw"]) for number, row in enumerate(drawn)]
    finish_reason = data.draw(st.sampled_from([None, "tool_calls", "length"]))
    streams = [
        fragments(number, call_id, name, list(pieces(arguments, data.draw(st.sampled_from(SIZES)))))
        for number, (call_id, name, arguments) in enumerate(calls)
    ]
    streams.append([chunk(content=piece) for piece in ("", *pieces(text, 3))])
    registry = registry_of(ARGUMENTS[0])
    stream = registry.stream(eager=data.draw(st.booleans()))
    events = [event for one in interleaved(data, streams) for event in stream.feed(one)]
    events += stream.finish(finish_reason)
    check(stream, events, registry.parse_reply(message(text, calls, finish_reason)))


# ---------------------------------------------------------------------- work


CALL: Final = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>\n'
LONG: Final = {
    "prose": "The quick brown fox jumps over the lazy dog, and so on.\n",
    "less-than signs": "<",
    "tags": "<a",
    "braces on lines": "{\n",
    "back-ticks": "`a ",
    "fences": "```\n",
    "fences of data": '```json\n{"a": 1}\n```\n',
    "labels": "Action: x\n",
    "objects": '{"a": 1, "name": "x"}\n',
    "openers": "<tool_call>",
    "closers behind an opener": "</tool_call>",
    "quotes on lines": '"\n',
    "letters": "a",
    "blanks": " ",
    "lines": "\n",
    "tokens": "<|a|>",
    "headers": "<|channel|>final<|message|>",
    "reasoning": "a</think>",
    "calls": CALL,
}


@pytest.mark.parametrize("size", [1, 20, 100_000], ids=["single characters", "tokens", "one piece"])
@pytest.mark.parametrize("unit", LONG.values(), ids=LONG)
def test_the_work_grows_as_the_text_does(unit: str, size: int) -> None:
    """Counted in characters that were looked at: each at most some hundred times, however long the text is."""
    for length in (2_000, 8_000):
        text = (unit * (length // len(unit) + 1))[:length]
        stream = ADD.stream()
        for piece in pieces("<tool_call>" + text if unit == "</tool_call>" else text, size):
            stream.feed(piece)
        assert stream.read < 160 * (length + 100)


def test_a_long_call_is_not_read_over_and_over() -> None:
    """What may close it stands in its arguments a thousand times; a budget bounds how often the call is tried."""
    text = '<tool_call>\n{"name": "add", "arguments": {"a": "' + "</tool_call> " * 4_000
    stream = ADD.stream()
    for piece in pieces(text, 13):
        stream.feed(piece)
    assert stream.read < 30 * len(text)
    assert stream.feed("") == ()
