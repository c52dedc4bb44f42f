"""Plots as SVG: a line per series, both axes logarithmic."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

WIDTH: Final = 720
HEIGHT: Final = 400
LEFT: Final = 70
RIGHT: Final = 210
TOP: Final = 40
BOTTOM: Final = 50
COLOURS: Final = ("#0b6e4f", "#d1495b", "#30638e", "#edae49", "#6a4c93", "#8d8741", "#00798c", "#7a4419")

Points = Sequence[tuple[float, float]]


def plot(title: str, x_name: str, y_name: str, series: Mapping[str, Points]) -> str:
    """Draw lines.

    Args:
        title: what is shown.
        x_name: what the horizontal axis tells.
        y_name: what the vertical axis tells.
        series: points by name.
    """
    points = [point for line in series.values() for point in line]
    xs, ys = _Axis([x for x, _ in points], LEFT, WIDTH - RIGHT), _Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"',
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{escape(title)}</text>',
        f'<text x="{LEFT}" y="{HEIGHT - 12}">{escape(x_name)}</text>',
        f'<text x="8" y="{TOP - 8}">{escape(y_name)}</text>',
    ]
    for value in xs.ticks():
        x = xs.place(value)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{_short(value)}</text>')
    for value in ys.ticks():
        y = ys.place(value)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{_short(value)}</text>')
    for number, (name, line) in enumerate(series.items()):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{xs.place(x):.1f},{ys.place(y):.1f}" for x, y in line)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = TOP + 18 * number + 10
        parts.append(f'<path d="M{WIDTH - RIGHT + 12} {y - 4}h18" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 36}" y="{y}">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


class _Axis:
    """A logarithmic axis between two pixels."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        self.low, self.high = math.log10(min(values)), math.log10(max(values))
        self.start, self.end = start, end

    def place(self, value: float) -> float:
        """The pixel of a value."""
        share = (math.log10(value) - self.low) / ((self.high - self.low) or 1)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """The powers of ten on it."""
        return [10.0**power for power in range(math.ceil(self.low), math.floor(self.high) + 1)]


def _short(value: float) -> str:
    for size, sign in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{sign}"
    return f"{value:g}"
