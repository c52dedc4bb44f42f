from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from toolmend.agents.chat_agent import ChatAgent
from toolmend.agents.clients.local import LocalModel
from toolmend.agents.clients.openai import OpenAIConfig
from toolmend.agents.clients.scripted import ScriptedClient
from toolmend.agents.config import ChatAgentConfig
from toolmend.agents.errors import LLMConnectionError, RealRequestError
from toolmend.agents.task import Task
from toolmend.agents.testing import allow_real_requests, forbid_real_requests

if TYPE_CHECKING:
    from toolmend.agents.clients.base import LLMClient

NOWHERE = OpenAIConfig(model="m", base_url="http://127.0.0.1:9/v1", max_retries=0)


def task(client: LLMClient) -> Task:
    """A task with this model."""
    return Task(ChatAgent(ChatAgentConfig(llm=client)))


def test_a_forbidden_request_fails_the_test_and_not_the_run() -> None:
    """The error comes out of the run: a task must not take it for a fault of the model."""
    with forbid_real_requests(), pytest.raises(RealRequestError, match=r"m at http://127\.0\.0\.1:9/v1 .*Scripted"):
        task(NOWHERE.create_client()).run("hello")


def test_the_embedded_model_is_not_even_loaded() -> None:
    """It would take its time, and is a real model as well."""
    with forbid_real_requests(), pytest.raises(RealRequestError, match="SmolLM2"):
        task(LocalModel()).run("hello")


def test_the_scripted_double_goes_on() -> None:
    """It is what tests use in place of a model."""
    with forbid_real_requests():
        assert task(ScriptedClient(["hi"])).run("hello").output == "hi"


def test_one_test_may_allow_them_again() -> None:
    """The innermost context counts, and each ends with its block."""
    with forbid_real_requests():
        with allow_real_requests():
            assert isinstance(task(NOWHERE.create_client()).run("hello").failure, LLMConnectionError)
        with pytest.raises(RealRequestError):
            task(NOWHERE.create_client()).run("hello")
    assert isinstance(task(NOWHERE.create_client()).run("hello").failure, LLMConnectionError)


def test_other_threads_are_meant_too() -> None:
    """A handler may ask a model from a thread of its own."""
    caught: list[Exception] = []

    def ask() -> None:
        try:
            task(NOWHERE.create_client()).run("hello")
        except RealRequestError as error:
            caught.append(error)

    with forbid_real_requests():
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert len(caught) == 1


def test_the_environment_can_forbid_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole run of tests is guarded without a line of code; a context counts more."""
    monkeypatch.setenv("TOOLMEND_FORBID_REAL_REQUESTS", "1")
    with pytest.raises(RealRequestError):
        task(NOWHERE.create_client()).run("hello")
    with allow_real_requests():
        assert isinstance(task(NOWHERE.create_client()).run("hello").failure, LLMConnectionError)
    monkeypatch.setenv("TOOLMEND_FORBID_REAL_REQUESTS", "0")
    assert isinstance(task(NOWHERE.create_client()).run("hello").failure, LLMConnectionError)
