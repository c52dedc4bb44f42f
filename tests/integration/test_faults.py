"""Faults of the line and of the server, at every point of a run: it ends in a typed way, and can go on."""

from __future__ import annotations

from typing import Any

import pytest
from painting import assert_sendable, run, task
from strict_server import Answer, Broken, Late, Raw, Says, Status, StrictServer, call

from toolmend.agents.errors import (
    LLMAuthenticationError,
    LLMConnectionError,
    LLMError,
    LLMNotFoundError,
    LLMRequestError,
    LLMServerError,
    LLMTimeoutError,
    MalformedReplyError,
    QuotaExceededError,
    RateLimitedError,
)

PAINTS = call('{"color": "red"}')
TOO_LONG = {"message": "Your input exceeds the context window of this model.", "code": "context_length_exceeded"}

FAULTS: dict[str, tuple[Answer, type[LLMError], bool]] = {
    "hangs up at once": (Broken(), LLMConnectionError, True),
    "hangs up in the reply": (Broken(Says(calls=(PAINTS,)), parts=6), LLMConnectionError, True),
    "sends half a reply": (Broken(Says(calls=(PAINTS,)), parts=6, hangs_up=False), MalformedReplyError, False),
    "comes late": (Late(3), LLMTimeoutError, True),
    "sends no JSON": (Raw(b"<html>a proxy speaks</html>", "text/html"), MalformedReplyError, False),
    "sends no text": (Raw(b"\xff\xfe\x00garbage"), MalformedReplyError, False),
    "sends nothing": (Raw(b""), MalformedReplyError, False),
    "sends no choices": (Raw(b'{"choices": []}'), MalformedReplyError, False),
    "sends no message": (Raw(b'{"choices": [{"message": null}]}'), MalformedReplyError, False),
    "sends an error as a reply": (Raw(b'{"error": {"message": "busy", "code": 503}}'), LLMServerError, True),
    "limits the rate": (Status(429, headers={"Retry-After": "9"}), RateLimitedError, True),
    "wants to be paid": (Status(429, {"code": "insufficient_quota"}), QuotaExceededError, False),
    "fails": (Status(500, b"oops"), LLMServerError, True),
    "does not know the key": (Status(401, {"message": "Incorrect API key"}), LLMAuthenticationError, False),
    "does not know the model": (Status(404, {"code": "model_not_found"}), LLMNotFoundError, False),
    "refuses": (Status(400, {"message": "no"}), LLMRequestError, False),
    "has no room and does not say how much": (Status(400, TOO_LONG), LLMRequestError, False),
}


@pytest.mark.parametrize("turn", [0, 1, 2])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_ends_the_run_and_the_conversation_goes_on(
    server: StrictServer, fault: str, turn: int, is_async: bool
) -> None:
    """The failure is typed; what was done until then is kept, once; the next run is taken."""
    answer, kind, retryable = FAULTS[fault]
    works: list[Answer] = [Says(calls=(PAINTS,)), Says(calls=(call('{"colour": "blue"}', "call_2"),))]
    server.answers = [*works[:turn], answer, Says("It is red.")]
    one = task(server, timeout=0.6 if isinstance(answer, Late) else 20)
    result = run(one, is_async=is_async)
    assert result.stop_reason == "llm_error"
    assert isinstance(result.failure, kind)
    assert result.failure.retryable is retryable
    assert (len(result.calls), len(result.errors)) == (min(turn, 1), max(turn - 1, 0))
    assert_sendable(one)
    assert run(one, "Go on.", is_async=is_async).output == "It is red."
    assert server.refusals == []


@pytest.mark.parametrize(
    "calls",
    [
        (PAINTS, PAINTS),
        (call('{"color": "red"}', None), call('{"color": "red"}', None)),
        (call('{"color": "red"}', ""), call('{"color": "green"}', "")),
        (PAINTS, call("{'color': 'blue'", "call_1"), call("nonsense", "call_1", "nobody")),
    ],
    ids=["same", "null", "empty", "faulty"],
)
def test_ids_that_a_server_repeats_or_forgets_are_made_unique(
    server: StrictServer, calls: tuple[dict[str, Any], ...], is_async: bool
) -> None:
    """Each call has an answer of its own, in this turn and when the same id comes in a later one."""
    server.answers = [Says(calls=calls), Says(calls=calls), Says("It is red.")]
    one = task(server)
    result = run(one, is_async=is_async)
    assert result.output == "It is red."
    assert len(result.calls) + len(result.errors) == 2 * len(calls)
    assert server.refusals == []


@pytest.mark.parametrize("reason", ["length", "content_filter"])
def test_a_reply_that_was_cut_runs_nothing_that_may_be_half(server: StrictServer, reason: str, is_async: bool) -> None:
    """The arguments broke off: the call is told to be faulty, whatever could be made of its beginning."""
    server.answers = [Says(calls=(call('{"color": "red", "layers": 1'),), finish_reason=reason), Says("Sorry.")]
    one = task(server)
    result = run(one, is_async=is_async)
    assert result.calls == ()
    assert_sendable(one)


def test_a_window_shorter_than_thought_is_met_by_fitting_again(server: StrictServer, is_async: bool) -> None:
    """The server names its length, and the history is fitted to that."""
    server.context_length = 1500
    one = task(server, strategy="drop_turns")
    for number in range(12):
        server.answers = [Says(calls=(call('{"color": "red"}', f"call_{number}"),)), Says(f"{'It is red. ' * 40}")]
        result = run(one, f"Paint number {number} red.", is_async=is_async)
        assert result.stop_reason == "answer", result.detail
    assert server.refusals == []
    assert_sendable(one)
