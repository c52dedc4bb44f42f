from __future__ import annotations

import ast
import pathlib
import tomllib

import pytest

ROOT = pathlib.Path(__file__).parents[1]
TEST_FILES = sorted((ROOT / "tests").rglob("test_*.py"))
PACKAGES = {"agents", "repairs", "toolkit"}


@pytest.mark.parametrize("path", TEST_FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_test_tells_what_it_pins(path: pathlib.Path) -> None:
    """A test has a docstring that says in one sentence which behaviour it holds."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    silent = [test.name for test in tests if test.name.startswith("test_") and not ast.get_docstring(test)]
    assert silent == []


def test_all_code_is_type_checked(root: pathlib.Path, tracked_files: list[str]) -> None:
    """Each folder with modules in it is named in mypy's `files`; the packages are, by their links."""
    checked = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]["files"]
    folders = {name.split("/", 1)[0] for name in tracked_files if name.endswith(".py")}
    assert folders - PACKAGES == set(checked) - {".typing/toolmend"}


def test_each_ignored_rule_has_its_reason(root: pathlib.Path) -> None:
    """A rule of the linter that is ignored everywhere has a comment beside it."""
    lines = (root / "pyproject.toml").read_text(encoding="utf-8").split("[tool.ruff.lint]", 1)[1].splitlines()
    ignored = [line for line in lines[: lines.index("]")] if line.startswith('    "')]
    assert [line for line in ignored if "#" not in line] == []
