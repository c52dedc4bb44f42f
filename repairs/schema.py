"""A JSON Schema compiled once: what is asked of a value, and what keys and types are known at each place.

Two ways of looking at a node. Its *own* keywords (`properties`, `items`, `any_of`, ...) are what the judge walks. Its
*views* (`types`, `members`, `choices`, ...) look through `$ref`, `allOf`, `anyOf` and `oneOf`, and answer what a reader
or a rule asks: which keys may stand here, would a string do, which values are allowed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final, TypeVar

from toolmend.repairs.errors import SchemaError
from toolmend.repairs.record import JsonValue

__all__ = ("ALL_TYPES", "SchemaNode", "compile_schema", "json_type", "normalise_name")

ALL_TYPES: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
"""The types of JSON Schema; a number that is an integer has the type `integer`."""

KNOWN_KEYWORDS: Final = frozenset(
    "$schema $id $ref $defs definitions $anchor $comment title description default examples example deprecated readOnly "
    "writeOnly type enum const properties required additionalProperties patternProperties propertyNames minProperties "
    "maxProperties items prefixItems minItems maxItems uniqueItems minLength maxLength pattern format minimum maximum "
    "exclusiveMinimum exclusiveMaximum multipleOf anyOf oneOf allOf nullable discriminator contentMediaType "
    "contentEncoding contentSchema".split()
)
"""Keywords that the compiled walk understands, or that ask nothing of a value. The rest is left to jsonschema."""

MAX_SCHEMA_DEPTH: Final = 200
"""Deepest nesting of a schema; beyond it a recursive definition was written out by mistake."""

T = TypeVar("T")


def json_type(value: JsonValue) -> str:
    """The JSON Schema type of a value; `1.0` is a number, never an integer.

    Args:
        value: any value that JSON can hold.

    Raises:
        SchemaError: if no JSON value has this type.
    """
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name
    raise SchemaError(f"a value of type {type(value).__name__} is no JSON value")


_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (str, "string"),
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (dict, "object"),
    (list, "array"),
    (type(None), "null"),
)


def normalise_name(name: str) -> str:
    """The letters and digits of a name without case and accents: `filePath`, `file-path` and `File_Path` are one.

    Args:
        name: a key or the name of a tool.
    """
    if name.isascii():
        return "".join(filter(str.isalnum, name)).lower()
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in decomposed if c.isalnum())


class SchemaNode:
    """One place of a compiled JSON Schema.

    Attributes:
        raw: the schema as it was given: a dict, or a bool.
        pointer: its place in the whole schema, as a JSON Pointer.
        root: the whole schema that references are resolved in.
        own_types: the types its own `type` keyword (with `nullable`) accepts; all if it has none.
        properties: own declared members.
        required: own required keys.
        additional: schema of keys that are not declared; None if any value will do.
        pattern_properties: own schemas of keys that match a pattern.
        property_names: own schema of the keys themselves.
        prefix_items: own schemas of the first items.
        items: own schema of the other items; None if any value will do.
        enum: own allowed values, from `enum` or `const`; None if all are.
        any_of: own alternatives of which one must hold.
        one_of: own alternatives of which exactly one must hold.
        all_of: schemas that must hold too, the target of a `$ref` with siblings among them.
        extra: keywords that the compiled walk does not know.
    """

    def __init__(self, raw: Mapping[str, JsonValue] | bool, pointer: str, root: Mapping[str, JsonValue] | bool) -> None:
        """Make an empty node; `compile_schema` fills it."""
        self.raw = raw
        self.pointer = pointer
        self.root = root
        self.own_types: frozenset[str] = ALL_TYPES
        self.properties: dict[str, SchemaNode] = {}
        self.required: tuple[str, ...] = ()
        self.additional: SchemaNode | None = None
        self.pattern_properties: tuple[tuple[re.Pattern[str], SchemaNode], ...] = ()
        self.property_names: SchemaNode | None = None
        self.prefix_items: tuple[SchemaNode, ...] = ()
        self.items: SchemaNode | None = None
        self.enum: tuple[JsonValue, ...] | None = None
        self.any_of: tuple[SchemaNode, ...] = ()
        self.one_of: tuple[SchemaNode, ...] = ()
        self.all_of: tuple[SchemaNode, ...] = ()
        self.extra: dict[str, JsonValue] = {}

    def __repr__(self) -> str:
        """Name the place, not the whole schema."""
        return f"SchemaNode(#{self.pointer})"

    def keyword(self, name: str) -> JsonValue:
        """The value of one of the schema's own keywords, None if it is absent."""
        return self.raw.get(name) if isinstance(self.raw, Mapping) else None

    # ------------------------------------------------------------------ views through references and unions

    @property
    def never(self) -> bool:
        """Whether no value at all satisfies it (`false`)."""
        return self.raw is False

    @cached_property
    def alternatives(self) -> tuple[SchemaNode, ...]:
        """The branches of its own `anyOf` and `oneOf`, and of those within them, without duplicates."""
        return tuple(_unique(_leaves(self)))

    @cached_property
    def parts(self) -> tuple[SchemaNode, ...]:
        """The node itself and everything that `allOf`, `anyOf` and `oneOf` make of it."""
        found: dict[int, SchemaNode] = {}
        todo = [self]
        while todo:
            node = todo.pop()
            if id(node) not in found:
                found[id(node)] = node
                todo += reversed((*node.all_of, *node.any_of, *node.one_of))
        return tuple(found.values())

    @cached_property
    def types(self) -> frozenset[str]:
        """The types that a value here may have; a superset where schemas are combined."""
        return _effective_types(self, frozenset())

    def allows(self, kind: str) -> bool:
        """Whether a value of this JSON type may stand here."""
        return kind in self.types

    @cached_property
    def members(self) -> Mapping[str, SchemaNode]:
        """The declared keys of an object here, with the schema of each; branches of a union are merged."""
        found: dict[str, list[SchemaNode]] = {}
        for part in self.parts:
            for key, node in part.properties.items():
                found.setdefault(key, []).append(node)
        return {key: _any_of(nodes, self) for key, nodes in found.items()}

    @cached_property
    def required_members(self) -> tuple[str, ...]:
        """The keys that every object here must have: own ones and those of `allOf`, not those of one branch."""
        keys = [key for part in _conjuncts(self) for key in part.required]
        return tuple(dict.fromkeys(keys))

    @cached_property
    def spellings(self) -> Mapping[str, str | None]:
        """Declared keys by normalised name; None where two keys share it."""
        found: dict[str, str | None] = {}
        for key in self.members:
            name = normalise_name(key)
            found[name] = None if name in found else key
        return found

    @cached_property
    def free_keys(self) -> bool:
        """Whether an object here may hold keys that nobody declared."""
        if not self.allows("object"):
            return False
        return all(part.additional is None or not part.additional.never for part in _conjuncts(self)) and any(
            part.additional is None or not part.additional.never for part in self.parts if part.own_types & {"object"}
        )

    def member(self, key: str) -> SchemaNode | None:
        """The schema of one member: declared, by pattern, or that of additional keys; None if nothing is known."""
        if key in self.members:
            return self.members[key]
        for part in self.parts:
            for pattern, node in part.pattern_properties:
                if pattern.search(key):
                    return node
            if part.additional is not None and not part.additional.never:
                return part.additional
        return None

    def item(self, index: int) -> SchemaNode | None:
        """The schema of one item of a list here; None if nothing is known."""
        nodes = []
        for part in self.parts:
            if index < len(part.prefix_items):
                nodes.append(part.prefix_items[index])
            elif part.items is not None:
                nodes.append(part.items)
        return _any_of(nodes, self) if nodes else None

    @cached_property
    def choices(self) -> tuple[JsonValue, ...] | None:
        """The allowed values, where the schema lists them all (`enum`, `const`, null beside them); else None."""
        return _choices(self, frozenset())


