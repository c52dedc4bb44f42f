from __future__ import annotations

import re
from typing import Any, Final

import pytest

from toolmend.toolkit import ToolRegistry
from toolmend.toolkit.extract.candidate import Evidence
from toolmend.toolkit.extract.ends import ENDS
from toolmend.toolkit.extract.markers import MARKERS, OPENERS, Marker

ADD: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
SHOWN: Final = [marker for marker in MARKERS if marker.example]


@pytest.mark.parametrize("marker", SHOWN, ids=lambda marker: marker.format)
def test_the_example_of_a_marker_is_read(marker: Marker) -> None:
    """Each row shows a call of `add` as it is written, which is read under the row's own name."""
    registry = ToolRegistry()
    registry.add_schema("add", "", ADD)
    result = registry.parse_text(f"Adding.\n{marker.example}")
    assert not result.errors
    assert [(call.name, call.arguments, call.format) for call in result.calls] == [("add", {"a": 1}, marker.format)]
    assert result.text == "Adding."


@pytest.mark.parametrize("marker", SHOWN, ids=lambda marker: marker.format)
def test_an_unknown_name_behind_a_marker_is_an_error(marker: Marker) -> None:
    """A marker shows that a call was meant, whoever is called."""
    registry = ToolRegistry()
    registry.add_schema("multiply", "", ADD)
    result = registry.parse_text(marker.example)
    assert result.calls == ()
    assert [error.kind for error in result.errors] == ["unknown_tool"]


def test_each_row_is_whole() -> None:
    """A row names who writes it, and shows a call unless it only opens a section."""
    assert all(marker.models for marker in MARKERS)
    assert {marker.format for marker in MARKERS if not marker.example} == {"section"}
    assert {marker.evidence for marker in MARKERS} == {Evidence.SPECIAL_TOKEN, Evidence.TAG}
    assert len(OPENERS) == len(MARKERS)


@pytest.mark.parametrize("marker", MARKERS, ids=lambda marker: marker.opener[:20])
def test_an_opener_stands_for_something(marker: Marker) -> None:
    """No opener matches the empty text, or begins with white space."""
    assert re.fullmatch(marker.opener, "") is None
    assert re.match(marker.opener, " <tool_call>") is None


@pytest.mark.parametrize(
    "text",
    [
        "</tool_call>",
        "\n</function>\n</tool_call>",
        "</tool_calls:opensource>",
        "<|tool_call_end|><|tool_calls_section_end|>",
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "</｜DSML｜invoke>\n</｜DSML｜function_calls>",
        "<|im_end|>",
        "<|eot_id|>",
        "</s>",
        "<tool_call|>",
        "<|/tool_call|>",
        "<|python_end|>",
        "<|tools_suffix|>",
        "<|close|>call<|sep|><|close|>tools<|sep|>",
        "]<]minimax[>[</invoke>\n]<]minimax[>[</tool_call>",
    ],
)
def test_what_closes_a_call_is_known(text: str) -> None:
    """Closing tags and the tokens that end a turn mean nothing behind a call."""
    assert ENDS.fullmatch(text)


@pytest.mark.parametrize(
    "text", ["<|im_start|>", "<tool_call>", "<|tool_call_begin|>", "<b>", "</div>", "<|channel|>", ""]
)
def test_what_opens_something_closes_nothing(text: str) -> None:
    """An opener is never passed over as if it were a closing tag."""
    assert ENDS.match(text) is None
