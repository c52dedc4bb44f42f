from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from toolmend.toolkit import (
    CallCompleted,
    CallFailed,
    CallRetracted,
    ModelReply,
    ParseResult,
    PartialCall,
    RawCall,
    ReplyStream,
    StreamEvent,
    StreamFinished,
    TextDelta,
    TextRestart,
    ToolRegistry,
    ToolUsageError,
    Usage,
    replay,
)

CALL = '<tool_call>{"name": "add", "arguments": {"a": 1}}</tool_call>'
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.fixture
def registry() -> ToolRegistry:
    made = ToolRegistry()
    made.add_schema("add", "", SCHEMA, handler=lambda arguments: arguments["a"])
    return made


def chunk(finish_reason: str | None = None, **delta: object) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def fragment(index: int, arguments: str, **rest: object) -> dict[str, Any]:
    function = {"arguments": arguments} | ({"name": rest.pop("name")} if "name" in rest else {})
    return chunk(tool_calls=[{"index": index, "function": function, **rest}])


def fed(stream: ReplyStream, *chunks: object) -> list[StreamEvent]:
    return [event for one in chunks for event in stream.feed(one)]


def test_text_and_calls_of_a_stream_of_chunks(registry: ToolRegistry) -> None:
    """The text at once, the call bit by bit, the validated call at the end, with the whole reply."""
    stream = registry.stream()
    assert stream.feed(chunk(role="assistant", content="Let me ")) == (TextDelta("Let me"),)
    assert stream.feed(chunk(content="add.")) == (TextDelta(" add."),)
    [partial] = stream.feed(fragment(0, "", id="c1", name="add"))
    assert partial == PartialCall(0, "c1", "add", size=0)
    assert (partial.raw, partial.arguments) == ("", None)
    [partial] = stream.feed(fragment(0, '{"a": 1'))
    assert isinstance(partial, PartialCall)
    assert (partial.name, partial.raw, partial.arguments) == ("add", '{"a": 1', {})
    assert not [
        event for event in fed(stream, fragment(0, "}"), chunk("tool_calls")) if not isinstance(event, PartialCall)
    ]
    assert stream.feed({"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": 1}}) == ()
    completed, finished = stream.finish()
    reply = ModelReply("Let me add.", (RawCall("add", '{"a": 1}', "c1"),), "tool_calls", Usage(2, 1))
    assert finished == StreamFinished(registry.parse_reply(reply), reply)
    assert completed == CallCompleted(registry.parse_reply(reply).calls[0])
    assert stream.result().text == "Let me add."
    assert stream.finish() == ()


def test_a_partial_call_cannot_be_run(registry: ToolRegistry) -> None:
    """Dispatch takes calls and errors, and nothing that only looks like one."""
    partial = PartialCall(0, "c1", "add", ['{"a": 1}'], 1)
    with pytest.raises(ToolUsageError, match="dispatch takes"):
        registry.dispatch([partial])  # type: ignore[list-item]


def test_a_cut_off_call_is_an_error(registry: ToolRegistry) -> None:
    """Whether it was made through the API or in the text, told by a chunk or at the end."""
    by_api = registry.stream()
    fed(by_api, fragment(0, '{"a": 1', id="c1", name="add"), chunk("length"))
    by_text = registry.stream()
    by_text.feed(CALL[:40])
    for events in (by_api.finish(), by_text.finish("length")):
        failed, _ = events
        assert isinstance(failed, CallFailed)
        assert failed.error.kind == "cut_off"


def test_the_reason_in_the_chunks_comes_first(registry: ToolRegistry) -> None:
    """The one given at the end is for streams that tell none."""
    stream = registry.stream()
    fed(stream, chunk("length", content="one"))
    stream.finish("stop")
    assert stream.result().finish_reason == "length"


def test_text_is_shown_as_it_is_once_a_call_came_through_the_api(registry: ToolRegistry) -> None:
    """It is not searched then; what was held back or taken out comes back."""
    stream = registry.stream()
    events = fed(stream, chunk(content="<think>so</think>Well, <tool"), fragment(0, '{"a": 1}', id="c1", name="add"))
    assert [type(event) for event in events] == [TextDelta, TextRestart, PartialCall]
    assert replay(events) == "<think>so</think>Well, <tool"
    events += fed(stream, chunk(content="_call> is "), chunk(content="a tag"))
    assert replay(events) == "<think>so</think>Well, <tool_call> is a tag"
    assert not any(isinstance(event, TextRestart) for event in stream.finish())


@pytest.mark.parametrize("search_text", [True, False])
def test_whether_the_text_is_searched_can_be_said(registry: ToolRegistry, search_text: bool) -> None:
    """As for a whole reply."""
    stream = registry.stream(search_text=search_text)
    events = fed(stream, chunk(content=f"So: {CALL} and"), fragment(0, '{"a": 2}', id="c1", name="add"))
    assert replay(events) == ("So:\nand" if search_text else f"So: {CALL} and")
    stream.finish()
    assert stream.result() == registry.parse_reply(stream.reply(), search_text=search_text)


def test_an_eager_stream_tells_calls_as_soon_as_they_look_whole(registry: ToolRegistry) -> None:
    """One in the text when something follows it, one through the API when the next one begins; each once."""
    stream = registry.stream(eager=True, search_text=True)
    events = fed(stream, f"So: {CALL}", " And")
    [told] = [event for event in events if isinstance(event, CallCompleted)]
    assert told.call.span == (4, 4 + len(CALL))
    events = fed(stream, fragment(0, '{"a": 2}', id="c1", name="add"), fragment(1, "{", id="c2", name="add"))
    [again] = [event for event in events if isinstance(event, CallCompleted)]
    assert (again.call.id, again.call.arguments) == ("c1", {"a": 2})
    failed, _ = stream.finish("length")
    assert isinstance(failed, CallFailed)
    assert len(stream.result().items) == 3


