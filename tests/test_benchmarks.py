from __future__ import annotations

import importlib
import pathlib
import re
from types import ModuleType

import pytest

from toolmend.toolkit import ToolRegistry


@pytest.fixture
def load(root: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The work of the benchmark; its modules are scripts beside one another."""
    monkeypatch.syspath_prepend(str(root / "benchmarks"))
    return importlib.import_module("work")


def test_the_work_is_answered_rightly(load: ModuleType) -> None:
    """What is timed is right: the arguments meant, or an error where they cannot be known."""
    registry = ToolRegistry([load.Order])
    for case in load.BROKEN:
        result = registry.parse_call("order", case.text)
        got = [call.arguments for call in result.calls]
        assert got == ([case.want] if case.want is not None else []), case.name
        assert bool(result.errors) is (case.want is None)


def test_large_work_is_as_large_as_asked(load: ModuleType) -> None:
    """Sizes are told in characters, and hold within a tenth."""
    size = 100_000
    texts = [case.text for case in load.large(size)] + [make(size) for make in load.GROWING.values()]
    assert all(0.8 * size < len(text) < 1.2 * size for text in texts)


def test_a_plot_has_a_line_for_each_series(load: ModuleType) -> None:
    """Names and points of all series are drawn."""
    svg = importlib.import_module("svg")
    drawn = svg.plot("growth", "characters", "seconds", {"one": [(10, 0.1), (1000, 2.0)], "two & more": [(10, 0.2)]})
    assert len(re.findall("<polyline", drawn)) == 2
    assert "two &amp; more" in drawn


def test_peers_are_pinned(root: pathlib.Path) -> None:
    """Each line of the environment names one version."""
    lines = (root / "benchmarks" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    named = [line for line in lines if line and not line.startswith("#")]
    assert named
    assert all(re.fullmatch(r"[\w.\[\]-]+==[\w.+!]+", line) for line in named)
