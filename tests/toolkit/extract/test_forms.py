"""Each small reader by itself: what it takes for a call, what for a broken one, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from toolmend.repairs.numbers import plain
from toolmend.toolkit.extract.braces import read_braces
from toolmend.toolkit.extract.candidate import Found
from toolmend.toolkit.extract.harmony import read_message
from toolmend.toolkit.extract.pythonic import read_pythonic, read_quoted
from toolmend.toolkit.extract.react import read_react
from toolmend.toolkit.extract.reasoning import closer_of
from toolmend.toolkit.extract.source import Source
from toolmend.toolkit.extract.tooltag import read_tool_tag
from toolmend.toolkit.extract.yamlish import read_yamlish

SourceOf: TypeAlias = Callable[..., Source]


def told(found: Found | None) -> list[Any] | None:
    """Name and arguments of each part, the kind of error in place of the arguments."""
    if found is None:
        return None
    return [(part.name, part.fault.kind if part.fault is not None else plain(part.arguments)) for part in found.parts]


def test_braces_end_where_they_are_closed(source_of: SourceOf) -> None:
    """What stands behind is none of theirs, blanks included."""
    found = read_braces(source_of("call:fill{selector:x}  \n\nDone."), 0)
    assert found is not None
    assert found.end == len("call:fill{selector:x}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call:fill{selector:#go,count:2}", [("fill", {"selector": "#go", "count": 2})]),
        ('call:fill{selector:<|"|>a, {b}<|"|>}', [("fill", {"selector": "a, {b}"})]),
        (
            "call:fill{selector:<escape>02<escape>,tags:[<escape>x<escape>,y]}",
            [("fill", {"selector": "02", "tags": ["x", "y"]})],
        ),
        ('call:fill(selector: "#go", count = 2)', [("fill", {"selector": "#go", "count": 2})]),
        ("call:default_api:fill{selector:x}", [("default_api:fill", {"selector": "x"})]),
        ("call:ping{}", [("ping", {})]),
        ('call:fill{"selector":"https://x.y/z"}', [("fill", {"selector": "https://x.y/z"})]),
        ("call:fill{selector:https://x.y/z}", [("fill", {"selector": "https://x.y/z"})]),
        ("call:fill{selector:a,selector:b}", [("fill", "not_json")]),
        ("call:fill{selector:a, b}", [("fill", "not_json")]),
        ("call:fill{selector:}", [("fill", "not_json")]),
        ("call:fill{selector:#g", [("fill", "cut_off")]),
        ("call:fill{selector:<escape>#g", [("fill", "cut_off")]),
        ("call:fill{selector:#go,", [("fill", "cut_off")]),
        ("call:fill" + "{a:" * 200, [("fill", "too_deep")]),
        ("call me", None),
    ],
)
def test_braces(text: str, expected: list[Any] | None, source_of: SourceOf) -> None:
    """Keys need no quotes, strings stand between tokens, and the schema gives bare values their types."""
    assert told(read_braces(source_of(text), 0)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Action: fill\nAction Input: {"selector": "#go"}', [("fill", '{"selector": "#go"}')]),
        ('**Action:** `fill`\n**Action Input:** {"selector": "#go"}', [("fill", '{"selector": "#go"}')]),
        ('Action: fill\nAction Input:\n```json\n{"selector": "#go"}\n```', [("fill", '{"selector": "#go"}')]),
        ("Action: fill\nAction Input: 'a b'\n", [("fill", '"a b"')]),
        ("Action: fill\nAction Input: a b\nObservation: x", [("fill", '"a b"')]),
        ("Action: ping\nAction Input: \nObservation: x", [("ping", '""')]),
        ("Action: fill\nAction Input: a b", [("fill", "cut_off")]),
        ('Action: fill\nAction Input: {"selector": "#g', [("fill", "cut_off")]),
        ("Action: press the button\nAction Input: now", None),
        ("Action: fill\nand so on", None),
    ],
)
def test_react(text: str, expected: list[Any] | None, source_of: SourceOf) -> None:
    """An action of one word with its input right after it; plain words end at the next label, or are cut."""
    assert told(read_react(source_of(text), 0)) == expected


def test_react_takes_plain_words_at_the_end_if_the_model_stopped(source_of: SourceOf) -> None:
    """Nothing can be missing then."""
    found = read_react(source_of("Action: fill\nAction Input: a b", complete=True), 0)
    assert told(found) == [("fill", '"a b"')]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tool: fill\narguments:\n  selector: NO\n  count: 2\n\nDone.", [("fill", {"selector": "NO", "count": 2})]),
        ('name: fill\nparameters:\n  selector: "a: b"\n', [("fill", {"selector": "a: b"})]),
        (
            "name: fill\narguments:\n  selector: 'x'\n  tags:\n  - a\n  - b c\n  count: 1\n\n.",
            [("fill", {"selector": "x", "tags": ["a", "b c"], "count": 1})],
        ),
        ("name: ping\narguments: {}", [("ping", {})]),
        ("name: fill\narguments:\n  selector: #go", [("fill", "cut_off")]),
        ("name: fill\narguments:\n  selector: |\n    a\n", [("fill", "not_json")]),
        ("name: fill\narguments:\n  selector: a\n  selector: b\n", [("fill", "not_json")]),
        ("name: fill\narguments:\n  selector: a\n      count: 1\n", [("fill", "not_json")]),
        ("name: fill\narguments:\n  selector:\n", [("fill", "not_json")]),
        ("name: fill\non: push\n", None),
        ("tools: fill\n", None),
    ],
)
def test_yamlish(text: str, expected: list[Any] | None, source_of: SourceOf) -> None:
    """One level of lines, their values text that the schema types; a bare value at the very end counts as cut."""
    assert told(read_yamlish(source_of(text), 0)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<fill>\n<selector>\na <b>\n</selector>\n</fill>", [("fill", {"selector": "a <b>"})]),
        ("<ping></ping>", [("ping", {})]),
        ('<fill>{"selector": "#go"}</fill>', [("fill", '{"selector": "#go"}')]),
        ("<fill><selector>a", [("fill", "cut_off")]),
        ("<fill>the form</fill>", None),
        ("<fill><b>x</b></fill>", None),
        ("<Fill><selector>a</selector></Fill>", None),
        ("<div><selector>a</selector></div>", None),
    ],
)
def test_tool_tags(text: str, expected: list[Any] | None, source_of: SourceOf) -> None:
    """A tag counts only if it is named exactly like a tool and holds a parameter of it."""
    assert told(read_tool_tag(source_of(text), 0)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[fill(selector='a'), ping()]", [("fill", {"selector": "a"}), ("ping", {})]),
        ("fill('a', 2)", [("fill", {"selector": "a", "count": 2})]),
        ("fill('a', count=2)", [("fill", {"selector": "a", "count": 2})]),
        ("fill({'selector': 'a'})", [("fill", {"selector": "a"})]),
        ("fill('a', count=true)", [("fill", {"selector": "a", "count": True})]),
        ("fill('a', '2')", [("fill", "not_json")]),
        ("fill('a', selector='b')", [("fill", "not_json")]),
        ("fill('a', 1, [], 4)", [("fill", "not_json")]),
        ("fill(**{'selector': 'a'})", [("fill", "not_json")]),
        ("print(fill(selector='a'), 2)", [("fill", "not_json")]),
        ("[fill(selector='a'), 7]", [("fill", "not_json")]),
        ("[fill(selector='a') for x in y]", [("fill", "not_json")]),
        ("[fill(selector='a'", [("fill", "cut_off")]),
        ("[fill(selector='a')", [("fill", {"selector": "a"})]),
        ("[fill(selector='a')] + [ping()]", [("fill", {"selector": "a"}), ("ping", {})]),
        ("[ping()] + [ping()]\n+ [fill('a')]", [("ping", {}), ("ping", {}), ("fill", {"selector": "a"})]),
        ("[ping()] + [x for x in y]", [("ping", "not_json")]),
        ("[ping()] + ping()", [("ping", "not_json")]),
        ("[ping() + ping()]", [("ping", "not_json")]),
        ("[fill(selector='a', count=2], [x]", [("fill", {"selector": "a", "count": 2})]),
        ("[fill(selector='a'), fill('b']", [("fill", {"selector": "a"}), ("fill", {"selector": "b"})]),
        ("[]", []),
        ("[1, 2]", None),
        ("plain words", None),
    ],
)
def test_call_syntax(text: str, expected: list[Any] | None, source_of: SourceOf) -> None:
    """Literals only; values without a keyword take the schema's order if all of them fit as they stand."""
    assert told(read_pythonic(source_of(text), 0)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('["fill(selector=\'a\')", "ping()"]', [("fill", {"selector": "a"}), ("ping", {})]),
        ("['fill(selector='a')']", [("fill", {"selector": "a"})]),
        ("[{'fill(selector='a')}]", [("fill", {"selector": "a"})]),
        ('"fill(selector=\\"a\\")"', [("fill", {"selector": "a"})]),
        ("\"[fill(selector='a'), ping()]\"", [("fill", {"selector": "a"}), ("ping", {})]),
        ('["fill", "ping"]', None),
        ('["fill(x) is a call"]', None),
    ],
)
def test_quoted_calls(text: str, expected: list[Any] | None, source_of: SourceOf) -> None:
    """A call that is quoted as a whole is one, its own quotes escaped or not."""
    assert told(read_quoted(source_of(text), 0)) == expected


