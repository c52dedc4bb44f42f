from __future__ import annotations

from typing import Any, Final

import pytest

from toolmend.toolkit import ToolRegistry

RUN: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "max_lines": {"type": "integer"}},
    "required": ["code"],
    "additionalProperties": False,
}
TOOLS: Final = ToolRegistry()
TOOLS.add_schema("run", "", RUN)
CALL: Final = '{"name": "run", "arguments": {"code": "x"}}'


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "run", "description": "Runs code."}',
        '{"name": "run", "code": "x", "max_linse": 3}',
        '{"name": "run", "data": {"code": "x"}}',
        '{"tool": "run", "note": "it was used twice"}',
    ],
)
def test_data_about_a_tool_is_no_call_of_it(text: str) -> None:
    """Fields beside the name of a tool are not given to its parameters unless they are named like them."""
    result = TOOLS.parse_text(text)
    assert (result.calls, [error.kind for error in result.errors]) == ((), ["invalid_arguments"])


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "run", "code": "x"}',
        '{"name": "run", "Code": "x"}',
        '{"name": "Run", "code": "x",}',
        '{"name": "run", "arguments": {"source": "x"}}',
        '<tool_call>{"name": "run", "source": "x"}</tool_call>',
        'run(source="x")',
    ],
)
def test_a_call_may_be_mended_where_a_call_was_meant(text: str) -> None:
    """Spelling is looked through everywhere, and an envelope, a marker or call syntax show that a call was meant."""
    assert [call.arguments for call in TOOLS.parse_text(text).calls] == [{"code": "x"}]


def test_the_form_that_was_asked_for_is_no_data() -> None:
    """Where the instructions asked for JSON, the fields beside the name are meant as arguments."""
    text = '{"name": "run", "source": "x"}'
    assert [call.arguments for call in TOOLS.parse_text(text, dialect="json").calls] == [{"code": "x"}]


@pytest.mark.parametrize(
    ("opener", "closer"),
    [("<!--", "-->")]
    + [(f"<{tag}>", f"</{tag}>") for tag in ("example", "examples", "sample", "quote", "blockquote", "pre", "code")]
    + [(f"<{tag}>", f"</{tag}>") for tag in ("document", "documents", "context", "user_input")],
)
def test_what_is_shown_is_not_called(opener: str, closer: str) -> None:
    """A call in a comment, or in a tag for examples, quotations or given text, is prose; one behind it is not."""
    for call in (CALL, f"<tool_call>{CALL}</tool_call>", "run(code='x')"):
        text = f"See:\n{opener}\n{call}\n{closer}"
        result = TOOLS.parse_text(text)
        assert (result.items, result.text) == ((), text)
        assert len(TOOLS.parse_text(f"{text}\n<tool_call>{CALL}</tool_call>").calls) == 1


def test_a_tag_for_examples_that_is_never_closed_shows_nothing() -> None:
    """What stands behind it is read as if it were not there."""
    assert len(TOOLS.parse_text(f"<example>\n{CALL}").calls) == 1


def test_a_tool_may_be_named_like_a_tag_for_examples() -> None:
    """The tag of a registered tool is a call of it."""
    registry = ToolRegistry()
    registry.add_schema("code", "", RUN)
    [call] = registry.parse_text("<code>\n<code>x</code>\n</code>").calls
    assert call.arguments == {"code": "x"}


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("json", '{"name": "run", "arguments": {"code": "x"}}'),
        ("hermes", '{"name": "run", "arguments": {"code": "x"}}'),
        ("pythonic", "[run(code='x')]"),
    ],
)
def test_the_form_that_was_asked_for_ends_reasoning_that_was_not_closed(dialect: str, text: str) -> None:
    """As a marker does; in any other conversation it is a draft, and so is one behind which the reasoning goes on."""
    thought = f"<think>\nI run it.\n{text}"
    assert [call.arguments for call in TOOLS.parse_text(thought, dialect=dialect).calls] == [{"code": "x"}]
    assert TOOLS.parse_text(thought).items == ()
    assert TOOLS.parse_text(thought, dialect="xml").items == ()
    assert TOOLS.parse_text(f"{thought}\nOr not?", dialect=dialect).items == ()


@pytest.mark.parametrize("dialect", ["json", "hermes", None])
@pytest.mark.parametrize("text", ['{"request": "other", "code": "x"}', '{"name": "other", "code": "x"}'])
def test_an_unknown_name_is_an_error_in_the_form_that_was_asked_for(dialect: str | None, text: str) -> None:
    """And data where nothing was asked for."""
    errors = [error.kind for error in TOOLS.parse_text(text, dialect=dialect).errors]
    assert errors == (["unknown_tool"] if dialect else [])


def test_what_names_nobody_is_data_even_where_calls_are_asked_for() -> None:
    """An answer may be an object, too."""
    for dialect in ("json", "hermes", "pythonic", "xml", "invoke"):
        assert TOOLS.parse_text('{"code": "x"}', dialect=dialect).items == ()
