from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from toolmend.agents._pairing import Change, Pairing
from toolmend.agents.messages import NOT_EXECUTED
from toolmend.repairs.record import JsonValue

Message = dict[str, JsonValue]


def user(text: str = "hi") -> Message:
    return {"role": "user", "content": text}


def called(*ids: str, arguments: str = "{}") -> Message:
    calls = [{"id": one, "type": "function", "function": {"name": "look", "arguments": arguments}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str, text: str = "found") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def not_executed(call_id: str) -> Message:
    return result(call_id, NOT_EXECUTED)


def demoted(name: str, text: str = "found") -> Message:
    return {"role": "assistant", "content": f"[Result of an earlier call, {name}]\n{text}"}


def paired(messages: Sequence[Message]) -> tuple[list[Message], list[Change]]:
    """What is sent, and what is recorded."""
    pairing, placed = Pairing(), list[tuple[Message, int]]()
    for at, message in enumerate(messages):
        placed += pairing.take(message, at)
    ending, changes = pairing.end()
    return [message for message, _ in (*placed, *ending)], [*pairing.changes, *changes]


VALID = [
    [user(), called("a"), result("a"), user()],
    [user(), called("a", "b", "c"), result("c"), result("a"), result("b")],
    [user(), called("a"), result("a"), called("a"), result("a")],  # ids come back in later turns
    [user(), called("a", arguments=""), result("a")],
    [
        {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "g", "content": ""},
    ],
    [{"role": "assistant", "content": None, "tool_calls": []}, {"role": "developer", "content": None}],
    [
        {"role": "assistant", "tool_calls": [{"id": "x", "type": "custom", "custom": {"name": "n", "input": "?"}}]},
        result("x"),
    ],
]


@pytest.mark.parametrize("messages", VALID)
def test_what_is_valid_stays_as_it_is(messages: list[Message]) -> None:
    """The very same messages are sent, and nothing is recorded."""
    sent, changes = paired(messages)
    assert all(new is old for new, old in zip(sent, messages, strict=True))
    assert changes == []


def test_a_call_that_was_never_run_is_answered() -> None:
    """The run that made it was interrupted; without an answer every later request would be refused."""
    messages = [user(), called("a"), user("well?")]
    assert paired(messages) == ([*messages[:2], not_executed("a"), messages[2]], [Change("answered", 1)])


def test_the_call_at_the_end_is_answered_too() -> None:
    """But only for what is sent now: its result may still come."""
    messages = [user(), called("a", "b"), result("b")]
    pairing = Pairing()
    for at, message in enumerate(messages):
        list(pairing.take(message, at))
    assert [message for message, _ in pairing.end()[0]] == [not_executed("a")]
    assert list(pairing.take(result("a"), 3)) == [(result("a"), 3)]
    assert pairing.end() == ([], [])


def test_all_calls_of_a_batch_are_answered() -> None:
    """The missing answers follow those that are there."""
    sent, changes = paired([called("a", "b", "c"), result("b"), user()])
    assert sent == [called("a", "b", "c"), result("b"), not_executed("a"), not_executed("c"), user()]
    assert changes == [Change("answered", 0), Change("answered", 0)]


def test_two_calls_of_a_turn_with_one_id_are_told_apart() -> None:
    """Their results follow them in order."""
    sent, changes = paired([called("a", "a", "a_2"), result("a", "1"), result("a", "2"), result("a_2", "3")])
    assert sent == [called("a", "a_3", "a_2"), result("a", "1"), result("a_3", "2"), result("a_2", "3")]
    assert [change.kind for change in changes] == ["renamed", "renamed"]


def test_calls_without_ids_are_given_some() -> None:
    """Some servers send none, and no result names them either."""
    calls = called("", "")
    calls["tool_calls"][0]["id"] = None
    sent, _ = paired([calls, {"role": "tool", "content": "1"}, result("", "2")])
    assert sent == [called("call_1", "call_2"), result("call_1", "1"), result("call_2", "2")]


def test_a_second_result_for_a_call_is_left_out() -> None:
    """The model has seen the first; which one is right cannot be told."""
    sent, changes = paired([called("a", "b"), result("a"), result("a", "again"), result("b"), result("b", "again")])
    assert sent == [called("a", "b"), result("a"), result("b")]
    assert changes == [Change("removed", 2), Change("removed", 4)]


@pytest.mark.parametrize("before", [[], [user()], [user(), called("a"), result("a")]])
def test_a_result_without_a_call_becomes_text(before: list[Message]) -> None:
    """Its text is not lost, and it is no order of the user or the system."""
    sent, changes = paired([*before, result("z"), user()])
    assert sent == [*before, demoted("z"), user()]
    assert changes == [Change("demoted", len(before))]


def test_a_result_that_comes_late_becomes_text() -> None:
    """Its call was answered when the conversation went on."""
    sent, _ = paired([called("a"), user(), result("a")])
    assert sent == [called("a"), not_executed("a"), user(), demoted("a")]


def test_text_does_not_come_between_a_call_and_its_results() -> None:
    """A stray result waits until the others are through."""
    sent, _ = paired([called("a", "b"), result("a"), result("z"), result("b"), user()])
    assert sent == [called("a", "b"), result("a"), result("b"), demoted("z"), user()]


def test_legacy_functions_are_paired_by_their_place() -> None:
    """They have no ids."""
    call: Message = {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}}
    answer: Message = {"role": "function", "name": "f", "content": "1"}
    sent, changes = paired([call, user(), call, answer, answer])
    assert sent == [call, answer | {"content": NOT_EXECUTED}, user(), call, answer, demoted("f", "1")]
    assert [change.kind for change in changes] == ["answered", "demoted"]


