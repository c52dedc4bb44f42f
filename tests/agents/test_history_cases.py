"""Histories that were reported to break one library or another, each with what must hold of what is sent."""

from __future__ import annotations

import copy
import json
import os
import pathlib
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import tiktoken

from toolmend.agents.errors import ContextOverflowError
from toolmend.agents.fitting import Fitted, fit_history
from toolmend.agents.sizes import message_counter
from toolmend.agents.tokens import TiktokenCounter
from toolmend.repairs.record import JsonValue

Message = dict[str, JsonValue]

CASES = pathlib.Path(__file__).parents[1] / "cases" / "history.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
IMPOSSIBLE = [row for row in ROWS if "error:context" in row["expect"]["properties"]]
POSSIBLE = [row for row in ROWS if row not in IMPOSSIBLE]
FRESH = message_counter("gpt-4o", TiktokenCounter())
SETTINGS = ("context_length", "max_output_tokens", "min_output_tokens", "strategy")


def spelled(value: JsonValue) -> JsonValue:
    """A content as the file has it: long ones are told by what they repeat."""
    if not isinstance(value, dict):
        return value
    if "repeat" in value:
        return value["repeat"] * value["times"]
    return [spelled_part(part) for part in value["parts"]]


def spelled_part(part: JsonValue) -> JsonValue:
    if part["type"] != "image_url":
        return part
    url = "data:image/png;base64," + "iVBORw0KGgo/Q7x+" * (part["data_url_chars"] // 16)
    return {"type": "image_url", "image_url": {"url": url, "detail": part["detail"]}}


def spelled_call(call: JsonValue) -> JsonValue:
    arguments = call["arguments"]
    arguments = arguments if isinstance(arguments, str) else json.dumps({"text": spelled(arguments)})
    return {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": arguments}}


def messages_of(case: JsonValue, *, distinct: bool = False) -> list[Message]:
    messages = []
    for number, given in enumerate(case["messages"]):
        message = {**given, "content": spelled(given.get("content"))}
        if distinct and isinstance(message["content"], str):
            message["content"] = f"{number} {message['content']}"
        if "tool_calls" in given:
            message["tool_calls"] = [spelled_call(call) for call in given["tool_calls"]]
        messages.append(message)
    return messages


def tools_of(case: JsonValue) -> list[Message] | None:
    return [{"type": "function", "function": tool} for tool in case["tools"]] if "tools" in case else None


def fit(case: JsonValue, messages: list[Message]) -> Fitted:
    return fit_history(messages, tools=tools_of(case), model="gpt-4o", **{name: case[name] for name in SETTINGS})


@dataclass(frozen=True)
class Fit:
    """One case, and what came of it."""

    case: JsonValue
    given: list[Message]
    sent: list[Message]
    output: int
    seconds: float


def contents(messages: list[Message], *roles: str) -> list[JsonValue]:
    return [message["content"] for message in messages if message["role"] in roles]


def system_kept(one: Fit) -> None:
    assert contents(one.sent, "system")[0] == contents(one.given, "system")[0]


def last_user_kept(one: Fit) -> None:
    assert contents(one.sent, "user")[-1] == contents(one.given, "user")[-1]


def last_turn_kept(one: Fit) -> None:
    start = max(at for at, message in enumerate(one.given) if message["role"] == "user")
    assert one.sent[start - len(one.given) :] == one.given[start:]


def pairs_valid(one: Fit) -> None:
    waiting: set[str] = set()
    for message in one.sent:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting
        ids = [call["id"] for call in message.get("tool_calls", [])]
        waiting = set(ids)
        assert len(waiting) == len(ids)
    assert not waiting


def order_kept(one: Fit) -> None:
    """What is there unchanged stands in the old order."""
    at = len(one.given)
    for message in reversed(one.sent):
        if message in one.given:
            at = max(place for place in range(at) if one.given[place] == message)


def fits(one: Fit) -> None:
    tokens = FRESH.request(one.sent, tools_of(one.case) or [])
    assert tokens + one.output <= one.case["context_length"]
    assert one.case["min_output_tokens"] <= one.output <= one.case["max_output_tokens"]
    assert any(message["role"] != "system" for message in one.sent)


def untouched(one: Fit) -> None:
    assert one.sent == one.given


def same_length(one: Fit) -> None:
    assert [message["role"] for message in one.sent] == [message["role"] for message in one.given]


def output_shrunk(one: Fit) -> None:
    room = one.case["context_length"] - FRESH.request(one.sent)
    assert room / 2 <= one.output < one.case["max_output_tokens"]


def idempotent(one: Fit) -> None:
    assert fit(one.case, copy.deepcopy(one.sent)).messages == one.sent


def valid_unicode(one: Fit) -> None:
    text = json.dumps(one.sent, ensure_ascii=False)
    assert "\ufffd" not in text
    text.encode()


def arguments_valid_json(one: Fit) -> None:
    for message in one.sent:
        for call in message.get("tool_calls", []):
            assert isinstance(json.loads(call["function"]["arguments"]), dict)


def nothing_more(one: Fit) -> None:
    """Holds for each case: there was no exception, and what was handed in is what it was."""


PROPERTIES: dict[str, Callable[[Fit], None]] = {
    "system_kept": system_kept,
    "last_user_kept": last_user_kept,
    "last_turn_kept": last_turn_kept,
    "pairs_valid": pairs_valid,
    "order_kept": order_kept,
    "fits": fits,
    "untouched": untouched,
    "same_length": same_length,
    "output_shrunk": output_shrunk,
    "idempotent": idempotent,
    "valid_unicode": valid_unicode,
    "arguments_valid_json": arguments_valid_json,
    "input_not_mutated": nothing_more,
    "no_crash": nothing_more,
    "fits|error:context": fits,
}


def measured(case: JsonValue) -> Fit:
    given = messages_of(case)
    before, start = copy.deepcopy(given), time.perf_counter()
    fitted = fit(case, given)
    seconds = time.perf_counter() - start
    assert given == before
    assert fitted.max_output_tokens is not None
    return Fit(case, given, fitted.messages, fitted.max_output_tokens, seconds)


@pytest.mark.parametrize("case", POSSIBLE, ids=[row["id"] for row in POSSIBLE])
def test_what_must_hold_of_a_case_holds(case: JsonValue) -> None:
    """Each property is one that the server, the model or the user of the library relies on."""
    wanted = case["expect"]["properties"]
    try:
        one = measured(case)
    except ContextOverflowError:
        assert "fits|error:context" in wanted  # where either is right
        return
    for name in wanted:
        if name.startswith("seconds<="):
            assert one.seconds <= float(name.removeprefix("seconds<="))
        elif not name.startswith("tokenised_chars<="):
            PROPERTIES[name](one)


@pytest.mark.parametrize("case", IMPOSSIBLE, ids=[row["id"] for row in IMPOSSIBLE])
def test_what_cannot_be_made_to_fit_is_an_error(case: JsonValue) -> None:
    """It names the length of the window."""
    with pytest.raises(ContextOverflowError, match=f"the context length is {case['context_length']} tokens"):
        measured(case)


COSTLY = [row for row in ROWS if any(name.startswith("tokenised") for name in row["expect"]["properties"])]


@pytest.mark.parametrize("case", COSTLY, ids=[row["id"] for row in COSTLY])
def test_a_conversation_is_tokenised_about_once(case: JsonValue, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fitted anew after each question, as `fit_history` does without anything being kept by the caller."""
    [limit] = [re.sub(r"\D", "", name) for name in case["expect"]["properties"] if name.startswith("tokenised")]
    given, spent = messages_of(case, distinct=True), list[int]()
    original = tiktoken.Encoding.encode_ordinary

    def recorded(self: tiktoken.Encoding, text: str) -> list[int]:
        spent.append(len(text))
        return original(self, text)

    monkeypatch.setattr(tiktoken.Encoding, "encode_ordinary", recorded)
    for end, message in enumerate(given, 1):
        if message["role"] == "user":
            fit(case, given[:end])
    size = sum(len(message["content"] or "") for message in given)
    assert size / 2 <= sum(spent) <= int(limit) * size


def test_the_vocabulary_is_the_one_of_the_test_run() -> None:
    """The cases count with the real one, not with the bound that takes its place."""
    assert pathlib.Path(os.environ["TIKTOKEN_CACHE_DIR"]).is_dir()
    assert FRESH.text("hello world") == 2
