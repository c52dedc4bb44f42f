"""Where calls may stand in a message, and where it ends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolmend.toolkit import ToolRegistry

FILL: dict[str, Any] = {
    "type": "object",
    "properties": {"selector": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["selector"],
}
A = '{"name": "fill", "arguments": {"selector": "a"}}'
B = '{"name": "fill", "arguments": {"selector": "b"}}'


@pytest.fixture(scope="module")
def registry() -> ToolRegistry:
    """`fill`, and a tool that takes nothing."""
    made = ToolRegistry()
    made.add_schema("fill", "", FILL)
    made.add_schema("ping", "", {"type": "object", "properties": {}})
    return made


def fenced(text: str) -> str:
    """A fence around a text."""
    return f"```json\n{text}\n```"


def filled(registry: ToolRegistry, text: str) -> list[object]:
    """The selectors that are filled; no error is allowed."""
    result = registry.parse_text(text)
    assert not result.errors
    return [call.arguments.get("selector", call.name) for call in result.calls]


class TestFences:
    """Several fences in one message."""

    @pytest.mark.parametrize(
        "between", ["2. Then b:", "**Fill b**", "## Fill b", "Next, the second one:\n", "**Second:**"]
    )
    def test_a_heading_leads_to_the_next_call(self, registry: ToolRegistry, between: str) -> None:
        """One line that introduces the next fence is no prose that follows the one before."""
        text = f"1. First a:\n\n{fenced(A)}\n\n{between}\n{fenced(B)}"
        assert filled(registry, text) == ["a", "b"]

    @pytest.mark.parametrize(
        "between", ["This fills a.", "This fills a.\n\nThen b:", "See: it fills a.\nNow:", "x" * 400 + ":"]
    )
    def test_prose_behind_a_fence_still_counts(self, registry: ToolRegistry, between: str) -> None:
        """What is explained was shown, and only the fence at the end of the message is a call."""
        assert filled(registry, f"{fenced(A)}\n\n{between}\n\n{fenced(B)}") == ["b"]

    def test_prose_at_the_end_leaves_none(self, registry: ToolRegistry) -> None:
        """Then all of them were shown."""
        assert filled(registry, f"First:\n{fenced(A)}\nThen:\n{fenced(B)}\nThat is how it works.") == []

    def test_a_fence_with_a_result_is_what_is_said(self, registry: ToolRegistry) -> None:
        """Data at the end of a message shows what a call in front would give: the message only explains."""
        data = fenced('{"name": "Ann", "size": 3}')
        assert filled(registry, f"Use it so:\n{fenced(A)}\n\nOutput:\n\n{data}") == []

    def test_a_fence_that_is_labelled_as_the_call_is_the_only_one(self, registry: ToolRegistry) -> None:
        """What stands in front of it under another heading are its parts."""
        assert filled(registry, f"The arguments:\n{fenced(A)}\n\nTool call:\n{fenced(B)}") == ["b"]
        assert filled(registry, f"Tool call:\n{fenced(A)}\n\nTool call:\n{fenced(B)}") == ["a", "b"]


class TestCodeMarks:
    """Back-ticks around calls."""

    @pytest.mark.parametrize("text", ["`fill('a')`", "``fill(selector='a')``", f" `{A}`\n", "`[fill(selector='a')]`"])
    def test_a_message_that_is_one_piece_of_code_is_a_call(self, registry: ToolRegistry, text: str) -> None:
        """The marks are around the message, not within a sentence, and on record."""
        assert filled(registry, text) == ["a"]
        assert registry.parse_text(text).calls[0].repairs[0].rule == "code-marks"

    @pytest.mark.parametrize(
        "text", ["`fill('a')` fills it.", "Use `fill('a')`", "`fill`", "`fill('a') and more`", "`a` `b`"]
    )
    def test_inline_code_is_none(self, registry: ToolRegistry, text: str) -> None:
        """A sentence speaks of it."""
        assert filled(registry, text) == []


class TestTurns:
    """What a model goes on to invent."""

    @pytest.mark.parametrize(
        "turn",
        [
            "### Instruction:\nNow b.\n### Response:\n",
            "## User\nb, please\n",
            "User: b\nAssistant: ",
            "**Human:** b\n\n**AI:** ",
            "[INST] b [/INST]\n",
            "<|user|>\nb\n",
            "<start_of_turn>user\nb\n",
            "So.<|endoftext|>b\n",
        ],
    )
    def test_a_turn_of_somebody_else_ends_the_message(self, registry: ToolRegistry, turn: str) -> None:
        """The first answer counts; nothing behind it is called or shown."""
        result = registry.parse_text(f"[fill(selector='a')]\n\n{turn}[fill(selector='b')]")
        assert [call.arguments["selector"] for call in result.calls] == ["a"]
        assert [repair.rule for repair in result.repairs] == ["invented-result"]
        assert result.text in ("", "So.")

    @pytest.mark.parametrize("text", ["User: Ann\nRole: admin", "## Usage\nCall it.", "The user: a b"])
    def test_lines_that_only_look_so_are_prose(self, registry: ToolRegistry, text: str) -> None:
        """A label without an answer to it tells something of the call."""
        result = registry.parse_text(f"[fill(selector='a')]\n\n{text}")
        assert result.text == text
        assert not result.repairs

    def test_in_front_of_a_call_it_is_prose(self, registry: ToolRegistry) -> None:
        """Nothing was answered yet."""
        assert filled(registry, "### Instruction: press a\nAssistant:\n[fill(selector='a')]") == ["a"]


class TestLines:
    """What stands behind a call on its line."""

    @pytest.mark.parametrize(
        "text",
        [
            "fill(selector='a') [], ping()",
            "[fill(selector='a')], ['ping', 'arguments': {}]",
            f"[{A}], ['{B}']",
            f"[{A}], [x]",
        ],
    )
    def test_calls_that_a_message_begins_with_are_no_prose(self, registry: ToolRegistry, text: str) -> None:
        """If more was meant that is none, the model is told, and nothing runs."""
        result = registry.parse_text(text)
        assert result.calls == ()
        assert [error.kind for error in result.errors] == ["not_json"]

    @pytest.mark.parametrize(
        "text", ["fill(selector='a') [1] fills it, see there.\n", "[fill('a')](https://x.y)", "fill('a') (b)"]
    )
    def test_a_sentence_that_begins_with_a_call_is_prose(self, registry: ToolRegistry, text: str) -> None:
        """A link, a bracket or a reference belongs to it."""
        assert registry.parse_text(text).items == ()


class TestPrograms:
    """Calls in programs."""

    def test_a_line_of_a_program_is_no_call(self, registry: ToolRegistry) -> None:
        """However far from it the line stands that shows what the text is."""
        rest = "".join(f"value{number} = {number}\n" for number in range(40))
        assert filled(registry, f"import os\n{rest}\nping()\n") == []
        assert filled(registry, f"ping()\n{rest}\ndef end():\n    pass\n") == []

    def test_json_far_from_a_program_is_a_call(self, registry: ToolRegistry) -> None:
        """It is no code."""
        assert filled(registry, "import os\n" + "so\n" * 40 + f"\n{A}") == ["a"]


TAGGED = f"<tool_call>{A}</tool_call>"


class TestData:
    """Calls in what is only shown."""

    @pytest.mark.parametrize(
        "text",
        [
            f"<tool_response>{TAGGED}</tool_response>",
            f"<function_results>\n{TAGGED}\n</function_results>\nThat is it.",
            f"It said <tool_output>{A}\n{TAGGED}</tool_output>.",
            f"[TOOL_RESULTS]{TAGGED}[/TOOL_RESULTS]",
            f"<Example>\n{TAGGED}\n</Example>",
            f'<example id="1">{TAGGED}</example>',
            f'<pre class="x">\n{A}\n</pre>',
            json.dumps({"text": TAGGED, "more": ["see <tool_call>", "<think>so</think>", "[TOOL_CALLS]"]}),
            f"\n{json.dumps([{'role': 'assistant', 'content': TAGGED}], indent=2)}\n",
        ],
    )
    def test_no_call_is_read_from_it(self, registry: ToolRegistry, text: str) -> None:
        """Results, examples and JSON documents are prose as they stand."""
        result = registry.parse_text(text, finish_reason="stop")
        assert result.items == ()
        assert result.text == text

    def test_an_opener_that_nothing_closes_shows_nothing(self, registry: ToolRegistry) -> None:
        """What follows counts."""
        for opener in ("<tool_response>", "<example id='1'>", "[TOOL_RESULTS]"):
            assert filled(registry, f"{opener}{TAGGED}") == ["a"]

    def test_a_tool_named_like_such_a_tag_is_called(self) -> None:
        """With attributes or without."""
        code = ToolRegistry()
        code.add_schema("code", "", {"type": "object", "properties": {"text": {"type": "string"}}})
        [call] = code.parse_text("<code><text>x</text></code>").calls
        assert call.arguments == {"text": "x"}


class TestClosers:
    """What stands behind a call and closes it."""

    @pytest.mark.parametrize("behind", ["</tool_call", "</tool_", "</", "<|im_e", "<｜tool▁call▁end", "\n</tool_call"])
    def test_the_half_of_a_closing_tag_is_no_prose(self, registry: ToolRegistry, behind: str) -> None:
        """At the end of the text, that is."""
        result = registry.parse_text(f"So: <tool_call>{A}{behind}", finish_reason="length")
        assert [call.arguments for call in result.calls] == [{"selector": "a"}]
        assert (result.errors, result.text) == ((), "So:")

    def test_an_opening_tag_may_close_the_last_call(self, registry: ToolRegistry) -> None:
        """If the model stopped behind it; if it may have been cut off, a further call may have begun there."""
        for opener in ("<tool_call>", "<|tool_call|>"):
            result = registry.parse_text(f"{opener}{A}\n{opener}\n", finish_reason="stop")
            assert [call.arguments for call in result.calls] == [{"selector": "a"}]
            assert (result.errors, result.text) == ((), "")
            for reason in (None, "length"):
                [error] = registry.parse_text(f"{opener}{A}\n{opener}\n", finish_reason=reason).errors
                assert error.kind == "cut_off"

    def test_tags_with_nothing_between_them_are_an_attempt(self, registry: ToolRegistry) -> None:
        """On lines of their own; in a sentence they are only spoken of."""
        for text in ("<tool_call></tool_call>", "So:\n<tool_call>\n</tool_call>\n"):
            [error] = registry.parse_text(text, finish_reason="stop").errors
            assert error.kind == "no_tool_name"
        assert registry.parse_text("Write <tool_call></tool_call> around it.").items == ()
        assert registry.parse_text("<tool_call></tool_call> go around it.").items == ()
