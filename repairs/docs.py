"""Writes docs/rules.md from what the rules say about themselves: `python -m toolmend.repairs.docs [path]`."""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from toolmend.repairs.rules.table import RULE_INFOS
from toolmend.repairs.text.table import TEXT_RULES
from toolmend.repairs.values import json_text

if TYPE_CHECKING:
    from toolmend.repairs.rules.info import RuleInfo

__all__ = ("all_rules", "main", "render")

_PAGE: Final = pathlib.Path("docs/rules.md")

_HEAD: Final = """\
# The repair rules

This page is generated from the code (`make docs`); each example is a test.

Every repair goes on record under the name of its rule. Its kind tells how safe it is:

- **lossless**: there is one reading, and nothing is lost.
- **inferred**: the schema leaves exactly one candidate.
- **lossy**: information would be dropped or chosen. Refused, unless a policy allows the rule by name.

A policy can narrow this for a tool or a registry (`STRICT`, `LOSSLESS`), or allow and deny rules by name.
If different results are equally safe, that is an error, never a choice.
"""

_LAYERS: Final = (
    ("text", "## From text to JSON", "What the model wrote is a text; each example gives the text and the value read."),
    (
        "value",
        "## From JSON to the schema",
        "What was read is JSON and breaks the schema; valid values are never touched.",
    ),
    (
        "declared",
        "## Rules that a tool declares",
        "They know one tool and its models, come first, and count as lossless.",
    ),
)


def all_rules() -> tuple[RuleInfo, ...]:
    """Every rule there is, those that read text first."""
    return (*TEXT_RULES, *RULE_INFOS)


def render(rules: Iterable[RuleInfo]) -> str:
    """The page on the rules.

    Args:
        rules: the rules to tell of.
    """
    every = list(rules)
    parts = [_HEAD]
    for layer, title, sentence in _LAYERS:
        parts += [f"{title}\n\n{sentence}\n"]
        parts += [_section(rule) for rule in every if ("declared" if rule.declared else rule.layer) == layer]
    return "\n".join(parts)


def _section(rule: RuleInfo) -> str:
    return "\n".join((f"### {rule.name}\n", f"*{rule.kind}.* {rule.sentence}\n", *_example(rule), ""))


def _example(rule: RuleInfo) -> Iterator[str]:
    given = _visible(rule.given) if rule.layer == "text" else json_text(rule.given)
    yield "```text"
    yield f"schema   {json_text(rule.example_schema)}"
    for declared in rule.declared:
        yield f"declared {declared}"
    if rule.tool is not None:
        yield f"tool     {rule.tool}"
    first, *more = given.splitlines() or [""]
    yield f"given    {first}".rstrip()
    yield from (f"         {line}".rstrip() for line in more)
    yield f"wanted   {json_text(rule.wanted)}"
    yield "```"


def _visible(text: str) -> str:
    """A text with its invisible characters told by number."""
    return "".join(sign if sign.isprintable() or sign == "\n" else f"\\u{ord(sign):04x}" for sign in text)


def main(path: pathlib.Path = _PAGE) -> None:
    """Write the page.

    Args:
        path: the file to write.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(all_rules()), encoding="utf-8")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:2]))
