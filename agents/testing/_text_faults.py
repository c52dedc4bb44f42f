"""Faults of text: the arguments stay what they are, only their JSON is no longer right."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Final

from toolmend.agents.testing._target import Target, is_key

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ("TEXT_FAULTS",)

_WORD: Final = re.compile(r'"[A-Za-z_][A-Za-z0-9_]*"')
_PLAIN: Final = re.compile(r'"[\w .-]+"|[^"]+')
_PYTHON: Final = {"true": "True", "false": "False", "null": "None"}
_CONTROLS: Final = {"n": "\n", "t": "\t"}
_ESCAPE: Final = re.compile(r"\\(u....|.)")


# ---------------------------------------------------------------------- around the whole


def _around(before: str, after: str) -> Callable[[Target], str | None]:
    return lambda target: f"{before}{target.text}{after}"


def _around_some(before: str, after: str) -> Callable[[Target], str | None]:
    """The same for arguments of which there is at least one: nothing else tells an empty object from a stray one."""
    return lambda target: f"{before}{target.text}{after}" if target.arguments else None


def _tagged(tag: str) -> Callable[[Target], str | None]:
    """A tag around the whole; not where it could be that of a parameter."""

    def spoil(target: Target) -> str | None:
        free = target.arguments and tag not in target.arguments and tag not in target.properties
        return f"<{tag}>{target.text}</{tag}>" if free else None

    return spoil


def _twice(target: Target) -> str | None:
    return f"{target.text}\n{target.text}" if target.arguments else None


def _encoded(target: Target) -> str | None:
    return json.dumps(target.text, ensure_ascii=False)


def _escaped(target: Target) -> str | None:
    return target.text.replace('"', '\\"') if target.arguments and "\\" not in target.text else None


def _entities(target: Target) -> str | None:
    return html.escape(target.text, quote=True) if target.arguments and "'" not in target.text else None


# ---------------------------------------------------------------------- between tokens


def _trailing_comma(target: Target) -> str | None:
    return f"{target.text[:-1]},}}" if target.arguments else None


def _surplus_closer(target: Target) -> str | None:
    """Close the object twice; in a nested one, nobody could tell which of the closers is too many."""
    return f"{target.text}}}" if target.tokens.count("{") == 1 and target.arguments else None


def _missing_comma(target: Target) -> str | None:
    """Leave out commas in front of keys; next to escapes and odd strings they have to be there to be read."""
    if "\\" in target.text:
        return None
    tokens = target.tokens
    keys = [at for at in range(2, len(tokens)) if is_key(tokens, at) and tokens[at - 1] == ","]
    dropped = {at - 1 for at in keys if _PLAIN.fullmatch(tokens[at - 2]) and _PLAIN.fullmatch(tokens[at])}
    return target.written(lambda at, part: "" if at in dropped else part) if dropped else None


def _semicolons(target: Target) -> str | None:
    tokens = target.tokens
    changed = {at for at, part in enumerate(tokens) if part == "," and is_key(tokens, at + 1)}
    return target.written(lambda at, part: ";" if at in changed else part) if changed else None


def _equals(target: Target) -> str | None:
    return target.written(lambda _, part: "=" if part == ":" else part) if target.arguments else None


def _comment(target: Target) -> str | None:
    return f"{{/* as asked */ {target.text[1:]}" if target.arguments else None


def _python_words(target: Target) -> str | None:
    found = not _PYTHON.keys().isdisjoint(target.tokens)
    return target.written(lambda _, part: _PYTHON.get(part, part)) if found else None


# ---------------------------------------------------------------------- keys and strings


def _bare_keys(target: Target) -> str | None:
    """Take the quotes off keys that are plain words."""
    tokens = target.tokens
    keys = [at for at in range(len(tokens)) if is_key(tokens, at)]
    if not keys or not all(_WORD.fullmatch(tokens[at]) and tokens[at][1:-1] not in _PYTHON for at in keys):
        return None
    return target.written(lambda at, part: part[1:-1] if is_key(tokens, at) else part)


def _quoted(opener: str, closer: str) -> Callable[[Target], str | None]:
    """Other quotes around all strings, where none of them holds anything that could be taken for one."""

    def spoil(target: Target) -> str | None:
        inner = "".join(string[1:-1] for string in target.strings)
        if not target.arguments or any(sign in inner for sign in "\\'`\"“”‘’‚„«»"):
            return None
        change = lambda _, part: f"{opener}{part[1:-1]}{closer}" if part[0] == '"' else part  # noqa: E731
        return target.written(change)

    return spoil


def _raw_controls(target: Target) -> str | None:
    """Line breaks and tabs stand in strings as they are."""
    text = _ESCAPE.sub(lambda found: _CONTROLS.get(found[1], found[0]), target.text)
    return text if text != target.text else None


TEXT_FAULTS: Final[tuple[tuple[str, str, Callable[[Target], str | None]], ...]] = (
    ("fence", "A code fence stands around the object.", _around("```json\n", "\n```")),
    ("byte-order-mark", "A byte-order mark comes first.", _around("\ufeff", "")),
    ("wrapper-tag", "A tag stands around the object.", _tagged("json")),
    ("special-part", "Tokens of a chat template stand around the object.", _around("<|im_start|>", "<|im_end|>")),
    ("reasoning", "Reasoning stands before the object.", _around_some("<think>Let me see.</think>\n", "")),
    ("prose", "Prose stands before the object.", _around_some("Here are the arguments:\n", "")),
    ("assignment", "The object is assigned to a name.", _around_some("args = ", ";")),
    ("parentheses", "Parentheses stand around the object.", _around_some("(", ")")),
    ("doubled-braces", "The outer braces are doubled, as in a template.", _around_some("{", "}")),
    ("list-of-one", "The object is the one item of a list.", _around_some("[", "]")),
    ("surplus-closer", "A brace too many closes the object.", _surplus_closer),
    ("repeated", "The object is written twice.", _twice),
    ("double-encoded", "The object is JSON in a JSON string.", _encoded),
    ("over-escaped", "Every quote is escaped, though no string encloses it.", _escaped),
    ("html-entities", "Quotes and other signs are HTML entities.", _entities),
    ("trailing-comma", "A comma follows the last member.", _trailing_comma),
    ("missing-comma", "Commas between members are missing.", _missing_comma),
    ("semicolons", "Semicolons stand between members.", _semicolons),
    ("equals-signs", "Keys and values are joined by equals signs.", _equals),
    ("comment", "A comment stands between tokens.", _comment),
    ("python-words", "Literals are those of Python.", _python_words),
    ("bare-keys", "Keys have no quotes.", _bare_keys),
    ("single-quotes", "Strings are in single quotes.", _quoted("'", "'")),
    ("curly-quotes", "Strings are in typographic quotes.", _quoted("“", "”")),
    ("raw-controls", "Line breaks and tabs in strings are not escaped.", _raw_controls),
)
"""Name, sentence, and what spoils a text; None where a call leaves the fault no place. All of them are lossless."""
