"""Whole documents of every kind, in which nobody calls anything: program files, read-me files, JSON and HTML."""

from __future__ import annotations

import importlib
import json
import pydoc
from collections.abc import Iterator
from importlib.metadata import files
from pathlib import Path
from typing import Any, Final

import pytest

from toolmend.toolkit import ToolRegistry

PACKAGES: Final = (
    "hypothesis",
    "hypothesis-jsonschema",
    "inline-snapshot",
    "jsonschema",
    "jsonschema-specifications",
    "pluggy",
    "pydantic",
    "pytest",
    "pytest-xdist",
)
KINDS: Final = frozenset({".json", ".md", ".py", ".pyi", ".rst", ".txt", ""})
LARGEST: Final = 300_000
MODULES: Final = ("argparse", "csv", "json", "logging", "pathlib", "textwrap", "urllib.request")
NAMES: Final = (
    "add call check close create delete exec fetch find get list load open print read run save search send set show "
    "start stop test update write"
)
PARAMETERS: Final[dict[str, dict[str, Any]]] = {
    "none": {"type": "object", "properties": {}},
    "optional": {"type": "object", "properties": {"path": {"type": "string"}}},
    "required": {
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["path"],
    },
}


@pytest.fixture(params=PARAMETERS, scope="module")
def registry(request: pytest.FixtureRequest) -> ToolRegistry:
    """Tools that are named like what programs and sentences speak of."""
    made = ToolRegistry()
    for name in NAMES.split():
        made.add_schema(name, "", PARAMETERS[request.param])
    return made


def _documents(package: str) -> Iterator[tuple[str, str]]:
    """The texts that a package ships."""
    for file in files(package) or ():
        path = Path(file.locate())
        if file.suffix in KINDS and path.is_file() and path.stat().st_size < LARGEST:
            yield str(file), path.read_bytes().decode(errors="replace")


@pytest.mark.parametrize("package", PACKAGES)
def test_the_files_of_a_package_hold_no_call(registry: ToolRegistry, package: str) -> None:
    """A file that is shown as the whole message calls nothing, whatever names are in it."""
    found = {name: calls for name, text in _documents(package) if (calls := registry.parse_text(text).calls)}
    assert found == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_file_in_a_fence_holds_no_call(registry: ToolRegistry, package: str) -> None:
    """The same file behind a sentence and in a fence at the end of the message calls nothing either."""
    texts = {name: f"Here it is:\n\n````\n{text}\n````\n" for name, text in _documents(package)}
    assert {name: calls for name, text in texts.items() if (calls := registry.parse_text(text).calls)} == {}


@pytest.mark.parametrize("name", MODULES)
def test_a_page_of_documentation_holds_no_call(registry: ToolRegistry, name: str) -> None:
    """Neither does its HTML, nor the same as text."""
    module = importlib.import_module(name)
    page = pydoc.HTMLDoc().page(name, pydoc.HTMLDoc().docmodule(module))
    plain = pydoc.plain(pydoc.TextDoc().docmodule(module))
    assert registry.parse_text(page).calls == ()
    assert registry.parse_text(plain).calls == ()


def test_a_document_in_json_holds_no_call(registry: ToolRegistry) -> None:
    """Objects that have names, arguments and inputs without calling anything are data."""
    data = {
        "name": "build",
        "steps": [{"name": "Fetch", "uses": "fetch@v4", "input": {"path": "."}}, {"name": "Run all", "run": "make"}],
        "functions": [{"title": "read", "arguments": ["path"]}],
        "scripts": {"test": "pytest", "start": "node ."},
    }
    for text in (json.dumps(data), json.dumps(data, indent=2), json.dumps([data, data], indent=4)):
        assert registry.parse_text(text).calls == ()
