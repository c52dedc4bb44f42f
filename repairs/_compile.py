"""Turning a JSON Schema into nodes: references resolved, types of the keywords checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from toolmend.repairs._node import ALL_TYPES, SchemaNode
from toolmend.repairs.errors import SchemaError
from toolmend.repairs.record import JsonValue

__all__ = ("EXTRA_KEYWORDS", "MAX_SCHEMA_DEPTH", "compile_schema")

EXTRA_KEYWORDS: Final = frozenset(
    {
        *("not", "if", "then", "else"),
        *("contains", "minContains", "maxContains", "additionalItems", "unevaluatedItems"),
        *("dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties"),
    }
)
"""Keywords that are left to jsonschema. All others are notes for people or for other programs, and ask nothing."""

UNSUPPORTED: Final = frozenset({"$dynamicRef", "$recursiveRef"})
"""Keywords that ask something of a value and that nobody here understands: better no tool than an unchecked one."""

MAX_SCHEMA_DEPTH: Final = 200
"""Deepest nesting of a schema; beyond it a recursive definition was written out by mistake."""


def compile_schema(schema: Mapping[str, JsonValue] | bool) -> SchemaNode:
    """Compile a JSON Schema (draft 2020-12; `definitions`, `nullable` and tuple `items` of older ones are read too).

    Args:
        schema: the schema as a dict, or a bool.

    Returns:
        The root node.

    Raises:
        SchemaError: if a keyword has the wrong type or is not supported, a reference cannot be resolved, a pattern is
            no regular expression, or the schema is nested deeper than 200.
    """
    try:
        return _Compiler(schema).node(schema, "", 0)
    except RecursionError:
        raise SchemaError("the schema is nested too deeply to be compiled from here") from None


class _Compiler:
    """Turns one schema into nodes; places that are referred to are compiled once."""

    def __init__(self, root: Mapping[str, JsonValue] | bool) -> None:
        self.root = root
        self.cache: dict[str, SchemaNode] = {}
        _check_depth(root)
        self.anchors = dict(_anchors(root))

    def node(self, schema: JsonValue, pointer: str, depth: int) -> SchemaNode:
        """The node of one place; a schema that is only a reference is the node it refers to."""
        if depth > MAX_SCHEMA_DEPTH:
            raise SchemaError(f"the schema is nested deeper than {MAX_SCHEMA_DEPTH}", pointer=pointer)
        if pointer in self.cache:
            return self.cache[pointer]
        if not isinstance(schema, (Mapping, bool)):
            raise SchemaError(f"a schema must be an object or a boolean, got {schema!r:.60}", pointer=pointer)
        if isinstance(schema, Mapping) and "$ref" in schema and not set(schema) - _BESIDE_REF:
            self.cache[pointer] = target = self.target(schema["$ref"], pointer, depth)
            return target
        self.cache[pointer] = node = SchemaNode(schema, pointer, self.root)
        if isinstance(schema, Mapping):
            self.fill(node, schema, depth + 1)
        return node

    def target(self, ref: JsonValue, pointer: str, depth: int) -> SchemaNode:
        """The node that a reference leads to."""
        place, schema = self.lookup(ref, pointer)
        if isinstance(schema, Mapping) and schema.get("$ref") == ref:
            raise SchemaError(f"the reference {ref!r:.80} leads to itself", pointer=pointer)
        return self.node(schema, place, depth + 1)

    def lookup(self, ref: JsonValue, pointer: str) -> tuple[str, JsonValue]:
        """The place in the schema that a reference leads to, and what stands there."""
        if not isinstance(ref, str) or not ref.startswith("#"):
            raise SchemaError(f"only references within the schema can be resolved, got {ref!r:.80}", pointer=pointer)
        place = self.anchors.get(ref[1:], ref[1:])
        schema: JsonValue = self.root
        for part in place.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(schema, Mapping) and key in schema:
                schema = schema[key]
            elif isinstance(schema, list) and key.isdecimal() and int(key) < len(schema):
                schema = schema[int(key)]
            else:
                raise SchemaError(f"the reference {ref!r:.80} leads nowhere", pointer=pointer)
        if place and not place.startswith("/"):
            raise SchemaError(f"the reference {ref!r:.80} leads nowhere", pointer=pointer)
        return place, schema

    def check_references(self, extra: JsonValue, pointer: str) -> None:
        """Refuse references that lead nowhere, or out of the schema, where only jsonschema will follow them."""
        todo: list[JsonValue] = [extra]
        while todo:
            schema = todo.pop()
            if isinstance(schema, Mapping):
                if "$ref" in schema:
                    self.lookup(schema["$ref"], pointer)
                todo += schema.values()
            elif isinstance(schema, list):
                todo += schema

    def fill(self, node: SchemaNode, schema: Mapping[str, JsonValue], depth: int) -> None:
        """Read the keywords of one schema."""
        at = node.pointer
        node.own_types = _own_types(schema, at)
        node.enum = _own_enum(schema, at)
        node.required = tuple(_strings(schema, "required", at))
        node.properties = self.mapping(schema, "properties", at, depth)
        node.pattern_properties = tuple(
            (_pattern(pattern, at), child)
            for pattern, child in self.mapping(schema, "patternProperties", at, depth).items()
        )
        node.additional = self.single(schema, "additionalProperties", at, depth)
        node.property_names = self.single(schema, "propertyNames", at, depth)
        self.fill_items(node, schema, depth)
        node.any_of = self.several(schema, "anyOf", at, depth)
        node.one_of = self.several(schema, "oneOf", at, depth)
        node.all_of = self.several(schema, "allOf", at, depth)
        if "$ref" in schema:
            node.all_of += (self.target(schema["$ref"], at, depth),)
        if "pattern" in schema:
            node.pattern = _pattern(schema["pattern"], at)
        node.extra = {key: schema[key] for key in schema if key in EXTRA_KEYWORDS}
        if unsupported := UNSUPPORTED & schema.keys():
            raise SchemaError(f"{', '.join(sorted(unsupported))} is not supported; write it with $ref", pointer=at)
        self.check_references(node.extra, at)
        _check_bounds(schema, at)

    def fill_items(self, node: SchemaNode, schema: Mapping[str, JsonValue], depth: int) -> None:
        """Read `prefixItems` and `items`; a list under `items` is what older drafts write for `prefixItems`."""
        if isinstance(schema.get("items"), list):
            node.prefix_items = self.several(schema, "items", node.pointer, depth)
        else:
            node.prefix_items = self.several(schema, "prefixItems", node.pointer, depth)
            node.items = self.single(schema, "items", node.pointer, depth)

    def single(self, schema: Mapping[str, JsonValue], key: str, at: str, depth: int) -> SchemaNode | None:
        """The schema under one keyword; None if it is absent or `true`."""
        if schema.get(key, True) is True:
            return None
        return self.node(schema[key], f"{at}/{key}", depth)

    def several(self, schema: Mapping[str, JsonValue], key: str, at: str, depth: int) -> tuple[SchemaNode, ...]:
        """The schemas in the list under one keyword."""
        given = schema.get(key, ())
        if not isinstance(given, (list, tuple)):
            raise SchemaError(f"{key} must be a list of schemas", pointer=at)
        return tuple(self.node(item, f"{at}/{key}/{index}", depth) for index, item in enumerate(given))

    def mapping(self, schema: Mapping[str, JsonValue], key: str, at: str, depth: int) -> dict[str, SchemaNode]:
        """The schemas in the object under one keyword."""
        given = schema.get(key, {})
        if not isinstance(given, Mapping):
            raise SchemaError(f"{key} must be an object of schemas", pointer=at)
        return {name: self.node(child, f"{at}/{key}/{_escaped(name)}", depth) for name, child in given.items()}


_BESIDE_REF: Final = frozenset(
    {
        *("$ref", "$defs", "definitions", "$schema", "$id", "$comment"),
        *("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"),
    }
)
"""Keywords that ask nothing more of a value than the reference beside them does."""


def _check_depth(root: JsonValue) -> None:
    """Refuse a schema without end before anything is built from it."""
    level: list[JsonValue] = [root]
    for _ in range(_CONTAINERS_PER_SCHEMA * MAX_SCHEMA_DEPTH):
        below: list[JsonValue] = []
        for part in level:
            below += part.values() if isinstance(part, Mapping) else part if isinstance(part, list) else ()
        if not below:
            return
        level = below
    raise SchemaError(f"the schema is nested deeper than {MAX_SCHEMA_DEPTH}")


_CONTAINERS_PER_SCHEMA: Final = 3


def _anchors(root: JsonValue) -> Iterator[tuple[str, str]]:
    """Names given by `$anchor`, with the places they stand for."""
    todo: list[tuple[JsonValue, str]] = [(root, "")]
    while todo:
        schema, at = todo.pop()
        if isinstance(schema, Mapping):
            if isinstance(schema.get("$anchor"), str):
                yield schema["$anchor"], at
            todo += [(child, f"{at}/{_escaped(str(key))}") for key, child in schema.items()]
        elif isinstance(schema, list):
            todo += [(child, f"{at}/{index}") for index, child in enumerate(schema)]


def _escaped(name: str) -> str:
    """A key as one step of a JSON Pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def _own_types(schema: Mapping[str, JsonValue], at: str) -> frozenset[str]:
    given = schema.get("type")
    if given is None:
        return ALL_TYPES
    names = given if isinstance(given, (list, tuple)) else [given]
    if not all(isinstance(name, str) for name in names) or not names or not set(names) <= ALL_TYPES:
        raise SchemaError(f"type must be one of {', '.join(sorted(ALL_TYPES))}, got {given!r:.60}", pointer=at)
    types = set(names)
    if "number" in types:
        types.add("integer")
    if schema.get("nullable") is True:
        types.add("null")
    return frozenset(types)


