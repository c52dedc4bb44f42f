"""The plugin in a project of its own: pytest finds it, as toolmend is installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest_plugins = ("pytester",)

PROJECT = """
from toolmend.agents import ChatAgent, ChatAgentConfig, OpenAIConfig, Task

import pytest


def ask():
    llm = OpenAIConfig(model="m", base_url="http://127.0.0.1:9/v1", max_retries=0)
    return Task(ChatAgent(ChatAgentConfig(llm=llm))).run("hello")

"""
FORBIDDEN = "[pytest]\ntoolmend_forbid_real_requests = true\n"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project of its own, whose runs are not those of this one."""
    pytester.plugins = []
    return pytester


def outcomes(project: pytest.Pytester, test: str, settings: str = "[pytest]\n") -> dict[str, int]:
    """What comes of a test module."""
    project.makeini(settings)
    project.makepyfile(PROJECT + test)
    result = project.runpytest_inprocess("-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist")
    return result.parseoutcomes()


def test_nothing_is_forbidden_unless_a_project_says_so(project: pytest.Pytester) -> None:
    """The plugin is there for all who have toolmend, and not all of them want it."""
    assert outcomes(project, "def test_it():\n    assert ask().failure is not None\n") == {"passed": 1}


def test_the_option_forbids_real_requests_in_all_tests(project: pytest.Pytester) -> None:
    """A test that asks a real model fails, with what to do instead."""
    assert outcomes(project, "def test_it():\n    ask()\n", FORBIDDEN) == {"failed": 1}
    result = project.runpytest_inprocess("-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist")
    result.stdout.fnmatch_lines(["*RealRequestError: m at * ScriptedClient*"])


def test_the_marker_allows_them_for_one_test(project: pytest.Pytester) -> None:
    """It is declared, so that strict markers take it."""
    marked = "@pytest.mark.toolmend_real_requests\ndef test_it():\n    assert ask().failure is not None\n"
    assert outcomes(project, marked, FORBIDDEN + "addopts = --strict-markers\n") == {"passed": 1}


def test_the_fixture_forbids_them_in_one_test(project: pytest.Pytester) -> None:
    """And the next one may ask again."""
    test = (
        "def test_one(no_real_requests):\n    with pytest.raises(Exception, match='real requests are forbidden'):\n"
        "        ask()\n\ndef test_other():\n    assert ask().failure is not None\n"
    )
    assert outcomes(project, test) == {"passed": 2}


def test_the_plugin_costs_a_run_next_to_nothing() -> None:
    """Nobody who does not use it should wait for it: neither pydantic nor the toolkit is loaded."""
    code = "import sys, toolmend.agents.pytest_plugin; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-P", "-c", code], check=True, capture_output=True, text=True)
    assert not {"pydantic", "toolmend.toolkit.registry", "toolmend.agents.errors"} & set(loaded.stdout.split())


def test_a_conversation_is_recorded_once_and_replayed(project: pytest.Pytester) -> None:
    """In a file beside the test; the model that would be asked may be anything while recording, and nothing after."""
    test = (
        "from toolmend.agents import ScriptedClient\n\n"
        "@pytest.mark.parametrize('said', ['a/b'])\n"
        "def test_it(recorded_client, said):\n    for line in ('one', 'two'):\n"
        "        agent = ChatAgent(ChatAgentConfig(llm=recorded_client(ScriptedClient([line]))))\n"
        "        assert Task(agent).run(said).output == line\n"
    )
    assert outcomes(project, test, FORBIDDEN) == {"failed": 1}
    quiet = ("-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist")
    project.runpytest_inprocess(*quiet, "--toolmend-record").assert_outcomes(passed=1)
    recordings = sorted(path.relative_to(project.path).as_posix() for path in project.path.rglob("*.json"))
    module = "recordings/test_a_conversation_is_recorded_once_and_replayed"
    assert recordings == [f"{module}/test_it_a_b_-2.json", f"{module}/test_it_a_b_.json"]
    assert outcomes(project, test.replace("[line]", "[]"), FORBIDDEN) == {"passed": 1}
