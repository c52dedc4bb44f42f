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
