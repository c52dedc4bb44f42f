"""Laws of fitting: whatever the history, the window and the strategy, what is sent is valid, fits, and is honest."""

from __future__ import annotations

import copy
import functools
import itertools
import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from toolmend.agents.errors import ContextOverflowError
from toolmend.agents.fitting import Fitted, HistoryFitter, fit_history
from toolmend.agents.sizes import MessageCounter
from toolmend.agents.tokens import TiktokenCounter, TokenCounter
from toolmend.repairs.record import JsonValue

Message = dict[str, JsonValue]
Step = Callable[[int, str], list[Message]]
MARKER = "[Contents truncated!]"


class Letters:
    """A token for each character: cheap, and sizes can be told at a glance."""

    def count(self, text: str, /) -> int:
        return len(text)

    def head(self, text: str, tokens: int, /) -> str:
        return text[: max(tokens, 0)]


# ---------------------------------------------------------------- histories

TEXTS = [
    *("", " ", "ok", "word " * 9, "word " * 40, "x" * 150, "\n \t" * 30, '{"a": [1, 2]}' * 10, "<|endoftext|>" * 9),
    *(
        "漢字かな交じり文" * 20,
        "한국어 " * 60,
        "e\u0301o\u0308" * 40,
        "\U0001f469\u200d\U0001f467\U0001f3f3\ufe0f" * 15,
    ),
    f"\n... {MARKER} (1 of 2 tokens left out)",
]


