"""Measures toolmend and its peers on the same work, in one run: `make bench`."""

from __future__ import annotations

import argparse
import pathlib
import warnings
from typing import Final

import parts
from peers import Peer, available
from report import Table, write

ROOT: Final = pathlib.Path(__file__).parent.parent
PAGE: Final = ROOT / "docs" / "benchmarks.md"
FIGURES: Final = ROOT / "docs" / "benchmarks"


def main() -> None:
    """Run the parts that are asked for."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"some of {' '.join(parts.ALL)}; all by default")
    parser.add_argument(
        "--out", type=pathlib.Path, help="where to write; all parts: the documentation by default, some: nowhere"
    )
    asked = parser.parse_args()
    chosen = asked.parts or list(parts.ALL)
    if unknown := set(chosen) - parts.ALL.keys():
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(parts.ALL)}")
    page, figures = (PAGE, FIGURES) if asked.out is None else (asked.out / "benchmarks.md", asked.out)
    kept = asked.out is not None or not asked.parts
    peers: list[Peer] = list(available())
    tables: list[Table] = []
    drawings: dict[str, str] = {}
    for name in chosen:
        print(f"part {name} ...", flush=True)
        found, plots = parts.ALL[name](peers)
        tables += found
        drawings |= plots
        for table in found:
            print(table.markdown(), flush=True)
    if not kept:
        return
    figures.mkdir(parents=True, exist_ok=True)
    for file, drawing in drawings.items():
        (figures / file).write_text(drawing, encoding="utf-8")
    write(tables, {peer.name: peer.version for peer in peers}, page, figures)


if __name__ == "__main__":
    main()
