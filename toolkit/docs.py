"""Writes docs/formats.md from the tables of formats: `python -m toolmend.toolkit.docs [path]`."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterable, Iterator
from typing import Final

from toolmend.toolkit.dialects import DIALECTS
from toolmend.toolkit.extract.candidate import Evidence
from toolmend.toolkit.extract.marker import SECTION, Example
from toolmend.toolkit.extract.markers import MARKERS
from toolmend.toolkit.extract.unmarked import HARMONY, UNMARKED
from toolmend.toolkit.writers import Written

__all__ = ("main", "render")

_PAGE: Final = pathlib.Path("docs/formats.md")

_HEAD: Final = """\
# The formats of calls in text

This page is generated from the code (`make docs`); each example is a test, and is read as a call of `add` with `a` 1.

`parse_text` finds calls in whatever format they are written; nobody has to say which one. Its name is the `format` of
the call or error that comes out. What shows that a call was meant decides what becomes of a faulty one:

- **A**, a special token: nobody writes it by accident. Whatever is wrong with the call goes back to the model.
- **B**, an ordinary-looking tag: the same.
- **C**, only the form: it counts if it stands by itself, and then as a call if it names a registered tool and fits, as
  an error if it names one and does not fit, or shows a name beside arguments; anything else is prose.

A body is read by what it looks like, not by its marker: JSON, a list, calls in Python syntax, pairs and tags stand
behind any of them. Formats without types get them from the schema of the tool.
"""

_SECTIONS: Final = (
    (Evidence.SPECIAL_TOKEN, "## A: special tokens"),
    (Evidence.TAG, "## B: tags"),
    (Evidence.SHAPE, "## C: the form alone"),
)

_DIALECT_HEAD: Final = """\
## Dialects

`registry.instructions(dialect=...)` asks for one of these, `registry.example_turns(dialect=...)` shows the tools'
examples in it, and `registry.render(calls, dialect=...)` writes calls in it; what is written is read back as it was.
With `parse_text(..., dialect=...)` the form that was asked for counts as B. `dialect_of(call.format)` tells in which of
them a model wrote, if in any, and an error shows the form of the call in that one.
"""


def render() -> str:
    """The page on the formats."""
    parts = [_HEAD]
    for evidence, title in _SECTIONS:
        parts += [f"{title}\n", *_marked(evidence)]
        if evidence is Evidence.SPECIAL_TOKEN:
            parts += _section("harmony", HARMONY)
        if evidence is Evidence.SHAPE:
            for form in UNMARKED:
                parts += _section(form.format, form.examples, form.rule)
    parts.append(_DIALECT_HEAD)
    for dialect in DIALECTS.values():
        parts += [f"### {dialect.name}\n", _block(dialect.write([Written("add", {"a": 1})]))]
    return "\n".join(parts)


def _marked(evidence: Evidence) -> Iterator[str]:
    """The formats with a marker of one class, sections told under the name of what they open."""
    names = dict.fromkeys(marker.format for marker in MARKERS if marker.evidence is evidence and marker.examples)
    for name in sorted(names, key=lambda name: name == SECTION):
        rows = [marker for marker in MARKERS if marker.format == name and marker.evidence is evidence]
        title = "sections, in which calls have markers of their own" if name == SECTION else name
        yield from _section(title, (example for row in rows for example in row.examples))


def _section(title: str, examples: Iterable[Example], rule: str = "") -> Iterator[str]:
    yield f"### {title}\n"
    if rule:
        yield f"{rule[0].upper()}{rule[1:]}.\n"
    for example in examples:
        yield f"{example.models}:\n"
        yield _block(example.text)


def _block(text: str) -> str:
    marks = "````" if "```" in text else "```"
    return f"{marks}text\n{text.rstrip()}\n{marks}\n"


def main(path: pathlib.Path = _PAGE) -> None:
    """Write the page.

    Args:
        path: the file to write.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(), encoding="utf-8")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:2]))
