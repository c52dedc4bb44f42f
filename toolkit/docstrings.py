"""What a docstring tells: what the tool does, and what each parameter means."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field
from typing import Final

__all__ = ("Docstring", "read_docstring")

_STYLES: Final = (
    ("sphinx", re.compile(r"^\s*:(?:param|parameter|arg|argument|key|keyword|returns?|raises)\b", re.MULTILINE)),
    ("numpy", re.compile(r"^(?:Parameters|Other Parameters|Attributes|Returns|Raises)\s*\n-{3,}\s*$", re.MULTILINE)),
    ("google", re.compile(r"^(?:Args|Arguments|Params|Parameters|Attributes|Returns|Raises):\s*$", re.MULTILINE)),
)
_PARAMETERS: Final = frozenset({"parameters", "other parameters", "attributes"})


@dataclass(frozen=True, slots=True)
class Docstring:
    """What a docstring tells of a tool.

    Attributes:
        text: what it does, without the sections on parameters, results and errors.
        parameters: what each parameter means, by its name.
    """

    text: str = ""
    parameters: dict[str, str] = field(default_factory=dict)


def read_docstring(docstring: str | None) -> Docstring:
    """Read a docstring in the style of Google, NumPy or Sphinx, whichever it is in.

    Args:
        docstring: as it stands in the source; None if there is none.
    """
    text = inspect.cleandoc(docstring or "")
    style = next((name for name, pattern in _STYLES if pattern.search(text)), None)
    if style is None:
        return Docstring(text)  # the parser is not even loaded for it
    import griffe

    parse = {"sphinx": griffe.parse_sphinx, "numpy": griffe.parse_numpy, "google": griffe.parse_google}[style]
    sections = parse(griffe.Docstring(text), warnings=False)
    told = "\n\n".join(part.value.strip() for part in sections if part.kind.value == "text")
    items = [item for part in sections if part.kind.value in _PARAMETERS for item in part.value]
    return Docstring(told, {item.name.lstrip("*"): _line(item.description) for item in items})


def _line(text: str) -> str:
    """A description on one line: it was broken to fit the source."""
    return " ".join(text.split())
