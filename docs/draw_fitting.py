"""Draws the pictures of docs/long-conversations.md from real runs: `make docs`.

Tokens are words here, so that the pictures need no vocabulary and the sizes can be read off the code.
"""

from __future__ import annotations

import html
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field

from toolmend.agents.errors import ContextOverflowError
from toolmend.agents.fitting import Fitted, fit_history
from toolmend.agents.sizes import MessageCounter
from toolmend.repairs.record import JsonValue

HERE = pathlib.Path(__file__).parent
WIDTH = 860
LEFT = 190
COLOURS = {
    "system": "#8d6cab",
    "user": "#4c78a8",
    "assistant": "#72b7b2",
    "tool": "#eeca3b",
    "output": "#54a24b",
    "buffer": "#c8c8c8",
    "gone": "#e8b4b0",
}
LONG = [
    {"role": "system", "content": "rule " * 100},
    *({"role": "user" if at % 2 == 0 else "assistant", "content": "word " * 300} for at in range(4)),
    {"role": "user", "content": "And what does that come to?"},
]


class Words:
    """A tokenizer with a token for each word."""

    def count(self, text: str, /) -> int:
        """How many words a text has."""
        return len(text.split())

    def head(self, text: str, tokens: int, /) -> str:
        """Its first words."""
        return " ".join(text.split()[:tokens])


@dataclass
class Canvas:
    """Shapes, one below the other."""

    height: int = 10
    shapes: list[str] = field(default_factory=list)

    def box(self, x: float, width: float, colour: str, tip: str, height: int = 26) -> None:
        """A box at the present height."""
        self.shapes.append(
            f'<rect x="{x:.1f}" y="{self.height}" width="{max(width, 0.5):.1f}" height="{height}" fill="{colour}" '
            f'stroke="#fff"><title>{html.escape(tip)}</title></rect>'
        )

    def text(self, x: float, text: str, *, below: int = 17, anchor: str = "start", colour: str = "#222") -> None:
        """A line of text at the present height."""
        place = f'x="{x:.1f}" y="{self.height + below}" text-anchor="{anchor}"'
        self.shapes.append(f'<text {place} fill="{colour}">{html.escape(text)}</text>')

    def line(self, x: float, until: int, text: str) -> None:
        """A dashed line down from the present height."""
        self.shapes.append(f'<path d="M{x:.1f} {self.height}V{until}" stroke="#b22222" stroke-dasharray="4 3"/>')
        self.text(x, text, below=-4, anchor="end", colour="#b22222")

    def picture(self, title: str) -> str:
        """The finished picture."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.height + 10}" role="img" '
            f'viewBox="0 0 {WIDTH} {self.height + 10}" font-family="sans-serif" font-size="12">'
        )
        ground = '<rect width="100%" height="100%" fill="#fff"/>'
        return "\n".join((head, f"<title>{html.escape(title)}</title>", ground, *self.shapes, "</svg>\n"))


def fitted(length: int, output: int, messages: list[dict[str, JsonValue]] = LONG, **more: JsonValue) -> Fitted:
    """A run of the real thing."""
    return fit_history(messages, context_length=length, max_output_tokens=output, counter=Words(), **more)


def stages() -> str:
    """The same conversation in windows that get smaller: what is sent, what is granted, what is kept free."""
    counter, canvas = MessageCounter(Words()), Canvas(34)
    runs: list[tuple[str, int, dict[str, JsonValue]]] = [
        ("1. fits", 2200, {}),
        ("2. output shrunk", 1900, {}),
        ("3. truncate", 1500, {}),
        ("3. drop_turns", 1500, {"strategy": "drop_turns"}),
        ("4. error", 640, {}),
    ]
    scale = (WIDTH - LEFT - 20) / runs[0][1]
    for label, length, more in runs:
        canvas.text(10, label)
        canvas.line(LEFT + length * scale, canvas.height + 32, f"window {length}")
        try:
            run = fitted(length, 700, **more)
        except ContextOverflowError as error:
            canvas.text(LEFT + length * scale + 12, f"ContextOverflowError: at least {error.needed} tokens are needed")
            canvas.height += 62
            continue
        x = float(LEFT)
        for message in run.messages:
            size = counter.message(message)
            canvas.box(x, size * scale, COLOURS[message["role"]], f"{message['role']}: {size} tokens")
            x += size * scale
        granted = run.max_output_tokens or 0
        canvas.box(x, granted * scale, COLOURS["output"], f"output: {granted} tokens")
        canvas.text(x + granted * scale / 2, str(granted), anchor="middle", colour="#fff")
        x += granted * scale
        canvas.box(x, LEFT + length * scale - x, COLOURS["buffer"], "kept free")
        canvas.height += 62
    x = float(LEFT)
    canvas.height -= 20
    for name in ("system", "user", "assistant", "output", "buffer"):
        canvas.box(x, 14, COLOURS[name], name, height=14)
        canvas.text(x + 20, {"buffer": "kept free"}.get(name, name), below=12)
        x += 110
    canvas.height += 18
    return canvas.picture("One conversation in five windows")


def distribution() -> str:
    """Five contents that are 400 tokens too long together: what each keeps, and what it gives up."""
    sizes, words = (300, 300, 35, 300, 300), Words()
    messages = [{"role": "assistant", "content": "word " * size} for size in sizes]
    messages.append({"role": "user", "content": "And what does that come to?"})
    needed = MessageCounter(words).request(messages)
    run = fitted(needed - 400 + 364, 400, messages)
    canvas, scale = Canvas(16), (WIDTH - LEFT - 180) / max(sizes)
    for at, (size, message) in enumerate(zip(sizes, run.messages, strict=False)):
        head, _, marker = str(message["content"]).partition("\n")
        kept, marked = words.count(head), words.count(marker)
        canvas.text(10, f"{at + 1}. content of {size} tokens")
        canvas.box(LEFT, kept * scale, COLOURS["assistant"], f"kept: {kept}")
        if marked:
            canvas.box(LEFT + kept * scale, marked * scale, COLOURS["tool"], f"marker: {marked}")
            canvas.box(LEFT + (kept + marked) * scale, (size - kept - marked) * scale, COLOURS["gone"], "gone")
        note = f"{kept} kept, {marked} for the marker" if marked else "left alone: near the floor"
        canvas.text(LEFT + size * scale + 8, note)
        canvas.height += 34
    canvas.shapes.append(
        f'<path d="M{LEFT + 30 * scale:.1f} 8V{canvas.height}" stroke="#b22222" stroke-dasharray="4 3"/>'
    )
    canvas.text(LEFT + 30 * scale, "floor: 30", anchor="middle", colour="#b22222", below=12)
    canvas.height += 16
    return canvas.picture("An excess of 400 tokens spread over contents")


PICTURES: dict[str, Callable[[], str]] = {"fitting-stages.svg": stages, "fitting-distribution.svg": distribution}


def main() -> None:
    """Write the pictures anew."""
    for name, draw in PICTURES.items():
        (HERE / name).write_text(draw(), encoding="utf-8")


if __name__ == "__main__":
    main()