@pytest.mark.parametrize(
    ("arguments", "name", "call_id"),
    [
        ('{"a": "x"}', "add", "c1"),
        ("{}", "add", "c1"),
        ('{"a": 1', "add", "c1"),
        ('{"a": 1}', "sub", "c1"),
        ("[1]", "add", "c1"),
    ],
)
def test_an_eager_stream_waits_where_the_end_may_tell_more(
    registry: ToolRegistry, arguments: str, name: str, call_id: str
) -> None:
    """Faulty calls, empty arguments and open ones are told at the end."""
    stream = registry.stream(eager=True)
    events = fed(stream, fragment(0, arguments, id=call_id, name=name), fragment(1, "", id="c2", name="add"))
    assert {type(event) for event in events} == {PartialCall}


def test_an_id_that_is_given_twice_is_told_at_the_end(registry: ToolRegistry) -> None:
    """It is changed in the result, so that each call is answered by itself."""
    stream = registry.stream(eager=True)
    chunks = [fragment(number, f'{{"a": {number}}}', id="c1", name="add") for number in range(3)]
    events = [*fed(stream, *chunks), *stream.finish()]
    told = [event.call.id for event in events if isinstance(event, CallCompleted)]
    assert told == ["c1", "c1_2", "c1_3"]
    assert not any(isinstance(event, CallRetracted) for event in events)


def test_an_eager_stream_takes_back_what_turns_out_otherwise(registry: ToolRegistry) -> None:
    """A call in reasoning that was closed later, or one to which more was added."""
    in_text = registry.stream(eager=True)
    in_api = registry.stream(eager=True)
    first = fed(in_text, f"{CALL} or", " not</think> No")
    second = fed(
        in_api,
        fragment(0, '{"a": 1}', id="c1", name="add"),
        fragment(1, '{"a": 2}', id="c2", name="add"),
        fragment(0, "!"),
    )
    for stream, events in ((in_text, first), (in_api, second)):
        told = [event.call for event in events if isinstance(event, CallCompleted)]
        taken = [event.call for event in stream.finish() if isinstance(event, CallRetracted)]
        assert taken == told
        assert told[0] not in stream.result().calls


def test_a_whole_stream_is_read_by_one_iterator(registry: ToolRegistry) -> None:
    """Chunks or text; the result comes last."""
    stream = registry.stream()
    events = list(stream.events(["So: ", chunk(content=CALL), " and"]))
    assert replay(events) == "So:\nand"
    assert events[-1] == StreamFinished(registry.parse_text(f"So: {CALL} and"), ModelReply(f"So: {CALL} and"))


def test_an_async_stream_is_read_in_the_same_way(registry: ToolRegistry) -> None:
    """The events are those of the sync one."""

    async def chunks() -> AsyncIterator[object]:
        for one in ("So: ", chunk(content=CALL), " and"):
            await asyncio.sleep(0)
            yield one

    async def run() -> list[StreamEvent]:
        return [event async for event in registry.stream().events_async(chunks())]

    assert asyncio.run(run()) == list(registry.stream().events(["So: ", chunk(content=CALL), " and"]))


def test_a_stream_that_breaks_off_has_no_result(registry: ToolRegistry) -> None:
    """What is there can still be read as cut off."""

    def broken() -> Iterator[str]:
        yield "So: <tool_call>"
        raise ConnectionError

    stream = registry.stream()
    with pytest.raises(ConnectionError):
        list(stream.events(broken()))
    with pytest.raises(ToolUsageError, match="call `finish` behind the last chunk"):
        stream.result()
    stream.finish("length")
    assert [error.kind for error in stream.result().errors] == ["cut_off"]


def test_a_finished_stream_takes_no_more(registry: ToolRegistry) -> None:
    """Each reply has a stream of its own."""
    stream = registry.stream()
    stream.finish()
    assert stream.result() == ParseResult()
    with pytest.raises(ToolUsageError, match="begin another one"):
        stream.feed("x")


def test_mistakes_of_the_caller_are_told_when_they_are_made(registry: ToolRegistry) -> None:
    """An unknown dialect at once, what is no chunk when it comes."""
    with pytest.raises(ToolUsageError, match="dialect"):
        registry.stream(dialect="klingon")
    with pytest.raises(ToolUsageError, match="no chunk of Chat Completions"):
        registry.stream().feed({"content": "x"})


def test_the_tools_stay_as_they_were_when_the_stream_began(registry: ToolRegistry) -> None:
    """Other threads may change the registry while a reply is being written."""
    stream = registry.stream()
    registry.remove("add")
    list(stream.events([CALL]))
    assert [call.name for call in stream.result().calls] == ["add"]


def test_a_refusal_is_no_text(registry: ToolRegistry) -> None:
    """It is kept apart, as in a whole reply."""
    stream = registry.stream()
    fed(stream, chunk(refusal="I can"), chunk("stop", refusal="not."))
    stream.finish()
    assert (stream.refusal, stream.result().text) == ("I cannot.", "")


def test_the_legacy_call_is_shown_and_read(registry: ToolRegistry) -> None:
    """It has no id."""
    stream = registry.stream()
    [partial] = fed(stream, chunk(function_call={"name": "add", "arguments": '{"a": 1}'}))
    assert isinstance(partial, PartialCall)
    assert (partial.name, partial.id) == ("add", None)
    completed, _ = stream.finish()
    assert isinstance(completed, CallCompleted)
    assert completed.call.id is None
