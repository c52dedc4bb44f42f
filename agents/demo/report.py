"""The tables of the demo."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from toolmend.repairs.record import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    from toolmend.agents.demo.recorded import Recorded
    from toolmend.agents.demo.runs import Counts, Exchange, Outcome, Verdict
    from toolmend.repairs.record import Repair

__all__ = ("model_counts", "model_table", "replay_counts", "replay_table")

VERDICTS: dict[Verdict, tuple[str, str]] = {
    "strict": ("right as strict JSON", "green"),
    "found": ("right once it was found", "green"),
    "mended": ("right after mending", "green"),
    "asked_again": ("right after the error went back", "cyan"),
    "wrong_meaning": ("ran, with a wrong meaning", "red"),
    "no_call": ("nothing ran", "yellow"),
}
SHOWN = 160  # characters of a snippet


def model_table(outcomes: Iterable[Outcome]) -> Table:
    """What the model made of each request, turn by turn.

    Args:
        outcomes: one per request.
    """
    table = _table("request")
    for number, outcome in enumerate(outcomes, 1):
        _add_rows(table, f"{number}. {outcome.request.text}", outcome)
    return table


def replay_table(outcomes: Iterable[tuple[Recorded, Outcome]]) -> Table:
    """What came of each recorded reply, turn by turn.

    Args:
        outcomes: what was served, with what came of it.
    """
    table = _table("kind of fault")
    for number, (recorded, outcome) in enumerate(outcomes, 1):
        _add_rows(table, f"{number}. {recorded.kind}", outcome)
    return table


def model_counts(counts: Counts) -> Text:
    """The three counts of the requests to the model, and the rest.

    Args:
        counts: how many came to what.
    """
    lines = [
        f"{counts.strict:3} of {counts.total} right as strict JSON alone",
        _after_mending(counts),
        f"{counts.wrong_meaning:3} of {counts.total} ran, but with a wrong meaning: no mending may touch a valid call",
    ]
    return Text("\n".join([*lines, *_rest(counts)]))


def replay_counts(counts: Counts) -> Text:
    """The same counts for the recorded replies.

    Args:
        counts: how many came to what.
    """
    lines = [
        f"{counts.strict:3} of {counts.total} right as strict JSON alone",
        _after_mending(counts),
        f"{counts.wrong_meaning:3} of {counts.total} ran, but with a wrong meaning",
    ]
    return Text("\n".join([*lines, *_rest(counts)]))


def _after_mending(counts: Counts) -> str:
    right = counts.strict + counts.found + counts.mended
    thanks = f"{counts.mended} thanks to repairs, {counts.found} to finding the call within other text"
    return f"{right:3} of {counts.total} right after mending ({thanks})"


def _rest(counts: Counts) -> list[str]:
    lines = []
    if counts.asked_again:
        lines.append(
            f"{counts.asked_again:3} of {counts.total} refused with an error, and right when the model was asked again"
        )
    if counts.no_call:
        lines.append(f"{counts.no_call:3} of {counts.total} came to no call that ran")
    return lines


def _table(first: str) -> Table:
    table = Table(box=box.HORIZONTALS, show_lines=False, expand=True, pad_edge=False)
    table.add_column(first, ratio=3, overflow="fold")
    table.add_column("what the model wrote", ratio=6, overflow="fold")
    table.add_column("repairs on record", ratio=5, overflow="fold")
    table.add_column("what came of it", ratio=5, overflow="fold")
    return table


def _add_rows(table: Table, label: str, outcome: Outcome) -> None:
    word, style = VERDICTS[outcome.verdict]
    for turn, exchange in enumerate(outcome.exchanges):
        last = turn == len(outcome.exchanges) - 1
        first = Text(label) if turn == 0 else Text("   the model's next turn", style="dim")
        came = _results(exchange)
        if last:
            came.append(f"\n{word}", style=f"bold {style}")
        row: Sequence[RenderableType] = (first, Text(exchange.wrote), _repairs(exchange), came)
        table.add_row(*row, end_section=last)


def _repairs(exchange: Exchange) -> Text:
    if not exchange.repairs:
        return Text(f"none; read as {exchange.read_as}" if exchange.read_as else "-", style="dim")
    groups = itertools.groupby(sorted(exchange.repairs, key=lambda repair: repair.rule), key=lambda repair: repair.rule)
    return Text("\n".join(_repair(list(group)) for _, group in groups))


def _repair(alike: list[Repair]) -> str:
    """Repairs by the same rule in one line: the first as it is, the others counted."""
    first = alike[0]
    place = f" at {pointer(first.path)}" if first.path else ""
    change = f": {first.before or 'nothing'} -> {first.after or 'nothing'}" if first.before or first.after else ""
    more = f", and {len(alike) - 1} more" if len(alike) > 1 else ""
    return f"{first.rule} ({first.kind}){place}{change}{more}"


def _results(exchange: Exchange) -> Text:
    if not exchange.results:
        return Text("no call", style="dim")
    text = Text()
    for number, result in enumerate(exchange.results):
        text.append("\n" if number else "")
        text.append("ran: " if result.ok else "error to the model: ", style="dim")
        text.append(result.text)
    return text
