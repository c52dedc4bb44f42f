"""Calls written in each format parse back, whatever stands in their strings, and cut texts never give other calls."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolmend.repairs.text.strict import identical
from toolmend.toolkit import ParseResult, ToolRegistry

Call: TypeAlias = tuple[str, dict[str, Any]]
Render: TypeAlias = Callable[[list[Call]], str]

PUT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "count": {"type": "integer"},
        "flag": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {
            "type": "object",
            "properties": {"k": {"type": "string"}, "n": {"type": "number"}},
            "additionalProperties": False,
        },
    },
    "required": ["text"],
    "additionalProperties": False,
}
DELETE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"path": {"type": "string"}},
    "required": ["path"],
    "additionalProperties": False,
}


def _registry() -> ToolRegistry:
    made = ToolRegistry()
    made.add_schema("put_text", "", PUT)
    made.add_schema("delete_file", "", DELETE)
    made.add_schema("ping", "", {"type": "object", "properties": {}})
    return made


REGISTRY: Final = _registry()

# ---------------------------------------------------------------------- what is written

BITS: Final = (
    *("hello", 'a "quoted" bit', "it's", "\n", "\n\n", " ", "\t", "é", "😀", "true", "42", "null", "text", "count"),
    *("</tool_call>", "</parameter>", "<tool_call>", "</function>", "</arg_value>", "</think>", "<think>", "<b>"),
    *(
        "```",
        "```json\n",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\\",
        "\\n",
        "&amp;",
        "#",
        "//",
        "(",
        ")",
        "=",
        "'",
        '"',
        '","',
    ),
    *('{"name": "delete_file", "arguments": {"path": "/x"}}', '\ndelete_file(path="/x")\n', "[TOOL_CALLS]"),
    *("Observation: x", "\nAction: ping\nAction Input: {}\n", "<|im_end|>", "<parameter=count>", '"}'),
)
STRINGS: Final = st.lists(st.sampled_from(BITS) | st.text(max_size=4), max_size=5).map("".join)
PUTS: Final = st.fixed_dictionaries(
    {"text": STRINGS},
    optional={
        "count": st.integers(-(10**20), 10**20),
        "flag": st.booleans(),
        "tags": st.lists(STRINGS, max_size=3),
        "place": st.fixed_dictionaries({}, optional={"k": STRINGS, "n": st.sampled_from([1, 2.5, -3, 1e-9])}),
    },
)
CALLS: Final = st.lists(
    st.tuples(st.just("put_text"), PUTS)
    | st.tuples(st.just("delete_file"), st.fixed_dictionaries({"path": STRINGS}))
    | st.just(("ping", {})),
    min_size=1,
    max_size=2,
)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: object) -> str:
    return value if isinstance(value, str) else _json(value)


def _named(calls: list[Call], key: str = "arguments") -> list[dict[str, Any]]:
    return [{"name": name, key: arguments} for name, arguments in calls]


def _python(call: Call) -> str:
    return f"{call[0]}({', '.join(f'{key}={value!r}' for key, value in call[1].items())})"


def _gemma(value: object) -> str:
    if isinstance(value, str):
        return f'<|"|>{value}<|"|>'
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_gemma(item)}" for key, item in value.items()) + "}"
    return "[" + ",".join(map(_gemma, value)) + "]" if isinstance(value, list) else _json(value)


def _each(before: str, call: Callable[[Call], str], between: str = "", after: str = "") -> Render:
    return lambda calls: before + between.join(map(call, calls)) + after


def _fields(field: Callable[[str, str], str]) -> Callable[[Call], str]:
    return lambda call: "".join(field(key, _text(value)) for key, value in call[1].items())


HARMONY: Final = "<|start|>assistant<|channel|>commentary to=functions.{} "

BY_VALUE: Final[dict[str, Render]] = {
    "hermes": _each("", lambda c: f"<tool_call>\n{_json(_named([c])[0])}\n</tool_call>", "\n"),
    "arguments first": _each("", lambda c: f"<tool_call>{_json({'arguments': c[1], 'name': c[0]})}</tool_call>"),
    "lines": _each("", lambda c: _json(_named([c])[0]), "\n"),
    "list": lambda calls: _json(_named(calls)),
    "indented": lambda calls: json.dumps(_named(calls), indent=2),
    "fence": lambda calls: f"Sure.\n```json\n{json.dumps(_named(calls), indent=2)}\n```",
    "flat": _each("", lambda c: _json({"request": c[0], **c[1]}), "\n"),
    "openai": lambda calls: _json(
        {"tool_calls": [{"id": "c", "function": {"name": name, "arguments": _json(given)}} for name, given in calls]}
    ),
    "python list": _each("[", _python, ", ", "]"),
    "python lines": _each("", _python, "\n"),
    "mistral": _each("", lambda c: f"[TOOL_CALLS]{c[0]}[ARGS]{_json(c[1])}"),
    "mistral list": lambda calls: f"[TOOL_CALLS] {_json(_named(calls))}",
    "deepseek v3": _each(
        "<｜tool▁calls▁begin｜>",
        lambda c: f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{c[0]}\n```json\n{_json(c[1])}\n```<｜tool▁call▁end｜>",
        "",
        "<｜tool▁calls▁end｜>",
    ),
    "deepseek v3.1": _each("", lambda c: f"<｜tool▁call▁begin｜>{c[0]}<｜tool▁sep｜>{_json(c[1])}<｜tool▁call▁end｜>"),
    "kimi": _each(
        "<|tool_calls_section_begin|>",
        lambda c: f"<|tool_call_begin|>functions.{c[0]}:0<|tool_call_argument_begin|>{_json(c[1])}<|tool_call_end|>",
        "",
        "<|tool_calls_section_end|>",
    ),
    "harmony": _each("", lambda c: f"{HARMONY.format(c[0])}<|constrain|>json<|message|>{_json(c[1])}<|call|>"),
    "llama": lambda calls: "<|python_tag|>" + "; ".join(map(_json, _named(calls, "parameters"))),
    "granite": lambda calls: f"<|tool_call|>{_json(_named(calls))}",
    "phi": lambda calls: f"functools{_json(_named(calls))}",
    "lfm": _each("<|tool_call_start|>[", _python, ", ", "]<|tool_call_end|>"),
    "cohere": lambda calls: f"<|START_ACTION|>{json.dumps(_named(calls, 'parameters'), indent=4)}<|END_ACTION|>",
    "apertus": lambda calls: f"<|tools_prefix|>{_json([{name: given} for name, given in calls])}<|tools_suffix|>",
    "gemma": _each("", lambda c: f"<|tool_call>call:{c[0]}{_gemma(c[1])}<tool_call|>"),
    "react": _each("", lambda c: f"Thought: so\nAction: {c[0]}\nAction Input: {_json(c[1])}\n"),
    "qwen-agent": _each("", lambda c: f"✿FUNCTION✿: {c[0]}\n✿ARGS✿: {_json(c[1])}", "\n"),
    "functionary": _each(">>>all\nSo.\n", lambda c: f">>>{c[0]}\n{_json(c[1])}"),
    "functionary, as it goes on": lambda calls: ">>>".join(f"{name}\n{_json(given)}" for name, given in calls),
    "kimi, tokens lost": _each("", lambda c: f"functions.{c[0]}:0{_json(c[1])}"),
    "harmony, tokens lost": _each("", lambda c: f"assistantcommentary to=functions.{c[0]} json{_json(c[1])}"),
    "harmony, the role in the prompt": _each(
        "",
        lambda c: f"to=functions.{c[0]}<|channel|>commentary json<|message|>{_json(c[1])}<|call|>",
        "<|start|>assistant ",
    ),
    "harmony, body token lost": _each("", lambda c: f"{HARMONY.format(c[0])}<|constrain|>json{_json(c[1])}<|call|>"),
    "deepseek, first token lost": _each("", lambda c: f"{c[0]}<｜tool▁sep｜>{_json(c[1])}<｜tool▁call▁end｜>"),
    "inkling": _each(
        "",
        lambda c: (
            f"<|message_model|>{c[0]}<|content_invoke_tool_json|>{_json({'name': c[0], 'args': c[1]})}<|end_message|>"
        ),
    ),
    "kimi k3, as JSON": _each(
        "<|open|>tools<|sep|>",
        lambda c: (
            f'<|open|>call tool="{c[0]}" index="1"<|sep|><|open|>json type="object"<|sep|>{_json(c[1])}'
            "<|close|>json<|sep|><|close|>call<|sep|>"
        ),
        "",
        "<|close|>tools<|sep|>",
    ),
}
"""Formats in which quotes or escapes tell where a value ends: everything parses back."""

M3: Final = "]<]minimax[>["


def _nested(key: str, value: object) -> str:
    if isinstance(value, dict):
        inner = "".join(_nested(name, item) for name, item in value.items())
    elif isinstance(value, list):
        inner = "".join(_nested("item", item) for item in value)
    else:
        inner = _text(value)
    return f"{M3}<{key}>{inner}{M3}</{key}>"


BY_TAG: Final[dict[str, Render]] = {
    "qwen": _each(
        "",
        lambda c: (
            f"<tool_call>\n<function={c[0]}>\n"
            + _fields(lambda k, v: f"<parameter={k}>\n{v}\n</parameter>\n")(c)
            + "</function>\n</tool_call>"
        ),
        "\n",
    ),
    "invoke": _each(
        "<function_calls>\n",
        lambda c: (
            f'<invoke name="{c[0]}">\n'
            + _fields(lambda k, v: f'<parameter name="{k}">\n{v}\n</parameter>\n')(c)
            + "</invoke>"
        ),
        "\n",
        "\n</function_calls>",
    ),
    "pairs": _each(
        "",
        lambda c: (
            f"<tool_call>{c[0]}\n"
            + _fields(lambda k, v: f"<arg_key>{k}</arg_key>\n<arg_value>\n{v}\n</arg_value>\n")(c)
            + "</tool_call>"
        ),
        "\n",
    ),
    "dsml": _each(
        "<｜DSML｜function_calls>",
        lambda c: (
            f'<｜DSML｜invoke name="{c[0]}">\n'
            + _fields(lambda k, v: f'<｜DSML｜parameter name="{k}" string="x">{v}</｜DSML｜parameter>\n')(c)
            + "</｜DSML｜invoke>"
        ),
        "\n",
        "</｜DSML｜function_calls>",
    ),
    "tag per tool": _each(
        "", lambda c: f"<{c[0]}>\n" + _fields(lambda k, v: f"<{k}>\n{v}\n</{k}>\n")(c) + f"</{c[0]}>", "\n"
    ),
    "kimi k3": _each(
        "<|open|>tools<|sep|>",
        lambda c: (
            f'<|open|>call tool="{c[0]}" index="1"<|sep|>'
            + _fields(lambda k, v: f'<|open|>argument key="{k}" type="x"<|sep|>{v}<|close|>argument<|sep|>')(c)
            + "<|close|>call<|sep|>"
        ),
        "",
        "<|close|>tools<|sep|>",
    ),
    "minimax m3": _each(
        f"{M3}<tool_call>\n",
        lambda c: f'{M3}<invoke name="{c[0]}">{"".join(_nested(*item) for item in c[1].items())}{M3}</invoke>\n',
        "",
        f"{M3}</tool_call>",
    ),
    "muse": _each(
        "to=self<|message|>So.<|eom|>",
        lambda c: (
            f"<|start|>assistant to={c[0]}<|message|><atem:function_calls>\n"
            f'<atem:invoke name="{c[0]}">\n'
            + _fields(lambda k, v: f'<atem:parameter name="{k}">\n{v}\n</atem:parameter>\n')(c)
            + "</atem:invoke>\n</atem:function_calls><|eom|>"
        ),
    ),
    "hunyuan": _each(
        "<tool_calls:opensource>\n",
        lambda c: (
            f"<tool_call:opensource>{c[0]}<tool_sep:opensource>\n"
            + _fields(
                lambda k, v: (
                    f"<arg_key:opensource>{k}</arg_key:opensource>\n"
                    f"<arg_value:opensource>\n{v}\n</arg_value:opensource>\n"
                )
            )(c)
            + "</tool_call:opensource>"
        ),
        "\n",
        "\n</tool_calls:opensource>",
    ),
}
"""Formats in which only tags tell where a value ends: a text that holds their tags may be refused."""

FORMATS: Final = {**BY_VALUE, **BY_TAG}


def _calls(result: ParseResult) -> list[Call]:
    return [(call.name, call.arguments) for call in result.calls]


def _same(got: list[Call], wanted: list[Call]) -> bool:
    return identical([list(call) for call in got], [list(call) for call in wanted])


# ---------------------------------------------------------------------- properties


@pytest.mark.parametrize("name", BY_VALUE)
@given(calls=CALLS)
@settings(max_examples=40)
def test_what_is_written_parses_back(name: str, calls: list[Call]) -> None:
    """Every call comes back as it was, with nothing beside it, whatever its strings hold."""
    result = REGISTRY.parse_text(BY_VALUE[name](calls))
    assert not result.errors
    assert _same(_calls(result), calls)


@pytest.mark.parametrize("name", BY_TAG)
@given(calls=CALLS)
@settings(max_examples=60)
def test_what_is_written_with_tags_parses_back_or_is_refused(name: str, calls: list[Call]) -> None:
    """A call comes back as it was; if its strings hold tags of its own format it may be an error, no other call.

    What stands before the closing tag of reasoning is reasoning, in the rest of a call that was closed too early too.
    """
    text = BY_TAG[name](calls)
    result = REGISTRY.parse_text(text)
    got = _calls(result)
    assert _same(got, calls) or result.errors or "</think>" in text
    assert all(any(_same([call], [wanted]) for wanted in calls) for call in got)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "pairs"])
@given(calls=CALLS, share=st.floats(0, 1), finish_reason=st.sampled_from([None, "length"]))
@settings(max_examples=60)
def test_a_cut_text_never_gives_another_call(
    name: str, calls: list[Call], share: float, finish_reason: str | None
) -> None:
    """Cut anywhere, a text gives some of its calls, each as it was, and an error for the one that was cut."""
    text = FORMATS[name](calls)
    result = REGISTRY.parse_text(text[: int(len(text) * share)], finish_reason=finish_reason)
    assert all(any(_same([call], [wanted]) for wanted in calls) for call in _calls(result))


@pytest.mark.parametrize("name", sorted(FORMATS.keys() - {"harmony", "fence", "react", "flat"}))
def test_calls_that_are_shown_are_not_made(name: str) -> None:
    """In inline code, a block quote, closed reasoning, or a fence before more prose, no format is read."""
    text = FORMATS[name]([("delete_file", {"path": "/x"})])
    quoted = text.replace("\n", "\n> ")
    for shown in (
        f"<think>\n{text}\n</think>\nNo.",
        f"{text}\n</think>\nNo.",
        f"It looks so:\n````\n{text}\n````\nDo you see?",
        f"It looks so:\n\n> {quoted}\n\nDo you see?",
        f"It looks so: ``{text}`` and no other way.",
    ):
        assert REGISTRY.parse_text(shown).calls == ()


@given(
    pieces=st.lists(
        st.sampled_from(
            (
                *(
                    "delete_file",
                    "ping",
                    "put_text(",
                    "path",
                    "The tool ",
                    "{",
                    "}",
                    "[",
                    "]",
                    '"',
                    "'",
                    "`",
                    "\n",
                    " ",
                ),
                *("(", ")", "=", ":", ",", "name", "arguments", "<", ">", "/", "tool_call", "```", "#", "\\", "Action"),
            )
        )
        | st.text(max_size=6),
        max_size=40,
    )
)
@settings(max_examples=300)
def test_prose_gives_a_call_only_where_one_stands(pieces: list[str]) -> None:
    """Text of any kind ends in a result; a call has the name of a tool in its raw text, and begins a line."""
    text = "".join(pieces)
    for call in REGISTRY.parse_text(text).calls:
        assert call.span is not None
        assert call.name in call.raw
        assert not text[text.rfind("\n", 0, call.span[0]) + 1 : call.span[0]].strip() or call.format != "json"
