"""Reads a tag that is named like a tool, or holds its name, with a tag for each parameter inside."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from toolmend.toolkit.extract.bodies import Head, read_named
from toolmend.toolkit.extract.candidate import Found
from toolmend.toolkit.extract.fields import children_of
from toolmend.toolkit.extract.source import Source

__all__ = ("names_tool", "read_tool_tag")

_TAG: Final = re.compile(r"<(?P<name>[A-Za-z][\w.-]{0,100})>\s*")
_REQUEST: Final = re.compile(r"<tool>\s*<request>\s*(?P<name>[\w.-]{1,100})\s*</request>\s*")


def names_tool(text: str, start: int, names: Container[str]) -> bool:
    """Whether a tag stands at a place that is named like a tool, or holds the name of one.

    Args:
        text: the text.
        start: the place.
        names: the names of the tools.
    """
    tags = (_REQUEST.match(text, start), _TAG.match(text, start))
    return any(tag is not None and tag["name"] in names for tag in tags)


def read_tool_tag(source: Source, start: int) -> Found | None:
    """Read one call.

    Args:
        source: the text, with the registered tools.
        start: where the tag stands.

    Returns:
        The call; None unless the tag is named exactly like a tool, or holds just that name first, and then a parameter
        of it, JSON, or nothing.
    """
    request = _REQUEST.match(source.text, start)
    tag = request or _TAG.match(source.text, start)
    tool = source.tools.get(tag["name"]) if tag is not None else None
    if tag is None or tool is None:
        return None
    name = "tool" if request is not None else tool.name
    grammar = children_of(name, frozenset(tool.node.members))
    holds_field = grammar.opener.match(source.text, tag.end()) is not None
    is_empty = not tool.node.required_members and grammar.end.match(source.text, tag.end()) is not None
    if not (holds_field or is_empty or source.text.startswith("{", tag.end())):
        return None
    found = read_named(source, tag.end(), Head(tool.name, start), grammar)
    closer = re.compile(rf"\s*</{re.escape(name)}\s*>").match(source.text, found.end)
    return Found(found.parts, closer.end() if closer is not None else found.end, "tool-tag")
