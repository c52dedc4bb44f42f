from __future__ import annotations

import inspect

import pytest

from toolmend.toolkit import errors
from toolmend.toolkit.errors import (
    MissingHandlerError,
    ModelRetry,
    ToolDefinitionError,
    ToolFailed,
    ToolmendError,
    ToolSignal,
)

CLASSES = [getattr(errors, name) for name in errors.__all__]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_errors_have_one_root_and_signals_another(kind: type[Exception]) -> None:
    """A signal of a handler is no error of the library."""
    assert issubclass(kind, ToolmendError) is not issubclass(kind, ToolSignal)


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    """Each class stands in it."""
    tree = inspect.getdoc(errors) or ""
    assert [kind.__name__ for kind in CLASSES if kind.__name__ not in tree] == []


def test_a_definition_error_says_where_and_how_to_mend_it() -> None:
    """Both are data, too."""
    error = ToolDefinitionError("it is wrong", tool="fill", hint="make it right")
    assert (str(error), error.tool, error.hint) == ("tool fill: it is wrong; make it right", "fill", "make it right")
    assert str(ToolDefinitionError("it is wrong")) == "it is wrong"


def test_a_missing_handler_error_tells_the_ways_to_give_one() -> None:
    """Three of them."""
    text = str(MissingHandlerError("fill"))
    assert all(way in text for way in ("`handle`", "`registry.handler`", "handlers={'fill': ...}"))


@pytest.mark.parametrize("kind", [ModelRetry, ToolFailed])
def test_signals_carry_the_text_for_the_model(kind: type[ToolSignal]) -> None:
    """It is their message."""
    assert (kind("again").message, str(kind("again"))) == ("again", "again")
