"""Time, fairly: all take turns on the same work, and ratios are taken within one turn."""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

ROUNDS: Final = 15
TURN: Final = 0.01
"""How long one turn takes at least, in seconds: many calls of what is quick."""

Work = Callable[[], object]


@dataclass(frozen=True)
class Timing:
    """How long one call takes, in seconds.

    Attributes:
        median: of all turns.
        low: the first quartile.
        high: the third quartile.
        turns: each turn, to be set against those of others.
    """

    median: float
    low: float
    high: float
    turns: tuple[float, ...]

    def ratio(self, other: Timing) -> tuple[float, float, float]:
        """How many times as long it takes as another: the median of all turns, and the quartiles.

        Args:
            other: what it is set against.
        """
        ratios = [mine / theirs for mine, theirs in zip(self.turns, other.turns, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        return middle, low, high


def alternate(works: Mapping[str, Work], rounds: int = ROUNDS) -> dict[str, Timing]:
    """Let several pieces of work take turns.

    Args:
        works: what is done, by name; an exception counts as an answer.
        rounds: how many turns each has.
    """
    gc.collect()
    gc.freeze()  # what the peers' imports left behind is not to be gone through again while one of them is timed
    repeats = {name: _repeats(work) for name, work in works.items()}
    turns: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            turns[name].append(_turn(work, repeats[name]))
    return {name: _timing(times) for name, times in turns.items()}


def once(work: Work) -> float:
    """The time of one call.

    Args:
        work: what is done.
    """
    return _turn(work, 1)


def _repeats(work: Work) -> int:
    _turn(work, 1)  # loads what is loaded when it is first needed
    took = _turn(work, 1)
    return max(1, int(TURN / max(took, 1e-7)))


def _turn(work: Work, repeats: int) -> float:
    started = time.perf_counter()
    for _ in range(repeats):
        try:  # noqa: SIM105 - free of cost, unlike a context
            work()
        except Exception:  # noqa: BLE001, S110 - a peer refuses in its own way
            pass
    return (time.perf_counter() - started) / repeats


def _timing(times: list[float]) -> Timing:
    low, middle, high = statistics.quantiles(times, n=4)
    return Timing(middle, low, high, tuple(times))


_IMPORT: Final = """
import time
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
before, started = resident(), time.perf_counter()
{code}
print(time.perf_counter() - started, resident() - before)
"""


def import_cost(code: str, rounds: int = 5) -> tuple[float, float]:
    """What an import costs in a fresh interpreter.

    Args:
        code: the import.
        rounds: how often it is tried.

    Returns:
        Seconds and megabytes, medians; NaN if it cannot be imported.
    """
    seconds, megabytes = [], []
    for _ in range(rounds):
        command = [sys.executable, "-P", "-W", "ignore", "-c", _IMPORT.format(code=code)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return float("nan"), float("nan")
        took, size = done.stdout.split()[-2:]
        seconds.append(float(took))
        megabytes.append(int(size) / 2**20)
    return statistics.median(seconds), statistics.median(megabytes)
