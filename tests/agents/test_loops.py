from __future__ import annotations

import pytest

from toolmend.agents.loops import LoopDetector
from toolmend.toolkit.outcome import CallError, ErrorKind, ToolCall, ToolResult


def good(number: int = 1, text: str = "fine", name: str = "f") -> ToolResult:
    """A call that ran."""
    return ToolResult(ToolCall(name, {"number": number}, None), value=text, text=text)


def bad(kind: ErrorKind = "invalid_arguments", tool: str = "f", message: str = "no") -> ToolResult:
    """A faulty call."""
    call = CallError(kind, message, tool=tool)
    return ToolResult(call, text=message, error=call)


def turns_until_end(*turns: list[ToolResult], repeats: int = 2) -> int:
    """In which turn a circle is seen, where the turns are repeated; 0 if it is not."""
    detector = LoopDetector(repeats)
    ends = (number for number in range(1, 60) if detector.book(turns[(number - 1) % len(turns)]))
    return next(ends, 0)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_a_circle_of_a_few_turns_is_seen(length: int) -> None:
    """Once it has come again as often as it may."""
    assert turns_until_end(*([good(number)] for number in range(length))) == 3 * length


def test_a_longer_circle_is_not() -> None:
    """It is left to the bound on turns."""
    assert turns_until_end(*([good(number)] for number in range(6))) == 0


def test_what_changes_is_no_circle() -> None:
    """Be it the arguments, or what the tool gives for the same ones."""
    detector = LoopDetector(1)
    assert [detector.book([good(number)]) for number in range(50)] == [None] * 50
    detector = LoopDetector(1)
    assert [detector.book([good(1, str(number))]) for number in range(50)] == [None] * 50


def test_a_faulty_call_is_the_same_whatever_its_values() -> None:
    """The tool and the kind of fault count; of an invented name not even that counts."""
    assert turns_until_end([bad(message="got 'a'")], [bad(message="got 'b'")]) == 3
    assert turns_until_end([bad("unknown_tool", "g")], [bad("unknown_tool", "h")]) == 3
    assert turns_until_end([bad("not_json")], [bad("cut_off")]) == 6


def test_good_and_bad_in_turn_are_a_circle() -> None:
    """Also where several calls are made at once."""
    assert turns_until_end([good()], [bad()]) == 6
    assert turns_until_end([good(), bad()], [bad(), good()]) == 6


def test_what_comes_again_is_told() -> None:
    """Who reads why a run ended knows where to look."""
    detector = LoopDetector(1)
    assert [detector.book([good(), bad(tool="g")]) for _ in range(2)] == [
        None,
        "the same turn 2 times in a row, at the end a call of f, g",
    ]
    detector = LoopDetector(1)
    told = [detector.book([good(number)]) for number in (1, 2, 1, 2)]
    assert told == [None, None, None, "the same 2 turns 2 times in a row, at the end a call of f"]
