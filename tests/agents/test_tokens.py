from __future__ import annotations

import logging

import pytest
import tiktoken
from hypothesis import example, given
from hypothesis import strategies as st

from toolmend.agents import tokens, vocabulary
from toolmend.agents.tokens import TiktokenCounter, TokenCounter, Utf8Counter, counter_for, encoding_of

ENCODINGS = ["o200k_base", "cl100k_base"]
SCRIPTS = st.characters(codec="utf-8") | st.sampled_from("aé漢か한😀\u200d\u0301 \n\t")
TEXTS = st.text(SCRIPTS, max_size=80) | st.text(st.sampled_from("ab 漢😀"), max_size=80)


@pytest.fixture
def tokenised(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All texts that are handed to tiktoken."""
    seen: list[str] = []
    original = tiktoken.Encoding.encode_ordinary

    def recorded(self: tiktoken.Encoding, text: str) -> list[int]:
        seen.append(text)
        return original(self, text)

    monkeypatch.setattr(tiktoken.Encoding, "encode_ordinary", recorded)
    return seen


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gpt-4.5-preview", "o200k_base"),
        ("gpt-5-nano", "o200k_base"),
        ("o1", "o200k_base"),
        ("o3-mini", "o200k_base"),
        ("o4-mini", "o200k_base"),
        ("openai/gpt-4", "cl100k_base"),
        ("gpt-4-0613", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("gpt-3.5-turbo", "cl100k_base"),
        ("ft:gpt-4o-mini:me", "o200k_base"),
        ("ft:gpt-4:me", "cl100k_base"),
        ("ft:gpt-3.5-turbo:me", "cl100k_base"),
        ("llama-3.3-70b", "o200k_base"),
        ("", "o200k_base"),
    ],
)
def test_a_model_has_the_vocabulary_of_its_family(model: str, encoding: str) -> None:
    """The longest known beginning decides; models that are not known count with the newer vocabulary."""
    assert encoding_of(model) == encoding


def test_models_of_one_vocabulary_share_a_counter() -> None:
    """What was tokenised for one is known to the other."""
    assert counter_for("gpt-4o") is counter_for("o3")
    assert counter_for("gpt-4o") is not counter_for("gpt-4")


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_counts_are_those_of_tiktoken(encoding: str) -> None:
    """Special tokens are plain text, as they are to the server."""
    text = 'tiktoken is great! {"a": [1, 2]} <|endoftext|> 漢字 \n\n done'
    assert TiktokenCounter(encoding).count(text) == len(tiktoken.get_encoding(encoding).encode_ordinary(text))


@pytest.mark.parametrize("counter", [*map(TiktokenCounter, ENCODINGS), Utf8Counter()], ids=[*ENCODINGS, "bytes"])
@given(text=TEXTS, size=st.integers(-1, 90))
@example(text="👨‍👩‍👧", size=1)
@example(text="bad \ud83d half", size=4)
def test_a_cut_is_a_beginning_or_an_end_of_the_text(
    counter: TiktokenCounter | Utf8Counter, text: str, size: int
) -> None:
    """It ends between two characters, and is as long as was allowed."""
    head, tail = counter.head(text, size), counter.tail(text, size)
    assert text.startswith(head)
    assert text.endswith(tail)
    if size >= counter.count(text):
        assert head == tail == text
    if size <= 0:
        assert head == tail == ""
    assert counter.count(head) <= max(size, 0)


@given(text=TEXTS)
def test_bytes_bound_every_vocabulary(text: str) -> None:
    """A byte-level vocabulary never makes more tokens than there are bytes."""
    assert Utf8Counter().count(text) >= max(TiktokenCounter(name).count(text) for name in ENCODINGS)


def test_a_text_is_tokenised_once(tokenised: list[str]) -> None:
    """Counting again, cutting, counting the piece and cutting it once more read nothing anew."""
    counter, text = TiktokenCounter(), "one two three four five six seven eight nine ten"
    counter.count(text)
    head = counter.head(text, 6)
    assert head == "one two three four five six"
    assert counter.count(head) == 6
    assert counter.head(head, 2) == "one two"
    assert counter.tail(text, 2) == " nine ten"
    assert tokenised == [text]


def test_long_texts_are_tokenised_in_slices(tokenised: list[str]) -> None:
    """No slice is longer than the bound, and a cut between two of them falls before a space."""
    text = "word " * 30_000
    count = TiktokenCounter().count(text)
    assert "".join(tokenised) == text
    assert max(map(len, tokenised)) <= tokens.SLICE
    assert all(piece.startswith(" word") for piece in tokenised[1:])
    assert count == pytest.approx(30_000, abs=len(tokenised))


@pytest.mark.parametrize("run", ["a" * 100_000, " " * 1_000_000, "^" * 300_000, "漢字" * 30_000, "\n" * 100_000])
def test_long_runs_neither_fail_nor_take_for_ever(run: str) -> None:
    """Such runs made tiktoken raise, or were quadratic."""
    counter = TiktokenCounter()
    assert 0 < counter.count(run) <= Utf8Counter().count(run)
    assert run.startswith(counter.head(run, 100))


def test_what_tiktoken_refuses_is_counted_as_bytes(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The count is a bound then, cutting works, and it is told once."""

    def refuse(self: tiktoken.Encoding, text: str) -> list[int]:
        raise ValueError("out of stack")

    tokens._warn_once.cache_clear()
    monkeypatch.setattr(tiktoken.Encoding, "encode_ordinary", refuse)
    counter = TiktokenCounter()
    with caplog.at_level(logging.WARNING):
        assert counter.count("aé漢") == 6
        assert counter.count("bé漢") == 6
    assert counter.head("aé漢", 5) == "aé"
    assert [record.message for record in caplog.records] == [
        "a text cannot be tokenised and counts as UTF-8 bytes, as others like it will: out of stack"
    ]


def test_without_a_vocabulary_bytes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else changes: counts are bounds, and cuts are beginnings."""
    monkeypatch.setattr(vocabulary, "load", lambda encoding: None)
    counter = TiktokenCounter()
    assert counter.count("aé漢") == 6
    assert counter.head("aé漢", 5) == "aé"
    assert counter.tail("aé漢", 5) == "é漢"


def test_both_counters_are_token_counters() -> None:
    """A model's own tokenizer needs the same two methods."""
    assert isinstance(Utf8Counter(), TokenCounter)
    assert isinstance(TiktokenCounter(), TokenCounter)
