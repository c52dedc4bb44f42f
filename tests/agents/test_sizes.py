from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.agents.sizes import MessageCounter, message_counter
from toolmend.agents.tokens import TokenCounter
from toolmend.repairs.record import JsonValue

Message = dict[str, JsonValue]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def system(text: str, **more: str) -> Message:
    return {"role": "system", "content": text, **more}


def function(name: str, properties: Message | None = None, **more: str) -> Message:
    return {"name": name, "parameters": {"type": "object", "properties": properties or {}}, **more}


# The six messages that OpenAI's cookbook counts.
JARGON = [
    system("You are a helpful, pattern-following assistant that translates corporate jargon into plain English."),
    system("New synergies will help drive top-line growth.", name="example_user"),
    system("Things working well together will increase revenue.", name="example_assistant"),
    system(
        "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        name="example_user",
    ),
    system("Let's talk later when we're less busy about how to do better.", name="example_assistant"),
    user("This late pivot means we don't have time to boil the ocean for the client deliverable."),
]
# The tool that it counts.
WEATHER = function(
    "get_current_weather",
    {
        "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
        "unit": {
            "type": "string",
            "description": "The unit of temperature to return",
            "enum": ["celsius", "fahrenheit"],
        },
    },
    description="Get the current weather in a given location",
)
WEATHER["parameters"]["required"] = ["location"]
ASKED = [
    system("You are a helpful assistant that can answer to questions about the weather."),
    user("What's the weather like in San Francisco?"),
]
FOO = {"foo": {"type": "string"}}
NESTED = {
    "foo": {
        "type": "object",
        "properties": {"bar": {"type": "string", "enum": ["a", "b", "c"]}, "baz": {"type": "boolean"}},
    }
}
RECIPE = function(
    "get_recipe",
    {
        "ingredients": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "unit", "amount"],
                "properties": {
                    "name": {"type": "string"},
                    "unit": {"enum": ["grams", "ml", "cups", "pieces", "teaspoons"], "type": "string"},
                    "amount": {"type": "number"},
                },
            },
        },
        "instructions": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Steps to prepare the recipe (no numbering)",
        },
        "time_to_cook": {"type": "number", "description": "Total time to prepare the recipe in minutes"},
    },
)
RECIPE["parameters"]["required"] = ["ingredients", "instructions", "time_to_cook"]
BING = {"description": "Do a bing bong"}
CALLED = {"role": "assistant", "content": ""}

# What the API reported for gpt-3.5-turbo, as published with hmarr/openai-chat-tokens.
REPORTED = [
    ([user("hello")], [], 8),
    ([user("hello world")], [], 9),
    ([system("hello")], [], 8),
    ([system("hello:")], [], 9),
    (
        [
            system("# Important: you're the best robot"),
            user("hello robot"),
            {"role": "assistant", "content": "hello world"},
        ],
        [],
        27,
    ),
    ([user("hello")], [function("foo")], 31),
    ([user("hello")], [function("foo", description="Do a foo")], 36),
    ([user("hello")], [function("bing_bong", FOO, **BING)], 49),
    (
        [user("hello")],
        [function("bing_bong", FOO | {"bar": {"type": "number", "description": "A number"}}, **BING)],
        57,
    ),
    ([user("hello")], [function("bing_bong", NESTED, **BING)], 68),
    ([user("hello")], [RECIPE], 106),
    ([system("Hello"), user("Hi there")], [function("do_stuff")], 35),
    ([system("Hello:"), user("Hi there")], [function("do_stuff")], 35),
    ([system("Hello:"), system("Hello"), user("Hi there")], [function("do_stuff")], 40),
    ([user("hello world"), {"role": "function", "name": "do_stuff", "content": "{}"}], [], 15),
    (
        [user("hello world"), {"role": "function", "name": "do_stuff", "content": '{"foo": "bar", "baz": 1.5}'}],
        [],
        28,
    ),
    ([{"role": "function", "name": "dance_the_tango", "content": '{"a": { "b" : { "c": false}}}'}], [], 24),
    ([CALLED | {"function_call": {"name": "do_stuff", "arguments": '{"foo": "bar", "baz": 1.5}'}}], [], 26),
    ([CALLED | {"function_call": {"name": "do_stuff", "arguments": '{"foo":"bar", "baz":\n\n 1.5}'}}], [], 25),
]


