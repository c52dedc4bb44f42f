"""What of a growing text is shown when; each text comes character by character."""

from __future__ import annotations

from typing import Final

import pytest

from toolmend.toolkit import PartialCall, TextDelta, TextRestart, ToolRegistry, replay
from toolmend.toolkit.extract.marker import Example
from toolmend.toolkit.extract.markers import MARKERS
from toolmend.toolkit.extract.unmarked import HARMONY, UNMARKED

ADD = ToolRegistry()
ADD.add_schema("add", "", {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]})
CALL = '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>'

EXAMPLES: Final = (
    *(example for marker in MARKERS for example in marker.examples),
    *(example for form in UNMARKED for example in form.examples),
    *HARMONY,
)


def shown(text: str, *, reasoning_first: bool = False) -> str:
    """What is shown of a text that is not yet whole."""
    stream = ADD.stream(reasoning_first=reasoning_first)
    return replay([event for char in text for event in stream.feed(char)])


def restarts(text: str) -> list[str]:
    """What is to be shown anew, while the text grows and at its end."""
    stream = ADD.stream()
    return [event.text for event in stream.events(text) if isinstance(event, TextRestart)]


@pytest.mark.parametrize(
    "text",
    [
        "The sum of a and b.",
        "It is so if x < y and y > z.",
        "# Title\n\n- one\n- two\n\n1. three",
        "**Note:** see below",
        "The thinker said: yes",
        "a[0] is b[1], I'd say",
        "> quoted <tool_call> and more",
        "Mail <b>bold</b> words",
        "def f(x): and so on",
        "Run make(all) now",
        "\n\nSo it is",
    ],
)
def test_prose_is_shown_at_once(text: str) -> None:
    """Up to blanks at its end, though it looks a little like something else here and there."""
    assert shown(text) == text.strip()


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("one <", "<"),
        ("one <tool", "<tool"),
        ("one <function", "<function"),
        ("one [TOOL", "[TOOL"),
        ("one func", "func"),
        ("one\nAct", "Act"),
        ("one\nadd", "add"),
        ("one\nx = add", "x = add"),
        ("one ✿FUNC", "✿FUNC"),
        ("one ◁thi", "◁thi"),
        ("one <|im_st", "<|im_st"),
        ("one ]<]mini", "]<]mini"),
        ("one `code", "`code"),
        ("one\n```", "```"),
        ('one\n{"name": "add", ', '{"name": "add", '),
        ("one\n(see", "(see"),
    ],
)
def test_what_may_begin_something_is_held_back(text: str, held: str) -> None:
    """And nothing before it."""
    assert shown(text) == text.removesuffix(held).strip()


@pytest.mark.parametrize(
    "text",
    [
        "one <toolbox> two",
        "one <function is two, three",
        "one [TODO] two",
        "one functional two",
        "one\nActs are two",
        "one\nadd it, two",
        "one\nx = y, two",
        "one ✿ two",
        "one `code` two",
        "one ` two ` three",
        "one\n(see below)\ntwo three",
        "one\n[1] link\ntwo three",
        '{"a": [1,\n2]}\ntwo three',
        '"Yes," he said.\ntwo three',
        "Tool: none of them\ntwo three\nfour five",
        "one <pre>two <tool_call></pre> three",
        "one <!-- <think> --> three",
        "one\n```python\nprint(1)\n```\ntwo three",
        "one\n```json\n{}\n```\ntwo three",
        "one\n~~~\nfour\n~~~\ntwo three",
        "one ```two``` three, four",
        "one\n```\n" + CALL + "\n```\ntwo three",
        "one <|im_end|> two",
    ],
)
def test_what_turns_out_to_be_prose_is_shown_then(text: str) -> None:
    """As soon as what follows shows it."""
    assert shown(text) == text


def test_a_fence_with_code_is_shown_as_it_comes() -> None:
    """Unless what it holds may be a call; then its end shows what it is."""
    assert shown("Look:\n```python\nimport os\nos.get") == "Look:\n```python\nimport os\nos.get"
    assert shown('Look:\n```json\n{"name": "add"') == "Look:"
    assert shown('Look:\n```json\n{"name": "add", "arguments": {"a": 1}}\n```\n') == "Look:"


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (f"one\n{CALL}\ntwo three", "one\ntwo three"),
        (f"one {CALL} two {CALL} three", "one\ntwo\nthree"),
        (f"{CALL}</tool_call><|im_end|>\ntwo three", "two three"),
        ("<think>one <tool_call></think>\ntwo three", "two three"),
        ("one <think>two</think> three", "one\nthree"),
        ("<response>one two</response> three", "one two\nthree"),
        ("<|channel|>analysis<|message|>one<|end|><|start|>assistant<|channel|>final<|message|>two three", "two three"),
        ("one<|im_end|>\n two three", "one\ntwo three"),
        ("<s>one two", "one two"),
    ],
)
def test_what_is_no_prose_is_taken_out(text: str, prose: str) -> None:
    """Calls, reasoning, the tags around what is said to the user, tokens; the pieces stand on lines of their own."""
    assert shown(text) == prose
    assert restarts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "add", "arguments": {"a": 1}}\nand so on\n',
        "add(a=1)\nand so on\n",
        'Action: add\nAction Input: {"a": 1}\nand so on\n',
        "<add><a>1</a></add>\nand so on\n",
        "tool: add\narguments:\n  a: 1\n",
        "<tool_call>\nadd 1\n</tool_call>\nand so on\n",
        f"'{CALL}' and so on\n",
        f"{CALL}\nObservation: 2\nand so on\n",
        f"{CALL}\n<tool_response>2</tool_response>\nand so on\n",
        "<|channel|>commentary to=functions.add<|message|>{",
        f"{CALL}}}\nand so on",
        "one <think>two three",
    ],
)
def test_what_only_the_end_shows_is_held_back_up_to_there(text: str) -> None:
    """Calls without a marker, faulty ones, quoted ones, what a model invents behind a call, open reasoning."""
    assert shown(text) in ("", "'", "one")
    assert restarts(text) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.models)
