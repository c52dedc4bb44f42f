"""Reads arguments written field by field: a tag per parameter, or key and value pairs. The bodies are not escaped.

A closing tag ends a value only where the call goes on behind it: with the next field, the end of the call, or the end
of the text. Anything else that looks like one is part of the value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import AmbiguousError, CutOffError, LimitError, NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Repair, snippet
from toolmend.repairs.schema import SchemaNode, json_type, normalise_name
from toolmend.repairs.text.strict import read_strict
from toolmend.toolkit.extract.convert import convert
from toolmend.toolkit.extract.ends import BAR, DSML, END, ENDS, SUFFIX

if TYPE_CHECKING:
    from toolmend.repairs.text.reading import Reading
    from toolmend.toolkit.extract.source import Source
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("DSML_NAMED", "NAMED", "PAIRS", "XTML", "FieldGrammar", "Fields", "children_of", "read_fields")


WINDOW: Final = 20_000
"""Longest stretch in which the end of a call is looked for that cannot be read."""

MAX_REPAIRS: Final = 500
"""Most repairs in one call; more say that it is none."""


@dataclass(frozen=True, slots=True)
class FieldGrammar:
    """How fields are put down.

    Attributes:
        opener: what opens a field, with the group `key`, and `type` where the format may tell how a value is written.
        closer: what closes it; `{key}` stands for its key.
        end: what ends the call, or the tags around it.
        framed: whether a line break may stand at each end of a value without belonging to it.
    """

    opener: re.Pattern[str]
    closer: str
    end: re.Pattern[str]
    framed: bool = True

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

DSML_NAMED: Final = FieldGrammar(
    re.compile(
        rf"<{DSML}parameter\s{{1,4}}name\s?=\s?[\"']?(?P<key>[^\"'<>\n]{{1,200}})[\"']?"
        rf"(?:\s{{1,4}}string\s?=\s?[\"']?(?P<type>\w{{1,20}}))?[^<>\n]{{0,200}}>"
    ),
    rf"</{DSML}parameter\s*>",
    re.compile(rf"</{DSML}{_AROUND}\s*>"),
    framed=False,
)
"""The same with a token in each tag; its values are exact."""

PAIRS: Final = FieldGrammar(
    re.compile(
        rf"<(?:longcat_)?arg_key{SUFFIX}>\s*(?P<key>[^<>\n]{{1,200}}?)\s*(?:</(?:longcat_)?arg_key{SUFFIX}>\s*){{1,2}}"
        rf"<(?:longcat_)?arg_value{SUFFIX}>"
    ),
    rf"</(?:longcat_)?arg_value{SUFFIX}>",
    re.compile(rf"</(?:longcat_)?tool_call{SUFFIX}>"),
)
"""`<arg_key>key</arg_key><arg_value>value</arg_value>`."""

XTML: Final = FieldGrammar(
    re.compile(
        r"<\|open\|>argument\s{1,4}key=\"(?P<key>[^\"<>\n]{1,200})\"(?:\s{1,4}type=\"(?P<type>\w{1,20})\")?"
        r"[^<>|\n]{0,80}<\|sep\|>"
    ),
    r"<\|close\|>argument<\|sep\|>",
    re.compile(r"<\|close\|>call<\|sep\|>"),
    framed=False,
)
"""Tokens in place of angle brackets."""

_HOLD_TEXT: Final = frozenset({"string", "object", "array"})
"""Types of values in which tags may be text."""

_IN_JSON: Final = frozenset({"false", "number", "integer", "boolean", "object", "array", "null"})
"""What the mark of a type says of a value that is written as JSON, where it might be taken for text."""

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
        unclosed: patterns that do not follow any more in the text, so that none is looked for twice.
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
    fields, pos = Fields(end=start, unclosed=source.unclosed_by(grammar.opener.pattern, grammar.end.pattern)), start
    while fields.fault is None:
        if len(fields.repairs) > MAX_REPAIRS:
            fields.fault = LimitError("the call needs too many repairs", expected="each parameter closed")
        pos = _behind_space(source.text, pos)
        opener = grammar.opener.match(source.text, pos)
        if opener is None:
            break
        pos = _read_field(source, fields, grammar, opener, tool)
    end = grammar.end.match(source.text, pos) if fields.fault is None else None
    if end is None and fields.fault is None and not _may_end(source.text, pos):
        given = snippet(source.text[pos : pos + 40])
        fields.fault = NotJsonError("something that is no parameter stands among them", given=given)
    if fields.fault is not None:
        end = _end_of_torn(source.text, pos, grammar)
    fields.ended = end is not None
    fields.end = end.end() if end is not None else pos
    return fields


def _end_of_torn(text: str, pos: int, grammar: FieldGrammar) -> re.Match[str] | None:
    """The end of a call that cannot be read, so that the rest of it is not taken for anything; None before the next."""
    end = grammar.end.search(text, pos, pos + WINDOW)
    following = _CALL_AHEAD.search(text, pos, end.start()) if end is not None else None
    return end if following is None else None


def _may_be_cut(source: Source, end: int, member: SchemaNode | None) -> bool:
    """Whether the value without a closer that ends here may have been cut off: a tag behind it may be part of it."""
    if end == len(source.text):
        return source.complete is not True or _HALF_TAG.search(source.text, max(0, end - 61), end) is not None
    ends = ENDS.match(source.text, end)
    at_end = not source.text[ends.end() if ends is not None else end :].strip()
    is_text = member is None or member.allows("string")
    return at_end and is_text and source.complete is not True


_HALF_TAG: Final = re.compile(r"<[^<>\n]{0,60}\Z")
_CALL_AHEAD: Final = re.compile(rf"<(?:{BAR})?(?:[\w.-]{{0,30}}[:_])?(?:tool[_▁ ]call|function|invoke)")


def _may_end(text: str, pos: int) -> bool:
    """Whether a call may end at a place where nothing ends it: before the next call, or the end of the text."""
    ahead = pos >= len(text) or END.match(text, pos) or _CALL_AHEAD.match(text, pos)
    return bool(ahead) or text.startswith("```", pos)


def _read_field(
    source: Source, fields: Fields, grammar: FieldGrammar, opener: re.Match[str], tool: ToolSpec | None
) -> int:
    """Read one field; where the next one may begin."""
    key, start = opener["key"].strip(), opener.end()
    member = _member(tool, key)
    closer = grammar.closer_of(opener["key"])
    end, behind = _end_of_value(source.text, start, grammar, closer, fields)
    if end is not None and tool is not None and member is not None and member.types.isdisjoint(_HOLD_TEXT):
        end, behind = _before_next(source.text, start, (end, behind), grammar, tool)
    if end is None:
        end = behind = _end_without_closer(source.text, start, grammar, fields)
        closed = closer.search(source.text, start, end) is not None
        empty = end == len(source.text) and not source.text[start:end].strip()
        if closed or empty or _may_be_cut(source, end, member):
            fields.fault = CutOffError(f"the text ends inside {key!r}: something may be missing", path=(key,))
    if behind == end:
        fields.repairs.append(Repair("missing-closer", "lossless", (key,), after=grammar.closer, span=(end, end)))
    written = source.text[start:end]
    cdata = _CDATA.fullmatch(written)
    content = cdata["text"] if cdata is not None else written
    reading = _in_json(content, member) if opener.groupdict().get("type") in _IN_JSON else None
    reading = reading or convert(content, member, (key,), framed=grammar.framed and cdata is None)
    fields.repairs += reading.repairs
    if _holds_field(grammar, tool, written):
        message = f"the value of {key!r} holds the tags of another parameter, so that its end is not known"
        fields.fault = AmbiguousError(message, path=(key,), expected="each parameter closed")
    if key in fields.values and fields.values[key] != reading.value:
        message = f"{key!r} is given twice with different values"
        fields.fault = NotJsonError(message, path=(key,), expected="each parameter once", given=snippet(written, 40))
    fields.values[key] = reading.value
    return behind


def _in_json(text: str, member: SchemaNode | None) -> Reading | None:
    """A value that its mark says is JSON; None unless it is, and of a type that the schema lets stand there."""
    try:
        reading = read_strict(text)
    except RepairError:
        return None
    fits = reading is not None and (member is None or member.allows(json_type(reading.value)))
    return reading if fits else None


def _before_next(
    text: str, start: int, ends: tuple[int, int], grammar: FieldGrammar, tool: ToolSpec
) -> tuple[int, int]:
    """Where a value ends that cannot hold tags, as it is no text: at the latest in front of a declared parameter."""
    for opener in grammar.opener.finditer(text, start, ends[0]):
        if opener["key"].strip() in tool.node.members:
            return opener.start(), opener.start()
    return ends


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
            if pos == len(text) or grammar.opener.match(text, pos):
                return match.start(), match.end()
            end = grammar.end.match(text, pos)
            if end is not None and not _closes_more(text, end.end(), grammar, closer):
                return match.start(), match.end()
        fields.unclosed.add(closer.pattern)
    return None, start


def _closes_more(text: str, pos: int, grammar: FieldGrammar, closer: re.Pattern[str]) -> bool:
    """Whether behind what looks like the end of a call a value is closed that was not opened there: it was no end."""
    match = closer.search(text, pos)
    return match is not None and grammar.opener.search(text, pos, match.start()) is None


def _end_without_closer(text: str, start: int, grammar: FieldGrammar, fields: Fields) -> int:
    """Where a value without a closer must end: at the next field, at the end of the call, or with the text."""
    ends = [len(text)]
    for pattern in (grammar.opener, grammar.end):
        match = pattern.search(text, start) if pattern.pattern not in fields.unclosed else None
        if match is None:
            fields.unclosed.add(pattern.pattern)
        elif pattern is grammar.opener or _is_over(text, match.end()):
            ends.append(match.start())
    return min(ends)


def _is_over(text: str, pos: int) -> bool:
    """Whether nothing but what closes a call, or the next call, stands from a place on."""
    ends = ENDS.match(text, pos)
    pos = _behind_space(text, ends.end() if ends is not None else pos)
    return pos >= len(text) or _CALL_AHEAD.match(text, pos) is not None


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
