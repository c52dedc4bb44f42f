"""The JSON Schema of a pydantic class or type, as the model sees it and as its arguments are judged."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, PydanticUserError, RootModel, TypeAdapter
from pydantic.errors import PydanticSchemaGenerationError, PydanticUndefinedAnnotation
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.errors import ToolDefinitionError

__all__ = (
    "MISTAKES",
    "core_schema_of",
    "definition_error",
    "has_other_names",
    "makes_decimals",
    "parameters_of",
    "reads_more",
    "states_extra",
    "subschemas",
    "without_titles",
)

MISTAKES: Final = (PydanticUserError, PydanticSchemaGenerationError, PydanticUndefinedAnnotation, NameError)
"""What pydantic raises for a type that it cannot use."""

_OWN_VALIDATORS: Final = frozenset({"function-before", "function-wrap", "function-plain"})

# Keywords whose value is one schema, a list of schemas, schemas under names that are no keywords.
_ONE: Final = ("items", "additionalProperties", "propertyNames", "contains", "not", "if", "then", "else")
_LIST: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED: Final = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


class _ToolJsonSchema(GenerateJsonSchema):
    """No titles of fields; nested classes that say nothing of unknown keys refuse them, as the tool itself does."""

    def field_title_should_be_set(self, _schema: object) -> bool:
        """Never: a title only repeats the name of the field."""
        return False

    def model_schema(self, schema: Any) -> JsonSchemaValue:  # noqa: ANN401
        """The schema of a class of pydantic."""
        made = super().model_schema(schema)
        return self._closed(made, schema["cls"])

    def dataclass_schema(self, schema: Any) -> JsonSchemaValue:  # noqa: ANN401
        """The schema of a dataclass."""
        made = super().dataclass_schema(schema)
        return self._closed(made, schema["cls"])

    def _closed(self, made: JsonSchemaValue, kind: type) -> JsonSchemaValue:
        config = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None) or {}
        stated = config.get("extra") is not None or issubclass(kind, RootModel)
        if not stated and "$ref" not in made and made.get("type") == "object":
            made.setdefault("additionalProperties", False)
        return made


def parameters_of(kind: type[BaseModel] | TypeAdapter[Any], tool: str) -> dict[str, JsonValue]:
    """The JSON Schema of a tool's parameters: no titles, the description of the class left to the tool.

    Args:
        kind: a class of pydantic, or the adapter of a type.
        tool: name of the tool, for the message.

    Raises:
        ToolDefinitionError: if a type has no JSON Schema, or cannot be resolved.
    """
    try:
        if isinstance(kind, TypeAdapter):
            schema = kind.json_schema(schema_generator=_ToolJsonSchema)
        else:
            kind.model_rebuild()
            schema = kind.model_json_schema(schema_generator=_ToolJsonSchema)
    except MISTAKES as error:
        raise definition_error(error, tool) from error
    schema = without_titles(_opened(schema))
    schema.pop("description", None)
    return schema


def definition_error(error: Exception, tool: str) -> ToolDefinitionError:
    """The error of a tool whose types pydantic cannot use.

    Args:
        error: what pydantic raised.
        tool: name of the tool.
    """
    first = str(error).splitlines()[0]
    hint = "give each parameter a type that JSON can hold, defined where the module is imported"
    return ToolDefinitionError(f"its parameters have no JSON Schema: {first}", tool=tool, hint=hint)


def reads_more(kind: type[BaseModel] | TypeAdapter[Any]) -> bool:
    """Whether a class itself takes more than its JSON Schema tells.

    It does if it has validators that run before pydantic's own, or takes a field by more than one name. Then what it
    accepts counts as valid, though the schema says otherwise.

    Args:
        kind: a class of pydantic, or the adapter of a type.
    """
    return any(map(_takes_more, _core_parts(kind)))


def has_other_names(kind: type[BaseModel] | TypeAdapter[Any]) -> bool:
    """Whether a field, of the class or of one within it, goes by a name that is not its own.

    Args:
        kind: a class of pydantic, or the adapter of a type.
    """
    return any(part.get("validation_alias") is not None for part in _core_parts(kind))


def makes_decimals(kind: type[BaseModel] | TypeAdapter[Any]) -> bool:
    """Whether a class may make decimal numbers of the floats in a text: by a field, or by a validator of its own.

    Args:
        kind: a class of pydantic, or the adapter of a type.
    """
    kinds = (part.get("type") for part in _core_parts(kind))
    return any(isinstance(name, str) and name.startswith(("decimal", "function-")) for name in kinds)


def core_schema_of(kind: type[BaseModel] | TypeAdapter[Any]) -> Mapping[str, Any]:
    """Pydantic's own schema of a class or type.

    Args:
        kind: a class of pydantic, or the adapter of a type.
    """
    return kind.core_schema if isinstance(kind, TypeAdapter) else kind.__pydantic_core_schema__


def states_extra(kind: type[BaseModel] | TypeAdapter[Any]) -> bool:
    """Whether a class, or one within it, says itself that unknown keys are kept or ignored.

    Args:
        kind: a class of pydantic, or the adapter of a type.
    """
    loose = ("allow", "ignore")
    for part in _core_parts(kind):
        config = part.get("config")
        stated = config.get("extra_fields_behavior") if isinstance(config, Mapping) else None
        if part.get("extra_behavior") in loose or stated in loose:
            return True
    return False


def _core_parts(kind: type[BaseModel] | TypeAdapter[Any]) -> Iterator[Mapping[str, Any]]:
    """The places of pydantic's own schema, those that only concern output left out."""
    todo: list[Any] = [core_schema_of(kind)]
    while todo:
        item = todo.pop()
        if isinstance(item, Mapping):
            yield item
            todo += [value for key, value in item.items() if key not in ("serialization", "metadata")]
        elif isinstance(item, (list, tuple)):
            todo += item


def _takes_more(item: Mapping[str, Any]) -> bool:
    """Whether one place of pydantic's own schema takes what JSON Schema does not tell of."""
    if item.get("type") in _OWN_VALIDATORS:
        function = item.get("function")
        code = function.get("function") if isinstance(function, Mapping) else function
        return not str(getattr(code, "__module__", "")).startswith(("pydantic.", "pydantic_core"))
    if not isinstance(item.get("validation_alias"), (str, type(None))):
        return True
    config = item.get("config")
    return isinstance(config, Mapping) and bool(config.get("validate_by_name"))


def without_titles(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """A copy of a JSON Schema without the keyword `title`; a property called title stays.

    Args:
        schema: any JSON Schema.
    """
    copied = copy.deepcopy(schema)
    for part in subschemas(copied):
        part.pop("title", None)
    return copied


def subschemas(schema: dict[str, JsonValue]) -> Iterator[dict[str, JsonValue]]:
    """The schema and all schemas in it, outer ones first; what only looks like one, in a default say, is left out.

    Args:
        schema: any JSON Schema; what is given may be changed in place.
    """
    todo: list[JsonValue] = [schema]
    while todo:
        part = todo.pop()
        if not isinstance(part, dict):
            continue
        yield part
        todo += [part[key] for key in _ONE if key in part]
        todo += [child for key in _LIST if isinstance(part.get(key), list) for child in part[key]]
        todo += [child for key in _NAMED if isinstance(part.get(key), dict) for child in part[key].values()]


def _opened(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The root written out: for a class that refers to itself it is only a reference, which providers refuse."""
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    if not name or name not in schema.get("$defs", {}):
        return schema
    return {**copy.deepcopy(schema["$defs"][name]), "$defs": schema["$defs"]}
