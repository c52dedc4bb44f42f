"""Every example runs, and prints what it is kept for."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

EXPECTED = pathlib.Path(__file__).parent / "expected"
NAMES = sorted(path.stem for path in EXPECTED.glob("*.txt"))


@pytest.mark.parametrize("name", NAMES)
def test_the_example_prints_what_it_is_kept_for(name: str, root: pathlib.Path) -> None:
    """The output is the one on file; to renew it, run the example into tests/examples/expected/."""
    run = subprocess.run(
        [sys.executable, "-P", "-W", "error", str(root / "examples" / f"{name}.py")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    assert run.stderr == ""
    assert run.returncode == 0
    assert run.stdout == (EXPECTED / f"{name}.txt").read_text(encoding="utf-8")


def test_every_example_has_its_output_on_file(root: pathlib.Path) -> None:
    """No example is left out; the demo starts a model and is tested apart."""
    scripts = {path.stem for path in (root / "examples").glob("*.py")}
    assert scripts - {"demo"} == set(NAMES)
