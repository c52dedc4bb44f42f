"""Fences behind which more is said."""

from __future__ import annotations

import pytest

from toolmend.toolkit.extract.shown import is_blank, shown_fences

FENCE = "```\nf()\n```"


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (["", ""], []),
        (["So:\n", "\n"], []),
        (["", "\nThat is it."], [0]),
        (["", "</tool_call>\n"], []),
        (["1. a:\n", "\n2. b:\n", ""], []),
        (["1. a:\n", "\n2. b:\n", "\nDone."], [0, 1]),
        (["1. a:\n", "\nIt is a.\n2. b:\n", ""], [0]),
        (["Parts:\n", "\nAction:\n", ""], [0]),
        (["Action:\n", "\nAction:\n", ""], []),
        (["Option 1:\n", "\nOption 2:\n", ""], [0]),
        (["To stop it:\n", "\nOr, to go on:\n", ""], [0]),
        (["a:\n", "\n" + "x" * 400 + ":\n", ""], [0]),
    ],
)
def test_a_fence_counts_up_to_which_nothing_is_said_from_the_end(parts: list[str], shown: list[int]) -> None:
    """Headings and closing tags between fences say nothing."""
    text, fences = parts[0], []
    for part in parts[1:]:
        fences.append((len(text), len(text) + len(FENCE)))
        text += FENCE + part
    assert shown_fences(text, fences, [], len(text)) == {fences[index] for index in shown}


def test_other_calls_and_what_is_hidden_are_no_prose() -> None:
    """A fence in front of them still counts, and the message may end before the text does."""
    text = f"{FENCE}\n<call>\nResult"
    fence = (0, len(FENCE))
    call = (text.index("<"), text.index(">") + 1)
    assert shown_fences(text, [fence], [call], text.index("Result")) == set()
    assert shown_fences(text, [fence], [call], len(text)) == {fence}
    assert shown_fences(text, [fence], [], text.index("Result")) == {fence}


def test_closing_tags_and_blanks_are_blank() -> None:
    """They mean nothing behind a call."""
    assert is_blank(" \n</tool_call>\n")
    assert not is_blank("a")
