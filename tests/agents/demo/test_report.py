from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

from rich.console import Console

from toolmend.agents import ChatAgentConfig, ScriptedClient
from toolmend.agents.demo.home import HomeAgent
from toolmend.agents.demo.recorded import RECORDED
from toolmend.agents.demo.report import model_counts, model_table, replay_counts, replay_table
from toolmend.agents.demo.requests import Expected, Request
from toolmend.agents.demo.runs import Counts, run_request

if TYPE_CHECKING:
    from rich.console import RenderableType

    from toolmend.agents.demo.runs import Outcome

TIMER = Request("Start [bold]it.", Expected("start_timer", {"label": "soup", "minutes": 25}))


def shown(what: RenderableType) -> str:
    """What a log without a terminal shows, with the lines of cells put together."""
    console = Console(file=StringIO(), width=400)
    console.print(what)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue()


def outcome(*script: str) -> Outcome:
    """What a request comes to with a scripted model."""
    return run_request(HomeAgent(ChatAgentConfig(llm=ScriptedClient(script), use_tools=True)), TIMER)


def test_the_table_shows_words_repairs_and_results() -> None:
    """What the model wrote stands there to the letter, markup of the terminal included."""
    text = shown(model_table([outcome("{'name': 'start_timer', 'arguments': {'label': 'soup', 'minutes': 25}}")]))
    for part in (
        "1. Start [bold]it.",
        "{'name': 'start_timer'",
        "quote-style (lossless)",
        "and 5 more",
        "ran: the timer for soup rings in 25 minutes",
        "right after mending",
    ):
        assert part in text


def test_the_table_shows_the_error_and_what_the_model_did_next() -> None:
    """Both turns have a row, the verdict stands at the last."""
    text = shown(model_table([outcome('{"name": "set_timer", "arguments": {}}', "No.")]))
    assert text.index("error to the model: There is no tool named 'set_timer'") < text.index("the model's next turn")
    assert text.index("the model's next turn") < text.index("nothing ran")


def test_the_replay_is_labelled_by_kind() -> None:
    """It is told what is wrong with each reply, not what was asked."""
    assert f"1. {RECORDED[0].kind}" in shown(replay_table([(RECORDED[0], outcome("No."))]))


def test_the_counts_are_told_openly() -> None:
    """Mended ones count as right, wrong meanings never; empty rests are left out."""
    counts = Counts(total=12, strict=6, found=1, mended=2, asked_again=0, wrong_meaning=2, no_call=1)
    for text in (shown(model_counts(counts)), shown(replay_counts(counts))):
        assert "6 of 12 right as strict JSON alone" in text
        assert "9 of 12 right after mending (2 thanks to repairs, 1 to finding the call within other text)" in text
        assert "2 of 12 ran, but with a wrong meaning" in text
        assert "1 of 12 came to no call that ran" in text
        assert "asked again" not in text
