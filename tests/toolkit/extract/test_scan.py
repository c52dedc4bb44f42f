"""Where calls may stand in a message, and where it ends."""

from __future__ import annotations

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
