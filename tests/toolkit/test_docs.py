from __future__ import annotations

import pathlib
from typing import Any, Final

import pytest

from toolmend.toolkit import DIALECTS, ToolRegistry
from toolmend.toolkit.docs import main, render
from toolmend.toolkit.extract.marker import Example
from toolmend.toolkit.extract.markers import MARKERS
from toolmend.toolkit.extract.unmarked import HARMONY, UNMARKED, Unmarked

ADD: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}


def registry_of(name: str) -> ToolRegistry:
    registry = ToolRegistry()
    registry.add_schema(name, "", ADD)
    return registry


@pytest.mark.parametrize(
    ("form", "example"),
    [
        pytest.param(form, example, id=f"{form.format}-{number}")
        for form in UNMARKED
        for number, example in enumerate(form.examples)
    ],
)
def test_an_example_without_a_marker_is_read(form: Unmarked, example: Example) -> None:
    """Each is a call of `add`, read under the name of its row."""
    result = registry_of("add").parse_text(example.text, finish_reason="stop")
    assert result.errors == ()
    assert [(call.name, call.arguments, call.format) for call in result.calls] == [("add", {"a": 1}, form.format)]


@pytest.mark.parametrize("form", UNMARKED, ids=lambda form: form.format)
def test_without_a_marker_it_is_never_a_call_in_the_middle_of_a_line(form: Unmarked) -> None:
    """Only what stands by itself is one."""
    for example in form.examples:
        assert registry_of("add").parse_text(f"It says {example.text} here.").calls == ()


@pytest.mark.parametrize("example", HARMONY, ids=lambda example: example.models)
def test_a_message_to_a_tool_is_read(example: Example) -> None:
    """Whoever is spoken to: a tool that is not registered is an error."""
    [call] = registry_of("add").parse_text(example.text).calls
    assert (call.arguments, call.format) == ({"a": 1}, "harmony")
    [error] = registry_of("multiply").parse_text(example.text).errors
    assert error.kind == "unknown_tool"


def test_the_page_is_current(root: pathlib.Path) -> None:
    """docs/formats.md is what the tables say (`make docs` writes it anew)."""
    assert (root / "docs" / "formats.md").read_text(encoding="utf-8") == render()


def test_the_page_tells_of_everything() -> None:
    """Each example of the tables and each dialect is on it."""
    page = render()
    marked = [example for marker in MARKERS for example in marker.examples]
    unmarked = [example for form in UNMARKED for example in form.examples]
    for example in (*marked, *unmarked, *HARMONY):
        assert example.text.rstrip() in page
        assert f"{example.models}:\n" in page
    assert all(f"### {name}\n" in page for name in DIALECTS)


def test_the_page_is_written_where_it_is_asked_for(tmp_path: pathlib.Path) -> None:
    """Folders that are missing are made."""
    main(tmp_path / "new" / "page.md")
    assert (tmp_path / "new" / "page.md").read_text(encoding="utf-8") == render()
