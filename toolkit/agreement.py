"""Whether pydantic alone can judge a tool's arguments: where its strict mode takes nothing that the schema refuses.

The two are compared place by place, once, when a tool is compiled. What is not known to agree, does not: unions told
apart by a tag, sets, tuples, dates, decimals, `Any`, numbers among literals, validators before pydantic's own, keywords
that a class adds to its schema by hand. Bounds, lengths and patterns are the same to both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from toolmend.repairs.schema import SchemaNode

__all__ = ("agrees",)

CoreSchema: TypeAlias = Mapping[str, Any]

_TELLING: Final = frozenset({"title", "description", "default", "examples", "deprecated", "$defs", "type"})
"""Keywords that ask nothing of a value, and `type`, which each place compares by itself."""

_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_HARMLESS_CONFIG: Final = frozenset({"title", "str_strip_whitespace", "str_to_lower", "str_to_upper"})
_DEFAULTS: Final = frozenset(
    {"type", "schema", "default", "default_factory", "default_factory_takes_data", "metadata", "serialization"}
)
"""What a field with a default states, if it only says what stands in for a value that is not given."""


def agrees(core: CoreSchema, node: SchemaNode, depth: int) -> bool:
    """Whether each text that pydantic takes in strict mode, unknown keys forbidden, fits the JSON Schema.

    Args:
        core: pydantic's own schema.
        node: the compiled JSON Schema.
        depth: deepest nesting that is allowed; a schema without end never agrees.
    """
    definitions = {}
    if core["type"] == "definitions":
        definitions = {definition["ref"]: definition for definition in core["definitions"]}
        core = core["schema"]
    return _Comparison(definitions).agrees(core, node, depth)


class _Comparison:
    """Compares places of both schemas; knows the definitions that pydantic's schema refers to."""

    def __init__(self, definitions: Mapping[str, CoreSchema]) -> None:
        self.definitions = definitions
        self.open: set[str] = set()
        self.known: dict[tuple[str, int, int], bool] = {}

    def agrees(self, core: CoreSchema, node: SchemaNode | None, depth: int) -> bool:
        """Whether the schemas of one place agree."""
        core = _bare(core)
        if node is None or core.get("strict") is False:
            return False
        if core["type"] == "definition-ref":
            return self._definition(core["schema_ref"], node, depth)
        compare = _PLACES.get(core["type"])
        return compare is not None and compare(self, core, node, depth)

    def _definition(self, ref: str, node: SchemaNode, depth: int) -> bool:
        """Whether a definition agrees; one that holds itself has no end, and does not."""
        place = (ref, id(node), depth)
        if ref in self.open:
            return False
        if place not in self.known:
            self.open.add(ref)
            self.known[place] = self.agrees(self.definitions[ref], node, depth)
            self.open.remove(ref)
        return self.known[place]

    # ------------------------------------------------------------------ places

    def model(self, core: CoreSchema, node: SchemaNode, depth: int) -> bool:
        """A class of pydantic, made in the ordinary way."""
        inner = core["schema"]
        if core.get("custom_init") or core.get("root_model") or not _is_plain(core) or inner["type"] != "model-fields":
            return False
        required = {_key(name, field) for name, field in inner["fields"].items() if _is_required(field["schema"])}
        return self._members(inner, node, required, depth)

    def typed_dict(self, core: CoreSchema, node: SchemaNode, depth: int) -> bool:
        """A typed dict, as the parameters of a function are one."""
        required = {_key(name, field) for name, field in core["fields"].items() if field.get("required")}
        return _is_plain(core) and self._members(core, node, required, depth)

    def _members(self, core: CoreSchema, node: SchemaNode, required: set[str], depth: int) -> bool:
        if not _asks_only(node, "object", {"properties", "required", "additionalProperties"}):
            return False
        closed = depth > 0 and node.additional is not None and node.additional.never
        fields = {_key(name, field): field["schema"] for name, field in core["fields"].items()}
        if not closed or core.get("extra_behavior") not in (None, "forbid") or fields.keys() != node.properties.keys():
            return False
        return required == set(node.required) and all(
            self.agrees(field, node.properties[key], depth - 1) for key, field in fields.items()
        )

    def union(self, core: CoreSchema, node: SchemaNode, depth: int) -> bool:
        """One of several without a tag, null among them."""
        branches = tuple(_branches(core))
        return (
            _asks_only(node, None, {"anyOf"})
            and len(branches) == len(node.any_of)
            and all(self.agrees(one, branch, depth) for one, branch in zip(branches, node.any_of, strict=True))
        )

    def array(self, core: CoreSchema, node: SchemaNode, depth: int) -> bool:
        """A list of items of one kind."""
        return (
            depth > 0
            and _asks_only(node, "array", {"items", "minItems", "maxItems"})
            and node.keyword("minItems") == core.get("min_length")
            and node.keyword("maxItems") == core.get("max_length")
            and not node.prefix_items
            and self.agrees(core.get("items_schema", {"type": "any"}), node.items, depth - 1)
        )

    def mapping(self, core: CoreSchema, node: SchemaNode, depth: int) -> bool:
        """An object of free keys with values of one kind."""
        return (
            depth > 0
            and _asks_only(node, "object", {"additionalProperties"})
            and core.get("keys_schema") == {"type": "str"}
            and core.keys() <= {"type", "keys_schema", "values_schema", "metadata"}
            and self.agrees(core["values_schema"], node.additional, depth - 1)
        )

    def words(self, core: CoreSchema, node: SchemaNode, _depth: int) -> bool:
        """A choice of texts: literals, or the values of an enumeration."""
        values = core["expected"] if "expected" in core else [member.value for member in core["members"]]
        listed = _asks_only(node, "string", {"enum", "const"}) and node.enum is not None
        texts = all(type(value) is str for value in values) and core.get("missing") is None
        return listed and texts and set(values) == set(node.enum or ())


