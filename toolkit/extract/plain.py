"""Reads a call in the usual form that is right as it stands: nothing has to be understood of it, or mended."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from toolmend.toolkit.as_written import end_as_written
from toolmend.toolkit.extract.candidate import Found, Part

if TYPE_CHECKING:
    from toolmend.toolkit.extract.source import Source

__all__ = ("read_plain",)

_OPENER: Final = re.compile(
    r'\{[ \t\r\n]*"name"[ \t\r\n]*:[ \t\r\n]*"(?P<name>[\w.-]{1,100})"[ \t\r\n]*,'
    r'[ \t\r\n]*"(?P<key>arguments|parameters)"[ \t\r\n]*:[ \t\r\n]*(?=\{)'
)
_CLOSER: Final = re.compile(r"[ \t\r\n]*\}")


def read_plain(source: Source, start: int) -> Found | None:
    """Read an object that holds a registered name, valid arguments, and nothing else.

    Args:
        source: the text, with the registered tools.
        start: where the brace stands.

    Returns:
        The call, its arguments as text; None if it has to be read with care.
    """
    opener = _OPENER.match(source.text, start)
    tool = source.tools.get(opener["name"]) if opener is not None else None
    if opener is None or tool is None or opener["key"] in tool.node.members:
        return None
    end = end_as_written(tool, source.text, opener.end())
    closer = _CLOSER.match(source.text, end) if end is not None else None
    if closer is None:
        return None
    return Found((Part(tool.name, source.text[opener.end() : end], (start, closer.end())),), closer.end())
