"""What was measured, as Markdown and JSON."""

from __future__ import annotations

import json
import math
import pathlib
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Table:
    """One table of the report.

    Attributes:
        title: its heading.
        note: what is measured, and how to read it.
        columns: the heads.
        rows: the cells, as they are shown.
        data: the figures behind them.
        plots: the names of the plots below it.
    """

    title: str
    note: str
    columns: Sequence[str]
    rows: list[Sequence[str]] = field(default_factory=list)
    data: list[Mapping[str, Any]] = field(default_factory=list)
    plots: Sequence[str] = ()

    def markdown(self) -> str:
        """The table with its heading."""
        lines = [f"## {self.title}", "", self.note, "", _line(self.columns), _line(["---"] * len(self.columns))]
        lines += [_line(row) for row in self.rows]
        drawn = [f"![{self.title}](benchmarks/{name})" for name in self.plots]
        return "\n".join([*lines, "", *([*drawn, ""] if drawn else [])])


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def seconds(value: float) -> str:
    """A time in the unit that suits it.

    Args:
        value: seconds.
    """
    if math.isnan(value):
        return "-"
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if value * factor >= 1 or unit == "us":
            return f"{value * factor:.3g} {unit}"
    return ""


def machine() -> str:
    """What the figures were taken on."""
    return f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"


def write(tables: Sequence[Table], versions: Mapping[str, str], page: pathlib.Path, folder: pathlib.Path) -> None:
    """Write the page and the figures.

    Args:
        tables: what was measured.
        versions: the peers' versions.
        page: the Markdown page; what stands above its first table is kept.
        folder: where the JSON goes.
    """
    marker = "<!-- below this line: written by make bench -->"
    head = page.read_text(encoding="utf-8").split(marker)[0] if page.exists() else "# Benchmarks\n\n"
    listed = ", ".join(f"{name} {version}" for name, version in versions.items())
    body = "\n".join(table.markdown() for table in tables)
    page.write_text(f"{head}{marker}\n\n{machine()}. {listed}.\n\n{body}", encoding="utf-8")
    figures = {table.title: list(table.data) for table in tables}
    text = json.dumps({"machine": machine(), "versions": dict(versions), "figures": figures}, indent=1)
    (folder / "last.json").write_text(text + "\n", encoding="utf-8")
