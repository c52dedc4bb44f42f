"""Who listens to a registry is told of each result once."""

from __future__ import annotations

import pytest

from toolmend.toolkit import ModelReply, ParseResult, RawCall, ToolMessage, ToolRegistry, ToolUsageError


class Note(ToolMessage, name="note"):
    """Keep a note."""

    text: str


CALL = '{"text": "tea",}'
IN_TEXT = f'{{"name": "note", "arguments": {CALL}}}'


@pytest.fixture
def heard() -> list[ParseResult]:
    """What a listener was told."""
    return []


@pytest.fixture
def registry(heard: list[ParseResult]) -> ToolRegistry:
    """A registry to which somebody listens."""
    registry = ToolRegistry([Note])
    registry.listen(heard.append)
    return registry


def test_each_way_of_reading_tells_its_result(registry: ToolRegistry, heard: list[ParseResult]) -> None:
    """The very result that is given back; right calls and prose are results too."""
    results = [
        registry.parse_call("note", CALL),
        registry.check_call("note", {"text": "tea"}),
        registry.parse_text(IN_TEXT),
        registry.parse_text("Just words."),
        registry.parse_reply(ModelReply(tool_calls=(RawCall("note", CALL, "c1"),))),
        registry.parse_reply(ModelReply(text=IN_TEXT)),
    ]
    assert [id(result) for result in heard] == [id(result) for result in results]


@pytest.mark.parametrize("eager", [False, True])
def test_a_stream_tells_its_result_once_when_it_is_finished(
    registry: ToolRegistry, heard: list[ParseResult], eager: bool
) -> None:
    """Not what it tries on the way, be it through the API or in text."""
    stream = registry.stream(eager=eager)
    for at in range(2):
        function = {"name": "note", "arguments": '{"text": "tea"}'}
        stream.feed({"choices": [{"delta": {"tool_calls": [{"index": at, "id": f"c{at}", "function": function}]}}]})
    stream.feed(IN_TEXT + "\n")
    assert heard == []
    stream.finish("stop")
    stream.finish("stop")
    assert [id(result) for result in heard] == [id(stream.result())]


def test_several_may_listen_and_each_may_stop(registry: ToolRegistry, heard: list[ParseResult]) -> None:
    """One that listens twice is told twice, and stops once at a time."""
    stop = registry.listen(heard.append)
    registry.parse_call("note", CALL)
    assert len(heard) == 2
    stop()
    stop()
    registry.parse_call("note", CALL)
    assert len(heard) == 3


def test_running_calls_tells_nothing(registry: ToolRegistry, heard: list[ParseResult]) -> None:
    """It reads nothing that a model wrote."""
    result = registry.parse_call("note", CALL)
    registry.dispatch(result, handlers={"note": lambda message: message.text})
    assert len(heard) == 1


def test_what_a_listener_raises_is_seen(registry: ToolRegistry) -> None:
    """It is a mistake of the program, and no fault of a call."""

    def fail(result: ParseResult) -> None:
        raise ZeroDivisionError(len(result.items))

    registry.listen(fail)
    with pytest.raises(ZeroDivisionError):
        registry.parse_call("note", CALL)


@pytest.mark.parametrize("wrong", [None, "log.jsonl", dict])
def test_what_cannot_listen_is_refused(wrong: object) -> None:
    """By what can."""
    with pytest.raises(ToolUsageError, match="a listener is a function of one result"):
        ToolRegistry().listen(wrong)  # type: ignore[arg-type]
