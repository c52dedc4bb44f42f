from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, Task
from toolmend.agents.result_limits import limited
from toolmend.agents.tokens import TokenCounter, Utf8Counter, counter_for
from toolmend.toolkit import ToolMessage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]

BYTES = Utf8Counter()


class HeadOnly:
    """A counter of one's own, with no more than it must have: words."""

    def count(self, text: str, /) -> int:
        return len(text.split())

    def head(self, text: str, tokens: int, /) -> str:
        return " ".join(text.split()[:tokens])


class Read(ToolMessage, name="read", max_result_tokens=120, max_retained_tokens=70):
    """Read a file."""

    def handle(self) -> str:
        return "begin" + "." * 5000 + "end"


class List(ToolMessage, name="list"):
    """List files."""

    def handle(self) -> str:
        return "first" + "," * 5000 + "last"


@given(st.text(max_size=300), st.integers(1, 200))
def test_a_text_is_never_longer_than_it_may_be(text: str, tokens: int) -> None:
    """And one that is short enough stays as it is."""
    given_text = text.encode("utf-8", "replace").decode()
    result = limited(given_text, tokens, BYTES)
    assert BYTES.count(result) <= tokens
    assert (result == given_text) is (BYTES.count(given_text) <= tokens)


@pytest.mark.parametrize("tokens", [20, 40, 200])
def test_real_tokens_are_counted(tokens: int) -> None:
    """The limit holds for the vocabulary of the model."""
    counter = counter_for("gpt-4o")
    text = " ".join(f"line {number}: häßlich \U0001f600" for number in range(500))
    result = limited(text, tokens, counter)
    assert counter.count(result) <= tokens
    assert result.startswith("line 0")
    assert result.endswith("499: häßlich \U0001f600") or tokens == 20
    assert "�" not in result


def test_beginning_and_end_are_kept_and_the_gap_is_told() -> None:
    """Errors and totals stand at the end."""
    result = limited("a" * 700 + "b" * 300, 200, BYTES)
    note = re.search(r"\n\.\.\. \[(\d+) of 1000 tokens of this result left out\] \.\.\.\n", result)
    assert note is not None
    head, tail = result[: note.start()], result[note.end() :]
    assert set(head) == {"a"}
    assert set(tail) == {"b"}
    assert len(head) > len(tail)
    assert int(note[1]) == 1000 - len(head) - len(tail)


def test_a_limit_that_has_no_room_for_the_note_leaves_the_beginning() -> None:
    """It is a limit all the same."""
    assert limited("a" * 100, 7, BYTES) == "a" * 7


def test_a_counter_that_knows_no_ends_keeps_the_beginning() -> None:
    """The protocol of counters asks for no more."""
    counter: TokenCounter = HeadOnly()
    result = limited("word " * 100, 40, counter)
    assert result.startswith("word word")
    assert result.rstrip().endswith("...")


def test_no_limit_changes_nothing() -> None:
    """However long it is."""
    assert limited("x" * 10_000, None, BYTES) == "x" * 10_000


@pytest.mark.parametrize("mode", ["use_tools", "use_functions_api", "use_tools_api"])
def test_results_are_cut_when_they_come_and_again_once_they_were_answered(mode: str, check_history: Check) -> None:
    """Each tool has its own limits, and the settings those of the others."""
    chosen: dict[str, Any] = {mode: True}
    ids = (None, None) if mode == "use_functions_api" else ("c1", "c2")
    native = ModelReply("", tuple(RawCall(name, "{}", at) for name, at in zip(("read", "list"), ids, strict=True)))
    written = ModelReply('{"name": "read", "arguments": {}}\n{"name": "list", "arguments": {}}')
    client = ScriptedClient([written if mode == "use_tools" else native, "I see.", "Yes."])
    settings = ChatAgentConfig(
        llm=client, token_counter=BYTES, max_result_tokens=200, max_retained_tokens=100, **chosen
    )
    one = ChatAgent(settings, [Read, List])
    assert Task(one).run("go").ok
    Task(one).run("sure?")
    at_once, later = (
        "".join(str(message["content"]) for message in request.messages[2:-1] if message["role"] != "system")
        for request in (replace(client.requests[1], messages=(*client.requests[1].messages, {})), client.requests[2])
    )
    for said in (at_once, later):  # each cut tells of the whole
        assert (
            len(re.findall(r"begin\.+\n\.\.\. \[\d+ of 5008 tokens of this result left out\] \.\.\.\n\.+end", said))
            == 1
        )
        assert (
            len(re.findall(r"first,+\n\.\.\. \[\d+ of 5009 tokens of this result left out\] \.\.\.\n,+last", said)) == 1
        )
    assert [at_once.count(sign) > later.count(sign) for sign in ".,"] == [True, True]
    check_history(one.messages)


def test_faults_are_not_cut() -> None:
    """A model that is told half of what is wrong makes the same fault again."""
    settings = ChatAgentConfig(llm=ScriptedClient([]), token_counter=BYTES, max_result_tokens=10)
    answer = ChatAgent(settings, [Read]).agent_response(ModelReply("", (RawCall("read", '{"x": 1}', "c1"),)))
    assert answer is not None
    assert answer.text.endswith("arguments of this form: {}")
