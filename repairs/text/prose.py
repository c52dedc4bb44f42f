"""The one object of arguments among prose, or several objects in a row that say the same."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from toolmend.repairs.errors import AmbiguousError, CutOffError, NotJsonError
from toolmend.repairs.record import Repair, snippet
from toolmend.repairs.text.brackets import BRACKETS
from toolmend.repairs.text.cursor import Options
from toolmend.repairs.text.lenient import read_value
from toolmend.repairs.text.reading import Reading
from toolmend.repairs.text.strict import identical
from toolmend.repairs.text.tokens import MEMBER, QUOTES
from toolmend.repairs.text.unwrap import Layer

__all__ = ("read_objects",)

MAX_OBJECTS: Final = 50
"""Most opening braces that are tried."""

_GOES_ON: Final = re.compile(r"[\s)\]]*[,:;=]\s*")
"""A comma or colon that is all that stands behind the object."""

_BEHIND: Final = re.compile(r"\s|[.,;:!?)\]<`*~]|\Z")
"""What prose behind an object begins with."""

_STRING_BEGINS: Final = frozenset(QUOTES) - {"`"}
_OPEN_REASONING: Final = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_PLACEHOLDER: Final = re.compile(r"\{\w[\w .-]{0,40}\}")
_DATA: Final = re.compile(r"""\[\s*["'`{\[]|\[[^\[\]]*,|<(\w{1,60})>[^<>]*</\1>""")
"""A list of values, or a value in a tag: no prose."""


def read_objects(layer: Layer, options: Options) -> Reading | None:
    """Read the objects of a text, with prose around and between them.

    Args:
        layer: the text without its wrappers.
        options: how to read.

    Returns:
        The one object that the text holds, maybe several times, empty ones aside; None if it holds none, or what
        stands around it may belong to it.

    Raises:
        AmbiguousError: if two different objects stand there.
        CutOffError: if the text ends within an object.
        LimitError: if reading takes too much work.
    """
    found: list[Reading] = []
    rest: list[str] = []
    pos = 0
    text = layer.text
    for _ in range(MAX_OBJECTS):
        start = text.find("{", pos)
        if start < 0:
            break
        rest.append(text[pos:start])
        try:
            reading = read_value(text, start, replace(options, embedded=True))
        except NotJsonError:
            if not _PLACEHOLDER.match(text, start):
                return None
            pos = text.index("}", start) + 1
        else:
            if any(repair.rule in BRACKETS for repair in reading.repairs):
                return None  # among prose nothing but brackets tells where the object ends
            found.append(reading)
            pos = reading.end
    rest.append(text[pos:])
    return _only(found, rest, layer, options)


def _only(found: list[Reading], rest: list[str], layer: Layer, options: Options) -> Reading | None:
    """The one object, if what is left is prose."""
    full = [reading for reading in found if reading.value] or found
    around = "".join(rest)
    if not full or not all(_is_prose(part) for part in rest) or around.count("[") != around.count("]"):
        return None
    keys = options.schema.members if options.schema is not None else ()
    if not _BEHIND.match(rest[-1]) or any(match["key"] in keys for part in rest for match in MEMBER.finditer(part)):
        return None
    if _GOES_ON.fullmatch(rest[-1]):
        raise CutOffError("the text ends behind a comma or colon: something may be missing", expected="one JSON object")
    if any(not identical(full[0].value, other.value) for other in full):
        message = f"{len(full)} different objects stand where one is wanted; the tool of the others is not known"
        raise AmbiguousError(message, given=snippet(layer.text), expected="one JSON object")
    rule = "prose" if any(part.strip() for part in rest) else "repeated-object"
    repair = Repair(rule, "lossless", before=snippet(layer.text), after=snippet(full[0].value))
    return replace(full[0], end=len(layer.text), repairs=(*layer.repairs, repair, *full[0].repairs))


def _is_prose(part: str) -> bool:
    """Whether a piece of text beside an object is no piece of the object."""
    if part.lstrip()[:1] in _STRING_BEGINS or _OPEN_REASONING.search(part) or _DATA.search(part):
        return False
    return "{" not in part and "}" not in part and part.count('"') % 2 == 0 and '":' not in part
