"""What is public: the names in `__all__`, and nothing by accident."""

from __future__ import annotations

import ast
import importlib
import pathlib

import pytest

ROOT = pathlib.Path(__file__).parents[1]
DEFINITIONS = (ast.AsyncFunctionDef, ast.ClassDef, ast.FunctionDef)
PATHS = [
    path
    for package in ("agents", "repairs", "toolkit")
    for path in sorted((ROOT / package).rglob("*.py"))
    if path.stem == "__init__" or not path.stem.startswith("_")
]


def is_bare(tree: ast.Module) -> bool:
    """Whether a module has nothing but a docstring."""
    return all(isinstance(node, ast.Expr) for node in tree.body)


def named(path: pathlib.Path) -> str:
    """The name by which a file is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("toolmend", *(parts[:-1] if parts[-1] == "__init__" else parts)))


TREES = {named(path): ast.parse(path.read_text(encoding="utf-8")) for path in PATHS}
MODULES = [name for name, tree in TREES.items() if not is_bare(tree)]


@pytest.mark.parametrize("name", MODULES)
def test_a_public_module_lists_its_names(name: str) -> None:
    """`__all__` is a tuple without doubles, and each of its names is there; ruff holds its order (RUF022)."""
    module = importlib.import_module(name)
    listed = module.__all__
    assert isinstance(listed, tuple)
    assert len(set(listed)) == len(listed)
    assert [missing for missing in listed if not hasattr(module, missing)] == []


@pytest.mark.parametrize("name", MODULES)
def test_what_a_module_defines_is_listed_or_private(name: str) -> None:
    """A function or class that is not in `__all__` starts with an underscore."""
    defined = [
        node.name
        for node in TREES[name].body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    ]
    public = {one for one in defined if not one.startswith("_")}
    assert public - set(importlib.import_module(name).__all__) == set()
