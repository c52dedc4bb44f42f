"""Rules that the author of a tool declares: what is known about the models that call it, said once.

They come before our own rules, and what they do counts as lossless: their author has decided it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from toolmend.repairs._node import SchemaNode, json_type, normalise_name
from toolmend.repairs.errors import RuleMismatchError
from toolmend.repairs.problems import describe, listed, shown
from toolmend.repairs.rule import Candidate, Violation
from toolmend.repairs.rules.info import RuleInfo
from toolmend.repairs.values import json_text, same

if TYPE_CHECKING:
    from toolmend.repairs.record import JsonValue, Path
    from toolmend.repairs.rule import RepairRule

__all__ = ("DECLARED_INFOS", "BareString", "DropKey", "JsonText", "MapValue", "RenameKey", "SplitList")


@dataclass(frozen=True, slots=True)
class RenameKey:
    """Another spelling of a key.

    Attributes:
        spelling: the key that the model writes, in any case.
        to: the declared key; keys of inner objects are joined by dots.
    """

    name: ClassVar[str] = "rename-key"
    spelling: str
    to: str

    @property
    def aliases(self) -> Mapping[str, str]:
        """The spelling with the key that it stands for."""
        return {self.spelling: self.to.rpartition(".")[2]}

    def bind(self, schema: SchemaNode) -> None:
        """Check the rule against the tool.

        Args:
            schema: the tool's schema.

        Raises:
            RuleMismatchError: if the key is not declared, or the spelling is a key of its own.
        """
        _resolve(self, schema, self.to)
        around = _around(schema, self.to)
        if self.spelling in around.members:
            raise RuleMismatchError(f"{self}: {self.spelling!r} is a field of the tool itself")

    def __call__(self, violation: Violation, /) -> Iterator[Candidate]:
        """Offer the object with the key renamed; if both keys are there they must hold the same.

        Args:
            violation: what is wrong.
        """
        value, (parent, _, target) = violation.value, self.to.rpartition(".")
        if not _is_at(violation.path, parent):
            return
        for key in self._spelled(violation, target):
            if target not in value:
                yield Candidate({target if other == key else other: item for other, item in value.items()})
            elif same(value[target], value[key]):
                yield Candidate({other: item for other, item in value.items() if other != key})

    def _spelled(self, violation: Violation, target: str) -> Iterable[str]:
        """The key that is meant, if the violation is about it."""
        wanted = normalise_name(self.spelling)
        if violation.keyword == "additionalProperties" and violation.key is not None:
            return (violation.key,) if normalise_name(violation.key) == wanted else ()
        if violation.keyword != "required" or violation.key != target:
            return ()
        return [key for key in violation.value if normalise_name(key) == wanted][:1]


@dataclass(frozen=True, slots=True)
class BareString:
    """Text without an object around it is one of the fields, even without quotes.

    Attributes:
        field: the key of a field that takes text.
    """

    name: ClassVar[str] = "bare-string"
    bare_text: ClassVar[bool] = True
    field: str

    def bind(self, schema: SchemaNode) -> None:
        """Check the rule against the tool.

        Args:
            schema: the tool's schema.

        Raises:
            RuleMismatchError: if the field is not declared, or takes no text.
        """
        _resolve(self, schema, self.field, "string")

    def __call__(self, violation: Violation, /) -> Iterator[Candidate]:
        """Offer the object with the text as the one field; text that begins like an object is none.

        Args:
            violation: what is wrong.
        """
        value = violation.value
        if not violation.path and isinstance(value, str) and value.strip() and not _begins_as_json(value):
            yield Candidate({self.field: value})


@dataclass(frozen=True, slots=True)
class JsonText:
    """An object or list where a field wants text becomes its JSON text.

    The text is written anew, with `", "` and `": "` between the tokens; numbers and letters of all scripts stay as they
    were written.

    Attributes:
        field: the key of a field that takes text; keys of inner objects are joined by dots.
    """

    name: ClassVar[str] = "json-as-text"
    field: str

    def bind(self, schema: SchemaNode) -> None:
        """Check the rule against the tool.

        Args:
            schema: the tool's schema.

        Raises:
            RuleMismatchError: if the field is not declared, or takes no text.
        """
        _resolve(self, schema, self.field, "string")

    def __call__(self, violation: Violation, /) -> Iterator[Candidate]:
        """Offer the JSON text of an object or list.

        Args:
            violation: what is wrong.
        """
        if isinstance(violation.value, (dict, list)) and _is_at(violation.path, self.field):
            yield Candidate(json_text(violation.value))


@dataclass(frozen=True, slots=True)
class DropKey:
    """A key that the model adds and that means nothing.

    Attributes:
        key: the key; those of inner objects come before it, joined by dots.
    """

    name: ClassVar[str] = "drop-key"
    key: str

    def bind(self, schema: SchemaNode) -> None:
        """Check the rule against the tool.

        Args:
            schema: the tool's schema.

        Raises:
            RuleMismatchError: if the key is a field of the tool, or the object that it is in is not declared.
        """
        if self.key.rpartition(".")[2] in _around(schema, self.key, self).members:
            raise RuleMismatchError(f"{self}: {self.key!r} is a field of the tool itself")

    def __call__(self, violation: Violation, /) -> Iterator[Candidate]:
        """Offer the object without the key.

        Args:
            violation: what is wrong.
        """
        parent, _, key = self.key.rpartition(".")
        unknown = violation.keyword == "additionalProperties" and violation.key == key
        if unknown and _is_at(violation.path, parent):
            yield Candidate({other: item for other, item in violation.value.items() if other != key})


@dataclass(frozen=True, slots=True)
class SplitList:
    """Text where a field wants a list is its items with a separator between them.

    Attributes:
        field: the key of a field that takes a list; keys of inner objects are joined by dots.
        separator: what stands between two items; blanks around an item are taken off.
    """

    name: ClassVar[str] = "split-list"
    field: str
    separator: str = ","

    def bind(self, schema: SchemaNode) -> None:
        """Check the rule against the tool.

        Args:
            schema: the tool's schema.

        Raises:
            RuleMismatchError: if the field is not declared, or takes no list, or the separator is empty.
        """
        _resolve(self, schema, self.field, "array")
        if not self.separator:
            raise RuleMismatchError(f"{self}: the separator must not be empty")

    def __call__(self, violation: Violation, /) -> Iterator[Candidate]:
        """Offer the parts of a text; text that is a JSON list is left to be decoded.

        Args:
            violation: what is wrong.
        """
        value = violation.value
        if isinstance(value, str) and _is_at(violation.path, self.field) and not _begins_as_json(value):
            parts = [part.strip() for part in value.split(self.separator)]
            yield Candidate([part for part in parts if part])


@dataclass(frozen=True, slots=True)
class MapValue:
    """Values that the model writes for a field, and the values that they stand for.

    Attributes:
        field: the key of the field; keys of inner objects are joined by dots.
        values: what is given, with what is wanted instead.
    """

    name: ClassVar[str] = "map-value"
    field: str
    values: Mapping[JsonValue, JsonValue]

    def bind(self, schema: SchemaNode) -> None:
        """Check the rule against the tool.

        Args:
            schema: the tool's schema.

        Raises:
            RuleMismatchError: if the field is not declared, or does not take one of the wanted values.
        """
        node = _resolve(self, schema, self.field)
        for wanted in self.values.values():
            fits = node.allows(json_type(wanted)) and (node.choices is None or _is_among(wanted, node.choices))
            item = node.item(0)
            if not fits and not (item is not None and item.allows(json_type(wanted))):
                raise RuleMismatchError(f"{self}: the field is {describe(node)}, never {shown(wanted)}")

    def __call__(self, violation: Violation, /) -> Iterator[Candidate]:
        """Offer the value that the given one stands for.

        Args:
            violation: what is wrong.
        """
        if not isinstance(violation.value, (dict, list)) and _is_at(violation.path, self.field):
            for given, wanted in self.values.items():
                if same(given, violation.value):
                    yield Candidate(wanted)


# ---------------------------------------------------------------------- fields by path


def _is_at(path: Path, field_path: str) -> bool:
    """Whether a path leads to a field; items of lists on the way count as the list."""
    return ".".join(part for part in path if isinstance(part, str)) == field_path


def _is_among(value: JsonValue, choices: Iterable[JsonValue]) -> bool:
    return any(same(value, choice) for choice in choices)


def _begins_as_json(text: str) -> bool:
    """Whether a text begins like an object or a list of values; `[name=q]` begins like neither."""
    start = text.lstrip()[:20]
    return start.startswith("{") or re.match(r'\[\s*([\]{\["]|-?\d)', start) is not None


def _resolve(rule: object, schema: SchemaNode, field_path: str, kind: str | None = None) -> SchemaNode:
    """The schema of a field.

    Args:
        rule: the rule that asks.
        schema: the tool's schema.
        field_path: its key, or keys joined by dots.
        kind: a type that the field, or an item of it, must take.

    Raises:
        RuleMismatchError: if the tool has no such field, or it does not take the type.
    """
    node = schema
    for key in field_path.split("."):
        node = _opened(node, key)
        if key not in node.members:
            known = listed(node.members) or "none"
            raise RuleMismatchError(f"{rule}: there is no field {field_path!r}; known fields: {known}")
        node = node.members[key]
    item = node.item(0)
    if kind is not None and not node.allows(kind) and not (item is not None and item.allows(kind)):
        raise RuleMismatchError(f"{rule}: the field takes no {kind}; it is {describe(node)}")
    return node


def _around(schema: SchemaNode, field_path: str, rule: object = None) -> SchemaNode:
    """The schema of the object that a field is in."""
    parent, _, key = field_path.rpartition(".")
    return _opened(_resolve(rule, schema, parent) if parent else schema, key)


def _opened(node: SchemaNode, key: str) -> SchemaNode:
    """The schema of the items, where a list stands between an object and its key."""
    for _ in range(_MOST_LISTS):
        item = node.item(0)
        if key in node.members or node.members or item is None:
            break
        node = item
    return node


_MOST_LISTS: Final = 8


# ---------------------------------------------------------------------- in words


def _example(
    name: str, sentence: str, declared: RepairRule, given: JsonValue, wanted: JsonValue, **properties: JsonValue
) -> RuleInfo:
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return RuleInfo(name, sentence, schema, given, wanted, "lossless", declared=(declared,))


_TEXT: Final = {"type": "string"}

DECLARED_INFOS: Final = (
    _example(
        "rename-key",
        "`RenameKey(spelling, to=)`: a key that the model writes stands for a declared one.",
        RenameKey("element", to="selector"),
        {"element": "#name", "value": "Ann"},
        {"selector": "#name", "text": "Ann"},
        selector=_TEXT,
        text=_TEXT,
    ),
    _example(
        "bare-string",
        "`BareString(field)`: text without an object around it, quoted or not, is the field.",
        BareString("selector"),
        "[name=q]",
        {"selector": "[name=q]"},
        selector=_TEXT,
    ),
    _example(
        "json-as-text",
        "`JsonText(field)`: an object or list where the field wants text becomes its JSON text.",
        JsonText("body"),
        {"body": {"lang": "en"}},
        {"body": '{"lang": "en"}'},
        body=_TEXT,
    ),
    _example(
        "drop-key",
        "`DropKey(key)`: a key that the model adds and that means nothing is dropped.",
        DropKey("session"),
        {"selector": "#go", "session": 7},
        {"selector": "#go"},
        selector=_TEXT,
    ),
    _example(
        "split-list",
        "`SplitList(field, separator=)`: text where the field wants a list is split at the separator.",
        SplitList("tags"),
        {"tags": "red, green"},
        {"tags": ["red", "green"]},
        tags={"type": "array", "items": _TEXT},
    ),
    _example(
        "map-value",
        "`MapValue(field, {given: wanted})`: a value that the model writes stands for another.",
        MapValue("button", {"primary": "left"}),
        {"button": "primary"},
        {"button": "left"},
        button={"enum": ["left", "right"]},
    ),
)
