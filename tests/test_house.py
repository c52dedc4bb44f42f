from __future__ import annotations

import ast
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[1]
TEST_FILES = sorted((ROOT / "tests").rglob("test_*.py"))


@pytest.mark.parametrize("path", TEST_FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_test_tells_what_it_pins(path: pathlib.Path) -> None:
    """A test has a docstring that says in one sentence which behaviour it holds."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    silent = [test.name for test in tests if test.name.startswith("test_") and not ast.get_docstring(test)]
    assert silent == []
