from __future__ import annotations

import dataclasses
from typing import assert_type, get_args

import pytest

from toolmend.toolkit import (
    CallError,
    ErrorKind,
    ModelRetry,
    ParseResult,
    ToolCall,
    ToolCallError,
    ToolFailed,
    ToolMessage,
    ToolResult,
)


class Look(ToolMessage, name="look"):
    at: str


CALL: ToolCall[Look] = ToolCall("look", {"at": "x"}, Look(at="x"), id="c")
ERROR = CallError("invalid_arguments", "no /at", tool="look", id="e")


def test_items_are_calls_and_errors_in_order() -> None:
    """Each can be had apart."""
    result = ParseResult((CALL, ERROR, CALL), "words")
    assert (result.calls, result.errors) == ((CALL, CALL), (ERROR,))


def test_calls_of_one_class_are_typed() -> None:
    """Those of other classes are left out."""
    [call] = ParseResult((CALL, ToolCall("other", {}, {}))).of(Look)
    assert_type(call, ToolCall[Look])
    assert call.message.at == "x"


def test_errors_can_be_raised() -> None:
    """All of them as one exception, with the texts for the model."""
    ParseResult((CALL,)).raise_for_errors()
    with pytest.raises(ToolCallError, match="no /at") as caught:
        ParseResult((ERROR, CALL, ERROR)).raise_for_errors()
    assert caught.value.errors == (ERROR, ERROR)


@pytest.mark.parametrize(
    ("result", "ok", "retry"),
    [
        (ToolResult(CALL, 1, "1"), True, False),
        (ToolResult(ERROR, text="no", error=ERROR), False, True),
        (ToolResult(CALL, text="again", error=ModelRetry("again")), False, True),
        (ToolResult(CALL, text="no", error=ToolFailed("no")), False, False),
        (ToolResult(CALL, text="no", error=ValueError("no")), False, False),
    ],
)
def test_a_result_tells_whether_to_try_again(result: ToolResult, ok: bool, retry: bool) -> None:
    """A faulty call, or a handler that asks for another one."""
    assert (result.ok, result.retry, result.name) == (ok, retry, "look")
    assert result.id == result.call.id


@pytest.mark.parametrize("outcome", [ERROR, ToolResult(CALL)])
def test_what_is_told_cannot_be_changed(outcome: object) -> None:
    """What was told is told."""
    field = dataclasses.fields(outcome)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(outcome, field, None)


def test_the_docstring_lists_every_kind_of_error() -> None:
    """Who handles errors by kind finds all of them where the attribute is described."""
    for kind in get_args(ErrorKind):
        assert f"`{kind}`" in (CallError.__doc__ or "")