def _scalar(name: str, *keywords: str) -> Callable[[_Comparison, CoreSchema, SchemaNode, int], bool]:
    """The comparison of a plain type, with the keywords that mean the same to both sides."""
    return lambda _comparison, _core, node, _depth: _asks_only(node, name, keywords)


_PLACES: Final[Mapping[str, Callable[[_Comparison, CoreSchema, SchemaNode, int], bool]]] = {
    "bool": _scalar("boolean"),
    "dict": _Comparison.mapping,
    "enum": _Comparison.words,
    "float": _scalar("number", *_BOUNDS),
    "int": _scalar("integer", *_BOUNDS),
    "list": _Comparison.array,
    "literal": _Comparison.words,
    "model": _Comparison.model,
    "none": _scalar("null"),
    "nullable": _Comparison.union,
    "str": _scalar("string", "minLength", "maxLength", "pattern"),
    "typed-dict": _Comparison.typed_dict,
    "union": _Comparison.union,
}
"""How a place is compared, by the type that pydantic gives it."""


def _asks_only(node: SchemaNode, name: str | None, keywords: Iterable[str]) -> bool:
    """Whether a schema is of one type, and has no keyword beside those that are compared."""
    raw = node.raw
    return isinstance(raw, Mapping) and raw.get("type") == name and raw.keys() <= _TELLING.union(keywords)


def _bare(core: CoreSchema) -> CoreSchema:
    """The schema behind defaults, and behind validators that run after pydantic's own."""
    while core["type"] == "function-after" or (core["type"] == "default" and core.keys() <= _DEFAULTS):
        core = core["schema"]
    return core


def _branches(core: CoreSchema) -> Iterator[CoreSchema]:
    """What a union is made of, unions within it opened, as the JSON Schema lists them."""
    if core["type"] == "nullable":
        yield from _branches(core["schema"])
        yield {"type": "none"}
    elif core["type"] == "union":
        for choice in core["choices"]:
            yield from _branches(choice[0] if isinstance(choice, tuple) else choice)
    else:
        yield core


def _is_plain(core: CoreSchema) -> bool:
    """Whether the settings of a class neither loosen what it takes nor let unknown keys in."""
    config = dict(core.get("config") or {})
    return config.pop("extra_fields_behavior", "forbid") == "forbid" and config.keys() <= _HARMLESS_CONFIG


def _is_required(core: CoreSchema) -> bool:
    while core["type"] == "function-after":
        core = core["schema"]
    return bool(core["type"] != "default")


def _key(name: str, field: CoreSchema) -> str:
    """The one key by which a field is given; empty if there are several."""
    alias = field.get("validation_alias", name)
    return alias if isinstance(alias, str) else ""