def compile_schema(schema: Mapping[str, JsonValue] | bool) -> SchemaNode:
    """Compile a JSON Schema (draft 2020-12; `definitions`, `nullable` and tuple `items` of older ones are read too).

    Args:
        schema: the schema as a dict, or a bool.

    Returns:
        The root node.

    Raises:
        SchemaError: if a keyword has the wrong type, a reference cannot be resolved, a pattern is no regular
            expression, or the schema is nested deeper than 200.
    """
    return _Compiler(schema).node(schema, "", 0)


# ---------------------------------------------------------------------- views


def _unique(nodes: Iterable[SchemaNode]) -> Iterator[SchemaNode]:
    seen: set[int] = set()
    for node in nodes:
        if id(node) not in seen:
            seen.add(id(node))
            yield node


def _leaves(node: SchemaNode) -> Iterator[SchemaNode]:
    """Branches of a union, unions within it opened; a branch that has keywords of its own stays whole."""
    todo = [*reversed((*node.any_of, *node.one_of))]
    seen: set[int] = set()
    while todo:
        branch = todo.pop()
        if id(branch) in seen:
            continue
        seen.add(id(branch))
        inner = (*branch.any_of, *branch.one_of)
        pure = isinstance(branch.raw, Mapping) and not (set(branch.raw) - {"anyOf", "oneOf", "title", "description"})
        if inner and pure:
            todo += reversed(inner)
        else:
            yield branch


