"""One place of a compiled schema, and what may be asked of it.

Two ways of looking at a node. Its *own* keywords (`properties`, `items`, `any_of`, ...) are what the judge walks. Its
*views* (`types`, `members`, `choices`, ...) look through `$ref`, `allOf`, `anyOf` and `oneOf`, and answer what a reader
or a rule asks: which keys may stand here, would a string do, which values are allowed.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Final

from toolmend.repairs.errors import SchemaError
from toolmend.repairs.record import JsonValue

__all__ = ("ALL_TYPES", "SchemaNode", "json_type", "normalise_name", "plain_words")

ALL_TYPES: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
"""The types of JSON Schema; a number that is an integer has the type `integer`."""

_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (str, "string"),
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (dict, "object"),
    (list, "array"),
    (type(None), "null"),
)


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


def normalise_name(name: str) -> str:
    """The letters and digits of a name without case and accents: `filePath`, `file-path` and `File_Path` are one.

    Args:
        name: a key or the name of a tool.
    """
    if name.isascii():
        return "".join(filter(str.isalnum, name)).lower()
    return "".join(filter(str.isalnum, _without_accents(name))).casefold()


_FULL_WIDTH: Final = {0x3000: " ", **{0xFEE0 + code: chr(code) for code in range(0x21, 0x7F)}}


def _without_accents(text: str) -> str:
    """A text without accents and its full-width signs as plain ones; `10²` stays what it is, for it is not `102`."""
    decomposed = unicodedata.normalize("NFD", text.translate(_FULL_WIDTH))
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign))


_HYPHENS: Final = r"\-\u2010\u2011\u2212"
_BETWEEN_DIGITS: Final = re.compile(rf"(?<=\d)[\s_{_HYPHENS}]+(?=\d)")
_SEPARATORS: Final = re.compile(rf"(?<!^)[\s_{_HYPHENS}]+(?!$)|[\s_]+")
_WRAPPERS: Final = frozenset("\"'`*_“”‘’«»")
_LONGEST_WORDS: Final = 500


def plain_words(text: str) -> str:
    """A text without case, blanks, hyphens, underscores, accents, and without quotes or emphasis around it.

    Every other sign in it counts, and so do a hyphen at either end and what stands between two digits: `-name` is not
    `name`, `A-` is not `A`, and `1-2` is not `12`.

    Args:
        text: the text; a long one stays as it is.
    """
    text = text.strip()
    if len(text) > _LONGEST_WORDS:
        return text
    while len(text) > 1 and text[0] in _WRAPPERS and text[-1] in _WRAPPERS:
        text = text[1:-1].strip()
    if not text.isascii():
        text = _without_accents(text)
    return _SEPARATORS.sub("", _BETWEEN_DIGITS.sub("\x00", text.casefold()))


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
        pattern: own regular expression that a string must hold.
        any_of: own alternatives of which one must hold.
        one_of: own alternatives of which exactly one must hold.
        all_of: schemas that must hold too, the target of a `$ref` with siblings among them.
        extra: keywords that ask something of a value and that the compiled walk does not know.
        made: nodes made of several others for the same place.
        words: descriptions of it, once they were needed.
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
        self.pattern: re.Pattern[str] | None = None
        self.any_of: tuple[SchemaNode, ...] = ()
        self.one_of: tuple[SchemaNode, ...] = ()
        self.all_of: tuple[SchemaNode, ...] = ()
        self.extra: dict[str, JsonValue] = {}
        self.made: dict[tuple[str, ...], SchemaNode] = {}
        self.words: dict[str, str] = {}

    def __repr__(self) -> str:
        """Name the place, not the whole schema."""
        return f"SchemaNode(#{self.pointer})"

    def keyword(self, name: str) -> JsonValue:
        """The value of one of the schema's own keywords, None if it is absent."""
        return self.raw.get(name) if isinstance(self.raw, Mapping) else None

    def find(self, name: str) -> JsonValue:
        """The value of a keyword, of its own or of a schema under `allOf`; None if all lack it."""
        for part in self.conjuncts:
            if (value := part.keyword(name)) is not None:
                return value
        return None

    # ------------------------------------------------------------------ views through references and unions

    @property
    def never(self) -> bool:
        """Whether no value at all satisfies it (`false`)."""
        return self.raw is False

    @cached_property
    def conjuncts(self) -> tuple[SchemaNode, ...]:
        """The node and everything under `allOf`: what holds whichever branch of a union is taken."""
        return tuple(_closure(self, lambda node: node.all_of))

    @cached_property
    def parts(self) -> tuple[SchemaNode, ...]:
        """The node itself and everything that `allOf`, `anyOf` and `oneOf` make of it."""
        return tuple(_closure(self, lambda node: (*node.all_of, *node.any_of, *node.one_of)))

    @cached_property
    def alternatives(self) -> tuple[SchemaNode, ...]:
        """The branches of its own `anyOf` and `oneOf`, and of those within them, without duplicates."""
        return tuple(_leaves(self))

    @cached_property
    def types(self) -> frozenset[str]:
        """The types that a value here may have; a superset where schemas are combined."""
        return _effective_types(self, {})

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
        return {key: _merged("anyOf", nodes, self) for key, nodes in found.items()}

    @cached_property
    def required_members(self) -> tuple[str, ...]:
        """The keys that every object here must have: own ones and those of `allOf`, not those of one branch."""
        return tuple(dict.fromkeys(key for part in self.conjuncts for key in part.required))

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
        """Whether an object here is meant to hold keys that nobody declared.

        That is a map: additional keys are named by the schema (`additionalProperties`, `patternProperties`), or no key
        is declared at all. An object with declared keys that merely does not forbid others is none.
        """
        if not self.allows("object") or any(part.additional and part.additional.never for part in self.conjuncts):
            return False
        return any(_names_free_keys(part) for part in self.parts) or not any(part.properties for part in self.parts)

    @cached_property
    def open_keys(self) -> bool:
        """Whether undeclared keys are not forbidden, whatever branch of a union is taken."""
        return not any(part.additional and part.additional.never for part in self.conjuncts)

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

    def child(self, key: str) -> SchemaNode | None:
        """All that its own keywords and `allOf` ask of one member, without the branches of unions; None if nothing."""
        nodes: list[SchemaNode] = []
        for part in self.conjuncts:
            matched = [node for pattern, node in part.pattern_properties if pattern.search(key)]
            if key in part.properties:
                matched.append(part.properties[key])
            elif not matched and part.additional is not None:
                matched.append(part.additional)
            nodes += matched
        return _merged("allOf", nodes, self) if nodes else None

    def item(self, index: int) -> SchemaNode | None:
        """The schema of one item of a list here; None if nothing is known."""
        nodes = list(_items_at(self.parts, index))
        return _merged("anyOf", nodes, self) if nodes else None

    def entry(self, index: int) -> SchemaNode | None:
        """All that its own keywords and `allOf` ask of one item, without the branches of unions; None if nothing."""
        nodes = list(_items_at(self.conjuncts, index))
        return _merged("allOf", nodes, self) if nodes else None

    @cached_property
    def choices_by_words(self) -> Mapping[str, tuple[JsonValue, ...]]:
        """The allowed values by their plain words, numbers and booleans by their JSON; null and containers left out."""
        found: dict[str, tuple[JsonValue, ...]] = {}
        for choice in self.choices or ():
            if isinstance(choice, (str, int, float)):
                words = plain_words(choice if isinstance(choice, str) else json.dumps(choice))
                found[words] = (*found.get(words, ()), choice)
        return found

    @cached_property
    def choices(self) -> tuple[JsonValue, ...] | None:
        """The allowed values, where the schema lists them all (`enum`, `const`, null beside them); else None."""
        return _choices(self, {})


