"""The signature of a function as the parameters of a tool: names, types, defaults, meanings."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import sys
import types
from collections.abc import Callable
from typing import Annotated, Any, Final, NotRequired, Required, cast, get_type_hints

from pydantic import ConfigDict, TypeAdapter
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined, to_jsonable_python
from typing_extensions import TypedDict

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.errors import ToolDefinitionError
from toolmend.toolkit.model_schema import MISTAKES, definition_error

if sys.version_info >= (3, 14):
    import annotationlib

__all__ = ("adapter_of", "default_of", "details_of", "docstring_of", "parameters_of_function")

_TypedDict: Final = cast("Any", TypedDict)  # built of keys that are known at run time only
_UNRESOLVED: Final[dict[str, Any]] = {}
if sys.version_info >= (3, 14):  # annotations are evaluated there when they are asked for
    _UNRESOLVED["annotation_format"] = annotationlib.Format.FORWARDREF
_OPEN_ENDED: Final[dict[object, str]] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}


def adapter_of(
    function: Callable[..., object], parameters: dict[str, inspect.Parameter], name: str
) -> TypeAdapter[dict[str, Any]]:
    """The adapter of a typed dict with the parameters as keys: a key may have any name, a field may not.

    Args:
        function: the function.
        parameters: its parameters.
        name: name of the tool.

    Raises:
        ToolDefinitionError: if a type is not known, or JSON cannot hold it.
    """
    kinds = _hints(function, name)
    shape = _TypedDict(name, {key: _member(field, kinds.get(key, Any)) for key, field in parameters.items()})
    shape.__pydantic_config__ = ConfigDict(extra="forbid")
    try:
        return TypeAdapter(shape)
    except MISTAKES as error:
        raise definition_error(error, name) from error


def parameters_of_function(function: Callable[..., object], name: str) -> dict[str, inspect.Parameter]:
    """The parameters of a function, by name.

    Args:
        function: the function.
        name: name of the tool.

    Raises:
        ToolDefinitionError: if they are not known, or one stands for any number of arguments.
    """
    try:
        found = dict(inspect.signature(function, **_UNRESOLVED).parameters)
    except (NameError, TypeError, ValueError) as error:
        raise ToolDefinitionError(f"its parameters are not known: {error}", tool=name) from error
    own_name = getattr(function, "__qualname__", "").rpartition("<locals>.")[2]
    if next(iter(found), None) == "self" and "." in own_name:  # a function may call a parameter so
        hint = "give the method of an instance, as in `Thing().look`, not of its class"
        raise ToolDefinitionError("its parameter `self` would be filled by the model", tool=name, hint=hint)
    for key, parameter in found.items():
        if stars := _OPEN_ENDED.get(parameter.kind):
            hint = "name each parameter, or take one parameter that is a list or dict"
            raise ToolDefinitionError(f"`{stars}{key}` would let the model pass anything", tool=name, hint=hint)
    return found


def _hints(function: Callable[..., object], name: str) -> dict[str, Any]:
    """The types of the parameters; the return type is nobody's business here, and may be unknown."""
    code = function.func if isinstance(function, functools.partial) else function
    code = inspect.unwrap(code)
    if not isinstance(code, (types.FunctionType, types.MethodType)):
        code = type(code).__call__
    code = getattr(code, "__func__", code)
    try:
        if not isinstance(code, types.FunctionType):
            return get_type_hints(code, include_extras=True)
        bare = types.FunctionType(code.__code__, code.__globals__, closure=code.__closure__)
        bare.__annotations__ = {key: value for key, value in _annotations(code).items() if key != "return"}
        return get_type_hints(bare, include_extras=True)
    except (NameError, TypeError) as error:
        hint = "define it where the module is imported, not inside a function, nor for type checkers only"
        raise ToolDefinitionError(f"the type of a parameter is not known: {error}", tool=name, hint=hint) from error


def _annotations(code: types.FunctionType) -> dict[str, Any]:
    """The annotations as they are written; what is not known there stays a reference."""
    if sys.version_info >= (3, 14):
        return annotationlib.get_annotations(code, format=annotationlib.Format.FORWARDREF)
    return code.__annotations__


def _member(parameter: inspect.Parameter, kind: Any) -> Any:  # noqa: ANN401 - types are values here
    """The type of one key of the arguments."""
    if isinstance(parameter.default, FieldInfo):
        kind = Annotated[kind, _without_default(parameter.default)]
    return Required[kind] if default_of(parameter) is PydanticUndefined else NotRequired[kind]


def _without_default(field: FieldInfo) -> FieldInfo:
    """A field of which the default is left to the function."""
    bare = copy.copy(field)
    bare.default, bare.default_factory = PydanticUndefined, None
    return bare


def default_of(parameter: inspect.Parameter) -> Any:  # noqa: ANN401 - a default is any value
    """The default of a parameter, `PydanticUndefined` if it must be given.

    Args:
        parameter: the parameter; a `Field` as its default may hold the real one.
    """
    if isinstance(parameter.default, FieldInfo):
        return parameter.default.get_default(call_default_factory=True)
    return PydanticUndefined if parameter.default is inspect.Parameter.empty else parameter.default


def details_of(parameter: inspect.Parameter, meaning: str | None) -> dict[str, JsonValue]:
    """What the schema of a parameter should say, where it does not yet.

    Args:
        parameter: the parameter.
        meaning: what the docstring says of it.
    """
    details: dict[str, JsonValue] = {"description": meaning} if meaning else {}
    default = default_of(parameter)
    if default is not PydanticUndefined:
        # A sentinel of the function's own has no JSON, and the model need not know it.
        with contextlib.suppress(PydanticSerializationError):
            details["default"] = to_jsonable_python(default)
    return details


def docstring_of(function: Callable[..., object]) -> str | None:
    """The docstring of the function itself; an object that is called has that of its class.

    Args:
        function: the function, or what else can be called.
    """
    code = function.func if isinstance(function, functools.partial) else function
    return code.__doc__
