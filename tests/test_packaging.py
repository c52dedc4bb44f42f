from __future__ import annotations

import email
import pathlib
import tarfile
import tomllib
import zipfile
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from email.message import Message

PACKAGES = ("agents", "repairs", "toolkit")


def in_packages(names: list[str]) -> list[str]:
    """Those names that lie in the folders of the packages, sorted."""
    return sorted(name for name in names if name.startswith(tuple(f"{package}/" for package in PACKAGES)))


def test_each_subpackage_is_listed(root: pathlib.Path, tracked_files: list[str]) -> None:
    """`packages` in pyproject.toml names every folder that has an `__init__.py`; the wheel would miss the others."""
    listed = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["packages"]
    folders = [pathlib.PurePath(name).parent for name in in_packages(tracked_files) if name.endswith("/__init__.py")]
    assert listed == sorted(".".join(("toolmend", *folder.parts)) for folder in folders)


def test_each_module_lies_in_a_package(tracked_files: list[str]) -> None:
    """A folder of modules without `__init__.py` would be left out as well."""
    modules = [pathlib.PurePath(name) for name in in_packages(tracked_files) if name.endswith(".py")]
    assert {str(path.parent / "__init__.py") for path in modules} <= set(tracked_files)


def test_packages_hold_modules_and_markers_only(tracked_files: list[str]) -> None:
    """A data file in a package would be missing from the wheel, so there is none."""
    names = [pathlib.PurePath(name) for name in in_packages(tracked_files)]
    assert [path for path in names if path.suffix != ".py" and path.name != "py.typed"] == []


def test_the_wheel_holds_the_tracked_modules_and_nothing_else(wheel: pathlib.Path, tracked_files: list[str]) -> None:
    """What the three folders hold is in the wheel under `toolmend`, and nothing but that and the metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
    assert sorted(names) == [f"toolmend/{name}" for name in in_packages(tracked_files)]


def test_the_namespace_has_no_module_of_its_own(wheel: pathlib.Path) -> None:
    """`toolmend` stays a namespace, and each package under it is marked as typed."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "toolmend/__init__.py" not in names
    assert {f"toolmend/{package}/py.typed" for package in PACKAGES} <= set(names)


def test_the_wheel_tells_what_it_is(wheel: pathlib.Path) -> None:
    """Name, licence, least Python and extras are in the metadata."""
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata: Message = email.message_from_bytes(archive.read(name))
    assert (metadata["Name"], metadata["License-Expression"]) == ("toolmend", "MIT")
    assert metadata["Requires-Python"] == ">=3.11"
    assert set(metadata.get_all("Provides-Extra", [])) == {
        *("agents", "all", "demo", "dev", "lint", "local", "openai", "pydantic-ai", "sessions", "test"),
    }


def test_the_source_distribution_is_whole_and_without_links(sdist: pathlib.Path, tracked_files: list[str]) -> None:
    """All modules and what a build needs are in; the links for the type checkers stay out."""
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    names = [member.name.split("/", 1)[-1] for member in members if member.isfile()]
    assert [member.name for member in members if member.issym() or member.islnk()] == []
    assert in_packages(names) == in_packages(tracked_files)
    assert {"LICENSE", "README.md", "pyproject.toml"} <= set(names)


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_find_each_package_by_its_real_name(root: pathlib.Path, package: str) -> None:
    """The links in .typing lead to the folders of the repository."""
    link = root / ".typing" / "toolmend" / package
    assert link.is_symlink()
    assert link.resolve() == root / package
