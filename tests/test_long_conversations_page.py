"""What docs/long-conversations.md states is so."""

from __future__ import annotations

import pathlib

from toolmend.agents.fitting import BUFFER_TOKENS, MIN_OUTPUT_TOKENS
from toolmend.agents.vocabulary import FILES

PAGE = (pathlib.Path(__file__).parents[1] / "docs" / "long-conversations.md").read_text(encoding="utf-8")


def test_the_files_without_network_are_the_ones_that_are_looked_for() -> None:
    """Their names and hashes are to be copied from there."""
    for encoding, (name, sha256) in FILES.items():
        assert f"| `{encoding}` | `{name}` | `{sha256}` |" in PAGE


def test_the_numbers_are_those_of_the_settings() -> None:
    """They are what the pages and the errors speak of."""
    assert f"`min_output_tokens` ({MIN_OUTPUT_TOKENS})" in PAGE
    assert f"`context_buffer_tokens` ({BUFFER_TOKENS})" in PAGE
