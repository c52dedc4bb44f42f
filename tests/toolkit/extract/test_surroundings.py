from __future__ import annotations

import pytest

from toolmend.toolkit.extract.surroundings import among_code, holds_program

CALL = "click('#go')"


@pytest.mark.parametrize(
    "text",
    [
        f"def main():\n    {CALL}",
        f"async def main():\n    {CALL}",
        f"import shop\n\n\n{CALL}",
        f"from shop import click\n\n{CALL}",
        f"for item in items:\n    {CALL}",
        f"if x == 1:\n    {CALL}",
        f"try:\n    {CALL}\nexcept ValueError:\n    pass",
        f"{CALL}\nreturn result",
        f"const button = find();\n{CALL}",
        f"function go() {{\n  {CALL}\n}}",
        f"button.on('x', () =>\n{CALL}",
        f"x = [\n{CALL}\n]",
        f"run(\n{CALL}\n)",
        f"class Page:\n\n{CALL}",
    ],
)
def test_a_line_of_a_program_is_one(text: str) -> None:
    """Definitions, imports, blocks and open brackets around a line make it part of a program."""
    start = text.index(CALL)
    assert among_code(text, start, start + len(CALL))


@pytest.mark.parametrize(
    "text",
    [
        CALL,
        f"I will press it:\n{CALL}",
        f"import the file first, then press\n{CALL}",
        f"If you like, I return later.\n{CALL}\nReturn to me.",
        f"{CALL}\n{CALL}\n{CALL}",
        f"For example:\n{CALL}",
        f"```python\nimport x\n```\n{CALL}",
        f"x = {CALL}\ny = {CALL}",
    ],
)
def test_a_line_among_prose_or_calls_is_none(text: str) -> None:
    """Words that a program uses too are prose when a sentence holds them."""
    start = text.rindex(CALL)
    assert not among_code(text, start, start + len(CALL))


@pytest.mark.parametrize(
    "text",
    ["def go():\n" + "x\n" * 50, "x\n" * 50 + "from shop import click\n", "```\nimport x\n```\n\n  class Page:\n"],
)
def test_a_line_that_only_a_program_has_counts_anywhere(text: str) -> None:
    """However far away it is, it shows that the text is a program, unless it stands in a fence."""
    assert holds_program(text)


@pytest.mark.parametrize(
    "text",
    [
        "```python\nimport x\ndef f():\n    pass\n```\nSo.",
        "Define it, import the file, then go.",
        "~~~\nlet x = 1\n~~~",
    ],
)
def test_what_is_fenced_or_said_makes_no_program(text: str) -> None:
    """A program that is shown in a fence leaves the rest of the message what it is."""
    assert not holds_program(text)
