"""Reads a call put down like YAML: `tool: add`, then `arguments:` with a line for each parameter.

No reader of YAML is asked: it would turn `NO`, `0150` and dates into other types. The values are text, and the schema
gives their types.
"""

from __future__ import annotations

import re
from typing import Final

from toolmend.repairs.errors import CutOffError, NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import read_value
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.convert import convert
from toolmend.toolkit.extract.keys import ARGUMENT_KEYS, NAME_KEYS
from toolmend.toolkit.extract.source import Source

__all__ = ("read_yamlish",)

_HEAD: Final = re.compile(
    rf"(?:{'|'.join(NAME_KEYS)})[ \t]?:[ \t]*[\"']?(?P<name>[\w.:-]{{1,200}})[\"']?[ \t\r]*\n"
    rf"(?:{'|'.join(ARGUMENT_KEYS)})[ \t]?:[ \t]*(?P<inline>\{{\}})?[ \t\r]*(?=\n|\Z)"
)
_LINE: Final = re.compile(r"\n(?P<indent>[ \t]+)(?P<key>[\w.-]{1,200})[ \t]?:(?P<value>(?:[ \t][^\n]*)?)(?=\n|\Z)")
_ITEM: Final = re.compile(r"\n(?P<indent>[ \t]*)-[ \t]+(?P<value>[^\n]+)(?=\n|\Z)")


def read_yamlish(source: Source, start: int) -> Found | None:
    """Read one call.

    Args:
        source: the text, with the registered tools.
        start: where its first line begins.

    Returns:
        The call; None if no such lines stand there.
    """
    head = _HEAD.match(source.text, start)
    if head is None:
        return None
    tool = source.tool(head["name"])
    fields = _Fields(source, tool.node if tool is not None else None)
    try:
        end = fields.read(head.end()) if head["inline"] is None else head.end()
        if not source.text[end:].strip() and fields.open and source.complete is not True:
            raise CutOffError(
                "the text ends in a bare value or a list: more may be missing", expected="the whole call again"
            )
    except RepairError as error:
        return Found((Part(head["name"], None, (start, len(source.text)), fault=error),), len(source.text), "yaml")
    unclosed = ((),) if head["inline"] is None and not source.text[end:].strip() else ()
    repairs = tuple(fields.repairs)
    part = Part(head["name"], fields.values, (start, end), Shape.ENVELOPE, repairs=repairs, unclosed=unclosed)
    return Found((part,), end, "yaml")


class _Fields:
    """The lines of the arguments, one level deep."""

    def __init__(self, source: Source, node: SchemaNode | None) -> None:
        self.source = source
        self.node = node
        self.values: dict[str, JsonValue] = {}
        self.repairs: list[Repair] = []
        self.open = False  # whether the last value may go on: a list, or one without quotes

    def read(self, pos: int) -> int:
        """Read the lines from one place on, and give the offset behind them."""
        text, indent = self.source.text, None
        while (line := _LINE.match(text, pos)) is not None:
            indent = line["indent"] if indent is None else indent
            if line["indent"] != indent:
                raise NotJsonError("lines within lines are not read; write the arguments as JSON")
            key = line["key"]
            if key in self.values:
                raise NotJsonError(f"the key {key!r} is given twice", path=(key,))
            member = self.node.member(key) if self.node is not None else None
            pos = line.end()
            if line["value"].strip():
                self.values[key] = self.scalar(line["value"].strip(), member, key)
            else:
                pos = self.items(pos, member, key)
        return pos

    def items(self, pos: int, member: SchemaNode | None, key: str) -> int:
        """Read the items of a list, each on a line of its own."""
        items: list[JsonValue] = []
        while (line := _ITEM.match(self.source.text, pos)) is not None:
            node = member.item(len(items)) if member is not None else None
            items.append(self.scalar(line["value"].strip(), node, key))
            pos = line.end()
        if not items:
            raise NotJsonError(f"no value stands behind {key!r}", path=(key,))
        self.values[key] = items
        self.open = True
        return pos

    def scalar(self, text: str, node: SchemaNode | None, key: str) -> JsonValue:
        """A value that is the rest of a line."""
        self.open = text[-1] not in "\"'}]" and text not in ("true", "false", "null")
        if text[0] in "|>" and text[1:].strip(" +-0123456789") == "":
            raise NotJsonError("blocks of text are not read; write the arguments as JSON", path=(key,))
        if text[0] in "\"'":
            reading = read_value(text, 0, Options())
            return reading.value
        reading = convert(text, node, (key,))
        self.repairs += reading.repairs
        return reading.value