@pytest.mark.parametrize(
    "arguments", ['{"a": [1', "[1]", "NaN", '"text"', "[" * 100_000, r'{"a": "\ud800"}', r'{"\uDFFF": 1}']
)
def test_arguments_that_are_no_json_object_are_wrapped(arguments: str) -> None:
    """A stream that broke off left them; many servers read them again."""
    sent, changes = paired([called("a", arguments=arguments), result("a")])
    assert json.loads(sent[0]["tool_calls"][0]["function"]["arguments"]) == {"unreadable": arguments[:400]}
    assert changes == [Change("wrapped", 0)]
    legacy: Message = {"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": arguments}}
    sent, changes = paired([legacy, {"role": "function", "name": "f", "content": ""}])
    assert json.loads(sent[0]["function_call"]["arguments"]) == {"unreadable": arguments[:400]}


@pytest.mark.parametrize("arguments", ['{"a": "\ud800"}', "\udfff"])
def test_half_of_a_surrogate_pair_in_arguments_is_replaced(arguments: str) -> None:
    """No request can carry it, nor can strict readers read it from an escape."""
    sent, _ = paired([called("a", arguments=arguments), result("a")])
    told = sent[0]["tool_calls"][0]["function"]["arguments"]
    assert json.loads(told.encode()) == {"unreadable": arguments.encode("utf-8", "replace").decode()}


@pytest.mark.parametrize("arguments", ['{"a": "\U0001f600"}', r'{"a": "\ud83d\ude00"}', r'{"a": "\u00e9"}'])
def test_whole_characters_stand_as_they_were_written(arguments: str) -> None:
    """Escaped or not."""
    assert paired([called("a", arguments=arguments), result("a")])[1] == []


def test_the_text_of_parts_is_kept() -> None:
    """A result may be a list of parts."""
    sent, _ = paired(
        [{"role": "tool", "tool_call_id": "z", "content": [{"type": "text", "text": "one"}, {"type": "x"}]}]
    )
    assert sent == [demoted("z", "one")]
    assert paired([{"role": "tool", "tool_call_id": "z", "content": None}])[0] == [demoted("z", "")]