def _own_enum(schema: Mapping[str, JsonValue], at: str) -> tuple[JsonValue, ...] | None:
    if "const" in schema:
        return (schema["const"],)
    if "enum" not in schema:
        return None
    if not isinstance(schema["enum"], (list, tuple)):
        raise SchemaError("enum must be a list of values", pointer=at)
    values = tuple(schema["enum"])
    return (*values, None) if schema.get("nullable") is True and None not in values else values


def _strings(schema: Mapping[str, JsonValue], key: str, at: str) -> Iterator[str]:
    given = schema.get(key, ())
    if not isinstance(given, (list, tuple)) or not all(isinstance(item, str) for item in given):
        raise SchemaError(f"{key} must be a list of strings", pointer=at)
    yield from given


def _pattern(text: JsonValue, at: str) -> re.Pattern[str]:
    """A regular expression as JSON Schema means it: `$` is the very end, never the place before a last newline."""
    try:
        return re.compile(_FOREIGN.sub(lambda found: _OURS.get(found[0], found[0]), text))
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        raise SchemaError(f"{text!r:.60} is no regular expression that can be used: {error}", pointer=at) from error


_FOREIGN: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$|\(\?<(?![=!])", re.DOTALL)
"""What JSON Schema writes otherwise than Python: `$` and the start of a named group; escapes and classes are passed."""

_OURS: Final = {"$": r"\Z", "(?<": "(?P<", r"\z": r"\Z"}


_COUNTS: Final = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")
_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def _check_bounds(schema: Mapping[str, JsonValue], at: str) -> None:
    """Refuse bounds that are no numbers, so that the judge never meets them."""
    for key in _COUNTS:
        value = schema.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise SchemaError(f"{key} must be a whole number from 0, got {value!r:.60}", pointer=at)
    for key in _BOUNDS:
        value = schema.get(key, 1)
        draft4 = key.startswith("exclusive") and isinstance(value, bool)
        if not draft4 and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise SchemaError(f"{key} must be a number, got {value!r:.60}", pointer=at)
    if schema.get("multipleOf", 1) <= 0:
        raise SchemaError("multipleOf must be greater than 0", pointer=at)
