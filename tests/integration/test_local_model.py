"""The embedded model for real: fetched, loaded, asked over HTTP, and gone afterwards."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from toolmend.agents import (
    ChatAgent,
    ChatAgentConfig,
    ChatRequest,
    LocalModel,
    LocalModelConfig,
    ModelReply,
    OpenAIConfig,
)
from toolmend.agents.demo.home import SYSTEM_MESSAGE, HomeAgent
from toolmend.agents.demo.requests import REQUESTS
from toolmend.agents.demo.runs import run_request
from toolmend.agents.errors import ContextLengthError, LLMConnectionError

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterator

    from toolmend.agents.demo.requests import Request

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

HELLO = ChatRequest(messages=({"role": "user", "content": "Say hello."},), max_tokens=8, temperature=0)
PARCEL = next(request for request in REQUESTS if request.expected.name == "send_parcel")
TIMER = next(request for request in REQUESTS if request.expected.name == "start_timer")


@pytest.fixture(scope="module")
def model() -> Iterator[LocalModel]:
    """The small model, with its weights out of the user's cache or from the index."""
    with LocalModel() as one:
        yield one


@pytest.mark.parametrize("request_", [PARCEL, TIMER], ids=["nested", "flat"])
def test_a_request_comes_out_as_the_right_call(model: LocalModel, request_: Request) -> None:
    """The small model, prompt-based with the examples as turns, writes a call that runs."""
    llm = model.openai_config().model_copy(update={"temperature": 0})
    config = ChatAgentConfig(llm=llm, system_message=SYSTEM_MESSAGE, use_tools=True, max_output_tokens=160)
    outcome = run_request(HomeAgent(config), request_)
    assert outcome.verdict in ("strict", "mended")
    usage = outcome.exchanges[0].reply.usage
    assert usage is not None
    assert usage.input_tokens > 100


def test_its_words_can_be_read_while_they_are_written(model: LocalModel) -> None:
    """The chunks of llama.cpp's server are put together to the same reply."""
    *chunks, reply = model.stream(HELLO)
    assert len(chunks) > 2
    assert isinstance(reply, ModelReply)
    assert reply.text == model.complete(HELLO).text
    assert reply.usage is not None


def test_a_request_that_is_too_long_tells_the_window(model: LocalModel) -> None:
    """The server of llama.cpp refuses it with its numbers, which are read."""
    flood = ChatRequest(messages=({"role": "user", "content": "word " * 5000},), max_tokens=8)
    with pytest.raises(ContextLengthError) as caught:
        model.complete(flood)
    assert caught.value.context_length == model.config.context_size
    assert (caught.value.prompt_tokens or 0) > 5000


def test_a_conversation_that_outgrows_the_window_goes_on() -> None:
    """Without a configured length the agent learns it from the refusal, and sends what fits."""
    with LocalModel(LocalModelConfig(context_size=512)) as model:
        config = ChatAgentConfig(llm=model, context_overflow_strategy="drop_turns", max_output_tokens=8)
        agent = ChatAgent(config)
        for number in range(3):
            agent.llm_response(f"{number}: " + "word " * 180)
    assert [entry.origin for entry in agent.history] == ["user", "model"] * 3


def test_it_is_asked_like_any_client(model: LocalModel) -> None:
    """Sync and async give the same words at temperature zero."""

    async def ask() -> str:
        reply = await model.complete_async(HELLO)
        await model.close_async()
        return reply.text

    assert asyncio.run(ask()) == model.complete(HELLO).text


def test_nothing_is_left_of_a_closed_model() -> None:
    """The endpoint is gone with the context."""
    with LocalModel() as one:
        client = OpenAIConfig(model="x", base_url=one.base_url, max_retries=0).create_client()
        assert client.complete(HELLO).text
    with pytest.raises(LLMConnectionError):
        client.complete(HELLO)


def test_the_demo_runs(root: pathlib.Path) -> None:
    """It ends well without a terminal, and tells its three counts."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "TOOLMEND_"))}
    run = subprocess.run(
        [sys.executable, "-P", "-W", "error", str(root / "examples" / "demo.py"), "--requests", "2"],
        capture_output=True,
        text=True,
        check=False,
        env={**environment, "PYTHONIOENCODING": "utf-8"},
    )
    assert (run.returncode, run.stderr) == (0, "")
    for part in ("of 2 right as strict JSON alone", "of 2 right after mending", "of 2 ran, but with a wrong meaning"):
        assert part in run.stdout
