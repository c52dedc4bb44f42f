# ruff: noqa: E501  # the texts are as long as they are
from __future__ import annotations

from typing import Any, Final, Literal

import pytest
from inline_snapshot import snapshot

from toolmend.toolkit import DIALECTS, ToolMessage, ToolRegistry, ToolUsageError, dialect_of
from toolmend.toolkit.dialects import dialect_named
from toolmend.toolkit.extract.marker import SECTION
from toolmend.toolkit.extract.markers import MARKERS
from toolmend.toolkit.extract.unmarked import UNMARKED
from toolmend.toolkit.feedback import insistence


class Go(
    ToolMessage,
    name="go_to",
    examples=[
        ("To Rome.", {"city": "Rome", "kind": "fast"}),
        ("Home </parameter>.", {"city": "</parameter>", "kind": "slow"}),
    ],
):
    """Travel."""

    city: str
    kind: Literal["fast", "slow"]
    nights: int = 1


REGISTRY: Final = ToolRegistry([Go])

BROKEN: Final = {
    "json": '{"name": "go_to", "arguments": {"city": "Rome", "kind": "quick"}}',
    "hermes": '<tool_call>{"name": "go_to", "arguments": {"city": "Rome", "kind": "quick"}}</tool_call>',
    "pythonic": "[go_to(city='Rome', kind='quick')]",
    "xml": "<function=go_to><parameter=city>Rome</parameter><parameter=kind>quick</parameter></function>",
    "invoke": '<invoke name="go_to"><parameter name="city">Rome</parameter><parameter name="kind">quick</parameter></invoke>',
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_instructions_hold_what_is_asked_for(dialect: str) -> None:
    """The sentences that ask, the form to fill in, and a right call, each in the dialect."""
    text = REGISTRY.instructions(dialect)
    assert text.startswith(DIALECTS[dialect].head)
    assert REGISTRY.example_turns(dialect)[1]["content"] in text
    assert "go_to" in text
    assert "Travel." in text


def test_the_instructions_of_two_dialects_word_for_word() -> None:
    """Small models depend on each word."""
    assert REGISTRY.instructions("xml") == snapshot("""\
You can call these tools. To call one, answer with these tags and nothing else, one <parameter> for each parameter:
<function=name_of_tool>
<parameter=name_of_parameter>
value
</parameter>
</function>
If no tool is needed, answer in plain words.

Tool go_to: Travel.
<function=go_to>
<parameter=city>
<string>
</parameter>
<parameter=kind>
<fast|slow>
</parameter>
<parameter=nights>
<integer>
</parameter>
</function>
- city (string)
- kind (one of "fast", "slow")
- nights (integer, may be left out, default 1)
Example:
<function=go_to>
<parameter=city>
Rome
</parameter>
<parameter=kind>
fast
</parameter>
</function>\
""")
    assert REGISTRY.instructions("pythonic") == snapshot("""\
You can call these tools. To call one, answer with a list with one call in Python syntax and nothing else:
[name_of_tool(name_of_parameter=value)]
If no tool is needed, answer in plain words.

Tool go_to: Travel.
[go_to(city="<string>", kind="<fast|slow>", nights=<integer>)]
- city (string)
- kind (one of "fast", "slow")
- nights (integer, may be left out, default 1)
Example: [go_to(city="Rome", kind="fast")]\
""")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_examples_are_read_back(dialect: str) -> None:
    """Without a repair, asked for or not, and in the format of the dialect."""
    turns = REGISTRY.example_turns(dialect)
    assert [turn["content"] for turn in turns[::2]] == ["To Rome.", "Home </parameter>."]
    for turn, example in zip(turns[1::2], REGISTRY["go_to"].examples, strict=True):
        for asked in (None, dialect):
            [call] = REGISTRY.parse_text(turn["content"], dialect=asked).calls
            assert (call.arguments, call.repairs) == (example.arguments, ())
            assert dialect_of(call.format) == dialect


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_faulty_call_is_answered_in_its_own_form(dialect: str) -> None:
    """What is to be sent again is shown as the model wrote it, and an example that fits, too."""
    [error] = REGISTRY.parse_text(BROKEN[dialect]).errors
    form = DIALECTS[dialect].form("go_to", {"city": '"<string>"', "kind": '"<fast|slow>"'})
    behind = "\n" if "\n" in form else " "
    assert error.message.endswith(f"Send the call again in this form:{behind}{form}")
    told = insistence(REGISTRY["go_to"], error.format)
    assert REGISTRY.example_turns(dialect)[1]["content"] in told


def test_an_error_in_tags_word_for_word() -> None:
    """The form is on lines of its own, and strings in it have no quotes."""
    [error] = REGISTRY.parse_text(BROKEN["xml"]).errors
    assert error.message == snapshot("""\
The call of 'go_to' was not run: its arguments do not fit.
- at /kind: "quick" is not one of "fast", "slow"
Send the call again in this form:
<function=go_to>
<parameter=city>
<string>
</parameter>
<parameter=kind>
<fast|slow>
</parameter>
</function>\
""")


def test_a_call_that_cannot_be_read_word_for_word() -> None:
    """Nothing is said of JSON where it is none, and the whole call is shown where it was cut off."""
    [error] = REGISTRY.parse_text("[go_to(city=place, kind='fast')]").errors
    assert error.message == snapshot("""\
The call of 'go_to' was not run: it cannot be read.
- 'place' is no literal value at line 1, column 13, near 'o_to(city=place, kin'; expected a literal value
Send the call again in this form: [go_to(city="<string>", kind="<fast|slow>")]\
""")
    [error] = REGISTRY.parse_text(
        '<tool_call>\n{"name": "go_to", "arguments": {"city": "Ro', finish_reason="length"
    ).errors
    assert error.message.endswith("""\
Send the whole call again; if it is long, send less in one call. It has this form:
<tool_call>
{"name": "go_to", "arguments": {"city": "<string>", "kind": "<fast|slow>"}}
</tool_call>\
""")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('<tool_call>{"arguments": {}}</tool_call>', DIALECTS["hermes"].empty),
        ('<|tool_call|>[{"arguments": {}}]', DIALECTS["json"].empty),
    ],
)
def test_a_call_without_a_name_is_answered_with_an_empty_one(text: str, form: str) -> None:
    """In the form in which it came; JSON where that is not written."""
    [error] = REGISTRY.parse_text(text).errors
    assert error.kind == "no_tool_name"
    assert error.message.endswith(form)


