"""What the tests of agents share: a judge of histories as strict as the API itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from strictness import chat_complaint

from toolmend.repairs.record import JsonValue

Message: TypeAlias = dict[str, JsonValue]
Check: TypeAlias = Callable[[Sequence[Message]], None]


def _check_history(messages: Sequence[Message]) -> None:
    """Refuse what the API refuses: orphaned, unanswered or doubled calls, broken arguments, empty messages."""
    body = {"model": "m", "messages": json.loads(json.dumps(list(messages), ensure_ascii=False).encode())}
    assert not messages or chat_complaint(body) is None
    for message in messages:
        functions = [call["function"] for call in message.get("tool_calls", ())] + [message.get("function_call")]
        for function in functions:
            if function is not None:
                json.loads(function["arguments"], parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


@pytest.fixture(scope="session")
def check_history() -> Check:
    """Fails unless a history is one that the API takes."""
    return _check_history
