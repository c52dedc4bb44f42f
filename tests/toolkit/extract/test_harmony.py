from __future__ import annotations

import pytest

from toolmend.toolkit import ToolRegistry
from toolmend.toolkit.extract.harmony import read_message

TOOLS = ToolRegistry()
TOOLS.add_schema("look", "", {"type": "object", "properties": {"p": {"type": "string"}}})
THOUGHT = "<|channel|>analysis<|message|>Hm.<|end|>"
FINAL = "<|start|>assistant<|channel|>final<|message|>Done.<|return|>"
CALL = '<|start|>assistant<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"p": "x"}<|call|>'


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        (THOUGHT + FINAL, "Done."),
        (FINAL, "Done."),
        (THOUGHT + "<|start|>assistant<|channel|>commentary<|message|>I look.<|end|>" + CALL, "I look."),
        (THOUGHT + CALL, ""),
        (THOUGHT, ""),
        (THOUGHT + "\n" + FINAL + "\n", "Done."),
    ],
)
def test_only_what_is_said_to_the_user_is_text(text: str, prose: str) -> None:
    """Neither the model's words to itself nor the tokens around a message are."""
    result = TOOLS.parse_text(text)
    assert (result.text, result.errors) == (prose, ())
    assert [call.arguments for call in result.calls] == ([{"p": "x"}] if CALL in text else [])


def test_a_header_tells_the_recipient_and_where_the_body_begins() -> None:
    """Both are read from the tokens, in any order."""
    message = read_message(CALL, 0)
    assert message is not None
    assert (message.recipient, message.channel) == ("functions.look", "commentary")
    assert CALL[message.body : message.end(CALL)] == '{"p": "x"}'


def test_a_header_with_which_the_text_ends_has_no_body() -> None:
    """It counts if it names a recipient."""
    message = read_message("<|channel|>commentary to=functions.look", 0)
    assert message is not None
    assert (message.recipient, message.body) == ("functions.look", len("<|channel|>commentary to=functions.look"))
    assert read_message("<|channel|>commentary", 0) is None
    assert read_message("<|channel|>is a token, and to=x is none\nof it", 0) is None


@pytest.mark.parametrize(
    "text",
    [
        'to=functions.look<|channel|>commentary json<|message|>{"p": "x"}<|call|>',
        '<|start|>assistant to=functions.look<|channel|>commentary <|constrain|>json<|message|>{"p": "x"}<|call|>',
        '<|channel|>commentary to=functions.look <|constrain|>json{"p": "x"}<|call|>',
        '<|channel|>commentary to=functions.look {"p": "x"}',
        'to=look<|message|>{"p": "x"}<|eom|>',
    ],
)
def test_a_header_may_have_lost_its_beginning_or_its_end(text: str) -> None:
    """The beginning may have been in the prompt, and the body begins with its brace."""
    for prefix in ("", THOUGHT, "to=self<|message|>Hm.<|eom|><|start|>assistant "):
        result = TOOLS.parse_text(prefix + text)
        assert result.errors == ()
        assert [call.arguments for call in result.calls] == [{"p": "x"}]
        assert result.text.removeprefix("<|start|>assistant") == ""


def test_a_header_without_a_body_does_not_reach_into_the_next_message() -> None:
    """Each call keeps its own arguments."""
    first = '<|channel|>commentary to=functions.look <|constrain|>json{"p": "a"}<|call|>'
    result = TOOLS.parse_text(first + CALL)
    assert [call.arguments for call in result.calls] == [{"p": "a"}, {"p": "x"}]


def test_what_the_model_says_to_itself_or_to_the_user_is_no_call() -> None:
    """Whatever it looks like."""
    result = TOOLS.parse_text('to=self<|message|>{"name": "look", "arguments": {}}<|eom|>' + FINAL)
    assert (result.items, result.text) == ((), "Done.")
    result = TOOLS.parse_text('to=user<|message|>{"name": "look", "arguments": {}}<|eom|>')
    assert result.items == ()
