"""A text in which calls are looked for, with what every reader of it needs to know."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from toolmend.repairs.policy import Limits
from toolmend.toolkit.extract.keys import KeyPlaces
from toolmend.toolkit.extract.surroundings import holds_program
from toolmend.toolkit.names import find_name

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("MAX_CALLS", "Source")

MAX_CALLS: Final = 500
"""Most calls in one text; more are an error."""

_FENCE: Final = re.compile(r"\s*`{3,}[ \t]*\w{0,20}[ \t\r]*\n(?P<value>[^`]*)`{3,}\s*")
_ATTEMPTS: Final = 3
_FREE_CHARS: Final = 200_000
_NO_TOOLS: Final = Limits()


class Source:
    """A text in which calls are looked for.

    Attributes:
        text: the whole text.
        tools: the registered tools.
        complete: whether the model is known to have stopped by itself (True), to have been cut (False), or neither.
        nameless: whether an object may be a call although no name is in sight.
        asked: the unmarked formats that show that a call was meant, as the instructions asked for them.
        marked: whether a marker stands around what is being read, so that bolder shapes may be tried.
    """

    def __init__(
        self,
        text: str,
        tools: Mapping[str, ToolSpec],
        *,
        complete: bool | None = None,
        nameless: bool = False,
        asked: frozenset[str] = frozenset(),
    ) -> None:
        """Look at a text.

        Args:
            text: the whole text.
            tools: the registered tools.
            complete: whether the model is known to have stopped by itself.
            nameless: whether an object may be a call although no name is in sight.
            asked: the unmarked formats that show that a call was meant.
        """
        self.text = text
        self.tools = tools
        self.complete = complete
        self.nameless = nameless
        self.asked = asked
        self.marked = False
        self._names = frozenset(tools)
        self._resolved: dict[str, str | None] = {}
        self._unclosed: dict[tuple[str, str], set[str]] = {}
        self._left = _ATTEMPTS * len(text) + _FREE_CHARS

    @cached_property
    def first(self) -> int:
        """Where the first character stands that is not blank."""
        return len(self.text) - len(self.text.lstrip())

    @cached_property
    def is_json(self) -> bool:
        """Whether the message is nothing but a JSON value in which the name of a tool stands in quotes.

        A value by itself may be a call in forms that would be data anywhere else.
        """
        fence = _FENCE.fullmatch(self.text)
        value = (fence["value"] if fence is not None else self.text).strip()
        is_value = value[:1] + value[-1:] in ("{}", "[]")
        return is_value and any(f"{quote}{name}{quote}" in value for name in self.tools for quote in "\"'")

    @cached_property
    def is_document(self) -> bool:
        """Whether the message is nothing but a JSON document: what stands in its strings is data."""
        text = self.text.strip()
        if text[:1] + text[-1:] not in ("{}", "[]"):
            return False
        try:
            json.loads(text, strict=False)
        except (ValueError, RecursionError):
            return False
        return True

    @cached_property
    def holds_program(self) -> bool:
        """Whether the text holds lines of a program."""
        return holds_program(self.text)

    @contextmanager
    def behind_marker(self) -> Iterator[None]:
        """A stretch of reading with a marker around it."""
        before, self.marked = self.marked, True
        try:
            yield
        finally:
            self.marked = before

    def tool(self, name: str | None) -> ToolSpec | None:
        """The registered tool that a written name stands for, None if there is none.

        Args:
            name: the name as the model wrote it.
        """
        if name is None:
            return None
        if name not in self._resolved:
            self._resolved[name] = find_name(name, self._names).name
        found = self._resolved[name]
        return self.tools[found] if found is not None else None

    @cached_property
    def keys(self) -> KeyPlaces:
        """Where the keys of calls stand."""
        return KeyPlaces(self.text)

    @cached_property
    def _hints(self) -> tuple[list[int], list[ToolSpec]]:
        """Where a name key holds the name of a registered tool, and of which."""
        named = [(place, self.tool(name)) for place, name in self.keys.names]
        return [place for place, tool in named if tool is not None], [tool for _, tool in named if tool is not None]

    def hint(self, start: int, end: int | None = None) -> ToolSpec | None:
        """The tool named by the next name key, read without understanding what stands around it.

        Args:
            start: where to look from.
            end: where to stop; the end of the text if not given.
        """
        places, tools = self._hints
        index = bisect_left(places, start)
        if index == len(places) or (end is not None and places[index] >= end):
            return None
        return tools[index]

    @property
    def limits(self) -> Limits:
        """The bounds on the work: those of the first tool, as the tools of a registry share them as a rule."""
        return next((tool.mender.policy.limits for tool in self.tools.values()), _NO_TOOLS)

    def may_hold_calls(self, start: int) -> bool:
        """Whether JSON that begins at a place may hold calls.

        Args:
            start: the place.
        """
        return self.nameless or self.keys.has_name(start) or self.is_json

    def unclosed_by(self, opener: str, end: str) -> set[str]:
        """The patterns that do not follow any more in the text, for the fields of one grammar; to be added to.

        Args:
            opener: the pattern that opens a field.
            end: the pattern that ends the call.
        """
        return self._unclosed.setdefault((opener, end), set())

    def charge(self, chars: int) -> None:
        """Pay for having read something in vain.

        Args:
            chars: how many characters were read.
        """
        self._left -= max(chars, len(self.text) // 300, 200)

    @property
    def exhausted(self) -> bool:
        """Whether so much was read in vain that bold readers must stop, lest a text is read over and over."""
        return self._left < 0