def test_nothing_of_any_format_is_shown_and_taken_back(example: Example) -> None:
    """Each example of the tables in small pieces, by itself and with prose around it: what is shown stays."""
    for before, after in (("", ""), ("So.\n", ""), ("Let me see.\n\n", "\nDone."), ("I shall: ", "\n\nSo")):
        text = before + example.text + after
        whole = ADD.parse_text(text, finish_reason="stop")
        for size in (1, 2, 3, 7):
            stream = ADD.stream()
            pieces = [text[start : start + size] for start in range(0, len(text), size)]
            events = [event for piece in pieces for event in stream.feed(piece)]
            events += stream.finish("stop")
            assert [event for event in events if isinstance(event, TextRestart)] == []
            assert replay(events) == whole.text.strip()
            assert stream.result() == whole


def test_a_word_that_may_belong_to_a_marker_is_held_back_until_it_does_not() -> None:
    """The name of a tool in front of its arguments, a role, a recipient, a first line that is a name."""
    for word, rest in (
        ("add", " it up"),
        ("functions.add:0", " is its id"),
        ("assistant", "s help"),
        ("to=add", " is said"),
        ("commentary to", " it"),
        ("function", " calls"),
        (">>>add", " it"),
    ):
        assert shown(f"We say {word}") == "We say"
        assert shown(f"We say {word}{rest}, so") == f"We say {word}{rest}, so"
    assert shown("add\n") == ""
    assert shown("add\nthe two") == "add\nthe two"
    assert shown("add the two") == "add the two"
    assert shown("So\nadd\n{") == "So\nadd"


def test_what_is_said_to_the_user_ends_with_its_tag() -> None:
    """Whatever the tag looks like, and however it is cut."""
    for opener, closer in (
        ("<response>", "</response>"),
        ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
        ("<|open|>response<|sep|>", "<|close|>response<|sep|>"),
    ):
        text = f"{opener}one <two{closer} three"
        assert shown(text) == "one <two\nthree"
        assert restarts(text) == []


def test_reasoning_that_nothing_opened_takes_back_what_was_shown() -> None:
    """Whoever knows that the template opens it says so, and sees nothing of it."""
    text = "I think so.\n</think>\nYes, so"
    stream = ADD.stream()
    events = [event for part in ("I think so.\n", "</think>\nYes, so") for event in stream.feed(part)]
    assert events == [TextDelta("I think so."), TextRestart(""), TextDelta("Yes, so")]
    assert shown(text, reasoning_first=True) == "Yes, so"
    assert shown("I think so.", reasoning_first=True) == ""


def test_an_opening_that_does_not_end_is_no_reason_to_wait_for_ever() -> None:
    """Nor is a line of blanks."""
    assert shown("one <|" + "a" * 700) == "one <|" + "a" * 700
    assert shown("one\n" + " " * 700 + "two") == "one\n" + " " * 700 + "two"


def test_a_call_that_is_being_written_is_shown_as_partial() -> None:
    """With its name and arguments so far; an event stays what it was, though the call goes on."""
    stream = ADD.stream()
    first = stream.feed('So: <tool_call>\n{"name": "add", "arg')
    second = stream.feed('uments": {"a": 12')
    [partial, delta] = first
    assert delta == TextDelta("So:")
    assert isinstance(partial, PartialCall)
    assert (partial.in_text, partial.number, partial.id, partial.name, partial.arguments) == (True, 0, None, "add", {})
    [again] = second
    assert isinstance(again, PartialCall)
    assert again.raw == '<tool_call>\n{"name": "add", "arguments": {"a": 12'
    assert partial.raw == '<tool_call>\n{"name": "add", "arg'
    [last] = [event for event in stream.feed("}}</tool_call> <tool_call>{") if isinstance(event, PartialCall)]
    assert last.number == 1
