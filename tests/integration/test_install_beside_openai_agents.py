from __future__ import annotations

import pathlib
import subprocess
import sys
import venv

import pytest

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

IMPORT_BOTH = """
import pathlib
import agents
import toolmend.agents, toolmend.repairs, toolmend.toolkit
from agents import Runner

site = pathlib.Path(agents.__file__).parents[1]
for module in (toolmend.agents, toolmend.repairs, toolmend.toolkit):
    assert pathlib.Path(module.__file__).parents[2] == site, module.__file__
assert agents is not toolmend.agents
"""


class Environment:
    """A fresh virtual environment."""

    def __init__(self, folder: pathlib.Path) -> None:
        venv.create(folder, with_pip=True)
        self.python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    def run(self, *arguments: str) -> str:
        """Run its Python away from the repository; the output, or a failure that shows it."""
        command = [str(self.python), "-P", *arguments]
        done = subprocess.run(command, cwd=self.python.parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def pip(self, *arguments: str) -> str:
        """Run its pip."""
        return self.run("-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def test_the_wheel_and_openai_agents_live_side_by_side(wheel: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Both are installed and imported, ours last; without ours, the other still works."""
    environment = Environment(tmp_path / "venv")
    environment.pip("install", "openai-agents")
    environment.pip("install", f"{wheel}[agents]")
    environment.run("-c", IMPORT_BOTH)
    environment.pip("uninstall", "--yes", "toolmend")
    environment.run("-c", "from agents import Runner")
