"""What single families write: tokens that were lost, marks of types, and parameters that were not closed."""

from __future__ import annotations

from typing import Any, Final

import pytest

from toolmend.toolkit import ToolRegistry

TOOLS: Final = ToolRegistry()
TOOLS.add_schema(
    "fill",
    "",
    {
        "type": "object",
        "properties": {
            "selector": {"type": "string"},
            "count": {"type": "integer"},
            "either": {"type": ["integer", "string", "null"]},
            "options": {"type": "object"},
        },
        "additionalProperties": False,
    },
)


def arguments(text: str) -> list[dict[str, Any]]:
    result = TOOLS.parse_text(text)
    assert result.errors == ()
    assert result.text == ""
    return [call.arguments for call in result.calls]


@pytest.mark.parametrize("bars", ["｜", "|", "||", "｜｜", "‖"])
@pytest.mark.parametrize("gap", ["▁", "_", " "])
def test_tokens_come_with_any_bars_and_gaps(bars: str, gap: str) -> None:
    """They are the same tokens, and what stands in strings is not touched."""
    opener, separator, closer = (
        f"<{bars}tool{gap}{word.replace('_', gap)}{bars}>" for word in ("call_begin", "sep", "call_end")
    )
    value = f"a {opener} b ▁｜"
    text = f'{opener}fill{separator}{{"selector": "{value}"}}{closer}'
    assert arguments(text) == [{"selector": value}]


@pytest.mark.parametrize(
    "text",
    [
        'functions.fill:0{"count": 1}functions.fill:1{"count": 2}',
        'functions.fill:0 {"count": 1}\nfunctions.fill:1 {"count": 2}',
        'assistantcommentary to=functions.fill json{"count": 1}assistantcommentary to=functions.fill json{"count": 2}',
        'commentary to=fill code{"count": 1}\ncommentary to=functions.fill{"count": 2}',
        'fill<|tool_sep|>{"count": 1}<|tool_call_end|>fill<|tool_sep|>{"count": 2}',
        'function<|tool_sep|>fill\n```json\n{"count": 1}\n```\nfunction<|tool_sep|>fill\n```\n{"count": 2}\n```',
        '>>>all\n>>>fill\n{"count": 1}>>>fill\n{"count": 2}',
        'functools [{"name": "fill", "arguments": {"count": 1}}, {"name": "fill", "arguments": {"count": 2}}]',
        '<|tool_call|>{"name": "fill", "arguments": {"count": 1}}\n<|tool_call|>{"name": "fill", "args": {"count": 2}}',
        (
            '<｜DSML｜anything><｜DSML｜invoke name="fill">{"count": 1}</｜DSML｜invoke><｜DSML｜invoke name="fill">'
            '<｜DSML｜parameter name="count" string="false">2</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜anything>'
        ),
    ],
)
def test_several_calls_whose_tokens_were_lost(text: str) -> None:
    """What is left of the markers is enough."""
    assert arguments(text) == [{"count": 1}, {"count": 2}]


@pytest.mark.parametrize(
    "text",
    [
        'We write functions.other:0 and commentary to="x" here.',
        ">>>other\n{}",
        '>>> fill\n{"count": 1}',
        "functions.fill:0 is the first call.",
        'It is "functions.fill:0{}" in the log.',
        "The word function call< is none.",
    ],
)
def test_what_only_resembles_a_lost_token_is_prose(text: str) -> None:
    """No name and no body, or a name that nobody registered behind the form alone."""
    result = TOOLS.parse_text(text)
    assert (result.items, result.text) == ((), text)


def test_a_name_that_nobody_registered_behind_a_lost_token_is_an_error() -> None:
    """What is left of the token shows that a call was meant."""
    for text in ('functions.other:0{"a": 1}', 'commentary to=functions.other json{"a": 1}', "other<｜tool▁sep｜>{}"):
        [error] = TOOLS.parse_text(text).errors
        assert error.kind == "unknown_tool"


DSML: Final = (
    '<｜DSML｜invoke name="fill"><｜DSML｜parameter name="{}" string="{}">{}</｜DSML｜parameter></｜DSML｜invoke>'
)
XTML: Final = (
    '<|open|>call tool="fill" index="1"<|sep|><|open|>argument key="{}" type="{}"<|sep|>{}<|close|>argument<|sep|>'
    "<|close|>call<|sep|>"
)


@pytest.mark.parametrize("form", [DSML, XTML])
@pytest.mark.parametrize(
    ("key", "text", "as_json", "as_text"),
    [
        ("either", "1", 1, "1"),
        ("either", "null", None, None),
        ("either", "x", "x", "x"),
        ("count", "1", 1, 1),
        ("selector", "1", "1", "1"),
        ("selector", '"a"', "a", '"a"'),
        ("selector", "null", "null", "null"),
        ("options", '{"k": 1}', {"k": 1}, {"k": 1}),
    ],
)
def test_the_mark_of_a_type_decides_where_the_schema_leaves_it_open(
    form: str, key: str, text: str, as_json: object, as_text: object
) -> None:
    """A wrong mark is overruled by the schema."""
    marks = ("false", "true") if form is DSML else ("number", "string")
    for mark, expected in zip(marks, (as_json, as_text), strict=True):
        assert arguments(form.format(key, mark, text)) == [{key: expected}]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<parameter=count>\n2\n<parameter=selector>\na\n</parameter>\n", {"count": 2, "selector": "a"}),
        ("<parameter=count>2<parameter=selector>a</parameter>", {"count": 2, "selector": "a"}),
    ],
)
def test_a_number_that_was_not_closed_ends_in_front_of_the_next_parameter(body: str, expected: dict[str, Any]) -> None:
    """It cannot hold a tag."""
    assert arguments(f"<function=fill>{body}</function>") == [expected]


def test_a_text_that_was_not_closed_is_an_error() -> None:
    """It may hold the tag of another parameter."""
    text = "<function=fill><parameter=selector>a<parameter=count>2</parameter></function>"
    [error] = TOOLS.parse_text(text).errors
    assert error.kind == "ambiguous"


def test_the_rest_of_a_call_that_cannot_be_read_is_passed_over() -> None:
    """Nothing in it is read as if it stood by itself, and the call behind it is."""
    twice = "<parameter=count>1</parameter>\n<parameter=count>2</parameter>\n"
    torn = f'<function=fill>\n{twice}<parameter=selector>a </think> {{"name": "fill"}}</parameter>\n</function>'
    good = "<function=fill><parameter=count>2</parameter></function>"
    result = TOOLS.parse_text(f"{torn}\n{good}")
    assert [error.kind for error in result.errors] == ["not_json"]
    assert [call.arguments for call in result.calls] == [{"count": 2}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Action: fill ({"count": 1})', [{"count": 1}]),
        ('Action: fill ({"count": 1})\nObservation: done', [{"count": 1}]),
        ('Action: fill ({"count": 1}', []),
        ('Action: other ({"count": 1})', []),
    ],
)
def test_an_action_may_have_its_input_in_parentheses(text: str, expected: list[dict[str, Any]]) -> None:
    """On the same line, if they are closed and the tool is registered."""
    assert [call.arguments for call in TOOLS.parse_text(text).calls] == expected


def test_a_tag_may_hold_the_name_of_the_tool() -> None:
    """In front of the parameters."""
    text = "<tool>\n<request>fill</request>\n<count>2</count>\n</tool>"
    assert arguments(text) == [{"count": 2}]
    assert TOOLS.parse_text(text.replace("fill", "other")).items == ()
