"""What a repair leaves behind: its record, and the mended value that carries all of them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

__all__ = ("JsonValue", "Mended", "Path", "Refusal", "Repair", "RepairKind", "counted", "pointer", "snippet")

JsonValue: TypeAlias = Any
"""What `json.loads` gives: str, int, float, bool, None, list or dict of such values."""

Path: TypeAlias = tuple[str | int, ...]
"""The way from the root of a value to one of its members; shown as a JSON Pointer."""

RepairKind: TypeAlias = Literal["lossless", "inferred", "lossy"]
"""How safe a repair is: nothing lost, one candidate left by the schema, or something lost or chosen."""

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False)

SNIPPET_LENGTH = 80
"""Longest `before` and `after` of a record, in characters: enough to recognise a value, short enough for a log line."""


def pointer(path: Path) -> str:
    """Show a path as a JSON Pointer (RFC 6901).

    Args:
        path: keys and indexes from the root; empty for the root itself.

    Returns:
        The pointer, `""` for the root, e.g. `/items/0/name`.
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def snippet(value: JsonValue, length: int = SNIPPET_LENGTH) -> str:
    """Show a value, or a piece of raw text, in at most `length` characters.

    Args:
        value: any JSON value; a string is shown as it is.
        length: the most characters to show, the ellipsis included.

    Returns:
        The text, shortened in the middle if it was too long.
    """
    text = value if isinstance(value, str) else _encode(value, length)
    if len(text) <= length:
        return text
    head = (length - 3) * 2 // 3
    return f"{text[:head]}...{text[len(text) - (length - 3 - head) :]}"


def _encode(value: JsonValue, length: int) -> str:
    """JSON of a value, without encoding a whole megabyte for the sake of a few characters."""
    if isinstance(value, list) and len(value) > length:
        value = [*value[:length], "..."]
    elif isinstance(value, dict) and len(value) > length:
        value = dict(list(value.items())[:length])
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError):
        return f"<{type(value).__name__}>"


@dataclass(frozen=True, slots=True)
class Repair:
    """One change on its way from the model's text to the value.

    Attributes:
        rule: name of the rule that made it.
        kind: how safe it is.
        path: where in the value (as it stood when the rule ran).
        before: what was there, at most 80 characters.
        after: what stands there now, at most 80 characters.
        span: start and end in the raw text in characters, for repairs of the text.
    """

    rule: str
    kind: RepairKind
    path: Path = ()
    before: str = ""
    after: str = ""
    span: tuple[int, int] | None = None

    def __str__(self) -> str:
        """One line that tells the change."""
        return f"{self.rule} ({self.kind}) at {pointer(self.path) or '/'}: {self.before!r} -> {self.after!r}"


def counted(repairs: tuple[Repair, ...], most: int) -> tuple[Repair, ...]:
    """At most so many records, then one that counts the rest and has their weightiest kind.

    It comes last of all: whoever decides by what was changed has to see every change.

    Args:
        repairs: every change.
        most: how many are kept one by one.
    """
    if len(repairs) <= most:
        return repairs
    rest = repairs[most:]
    kind = max((one.kind for one in rest), key=get_args(RepairKind).index)
    return (*repairs[:most], Repair("more-repairs", kind, after=f"{len(rest)} more"))


@dataclass(frozen=True, slots=True)
class Refusal:
    """A repair that was considered and not made.

    Attributes:
        rule: name of the rule that offered it.
        path: where.
        reason: why it was not made.
    """

    rule: str
    path: Path
    reason: str

    def __str__(self) -> str:
        """One line that tells what was considered."""
        return f"{self.rule} at {pointer(self.path) or '/'}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Mended:
    """A value that satisfies its schema, with everything that was changed to get there.

    Attributes:
        value: the value; the very object given if nothing was wrong with it.
        repairs: each change, in the order in which it was made; at most 100, then one that counts the rest.
        refused: what was considered and not done.
    """

    value: JsonValue
    repairs: tuple[Repair, ...] = ()
    refused: tuple[Refusal, ...] = ()

    def explain(self) -> str:
        """Tell each repair, and what was considered and refused, a line each."""
        lines = [f"mended: {repair}" for repair in self.repairs]
        lines += [f"refused: {refusal}" for refusal in self.refused]
        return "\n".join(lines) or "nothing was changed"
