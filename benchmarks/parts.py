"""The parts of the benchmark, by the letters under which the page tells them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import work
from measure import Timing, alternate, import_cost, once
from peers import Peer
from pydantic import BaseModel, create_model
from pydantic_core import to_jsonable_python
from report import Table, seconds
from svg import plot

SOON: Final = 0.2
"""What took less, in seconds, is tried again, and the shortest time counts."""

Part = Callable[[Sequence[Peer]], tuple[list[Table], dict[str, str]]]

PATIENCE: Final = 3.0
"""A text that took longer, in seconds, is not tried in a larger size."""


def verdict(read: Callable[[str], object], case: work.Case, value: Callable[[Any], object] = lambda made: made) -> str:
    """Whether an answer is right, wrong, or none.

    Args:
        read: reads the text.
        case: the text, with the arguments that are right.
        value: the arguments in what was read.
    """
    try:
        made = value(read(case.text))
    except Exception:  # noqa: BLE001 - a peer refuses in its own way
        made = None
    if made is None:
        return "right" if case.want is None else "refused"
    got = to_jsonable_python(made)
    return "right" if json.dumps(got, sort_keys=True) == json.dumps(case.want, sort_keys=True) else "wrong"


def valid(peers: Sequence[Peer]) -> tuple[list[Table], dict[str, str]]:
    """(a) right arguments of an API call."""
    case = work.Case("valid", work.VALID, work.ORDER)
    reads: dict[str, Callable[[str], object]] = {"pydantic alone": work.Order.model_validate_json}
    reads |= _readers(peers, work.Order)
    timings = alternate({name: _on(read, case.text) for name, read in reads.items()}, rounds=31)
    note = f"{len(case.text)} characters, five fields, one of them an object."
    table = Table("(a) right arguments of an API call", note, ("", "answer", "time", "times pydantic alone"))
    values = {peer.name: peer.value for peer in peers}
    for name, read in reads.items():
        answer = verdict(read, case, values.get(name, lambda made: made))
        middle, low, high = timings[name].ratio(timings["pydantic alone"])
        table.rows.append((name, answer, seconds(timings[name].median), f"{middle:.2f} ({low:.2f} to {high:.2f})"))
        table.data.append({**_row(name, case.name, timings[name], answer), "ratio": [middle, low, high]})
    return [table], {}


def broken(peers: Sequence[Peer]) -> tuple[list[Table], dict[str, str]]:
    """(b) the same arguments, wrong in one of the common ways."""
    reads, values = _readers(peers, work.Order), {peer.name: peer.value for peer in peers}
    note = "Time, and what came out: nothing is said for right (of the cut text, an error), else `refused` or `WRONG`."
    table = Table("(b) the same, wrong in a common way", note, ("", *reads))
    counts = dict.fromkeys(reads, 0), dict.fromkeys(reads, 0)
    for case in work.BROKEN:
        timings = alternate({name: _on(read, case.text) for name, read in reads.items()}, rounds=9)
        answers = {name: verdict(read, case, values[name]) for name, read in reads.items()}
        for name, answer in answers.items():
            counts[0][name] += answer == "right"
            counts[1][name] += answer == "wrong"
        table.rows.append((case.name, *(_cell(timings[name], answers[name]) for name in reads)))
        table.data += [_row(name, case.name, timings[name], answers[name]) for name in reads]
    table.rows.append(("right / wrong", *(f"{counts[0][name]} / {counts[1][name]}" for name in reads)))
    return [table], {}


def dialects(peers: Sequence[Peer]) -> tuple[list[Table], dict[str, str]]:
    """(c) a call in a message."""
    reads = {peer.name: peer.content(work.Order) for peer in peers if peer.content is not None}
    values = {peer.name: peer.value for peer in peers}
    table = Table("(c) a call in a message", "About 600 characters; the arguments are those of (a).", ("", *reads))
    for case in work.DIALECTS:
        timings = alternate({name: _on(read, case.text) for name, read in reads.items()}, rounds=15)
        answers = {name: verdict(read, case, values[name]) for name, read in reads.items()}
        table.rows.append((case.name, *(_cell(timings[name], answers[name]) for name in reads)))
        table.data += [_row(name, case.name, timings[name], answers[name]) for name in reads]
    return [table], {}


def prose(peers: Sequence[Peer]) -> tuple[list[Table], dict[str, str]]:
    """(d) prose without a call."""
    reads = {peer.name: peer.content(work.Order) for peer in peers if peer.content is not None}
    table = Table("(d) prose without a call", "Megabytes of prose that are searched in a second.", ("", *reads))
    sizes = (8 * work.KB, 54 * work.KB, work.MB)
    for size, larger in zip(sizes, (*sizes[1:], 0), strict=True):
        text = work.prose(size)
        timings = alternate({name: _on(read, text) for name, read in reads.items()}, rounds=5)
        shown = {name: f"{len(text) / timing.median / work.MB:.3g} MB/s" for name, timing in timings.items()}
        table.rows.append((f"{size // work.KB} KB", *(shown.get(name, "too slow") for name in table.columns[1:])))
        table.data += [_row(name, f"{size // work.KB} KB", timing, "") for name, timing in timings.items()]
        reads = {name: read for name, read in reads.items() if timings[name].median * larger / size < PATIENCE}
    return [table], {}


def large(peers: Sequence[Peer]) -> tuple[list[Table], dict[str, str]]:
    """(e) arguments of a megabyte."""
    chosen = [peer for peer in peers if peer.package in {"toolmend", "json-repair", "fast-json-repair"}]
    columns = ("json.loads + pydantic", *(peer.name for peer in chosen))
    table = Table("(e) arguments of a megabyte", "A list of 11,000 objects, and one string.", ("", *columns))
    for case in work.large(work.MB):
        tool = case.tool
        reads: dict[str, Callable[[str], object]] = {"json.loads + pydantic": _plainly(tool)}
        reads |= _readers(chosen, tool)
        slow = {name for name, read in reads.items() if once(_on(read, case.text)) > PATIENCE}
        timings = alternate({n: _on(read, case.text) for n, read in reads.items() if n not in slow}, rounds=7)
        values = {peer.name: peer.value for peer in peers}
        answers = {
            name: verdict(read, case, values.get(name, lambda made: made))
            for name, read in reads.items()
            if name not in slow
        }
        cells = [f"over {PATIENCE:.0f} s" if name in slow else _cell(timings[name], answers[name]) for name in reads]
        table.rows.append((case.name, *cells))
        table.data += [_row(name, case.name, timing, answers[name]) for name, timing in timings.items()]
    return [table], {}


def growth(peers: Sequence[Peer]) -> tuple[list[Table], dict[str, str]]:
    """(f) texts that grow."""
    chosen = [peer for peer in peers if peer.package in {"toolmend", "json-repair", "fast-json-repair"}]
    sizes = [8 * work.KB, 32 * work.KB, 128 * work.KB, work.MB]
    columns = ("", "peer", *(f"{size // work.KB} KB" for size in sizes), "time per byte, 1 MB to 8 KB")
    note = f"Time; what took more than {PATIENCE:.0f} s is not tried in a larger size."
    table = Table("(f) hostile and broken texts that grow", note, columns)
    plots: dict[str, str] = {}
    for number, (family, make) in enumerate(work.GROWING.items()):
        tool = work.Import if make(100).startswith('{"records"') else work.Write
        lines: dict[str, list[tuple[float, float]]] = {}
        for name, read in _readers(chosen, tool).items():
            lines[name] = _grown(read, make, sizes)
            times = [took for _, took in lines[name]] + [math.nan] * (len(sizes) - len(lines[name]))
            factor = times[-1] / times[0] / (sizes[-1] / sizes[0])
            shown = [seconds(took) for took in times]
            table.rows.append((family, name, *shown, "-" if math.isnan(factor) else f"{factor:.2g}"))
            table.data.append({"case": family, "peer": name, "sizes": sizes, "seconds": times[: len(lines[name])]})
        if number in (0, 3, 5):
            plots[f"growth-{number}.svg"] = plot(family, "characters", "seconds", lines)
    table.plots = tuple(plots)
    return [table], plots


def imports(peers: Sequence[Peer]) -> tuple[list[Table], dict[str, str]]:
    """(g) what an import costs."""
    table = Table(
        "(g) import",
        "In a fresh interpreter, medians of five; of each what a program uses first. A dash: it cannot be imported.",
        ("", "time", "memory"),
    )
    imported = {"pydantic": "import pydantic; pydantic.BaseModel", "toolmend, nothing used": "import toolmend.toolkit"}
    for name, code in {**imported, **{peer.name: peer.importing for peer in peers}}.items():
        took, megabytes = import_cost(code)
        table.rows.append((name, seconds(took), f"{megabytes:.0f} MB"))
        table.data.append({"peer": name, "seconds": took, "megabytes": megabytes})
    return [table], {}


def schemas(peers: Sequence[Peer]) -> tuple[list[Table], dict[str, str]]:
    """(i) what a model is told of a hundred tools."""
    tools: list[type[BaseModel]] = []
    for number in range(100):
        made: type[BaseModel] = create_model(f"Order{number}", __doc__="Order an item.", __base__=work.Order)
        tools.append(made)
    makers = {peer.name: peer.schemas(tools) for peer in peers if peer.schemas is not None}
    note = "Schemas (and, of toolmend, the prompt text) of 100 tools, asked for once more: what each request costs."
    table = Table("(i) what a model is told of 100 tools", note, ("", "time"))
    for name, timing in alternate(makers, rounds=9).items():
        table.rows.append((name, seconds(timing.median)))
        table.data.append(_row(name, "100 tools", timing, ""))
    return [table], {}


ALL: Final[Mapping[str, Part]] = {
    "a": valid,
    "b": broken,
    "c": dialects,
    "d": prose,
    "e": large,
    "f": growth,
    "g": imports,
    "i": schemas,
}


def _readers(peers: Sequence[Peer], tool: type[BaseModel]) -> dict[str, Callable[[str], object]]:
    made = {peer.name: peer.arguments(tool) for peer in peers if peer.arguments is not None}
    return {name: read for name, read in made.items() if read is not None}


def _plainly(tool: type[BaseModel]) -> Callable[[str], object]:
    return lambda text: tool.model_validate(json.loads(text))


def _on(read: Callable[[str], object], text: str) -> Callable[[], object]:
    return lambda: read(text)


def _grown(
    read: Callable[[str], object], make: Callable[[int], str], sizes: Sequence[int]
) -> list[tuple[float, float]]:
    line: list[tuple[float, float]] = []
    for size in sizes:
        text = make(size)
        took = once(_on(read, text))
        if took < SOON:
            took = min(took, *(once(_on(read, text)) for _ in range(4)))
        line.append((size, took))
        if took > PATIENCE:
            break
    return line


def _cell(timing: Timing, answer: str) -> str:
    remark = {"right": "", "refused": " refused", "wrong": " WRONG"}[answer]
    return f"{seconds(timing.median)}{remark}"


def _row(name: str, case: str, timing: Timing, answer: str) -> dict[str, Any]:
    return {
        "peer": name,
        "case": case,
        "answer": answer,
        "median": timing.median,
        "quartiles": [timing.low, timing.high],
    }
