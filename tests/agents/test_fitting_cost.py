from __future__ import annotations

import pytest
import tiktoken

from toolmend.agents.fitting import HistoryFitter, fit_history
from toolmend.agents.sizes import MessageCounter, message_counter
from toolmend.agents.tokens import TiktokenCounter, TokenCounter
from toolmend.repairs.record import JsonValue

Message = dict[str, JsonValue]


def user(text: str = "hi") -> Message:
    return {"role": "user", "content": text}


def answer(text: str = "yes") -> Message:
    return {"role": "assistant", "content": text}


def called(*ids: str) -> Message:
    calls = [{"id": one, "type": "function", "function": {"name": "look", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str, text: str = "found") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


class Recorded(MessageCounter):
    """Tells which messages are counted."""

    def __init__(self, tokens: TokenCounter) -> None:
        super().__init__(tokens)
        self.counted: list[Message] = []

    def message(self, message: Message) -> int:
        self.counted.append(message)
        return super().message(message)


@pytest.fixture
def tokenised(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of all texts that are handed to tiktoken."""
    lengths: list[int] = []
    original = tiktoken.Encoding.encode_ordinary

    def recorded(self: tiktoken.Encoding, text: str) -> list[int]:
        lengths.append(len(text))
        return original(self, text)

    monkeypatch.setattr(tiktoken.Encoding, "encode_ordinary", recorded)
    return lengths


class TestCost:
    """A conversation of 500 turns, fitted at each: what is tokenised, in characters, against what there is."""

    def turns(self) -> list[list[Message]]:
        made = []
        for number in range(500):
            turn = [user(f"question {number} " + "word " * 40)]
            if number % 3 == 0:
                turn += [called(f"c{number}"), result(f"c{number}", f"result {number} " + "data, " * 60)]
            made.append([*turn, answer(f"answer {number} " + "words and " * 30)])
        return made

    @pytest.mark.parametrize("strategy", ["truncate", "drop_turns", "clear_tool_results"])
    @pytest.mark.parametrize("feeds_back", [False, True], ids=["stored whole", "stored as fitted"])
    def test_a_text_is_tokenised_once(self, strategy: str, feeds_back: bool, tokenised: list[int]) -> None:
        """Whether the history is stored whole, or what was fitted takes its place."""
        fitter = HistoryFitter(
            context_length=12_000,
            max_output_tokens=500,
            strategy=strategy,  # type: ignore[arg-type]
            context_overflow_fallback="drop_turns",
            counter=TiktokenCounter(),
        )
        history: list[Message] = []
        written = 0
        for turn in self.turns():
            written += sum(len(message["content"] or "") for message in turn)
            for message in turn:
                history.append(message)
                if message["role"] != "assistant":
                    fitted = fitter.fit(history)
            if feeds_back:
                history = [*fitted.messages, turn[-1]]
        assert fitted.stage == "history shrunk"
        assert sum(tokenised) < 1.5 * written

    def test_fitting_once_more_reads_only_what_is_new(self, tokenised: list[int]) -> None:
        """Without a fitter too, the texts are known; with one, the messages are."""
        history = [message for turn in self.turns() for message in turn]
        fitter = HistoryFitter(context_length=12_000, max_output_tokens=500, strategy="drop_turns")
        fitter.fit(history)
        tokenised.clear()
        counter = Recorded(fitter._counter.tokens)
        fitter._history._counter = counter
        fitter.fit([*history, user("one more, that was never seen")])
        fit_history(history, context_length=12_000, max_output_tokens=500, strategy="drop_turns")
        assert counter.counted == [user("one more, that was never seen")]
        assert sum(tokenised) == len("one more, that was never seen")

    def test_contents_are_cut_by_what_is_known(self, tokenised: list[int]) -> None:
        """Neither the piece nor the marker is tokenised again and again."""
        history = [*(answer(f"{number} " + "word " * 300) for number in range(100)), user("and?")]
        fit_history(history, context_length=9000, max_output_tokens=9)
        before = sum(tokenised)
        for length in range(8000, 9000, 50):
            fit_history(history, context_length=length, max_output_tokens=9)
        assert sum(tokenised) == before


def test_what_is_counted_is_never_less_than_what_is_sent() -> None:
    """A cut text counts as its pieces, which is at least what it costs when it is read as a whole."""
    texts = ["word " * 300, "漢字かな" * 90, "😀👨‍👩‍👧 é́ " * 60, "a1!? \n\n{}[]" * 70, "^" * 900, " \t" * 400]
    messages = [*map(answer, texts), user("and?")]
    fresh = message_counter("gpt-4o", TiktokenCounter())
    for length in range(700, 2400, 50):
        fitted = fit_history(messages, context_length=length, max_output_tokens=90)
        assert fresh.request(fitted.messages) <= fitted.tokens
        again = fit_history(fitted.messages, context_length=length, max_output_tokens=90, counter=TiktokenCounter())
        assert again.messages == fitted.messages
