from __future__ import annotations

import re
from typing import Any, Final

import pytest

from toolmend.toolkit import ParseResult, ToolRegistry
from toolmend.toolkit.extract.candidate import Evidence
from toolmend.toolkit.extract.ends import ENDS
from toolmend.toolkit.extract.marker import SECTION, Example, Marker
from toolmend.toolkit.extract.markers import MARKERS, OPENERS, STARTS

ADD: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
SHOWN: Final = [
    pytest.param(marker, example, id=f"{marker.format}-{example.models}")
    for marker in MARKERS
    for example in marker.examples
]


def read(text: str, name: str = "add") -> ParseResult:
    registry = ToolRegistry()
    registry.add_schema(name, "", ADD)
    return registry.parse_text(text)


@pytest.mark.parametrize(("marker", "example"), SHOWN)
def test_an_example_of_a_marker_is_read(marker: Marker, example: Example) -> None:
    """Each shows a call of `add` as it is written, which is read under the row's own name, and leaves no mark."""
    result = read(f"Adding.\n{example.text}")
    assert not result.errors
    assert [(call.name, call.arguments) for call in result.calls] == [("add", {"a": 1})]
    assert marker.format == SECTION or result.calls[0].format == marker.format
    assert result.text == "Adding."


@pytest.mark.parametrize(("marker", "example"), SHOWN)
def test_an_unknown_name_behind_a_marker_is_an_error(marker: Marker, example: Example) -> None:
    """A marker shows that a call was meant, whoever is called; what only looks like one does not."""
    result = read(example.text, "multiply")
    kind = "no_tool_name" if '{"add":' in example.text else "unknown_tool"  # a name as a key may be any other key
    assert result.calls == ()
    assert [error.kind for error in result.errors] == [kind] * (marker.evidence is not Evidence.SHAPE)


def test_each_row_is_whole() -> None:
    """A row shows a call, unless another row does that begins with what it opens; each class has its rows."""
    assert all(example.models and example.text for marker in MARKERS for example in marker.examples)
    assert {marker.format for marker in MARKERS if not marker.examples} == {SECTION}
    assert {marker.evidence for marker in MARKERS} == set(Evidence)
    for marker in MARKERS:
        assert all(marker in [row for row, _ in OPENERS[start[0]]] for start in marker.starts)


@pytest.mark.parametrize("marker", MARKERS, ids=lambda marker: marker.opener[:20])
def test_an_opener_stands_for_something(marker: Marker) -> None:
    """No opener matches the empty text, or begins with white space."""
    assert re.fullmatch(marker.opener, "") is None
    assert re.match(marker.opener, " <tool_call>") is None


@pytest.mark.parametrize(("marker", "example"), SHOWN)
def test_a_marker_begins_with_what_is_looked_for(marker: Marker, example: Example) -> None:
    """What its row says that it begins with: a marker that begins otherwise would never be met."""
    found = re.search(marker.opener, example.text)
    assert found is not None
    assert found[0].startswith(marker.starts)
    assert set(marker.starts) <= set(STARTS)


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
        "<|END_ACTION|>",
        "</tool_calls></answer>",
        "<|end_message|><|content_model_end_sampling|>",
        "</atem:invoke>\n</atem:function_calls><|eom|>",
    ],
)
def test_what_closes_a_call_is_known(text: str) -> None:
    """Closing tags and the tokens that end a turn mean nothing behind a call."""
    assert ENDS.fullmatch(text)


@pytest.mark.parametrize(
    "text",
    [
        *("<|im_start|>", "<tool_call>", "<|tool_call_begin|>", "<b>", "</div>", "<|channel|>", "", "<|tool_call|>"),
        *("<|function_call|>", "<|START_ACTION|>", "<|START_RESPONSE|>", "<|message_model|>"),
    ],
)
def test_what_opens_something_closes_nothing(text: str) -> None:
    """An opener is never passed over as if it were a closing tag."""
    assert ENDS.match(text) is None
