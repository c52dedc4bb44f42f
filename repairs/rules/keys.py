"""Rules for the keys of an object: spelled otherwise, unknown, or saying what is no argument."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toolmend.repairs._node import normalise_name
from toolmend.repairs.rules._names import is_near_miss, likeness
from toolmend.repairs.rules.info import RuleInfo
from toolmend.repairs.rules.lists import looks_like_json

if TYPE_CHECKING:
    from toolmend.repairs._node import SchemaNode
    from toolmend.repairs.record import JsonValue, Path, RepairKind

__all__ = ("ARGUMENT_KEYS", "KEY_RULES", "NARRATION", "KeyEdit", "KeyRule", "Keys", "is_own_name")

NARRATION: Final = frozenset(
    {"thought", "thoughts", "thinking", "reasoning", "rationale", "explanation", "reason", "comment"}
)
"""Keys under which models think aloud among the arguments."""

NAME_KEYS: Final = ("name", "tool", "request", "function")
"""Keys under which models repeat the name of the tool among its arguments."""

ARGUMENT_KEYS: Final = frozenset({"arguments", "parameters", "args", "input", "tool_arguments", "properties"})
"""Keys that models put around all arguments."""

_PLAIN_NAME: Final = re.compile(r"[^\W\d][\w-]{0,99}")
_IDLE: Final = frozenset("_-.:'\"`*‐‑")
_AS_IT_STANDS: Final = -1
_LOSSLESS: Final = 0


@dataclass(frozen=True, slots=True)
class KeyEdit:
    """One change of an object's keys.

    Attributes:
        old: the keys that go.
        new: the key that comes in the place of the first of them; None if they are only dropped.
        value: what stands under the new key.
        kind: how safe it is.
    """

    old: tuple[str, ...]
    new: str | None
    value: JsonValue
    kind: RepairKind


@dataclass(slots=True)
class Keys:
    """The keys of one object as they stand.

    Attributes:
        node: the schema of the object.
        path: where it is.
        value: the object; not to be changed.
        unknown: keys that are not declared, in order.
        missing: required keys that are not there.
        tool: the name of the tool, if it is known.
        closed: whether unknown keys are forbidden.
        in_union: whether the object is, or is in, a branch of a union: which keys it has may tell the branch.
        known: all keys that may be meant: the declared ones, and in a union those of the other branches.
        fits: how safely a value can be made to fit under a key: the rank of its repairs, None if not.
    """

    node: SchemaNode
    path: Path
    value: dict[str, JsonValue]
    unknown: list[str]
    missing: list[str]
    tool: str | None
    closed: bool
    in_union: bool
    known: Collection[str]
    fits: Callable[[str, JsonValue], int | None]

    def rename(self, old: str, new: str) -> KeyEdit:
        """The edit that puts a value under another key."""
        return KeyEdit((old,), new, self.value[old], "inferred")

    def drop(self, key: str, kind: RepairKind = "lossless") -> KeyEdit:
        """The edit that drops a key with its value."""
        return KeyEdit((key,), None, None, kind)


@dataclass(frozen=True, slots=True)
class KeyRule:
    """A built-in rule that looks at all keys of an object at once: some of them only make sense together.

    Attributes:
        info: its name, sentence and example.
        edits: what it would change.
    """

    info: RuleInfo
    edits: Callable[[Keys], Iterable[KeyEdit]]


def is_own_name(value: JsonValue, tool: str | None) -> bool:
    """Whether a value is the name of the tool, in any spelling and with a namespace before it or not.

    Args:
        value: what stands under a name key.
        tool: the tool's name.
    """
    if tool is None or not isinstance(value, str):
        return False
    return normalise_name(tool) in {normalise_name(value), normalise_name(value.rpartition(".")[2])}


def _own_name(keys: Keys) -> Iterator[KeyEdit]:
    for key in keys.unknown if not keys.path and not keys.node.free_keys else ():
        if key in NAME_KEYS and is_own_name(keys.value[key], keys.tool):
            yield keys.drop(key)


def _spelling(keys: Keys) -> Iterator[KeyEdit]:
    targets = {key: keys.node.spellings.get(normalise_name(key)) for key in keys.unknown if _is_spelling(key)}
    claims = Counter(targets.values())
    for key, target in targets.items():
        if target is not None and target not in keys.value and claims[target] == 1:
            yield keys.rename(key, target)


def _is_spelling(key: str) -> bool:
    """Whether a key is letters and digits with signs that mean nothing; `!force` is no spelling of `force`."""
    return all(sign.isalnum() or sign.isspace() or sign in _IDLE or unicodedata.combining(sign) for sign in key)


def _dotted(keys: Keys) -> Iterator[KeyEdit]:
    groups: dict[str, list[str]] = {}
    for key in keys.unknown:
        head, dot, rest = key.partition(".")
        if dot and all(rest.split(".")) and head in keys.node.members and head not in keys.value:
            groups.setdefault(head, []).append(key)
    for head, members in groups.items():
        nested = _nested({key.partition(".")[2]: keys.value[key] for key in members})
        if nested is not None and keys.fits(head, nested) in _SAFE:
            yield KeyEdit(tuple(members), head, nested, "inferred")


def _nested(flat: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
    """An object out of dotted keys; None if one of them runs into a value of another."""
    root: dict[str, JsonValue] = {}
    for dotted, value in flat.items():
        *way, last = dotted.split(".")
        node = root
        for step in way:
            node = node.setdefault(step, {})
            if not isinstance(node, dict):
                return None
        if last in node:
            return None
        node[last] = value
    return root


def _slip(keys: Keys) -> Iterator[KeyEdit]:
    if keys.node.free_keys:
        return
    optional = [key for key in keys.node.members if key not in keys.value and key not in keys.node.required_members]
    unknown = [key for key in keys.unknown if key not in keys.known][:_MOST_COMPARED]
    near = {key: [other for other in optional if is_near_miss(key, other)] for key in unknown}
    claims = Counter(other for others in near.values() for other in others)
    for key, others in near.items():
        if len(others) == 1 and claims[others[0]] == 1 and keys.fits(others[0], keys.value[key]) in _SAFE:
            yield keys.rename(key, others[0])


_SAFE: Final = (_AS_IT_STANDS, _LOSSLESS)
_MOST_COMPARED: Final = 20
"""Unknown keys that are compared with the declared ones; an object with more of them is no call with a slip in it."""


def _lone_key(keys: Keys) -> Iterator[KeyEdit]:
    if len(keys.unknown) != 1 or len(keys.missing) != 1 or keys.node.free_keys:
        return
    [key], [wanted] = keys.unknown, keys.missing
    value = keys.value[key]
    if value is None or isinstance(value, bool) or normalise_name(key) in NARRATION or not _PLAIN_NAME.fullmatch(key):
        return
    if (key in ARGUMENT_KEYS or is_own_name(key, keys.tool)) and _holds_all(value, keys.node):
        return
    if keys.fits(wanted, value) == _AS_IT_STANDS and not _means_another(keys, key, wanted):
        yield keys.rename(key, wanted)


def _holds_all(value: JsonValue, schema: SchemaNode) -> bool:
    """Whether a value under the key of an envelope is more likely all arguments than one of them."""
    if isinstance(value, dict):
        return not schema.members.keys().isdisjoint(value)
    return isinstance(value, str) and looks_like_json(value)


def _means_another(keys: Keys, key: str, wanted: str) -> bool:
    """Whether a key resembles another declared key too much to be meant for the missing one."""
    likeness_to_wanted = likeness(key, wanted)
    for other in keys.known:
        found = likeness(key, other) if other != wanted else 0
        optional = other not in keys.node.required_members
        if found > likeness_to_wanted or (optional and found == likeness_to_wanted > 0):
            return True
    return False


def _narration(keys: Keys) -> Iterator[KeyEdit]:
    if (keys.path and keys.in_union) or keys.missing or not keys.closed:
        return
    spoken = [key for key in keys.unknown if normalise_name(key) in NARRATION]
    for key in spoken[:_MOST_COMPARED]:
        if not any(likeness(key, declared) > 1 for declared in keys.known):
            yield keys.drop(key)


def _drop_unknown(keys: Keys) -> Iterator[KeyEdit]:
    for key in keys.unknown if keys.closed else ():
        yield keys.drop(key, "lossy")


def _object(required: str, **properties: str) -> dict[str, JsonValue]:
    """A small schema for an example."""
    return {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": required.split(),
        "additionalProperties": False,
    }


KEY_RULES: Final = (
    KeyRule(
        RuleInfo(
            "own-name-key",
            "A key `name`, `tool`, `request` or `function` that holds the tool's own name and that the tool lacks is "
            "dropped.",
            _object("number", number="integer"),
            {"request": "square", "number": 7},
            {"number": 7},
            "lossless",
            tool="square",
        ),
        _own_name,
    ),
    KeyRule(
        RuleInfo(
            "key-spelling",
            "A key that differs from one declared key only in case, accents and signs between words takes its name.",
            _object("file_path", file_path="string", max_lines="integer"),
            {"filePath": "a.txt", "max-lines": 5},
            {"file_path": "a.txt", "max_lines": 5},
            "inferred",
        ),
        _spelling,
    ),
    KeyRule(
        RuleInfo(
            "dotted-key",
            "Keys with dots become the object that they spell out if it fits.",
            {
                "type": "object",
                "properties": {"slot": _object("start room", start="string", room="integer")},
                "required": ["slot"],
                "additionalProperties": False,
            },
            {"slot.start": "09:30", "slot.room": 4},
            {"slot": {"start": "09:30", "room": 4}},
            "inferred",
        ),
        _dotted,
    ),
    KeyRule(
        RuleInfo(
            "key-slip",
            "An unknown key with one slip in a long word takes the name of the one optional key it is near to.",
            _object("path", path="string", encoding="string"),
            {"path": "a.txt", "encodng": "utf-8"},
            {"path": "a.txt", "encoding": "utf-8"},
            "inferred",
        ),
        _slip,
    ),
    KeyRule(
        RuleInfo(
            "lone-key",
            "The only unknown key takes the name of the only missing one if its value fits as it is and is neither "
            "boolean nor null, the key resembles no other, and the schema does not welcome keys that it lacks.",
            _object("path content", path="string", content="string"),
            {"file": "notes.txt", "content": "buy milk"},
            {"path": "notes.txt", "content": "buy milk"},
            "inferred",
        ),
        _lone_key,
    ),
    KeyRule(
        RuleInfo(
            "narration-key",
            "A key under which the model thinks aloud (`thought`, `reasoning`, `explanation`, ...) is dropped if the "
            "object lacks it and nothing is missing; within a union it stays.",
            _object("query", query="string"),
            {"reasoning": "the user asked", "query": "ferries"},
            {"query": "ferries"},
            "lossless",
        ),
        _narration,
    ),
    KeyRule(
        RuleInfo(
            "drop-unknown-key",
            "Any other unknown key is dropped; it may have carried meaning, so a policy has to allow this by name.",
            _object("path", path="string"),
            {"path": "a.txt", "colour": "red"},
            {"path": "a.txt"},
            "lossy",
        ),
        _drop_unknown,
    ),
)
"""Rules for keys, in the order in which they are asked."""
