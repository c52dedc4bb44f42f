"""The work: texts of one call, each with the arguments that are right, and texts that grow."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, Field

KB: Final = 1024
MB: Final = 1024 * KB


class Address(BaseModel):
    """Where to."""

    street: str
    zip: str
    city: str


class Order(BaseModel):
    """Order an item."""

    item: str = Field(description="what is ordered")
    count: int = Field(description="how many")
    express: bool
    tags: list[str]
    address: Address


class Record(BaseModel):
    """One row."""

    id: int
    name: str
    score: float
    tags: list[str]


class Import(BaseModel):
    """Import rows."""

    records: list[Record]


class Write(BaseModel):
    """Write a file."""

    path: str
    text: str


ORDER: Final[dict[str, Any]] = {
    "item": "espresso machine, model B-12",
    "count": 2,
    "express": True,
    "tags": ["kitchen", "gift", "fragile"],
    "address": {"street": "Karl Johans gate 22", "zip": "01620", "city": "Oslo"},
}
VALID: Final = json.dumps(ORDER)


@dataclass(frozen=True)
class Case:
    """One text.

    Attributes:
        name: what is wrong with it.
        text: the text.
        want: the right arguments; None if the text has to be refused.
        tool: the class of the tool.
    """

    name: str
    text: str
    want: Mapping[str, Any] | None
    tool: type[BaseModel] = Order


def _quoted(item: str) -> dict[str, Any]:
    return {**ORDER, "item": item}


BROKEN: Final = (
    Case("stray comma", VALID[:-1] + ",}", ORDER),
    Case("stray comma in a list", VALID.replace('"fragile"', '"fragile",'), ORDER),
    Case("missing comma", VALID.replace('2, "', '2 "'), ORDER),
    Case("single quotes", VALID.replace('"', "'"), ORDER),
    Case("Python literal", VALID.replace("true", "True"), ORDER),
    Case("keys without quotes", VALID.replace('"count"', "count").replace('"express"', "express"), ORDER),
    Case("comment", VALID.replace('2, "', '2, // two of them\n "'), ORDER),
    Case("code fence", f"```json\n{VALID}\n```", ORDER),
    Case("raw line break", VALID.replace("machine, ", "machine,\n"), _quoted("espresso machine,\nmodel B-12")),
    Case(
        "quotes not escaped", VALID.replace("espresso", 'the "espresso"'), _quoted('the "espresso" machine, model B-12')
    ),
    Case("closer missing", VALID[:-1], ORDER),
    Case("number as text", VALID.replace(": 2,", ': "2",'), ORDER),
    Case("encoded twice", json.dumps(VALID), ORDER),
    Case("in a wrapper", f'{{"arguments": {VALID}}}', ORDER),
    Case("cut off", VALID[:-40], None),
)
"""The common ways in which arguments are wrong, and a text that must not become a call."""

_BEFORE: Final = "I looked at the shop and this one fits what you asked for best. " * 6
_CALL: Final = {"name": "order", "arguments": ORDER}
DIALECTS: Final = (
    Case("JSON alone", json.dumps(_CALL), ORDER),
    Case("Hermes tags", f"{_BEFORE}\n<tool_call>\n{json.dumps(_CALL)}\n</tool_call>", ORDER),
    Case("Mistral", f"{_BEFORE}[TOOL_CALLS][{json.dumps(_CALL)}]", ORDER),
    Case("Llama", f"<|python_tag|>{json.dumps({'name': 'order', 'parameters': ORDER})}", ORDER),
    Case("JSON in a fence", f"{_BEFORE}\n\n```json\n{json.dumps(_CALL)}\n```", ORDER),
)
PROSE: Final = (
    "The model weighs the options (there are several), and then it says why: speed, cost, care. Then it goes on.\n"
)


def prose(size: int) -> str:
    """Prose without a call, with the marks that prose has.

    Args:
        size: about how many characters.
    """
    return PROSE * (size // len(PROSE))


def records(size: int) -> list[dict[str, Any]]:
    """Rows.

    Args:
        size: about how many characters their JSON takes.
    """
    return [
        {"id": number, "name": f"name {number} of many", "score": number / 7, "tags": ["a", "bb", "ccc"]}
        for number in range(size // 95)
    ]


def large(size: int) -> tuple[Case, ...]:
    """Large arguments, right and with one stray comma.

    Args:
        size: about how many characters.
    """
    rows = {"records": records(size)}
    text = {"path": "/tmp/notes.md", "text": 'The quick brown fox\n says "hi" to the lazy dog. ' * (size // 50)}
    valid = (("records", rows, Import), ("one long text", text, Write))
    right = [Case(name, json.dumps(value), value, tool) for name, value, tool in valid]
    broken = [Case(f"{case.name}, stray comma", case.text[:-1] + ",}", case.want, case.tool) for case in right]
    return (*right, *broken)


def _list(item: str) -> Callable[[int], str]:
    return lambda size: '{"records": [' + ", ".join([item] * (size // (len(item) + 2))) + "],}"


def _text(part: str, end: str = '",}') -> Callable[[int], str]:
    return lambda size: '{"path": "/", "text": "' + part * (size // len(part)) + end


GROWING: Final[Mapping[str, Callable[[int], str]]] = {
    "list of objects, stray comma": _list('{"id": 1, "name": "n", "score": 1.5, "tags": ["a"]}'),
    "objects with bare keys": _list('{id: 1, name: "n", score: 1.5, tags: ["a"]}'),
    "objects, each with a stray comma": _list('{"id": 1, "name": "n", "score": 1.5, "tags": ["a"],}'),
    "long text, stray comma": _text("word and "),
    "escaped quotes": _text(r"say \"hi\" \n"),
    "bare inner quotes": _text('say "hi" now '),
    "text without end": _text("word, and ", end=""),
    "quotes only": lambda size: '"' * size,
    "opened lists": lambda size: "[" * size,
    "opened objects": lambda size: '{"a":' * (size // 5),
    "closers": lambda size: '{"a": 1' + "}" * size,
    "commas": lambda size: '{"path": "/"' + "," * size + "}",
    "colons": lambda size: '{"path"' + ":" * size + "1}",
    "backslashes": lambda size: '{"path": "' + "\\" * size + '"}',
    "prose with braces": lambda size: "some {words} here " * (size // 18),
    "many objects in a row": lambda size: '{"a": 1} ' * (size // 9),
    "comment without end": lambda size: '{"path": /* ' + "x " * (size // 2),
    "bare words": lambda size: '{"path": ' + "word " * (size // 5) + "}",
}
"""Families of texts that grow, hostile ones among them."""