@pytest.mark.parametrize(
    ("text", "recipient", "channel"),
    [
        (
            "<|start|>assistant<|channel|>commentary to=functions.fill <|constrain|>json<|message|>{}",
            "functions.fill",
            "commentary",
        ),
        ("<|start|>assistant to=fill<|channel|>commentary<|message|>{}", "fill", "commentary"),
        ("<|channel|>commentary<|constrain|>fill<|message|>{}", "fill", "commentary"),
        ("<|channel|>commentary <|constrain|>json<|message|>{}", None, "commentary"),
        ("<|channel|>final<|message|>to=fill", None, "final"),
        ("<|start|>assistant<|message|>Hello", None, ""),
    ],
)
def test_the_header_of_a_message(text: str, recipient: str | None, channel: str) -> None:
    """Who is spoken to may stand before or behind the channel; the body says nothing about it."""
    message = read_message(text, 0)
    assert message is not None
    assert (message.recipient, message.channel) == (recipient, channel)
    assert text[: message.body].endswith("<|message|>")


@pytest.mark.parametrize("text", ["<|channel|>final", "<|channel|>" + "x" * 500 + "<|message|>", "final<|message|>"])
def test_what_has_no_body_is_no_message(text: str) -> None:
    """A header ends soon."""
    assert read_message(text, 0) is None


def test_reasoning_is_closed_by_its_own_tag() -> None:
    """The table knows the closer of each opener."""
    assert closer_of("<think>") == "</think>"
    assert closer_of("[THINK]") == "[/THINK]"
