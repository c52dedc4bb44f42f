from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from toolmend.agents.conversation import Conversation
from toolmend.agents.errors import ConfigError
from toolmend.agents.history import History
from toolmend.agents.sizes import MessageCounter, message_counter
from toolmend.agents.strategies import (
    STRATEGIES,
    ClearToolResults,
    DropTurns,
    HistoryStrategy,
    Truncate,
    conversation_of,
    strategy_of,
)
from toolmend.agents.tokens import TokenCounter
from toolmend.repairs.record import JsonValue

Message = dict[str, JsonValue]
FLOOR = 30
MARKER = "... [Contents truncated!]"


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def answer(text: str) -> Message:
    return {"role": "assistant", "content": text}


def system(text: str = "rule") -> Message:
    return {"role": "system", "content": text}


def called(call_id: str) -> Message:
    call = {"id": call_id, "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def result(call_id: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def image(text: str) -> Message:
    part = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    return {"role": "user", "content": [{"type": "text", "text": text}, part]}


@pytest.fixture
def counter(letters: TokenCounter) -> MessageCounter:
    return MessageCounter(letters)


def conversation(messages: Sequence[Message], counter: MessageCounter) -> Conversation:
    return History(counter).conversation(messages)[0]


def words(count: int) -> str:
    """A text of so many tokens in the vocabulary of gpt-4o."""
    return "word" + " word" * (count - 1)


class TestTruncate:
    def shrunk(self, messages: Sequence[Message], excess: int, counter: MessageCounter) -> Conversation:
        """Shrink by so many tokens."""
        whole = conversation(messages, counter)
        return Truncate().shrink(whole, whole.tokens - excess, counter)

    def test_the_excess_is_spread(self) -> None:
        """Of four messages of 300 tokens that are 400 over the budget, each gives 100 and keeps 200."""
        counter = message_counter("gpt-4o")
        messages = [*(answer(words(300)) for _ in range(4)), user("and?")]
        shrunk = self.shrunk(messages, 400, counter)
        assert [counter.content(message["content"]) for message in shrunk[:4]] == [200, 200, 200, 200]
        assert {message["content"] for message in shrunk[:4]} == {
            words(183) + f"\n{MARKER} (117 of 300 tokens left out)"
        }
        real = message_counter("gpt-4o").tokens.__class__()
        assert real.count(shrunk[0]["content"]) <= 200

    def test_no_content_is_cut_below_the_floor(self, counter: MessageCounter) -> None:
        """What those in front cannot give, the ones behind them do; and all of it where it must be."""
        messages = [answer("a" * 100), answer("b" * 1000), answer("c" * 100), user("and?")]
        shrunk = self.shrunk(messages, 900, counter)
        assert shrunk.tokens <= conversation(messages, counter).tokens - 900
        kept = [message["content"].partition("\n")[0] for message in shrunk[:3]]
        assert kept[0] == "a" * FLOOR
        assert all(len(text) >= FLOOR for text in kept)
        most = self.shrunk(messages, 10_000, counter)
        assert [len(message["content"].partition("\n")[0]) for message in most[:3]] == [FLOOR] * 3
        assert most.tokens == sum(map(counter.message, most))

    def test_short_contents_are_left_alone_and_not_counted_in(self, counter: MessageCounter) -> None:
        """A marker would only make them longer."""
        messages = [answer("a" * 80), answer("b" * 1000), answer("c" * 80), user("and?")]
        shrunk = self.shrunk(messages, 300, counter)
        assert [shrunk[0], shrunk[2]] == [messages[0], messages[2]]
        assert shrunk.tokens == conversation(messages, counter).tokens - 300

    def test_older_ones_give_first_but_what_comes_later_is_spared_what_it_cannot_give(
        self, counter: MessageCounter
    ) -> None:
        """The first one gives more than its share if the second one is short."""
        messages = [answer("a" * 1000), answer("b" * 110), user("and?")]
        shrunk = self.shrunk(messages, 600, counter)
        assert shrunk.tokens == conversation(messages, counter).tokens - 600
        assert len(shrunk[1]["content"]) >= FLOOR

    def test_system_messages_and_the_running_turn_stay(self, counter: MessageCounter) -> None:
        """However much there is of them."""
        messages = [system("s" * 900), answer("a" * 900), system("n" * 900), user("u" * 900), answer("z" * 900)]
        shrunk = self.shrunk(messages, 5000, counter)
        assert [shrunk[0], *shrunk[2:]] == [messages[0], *messages[2:]]
        assert MARKER in shrunk[1]["content"]

    def test_markers_do_not_stack(self, counter: MessageCounter) -> None:
        """A text that is cut again still says how much of the whole is gone."""
        once = self.shrunk([answer("a" * 1000), user("and?")], 300, counter)
        assert f"a\n{MARKER} (359 of 1000 tokens left out)" in once[0]["content"]
        twice = self.shrunk(list(once), 300, counter)
        assert twice[0]["content"].count(MARKER) == 1
        assert f"a\n{MARKER} (659 of 1000 tokens left out)" in twice[0]["content"]

    def test_a_marker_that_somebody_wrote_is_taken_for_no_more_than_it_can_be(self, counter: MessageCounter) -> None:
        """More cannot be gone than there was."""
        text = "a" * 900 + f"\n{MARKER} (1 of 2 tokens left out)"
        shrunk = self.shrunk([answer(text), user("and?")], 300, counter)
        assert re.findall(r"\((\d+) of (\d+) tokens left out\)", shrunk[0]["content"]) == [("357", str(len(text)))]

    def test_lists_of_parts_are_shortened_when_texts_are_not_enough(self, counter: MessageCounter) -> None:
        """Their texts to the floor, then images give way to a marker; both from the oldest on."""
        messages = [answer("a" * 500), image("i" * 400), image("j" * 400), user("and?")]
        assert self.shrunk(messages, 300, counter)[1:] == messages[1:]
        shrunk = self.shrunk(messages, 700, counter)
        assert shrunk[2:] == messages[2:]
        assert shrunk[1]["content"][0]["text"].startswith("i" * FLOOR)
        assert MARKER in shrunk[1]["content"][0]["text"]
        assert shrunk[1]["content"][1] == messages[1]["content"][1]
        shrunk = self.shrunk(messages, 1500, counter)
        assert shrunk[1]["content"][1] == {"type": "text", "text": f"{MARKER} (765 of 765 tokens left out)"}
        assert shrunk.tokens == sum(map(counter.message, shrunk))


class TestDropTurns:
    def shrunk(self, messages: Sequence[Message], excess: int, counter: MessageCounter) -> list[Message]:
        """Shrink by so many tokens."""
        whole = conversation(messages, counter)
        return DropTurns().shrink(whole, whole.tokens - excess, counter).messages

    MESSAGES = (
        system(),
        user("1" * 50),
        called("a"),
        result("a", "x" * 50),
        answer("1"),
        user("2" * 50),
        answer("2"),
        user("3" * 50),
        called("b"),
        result("b", "y"),
    )

    @pytest.mark.parametrize(("excess", "left"), [(0, 1), (1, 5), (130, 5), (180, 7), (9000, 7)])
    def test_whole_turns_go_oldest_first(self, counter: MessageCounter, excess: int, left: int) -> None:
        """As few as are enough; the running one stays."""
        assert self.shrunk(self.MESSAGES, excess, counter) == [self.MESSAGES[0], *self.MESSAGES[left:]]

    def test_what_stands_before_the_first_question_goes_first(self, counter: MessageCounter) -> None:
        """A greeting belongs to no turn."""
        messages = [system(), answer("welcome"), user("1"), answer("1"), user("2")]
        assert self.shrunk(messages, 1, counter) == [messages[0], *messages[2:]]

    def test_system_messages_among_the_turns_go_last(self, counter: MessageCounter) -> None:
        """They still hold; but for the first one, wherever it stands."""
        messages = [user("1"), system("s" * 50), answer("1"), user("2"), system("n" * 50), user("3")]
        assert self.shrunk(messages, 29, counter) == [messages[1], messages[4], messages[5]]
        assert self.shrunk(messages, 40, counter) == [messages[1], messages[5]]
        assert self.shrunk(messages, 900, counter) == [messages[1], messages[5]]
        assert self.shrunk([system(), *messages], 80, counter) == [system(), messages[4], messages[5]]

    def test_where_nobody_asked_the_last_block_stays(self, counter: MessageCounter) -> None:
        """A call and its results are one."""
        messages = [called("a"), result("a", "x"), called("b"), result("b", "y")]
        assert self.shrunk(messages, 900, counter) == messages[2:]
        assert self.shrunk([system()], 900, counter) == [system()]


class TestClearToolResults:
    MESSAGES = (
        *(user("1"), called("a"), result("a", "x" * 500), result("b", "z")),
        *(user("2"), called("b"), result("b", "y" * 500)),
        *(user("3"), called("c"), result("c", "z" * 500)),
    )

    def shrunk(self, excess: int, counter: MessageCounter, keep: int = 0) -> Conversation:
        """Shrink by so many tokens."""
        whole = conversation(self.MESSAGES, counter)
        return ClearToolResults(keep=keep).shrink(whole, whole.tokens - excess, counter)

    def test_old_results_are_cleared_oldest_first(self, counter: MessageCounter) -> None:
        """As few as are enough; calls and words stay, and so does the running turn."""
        one, both = self.shrunk(10, counter), self.shrunk(10_000, counter)
        cleared = f"{MARKER} (result cleared, 500 tokens left out)"
        assert [message["content"] == cleared for message in one if message["role"] == "tool"] == [True, False, False]
        assert [message["content"] == cleared for message in both if message["role"] == "tool"] == [True, True, False]
        assert both.tokens == sum(map(counter.message, both))

    def test_the_newest_ones_can_be_kept(self, counter: MessageCounter) -> None:
        """However much is too much."""
        assert self.shrunk(10_000, counter, keep=1)[6] == self.MESSAGES[6]
        assert self.shrunk(10_000, counter, keep=9).messages == self.shrunk(0, counter).messages

    def test_what_is_cleared_is_not_cleared_again(self, counter: MessageCounter) -> None:
        """Nor is what is shorter than the marker."""
        cleared = self.shrunk(10_000, counter)
        assert ClearToolResults().shrink(cleared, 0, counter).messages == cleared.messages


@pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)
def test_strategies_take_plain_messages_and_never_raise(strategy: HistoryStrategy, counter: MessageCounter) -> None:
    """Whoever writes one can hand on to another; a budget that cannot be met is for the caller to judge."""
    messages = [user("1" * 90), answer("1" * 900), user("2")]
    for budget in (10_000, 500, 0, -5):
        shrunk = strategy.shrink(messages, budget, counter)
        assert shrunk[-1] == user("2")
        assert (list(shrunk) == messages) is (budget == 10_000 or isinstance(strategy, ClearToolResults))


def test_a_conversation_is_not_read_twice(counter: MessageCounter) -> None:
    """Only plain messages are."""
    whole = conversation([user("1")], counter)
    assert conversation_of(whole, counter) is whole


class Own:
    def shrink(self, messages: Sequence[Message], budget: int, counter: MessageCounter, /) -> Sequence[Message]:
        return messages


def test_a_strategy_is_given_by_name_or_as_an_object() -> None:
    """One's own needs nothing but the method."""
    own = Own()
    assert strategy_of(own, "field") is own
    assert isinstance(strategy_of("drop_turns", "field"), DropTurns)


@pytest.mark.parametrize("wrong", ["drop", DropTurns, None, 5])
def test_anything_else_is_refused(wrong: object) -> None:
    """With the names that there are, and the field; a class is a likely mistake."""
    with pytest.raises(ConfigError, match="fallback: one of 'truncate', 'drop_turns', 'clear_tool_results'") as caught:
        strategy_of(wrong, "fallback")  # type: ignore[arg-type]
    assert caught.value.fields == ("fallback",)