def _conjuncts(node: SchemaNode) -> tuple[SchemaNode, ...]:
    """The node and everything under `allOf`, without the branches of unions."""
    found: dict[int, SchemaNode] = {}
    todo = [node]
    while todo:
        part = todo.pop()
        if id(part) not in found:
            found[id(part)] = part
            todo += reversed(part.all_of)
    return tuple(found.values())


def _any_of(nodes: list[SchemaNode], around: SchemaNode) -> SchemaNode:
    """One node for several schemas of the same place."""
    distinct = list(_unique(nodes))
    if len(distinct) == 1:
        return distinct[0]
    merged = SchemaNode({"anyOf": [node.raw for node in distinct]}, around.pointer, around.root)
    merged.any_of = tuple(distinct)
    return merged


def _effective_types(node: SchemaNode, seen: frozenset[int]) -> frozenset[str]:
    if node.never:
        return frozenset()
    if id(node) in seen:
        return ALL_TYPES
    seen |= {id(node)}
    types = node.own_types
    if node.enum is not None:
        listed = {json_type(value) for value in node.enum}
        types &= listed | ({"integer", "number"} if listed & {"integer", "number"} else set())
    for part in node.all_of:
        types &= _effective_types(part, seen)
    for group in (node.any_of, node.one_of):
        if group:
            types &= frozenset().union(*(_effective_types(branch, seen) for branch in group))
    return types


def _choices(node: SchemaNode, seen: frozenset[int]) -> tuple[JsonValue, ...] | None:
    if id(node) in seen:
        return None
    seen |= {id(node)}
    if node.enum is not None:
        return node.enum
    for part in node.all_of:
        if (found := _choices(part, seen)) is not None:
            return found
    for group in (node.any_of, node.one_of):
        listed = [_choices(branch, seen) for branch in group]
        if group and all(values is not None for values in listed):
            return tuple(value for values in listed if values for value in values)
    return (None,) if node.own_types == {"null"} else None


# ---------------------------------------------------------------------- compiling


class _Compiler:
    """Turns one schema into nodes; places that are referred to are compiled once."""

    def __init__(self, root: Mapping[str, JsonValue] | bool) -> None:
        self.root = root
        self.cache: dict[str, SchemaNode] = {}
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
        if isinstance(schema, Mapping) and schema.get("$ref") == ref:
            raise SchemaError(f"the reference {ref!r:.80} leads to itself", pointer=pointer)
        return self.node(schema, place, depth + 1)

    def fill(self, node: SchemaNode, schema: Mapping[str, JsonValue], depth: int) -> None:
        """Read the keywords of one schema."""
        at = node.pointer
        node.own_types = _own_types(schema, at)
        node.enum = _own_enum(schema, at)
        node.required = tuple(_strings(schema, "required", at))
        node.properties = self.mapping(schema, "properties", at, depth)
        node.pattern_properties = tuple(
            (_pattern(pattern, at), child) for pattern, child in self.mapping(schema, "patternProperties", at, depth).items()
        )
        node.additional = self.single(schema, "additionalProperties", at, depth)
        node.property_names = self.single(schema, "propertyNames", at, depth)
        self.fill_items(node, schema, depth)
        node.any_of = self.several(schema, "anyOf", at, depth)
        node.one_of = self.several(schema, "oneOf", at, depth)
        node.all_of = self.several(schema, "allOf", at, depth)
        if "$ref" in schema:
            node.all_of += (self.target(schema["$ref"], at, depth),)
        node.extra = {key: value for key, value in schema.items() if key not in KNOWN_KEYWORDS and not key.startswith("x-")}
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
        escape: Callable[[str], str] = lambda name: name.replace("~", "~0").replace("/", "~1")  # noqa: E731
        return {name: self.node(child, f"{at}/{key}/{escape(name)}", depth) for name, child in given.items()}


_BESIDE_REF: Final = frozenset({"$ref", "title", "description", "default", "examples", "deprecated", "$comment"})
"""Keywords that ask nothing more of a value than the reference beside them does."""


def _anchors(root: JsonValue) -> Iterator[tuple[str, str]]:
    """Names given by `$anchor`, with the places they stand for."""
    todo: list[tuple[JsonValue, str]] = [(root, "")]
    while todo:
        schema, at = todo.pop()
        if isinstance(schema, Mapping):
            if isinstance(schema.get("$anchor"), str):
                yield schema["$anchor"], at
            todo += [(child, f"{at}/{key.replace('~', '~0').replace('/', '~1')}") for key, child in schema.items()]
        elif isinstance(schema, list):
            todo += [(child, f"{at}/{index}") for index, child in enumerate(schema)]


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
    try:
        return re.compile(text)
    except (re.error, TypeError, RecursionError) as error:
        raise SchemaError(f"{text!r:.60} is no regular expression that can be used: {error}", pointer=at) from error


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
    if "pattern" in schema:
        _pattern(schema["pattern"], at)