def called(*ids: str, arguments: str = '{"q": 1}', text: str | None = None) -> Message:
    calls = [{"id": one, "type": "function", "function": {"name": "look", "arguments": arguments}} for one in ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def result(call_id: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def parts(text: str) -> list[Message]:
    url = "data:image/png;base64," + "QUJD" * 40
    return [{"type": "text", "text": text}, {"type": "image_url", "image_url": {"url": url, "detail": "low"}}]


def looping(number: int, text: str) -> list[Message]:
    """A call after a call after a call, with results."""
    ids = [f"l{number}_{at}" for at in range(4)]
    return [message for one in ids for message in (called(one), result(one, text))]


def batch(number: int, text: str) -> list[Message]:
    """Three calls at once; the results come in another order."""
    ids = [f"b{number}_{at}" for at in range(3)]
    return [called(*ids, text=text[:20]), *(result(one, text) for one in reversed(ids))]


def legacy(number: int, text: str) -> list[Message]:
    """A call of the older kind."""
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    return [call, {"role": "function", "name": "f", "content": text}]


SOUND: dict[str, Step] = {
    "user": lambda number, text: [{"role": "user", "content": text}],
    "named": lambda number, text: [{"role": "user", "name": "ann", "content": text}],
    "seen": lambda number, text: [{"role": "user", "content": parts(text)}],
    "answer": lambda number, text: [{"role": "assistant", "content": text}],
    "refusal": lambda number, text: [{"role": "assistant", "content": None, "refusal": text}],
    "empty": lambda number, text: [{"role": "assistant", "content": ""}],
    "note": lambda number, text: [{"role": "developer", "content": text[:60]}],
    "loop": looping,
    "batch": batch,
    "long call": lambda number, text: [
        called(f"a{number}", arguments=json.dumps({"text": text}, ensure_ascii=False)),
        result(f"a{number}", "done"),
    ],
    "reused id": lambda number, text: [called("call_0"), result("call_0", text)],
    "legacy": legacy,
    "screenshot": lambda number, text: [called(f"s{number}"), {**result(f"s{number}", ""), "content": parts(text)}],
}
POISONED: dict[str, Step] = {
    "unanswered": lambda number, text: [called(f"u{number}", text=text)],
    "half answered": lambda number, text: [called(f"h{number}", f"i{number}"), result(f"i{number}", text)],
    "orphan": lambda number, text: [result(f"o{number}", text)],
    "doubled id": lambda number, text: [called("d", "d"), result("d", text), result("d", "b")],
    "no id": lambda number, text: [called("", ""), result("", text), result("", "b")],
    "doubled result": lambda number, text: [
        called(f"r{number}"),
        result(f"r{number}", text),
        result(f"r{number}", "b"),
    ],
    "late": lambda number, text: [called(f"t{number}"), {"role": "user", "content": "?"}, result(f"t{number}", text)],
    "torn arguments": lambda number, text: [called(f"x{number}", arguments='{"a": [1'), result(f"x{number}", text)],
    "lone function": lambda number, text: [legacy(number, text)[1]],
    "unanswered function": lambda number, text: [legacy(number, text)[0]],
}
FIRST = [[], [{"role": "system", "content": "Be brief."}], [{"role": "system", "content": "Rule. " * 30}] * 2]


def histories(kinds: dict[str, Step]) -> st.SearchStrategy[list[Message]]:
    """Conversations made of steps of some kinds."""
    steps = st.sampled_from(list(itertools.product(kinds.values(), TEXTS)))
    return st.builds(
        lambda first, chosen: copy.deepcopy(
            [*first, *itertools.chain.from_iterable(step(at, text) for at, (step, text) in enumerate(chosen))]
        ),
        st.sampled_from(FIRST),
        st.lists(steps, min_size=1, max_size=12),
    )


HISTORIES = histories(SOUND) | histories(SOUND | POISONED)
STRATEGIES = ("truncate", "drop_turns", "clear_tool_results")
# A window as a share of what the history needs, and the rest of the settings but for the strategy.
SETTINGS = st.sampled_from(
    [
        {
            "context_length": share,
            "max_output_tokens": output,
            "min_output_tokens": least,
            "context_buffer_tokens": buffer,
            "context_overflow_fallback": fallback,
        }
        for share in (0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99, 1.0, 2.0)
        for output in (5, 200)
        for least in (1, 64)
        for buffer in (0, 50)
        for fallback in (None, "drop_turns")
    ]
)


def settings_for(
    history: Sequence[Message], shares: dict[str, JsonValue], tokens: TokenCounter
) -> dict[str, JsonValue]:
    """The settings with a window in tokens."""
    needed = MessageCounter(tokens).request(history)
    room = min(shares["max_output_tokens"], shares["min_output_tokens"]) + shares["context_buffer_tokens"]
    return shares | {"context_length": int(needed * shares["context_length"]) + room}


# ---------------------------------------------------------------- what must hold


def check_pairs(messages: Sequence[Message]) -> None:
    """Every call is answered at once, and nothing else is."""
    waiting: list[str] = []
    function: str | None = None
    for message in messages:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
        elif message["role"] == "function":
            assert function is not None
            function = None
        else:
            assert (waiting, function) == ([], None)
            waiting = [call["id"] for call in message.get("tool_calls") or []]
            assert len(set(waiting)) == len(waiting)
            assert all(waiting)
            function = (message.get("function_call") or {}).get("name")
    assert (waiting, function) == ([], None)


def check_texts(messages: Sequence[Message]) -> None:
    """Arguments are JSON objects, characters are whole, and no content carries two markers."""
    text = json.dumps(messages, ensure_ascii=False)
    assert "\ufffd" not in text
    text.encode()
    for message in messages:
        for function in [call["function"] for call in message.get("tool_calls") or []]:
            assert isinstance(json.loads(function["arguments"]), dict)
        pieces = message["content"] if isinstance(message["content"], list) else [{"text": message["content"] or ""}]
        for piece in pieces:
            assert piece.get("text", "").count(MARKER) <= 1


def check_kept(given: Sequence[Message], sent: Sequence[Message]) -> None:
    """The first system message and the last question are there word for word; what is unchanged is in the old order."""
    for role, at in (("system", 0), ("user", -1)):
        if before := [message for message in given if message["role"] == role]:
            assert [message for message in sent if message["role"] == role][at] == before[at]
    if any(message["role"] != "system" for message in given):
        assert any(message["role"] != "system" for message in sent)
    places = {id(message): at for at, message in enumerate(given)}
    kept = [places[id(message)] for message in sent if id(message) in places]
    assert kept == sorted(kept)


def check_size(fitted: Fitted, given: dict[str, JsonValue], counter: MessageCounter) -> None:
    """What is sent and the output that is granted fit, by a count of its own."""
    assert fitted.max_output_tokens is not None
    assert counter.request(fitted.messages) <= fitted.tokens
    assert fitted.tokens + fitted.max_output_tokens <= given["context_length"]
    least = min(given["min_output_tokens"], given["max_output_tokens"])
    assert least <= fitted.max_output_tokens <= given["max_output_tokens"]


def check_record(history: Sequence[Message], fitted: Fitted) -> None:
    """What is not among the very messages that were handed in is on record, and so is what is missing."""
    sent = {id(message) for message in fitted.messages}
    touched = {at for at, message in enumerate(history) if id(message) not in sent}
    assert touched == {change.position for change in fitted.changes if change.kind not in {"answered", "added"}} | {
        change.position for change in fitted.repairs if change.position in touched and change.kind == "answered"
    }
    new = sum(id(message) not in set(map(id, history)) for message in fitted.messages)
    assert (new > 0) <= bool(fitted.changes)


def check(history: list[Message], given: dict[str, JsonValue], tokens: TokenCounter) -> None:
    try:
        fitted = fit_history(history, **given, counter=tokens)
    except ContextOverflowError as error:
        event("does not fit")
        assert error.needed > given["context_length"]  # noqa: PT017 - whether it is raised depends on the history
        return
    event(fitted.stage)
    check_pairs(fitted.messages)
    check_texts(fitted.messages)
    check_kept(history, fitted.messages)
    check_size(fitted, given, MessageCounter(type(tokens)()))
    check_record(history, fitted)
    again = fit_history(copy.deepcopy(fitted.messages), **given, counter=type(tokens)())
    assert again.messages == fitted.messages
    assert again.repairs == ()


def check_strategies(history: list[Message], shares: dict[str, JsonValue], tokens: TokenCounter) -> None:
    before, given = copy.deepcopy(history), settings_for(history, shares, tokens)
    for strategy in STRATEGIES:
        check(history, given | {"strategy": strategy}, tokens)
    assert history == before


@settings(max_examples=1000)
@given(history=HISTORIES, shares=SETTINGS)
def test_what_is_sent_is_valid_and_fits(history: list[Message], shares: dict[str, JsonValue]) -> None:
    """Or there is an error; nothing that was handed in is changed, and fitting the result again changes nothing."""
    check_strategies(history, shares, Letters())


@settings(max_examples=60)
@given(history=HISTORIES, shares=SETTINGS)
def test_the_same_holds_with_a_real_vocabulary(history: list[Message], shares: dict[str, JsonValue]) -> None:
    """Where a token is a part of a word, or half a character."""
    check_strategies(history, shares, TiktokenCounter())


@settings(max_examples=200)
@given(history=histories(SOUND), strategy=st.sampled_from(STRATEGIES), room=st.integers(0, 3))
def test_below_the_limit_nothing_changes(history: list[Message], strategy: str, room: int) -> None:
    """Not a message, to the last token."""
    needed = MessageCounter(Letters()).request(history)
    fitted = fit_history(
        history,
        context_length=needed + 100 + room,
        max_output_tokens=100,
        strategy=strategy,  # type: ignore[arg-type]
        counter=Letters(),
    )
    assert [id(message) for message in fitted.messages] == [id(message) for message in history]
    assert (fitted.stage, fitted.max_output_tokens, fitted.changes) == ("fits", 100, ())


def outcome(fit: Callable[[], Fitted]) -> JsonValue:
    """What came of a fit, to be compared."""
    try:
        fitted = fit()
    except ContextOverflowError as error:
        return str(error)
    return fitted.messages, fitted.max_output_tokens, fitted.tokens, fitted.stage, fitted.changes


@settings(max_examples=100)
@given(
    history=HISTORIES,
    shares=SETTINGS,
    strategy=st.sampled_from(STRATEGIES),
    cuts=st.lists(st.integers(0, 60), max_size=4),
)
def test_a_fitter_gives_what_fitting_anew_gives(
    history: list[Message], shares: dict[str, JsonValue], strategy: str, cuts: list[int]
) -> None:
    """As the conversation grows message by message, and when it is cut back and goes on from there."""
    given = settings_for(history, shares, Letters()) | {"strategy": strategy}
    fitter = HistoryFitter(**given, counter=Letters())
    for end in (*range(1, len(history) + 1), *(1 + cut % len(history) for cut in cuts)):
        part = history[:end]
        kept = outcome(functools.partial(fitter.fit, part))
        assert kept == outcome(functools.partial(fit_history, part, **given, counter=Letters()))


@settings(max_examples=100)
@given(history=HISTORIES)
def test_a_larger_window_drops_no_more(history: list[Message]) -> None:
    """What is sent whole in a small one is sent in a larger one too."""
    whole: set[int] = set()
    for length in range(300, 6000, 600):
        try:
            fitted = fit_history(
                history, context_length=length, max_output_tokens=50, strategy="drop_turns", counter=Letters()
            )
        except ContextOverflowError:
            assert whole == set()
            continue
        now = {id(message) for message in fitted.messages} & set(map(id, history))
        assert whole <= now
        whole = now


@settings(max_examples=150)
@given(
    texts=st.lists(st.sampled_from(TEXTS), min_size=3, max_size=14),
    shares=SETTINGS,
    opening=st.integers(0, 3),
    results=st.sets(st.integers(0, 14)),
)
def test_prompt_based_conversations_keep_their_opening_and_question(
    texts: list[str], shares: dict[str, JsonValue], opening: int, results: set[int]
) -> None:
    """There, results of tools are messages of the user, and examples stand before the conversation."""
    history = [{"role": "assistant" if at % 2 else "user", "content": text} for at, text in enumerate(texts)]
    questions = [at for at in range(opening, len(history)) if at % 2 == 0 and at not in results]
    given = settings_for(history, shares, Letters())
    for strategy in STRATEGIES:
        fitter = HistoryFitter(**given, strategy=strategy, counter=Letters())  # type: ignore[arg-type]
        try:
            fitted = fitter.fit(history, opening=opening, results=results)
        except ContextOverflowError:
            continue
        assert fitted.messages[:opening] == history[:opening]
        assert fitted.messages[-1] is history[-1]
        assert not questions or any(message is history[questions[-1]] for message in fitted.messages)
        check_size(fitted, given, MessageCounter(Letters()))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_loop_of_hundreds_of_calls_fits(strategy: str) -> None:
    """One question, and a result after the other."""
    history = [{"role": "user", "content": "go"}, *looping(0, "word " * 200)]
    fitter = HistoryFitter(
        context_length=60_000,
        max_output_tokens=100,
        strategy=strategy,  # type: ignore[arg-type]
        counter=Letters(),
    )
    for number in range(1, 40):
        history += looping(number, f"{number} " + "word " * 200)
        fitted = fitter.fit(history)
        assert fitted.messages[0] == history[0]
        assert fitted.messages[-1] == history[-1]
        check_pairs(fitted.messages)
