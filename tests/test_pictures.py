"""The pictures of the documentation are what the library does today."""

from __future__ import annotations

import pathlib
import runpy
from xml.etree import ElementTree as ET

import pytest

DOCS = pathlib.Path(__file__).parents[1] / "docs"
DRAWN = runpy.run_path(str(DOCS / "draw_fitting.py"))["PICTURES"]


@pytest.mark.parametrize("name", DRAWN)
def test_a_picture_is_the_one_on_file(name: str) -> None:
    """`make docs` draws it anew; it is well-formed, and the page shows it."""
    drawn = DRAWN[name]()
    assert drawn == (DOCS / name).read_text(encoding="utf-8")
    assert ET.fromstring(drawn).tag.endswith("svg")
    assert f"]({name})" in (DOCS / "long-conversations.md").read_text(encoding="utf-8")
