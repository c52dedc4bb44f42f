"""Tools from functions: the parameters are those of the function, what they mean is read from its docstring."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, overload

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from toolmend.repairs.policy import DEFAULT, PolicyLike, RepairPolicy
from toolmend.toolkit.docstrings import read_docstring
from toolmend.toolkit.errors import ToolDefinitionError
from toolmend.toolkit.message import ExampleLike, ToolOptions, check_name, read_examples, read_rules
from toolmend.toolkit.signature import adapter_of, default_of, details_of, docstring_of, parameters_of_function
from toolmend.toolkit.spec import ToolSpec, compile_adapter, compile_class

if TYPE_CHECKING:
    from toolmend.repairs.rule import RepairRule
    from toolmend.toolkit.spec import Handler

__all__ = ("ToolLike", "compile_function", "compile_tool", "function_options", "tool")

ToolLike: TypeAlias = "type[BaseModel] | ToolSpec | Callable[..., object]"
"""What can be added: the class of a tool, a function, or a compiled tool."""

F = TypeVar("F", bound=Callable[..., object])

_OPTIONS: Final = "__tool_options__"


@overload
def tool(function: F, /) -> F: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    repairs: Sequence[RepairRule] = (),
    examples: Iterable[ExampleLike] = (),
    policy: PolicyLike | None = None,
    timeout: float | None = None,
    sequential: bool = False,
    max_result_tokens: int | None = None,
    max_retained_tokens: int | None = None,
) -> Callable[[F], F]: ...
def tool(function: F | None = None, /, **stated: Any) -> F | Callable[[F], F]:
    """Make a function a tool. It stays the function that it is, and can be added to a registry or an agent.

    Its parameters become those of the tool, its docstring the description. A parameter with a default may be left out;
    `Annotated[int, Field(ge=1, description=...)]` says more of one than its type does. Used bare, or with keywords:

        @tool(name="search", timeout=10)
        def search_web(query: str, limit: int = 5) -> list[str]: ...

    Args:
        function: the function, if the decorator is used bare.
        stated: what the tool states beside its parameters, as in `ToolOptions`; without a name it has the function's,
            without a description what its docstring says.

    Raises:
        ToolDefinitionError: if its name cannot be the name of a tool.
    """
    if function is None:
        return functools.partial(_mark, stated=stated)
    return _mark(function, stated)


def function_options(function: Callable[..., object], **stated: Any) -> ToolOptions:  # noqa: ANN401 - each option has a type of its own
    """What a function states of itself as a tool, with what is stated beside it.

    Args:
        function: the function.
        stated: fields of `ToolOptions`; they come before what `@tool` stated.

    Raises:
        ToolDefinitionError: if it has no name that could be a tool's, or an example is none.
    """
    marked: dict[str, Any] = getattr(function, _OPTIONS, {})
    given = {**marked, **{key: value for key, value in stated.items() if value is not None}}
    own_name = getattr(function, "__name__", type(function).__name__)
    name = check_name(given.pop("name", None) or own_name, own_name)
    description = given.pop("description", None)
    if description is None:
        description = read_docstring(docstring_of(function)).text
    rules = read_rules(given.pop("repairs", ()), name)
    examples = read_examples(given.pop("examples", ()), name)
    try:
        return ToolOptions(name=name, description=description, repairs=rules, examples=examples, **given)
    except TypeError as error:
        hint = f"there are {', '.join(ToolOptions.__dataclass_fields__)}"
        raise ToolDefinitionError(f"no keyword {', '.join(given)} is known", tool=name, hint=hint) from error


def compile_function(function: Callable[..., object], options: ToolOptions, policy: RepairPolicy = DEFAULT) -> ToolSpec:
    """Compile a tool from a function.

    Args:
        function: a function, a bound method, or any object that can be called; sync or async.
        options: what the tool states beside its parameters.
        policy: which repairs are allowed, unless the tool says so itself.

    Raises:
        ToolDefinitionError: if a parameter cannot be one of a tool.
    """
    name = options.name or ""
    parameters = parameters_of_function(function, name)
    adapter = adapter_of(function, parameters, name)
    meanings = read_docstring(docstring_of(function)).parameters
    details = {key: details_of(parameter, meanings.get(key)) for key, parameter in parameters.items()}
    return compile_adapter(adapter, options, policy, handler=_caller(function, parameters), details=details)


def compile_tool(tool: ToolLike, policy: RepairPolicy = DEFAULT) -> ToolSpec:
    """Compile whatever can be a tool.

    Args:
        tool: its class, a function, or a tool that is compiled already.
        policy: which repairs are allowed if it does not say so itself.

    Raises:
        ToolDefinitionError: if it is no tool, or is defined wrongly.
    """
    if isinstance(tool, ToolSpec):
        return tool
    if isinstance(tool, type) and issubclass(tool, BaseModel):
        return compile_class(tool, policy)
    if isinstance(tool, type) or not callable(tool):
        raise ToolDefinitionError(f"{tool!r:.80} is no tool", hint="add a ToolMessage, a function, or use add_schema")
    return compile_function(tool, function_options(tool), policy)


def _mark(function: F, stated: Mapping[str, Any]) -> F:
    if isinstance(function, type) or not callable(function):
        hint = "a class is a tool as a ToolMessage, without a decorator"
        raise ToolDefinitionError(f"{function!r:.80} is no function", hint=hint)
    function_options(function, **stated)  # refuses what can be refused already
    setattr(function, _OPTIONS, dict(stated))
    return function


def _caller(function: Callable[..., Any], parameters: Mapping[str, inspect.Parameter]) -> Handler:
    """A handler that calls the function with the arguments, as it wants them."""
    positional = [key for key, parameter in parameters.items() if parameter.kind is inspect.Parameter.POSITIONAL_ONLY]
    declared = {key: field for key, field in parameters.items() if isinstance(field.default, FieldInfo)}

    def bound(message: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        given = {**{key: default_of(field) for key, field in declared.items() if key not in message}, **message}
        before = [given.pop(key, default_of(parameters[key])) for key in positional]
        return before, given

    def call(message: Mapping[str, Any]) -> object:
        before, given = bound(message)
        return function(*before, **given)

    async def call_async(message: Mapping[str, Any]) -> object:
        before, given = bound(message)
        return await function(*before, **given)

    entry = (
        function if inspect.isroutine(function) or isinstance(function, functools.partial) else type(function).__call__
    )
    return call_async if inspect.iscoroutinefunction(entry) else call
