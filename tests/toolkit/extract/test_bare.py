"""Messages that begin with the name of a tool."""

from __future__ import annotations

from typing import Any

import pytest

from toolmend.toolkit import ToolRegistry

TOOLS = ToolRegistry()
TOOLS.add_schema(
    "fill",
    "",
    {
        "type": "object",
        "properties": {"selector": {"type": "string"}, "count": {"type": "integer"}},
        "additionalProperties": False,
    },
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('fill\n{"selector": "#go", "count": 2}', {"selector": "#go", "count": 2}),
        ('\n fill \n\n{"selector": "#go"}\n', {"selector": "#go"}),
        ("fill selector=#go count=2", {"selector": "#go", "count": 2}),
        ('fill selector="a b" count=2\n', {"selector": "a b", "count": 2}),
        ("fill selector='a, b', count=2", {"selector": "a, b", "count": 2}),
        ("fill count=2, selector=01", {"selector": "01", "count": 2}),
    ],
)
def test_the_name_and_its_arguments_are_a_call(text: str, expected: dict[str, Any]) -> None:
    """JSON on the next line, or pairs on the same one; the schema gives bare values their types."""
    [call] = TOOLS.parse_text(text, finish_reason="stop").calls
    assert (call.arguments, call.format) == (expected, "bare")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("fill selector=#go", "cut_off"),
        ('fill selector="#g', "cut_off"),
        ('fill selector="#go"', "cut_off"),
        ('fill\n{"selector": "#g', "cut_off"),
        ('fill selector="a" selector="b"', "not_json"),
        ('fill\n{"colour": "red"}', "invalid_arguments"),
    ],
)
def test_what_does_not_fit_or_may_go_on_is_an_error(text: str, kind: str) -> None:
    """The name of the tool shows what was meant."""
    result = TOOLS.parse_text(text)
    assert result.calls == ()
    assert [error.kind for error in result.errors] == [kind]


def test_pairs_have_an_end_if_all_are_there_or_the_model_stopped() -> None:
    """Nothing closes them; what does not fit is told then."""
    [call] = TOOLS.parse_text('fill count=2, selector="#go"').calls
    assert call.arguments == {"selector": "#go", "count": 2}
    [error] = TOOLS.parse_text('fill colour="red"', finish_reason="stop").errors
    assert error.kind == "invalid_arguments"


@pytest.mark.parametrize(
    "text",
    [
        'So: fill\n{"selector": "#go"}',
        'fill\n{"selector": "#go"}\nThat is the call.',
        "fill selector=#go and more",
        "fill in the form",
        "fill a=b is how a shell would say it.",
        "Use\nfill selector=#go",
        'Fill\n{"selector": "#go"}',
        'other\n{"selector": "#go"}',
        "other selector=#go",
    ],
)
def test_anything_around_it_makes_it_prose(text: str) -> None:
    """So does a name that is not exactly that of a tool."""
    result = TOOLS.parse_text(text, finish_reason="stop")
    assert (result.items, result.text) == ((), text)


def test_another_recipient_may_follow() -> None:
    """Where the first mark of a recipient stood in the prompt."""
    text = 'fill\n{"selector": "a"}>>>fill\n{"selector": "b"}'
    assert [call.arguments["selector"] for call in TOOLS.parse_text(text).calls] == ["a", "b"]
