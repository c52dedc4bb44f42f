"""Reads as much of a call as was written so far, for show. Nothing here is validated, and nothing of it may run."""

from __future__ import annotations

import json
import re
from typing import Final

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.extract.keys import ARGUMENT_KEYS, NAME_KEYS
from toolmend.toolkit.extract.markers import OPENERS

__all__ = ("read_partial", "view_of_arguments", "view_of_call")

_TOKEN: Final = re.compile(
    r'\s*(?:(?P<mark>[{}\[\],:])|(?P<string>"(?:[^"\\]++|\\.)*+"?)|(?P<number>-?\d[\d.eE+-]*+)|(?P<word>[a-z]++))',
    re.DOTALL,
)
_WORDS: Final[dict[str, JsonValue]] = {"true": True, "false": False, "null": None}
_HALF_ESCAPE: Final = re.compile(r"(?<!\\)(?P<pairs>(?:\\\\)*)\\u[0-9a-fA-F]{0,3}\Z")
_BLANK: Final = re.compile(r"\s*")
_FIELD: Final = re.compile(
    r"<(?:[\w-]{1,30}:)?param(?:eter)?(?:\s?=\s?|\s{1,4}name\s?=\s?)[\"']?(?P<key>[^\"'<>\s]{1,200})[\"']?[^<>]{0,80}>"
    r"(?P<value>[^<]*+)|<arg_key>(?P<name>[^<]{1,200})</arg_key>\s{0,9}<arg_value>(?P<text>[^<]*+)"
)
_NAME: Final = re.compile(rf'"(?:{"|".join(NAME_KEYS)})"\s{{0,9}}:\s{{0,9}}"(?P<name>[^"\\]{{1,200}})"')
_WORD: Final = re.compile(r"\s{0,9}(?P<name>[A-Za-z_][\w.-]{0,200})(?=[^\w.-])")


def read_partial(text: str, start: int = 0) -> JsonValue:
    """Read JSON as far as it goes: whole members, and the string that is still open; a number that may go on is none.

    Args:
        text: the text.
        start: where the value begins.

    Returns:
        The value; None if none can be told yet.
    """
    builder = _Builder()
    while (token := _TOKEN.match(text, start)) is not None and builder.take(token, at_end=token.end() == len(text)):
        start = token.end()
    return builder.root


def view_of_arguments(text: str) -> JsonValue:
    """The arguments of an API call so far.

    Args:
        text: what was written of them.
    """
    start = text.find("{")
    return read_partial(text, start) if start >= 0 else None


def view_of_call(text: str) -> tuple[str, JsonValue]:
    """The name and the arguments of a call behind a marker so far; the name is empty if there is none yet.

    Args:
        text: what was written of it, from its marker on.
    """
    name, pos = "", 0
    while (opener := _opener_at(text, pos)) is not None:  # a section, and the call in it
        name, pos = opener.groupdict().get("name", ""), opener.end()
    if name:
        return name, _fields(text, pos)
    word = _WORD.match(text, pos)
    if word is not None:
        return word["name"], _fields(text, word.end())
    named = _NAME.search(text, pos)
    return (named["name"], _arguments(view_of_arguments(text[pos:]))) if named is not None else ("", None)


def _opener_at(text: str, pos: int) -> re.Match[str] | None:
    blank = _BLANK.match(text, pos)
    pos = blank.end() if blank is not None else pos
    openers = OPENERS.get(text[pos : pos + 1], ())
    return next((match for _, opener in openers if (match := opener.match(text, pos)) is not None), None)


def _arguments(value: JsonValue) -> JsonValue:
    """The arguments out of an object that names its tool."""
    if not isinstance(value, dict):
        return value
    held = next((value[key] for key in ARGUMENT_KEYS if key in value), None)
    return held if held is not None else {key: item for key, item in value.items() if key not in NAME_KEYS}


def _fields(text: str, start: int) -> JsonValue:
    """Arguments in a tag for each, or in JSON."""
    fields: dict[str, JsonValue] = {}
    for match in _FIELD.finditer(text, start):
        fields[match["key"] or match["name"]] = (match["value"] or match["text"] or "").strip("\n")
    if fields:
        return fields
    return view_of_arguments(text[start:])


class _Builder:
    """Values put together token by token, without recursion."""

    def __init__(self) -> None:
        self.root: JsonValue = None
        self.open: list[tuple[dict[str, JsonValue] | list[JsonValue], str]] = []  # each with what closes it
        self.key: str | None = None

    def take(self, token: re.Match[str], *, at_end: bool) -> bool:
        """Take one token; False if nothing more can be told."""
        mark = token["mark"]
        if mark is not None:
            return self._mark(mark)
        string = token["string"]
        if string is not None:
            closed = len(string) > 1 and string.endswith('"')
            return self._string(_decoded(string[1:-1] if closed else string[1:]), closed=closed)
        if token["word"] is not None:
            return token["word"] in _WORDS and self._put(_WORDS[token["word"]])
        try:
            return not at_end and self._put(json.loads(token["number"]))
        except ValueError:
            return False

    def _mark(self, mark: str) -> bool:
        if mark in "{[":
            made: dict[str, JsonValue] | list[JsonValue] = {} if mark == "{" else []
            if not self._put(made):
                return False
            self.open.append((made, "}" if mark == "{" else "]"))
        elif mark in "}]":
            return bool(self.open) and self.open.pop()[1] == mark and bool(self.open)
        return True

    def _string(self, value: str, *, closed: bool) -> bool:
        if self.open and isinstance(self.open[-1][0], dict) and self.key is None:
            self.key = value
            return closed
        return self._put(value) and closed

    def _put(self, value: JsonValue) -> bool:
        if not self.open:
            self.root = value
            return isinstance(value, (dict, list))
        holder = self.open[-1][0]
        if isinstance(holder, list):
            holder.append(value)
        elif self.key is None:
            return False
        else:
            holder[self.key] = value
            self.key = None
        return True


def _decoded(body: str) -> str:
    """What stands between quotes, without the half of an escape at its end."""
    if "\\" not in body:
        return body
    whole = _HALF_ESCAPE.sub(r"\g<pairs>", body)
    try:
        value = json.loads(f'"{whole}"', strict=False)
    except ValueError:
        return body
    text = value if isinstance(value, str) else body
    return text[:-1] if "\ud800" <= text[-1:] <= "\udbff" else text
