"""What a stream needs of the registry, which makes it and is not known here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from toolmend.toolkit.outcome import ParseResult
from toolmend.toolkit.spec import ToolSpec

__all__ = ("Parser",)


class Parser(Protocol):
    """Has the tools, and reads whole replies; a `ToolRegistry` is one."""

    infer_tool_name: bool

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """The compiled tools by name."""

    def parse_reply(self, reply: object, *, search_text: bool | None, dialect: str | None) -> ParseResult:
        """Read a whole reply.

        Args:
            reply: the reply.
            search_text: whether the text is searched for calls.
            dialect: the form of calls that the instructions asked for.
        """
