"""What the tests of agents share: a judge of histories as strict as the API itself."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest

from toolmend.agents.tokens import TokenCounter
from toolmend.repairs.record import JsonValue

Message: TypeAlias = dict[str, JsonValue]
Check: TypeAlias = Callable[[Sequence[Message]], None]


def _check_function(function: Message) -> None:
    """A call's name and arguments must be such that any server takes them back."""
    assert re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", function["name"])
    arguments = json.loads(function["arguments"], parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert isinstance(arguments, dict)


def _check_history(messages: Sequence[Message]) -> None:
    """Refuse what the API refuses: orphaned, unanswered or doubled calls, broken arguments, empty messages."""
    waiting: list[str] = []
    seen: set[str] = set()
    function: str | None = None
    for message in messages:
        role = message["role"]
        if role == "tool":
            assert message["tool_call_id"] in waiting, f"{message} answers no call"
            waiting.remove(message["tool_call_id"])
        else:
            assert waiting == [], f"unanswered before {message}"
        if role == "function":
            assert message["name"] == function
            function = None
        else:
            assert function is None, f"unanswered function call before {message}"
        calls = message.get("tool_calls", [])
        assert calls != [] or "tool_calls" not in message
        for call in calls:
            assert call["type"] == "function"
            assert call["id"]
            assert call["id"] not in seen
            seen.add(call["id"])
            waiting.append(call["id"])
            _check_function(call["function"])
        if "function_call" in message:
            _check_function(message["function_call"])
            function = message["function_call"]["name"]
        if not calls and "function_call" not in message:
            assert isinstance(message["content"], str)
        assert role in {"system", "user", "assistant", "tool", "function"}
    assert waiting == []
    assert function is None
    json.dumps(list(messages)).encode()


@pytest.fixture(scope="session")
def check_history() -> Check:
    """Fails unless a history is one that the API takes."""
    return _check_history


class Letters:
    """A tokenizer with a token for each character, so that sizes can be told at a glance."""

    def count(self, text: str, /) -> int:
        return len(text)

    def head(self, text: str, tokens: int, /) -> str:
        return text[: max(tokens, 0)]


@pytest.fixture(scope="session")
def letters() -> TokenCounter:
    """Counts characters."""
    return Letters()
