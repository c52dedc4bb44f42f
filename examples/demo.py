"""The main job, shown: requests to a small model over HTTP, its calls mended, validated and run.

Part 1 asks a real model: the embedded one, or, with OPENAI_BASE_URL or OPENAI_API_KEY set, the server that they name.
Part 2 is a replay: recorded faulty replies of many kinds go through the same chain.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import Progress

from toolmend.agents import ChatAgentConfig, LocalModel, OpenAIConfig, ToolmendError
from toolmend.agents.demo.home import SYSTEM_MESSAGE, HomeAgent
from toolmend.agents.demo.recorded import RECORDED
from toolmend.agents.demo.report import model_counts, model_table, replay_counts, replay_table
from toolmend.agents.demo.requests import REQUESTS
from toolmend.agents.demo.runs import count, run_request
from toolmend.agents.demo.server import ReplayServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import TaskID

    from toolmend.agents.clients.weights import Step
    from toolmend.agents.demo.requests import Request
    from toolmend.agents.demo.runs import Outcome

SMALL_ANSWER = 160  # most tokens of one answer of the embedded model, which may otherwise ramble
ANSWER = 2000  # of any other model, which may think before it speaks
DEFAULT_MODEL = "gpt-4.1-mini"
STEPS = {"download": "downloading the model", "unpack": "unpacking it", "load": "loading it"}


def main() -> int:
    arguments = _arguments()
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = max(console.width, 150)  # a log has no edge
    parts = {"model": partial(_ask_a_model, console, arguments.requests), "replay": partial(_replay, console)}
    failures = []
    for name, show in parts.items():
        if arguments.part in (name, "all"):
            try:
                show()
            except ToolmendError as error:  # the other part may still have something to show
                failures.append(f"{type(error).__name__}: {error}\n")
                _tell(console, failures[-1])
    if failures and arguments.part == "all":  # what the other part shows is long
        console.rule("Not all of it could be shown")
        _tell(console, *failures)
    return int(bool(failures))


def _tell(console: Console, *failures: str) -> None:
    for failure in failures:
        console.print(failure, style="bold red", markup=False, soft_wrap=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=("model", "replay", "all"), default="all", help="what to show (default: all)")
    parser.add_argument(
        "--requests", type=int, default=len(REQUESTS), metavar="N", help="ask only the first N requests"
    )
    return parser.parse_args()


def _ask_a_model(console: Console, number: int) -> None:
    """Part 1: what a real model writes, and what came of it."""
    console.rule("Part 1: a real model, prompt-based, over HTTP; no reply is altered")
    with _model(console) as (llm, tokens):
        console.print(f"model: {llm.model} at {llm.base_url or os.environ.get('OPENAI_BASE_URL', 'OpenAI')}")
        started = time.monotonic()
        outcomes = _run_all(console, llm, tokens, REQUESTS[:number])
        seconds = time.monotonic() - started
    console.print(model_table(outcomes))
    console.print(model_counts(count(outcomes)))
    console.print(f"{seconds:.1f} s for {sum(len(outcome.exchanges) for outcome in outcomes)} replies\n", style="dim")


def _replay(console: Console) -> None:
    """Part 2: recorded faulty replies, served by a loopback server through the same chain."""
    console.rule("Part 2: a replay of recorded faulty replies, written by hand; no model is asked")
    with ReplayServer(RECORDED) as server:
        llm = OpenAIConfig(model="recorded", base_url=server.base_url, api_key="none")
        outcomes = [_run(llm, ANSWER, one.request, native=one.channel == "api") for one in RECORDED]
    console.print(replay_table(zip(RECORDED, outcomes, strict=True)))
    console.print(replay_counts(count(outcomes)))


@contextmanager
def _model(console: Console) -> Iterator[tuple[OpenAIConfig, int]]:
    """The server that the environment names, or the embedded model; and the longest answer to ask for."""
    if os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_KEY"):
        console.print(
            "OPENAI_BASE_URL or OPENAI_API_KEY is set: that server is asked; TOOLMEND_MODEL chooses its model"
        )
        yield OpenAIConfig(model=os.environ.get("TOOLMEND_MODEL", DEFAULT_MODEL)), ANSWER
        return
    with Steps(console) as steps, LocalModel(progress=steps.told) as model:
        steps.end()
        yield model.openai_config().model_copy(update={"temperature": 0}), SMALL_ANSWER


def _run_all(console: Console, llm: OpenAIConfig, tokens: int, requests: tuple[Request, ...]) -> list[Outcome]:
    outcomes = []
    with console.status("") as status:
        for number, request in enumerate(requests, 1):
            status.update(f"request {number} of {len(requests)}: {request.text}")
            outcomes.append(_run(llm, tokens, request))
            if not console.is_terminal:  # where no line can be renewed, each gets its own
                console.print(f"request {number} of {len(requests)}: {outcomes[-1].verdict}", style="dim")
                console.file.flush()
    return outcomes


def _run(llm: OpenAIConfig, tokens: int, request: Request, *, native: bool = False) -> Outcome:
    config = ChatAgentConfig(
        llm=llm,
        system_message=SYSTEM_MESSAGE,
        use_tools=not native,
        use_tools_api=native,
        max_output_tokens=tokens,
    )
    return run_request(HomeAgent(config), request)


class Steps:
    """Shows what happens before the model answers: a bar on a terminal, lines elsewhere."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.bar = Progress(console=console, transient=True) if console.is_terminal else None
        self.tasks: dict[str, TaskID] = {}
        self.shown: dict[str, int] = {}

    def __enter__(self) -> Self:
        if self.bar:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        if self.bar:
            self.bar.stop()

    def told(self, step: Step, done: int, total: int) -> None:
        percent = done * 100 // total
        if self.bar:
            if step not in self.tasks:
                self.tasks[step] = self.bar.add_task(STEPS[step], total=total)
            self.bar.update(self.tasks[step], completed=done)
        elif percent // 25 > self.shown.get(step, -1):
            self.shown[step] = percent // 25
            self.console.print(f"{STEPS[step]}: {percent} %")


if __name__ == "__main__":
    sys.exit(main())