# ---------------------------------------------------------------------- views


def _closure(root: SchemaNode, step: Callable[[SchemaNode], Iterable[SchemaNode]]) -> Iterator[SchemaNode]:
    """The node and all that is reached from it, each once, in document order."""
    seen: set[int] = set()
    todo = [root]
    while todo:
        node = todo.pop()
        if id(node) not in seen:
            seen.add(id(node))
            yield node
            todo += reversed(tuple(step(node)))


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


def _merged(keyword: str, nodes: list[SchemaNode], around: SchemaNode) -> SchemaNode:
    """One node for several schemas of the same place."""
    distinct = list({id(node): node for node in nodes}.values())
    if len(distinct) == 1:
        return distinct[0]
    # Kept, so that one place always has one node: plans and answers are kept by the identity of nodes.
    name = (keyword, *(str(id(node)) for node in distinct))
    if name not in around.made:
        merged = SchemaNode({keyword: [node.raw for node in distinct]}, around.pointer, around.root)
        if keyword == "anyOf":
            merged.any_of = tuple(distinct)
        else:
            merged.all_of = tuple(distinct)
        around.made.setdefault(name, merged)
    return around.made[name]


def _names_free_keys(part: SchemaNode) -> bool:
    """Whether a schema says of itself that undeclared keys may stand in it."""
    return bool(part.pattern_properties) or (
        part.keyword("additionalProperties") is not None and not (part.additional is not None and part.additional.never)
    )


def _items_at(parts: Iterable[SchemaNode], index: int) -> Iterator[SchemaNode]:
    for part in parts:
        if index < len(part.prefix_items):
            yield part.prefix_items[index]
        elif part.items is not None:
            yield part.items


def _effective_types(node: SchemaNode, known: dict[int, frozenset[str]]) -> frozenset[str]:
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = ALL_TYPES  # while it is being found: a schema that refers to itself asks nothing by that
    types = frozenset() if node.never else node.own_types
    if node.enum is not None:
        types &= {json_type(value) for value in node.enum}
    for part in node.all_of:
        types &= _effective_types(part, known)
    for group in (node.any_of, node.one_of):
        if group:
            types &= frozenset[str]().union(*(_effective_types(branch, known) for branch in group))
    known[id(node)] = types
    return types


def _choices(node: SchemaNode, known: dict[int, tuple[JsonValue, ...] | None]) -> tuple[JsonValue, ...] | None:
    if id(node) in known:
        return known[id(node)]
    known[id(node)] = None
    known[id(node)] = found = _listed(node, known)
    return found


def _listed(node: SchemaNode, known: dict[int, tuple[JsonValue, ...] | None]) -> tuple[JsonValue, ...] | None:
    if node.enum is not None:
        return node.enum
    for part in node.all_of:
        if (found := _choices(part, known)) is not None:
            return found
    for group in (node.any_of, node.one_of):
        listed = [_choices(branch, known) for branch in group]
        if group and all(values is not None for values in listed):
            return tuple(value for values in listed if values for value in values)
    return (None,) if node.own_types == {"null"} else None
