from __future__ import annotations

import json

import pytest

from toolmend.agents import ChatAgentConfig, ModelReply, RawCall, ScriptedClient
from toolmend.agents.demo.home import HomeAgent
from toolmend.agents.demo.requests import REQUESTS, Expected, Request
from toolmend.agents.demo.runs import Counts, count, run_request

TIMER = Request("Start it.", Expected("start_timer", {"label": "soup", "minutes": 25}))
RIGHT = '{"name": "start_timer", "arguments": {"label": "soup", "minutes": 25}}'
MENDED = "{'name': 'start_timer', 'arguments': {'label': 'soup', 'minutes': '25'}}"
WRONG = '{"name": "start_timer", "arguments": {"label": "soup", "minutes": 20}}'
REFUSED = '{"name": "start_timer", "arguments": {"label": "soup", "minutes": "soon"}}'


def verdict(*script: str, request: Request = TIMER) -> str:
    """What a request comes to with a scripted model."""
    agent = HomeAgent(ChatAgentConfig(llm=ScriptedClient(script), use_tools=True))
    return run_request(agent, request).verdict


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([RIGHT], "strict"),
        ([f" {RIGHT}\n"], "strict"),
        ([MENDED], "mended"),
        ([f"```json\n{RIGHT}\n```"], "found"),
        ([f"<tool_call>{RIGHT}</tool_call>"], "found"),
        ([f"```json\n{MENDED}\n```"], "mended"),
        ([REFUSED, RIGHT], "asked_again"),
        ([REFUSED, MENDED], "asked_again"),
        ([WRONG], "wrong_meaning"),
        ([REFUSED, WRONG], "wrong_meaning"),
        ([f"{RIGHT}\n{WRONG}"], "wrong_meaning"),
        (["I would rather not."], "no_call"),
        ([REFUSED] * 3, "no_call"),
        ([REFUSED, "Sorry."], "no_call"),
    ],
)
def test_the_verdict_is_open(script: list[str], expected: str) -> None:
    """A call that ran and is not exactly the expected one is never counted as right."""
    assert verdict(*script) == expected


def test_a_number_is_the_same_with_and_without_a_fraction() -> None:
    """What counts is the value, not how it is written; a truth value is no number."""
    parcel = Request("Send it.", Expected("send_parcel", {"recipient": {"name": "A", "city": "B"}, "weight_kg": 1}))
    reply = {"name": "send_parcel", "arguments": {"recipient": {"name": "A", "city": "B"}, "weight_kg": 1.0}}
    assert verdict(json.dumps(reply), request=parcel) == "strict"
    reply["arguments"] = {"recipient": {"name": "A", "city": "B"}, "weight_kg": True}
    assert verdict(json.dumps(reply), "x", request=parcel) == "no_call"


def test_a_call_through_the_api_is_judged_by_its_arguments() -> None:
    """Both channels are counted alike."""
    call = RawCall("start_timer", '{"minutes": 25, "label": "soup"}', "c1")
    agent = HomeAgent(ChatAgentConfig(llm=ScriptedClient([ModelReply(tool_calls=(call,))])))
    outcome = run_request(agent, TIMER)
    assert (outcome.verdict, outcome.exchanges[0].wrote) == ("strict", call.arguments)


def test_the_counts_are_those_of_the_verdicts() -> None:
    """One request, one place."""
    scripts = [[RIGHT], [RIGHT], [f"Sure:\n{RIGHT}"], [MENDED], [WRONG], ["no"], [REFUSED, RIGHT]]
    outcomes = [
        run_request(HomeAgent(ChatAgentConfig(llm=ScriptedClient(script), use_tools=True)), TIMER) for script in scripts
    ]
    assert count(outcomes) == Counts(total=7, strict=2, found=1, mended=1, asked_again=1, wrong_meaning=1, no_call=1)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request.text)
def test_each_request_has_a_call_that_its_tool_takes(request_: Request) -> None:
    """What is expected is valid as it stands, and is no example that the model was shown."""
    expected = {"name": request_.expected.name, "arguments": dict(request_.expected.arguments)}
    agent = HomeAgent(ChatAgentConfig(llm=ScriptedClient([json.dumps(expected)]), use_tools=True))
    assert request_.text not in [message["content"] for message in agent.messages]
    outcome = run_request(agent, request_)
    assert outcome.verdict == "strict"
    assert outcome.exchanges[0].repairs == ()


def test_the_requests_are_of_many_kinds() -> None:
    """At least ten over four tools, with nested arguments, lists, enums and numbers among them."""
    assert len(REQUESTS) >= 10
    assert {request.expected.name for request in REQUESTS} == {"set_light", "add_items", "send_parcel", "start_timer"}


@pytest.mark.parametrize(
    ("reply", "way"),
    [
        (f" {RIGHT}\n", ""),
        (f"```json\n{RIGHT}\n```", "json within other text"),
        (f"Sure:\n{RIGHT}", "json within other text"),
        (f"<tool_call>{RIGHT}</tool_call>", "hermes"),
        ('[start_timer(label="soup", minutes=25)]', "pythonic"),
    ],
)
def test_it_is_told_where_a_call_was_found(reply: str, way: str) -> None:
    """A call that stood in other text, or in another form, had no repair: how it was read is shown in its place."""
    agent = HomeAgent(ChatAgentConfig(llm=ScriptedClient([reply]), use_tools=True))
    assert run_request(agent, TIMER).exchanges[0].read_as == way
