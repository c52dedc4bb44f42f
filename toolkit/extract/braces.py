"""Reads `call:name{key:value}`: keys without quotes, strings between tokens, and types from the schema."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from toolmend.repairs.errors import CutOffError, LimitError, NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Path, Repair
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import read_value
from toolmend.toolkit.extract.candidate import Found, Part, Shape
from toolmend.toolkit.extract.convert import convert
from toolmend.toolkit.extract.source import Source

__all__ = ("HEAD", "read_braces")

HEAD: Final = re.compile(r"call:\s{0,4}(?P<name>[\w.:-]{1,200}?)\s{0,4}(?=[{(])")
"""The head of such a call."""

_QUOTES: Final = ('<|"|>', "<escape>", '<"|>', '<|"')
_CLOSERS: Final = {"{": "}", "[": "]", "(": ")"}
_MARK: Final = r"(?:<\|\"\|>|[\"'])?"
_NAME: Final = r"[^\s:=,{}\[\]()<>\"'][^:=,{}\[\]()<>\"'\n]{0,200}?"
_KEY: Final = re.compile(rf"\s*{_MARK}(?P<key>{_NAME}){_MARK}\s*[:=]\s*")
_BARE: Final = re.compile(r"[^,{}\[\]()<>]+")
_SPACE: Final = re.compile(r"\s*")
_MAX_DEPTH: Final = 100


@dataclass(slots=True)
class _Frame:
    """A container that is open."""

    closer: str
    node: SchemaNode | None
    value: JsonValue
    key: str | int = 0

    def child(self) -> SchemaNode | None:
        """The schema of the member that is read next."""
        if self.node is None:
            return None
        return self.node.member(self.key) if isinstance(self.key, str) else self.node.item(self.key)

    def put(self, item: JsonValue) -> None:
        """Put a member where it belongs."""
        if isinstance(self.key, str):
            self.value[self.key] = item
        else:
            self.value.append(item)
            self.key += 1


@dataclass(slots=True)
class _Reader:
    """Reads the braces of one call; it never recurses."""

    text: str
    pos: int
    stack: list[_Frame] = field(default_factory=list)
    repairs: list[Repair] = field(default_factory=list)

    def read(self, node: SchemaNode | None) -> dict[str, JsonValue]:
        """Read from the opening brace to the one that closes it."""
        root: dict[str, JsonValue] = self.open(node)
        while self.stack:
            self.skip_space()
            frame = self.stack[-1]
            if self.pos >= len(self.text):
                raise CutOffError("the text ends inside a call: something may be missing", path=self.path())
            if self.text[self.pos] == frame.closer:
                self.pos += 1
                self.stack.pop()
                self.behind_value()
            elif isinstance(frame.value, dict) and not self.read_key(frame):
                raise self.fail("no key stands here")
            else:
                self.read_item(frame)
        return root

    def open(self, node: SchemaNode | None) -> JsonValue:
        """Open the container that begins here."""
        opener = self.text[self.pos]
        if len(self.stack) >= _MAX_DEPTH:
            raise LimitError(f"objects and lists are nested deeper than {_MAX_DEPTH}", kind="too_deep")
        value: JsonValue = [] if opener == "[" else {}
        self.stack.append(_Frame(_CLOSERS[opener], node, value, 0 if opener == "[" else ""))
        self.pos += 1
        return value

    def read_key(self, frame: _Frame) -> bool:
        """Read the key of a member."""
        match = _KEY.match(self.text, self.pos)
        if match is None:
            return False
        key = match["key"].strip()
        if key in frame.value:
            raise self.fail(f"the key {key!r} is given twice")
        frame.key = key
        self.pos = match.end()
        return True

    def read_item(self, frame: _Frame) -> None:
        """Read the value of a member."""
        node = frame.child()
        char = self.text[self.pos : self.pos + 1]
        token = next((token for token in _QUOTES if self.text.startswith(token, self.pos)), None)
        if char and char in _CLOSERS:
            frame.put(self.open(node))
            return
        if token is not None:
            frame.put(self.quoted(token, node))
        elif char and char in "\"'":
            reading = read_value(self.text, self.pos, Options(embedded=True))
            self.repairs += reading.repairs
            self.pos = reading.end
            frame.put(reading.value)
        else:
            frame.put(self.bare(node))
        self.behind_value()

    def quoted(self, token: str, node: SchemaNode | None) -> JsonValue:
        """A string between two tokens; the schema may still want something else."""
        start = self.pos + len(token)
        end = self.text.find(token, start)
        if end < 0:
            raise CutOffError("the text ends inside a string", path=self.path())
        self.pos = end + len(token)
        value = self.text[start:end]
        return value if node is None or node.allows("string") else convert(value, node, self.path()).value

    def bare(self, node: SchemaNode | None) -> JsonValue:
        """A value without quotes."""
        match = _BARE.match(self.text, self.pos)
        if match is None:
            raise self.fail("no value stands here")
        self.pos = match.end()
        text = match[0].strip()
        is_null = text == "null" and node is not None and not node.allows("string")
        return None if is_null else convert(text, node, self.path()).value

    def behind_value(self) -> None:
        """Pass over the comma behind a value."""
        if not self.stack:
            return
        self.skip_space()
        if self.pos >= len(self.text):
            return
        if self.text[self.pos] == ",":
            self.pos += 1
        elif self.text[self.pos] != self.stack[-1].closer:
            raise self.fail("a comma or a closer is missing")

    def skip_space(self) -> None:
        """Pass over white space."""
        match = _SPACE.match(self.text, self.pos)
        self.pos = match.end() if match is not None else self.pos

    def path(self) -> Path:
        """The path of the member that is being read."""
        return tuple(frame.key for frame in self.stack)

    def fail(self, message: str) -> NotJsonError:
        """The error for this place."""
        around = self.text[max(0, self.pos - 10) : self.pos + 10]
        return NotJsonError(f"{message}, near {around!r}", path=self.path(), given=around)


def read_braces(source: Source, start: int) -> Found | None:
    """Read one call.

    Args:
        source: the text, with the registered tools.
        start: where its head begins.

    Returns:
        The call; None if no such call stands there.
    """
    head = HEAD.match(source.text, start)
    if head is None:
        return None
    tool = source.tool(head["name"])
    reader = _Reader(source.text, head.end())
    try:
        arguments = reader.read(tool.node if tool is not None else None)
    except RepairError as error:
        source.charge(200)
        end = len(source.text)
        return Found((Part(head["name"], None, (start, end), fault=error),), end, "braces")
    span = (start, reader.pos)
    part = Part(head["name"], arguments, span, Shape.ENVELOPE, repairs=tuple(reader.repairs))
    return Found((part,), reader.pos, "braces")
