"""The direction of imports, read off the syntax trees: agents -> toolkit -> repairs, without cycles."""

from __future__ import annotations

import ast
import dataclasses
import graphlib
import pathlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[1]
FLOORS = ("repairs", "toolkit", "agents")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclasses.dataclass(frozen=True, slots=True)
class Module:
    """One file of a package, under the name it is imported by."""

    name: str
    floor: int
    tree: ast.Module


@dataclasses.dataclass(frozen=True, slots=True)
class Imported:
    """One name that a module imports; `late` if only inside a function or for the type checker."""

    target: str
    line: int
    late: bool


def modules_of(package: str) -> Iterator[Module]:
    """The modules of one package."""
    for path in sorted((ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(("toolmend", *(parts[:-1] if parts[-1] == "__init__" else parts)))
        yield Module(name, FLOORS.index(package), ast.parse(path.read_text(encoding="utf-8")))


MODULES = [module for package in FLOORS for module in modules_of(package)]
NAMES = {module.name for module in MODULES}


def is_late(node: ast.AST) -> bool:
    """Whether what stands in the node is not run when the module is imported."""
    return isinstance(node, FUNCTIONS) or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test))


def imports(tree: ast.AST) -> Iterator[Imported]:
    """All imports of a tree, at any depth; `from a import b` is a.b if that is a module of ours, else a."""
    todo: list[tuple[ast.AST, bool]] = [(tree, False)]
    while todo:
        node, late = todo.pop()
        if isinstance(node, ast.Import):
            yield from (Imported(alias.name, node.lineno, late) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            targets = {f"{base}.{alias.name}" for alias in node.names}
            yield from (Imported(target if target in NAMES else base, node.lineno, late) for target in targets)
        else:
            todo += [(child, late or is_late(node)) for child in ast.iter_child_nodes(node)]


def lies_in(target: str, package: str) -> bool:
    """Whether a dotted name is the package or lies in it."""
    return target == package or target.startswith(package + ".")


def loads(module: Module, imported: Imported) -> set[str]:
    """Our modules that an import loads: its target and the packages around it, but for those around the module."""
    parts = imported.target.split(".")
    above = {".".join(parts[:end]) for end in range(1, len(parts) + 1)} & NAMES
    return {name for name in above if name == imported.target or not lies_in(module.name, name)} - {module.name}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_imports_only_its_own_floor_and_those_below(module: Module) -> None:
    """Nothing is imported from above, in functions and for type checking neither, and nothing but by its full name."""
    forbidden = (*(f"toolmend.{above}" for above in FLOORS[module.floor + 1 :]), *FLOORS)
    found = list(imports(module.tree))
    assert [i for i in found if any(lies_in(i.target, package) for package in forbidden)] == []
    assert [i for i in found if i.target.startswith(".")] == []


@pytest.mark.parametrize("module", [m for m in MODULES if m.floor == 0], ids=lambda module: module.name)
def test_repairs_knows_nothing_of_pydantic(module: Module) -> None:
    """Repairs work on plain values and JSON Schema, in any framework."""
    assert [i.line for i in imports(module.tree) if lies_in(i.target, "pydantic")] == []


def test_no_modules_import_one_another() -> None:
    """The imports that run when modules are loaded form no cycle, through `__init__` neither."""
    loaded = {
        module.name: {n for i in imports(module.tree) if not i.late for n in loads(module, i)} for module in MODULES
    }
    graphlib.TopologicalSorter(loaded).prepare()  # raises CycleError, which tells the cycle
