from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from toolmend.agents import (
    ChatAgent,
    ChatAgentConfig,
    ConfigError,
    ContextLengthError,
    ContextOverflowError,
    ModelReply,
    RawCall,
    ScriptedClient,
    Task,
    Usage,
)
from toolmend.agents.tokens import Utf8Counter
from toolmend.toolkit import ToolMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]

BYTES = Utf8Counter()


class Read(ToolMessage, name="read"):
    """Read a page."""

    page: int

    def handle(self) -> str:
        return f"page {self.page}: " + "x" * 300


def read(page: int) -> ModelReply:
    """A call through the API."""
    return ModelReply("", (RawCall("read", f'{{"page": {page}}}', f"c{page}"),), "tool_calls")


def agent(script: Any, **settings: Any) -> tuple[ChatAgent, ScriptedClient]:  # noqa: ANN401
    """An agent that counts bytes for tokens, and its client."""
    client = ScriptedClient(script)
    return ChatAgent(ChatAgentConfig(llm=client, token_counter=BYTES, **settings), [Read]), client


def size(messages: Sequence[dict[str, JsonValue]]) -> int:
    """The bytes of all contents."""
    return sum(len(str(message.get("content") or "")) for message in messages)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("strategy", ["truncate", "drop_turns", "clear_tool_results"])
def test_a_long_conversation_is_sent_shorter_and_kept_whole(
    strategy: str, is_async: bool, check_history: Check
) -> None:
    """What is stored is not touched: a larger window would show it all again."""
    one, client = agent(
        lambda _: "y" * 200,
        chat_context_length=2500,
        max_output_tokens=300,
        context_buffer_tokens=50,
        context_overflow_strategy=strategy,
        context_overflow_fallback="drop_turns",
    )
    for number in range(12):
        text = f"{number}: " + "z" * 200
        if is_async:
            asyncio.run(one.llm_response_async(text))
        else:
            one.llm_response(text)
    for request in client.requests:
        check_history(request.messages)
        assert size(request.messages) + (request.max_tokens or 0) <= 2500
    assert size(client.requests[-1].messages) < size(one.messages)
    assert size(one.messages) >= 12 * 400
    assert client.requests[-1].messages[-1]["content"].startswith("11: zzz")


def test_a_long_tool_loop_fits(check_history: Check) -> None:
    """The older results of the running turn give way, the last one stays."""
    pages = iter(range(100))
    one, client = agent(
        lambda _: read(next(pages)), chat_context_length=2500, max_output_tokens=200, context_buffer_tokens=50
    )
    result = Task(one, max_turns=15).run("read the book")
    assert result.stop_reason == "max_turns"
    check_history(client.requests[-1].messages)
    last = [message["content"] for message in client.requests[-1].messages if message["role"] == "tool"]
    assert len(last) == 14
    assert last[-1] == "page 13: " + "x" * 300
    assert len(last[0]) < 200


def test_what_cannot_fit_ends_the_run_and_changes_nothing() -> None:
    """The numbers and the ways out are in the error."""
    one, client = agent(["x"], chat_context_length=500, max_output_tokens=100)
    with pytest.raises(ContextOverflowError, match="raise chat_context_length"):
        one.llm_response("z" * 1000)
    assert one.history == ()
    assert client.requests == []
    result = Task(one).run("z" * 1000)
    assert result.stop_reason == "context_overflow"
    assert isinstance(result.failure, ContextOverflowError)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_server_that_names_its_window_is_asked_again(is_async: bool) -> None:
    """The length was not known before; from then on it is."""
    refusal = ContextLengthError("at most 2000", context_length=2000)
    lines = iter(["a" * 900, "b" * 900, refusal, "c", "d"])
    one, client = agent(lambda _: next(lines), max_output_tokens=200, context_buffer_tokens=20)
    for text in ("1", "2", "3", "4"):
        reply = asyncio.run(one.llm_response_async(text)) if is_async else one.llm_response(text)
    assert reply.text == "d"
    sizes = [size(request.messages) for request in client.requests]
    assert sizes[2] > 1800
    assert sizes[3] + 64 <= 2000
    assert sizes[4] + 64 <= 2000


def test_a_server_that_does_not_name_its_window_is_not_asked_again() -> None:
    """Nobody knows what would fit; and one that refuses what fits by its own count is given up."""
    one, client = agent([ContextLengthError("too long")])
    with pytest.raises(ContextLengthError):
        one.llm_response("go")
    one, client = agent(lambda _: ContextLengthError("too long", context_length=2000))
    with pytest.raises(ContextLengthError):
        one.llm_response("go")
    assert len(client.requests) == 3
    assert one.history == ()


def test_the_count_of_the_server_is_learned_from() -> None:
    """Where it counts more than we do, we count more from then on."""
    script = [ModelReply("a" * 300, usage=Usage(2000, 1))] + [ModelReply("b" * 300)] * 3
    one, client = agent(script, chat_context_length=3000, max_output_tokens=500)
    other, unlearned = agent([ModelReply("a" * 300)] * 4, chat_context_length=3000, max_output_tokens=500)
    for each in (one, other):
        for _ in range(4):
            each.llm_response("z" * 150)
    assert [request.max_tokens for request in unlearned.requests] == [500] * 4
    assert (client.requests[-1].max_tokens or 0) < 500


def test_the_opening_is_not_touched() -> None:
    """The system message and the examples of the tools come first in every request."""

    class Shown(ToolMessage, name="shown", examples=[("Show a pear.", {"what": "pear"})]):
        """Show something."""

        what: str

        def handle(self) -> str:
            return "shown"

    one, client = agent(
        lambda _: "y" * 200,
        chat_context_length=2000,
        max_output_tokens=100,
        context_overflow_fallback="drop_turns",
        use_tools=True,
        system_message="Be kind.",
    )
    one.enable_message(Shown)
    opening = one.messages
    for _ in range(8):
        one.llm_response("z" * 150)
    assert list(client.requests[-1].messages[: len(opening)]) == opening


@pytest.mark.parametrize(
    "wrong",
    [
        {"context_overflow_strategy": "cut"},
        {"context_overflow_fallback": 5},
        {"chat_context_length": 0},
        {"min_output_tokens": 0},
        {"context_buffer_tokens": -1},
        {"token_counter": "gpt-4o"},
        {"token_counter": Utf8Counter},
        {"dialect": "latin"},
        {"approve": "yes"},
        {"handle_llm_no_tool": 5},
        {"max_result_tokens": 0},
    ],
)
def test_settings_that_cannot_be_used_are_told(wrong: dict[str, Any]) -> None:
    """With the name of the field."""
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        ChatAgentConfig(llm=ScriptedClient([]), **wrong)
