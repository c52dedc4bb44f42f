"""Texts made to cost: each ends soon, with one clear outcome."""

from __future__ import annotations

import time

import pytest

from toolmend.toolkit import ToolMessage, ToolRegistry

MANY = 300_000


class Plain(ToolMessage, name="plain"):
    a: str
    b: list[int] | None = None


REGISTRY = ToolRegistry([Plain])
REGISTRY.add_schema("unique", "", {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}})
TEXTS = {
    "quotes": '"' * MANY,
    "backslashes": "\\" * MANY,
    "braces": "{" * MANY,
    "brackets": "[" * MANY,
    "commas": "," * MANY,
    "nesting": '{"a":' * MANY,
    "open string": '{"a":"' + "x" * MANY,
    "inner quotes": '{"a": "' + '" ' * MANY + '"}',
    "keys": "{" + ",".join(f'"k{number}":1' for number in range(10_000)) + "}",
    "keys without quotes": "{" + ",".join(f"k{number}:1" for number in range(10_000)) + "}",
    "unique objects": '{"a":[' + ",".join(f'{{"x":{number}}}' for number in range(10_000)) + "]}",
    "same objects": '{"a":[' + ",".join(['{"x":1}'] * 10_000) + "]}",
    "digits": '{"a":' + "9" * 5000 + "}",
    "half characters": '{"a":"' + "\ud800" * MANY + '"}',
    "tags": "<" * MANY,
    "reasoning": "<think>" * (MANY // 7),
    "fences": "```\n" * (MANY // 4),
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_no_text_costs_much(text: str) -> None:
    """A call has one outcome, told in a few words; the same as a message is searched in bounded work."""
    started = time.process_time()
    for name in ("plain", "unique"):
        result = REGISTRY.parse_call(name, text)
        assert len(result.items) == 1
        assert all(len(error.message) < 3000 for error in result.errors)
    REGISTRY.parse_text(text)
    assert time.process_time() - started < 5
