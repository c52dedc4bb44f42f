"""The escapes of a string: those of JSON exactly, others without losing a backslash that was meant."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

__all__ = ("BadEscapeError", "decode", "is_doubtful", "starts_drive_path")

MAX_PATHS: Final = 50
"""Most Windows paths in one string that are told apart from escapes."""

_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|.|\Z)", re.DOTALL)
_JSON_ESCAPES: Final = re.compile(r'[^\\]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^\\]*)*')
_DRIVE: Final = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]:\\(?!\\)")
_PATH_END: Final = re.compile(r"[\"'<>|*?,;\n\r\t]")
_CONTROL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\[bfnrt]")
_SIMPLE: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "'": "'"}
_NETWORK_PATH: Final = re.compile(r"\\\\[\w.-]+\\[A-Za-z]")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_WORD: Final = re.compile(r"[a-zA-Z]+")

_LATEX: Final = frozenset(
    """
    nabla natural ne neg neq newcommand newline nexists ngeq nleq nmid nonumber normalsize not notin
    nsubseteq nu rangle rbrace rceil ref renewcommand rfloor rho right rightarrow rightharpoonup
    rightleftharpoons rm rtimes rule tag tan tanh tau text textbf textit textrm textsc texttt tfrac
    therefore theta thicksim tilde times tiny to top triangle triangleleft triangleq triangleright
    twoheadrightarrow
    """.split()  # noqa: SIM905 - as a list it would fill the screen
)
"""LaTeX commands whose backslash and first letter JSON takes for a newline, carriage return or tab."""


class BadEscapeError(ValueError):
    """An escape that has no single reading.

    Attributes:
        offset: where it stands in the content of the string.
    """

    def __init__(self, message: str, offset: int) -> None:
        """Keep the place."""
        super().__init__(message)
        self.offset = offset


def starts_drive_path(content: str) -> bool:
    """Whether a string begins like a Windows path with single backslashes, which JSON would have doubled.

    Args:
        content: the text between the quotes, undecoded.
    """
    return _DRIVE.match(content) is not None


def is_doubtful(content: str) -> bool:
    r"""Whether a string whose escapes are all JSON's may be one whose backslashes were not escaped.

    It looks like a Windows path or holds LaTeX, or `\b` or `\f` in front of a letter. Where another string of the same
    text has escapes that JSON does not know, this one cannot be believed.

    Args:
        content: the text between the quotes, undecoded.
    """
    if starts_drive_path(content) and _CONTROL.search(content):
        return True
    words = (_WORD.match(content, match.start() + 1) for match in _CONTROL.finditer(content))
    return any(word is not None and (word[0] in _LATEX or (word[0][0] in "bf" and len(word[0]) > 1)) for word in words)


def decode(content: str, quote: str = '"') -> tuple[str, bool]:
    r"""Decode what stands between the quotes of a string.

    With JSON's own escapes alone this is what JSON says. Otherwise `\xHH` and `\UHHHHHHHH` are decoded and an unknown
    escape keeps its backslash; beside one, `\b` and `\f` are text, and `\n`, `\r`, `\t` are text in a drive path or
    before a LaTeX command.

    Args:
        content: the text between the quotes, undecoded.
        quote: the quote that opened the string.

    Returns:
        The decoded string, and whether an escape was there that JSON does not know.

    Raises:
        BadEscapeError: if an escape has no single reading: a short `\u`, or a `\n` that may belong to a path or not.
    """
    if "\\" not in content:
        return content, False
    if _JSON_ESCAPES.fullmatch(content) is not None:
        return json.loads(f'"{_quotes_escaped(content)}"', strict=False), False
    return _decode_loosely(content, quote), True


def _quotes_escaped(content: str) -> str:
    r"""The content with bare double quotes escaped, as they may stand in a string of other quotes."""
    return re.sub(r'\\.|"', lambda match: '\\"' if match[0] == '"' else match[0], content, flags=re.DOTALL)


def _decode_loosely(content: str, quote: str) -> str:
    paths = _path_spans(content)
    only_quotes = not _has_unknown(content, quote)
    if not only_quotes and _NETWORK_PATH.match(content):
        raise BadEscapeError("a network path whose backslashes may be escaped or not", 0)
    parts: list[str] = []
    last = 0
    for match in _ESCAPE.finditer(content):
        parts.append(content[last : match.start()])
        path = next((span for span in paths if span.start <= match.start() < span.end), None)
        parts.append(_one(match, content, quote, path=path, json_only=only_quotes))
        last = match.end()
    parts.append(content[last:])
    return _PAIR.sub(_join_pair, "".join(parts))


def _join_pair(match: re.Match[str]) -> str:
    """The one character that two halves of a surrogate pair stand for."""
    return match[0].encode("utf-16", "surrogatepass").decode("utf-16")


def _has_unknown(content: str, quote: str) -> bool:
    """Whether there is an escape that neither JSON nor the quoting style explains."""
    known = set("\"\\/bfnrt'") | {quote}
    return any((m[1][:1] not in known and len(m[1]) < 3) or m[1] == "" for m in _ESCAPE.finditer(content))


class _PathSpan(NamedTuple):
    """Where a Windows path with single backslashes stands, and its first blank, behind which it may have ended."""

    start: int
    end: int
    blank: int


def _path_spans(content: str) -> list[_PathSpan]:
    spans = []
    for match in _DRIVE.finditer(content):
        found = _PATH_END.search(content, match.end())
        end = found.start() if found else len(content)
        blank = content.find(" ", match.end(), end)
        spans.append(_PathSpan(match.start(), end, blank if blank >= 0 else end))
        if len(spans) > MAX_PATHS:
            raise BadEscapeError(f"more than {MAX_PATHS} Windows paths with single backslashes", match.start())
    return spans


def _one(match: re.Match[str], content: str, quote: str, *, path: _PathSpan | None, json_only: bool) -> str:
    """What one escape of a string with unknown escapes stands for; `path` is the drive path in front of it."""
    body = match[1]
    if not body:
        return "\\"
    if len(body) > 1:
        return _code_point(body, match.start())
    if body == quote or body in "'\"\\/":
        return body
    if json_only:
        return _SIMPLE[body]
    if body == "u" and path is None:
        raise BadEscapeError("a \\u escape without four hexadecimal digits", match.start())
    if body not in _SIMPLE or body in "bf":
        return "\\" + body
    if path is not None:
        if path.blank < match.start():
            raise BadEscapeError(f"\\{body} may be a part of the path or a control character", match.start())
        return "\\" + body
    word = _WORD.match(content, match.start() + 1)
    return "\\" + body if word and word[0] in _LATEX else _SIMPLE[body]


def _code_point(body: str, offset: int) -> str:
    code = int(body[1:], 16)
    if code > 0x10FFFF:
        raise BadEscapeError(f"\\{body} is no character", offset)
    return chr(code)
