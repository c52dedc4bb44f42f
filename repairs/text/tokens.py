"""The alphabet of almost-JSON: marks, quotes, literals and numbers, as tables."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final

from toolmend.repairs.numbers import SourcedFloat, SourcedInt
from toolmend.repairs.record import JsonValue
from toolmend.repairs.text.strict import MAX_DIGITS

__all__ = (
    "ARITHMETIC",
    "BARE_KEY",
    "BARE_KEY_WORD",
    "BLANKS",
    "CALL",
    "CLOSERS",
    "COMMAS",
    "COMMENT",
    "LITERALS",
    "LONGEST_KEY",
    "MAY_BE_SKIPPED",
    "MEMBER",
    "NOT_FINITE",
    "OPENERS",
    "PLACEHOLDER",
    "QUOTES",
    "SEPARATOR",
    "SPACE",
    "Number",
    "read_number",
)

OPENERS: Final = {"{": "}", "[": "]", "(": ")", "｛": "}", "［": "]"}
"""Marks that open a container, with the closer that ends it; full-width forms are read as their ASCII twins."""

CLOSERS: Final = {"}": "}", "]": "]", ")": ")", "｝": "}", "］": "]"}
COMMAS: Final = {",": ",", ";": ";", "，": "，", "、": "、", "；": "；"}

QUOTES: Final = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”“",
    "”": "”",
    "„": "“”",
    "‘": "’",
    "«": "»",
    "＂": "＂",
    "＇": "＇",
}
"""Quotes that open a string, with those that may end it."""

_ZERO_WIDTH: Final = "\u200b\u200c\u200d\u2060\ufeff"
_BEGINNING: Final = r"""\s|\\[ntr]|["'`“”„‘«＂{}\[\],:/]|-?\d|(?:true|false|null|True|False|None)\b"""
SPACE: Final = re.compile(rf"(?:[\s{_ZERO_WIDTH}]|\\[ntr](?={_BEGINNING}))+")
"""White space and invisible marks between tokens; a literal backslash-n before a token counts as white space."""

BLANKS: Final = "".join(char for char in map(chr, range(0x3001)) if char.isspace()) + _ZERO_WIDTH
"""Every character that is white space or invisible between tokens."""

MAY_BE_SKIPPED: Final = frozenset(BLANKS + "\\/#")
"""The characters that white space, an escaped line break or a comment may begin with."""

PLAIN_SPACE: Final = frozenset(" \t\r\n")
COMMENT: Final = re.compile(r"//[^\n]*|#[^\n]*|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/")
SEPARATOR: Final = re.compile(r"=>|[:：=]+")
"""What stands between a key and its value."""

LONGEST_KEY: Final = 120
"""Longest key that is looked for, in characters."""

_KEY_WORD: Final = rf"[^\s{_ZERO_WIDTH}:：=,，;；、{{}}\[\]()｛｝［］\"'`“”„‘’«»＂＇<>#/\\]+"
BARE_KEY_WORD: Final = re.compile(r"[\w$-]{1,60}")
BARE_KEY: Final = re.compile(rf"(?![-*+] ){_KEY_WORD}(?:[ \t]+{_KEY_WORD})*")
"""A key without quotes."""

CALL: Final = re.compile(r"(?:new\s+)?[A-Za-z_][\w.]*\s*\(|\((?=\s*[A-Za-z_]\w*\s*=[^=])")
PLACEHOLDER: Final = re.compile(r"<[^<>\n]*>|\$?\{+[^{}\n]*\}+")
ARITHMETIC: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)\s*(?:[*/%]|\*\*|\s[-+]\s)\s*[\d.][\d.\s*/%+-]*")
SLASH_DATE: Final = re.compile(r"\d{1,4}/\d{1,2}/\d{1,4}")
NOT_FINITE: Final = re.compile(r"[-+]?(?:NaN|nan|Infinity|inf|Inf|INF|infinity)")

MEMBER: Final = re.compile(r"""(?<!\w)(?P<key>[A-Za-z_]\w{0,60})["'`]?\s*[:=]\s*(?=[^\s:=])""")
"""A name with something behind a colon or equals sign, anywhere in a text."""

LITERALS: Final[dict[str, JsonValue]] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("null", "None", "NULL", "undefined", "nil"), None),
}

_JSON_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?", re.ASCII)
_LOOSE_INTEGER: Final = re.compile(r"[-+]?\d+(?:_\d+)*", re.ASCII)
_DIGITS: Final = r"\d+(?:_\d+)*"
_LOOSE_FLOAT: Final = re.compile(rf"[-+]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][-+]?\d+)?", re.ASCII)
_BASED: Final = re.compile(r"([-+]?)(0[xX][0-9a-fA-F]+(?:_[0-9a-fA-F]+)*|0[oO][0-7]+|0[bB][01]+)", re.ASCII)
_FULL_WIDTH: Final = str.maketrans("０１２３４５６７８９．－＋", "0123456789.-+")


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was read.

    Attributes:
        value: its value, with its source text; None if it is out of range or has too many digits.
        is_json: whether JSON would write it so.
    """

    value: SourcedInt | SourcedFloat | None
    is_json: bool


def read_number(text: str) -> Number | None:
    """Read a bare token as a number, in the forms that JSON knows and those of programming languages.

    Args:
        text: the whole token.

    Returns:
        The number; None if it is none.
    """
    if (match := _JSON_NUMBER.fullmatch(text)) is not None:
        if match[1] is None and match[2] is None:
            return _integer(text, text, is_json=True)
        return _float(text, text, is_json=True)
    ascii_text = text.translate(_FULL_WIDTH)
    if _LOOSE_INTEGER.fullmatch(ascii_text):
        return _integer(ascii_text, text, is_json=False)
    if (based := _BASED.fullmatch(ascii_text)) is not None:
        return Number(SourcedInt.of(int(based[1] + based[2], 0), text), is_json=False)
    if _LOOSE_FLOAT.fullmatch(ascii_text):
        return _float(ascii_text, text, is_json=False)
    return None


def _integer(digits: str, source: str, *, is_json: bool) -> Number:
    if len(digits) > MAX_DIGITS:
        return Number(None, is_json)
    return Number(SourcedInt.of(int(digits), source), is_json)


def _float(digits: str, source: str, *, is_json: bool) -> Number:
    value = float(digits)
    lost = math.isinf(value) or (value == 0.0 and any(digit in "123456789" for digit in re.split("[eE]", digits)[0]))
    return Number(None if lost else SourcedFloat.of(value, source), is_json)
