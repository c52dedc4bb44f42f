"""Work grows with the length of a text, never faster: counted in steps, for a clock is not to be trusted."""

from __future__ import annotations

import importlib
import pathlib
import sys
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Final

import pytest

from toolmend.toolkit import ToolRegistry

SMALL: Final = 4_000
LARGE: Final = 32_000
FAMILIES: Final = 18
"""How many families of growing texts there are; asserted, so that none goes unseen."""


@pytest.fixture
def work(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The work of the benchmark, with its growing texts."""
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    return importlib.import_module("work")


@pytest.fixture
def steps() -> Iterator[Callable[[Callable[[], object]], int]]:
    """Counts the functions that are called, those of the standard library and of C included."""
    before = sys.getprofile()

    def count(run: Callable[[], object]) -> int:
        calls = 0

        def note(_frame: FrameType, event: str, _argument: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(note)
        try:
            run()
        finally:
            sys.setprofile(before)
        return calls

    yield count
    sys.setprofile(before)


@pytest.mark.parametrize("number", range(FAMILIES))
@pytest.mark.parametrize("raw", [False, True], ids=["class", "schema"])
def test_steps_grow_with_the_text(
    number: int, raw: bool, work: ModuleType, steps: Callable[[Callable[[], object]], int]
) -> None:
    """Eight times the text takes at most twice eight times the steps, whatever is wrong with it."""
    assert len(work.GROWING) == FAMILIES
    make = list(work.GROWING.values())[number]
    tool = work.Import if make(100).startswith('{"records"') else work.Write
    registry = ToolRegistry()
    if raw:
        registry.add_schema("tool", "", tool.model_json_schema())
    else:
        registry.add(tool)
    [name] = registry.names
    registry.parse_call(name, make(100))  # what is loaded on first use is no work on the text
    small, large = make(SMALL), make(LARGE)
    few = steps(lambda: registry.parse_call(name, small))
    many = steps(lambda: registry.parse_call(name, large))
    assert many / len(large) <= 2 * few / len(small) + 0.05
