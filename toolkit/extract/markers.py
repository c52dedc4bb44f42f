"""The table of markers that models put in front of calls: a new format is one row, or one row and one small reader.

A marker only says that a call was meant, and how sure that is. What the call looks like is told by its body, as models
mix one format's marker with another one's body.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from toolmend.repairs.errors import CutOffError
from toolmend.toolkit.extract.bodies import Head, read_body, read_named
from toolmend.toolkit.extract.braces import read_braces
from toolmend.toolkit.extract.candidate import Evidence, Found, Part, Shape
from toolmend.toolkit.extract.ends import BAR, DSML, SUFFIX
from toolmend.toolkit.extract.fields import DSML_NAMED, MINIMAX, NAMED, XTML, FieldGrammar, children_of

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source

__all__ = ("MARKERS", "OPENERS", "Marker")

Reader: TypeAlias = Callable[["Source", re.Match[str]], Found | None]
"""Reads the calls behind a marker; None if nothing there looks like one."""

A, B = Evidence.SPECIAL_TOKEN, Evidence.TAG


@dataclass(frozen=True, slots=True)
class Marker:
    """One marker.

    Attributes:
        format: name of the form, as it stands in results.
        opener: the marker itself, a regular expression.
        evidence: how sure it is that a call was meant.
        read: reads what stands behind it; None if the marker only opens a section, in which further markers stand.
        models: who writes it.
        example: a call of `add` with `a` 1, as it is written.
    """

    format: str
    opener: str
    evidence: Evidence
    read: Reader | None
    models: str
    example: str = ""


# ---------------------------------------------------------------------- readers of bodies


def _body(source: Source, match: re.Match[str]) -> Found | None:
    """Calls in whatever form; a marker with nothing at all behind it is a call that was cut off."""
    found = read_body(source, match.end())
    if found is not None:
        return found
    pos = _behind_space(source.text, match.end())
    if pos >= len(source.text):
        error = CutOffError("the text ends behind the marker of a call", expected="the whole call")
        return Found((Part(None, None, (match.start(), pos), Shape.NAMELESS, fault=error),), pos)
    return Found((), match.end()) if any(opener.match(source.text, pos) for opener in OPENERS) else None


def _named(source: Source, match: re.Match[str]) -> Found | None:
    """Arguments behind a marker that holds the name: JSON, named parameters, or a tag for each parameter."""
    pos = _behind_space(source.text, match.end())
    tool = source.tool(match["name"])
    if tool is None and _CALL_BODY.match(source.text, pos) is None:
        return None
    grammar: FieldGrammar | None = None
    if tool is not None and not NAMED.opener.match(source.text, pos):
        children = children_of("invoke", frozenset(tool.node.members))
        grammar = children if children.opener.match(source.text, pos) else None
    return read_named(source, match.end(), Head(match["name"], match.start()), grammar)


def _legacy(source: Source, match: re.Match[str]) -> Found | None:
    """The name in a tag of its own, and a tag for each parameter."""
    tool = source.tool(match["name"])
    keys = frozenset(tool.node.members) if tool is not None else frozenset[str]()
    return read_named(source, match.end(), Head(match["name"], match.start()), children_of("parameters", keys))


def _braces(source: Source, match: re.Match[str]) -> Found | None:
    """A call in braces, or whatever else stands there."""
    return read_braces(source, _behind_space(source.text, match.end())) or _body(source, match)


def _dsml(source: Source, match: re.Match[str]) -> Found | None:
    return read_named(source, match.end(), Head(match["name"], match.start()), DSML_NAMED)


def _minimax(source: Source, match: re.Match[str]) -> Found | None:
    return read_named(source, match.end(), Head(match["name"], match.start()), MINIMAX)


def _xtml(source: Source, match: re.Match[str]) -> Found | None:
    return read_named(source, match.end(), Head(match["name"], match.start()), XTML)


_CALL_BODY: Final = re.compile(r"\{|`{3}|<(?:[\w.-]{1,30}:)?param|</(?:[\w.-]{1,30}:)?(?:function|invoke)")
"""What shows that a tag with an unknown name was meant as a call."""

_NAME_BEFORE: Final = re.compile(r"(?P<name>[\w.-]{1,200}(?::\d{1,6})?)\s{0,4}\Z")


def _name_in_front(source: Source, match: re.Match[str]) -> Found | None:
    """Arguments behind a marker in front of which the name stands, as its own marker was lost."""
    window = max(0, match.start() - 210)
    name = _NAME_BEFORE.search(source.text[window : match.start()])
    if name is None:
        return None
    return read_named(source, match.end(), Head(name["name"], window + name.start()))


def _behind_space(text: str, pos: int) -> int:
    space = _BLANK.match(text, pos)
    return space.end() if space is not None else pos


# ---------------------------------------------------------------------- the table

_GAP: Final = "[▁_ ]"
_NAME: Final = r"[\"']?(?P<name>[^\"'<>\s=]{1,200})[\"']?"
_BLANK: Final = re.compile(r"\s*")


MARKERS: Final[tuple[Marker, ...]] = (
    Marker(
        "hermes",
        rf"<(?:longcat_)?tool_call{SUFFIX}>",
        B,
        _body,
        "Hermes, Qwen2.5, Qwen3, GLM-4.5 to 5, LongCat, Granite 3.1 and 4, ERNIE 4.5",
        '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
    ),
    Marker(
        "function-tag",
        rf"<function\s{{0,4}}(?:=|\sname=|\s)\s{{0,4}}{_NAME}\s{{0,4}}>",
        B,
        _named,
        "Qwen3-Coder, Nemotron 3, Step 3.5, Seed-OSS, Functionary 3.1, MiniCPM-5",
        "<function=add>\n<parameter=a>\n1\n</parameter>\n</function>",
    ),
    Marker(
        "tool-calls-tag",
        rf"<tool_calls{SUFFIX}>",
        B,
        _body,
        "Jamba, Hunyuan, MiniMax M1",
        '<tool_calls>[{"name": "add", "arguments": {"a": 1}}]</tool_calls>',
    ),
    Marker(
        "function-call-tag",
        r"<function_call>",
        B,
        _body,
        "Granite 20B",
        '<function_call> {"name": "add", "arguments": {"a": 1}}',
    ),
    Marker(
        "tool-use-tag",
        r"<tool_use>",
        B,
        _body,
        "prompted models",
        '<tool_use>{"name": "add", "input": {"a": 1}}</tool_use>',
    ),
    Marker(
        "toolcall-tag",
        r"<TOOLCALL>",
        B,
        _body,
        "Nemotron Nano 2",
        '<TOOLCALL>[{"name": "add", "arguments": {"a": 1}}]</TOOLCALL>',
    ),
    Marker(
        "functools",
        r"functools(?=\[)",
        B,
        _body,
        "Phi-4-mini, FireFunction 2",
        'functools[{"name": "add", "arguments": {"a": 1}}]',
    ),
    Marker(
        "invoke",
        rf"<(?:[A-Za-z][\w.-]{{0,30}}:)?invoke\s{{1,4}}name\s?=\s?{_NAME}[^<>\n]{{0,80}}>",
        B,
        _named,
        "Claude, MiniMax M2, Step 3, Muse, dots.llm",
        '<invoke name="add">\n<parameter name="a">1</parameter>\n</invoke>',
    ),
    Marker(
        "invoke-legacy",
        rf"<invoke>\s{{0,9}}<tool_name>\s{{0,9}}{_NAME}\s{{0,9}}</tool_name>\s{{0,9}}<parameters>",
        B,
        _legacy,
        "Claude 2",
        "<invoke><tool_name>add</tool_name><parameters><a>1</a></parameters></invoke>",
    ),
    Marker("section", r"<(?:antml:|dots_)?function_calls?>", B, _body, "Claude, dots.llm"),
    Marker("section", r"<(?:seed|minimax):tool_call>", A, _body, "Seed-OSS, MiniMax M2"),
    Marker(
        "minimax-m3",
        rf"\]<\]minimax\[>\[<invoke\s{{1,4}}name\s?=\s?{_NAME}>",
        A,
        _minimax,
        "MiniMax M3",
        ']<]minimax[>[<invoke name="add">]<]minimax[>[<a>1]<]minimax[>[</a>]<]minimax[>[</invoke>',
    ),
    Marker("section", r"\]<\]minimax\[>\[<tool_call>", A, None, "MiniMax M3"),
    Marker(
        "mistral",
        r"\[TOOL_CALLS\]",
        A,
        _body,
        "Mistral, Mixtral, Devstral, Magistral, Ministral",
        '[TOOL_CALLS]add[ARGS]{"a": 1}',
    ),
    Marker("section", rf"<{BAR}tool{_GAP}calls{_GAP}(?:section{_GAP})?begin{BAR}>", A, None, "DeepSeek, Kimi, Step 3"),
    Marker(
        "deepseek",
        rf"<{BAR}tool{_GAP}call{_GAP}begin{BAR}>(?:\s{{0,4}}function\s{{0,4}}<{BAR}tool{_GAP}sep{BAR}>\s{{0,4}}(?=<))?",
        A,
        _body,
        "DeepSeek V3, R1, V3.1; Kimi K2",
        '<｜tool▁call▁begin｜>add<｜tool▁sep｜>{"a": 1}<｜tool▁call▁end｜>',
    ),
    Marker(
        "kimi",
        rf"<{BAR}tool{_GAP}call{_GAP}argument{_GAP}begin{BAR}>",
        A,
        _name_in_front,
        "Kimi K2 without its first token",
        'functions.add:0<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>',
    ),
    Marker(
        "dsml",
        rf"<{DSML}invoke\s{{1,4}}name\s?=\s?{_NAME}[^<>\n]{{0,80}}>",
        A,
        _dsml,
        "DeepSeek V3.2, V4; GigaChat 3.5",
        '<｜DSML｜invoke name="add"><｜DSML｜parameter name="a" string="false">1</｜DSML｜parameter></｜DSML｜invoke>',
    ),
    Marker("section", rf"<{DSML}(?:function_calls|tool_calls|calls)\s?>", A, None, "DeepSeek V3.2, V4; GigaChat 3.5"),
    Marker(
        "kimi-k3",
        rf"<\|open\|>call\s{{1,4}}tool={_NAME}[^<>|\n]{{0,80}}<\|sep\|>",
        A,
        _xtml,
        "Kimi K3",
        '<|open|>call tool="add" index="1"<|sep|><|open|>argument key="a" type="number"<|sep|>1<|close|>argument<|sep|>'
        "<|close|>call<|sep|>",
    ),
    Marker("section", r"<\|open\|>tools<\|sep\|>", A, None, "Kimi K3"),
    Marker(
        "llama-tag",
        r"<\|python_(?:tag|start)\|>",
        A,
        _body,
        "Llama 3 and 4",
        '<|python_tag|>{"name": "add", "parameters": {"a": 1}}',
    ),
    Marker(
        "tool-call-token",
        r"<\|(?:tool_calls?|tool_call_start|function_call|tools_prefix|START_ACTION|content_invoke_tool_json)\|>",
        A,
        _body,
        "Granite 3, Phi-4-mini, LFM2, GigaChat 3, Apertus, Command-A, Inkling",
        '<|tool_call|>[{"name": "add", "arguments": {"a": 1}}]',
    ),
    Marker(
        "internlm",
        r"<\|action_start\|>\s{0,4}<\|plugin\|>",
        A,
        _body,
        "InternLM 2, Intern-S1",
        '<|action_start|><|plugin|>\n{"name": "add", "parameters": {"a": 1}}<|action_end|>',
    ),
    Marker(
        "gemma",
        r"<\|tool_call>|<start_function_call>",
        A,
        _braces,
        "Gemma 4, FunctionGemma",
        "<start_function_call>call:add{a:1}<end_function_call>",
    ),
    Marker(
        "qwen-agent",
        r"✿FUNCTION✿\s{0,4}:",
        A,
        _body,
        "Qwen-Agent",
        '✿FUNCTION✿: add\n✿ARGS✿: {"a": 1}\n',
    ),
)
"""All markers, those first that would else be taken for another one."""

OPENERS: Final = tuple(re.compile(marker.opener) for marker in MARKERS)
"""The openers of the markers, compiled."""
