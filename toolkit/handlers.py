"""What runs a tool: looked at when it is declared, and given what it asks for when it is called.

A handler gets the message. Further parameters are given what there is beside it: the call itself, and what the caller
of the dispatch holds ready, an agent for one. A parameter asks for it by its annotation, or by its name.
"""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from toolmend.toolkit.errors import ToolDefinitionError, ToolUsageError
from toolmend.toolkit.message import ToolMessage

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ("check_handler", "check_own_handlers", "extras_of")

_NOTHING: Final = object()
_ASKED_BY_NAME: Final = frozenset({"agent", "call", "context"})
"""Names that need no annotation."""

_HINT: Final = (
    "it is called with one argument, the message; what else it wants, such as the agent or the call (a ToolCall), it "
    "asks for by annotation"
)
_NAMES: Final = re.compile(r"[A-Za-z_]\w*(?=\s*(?:$|[\[\]|,]))")


def check_handler(handler: object, tool: str, what: str = "its handler") -> None:
    """Refuse what cannot be called with the message and what there is beside it.

    Args:
        handler: what is to run the tool.
        tool: name of the tool.
        what: what it is, for the message.

    Raises:
        ToolDefinitionError: if it is no function, or wants other arguments.
    """
    if not callable(handler):
        raise ToolDefinitionError(f"{what} must be a function, got {handler!r:.60}", tool=tool, hint=_HINT)
    try:
        signature = inspect.signature(handler)
    except (NameError, TypeError, ValueError):  # of some nobody knows it
        return
    extras = {key: _NOTHING for key, one in _extras(signature).items() if _asks(one)}
    try:
        signature.bind(_NOTHING, **extras)
    except TypeError as error:
        raise ToolDefinitionError(f"{what} cannot be called: {error}", tool=tool, hint=_HINT) from error


def check_own_handlers(tool: type[BaseModel], name: str) -> None:
    """Refuse a method `handle` or `handle_async` that wants what there is not.

    Args:
        tool: the class of the tool; of one that is no `ToolMessage` such a method may be for something else.
        name: name of the tool.

    Raises:
        ToolDefinitionError: if it cannot be called so.
    """
    for own in ("handle", "handle_async"):
        method = getattr(tool, own, None)
        if issubclass(tool, ToolMessage) and callable(method):
            check_handler(method, name, f"its method `{own}`")


def extras_of(handler: Callable[..., object], available: Mapping[str, object], tool: str) -> dict[str, object]:
    """What a handler is called with beside the message.

    Args:
        handler: what runs the tool.
        available: what there is, under the names by which it can be asked for without an annotation.
        tool: name of the tool, for the message.

    Returns:
        The values by the names of the handler's parameters.

    Raises:
        ToolUsageError: if it asks for something that is not there.
    """
    if _takes_one(handler):
        return {}
    try:
        parameters = _extras(inspect.signature(handler))
    except (NameError, TypeError, ValueError):
        return {}
    found = {key: _find(parameter, available) for key, parameter in parameters.items()}
    for key, parameter in parameters.items():
        if found[key] is _NOTHING and parameter.default is parameter.empty:
            kinds = ", ".join(dict.fromkeys(type(value).__name__ for value in available.values()))
            raise ToolUsageError(f"the handler of {tool!r} asks for {key!r}, and there is only: {kinds}")
    return {key: value for key, value in found.items() if value is not _NOTHING}


def _takes_one(handler: Callable[..., object]) -> bool:
    """Whether a function takes the message alone, as nearly all do: then its signature need not be taken apart."""
    code = getattr(getattr(handler, "__func__", handler), "__code__", None)
    if code is None or hasattr(handler, "__wrapped__"):
        return False
    count: int = code.co_argcount + code.co_kwonlyargcount
    return count <= 1 + inspect.ismethod(handler)


def _extras(signature: inspect.Signature) -> dict[str, inspect.Parameter]:
    """The parameters after the first that can be given by name."""
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(signature.parameters.values())
    first = parameters[:1] if parameters and parameters[0].kind is not inspect.Parameter.KEYWORD_ONLY else []
    return {one.name: one for one in parameters[len(first) :] if one.kind in named}


def _asks(parameter: inspect.Parameter) -> bool:
    """Whether a parameter could be meant for something beside the message: nobody asks for a number."""
    annotation = parameter.annotation
    if annotation is parameter.empty:
        return parameter.name in _ASKED_BY_NAME
    return parameter.name in _ASKED_BY_NAME or not _class_names(annotation) <= _PLAIN


_PLAIN: Final = frozenset({"str", "int", "float", "bool", "bytes", "list", "dict", "tuple", "set", "None", "NoneType"})
"""Types of parameters of a tool, which are not to be had beside its message."""


def _find(parameter: inspect.Parameter, available: Mapping[str, object]) -> object:
    """What a parameter asks for, by its annotation or else by its name; a marker if it is not there."""
    wanted = _class_names(parameter.annotation) if parameter.annotation is not parameter.empty else frozenset()
    for value in available.values():
        if any(kind.__name__ in wanted for kind in type(value).__mro__[:-1]):
            return value
    return available.get(parameter.name, _NOTHING)


def _class_names(annotation: Any) -> frozenset[str]:  # noqa: ANN401 - whatever stands behind the colon
    """The names of the classes in an annotation, which is text where annotations are not evaluated."""
    if isinstance(annotation, str):
        return frozenset(_NAMES.findall(annotation))
    parts = typing.get_args(annotation)
    own = getattr(typing.get_origin(annotation) or annotation, "__name__", "")
    return frozenset({own} - {"", "Union", "UnionType", "Optional"}).union(*map(_class_names, parts))