def test_other_formats_are_answered_with_arguments_alone() -> None:
    """What stands around them is the model's own, and not written here."""
    text = '[TOOL_CALLS]go_to[ARGS]{"city": "Rome", "kind": "quick"}'
    [error] = REGISTRY.parse_text(text).errors
    assert error.message.endswith('arguments of this form: {"city": "<string>", "kind": "<fast|slow>"}')


def test_a_mended_call_is_written_again_as_the_model_wrote_it() -> None:
    """So that a history shows the right call in the form that the conversation has."""
    [call] = REGISTRY.parse_text("[go_to(city='Rome', kind='FAST')]").calls
    assert call.repairs
    assert REGISTRY.render(call, dialect_of(call.format) or "json") == '[go_to(city="Rome", kind="fast")]'
    assert REGISTRY.render([call, call]).count("\n") == 1
    assert REGISTRY.render([]) == ""


def test_a_call_of_a_tool_that_is_gone_is_written_all_the_same() -> None:
    """Its schema is not known any more, so that only strings are plain."""
    [call] = REGISTRY.parse_text("go_to(city='Rome', kind='slow', nights=2)").calls
    assert ToolRegistry().render(call, "xml") == snapshot("""\
<function=go_to>
{"city": "Rome", "kind": "slow", "nights": 2}
</function>\
""")


def test_each_dialect_is_told_by_formats_that_there_are() -> None:
    """A format belongs to one dialect at most; calls through an API belong to none."""
    names = {marker.format for marker in MARKERS} | {form.format for form in UNMARKED}
    formats = [name for dialect in DIALECTS.values() for name in dialect.formats]
    assert set(formats) <= names - {SECTION}
    assert len(set(formats)) == len(formats)
    assert {name for dialect in DIALECTS.values() for name in dialect.markers} <= {form.format for form in UNMARKED}
    assert dialect_of("api") is None
    assert dialect_of("kimi") is None


@pytest.mark.parametrize("dialect", ["yaml", "", None])
def test_an_unknown_dialect_is_the_callers_mistake(dialect: Any) -> None:  # noqa: ANN401
    """The known ones are listed."""
    with pytest.raises(ToolUsageError, match=r"there are: hermes, invoke, json, pythonic, xml"):
        dialect_named(dialect)
    with pytest.raises(ToolUsageError):
        REGISTRY.render([], dialect)


@pytest.mark.parametrize("given", ["text", [{"name": "add"}]])
def test_what_is_no_call_is_not_written(given: Any) -> None:  # noqa: ANN401
    """The caller's mistake is named, in place of an error from within."""
    with pytest.raises(ToolUsageError, match="render takes a ToolCall, or several, got"):
        ToolRegistry().render(given)
