from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolmend.agents import ChatAgentConfig, OpenAIConfig
from toolmend.agents.demo.home import HomeAgent
from toolmend.agents.demo.recorded import RECORDED
from toolmend.agents.demo.runs import count, run_request
from toolmend.agents.demo.server import ReplayServer
from toolmend.agents.errors import LLMRequestError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolmend.agents.demo.recorded import Recorded
    from toolmend.agents.demo.runs import Outcome


@pytest.fixture(scope="module")
def server() -> Iterator[ReplayServer]:
    """The server of the replay."""
    with ReplayServer(RECORDED) as server:
        yield server


def replay(recorded: Recorded, server: ReplayServer) -> Outcome:
    """One recorded reply through the whole chain, over HTTP."""
    llm = OpenAIConfig(model="recorded", base_url=server.base_url)
    native = recorded.channel == "api"
    return run_request(
        HomeAgent(ChatAgentConfig(llm=llm, use_tools=not native, use_tools_api=native)), recorded.request
    )


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded.kind)
def test_a_recorded_fault_comes_to_what_it_must(recorded: Recorded, server: ReplayServer) -> None:
    """The call is the right one, once found, by mending, or after an error went back; no reply needs none of these."""
    outcome = replay(recorded, server)
    assert outcome.verdict in (("asked_again",) if recorded.refused else ("found", "mended"))
    assert [exchange.wrote for exchange in outcome.exchanges] == [reply.body for reply in recorded.replies]


def test_the_counts_add_up(server: ReplayServer) -> None:
    """Each request is counted once."""
    counts = count([replay(recorded, server) for recorded in RECORDED])
    right = counts.strict + counts.found + counts.mended
    assert right + counts.asked_again + counts.wrong_meaning + counts.no_call == counts.total
    assert counts.total == len(RECORDED) == len({recorded.request.text for recorded in RECORDED})


def test_an_unknown_conversation_is_refused(server: ReplayServer) -> None:
    """The server says nothing that was not recorded."""
    agent = HomeAgent(ChatAgentConfig(llm=OpenAIConfig(model="recorded", base_url=server.base_url)))
    with pytest.raises(LLMRequestError, match="nothing is recorded"):
        agent.llm_response("Sing a song.")