@pytest.mark.parametrize(("model", "tokens"), [("gpt-4", 129), ("gpt-4o", 124)])
def test_messages_count_as_published(model: str, tokens: int) -> None:
    """The cookbook's figures are those that the API reported."""
    assert message_counter(model).request(JARGON) == tokens


@pytest.mark.parametrize(("model", "tokens"), [("gpt-4", 105), ("gpt-4o", 101)])
@pytest.mark.parametrize("shape", ["tools", "functions"])
def test_tools_count_as_published(model: str, tokens: int, shape: str) -> None:
    """In either shape they are the same to the model."""
    tool = {"type": "function", "function": WEATHER} if shape == "tools" else WEATHER
    assert message_counter(model).request(ASKED, [tool]) == tokens


@pytest.mark.parametrize(("messages", "functions", "tokens"), REPORTED)
def test_requests_count_as_the_api_reported(messages: list[Message], functions: list[Message], tokens: int) -> None:
    """Functions, their results and calls of them included."""
    assert message_counter("gpt-3.5-turbo").request(messages, functions) == tokens


def test_a_call_costs_its_name_arguments_and_id(letters: TokenCounter) -> None:
    """And six for what stands around it; the result costs the id once more."""
    counter = MessageCounter(letters)
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q": 1}'}}
    made = {"role": "assistant", "content": None, "tool_calls": [call]}
    assert counter.message(made) == 3 + len("assistant") + 6 + len("look") + len('{"q": 1}') + len("c1")
    assert counter.message({"role": "tool", "tool_call_id": "c1", "content": "ok"}) == 3 + len("tool") + 2 + 2


def test_what_no_rule_speaks_of_is_counted_as_text(letters: TokenCounter) -> None:
    """Reasoning that is sent back, and parts of unknown kinds, are never free."""
    counter = MessageCounter(letters)
    plain = {"role": "assistant", "content": ""}
    assert counter.message(plain | {"reasoning_content": "so"}) == counter.message(plain) + 2
    assert counter.message(plain | {"audio": {"id": "a1"}}) == counter.message(plain) + len('{"id": "a1"}')
    assert counter.content([{"type": "new", "x": 1}]) == len('{"type": "new", "x": 1}')


def test_parts_cost_their_texts_and_a_rule_for_the_rest(letters: TokenCounter) -> None:
    """Data is never tokenised, however long."""
    counter = MessageCounter(letters)
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 3_000_000, "detail": "low"}}
    assert counter.content([{"type": "text", "text": "look:"}, image]) == 5 + 85
    assert counter.content([{"type": "refusal", "refusal": "no"}]) == 2
    assert counter.content([{"type": "input_audio", "input_audio": {"data": "A" * 4_000, "format": "wav"}}]) == 30
    assert counter.content([{"type": "file", "file": {"file_data": "A" * 4_000}}]) == 750
    assert counter.content([{"type": "image_url", "image_url": "https://x.test/a.png"}]) == 1445


MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "system", "tool", "function"]), "content": st.text(max_size=9)},
    optional={"name": st.text(max_size=5), "tool_call_id": st.text(max_size=5)},
)


@pytest.mark.parametrize("tools", [[], [WEATHER]], ids=["without tools", "with tools"])
@given(messages=st.lists(MESSAGES, min_size=1, max_size=6))
def test_adding_a_message_never_lowers_the_count(tools: list[Message], messages: list[Message]) -> None:
    """The first system message makes tools cheaper, and costs at least as much itself."""
    counter = message_counter("gpt-4o")
    counts = [counter.request(messages[:end], tools) for end in range(len(messages) + 1)]
    assert counts == sorted(counts)


class Counted:
    """Tells how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def count(self, text: str, /) -> int:
        self.asked.append(text)
        return len(text)

    def head(self, text: str, tokens: int, /) -> str:
        return text[:tokens]


def test_a_foreign_counter_is_asked_once_for_each_text() -> None:
    """It may be a slow one, behind a network even."""
    tokens = Counted()
    counter = MessageCounter(tokens)
    for _ in range(3):
        counter.request([user("hello"), user("hello")], [WEATHER])
    assert len(tokens.asked) == len(set(tokens.asked))
