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
from toolmend.toolkit.extract.candidate import Evidence, Found, Part, Shape
from toolmend.toolkit.extract.fields import NAMED, children_of

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source

__all__ = ("ENDS", "MARKERS", "OPENERS", "Marker")

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
    if found is None and not source.text[match.end() :].strip():
        error = CutOffError("the text ends behind the marker of a call", expected="the whole call")
        end = len(source.text)
        return Found((Part(None, None, (match.start(), end), Shape.NAMELESS, fault=error),), end)
    return found


def _named(source: Source, match: re.Match[str]) -> Found | None:
    """Arguments behind a marker that holds the name."""
    grammar = NAMED
    pos = match.end()
    while source.text[pos : pos + 1].isspace():
        pos += 1
    tool = source.tool(match["name"])
    if tool is not None and not NAMED.opener.match(source.text, pos):
        children = children_of("invoke", frozenset(tool.node.members))
        grammar = children if children.opener.match(source.text, pos) else NAMED
    return read_named(source, match.end(), Head(match["name"], match.start()), grammar)


# ---------------------------------------------------------------------- the table

_BAR: Final = r"[|｜‖]{1,2}"
_DSML: Final = rf"{_BAR}(?:DSML|GCML){_BAR} ?"
_NAME: Final = r"[\"']?(?P<name>[^\"'<>\s=]{1,200})[\"']?"
_SUFFIX: Final = r"(?::[\w.-]{1,30})?"

_END_WORDS: Final = "end|END|suffix|call|return|eot_id|eom_id|endoftext|sentence|RESPONSE"

MARKERS: Final[tuple[Marker, ...]] = (
    Marker(
        "hermes",
        rf"<(?:longcat_)?tool_call{_SUFFIX}>",
        B,
        _body,
        "Hermes, Qwen2.5, Qwen3, GLM, Granite 3.1 and 4",
        '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
    ),
    Marker(
        "function-tag",
        rf"<function\s{{0,4}}(?:=|\sname=|\s)\s{{0,4}}{_NAME}\s{{0,4}}>",
        B,
        _named,
        "Qwen3-Coder, Nemotron 3, Seed-OSS, Functionary 3.1, MiniCPM",
        "<function=add>\n<parameter=a>\n1\n</parameter>\n</function>",
    ),
    Marker(
        "tool-calls-tag",
        rf"<tool_calls{_SUFFIX}>",
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
)
"""All markers, those first that would else be taken for another one."""

OPENERS: Final = tuple(re.compile(marker.opener) for marker in MARKERS)
"""The openers of the markers, compiled."""

ENDS: Final = re.compile(
    r"(?:\s*(?:"
    rf"</(?:[A-Za-z]{{1,12}}[:_])?(?:tool_calls?|tool_use|function_calls?|function|invoke|TOOLCALL|action){_SUFFIX}\s*>"
    rf"|</{_DSML}[\w ]{{1,30}}>"
    rf"|<{_BAR}(?:/\w{{1,30}}|[\w▁ ]{{0,40}}(?:{_END_WORDS})){_BAR}>"
    r"|</s>|<eos>|<end_of_turn>|<tool_call\|>|<end_function_call>|\[/TOOL_CALLS\]"
    r"))+"
)
"""Whatever may stand behind a call without meaning anything: closing tags and the tokens that end a turn."""
