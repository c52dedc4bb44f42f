"""Reads arguments in tags that are named like them, one within the other, with a token in front of each tag."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import CutOffError, LimitError, NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Path, Repair, snippet
from toolmend.toolkit.extract.bodies import Head
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.convert import convert

if TYPE_CHECKING:
    from toolmend.repairs.schema import SchemaNode
    from toolmend.toolkit.extract.source import Source

__all__ = ("TOKEN", "read_nested")

TOKEN: Final = r"\]<\]minimax\[>\["  # noqa: S105 - no secret
"""What stands in front of each tag; models leave it out before a closing tag now and then."""

_TAG: Final = re.compile(rf"{TOKEN}<(?P<close>/?)(?P<name>[^<>/\s\"'=]{{1,200}})>|</(?P<bare>[^<>/\s\"'=]{{1,200}})>")
_ITEM: Final = "item"
_MAX_DEPTH: Final = 100


@dataclass(slots=True)
class _Element:
    """A tag that is open."""

    name: str
    node: SchemaNode | None
    start: int
    children: list[tuple[str, JsonValue]] = field(default_factory=list)

    @property
    def is_list(self) -> bool:
        """Whether what stands in it is a list: by the schema, or by the name of its tags where that says nothing."""
        if self.node is not None and self.node.allows("array") != self.node.allows("object"):
            return self.node.allows("array")
        return bool(self.children) and all(name == _ITEM for name, _ in self.children)

    def child(self, name: str) -> SchemaNode | None:
        """The schema of a tag in it."""
        if self.node is None:
            return None
        if self.node.allows("array") and (name == _ITEM or not self.node.allows("object")):
            return self.node.item(len(self.children))
        return self.node.member(name)


def read_nested(source: Source, start: int, head: Head, end: str) -> Found:
    """Read the arguments of one call up to the tag that closes it.

    Args:
        source: the text, with the registered tools.
        start: where the first tag may stand.
        head: the name and what goes with it.
        end: the name of the tag that closes the call.
    """
    tool = source.tool(head.name)
    reader = _Reader(source.text, start, [_Element(end, tool.node if tool is not None else None, start)])
    try:
        arguments = reader.read()
    except RepairError as error:
        span = (head.start, len(source.text) if isinstance(error, CutOffError) else reader.pos)
        return Found((Part(head.name, None, span, id=head.id, fault=error),), span[1])
    part = Part(head.name, arguments, (head.start, reader.pos), Shape.ENVELOPE, head.id, tuple(reader.repairs))
    return Found((part,), reader.pos)


@dataclass(slots=True)
class _Reader:
    """Reads the tags of one call; it never recurses."""

    text: str
    pos: int
    stack: list[_Element]
    repairs: list[Repair] = field(default_factory=list)

    def read(self) -> dict[str, JsonValue]:
        """Read to the tag that closes the first element."""
        for tag in _TAG.finditer(self.text, self.pos):
            top = self.stack[-1]
            name = tag["bare"] or tag["name"]
            if tag["bare"] and (tag["bare"] != top.name or not self.goes_on(tag.end())):
                continue  # text of the value
            closes = tag["bare"] or tag["close"]
            if not closes or top.children or len(self.stack) == 1:
                self.refuse_text(self.pos, tag.start())
            if not closes:
                self.open(top, name, tag.end())
            elif name != top.name:
                raise self.fail(f"</{name}> closes nothing, <{top.name}> is open")
            else:
                value = self.value(top, tag.start())
                self.stack.pop()
                self.pos = tag.end()
                if not self.stack:
                    return value if isinstance(value, dict) else {}
                self.stack[-1].children.append((name, value))
                continue
            self.pos = tag.end()
        raise CutOffError("the text ends inside a call: something may be missing", path=self.path())

    def open(self, top: _Element, name: str, start: int) -> None:
        """Open the tag of a member."""
        if len(self.stack) > _MAX_DEPTH:
            raise LimitError(f"objects and lists are nested deeper than {_MAX_DEPTH}", kind="too_deep")
        self.stack.append(_Element(name, top.child(name), start))

    def value(self, element: _Element, end: int) -> JsonValue:
        """What an element holds that is closed at a place."""
        if element.is_list and (element.children or not self.text[element.start : end].strip()):
            return [value for _, value in element.children]
        if element.children or len(self.stack) == 1:
            members = dict(element.children)
            if len(members) != len(element.children):
                raise self.fail(f"a key is given twice in <{element.name}>")
            return members
        reading = convert(self.text[element.start : end], element.node, self.path(), framed=False)
        self.repairs += reading.repairs
        return reading.value

    def refuse_text(self, start: int, end: int) -> None:
        """Refuse what stands beside tags."""
        between = self.text[start:end].strip()
        if between:
            raise self.fail(f"{snippet(between[:40])!r} stands among tags")

    def goes_on(self, pos: int) -> bool:
        """Whether a tag stands behind a closing one that lacks its token, so that it closes something."""
        return re.compile(rf"\s*(?:{TOKEN}<|\Z)").match(self.text, pos) is not None

    def path(self) -> Path:
        """The path of the element that is read."""
        return tuple(element.name for element in self.stack[1:])

    def fail(self, message: str) -> NotJsonError:
        """The error for this place."""
        return NotJsonError(message, path=self.path(), expected="a tag for each parameter")
