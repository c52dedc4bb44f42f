from __future__ import annotations

import inspect
import re

import pytest

from toolmend.agents import errors
from toolmend.agents.errors import ConfigError, MissingExtraError, ToolmendError

CLASSES = [one for name in errors.__all__ if isinstance(one := getattr(errors, name), type)]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_error_has_the_one_root(kind: type) -> None:
    """Who catches `ToolmendError` misses none."""
    assert issubclass(kind, ToolmendError)


def test_the_tree_is_drawn_as_it_is() -> None:
    """The drawing at the top of the module shows each class below its base."""
    drawn = [
        (len(match[1]), match[2])
        for line in inspect.getdoc(errors).splitlines()  # type: ignore[union-attr]  # it has one
        if (match := re.match(r"^((?:│   |    |├── |└── )*)(\w+)  ", line))
    ]
    stack: list[str] = []
    bases = {}
    for indent, name in drawn:
        del stack[indent // 4 :]
        bases[name] = stack[-1] if stack else "Exception"
        stack.append(name)
    assert bases == {kind.__name__: kind.__bases__[0].__name__ for kind in CLASSES}


def test_a_missing_extra_says_how_to_install_it() -> None:
    """The package and the extra are data, too."""
    error = MissingExtraError("xllamacpp", extra="local")
    assert str(error) == "xllamacpp is not installed: pip install 'toolmend[local]'"
    assert (error.package, error.extra) == ("xllamacpp", "local")


def test_a_config_error_keeps_the_fields() -> None:
    """Programs need not read the message."""
    assert ConfigError("x", fields=("a", "b")).fields == ("a", "b")
