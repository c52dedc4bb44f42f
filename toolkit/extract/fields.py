"""Reads arguments written field by field: a tag per parameter, or key and value pairs. The bodies are not escaped.

A closing tag ends a value only where the call goes on behind it: with the next field, the end of the call, or the end
of the text. Anything else that looks like one is part of the value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import AmbiguousError, CutOffError, NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Repair, snippet
from toolmend.repairs.schema import SchemaNode, normalise_name
from toolmend.toolkit.extract.convert import convert
from toolmend.toolkit.extract.ends import DSML, ENDS, SUFFIX

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("MINIMAX", "NAMED", "PAIRS", "XTML", "FieldGrammar", "Fields", "children_of", "read_fields")


@dataclass(frozen=True, slots=True)
class FieldGrammar:
    """How fields are put down.

    Attributes:
        opener: what opens a field, with the group `key`.
        closer: what closes it; `{key}` stands for its key.
        end: what ends the call, or the tags around it.
    """

    opener: re.Pattern[str]
    closer: str
    end: re.Pattern[str]

    def closer_of(self, key: str) -> re.Pattern[str]:
        """What closes the field of one key.

        Args:
            key: the key as it is written.
        """
        return re.compile(self.closer.replace("{key}", re.escape(key)))


_SPACE_NAME: Final = rf"(?:{DSML}|[A-Za-z][\w.-]{{0,30}}:)?"
_AROUND: Final = r"(?:longcat_|seed:|minimax:|antml:)?(?:tool_calls?|function_calls?|invoke|function|answer)"

NAMED: Final = FieldGrammar(
    re.compile(
        rf"<{_SPACE_NAME}param(?:eter)?(?:\s*=\s*|\s+name\s*=\s*)[\"']?(?P<key>[^\"'<>\n]{{1,200}})[\"']?[^<>\n]{{0,200}}>"
    ),
    rf"</{_SPACE_NAME}param(?:eter)?\s*>",
    re.compile(rf"</{_SPACE_NAME}{_AROUND}\s*>"),
)
"""`<parameter=key>`, `<parameter name="key">` and their kin, with a namespace or without."""

PAIRS: Final = FieldGrammar(
    re.compile(
        rf"<(?:longcat_)?arg_key{SUFFIX}>\s*(?P<key>[^<>\n]{{1,200}}?)\s*(?:</(?:longcat_)?arg_key{SUFFIX}>\s*){{1,2}}"
        rf"<(?:longcat_)?arg_value{SUFFIX}>"
    ),
    rf"</(?:longcat_)?arg_value{SUFFIX}>",
    re.compile(rf"</(?:longcat_)?tool_call{SUFFIX}>"),
)
"""`<arg_key>key</arg_key><arg_value>value</arg_value>`."""

_M3: Final = r"\]<\]minimax\[>\["

MINIMAX: Final = FieldGrammar(
    re.compile(rf"{_M3}<(?P<key>[\w.-]{{1,200}})>"), rf"{_M3}</{{key}}>", re.compile(rf"{_M3}</invoke>")
)
"""A tag named like each parameter, a token in front of every tag."""

XTML: Final = FieldGrammar(
    re.compile(r"<\|open\|>argument\s{1,4}key=\"(?P<key>[^\"<>\n]{1,200})\"[^<>|\n]{0,80}<\|sep\|>"),
    r"<\|close\|>argument<\|sep\|>",
    re.compile(r"<\|close\|>call<\|sep\|>"),
)
"""Tokens in place of angle brackets."""

_BLANK: Final = re.compile(r"\s*")
_CDATA: Final = re.compile(r"\s*<!\[CDATA\[(?P<text>.*?)\]\]>\s*", re.DOTALL)


@dataclass(slots=True)
class Fields:
    """Fields as they were read.

    Attributes:
        values: the value of each key.
        end: the offset behind them, and behind what ends the call.
        ended: whether the call was ended, and not only the text.
        repairs: what had to be forgiven.
        fault: why they cannot be used.
        unclosed: patterns that do not follow any more, so that none is looked for twice.
    """

    values: dict[str, JsonValue] = field(default_factory=dict)
    end: int = 0
    ended: bool = False
    repairs: list[Repair] = field(default_factory=list)
    fault: RepairError | None = None
    unclosed: set[str] = field(default_factory=set)


def children_of(name: str, keys: frozenset[str]) -> FieldGrammar:
    """The grammar of a tag that is named like a tool, with a tag for each of its parameters.

    Args:
        name: what the tag is named.
        keys: the parameters.
    """
    listed = "|".join(map(re.escape, sorted(keys, key=len, reverse=True))) or r"(?!)"
    return FieldGrammar(re.compile(rf"<(?P<key>{listed})>"), r"</{key}>", re.compile(rf"</{re.escape(name)}\s*>"))


def read_fields(source: Source, start: int, grammar: FieldGrammar, tool: ToolSpec | None) -> Fields:
    """Read fields up to the end of the call.

    Args:
        source: the text, with the registered tools.
        start: where the first field may stand.
        grammar: how fields are put down.
        tool: the tool that is called, which gives the types; None if it is not known.
    """
    fields, pos = Fields(end=start), start
    while fields.fault is None:
        pos = _behind_space(source.text, pos)
        opener = grammar.opener.match(source.text, pos)
        if opener is None:
            break
        pos = _read_field(source, fields, grammar, opener, tool)
    end = grammar.end.match(source.text, pos) if fields.fault is None else None
    fields.ended = end is not None
    fields.end = end.end() if end is not None else pos
    if end is None and fields.fault is None and not _may_end(source.text, pos):
        given = snippet(source.text[pos : pos + 40])
        fields.fault = NotJsonError("something that is no parameter stands among them", given=given)
    return fields


_CALL_AHEAD: Final = re.compile(r"<[|｜]?(?:[\w.-]{0,30}[:_])?(?:tool_call|function|invoke)")


def _may_end(text: str, pos: int) -> bool:
    """Whether a call may end at a place where nothing ends it: before the next call, or the end of the text."""
    ahead = pos >= len(text) or ENDS.match(text, pos) or _CALL_AHEAD.match(text, pos)
    return bool(ahead) or text.startswith("```", pos)


def _read_field(
    source: Source, fields: Fields, grammar: FieldGrammar, opener: re.Match[str], tool: ToolSpec | None
) -> int:
    """Read one field; where the next one may begin."""
    key, start = opener["key"].strip(), opener.end()
    end, behind = _end_of_value(source.text, start, grammar, grammar.closer_of(opener["key"]), fields)
    if end is None:
        end = behind = _start_of_next(source.text, start, grammar, fields)
        if end == len(source.text) and source.complete is not True:
            fields.fault = CutOffError(f"the text ends inside {key!r}: something may be missing", path=(key,))
        fields.repairs.append(Repair("missing-closer", "lossless", (key,), after=grammar.closer, span=(end, end)))
    written = source.text[start:end]
    cdata = _CDATA.fullmatch(written)
    reading = convert(cdata["text"] if cdata is not None else written, _member(tool, key), (key,))
    fields.repairs += reading.repairs
    if _holds_field(grammar, tool, written):
        message = f"the value of {key!r} holds the tags of another parameter, so that its end is not known"
        fields.fault = AmbiguousError(message, path=(key,), expected="each parameter closed")
    if key in fields.values and fields.values[key] != reading.value:
        message = f"{key!r} is given twice with different values"
        fields.fault = NotJsonError(message, path=(key,), expected="each parameter once", given=snippet(written, 40))
    fields.values[key] = reading.value
    return behind


def _holds_field(grammar: FieldGrammar, tool: ToolSpec | None, written: str) -> bool:
    """Whether a value holds the tag of a declared parameter, which then may be one that was not closed in front."""
    openers = grammar.opener.finditer(written) if tool is not None else ()
    return any(tool is not None and opener["key"].strip() in tool.node.members for opener in openers)


def _end_of_value(
    text: str, start: int, grammar: FieldGrammar, closer: re.Pattern[str], fields: Fields
) -> tuple[int | None, int]:
    """Where a value ends and what follows it begins: the first closer behind which the call goes on."""
    if closer.pattern not in fields.unclosed:
        for match in closer.finditer(text, start):
            pos = _behind_space(text, match.end())
            if pos == len(text) or grammar.opener.match(text, pos) or grammar.end.match(text, pos):
                return match.start(), match.end()
        fields.unclosed.add(closer.pattern)
    return None, start


def _start_of_next(text: str, start: int, grammar: FieldGrammar, fields: Fields) -> int:
    """Where a value without a closer must end: at the next field, or at the end of the call or of the text."""
    nearest = len(text)
    for pattern in (grammar.opener, grammar.end):
        if pattern.pattern not in fields.unclosed:
            match = pattern.search(text, start)
            if match is None:
                fields.unclosed.add(pattern.pattern)
            else:
                nearest = min(nearest, match.start())
    return nearest


def _member(tool: ToolSpec | None, key: str) -> SchemaNode | None:
    """The schema of one parameter, which may be written in another spelling."""
    if tool is None:
        return None
    declared = tool.mender.aliases.get(key, key)
    if declared not in tool.node.members:
        declared = tool.node.spellings.get(normalise_name(key)) or declared
    return tool.node.member(declared)


def _behind_space(text: str, pos: int) -> int:
    match = _BLANK.match(text, pos)
    return match.end() if match is not None else pos
