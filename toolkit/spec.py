"""One tool, compiled once: what the model is told of it, how its arguments are mended and validated, what runs it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias

from pydantic import BaseModel
from typing_extensions import TypeVar

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RuleMismatchError, SchemaError, ToolmendError
from toolmend.repairs.judge import Judge
from toolmend.repairs.policy import DEFAULT, RepairPolicy
from toolmend.repairs.problems import problem_of
from toolmend.repairs.record import JsonValue
from toolmend.repairs.schema import SchemaNode, compile_schema
from toolmend.toolkit.agreement import agrees
from toolmend.toolkit.docstrings import read_docstring
from toolmend.toolkit.errors import ToolDefinitionError
from toolmend.toolkit.handlers import check_handler, check_own_handlers
from toolmend.toolkit.message import Example, ToolOptions, check_name, options_of, own_docstring
from toolmend.toolkit.model_schema import core_schema_of, has_other_names, parameters_of
from toolmend.toolkit.validation import ArgumentsError, ClassJudge, ClassValidator, DictValidator, Validator

if TYPE_CHECKING:
    from pydantic import TypeAdapter

__all__ = ("Handler", "ToolKind", "ToolSpec", "compile_adapter", "compile_class", "compile_raw")

M = TypeVar("M", default=Any)

ToolKind: TypeAlias = Literal["class", "function", "schema"]
Handler: TypeAlias = Callable[..., object]
"""Runs a call: it gets the message, and what it asks for beside it, and returns a value or an awaitable."""

_NO_PARAMETERS: Final[Mapping[str, JsonValue]] = {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True, eq=False)
class ToolSpec(Generic[M]):
    """A tool, compiled once; immutable, so that threads may share it.

    Attributes:
        name: the name that the model calls it by.
        description: what the model is told of it.
        parameters: the JSON Schema of its arguments; it is not to be changed.
        mender: mends arguments until they fit that schema.
        validator: makes what the handler gets.
        kind: what it was declared as.
        options: what it states beside its parameters.
        handler: runs it; None if the message's own method, or someone else, does.
        source: the class that it was declared as.
        decider: the validator, if all that it takes is known to fit the schema: then it can be asked first and alone.
    """

    name: str
    description: str
    parameters: Mapping[str, JsonValue]
    mender: Mender
    validator: Validator[M]
    kind: ToolKind
    options: ToolOptions = field(default_factory=ToolOptions)
    handler: Handler | None = None
    source: type[BaseModel] | None = None
    decider: ClassValidator[M] | None = None

    @property
    def node(self) -> SchemaNode:
        """The compiled schema of the arguments."""
        return self.mender.schema

    @property
    def examples(self) -> tuple[Example, ...]:
        """Right calls of the tool."""
        return self.options.examples or ()

    def handled_by(self, handler: Handler) -> ToolSpec[M]:
        """The same tool with a handler.

        Args:
            handler: runs it.

        Raises:
            ToolDefinitionError: if it cannot be called with one argument.
        """
        check_handler(handler, self.name)
        return replace(self, handler=handler)


def compile_class(tool: type[BaseModel], policy: RepairPolicy = DEFAULT) -> ToolSpec:
    """Compile a tool from its class.

    Args:
        tool: a `ToolMessage`, or any class of pydantic.
        policy: which repairs are allowed, unless the tool says so itself.

    Raises:
        ToolDefinitionError: if the tool is defined wrongly.
    """
    given: object = tool
    if not (isinstance(given, type) and issubclass(given, BaseModel)):
        hint = "give a class of pydantic, with a field for each value"
        raise ToolDefinitionError(f"{given!r:.80} is no tool", hint=hint)
    meanings = read_docstring(own_docstring(tool)).parameters
    details = {key: {"description": meaning} for key, meaning in meanings.items()}
    options = options_of(tool)
    check_own_handlers(tool, options.name or "")
    return _compile_typed(tool, options, policy, kind="class", source=tool, details=details)


def compile_adapter(
    adapter: TypeAdapter[Any],
    options: ToolOptions,
    policy: RepairPolicy = DEFAULT,
    *,
    handler: Handler,
    details: Mapping[str, Mapping[str, JsonValue]],
) -> ToolSpec:
    """Compile a tool from the adapter of a typed dict, as a function's parameters make one.

    Args:
        adapter: the adapter.
        options: name, description and the rest.
        policy: which repairs are allowed, unless the options say so.
        handler: runs it.
        details: keywords to be added to the schema of a parameter that lacks them, by its name.

    Raises:
        ToolDefinitionError: if the tool is defined wrongly.
    """
    return _compile_typed(adapter, options, policy, kind="function", handler=handler, details=details)


def compile_raw(
    parameters: Mapping[str, JsonValue] | None,
    options: ToolOptions,
    policy: RepairPolicy = DEFAULT,
    *,
    handler: Handler | None = None,
) -> ToolSpec[dict[str, JsonValue]]:
    """Compile a tool from a JSON Schema.

    Args:
        parameters: the schema of the arguments; None or empty if there are none.
        options: name, description and the rest.
        policy: which repairs are allowed, unless the options say so.
        handler: runs it; it gets the arguments as one dict.

    Raises:
        ToolDefinitionError: if the tool is defined wrongly.
    """
    name = check_name(options.name, str(options.name))
    if handler is not None:
        check_handler(handler, name)
    if parameters is not None and not isinstance(parameters, Mapping):
        raise ToolDefinitionError(f"its parameters must be a JSON Schema, got {parameters!r:.60}", tool=name)
    schema: dict[str, JsonValue] = copy.deepcopy(dict(parameters or _NO_PARAMETERS))
    if not schema.keys() & {"type", "$ref", "anyOf", "oneOf", "allOf"}:
        schema["type"] = "object"
    mender = _mender(schema, options, policy, name)
    spec: ToolSpec[dict[str, JsonValue]] = ToolSpec(
        name, options.description or "", schema, mender, DictValidator(), "schema", options, handler
    )
    _check_examples(spec)
    return spec


def _compile_typed(
    kind_of: type[BaseModel] | TypeAdapter[Any],
    options: ToolOptions,
    policy: RepairPolicy,
    *,
    kind: ToolKind,
    handler: Handler | None = None,
    source: type[BaseModel] | None = None,
    details: Mapping[str, Mapping[str, JsonValue]] | None = None,
) -> ToolSpec:
    name = check_name(options.name, str(options.name))
    schema = parameters_of(kind_of, name)
    for key, more in (details or {}).items():
        member = schema["properties"].get(key)
        if isinstance(member, dict):
            schema["properties"][key] = {**more, **member}
    validator = ClassValidator[Any](kind_of)
    depth = (options.policy or policy).limits.depth
    if has_other_names(kind_of):  # an unknown key may be a field's own name, which the schema does not tell
        policy = (options.policy or policy).denying("lone-key", "key-slip")
        options = replace(options, policy=policy)
    mender = _mender(schema, options, policy, name, lambda node: ClassJudge(node, kind_of, validator, depth=depth))
    spec: ToolSpec = ToolSpec(
        name,
        options.description or "",
        schema,
        mender,
        validator,
        kind,
        options,
        handler,
        source,
        decider=validator if agrees(core_schema_of(kind_of), mender.schema, depth) else None,
    )
    _check_examples(spec)
    return spec


def _mender(
    schema: Mapping[str, JsonValue],
    options: ToolOptions,
    policy: RepairPolicy,
    name: str,
    judge: Callable[[SchemaNode], Judge] | None = None,
) -> Mender:
    """The mender of a tool; what does not fit together is the user's mistake."""
    try:
        node = compile_schema(schema)
        if node.types != {"object"}:
            kinds = ", ".join(sorted(node.types)) or "nothing"
            hint = 'wrap it: {"type": "object", "properties": {"value": ...}, "required": ["value"]}'
            raise ToolDefinitionError(
                f"its parameters must be an object, the schema says {kinds}", tool=name, hint=hint
            )
        own = judge(node) if judge is not None else None
        return Mender(node, rules=options.repairs, policy=options.policy or policy, name=name, judge=own)
    except RuleMismatchError as error:
        raise ToolDefinitionError(f"a repair rule does not fit its parameters: {error}", tool=name) from error
    except SchemaError as error:
        raise ToolDefinitionError(f"its parameters are no JSON Schema that can be used: {error}", tool=name) from error


def _check_examples(spec: ToolSpec) -> None:
    """Refuse an example that is no valid call as it stands."""
    for number, example in enumerate(spec.examples, start=1):
        fault = _fault(spec, dict(example.arguments))
        if fault:
            hint = "an example must be valid as it stands, nothing in it is mended"
            raise ToolDefinitionError(f"example {number} is no valid call: {fault}", tool=spec.name, hint=hint)


def _fault(spec: ToolSpec, arguments: dict[str, JsonValue]) -> str:
    """What is wrong with arguments that must be right; nothing if they are."""
    try:
        if violations := spec.mender.check(arguments):
            return str(problem_of(violations[0]))
        spec.validator(arguments)
    except (ArgumentsError, ToolmendError) as error:
        return str(error)
    return ""
