"""Reads what stands behind the markers of single families; most markers leave it to the readers of bodies."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from toolmend.repairs.errors import CutOffError, SchemaMismatchError
from toolmend.toolkit.extract.behind import with_fault
from toolmend.toolkit.extract.bodies import Head, read_body, read_named
from toolmend.toolkit.extract.braces import read_braces
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.fields import DSML_NAMED, NAMED, XTML, FieldGrammar, children_of
from toolmend.toolkit.extract.nested import read_nested

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source

__all__ = (
    "NAME_IN_FRONT",
    "ROLE",
    "MarkerReader",
    "any_body",
    "braces",
    "dsml",
    "legacy_invoke",
    "name_in_front",
    "named",
    "nested",
    "recipient",
    "separated",
    "stripped_message",
    "xtml",
)

MarkerReader: TypeAlias = Callable[["Source", re.Match[str]], Found | None]
"""Reads the calls behind a marker; None if nothing there looks like one."""

NAME_IN_FRONT: Final = r"(?P<name>[\w.-]{1,200}(?::\d{1,6})?)(?:\[CALL_ID\]\w{1,60})?\s{0,4}"
"""A name in front of a marker, as its own marker was lost."""

ROLE: Final = "assistant"
"""The role in front of the header of a message that has lost its tokens."""

_BLANK: Final = re.compile(r"\s*")
_CALL_BODY: Final = re.compile(r"\{|`{3}|<(?:[\w.-]{1,30}:)?param|</(?:[\w.-]{1,30}:)?(?:function|invoke)")
"""What shows that a tag with an unknown name was meant as a call."""

_NAME_BEFORE: Final = re.compile(rf"{NAME_IN_FRONT}\Z")
_ENDS_NAME: Final = re.compile(r".*[\w.-]\s*\Z", re.DOTALL)
_TAG: Final = re.compile(r"<(?P<name>[\w:.-]{1,40})")
_ATTRIBUTE: Final = re.compile(r"(?P<key>[\w.:-]{1,100})\s?=(?:\s?\"[^\"]*\"|\s?'[^']*'|\S*)")
_OF_TAG: Final = frozenset({"id", "index", "type", "call_id", "tool_call_id"})
"""Attributes that are no arguments."""

_JSON_ELEMENT: Final = re.compile(r"\s*<\|open\|>json\b[^<>|\n]{0,80}<\|sep\|>")


def any_body(source: Source, match: re.Match[str]) -> Found | None:
    """Calls in whatever form; a marker with nothing at all behind it is a call that was cut off.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    found = read_body(source, match.end())
    pos = _behind_space(source.text, match.end())
    if found is None and pos >= len(source.text):
        error = CutOffError("the text ends behind the marker of a call", expected="the whole call")
        return Found((Part(None, None, (match.start(), pos), Shape.NAMELESS, fault=error),), pos)
    return found


def named(source: Source, match: re.Match[str]) -> Found | None:
    """Arguments behind a marker that holds the name: JSON, named parameters, or a tag for each parameter.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    pos = _behind_space(source.text, match.end())
    tool = source.tool(match["name"])
    if tool is None and _CALL_BODY.match(source.text, pos) is None:
        return None
    grammar: FieldGrammar | None = None
    if tool is not None and not NAMED.opener.match(source.text, pos):
        tag = _TAG.match(match[0])
        children = children_of(tag["name"] if tag is not None else "invoke", frozenset(tool.node.members))
        grammar = children if children.opener.match(source.text, pos) else None
    return _without_attributes(read_named(source, match.end(), _head(match), grammar), match)


def legacy_invoke(source: Source, match: re.Match[str]) -> Found | None:
    """The name in a tag of its own, and a tag for each parameter.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    tool = source.tool(match["name"])
    keys = frozenset(tool.node.members) if tool is not None else frozenset[str]()
    return read_named(source, match.end(), _head(match), children_of("parameters", keys))


def braces(source: Source, match: re.Match[str]) -> Found | None:
    """A call in braces, or whatever else stands there.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    return read_braces(source, _behind_space(source.text, match.end())) or any_body(source, match)


def dsml(source: Source, match: re.Match[str]) -> Found | None:
    """Parameters in tags with a token.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    return _without_attributes(read_named(source, match.end(), _head(match), DSML_NAMED), match)


def xtml(source: Source, match: re.Match[str]) -> Found | None:
    """Parameters in tokens, or one object in them.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    json_element = _JSON_ELEMENT.match(source.text, match.end())
    start = json_element.end() if json_element is not None else match.end()
    return _without_attributes(read_named(source, start, _head(match), XTML), match)


def nested(source: Source, match: re.Match[str]) -> Found | None:
    """Tags that are named like the parameters, one within the other.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    return read_nested(source, match.end(), _head(match), "invoke")


def name_in_front(source: Source, match: re.Match[str]) -> Found | None:
    """Arguments behind a marker in front of which the name stands, as its own marker was lost.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    if not _ENDS_NAME.match(source.text[max(0, match.start() - 5) : match.start()]):
        return None
    window = max(0, match.start() - 210)
    name = _NAME_BEFORE.search(source.text[window : match.start()])
    if name is None:
        return None
    return read_named(source, match.end(), Head(name["name"], window + name.start()))


def separated(source: Source, match: re.Match[str]) -> Found | None:
    """A call whose first marker was lost: the word `function` or the name stands in front of the separator.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    word = source.text[max(0, match.start() - 9) : match.start()].rstrip()
    if not word.endswith("function"):
        return name_in_front(source, match)
    found = read_body(source, match.end())
    if found is None or not found.parts:
        return None
    start = source.text.rindex("function", 0, match.start())
    first = replace(found.parts[0], span=(start, found.parts[0].span[1]))
    return Found((first, *found.parts[1:]), found.end)


def stripped_message(source: Source, match: re.Match[str]) -> Found | None:
    """The arguments behind the header of a message that has lost its tokens, with the role in front of it.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    start = match.start() - len(ROLE) if source.text.endswith(ROLE, 0, match.start()) else match.start()
    return read_named(source, match.end(), Head(match["name"], start))


def recipient(source: Source, match: re.Match[str]) -> Found | None:
    """Arguments behind a line with the name of a tool; any other name is none.

    Args:
        source: the text, with the registered tools.
        match: the marker.
    """
    return named(source, match) if source.tool(match["name"]) is not None else None


def _without_attributes(found: Found, match: re.Match[str]) -> Found:
    """What was found, with a fault if arguments may stand in the tag, as attributes beside the name."""
    attributes = match[0][match.end("name") - match.start() :]
    lost = [one["key"] for one in _ATTRIBUTE.finditer(attributes) if one["key"].lower() not in _OF_TAG]
    if not lost or not found.parts or found.parts[-1].fault is not None:
        return found
    listed = ", ".join(map(repr, lost[:5]))
    error = SchemaMismatchError(
        f"{listed} beside the name of the tool would be lost", given=listed, expected="every argument inside the tags"
    )
    return with_fault(found, error, found.end)


def _head(match: re.Match[str]) -> Head:
    return Head(match["name"], match.start())


def _behind_space(text: str, pos: int) -> int:
    space = _BLANK.match(text, pos)
    return space.end() if space is not None else pos
