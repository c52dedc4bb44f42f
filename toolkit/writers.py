"""Writes calls as text, so that the readers of text find the same calls in it again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import SchemaNode
from toolmend.repairs.text.strict import identical
from toolmend.toolkit.extract.convert import convert

__all__ = ("FUNCTION_TAGS", "INVOKE_TAGS", "Tags", "Writer", "Written", "as_hermes", "as_json", "as_python")


@dataclass(frozen=True, slots=True)
class Written:
    """A call that is to be written.

    Attributes:
        name: name of the tool.
        arguments: its arguments.
        node: the schema of the arguments, by which formats without types are read back; None if it is not known.
    """

    name: str
    arguments: Mapping[str, JsonValue]
    node: SchemaNode | None = None


Writer: TypeAlias = Callable[[Sequence[Written]], str]
"""Writes calls, in order. What its form cannot carry it writes as JSON: that is read in any conversation."""


def as_json(calls: Sequence[Written]) -> str:
    """An object with name and arguments for each call, on a line of its own.

    Args:
        calls: the calls.
    """
    return "\n".join(_dumped({"name": call.name, "arguments": dict(call.arguments)}) for call in calls)


def as_hermes(calls: Sequence[Written]) -> str:
    """Such an object between tags for each call.

    Args:
        calls: the calls.
    """
    return "\n".join(f"<tool_call>\n{as_json([call])}\n</tool_call>" for call in calls)


# ---------------------------------------------------------------------- call syntax

_CALLEE: Final = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)
_KEYWORD: Final = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_LITERAL: Final = re.compile(r'"(?:[^"\\]|\\.)*"|true|false|null')
_IN_PYTHON: Final = {"true": "True", "false": "False", "null": "None"}


def as_python(calls: Sequence[Written]) -> str:
    """A list of calls in Python syntax; JSON if a name or key is no identifier.

    Args:
        calls: the calls.
    """
    written = "[" + ", ".join(map(_python_call, calls)) + "]"
    keys = (key for call in calls for key in call.arguments)
    plain = all(_CALLEE.fullmatch(call.name) for call in calls) and all(map(_KEYWORD.fullmatch, keys))
    return written if plain and "\\_" not in written else as_json(calls)  # Markdown's escape would be taken off


def _python_call(call: Written) -> str:
    return f"{call.name}({', '.join(f'{key}={_python(value)}' for key, value in call.arguments.items())})"


def _python(value: JsonValue) -> str:
    """A value as Python writes it: JSON but for the three literals, strings passed over."""
    return _LITERAL.sub(lambda match: _IN_PYTHON.get(match[0], match[0]), _dumped(value))


# ---------------------------------------------------------------------- tags

_LIKE_FIELD: Final = re.compile(r"</?[^<>\n]{0,45}param|<!\[CDATA\[")
"""What in a value might be taken for the end of it, or for the next one."""

_NAME_IN_TAG: Final = re.compile(r"[^\s\"'<>=|｜](?:[^\"'<>\n=|｜]{0,190}[^\s\"'<>=|｜])?")


@dataclass(frozen=True, slots=True)
class Tags:
    """A form with a tag around the call and one around each value, which is written as it is.

    Attributes:
        call: the opening tag of a call, `{}` in the place of its name.
        call_end: its closing tag.
        field: the opening tag of a value, `{}` in the place of its key.
        field_end: its closing tag.
        frame: what stands between these tags and the value.
    """

    call: str
    call_end: str
    field: str
    field_end: str
    frame: str = ""

    def __call__(self, calls: Sequence[Written]) -> str:
        """Write calls, the arguments of one as JSON if tags and schema alone would not give back each value.

        Args:
            calls: the calls.
        """
        return "\n".join(map(self._call, calls))

    def form(self, name: str, texts: Mapping[str, str]) -> str:
        """A call whose values are texts already.

        Args:
            name: name of the tool.
            texts: the text of each value.
        """
        return self._around(name, (f"{self.field.format(key)}{self._framed(text)}" for key, text in texts.items()))

    def _call(self, call: Written) -> str:
        texts = {key: _plain(value) for key, value in call.arguments.items()}
        if all(self._carries(call.node, key, texts[key], value) for key, value in call.arguments.items()):
            return self.form(call.name, texts)
        return self._around(call.name, [_tagless(dict(call.arguments))])

    def _around(self, name: str, lines: Iterable[str]) -> str:
        return "\n".join((self.call.format(name), *lines, self.call_end))

    def _framed(self, text: str) -> str:
        return f"{self.frame}{text}{self.frame}{self.field_end}"

    def _carries(self, node: SchemaNode | None, key: str, text: str, value: JsonValue) -> bool:
        """Whether what is written for a value is read back as the same one."""
        if _NAME_IN_TAG.fullmatch(key) is None or _LIKE_FIELD.search(text):
            return False
        member = node.member(key) if node is not None else None
        reading = convert(f"{self.frame}{text}{self.frame}", member, (key,))
        return not reading.repairs and identical(reading.value, value)


FUNCTION_TAGS: Final = Tags("<function={}>", "</function>", "<parameter={}>", "</parameter>", "\n")
"""The tags of Qwen3-Coder and its kin."""

INVOKE_TAGS: Final = Tags('<invoke name="{}">', "</invoke>", '<parameter name="{}">', "</parameter>")
"""The tags of Claude and MiniMax M2."""


def _plain(value: JsonValue) -> str:
    return value if isinstance(value, str) else _tagless(value)


def _tagless(value: JsonValue) -> str:
    """A value as JSON in which no tag stands: what looks like one in a string is escaped."""
    text = _dumped(value)
    return text.replace("<", "\\u003c") if _LIKE_FIELD.search(text) else text


def _dumped(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
