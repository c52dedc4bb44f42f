from __future__ import annotations

import copy
import logging
from collections.abc import Sequence
from typing import Any

import pytest
from inline_snapshot import snapshot

from toolmend.agents.errors import ConfigError, ContextOverflowError, ToolmendError
from toolmend.agents.fitting import Change, Fitted, HistoryFitter, fit_history
from toolmend.agents.messages import NOT_EXECUTED
from toolmend.agents.sizes import MessageCounter
from toolmend.agents.strategies import HistoryStrategy
from toolmend.agents.tokens import TokenCounter
from toolmend.repairs.errors import UsageError
from toolmend.repairs.record import JsonValue

Message = dict[str, JsonValue]
MARKER = "... [Contents truncated!]"
TOOL = {"type": "function", "function": {"name": "look", "description": "Look something up", "parameters": {}}}


def user(text: str = "hi") -> Message:
    return {"role": "user", "content": text}


def answer(text: str = "yes") -> Message:
    return {"role": "assistant", "content": text}


def system(text: str = "rule") -> Message:
    return {"role": "system", "content": text}


def called(*ids: str) -> Message:
    calls = [{"id": one, "type": "function", "function": {"name": "look", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str, text: str = "found") -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def size(messages: Sequence[Message], letters: TokenCounter) -> int:
    return MessageCounter(letters).request(messages)


LONG = [system(), user("a" * 300), answer("b" * 300), user("c" * 300), answer("d" * 300), user("and?")]


class TestStages:
    """Window lengths just at the borders of the stages, for `LONG`, with an output of 500, at least 64, buffer 300."""

    def fitted(self, letters: TokenCounter, length: int, output: int | None = 500, **more: JsonValue) -> Fitted:
        return fit_history(LONG, context_length=length, max_output_tokens=output, counter=letters, **more)

    def test_what_fits_is_sent_as_it_is(self, letters: TokenCounter) -> None:
        """To the last token, without a buffer."""
        needed = size(LONG, letters)
        fitted = self.fitted(letters, needed + 500)
        assert (fitted.messages, fitted.max_output_tokens, fitted.stage) == (LONG, 500, "fits")
        assert fitted.tokens == needed
        assert fitted.changes == ()
        assert all(new is old for new, old in zip(fitted.messages, LONG, strict=True))

    def test_the_output_is_shrunk_first(self, letters: TokenCounter) -> None:
        """As long as it is worth asking for; the history is not touched."""
        needed = size(LONG, letters)
        fitted = self.fitted(letters, needed + 64 + 300)
        assert (fitted.messages, fitted.max_output_tokens, fitted.stage) == (LONG, 64, "output shrunk")
        fitted = self.fitted(letters, needed + 400, 5000)
        assert (fitted.messages, fitted.max_output_tokens) == (LONG, 100)

    @pytest.mark.parametrize("strategy", ["truncate", "drop_turns"])
    def test_then_the_history_is(self, letters: TokenCounter, strategy: str) -> None:
        """To what leaves room for the least output and the buffer; what remains is granted."""
        length = size(LONG, letters) + 64 + 300 - 1
        fitted = self.fitted(letters, length, strategy=strategy)
        assert fitted.stage == "history shrunk"
        assert fitted.max_output_tokens == min(500, length - fitted.tokens - 300)
        assert fitted.max_output_tokens >= 64
        assert fitted.tokens <= size(LONG, letters) - 1
        assert [fitted.messages[0], fitted.messages[-1]] == [LONG[0], LONG[-1]]

    def test_the_buffer_and_the_least_output_are_settings(self, letters: TokenCounter) -> None:
        """Without a buffer all of the window is used."""
        needed = size(LONG, letters)
        fitted = self.fitted(letters, needed + 7, min_output_tokens=7, context_buffer_tokens=0)
        assert (fitted.stage, fitted.max_output_tokens) == ("output shrunk", 7)
        fitted = self.fitted(letters, needed + 6, min_output_tokens=7, context_buffer_tokens=0)
        assert fitted.stage == "history shrunk"
        assert fitted.tokens == needed - 1

    def test_an_output_that_is_smaller_than_the_least_is_enough(self, letters: TokenCounter) -> None:
        """Whoever asks for 10 tokens wants no more."""
        fitted = self.fitted(letters, size(LONG, letters) + 9, 10)
        assert (fitted.stage, fitted.max_output_tokens) == ("history shrunk", 10)

    def test_an_output_left_to_the_server_stays_so(self, letters: TokenCounter) -> None:
        """There must be room for the least one."""
        needed = size(LONG, letters)
        assert self.fitted(letters, needed + 64, None).stage == "fits"
        fitted = self.fitted(letters, needed + 63, None)
        assert (fitted.stage, fitted.max_output_tokens) == ("history shrunk", None)

    def test_tools_are_counted(self, letters: TokenCounter) -> None:
        """They are sent with every request."""
        tools = [TOOL]
        needed = MessageCounter(letters).request(LONG, tools)
        assert self.fitted(letters, needed + 500, tools=tools).stage == "fits"
        assert self.fitted(letters, needed + 499, tools=tools).stage == "output shrunk"
        assert self.fitted(letters, needed + 500, tools=tools).tokens == needed


class TestOverflow:
    def test_the_error_tells_the_numbers_and_what_to_do(self, letters: TokenCounter) -> None:
        """It is an error of ours, and a ValueError."""
        messages = [system("s" * 50), answer("a" * 500), user("u" * 900)]
        with pytest.raises(ContextOverflowError) as caught:
            fit_history(messages, context_length=1000, max_output_tokens=100, tools=[TOOL], counter=letters)
        error = caught.value
        assert isinstance(error, ToolmendError)
        assert isinstance(error, ValueError)
        assert (error.context_length, error.output, error.buffer, error.framing) == (1000, 64, 300, 3)
        assert (error.system, error.last_turn) == (59, 907)
        assert error.tools == MessageCounter(letters).offer([TOOL], messages[0])
        assert str(error) == (
            "the conversation cannot be made to fit: the context length is 1000 tokens, and at least 1530 are needed "
            "(system 59, last turn 907, earlier turns 99, tool schemas 98, framing 3, least output 64, buffer 300); "
            "raise chat_context_length if the model has more, or lower max_output_tokens and min_output_tokens, or "
            "shorten the system message or the last user message, or let old turns be dropped with "
            'context_overflow_fallback="drop_turns"'
        )

    def test_no_turns_are_to_be_dropped_where_there_are_none(self, letters: TokenCounter) -> None:
        """The advice is only what can help."""
        with pytest.raises(ContextOverflowError) as caught:
            fit_history([user("u" * 2000)], context_length=1000, max_output_tokens=100, counter=letters)
        assert str(caught.value).endswith("or shorten the system message or the last user message")

    def test_many_short_messages_cannot_be_truncated(self, letters: TokenCounter) -> None:
        """None is above the floor; the fallback is what helps, if it was asked for."""
        messages = [*(answer("a" * 40) for _ in range(50)), user()]
        with pytest.raises(ContextOverflowError, match="context_overflow_fallback"):
            fit_history(messages, context_length=1000, max_output_tokens=100, counter=letters)
        fitted = fit_history(
            messages,
            context_length=1000,
            max_output_tokens=100,
            context_overflow_fallback="drop_turns",
            counter=letters,
        )
        assert fitted.messages[-1] == user()
        assert {change.kind for change in fitted.changes} == {"dropped"}

    def test_dropping_is_no_hint_for_who_drops_already(self, letters: TokenCounter) -> None:
        """The hints are things that can help."""
        with pytest.raises(ContextOverflowError) as caught:
            fit_history(
                [user("u" * 2000)], context_length=1000, max_output_tokens=9, strategy="drop_turns", counter=letters
            )
        assert "fallback" not in str(caught.value)

    def test_after_an_error_the_fitter_goes_on(self, letters: TokenCounter) -> None:
        """The message that was too long is not half added."""
        fitter = HistoryFitter(context_length=1000, max_output_tokens=100, counter=letters)
        messages = [system(), user()]
        with pytest.raises(ContextOverflowError):
            fitter.fit([*messages, user("u" * 2000)])
        assert fitter.fit(messages).messages == messages

    def test_a_server_may_tell_a_smaller_window(self, letters: TokenCounter) -> None:
        """It holds for that one request."""
        fitter = HistoryFitter(context_length=100_000, max_output_tokens=100, counter=letters)
        assert fitter.fit(LONG).stage == "fits"
        assert fitter.fit(LONG, context_length=1200).stage == "history shrunk"
        assert fitter.fit(LONG).stage == "fits"


class TestRunningTurn:
    """The last question with the calls and results behind it."""

    LOOP = (
        *(system(), user("old " * 50), answer("older " * 50), user("go")),
        *(called("a"), result("a", "x" * 800)),
        *(called("b", "c"), result("b", "y" * 800), result("c", "z" * 800)),
    )

    @pytest.mark.parametrize("strategy", ["truncate", "drop_turns", "clear_tool_results"])
    def test_its_older_results_are_shortened_last(self, letters: TokenCounter, strategy: str) -> None:
        """First what the model has seen, then what it has not, but never the very last result, and never a call."""
        everything = size(self.LOOP, letters)
        for excess, cut in ((0, set()), (900, {5}), (1700, {5, 7})):
            messages = list(self.LOOP)
            fitted = fit_history(
                messages,
                context_length=everything + 364 - excess,
                max_output_tokens=100,
                strategy=strategy,  # type: ignore[arg-type]
                context_overflow_fallback="drop_turns",
                counter=letters,
            )
            tail = dict(zip(range(3, 9), fitted.messages[-6:], strict=True))
            assert {at for at, message in tail.items() if message != messages[at]} == cut
            assert all(MARKER in tail[at]["content"] for at in cut)
            assert [message["role"] for message in tail.values()] == [message["role"] for message in messages[3:]]

    def test_results_that_are_messages_of_the_user_are_results(self, letters: TokenCounter) -> None:
        """In prompt-based agents; the question they belong to is not dropped for them."""
        messages = [
            user("old"),
            answer("a"),
            user("go"),
            answer("call"),
            user("x" * 900),
            answer("call"),
            user("y" * 90),
        ]
        fitter = HistoryFitter(context_length=900, max_output_tokens=100, strategy="drop_turns", counter=letters)
        fitted = fitter.fit(messages, results={4, 6})
        assert fitted.messages[0] == user("go")
        assert MARKER in fitted.messages[2]["content"]
        assert fitted.messages[3:] == messages[5:]

    def test_lists_of_parts_are_results_too(self, letters: TokenCounter) -> None:
        """Screenshots come back from tools in their dozens."""
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
        shots = [message for at in range(9) for message in (called(f"c{at}"), result(f"c{at}") | {"content": [image]})]
        fitted = fit_history(
            [user("go"), *shots], context_length=3000, max_output_tokens=100, strategy="drop_turns", counter=letters
        )
        assert fitted.messages[-1] == shots[-1]
        assert len(fitted.messages) == 19
        assert fitted.messages[2]["content"] == [{"type": "text", "text": f"{MARKER} (765 of 765 tokens left out)"}]


class TestRecord:
    def test_every_change_is_on_record(self, letters: TokenCounter) -> None:
        """Positions are those of the history that was handed in."""
        messages = [user("a" * 90), called("a"), user("b" * 500), answer("c" * 500), result("z"), user("d")]
        fitted = fit_history(
            messages,
            context_length=790,
            max_output_tokens=100,
            context_overflow_fallback="drop_turns",
            counter=letters,
        )
        assert fitted.repairs == (Change("answered", 1), Change("demoted", 4))
        assert {change.kind: change.position for change in fitted.shortened} == {"shortened": 3}
        assert [change.position for change in fitted.dropped] == [0, 1]
        assert fitted.changes == (*fitted.repairs, *fitted.shortened, *fitted.dropped)

    def test_a_shrunk_history_is_logged(self, letters: TokenCounter, caplog: pytest.LogCaptureFixture) -> None:
        """With the numbers, and without its contents."""
        with caplog.at_level(logging.INFO, "toolmend.agents.fitting"):
            fit_history(LONG, context_length=900, max_output_tokens=9, strategy="drop_turns", counter=letters)
        assert [record.getMessage() for record in caplog.records] == snapshot(
            ["DropTurns: 6 messages of 1262 tokens became 2 of 24, for a budget of 588"]
        )

    def test_nothing_that_was_handed_in_is_changed(self, letters: TokenCounter) -> None:
        """A larger window shows it all again."""
        messages = copy.deepcopy(LONG)
        fitter = HistoryFitter(context_length=1000, max_output_tokens=100, counter=letters)
        assert fitter.fit(messages).stage == "history shrunk"
        assert messages == LONG
        assert fitter.fit(messages, context_length=100_000).messages == LONG

    def test_a_poisoned_history_is_repaired_below_the_limit_too(self, letters: TokenCounter) -> None:
        """It could not be sent otherwise."""
        fitted = fit_history([user(), called("a"), user()], context_length=9000, max_output_tokens=9, counter=letters)
        assert fitted.stage == "fits"
        assert fitted.messages == [user(), called("a"), result("a", NOT_EXECUTED), user()]


class Summary:
    """A strategy of one's own: all but the last turn becomes one message."""

    def shrink(self, messages: Sequence[Message], budget: int, counter: MessageCounter, /) -> Sequence[Message]:
        return [messages[0], answer(f"summary of {len(messages) - 2} messages"), messages[-1]]


class Keeping:
    """A strategy of one's own that keeps what it was told to."""

    def __init__(self, *positions: int) -> None:
        self.positions = positions

    def shrink(self, messages: Sequence[Message], budget: int, counter: MessageCounter, /) -> Sequence[Message]:
        return [messages[at] for at in self.positions]


class TestOwnStrategy:
    def fitted(self, strategy: HistoryStrategy, letters: TokenCounter, messages: Sequence[Message] = LONG) -> Fitted:
        return fit_history(messages, context_length=1000, max_output_tokens=100, strategy=strategy, counter=letters)

    def test_what_it_writes_is_sent(self, letters: TokenCounter) -> None:
        """It is counted, and on record."""
        fitted = self.fitted(Summary(), letters)
        assert fitted.messages == [LONG[0], answer("summary of 4 messages"), LONG[-1]]
        assert fitted.tokens == size(fitted.messages, letters)
        assert [(change.kind, change.position) for change in fitted.changes] == [
            *(("dropped", at) for at in range(1, 5)),
            ("added", 1),
        ]

    def test_pairs_that_it_breaks_are_mended(self, letters: TokenCounter) -> None:
        """The history stays valid whoever cuts it."""
        messages = [system(), user("a" * 900), called("a"), result("a"), user("b")]
        assert self.fitted(Keeping(0, 2, 4), letters, messages).messages == [
            *(system(), called("a"), result("a", NOT_EXECUTED), user("b"))
        ]

    def test_what_is_left_is_shortened_as_ever(self, letters: TokenCounter) -> None:
        """Results given as messages of the user are still results."""
        messages = [system(), user("go"), answer("call"), user("r" * 1100), answer("call"), user("r")]
        fitter = HistoryFitter(context_length=1000, max_output_tokens=9, strategy=Keeping(*range(6)), counter=letters)
        assert MARKER in fitter.fit(messages, results={3, 5}).messages[3]["content"]

    def test_the_opening_stays_the_opening(self, letters: TokenCounter) -> None:
        """For the fallback that goes on from there."""
        fitted = fit_history(
            LONG,
            context_length=1000,
            max_output_tokens=9,
            strategy=Keeping(*range(6)),
            context_overflow_fallback="drop_turns",
            opening=3,
            counter=letters,
        )
        assert fitted.messages == [*LONG[:3], LONG[-1]]

    @pytest.mark.parametrize(
        ("kept", "fault"),
        [
            ((0, 1), "the last message of the user"),
            ((5,), "a system message"),
            ((), "the last message of the user"),
        ],
    )
    def test_what_must_stay_must_stay(self, letters: TokenCounter, kept: tuple[int, ...], fault: str) -> None:
        """Its author is told, not the model."""
        with pytest.raises(UsageError, match=f"Keeping.shrink: {fault} is missing"):
            self.fitted(Keeping(*kept), letters)

    @pytest.mark.parametrize("given", [None, "text", {"role": "user"}])
    def test_what_it_gives_back_are_messages(self, letters: TokenCounter, given: Any) -> None:  # noqa: ANN401
        """Anything else is told under its name."""

        class Giving:
            def shrink(self, *_given: object) -> Any:  # noqa: ANN401
                return given

        with pytest.raises(UsageError, match=r"Giving\.shrink: a list of messages is to be given back, got"):
            self.fitted(Giving(), letters)


class TestCalibration:
    def fitter(self, letters: TokenCounter) -> HistoryFitter:
        return HistoryFitter(context_length=2000, max_output_tokens=100, context_buffer_tokens=0, counter=letters)

    def test_a_server_that_counts_more_is_believed(self, letters: TokenCounter) -> None:
        """In proportion, if the request was long enough to tell."""
        fitter = self.fitter(letters)
        sent = fitter.fit(LONG)
        own = size(LONG, letters)
        assert sent.tokens == own
        fitter.calibrate(own * 3 // 2, sent)
        fitted = fitter.fit(LONG)
        assert fitted.max_output_tokens == 100
        assert fitter.fit(LONG, context_length=own * 3 // 2 + 70).max_output_tokens == 70
        assert fitted.tokens == own
        more = fitter.fit([*LONG, answer("e" * 300), user("and?")])
        assert more.stage == "history shrunk"
        assert more.max_output_tokens is not None
        assert 64 <= more.max_output_tokens <= 2000 - more.tokens * 3 // 2

    def test_what_is_added_to_a_short_request_is_added_to_all(self, letters: TokenCounter) -> None:
        """It is the server's own preface, and does not grow."""
        fitter = self.fitter(letters)
        sent = fitter.fit([user()])
        fitter.calibrate(sent.tokens + 650, sent)
        assert fitter.fit(LONG).max_output_tokens == 2000 - size(LONG, letters) - 650

    @pytest.mark.parametrize("reported", [None, 0, -5, 1, 1000, 100_000_000])
    def test_what_says_nothing_changes_nothing(self, letters: TokenCounter, reported: int | None) -> None:
        """The own count is never lowered; a figure out of all proportion counts something else."""
        fitter = self.fitter(letters)
        fitter.calibrate(reported, fitter.fit(LONG))
        assert fitter.fit(LONG).stage == "fits"

    def test_the_error_counts_what_the_server_does(self, letters: TokenCounter) -> None:
        """Else it would name a need that is below the window."""
        fitter = self.fitter(letters)
        fitter.calibrate(size(LONG, letters) * 3, fitter.fit(LONG))
        with pytest.raises(ContextOverflowError) as caught:
            fitter.fit([user("u" * 1500)])
        assert caught.value.needed > 2000


class TestSettings:
    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("context_length", 0),
            ("context_length", "4000"),
            ("context_length", True),
            ("max_output_tokens", 0),
            ("min_output_tokens", 0),
            ("context_buffer_tokens", -1),
            ("opening", -1),
            ("strategy", "drop"),
            ("context_overflow_fallback", "drop"),
            ("model", None),
            ("counter", len),
            ("counter", MessageCounter),
        ],
    )
    def test_settings_that_cannot_be_used_are_refused(self, field: str, value: object) -> None:
        """The field is named."""
        settings: dict[str, JsonValue] = {"context_length": 1000, "max_output_tokens": 100} | {field: value}
        with pytest.raises(ConfigError, match=field) as caught:
            fit_history([user()], **settings)
        assert caught.value.fields == (field,)

    def test_an_empty_history_is_refused(self) -> None:
        """No server takes one."""
        with pytest.raises(UsageError, match="messages: at least one message is needed"):
            fit_history([], context_length=1000, max_output_tokens=100)

    @pytest.mark.parametrize(
        ("tool", "fault"),
        [
            (5, r"tools\[0\]: a dict with a function that has a name is needed, got 5"),
            ({"type": "function", "function": {}}, r"tools\[0\]: .*has a name"),
            ({"name": "f", "parameters": [1]}, r"tools\[0\]\.parameters: a JSON Schema as a dict is needed"),
        ],
    )
    def test_tools_of_no_known_shape_are_refused(self, tool: Message, fault: str) -> None:
        """They could not be counted."""
        with pytest.raises(UsageError, match=fault):
            fit_history([user()], context_length=1000, max_output_tokens=100, tools=[tool])

    def test_an_opening_is_never_touched(self, letters: TokenCounter) -> None:
        """Examples show how to call tools; the conversation behind them is what gives way."""
        fitted = fit_history(
            LONG, context_length=1000, max_output_tokens=9, strategy="drop_turns", counter=letters, opening=3
        )
        assert fitted.messages == [*LONG[:3], LONG[-1]]
