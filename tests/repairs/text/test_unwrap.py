from __future__ import annotations

import html
import json
from collections.abc import Callable

import pytest

from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.text.unwrap import MAX_LAYERS, Layer, layers

ValueOf = Callable[..., JsonValue]

OBJECT = '{"city": "Oslo"}'
CODE = json.dumps({"city": '```py\nprint("<b>&amp;</b>")\n```\n</tool_call> x = {"a": 1}; \\n'})


@pytest.mark.parametrize("body", [OBJECT, CODE])
@pytest.mark.parametrize(
    ("before", "behind", "rules"),
    [
        ("\ufeff", "\u200b\n", {"invisible-mark"}),
        ("```json\n", "\n```", {"fence"}),
        ("```\n", "\n```\n\n", {"fence"}),
        ("```json ", "```", {"fence"}),
        ("```python\r\n", "\r\n```", {"fence"}),
        ("~~~json\n", "\n~~~", {"fence"}),
        ("```json\n", "", {"fence"}),
        ("```\\n", "", {"fence"}),
        ("json\n", "", {"fence"}),
        ("JSON", "", {"fence"}),
        ("<tool_call>\n", "\n</tool_call>", {"wrapper-tag"}),
        ('<arguments lang="json">', "", {"wrapper-tag"}),
        ("<a><b>", "</b></a>", {"prose"}),
        ("", "</tool_call>\n", {"special-token"}),
        ("", "\n</arguments>\n</tool>", {"special-token"}),
        ("<|im_start|>", "<|im_end|>", {"special-token"}),
        ("[TOOL_CALLS]", "</s>", {"special-token"}),
        ("<｜tool▁sep｜>", "", {"special-token"}),
        ("args = ", "", {"assignment"}),
        ("const args: Args = ", "", {"assignment"}),
        ("args := ", "", {"assignment"}),
        ("return ", "", {"assignment"}),
        ("Arguments: ", "", {"assignment"}),
        ('<think>Rome? {"city": "Rome"}</think>\n', "", {"reasoning"}),
        ("<think>a</think><reasoning>b</reasoning>", "", {"reasoning"}),
        ("\ufeff```json\n<args>", "</args>\n```", {"invisible-mark", "fence", "wrapper-tag"}),
    ],
)
def test_what_stands_around_the_whole_comes_off(
    before: str, behind: str, rules: set[str], body: str, mend: Callable[..., Mended]
) -> None:
    """Each wrapper is taken off exactly and on record, and nothing within is touched."""
    mended = mend(before + body + behind, "city:text days?:whole")
    assert mended.value == json.loads(body)
    assert {repair.rule for repair in mended.repairs} == rules


@pytest.mark.parametrize("body", [OBJECT, CODE])
@pytest.mark.parametrize(
    ("encode", "rule"),
    [
        (json.dumps, "double-encoded"),
        (lambda text: json.dumps(json.dumps(text)), "double-encoded"),
        (lambda text: json.dumps(text)[1:-1], "over-escaped"),
        (html.escape, "html-entities"),
    ],
)
def test_another_encoding_is_undone_once(
    encode: Callable[[str], str], rule: str, body: str, mend: Callable[..., Mended]
) -> None:
    """A JSON string, one level of escaping, or entities around the whole."""
    mended = mend(encode(body), "city:text")
    assert mended.value == json.loads(body)
    assert {repair.rule for repair in mended.repairs} == {rule}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("`" + OBJECT + "`", "Oslo"),
        ("`` " + OBJECT + " ``", "Oslo"),
        ("{&#34;city&#34;: &#34;A &amp;amp; B&#34;}", "A &amp; B"),
        ('{"city": "A &amp; B",}', "A &amp; B"),
        ('"```json\\n{\\"city\\": \\"Oslo\\"}\\n```"', "Oslo"),
        ("\"{'city': 'Oslo'}\"", "Oslo"),
        ('{"city": "<b>x</b>"}', "<b>x</b>"),
        ('{\\n\\"city\\": \\"Oslo\\"\\n}', "Oslo"),
    ],
)
def test_more_wrappers(text: str, value: str, value_of: ValueOf) -> None:
    """Back-ticks, entities decoded once, fences within a JSON string; entities in proper strings stay."""
    assert value_of(text, "city:text") == {"city": value}


@pytest.mark.parametrize(
    "text",
    [
        "```json\n```",
        "``````",
        "<args></args>",
        "args = ",
        "[TOOL_CALLS]",
        json.dumps(json.dumps(json.dumps(OBJECT))),
        '<think>{"city": "Rome"}',
        f'```json\n{OBJECT}\n```\n{{"city": "Rome"}}',
        f'{OBJECT}\n```\n```json\n{{"city": "Rome"}}\n```',
        "{name: &quot;x&quot;}",
        "`red shoes {x}`",
    ],
)
def test_what_is_left_must_be_the_one_object(text: str, value_of: ValueOf) -> None:
    """Nothing within the wrapper, a second object behind it, reasoning that is open: an error."""
    assert value_of(text, "city:text") is None


@pytest.mark.parametrize("text", ['options = {"a": 1}', 'input: {"a": 1}', 'tags=["a"], id=4'])
def test_a_member_is_no_wrapper(text: str, value_of: ValueOf) -> None:
    """What bears the name of a declared key is that member."""
    fields = "options?:map input?:map tags?:texts id?:whole"
    value = value_of(text, fields, complete=True)
    assert value is not None
    assert set(value) <= {"options", "input", "tags", "id"}


def test_a_tag_at_the_end_of_words_belongs_to_them(value_of: ValueOf) -> None:
    """A closing tag is only taken off behind a closer."""
    assert value_of("{content: <b>x</b>", "content:text", complete=True) == {"content": "<b>x</b>"}


def test_layers_know_their_place() -> None:
    """A layer tells where it begins in the raw text, until it is decoded into another one."""
    text = f"```json\n<a>{OBJECT}</a>\n```"
    *_, last = layers(Layer(text))
    assert last.text == OBJECT
    assert last.offset == text.index("{")
    *_, last = layers(Layer(html.escape(OBJECT)))
    assert (last.text, last.offset) == (OBJECT, None)


def test_layers_are_bounded() -> None:
    """More wrappers than any accident makes are left on."""
    assert len([*layers(Layer("<|x|>" * 50 + OBJECT))]) == MAX_LAYERS


@pytest.mark.parametrize("text", ["", "x", OBJECT, "{'a': 1}", "plain words"])
def test_a_bare_text_has_no_layers(text: str) -> None:
    """Without a wrapper nothing is taken off."""
    assert not [*layers(Layer(text))]
