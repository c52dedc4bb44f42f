"""Calls inside JSON values: which key holds the name, which the arguments, and what may stand beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from toolmend.repairs.errors import AmbiguousError, RepairError, SchemaMismatchError
from toolmend.repairs.record import JsonValue, Path, Repair, snippet
from toolmend.repairs.schema import SchemaNode, compile_schema, normalise_name
from toolmend.toolkit.extract.candidate import Part, Shape
from toolmend.toolkit.extract.keys import ARGUMENT_KEYS, NAME_KEYS, WRAPPER_KEYS
from toolmend.toolkit.extract.source import Source
from toolmend.toolkit.names import PARALLEL, bare_name

if TYPE_CHECKING:
    from toolmend.repairs.text.reading import Reading
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("Layout", "envelope_node", "open_envelope")

MAX_WRAPPERS: Final = 4
"""Most wrappers around a call; deeper ones are data."""

_IDS: Final = ("id", "tool_call_id", "call_id")
_NARRATION: Final = ("thought", "thoughts", "thinking", "reasoning", "rationale", "explanation", "reason", "comment")
_BESIDE: Final = frozenset({*_IDS, *_NARRATION, "type", "index", "role"})
"""Keys that may stand beside a name and its arguments without meaning anything for the call."""

_TYPES: Final = frozenset({"function", "function_call", "tool_call", "tool_use"})
"""What `type` says in an envelope."""

_ANYTHING: Final = compile_schema({})
_NOTHING: Final = compile_schema(schema=False)
_TEXT: Final = compile_schema({"type": "string"})


# ---------------------------------------------------------------------- the schema of an envelope


Layout: TypeAlias = Literal["named", "flat", "wrapped"]
"""How an object is put down: arguments under a key of their own, beside the name, or in an object within."""


def envelope_node(tool: ToolSpec, layout: Layout) -> SchemaNode:
    """The schema of what stands around a call of one tool, so that a reader of text knows which key belongs where.

    Args:
        tool: the tool that is called.
        layout: how the call is put down.
    """
    node = _object_node(tool.node)
    node.properties = dict.fromkeys(_BESIDE, _ANYTHING)
    node.additional = _NOTHING
    if layout == "wrapped":
        inner = envelope_node(tool, "named")
        either = _either(inner, node, tool.node)
        node.properties |= {"content": _ANYTHING, "function": inner, "tool_call": either, "function_call": inner}
        node.properties |= dict.fromkeys(("tool_calls", "tool_uses"), _list_node(either))
        return node
    node.properties |= dict.fromkeys(NAME_KEYS, _TEXT)
    node.properties |= dict.fromkeys(ARGUMENT_KEYS, tool.node)
    if layout == "flat":
        for key, member in tool.node.members.items():
            beside = node.properties.get(key)
            node.properties[key] = member if beside is None else _either(member, beside, tool.node)
        node.additional = None if tool.node.free_keys else _NOTHING
    return node


def _object_node(around: SchemaNode) -> SchemaNode:
    node = SchemaNode({"type": "object"}, around.pointer, around.root)
    node.own_types = frozenset({"object"})
    return node


def _list_node(item: SchemaNode) -> SchemaNode:
    node = SchemaNode({"type": "array"}, item.pointer, item.root)
    node.own_types = frozenset({"array"})
    node.items = item
    return node


def _either(one: SchemaNode, other: SchemaNode, around: SchemaNode) -> SchemaNode:
    node = SchemaNode({"anyOf": [{}, {}]}, around.pointer, around.root)
    node.any_of = (one, other)
    return node


# ---------------------------------------------------------------------- opening


@dataclass(frozen=True, slots=True)
class _Call:
    """A call within a value, with the path of its arguments."""

    name: str | None
    arguments: JsonValue
    path: Path
    shape: Shape
    id: str | None = None
    fault: RepairError | None = None
    repairs: tuple[Repair, ...] = ()


def open_envelope(source: Source, reading: Reading, start: int) -> tuple[Part, ...]:
    """The calls that a JSON value holds; an object that is none is a part without a name.

    Args:
        source: the text, with the registered tools.
        reading: the value as it was read.
        start: where it begins in the text.
    """
    span = (start, reading.end)
    return tuple(_part(call, reading, span) for call in _open(source, reading.value, (), 0))


def _part(call: _Call, reading: Reading, span: tuple[int, int]) -> Part:
    """A call with what was forgiven, its places told from the arguments on."""
    depth = len(call.path)
    repairs = tuple(
        replace(repair, path=repair.path[depth:]) if repair.path[:depth] == call.path else replace(repair, path=())
        for repair in reading.repairs
    )
    unclosed = tuple(path[depth:] for path in reading.unclosed if path[:depth] == call.path)
    arguments = call.arguments
    if not isinstance(arguments, dict) and call.shape is not Shape.NAMELESS:
        arguments = json.dumps(arguments, ensure_ascii=False)
    return Part(call.name, arguments, span, call.shape, call.id, (*repairs, *call.repairs), unclosed, call.fault)


def _open(source: Source, value: JsonValue, path: Path, depth: int) -> list[_Call]:
    if isinstance(value, list) and depth <= MAX_WRAPPERS:
        return [call for index, item in enumerate(value) for call in _open(source, item, (*path, index), depth + 1)]
    if not isinstance(value, dict):
        return [_Call(None, value, path, Shape.NAMELESS)]
    key = _name_key(source, value)
    if isinstance(key, AmbiguousError):
        return [_Call(None, value, path, Shape.ENVELOPE, fault=key)]
    argument_key = next((name for name in ARGUMENT_KEYS if name in value and name != key), None)
    if key is not None and argument_key is not None:
        return _named(source, value, path, (key, argument_key), depth)
    tool = source.tool(value[key]) if key is not None else None
    wrapper = _wrapper_key(value, tool)
    if wrapper is not None and depth < MAX_WRAPPERS:
        return _wrapped(source, value, wrapper, path, depth)
    if key is not None:
        return [_flat(value, key, tool, path)]
    return _keyed(source, value, path) or _contained(source, value, path, depth)


def _name_key(source: Source, value: Mapping[str, JsonValue]) -> str | AmbiguousError | None:
    """The key that holds the name of the tool: the one whose value is registered, where there are several."""
    keys = [key for key in NAME_KEYS if isinstance(value.get(key), str)]
    known = {key: tool for key in keys if (tool := source.tool(value[key])) is not None}
    if len({tool.name for tool in known.values()}) > 1:
        fitting = [key for key, tool in known.items() if set(keys) - {key} <= set(tool.node.members)]
        if len(fitting) != 1:
            listed = " and ".join(f"{key!r}: {value[key]!r}" for key in known)
            return AmbiguousError(f"two tools are named in one call: {listed}", expected="one name")
        return fitting[0]
    if known:
        return next(iter(known))
    return "name" if "name" in keys else next(iter(keys), None)


def _wrapper_key(value: Mapping[str, JsonValue], tool: ToolSpec | None) -> str | None:
    """The key that holds whole calls, unless the tool itself has a member of that name."""
    for key in WRAPPER_KEYS:
        if isinstance(value.get(key), (dict, list)) and (tool is None or key not in tool.node.members):
            return key
    return None


def _wrapped(source: Source, value: Mapping[str, JsonValue], wrapper: str, path: Path, depth: int) -> list[_Call]:
    """The calls under a key that holds whole calls, faulty ones if what stands beside it would be lost."""
    calls = _open(source, value[wrapper], (*path, wrapper), depth + 1)
    lost = [key for key, item in value.items() if key != wrapper and _is_of_call(source, key, item, depth)]
    if not lost:
        return calls
    listed = ", ".join(map(repr, lost[:5]))
    message = f"{listed} beside {wrapper!r} would be lost"
    fault = SchemaMismatchError(message, given=listed, expected="each call with its arguments, one after the other")
    return [replace(call, fault=fault) for call in calls]


def _is_of_call(source: Source, key: str, item: JsonValue, depth: int) -> bool:
    """Whether a member beside whole calls belongs to a call: a name, arguments, or further calls."""
    if key in NAME_KEYS and isinstance(item, str):
        return source.tool(item) is not None
    if not item or not isinstance(item, (dict, list)):
        return False
    if key in ARGUMENT_KEYS or (isinstance(item, dict) and key in source.tools):
        return True
    return key in WRAPPER_KEYS and any(
        source.tool(call.name) is not None for call in _open(source, item, (), depth + 1)
    )


def _named(
    source: Source, value: Mapping[str, JsonValue], path: Path, keys: tuple[str, str], depth: int
) -> list[_Call]:
    """A name key beside an argument key."""
    key, argument_key = keys
    name, arguments = value[key], value[argument_key]
    tool = source.tool(name)
    inside = (*path, argument_key)
    if tool is None:
        if bare_name(name) == PARALLEL and isinstance(arguments, dict) and depth < MAX_WRAPPERS:
            return _open(source, arguments, inside, depth + 1)
        shape = Shape.ENVELOPE if _looks_like_arguments(arguments) else Shape.FLAT
        return [_Call(name, arguments, inside, shape, _id(value))]
    flat = _flat(value, key, tool, path)
    if argument_key in tool.node.members and _is_flat(tool, flat.arguments, arguments):
        return [flat]
    beside = _beside(value, name, keys, tool)
    empty = all(value[other] in (None, "", [], {}) and value[other] is not False for other in beside)
    if beside and (not empty or any(tool.node.spellings.get(normalise_name(other)) for other in beside)):
        return [_Call(name, arguments, inside, Shape.ENVELOPE, _id(value), _beside_fault(beside, argument_key))]
    dropped = tuple(
        Repair("empty-member", "lossless", before=snippet(f"{json.dumps(other)}: {json.dumps(value[other])}"))
        for other in beside
    )
    return [_Call(name, arguments, inside, Shape.ENVELOPE, _id(value), repairs=dropped)]


def _beside(value: Mapping[str, JsonValue], name: str, keys: tuple[str, str], tool: ToolSpec) -> list[str]:
    """The keys beside a name and its arguments that may be arguments, too."""
    return [
        key
        for key, item in value.items()
        if key not in keys
        and not (key in NAME_KEYS and item == name)
        and (key not in _BESIDE or (key in tool.node.members and not _is_of_envelope(key, item)))
    ]


def _is_of_envelope(key: str, item: JsonValue) -> bool:
    """Whether a member belongs to the envelope even of a tool that has a parameter of that name."""
    return (key in _IDS and isinstance(item, str)) or (key == "type" and item in _TYPES)


def _is_flat(tool: ToolSpec, flat: JsonValue, inner: JsonValue) -> bool:
    """Whether an object whose argument key is also a member of the tool has the arguments beside the name.

    If what stands under that key fits as the arguments, that is what it is: the usual form goes before the rare one.
    """
    if not tool.mender.check(inner):
        return False
    return not tool.mender.check(flat) or set(flat) <= set(tool.node.members)


def _beside_fault(beside: list[str], argument_key: str) -> SchemaMismatchError:
    listed = ", ".join(map(repr, beside[:5]))
    message = f"{listed} beside {argument_key!r} would be lost; put every argument inside {argument_key!r}"
    return SchemaMismatchError(message, given=listed, expected=f"all arguments inside {argument_key!r}")


def _looks_like_arguments(value: JsonValue) -> bool:
    return value is None or isinstance(value, dict) or (isinstance(value, str) and value.lstrip()[:1] in ("", "{"))


def _flat(value: Mapping[str, JsonValue], key: str, tool: ToolSpec | None, path: Path) -> _Call:
    """The arguments beside the name key; `id` and `type` belong to the envelope unless the schema has them."""
    members = tool.node.members if tool is not None else {}
    arguments = {
        other: item
        for other, item in value.items()
        if other != key and (other not in ("id", "type") or other in members)
    }
    identifier = None if "id" in members else _id(value)
    return _Call(value[key], arguments, path, Shape.FLAT, identifier)


def _keyed(source: Source, value: Mapping[str, JsonValue], path: Path) -> list[_Call]:
    """Calls with the name of the tool as the key of the arguments, if there is no other key."""
    calls: list[_Call] = []
    for key, arguments in value.items():
        call = _under_name(source, key, arguments, path)
        if call is None:
            return []
        calls.append(call)
    return calls


def _under_name(source: Source, key: str, arguments: JsonValue, path: Path) -> _Call | None:
    """The name of a tool as a key, where a marker shows that a call was meant.

    Where nothing but JSON stands in the message it is one, too, if the tool knows all that is under the key.
    """
    tool = source.tool(key)
    if tool is None:
        return None
    if source.marked and (arguments is None or isinstance(arguments, (dict, str))):
        return _Call(key, arguments, (*path, key), Shape.ENVELOPE)
    is_own = isinstance(arguments, dict) and bool(arguments) and set(arguments) <= set(tool.node.members)
    if not is_own or key not in source.tools or not source.is_json or any(isinstance(step, str) for step in path):
        return None
    named = Repair("name-as-key", "lossless", before=snippet(json.dumps(key)), after=key)
    return _Call(key, arguments, (*path, key), Shape.FLAT, repairs=(named,))


def _contained(source: Source, value: Mapping[str, JsonValue], path: Path, depth: int) -> list[_Call]:
    """Calls each under a key of an object around them, if the message is that object and holds nothing else."""
    nothing = [_Call(None, value, path, Shape.NAMELESS)]
    if not (source.marked or source.is_json) or depth >= MAX_WRAPPERS:
        return nothing
    calls: list[_Call] = []
    for key, item in value.items():
        inside = _open(source, item, (*path, key), depth + 1) if isinstance(item, (dict, list)) else []
        if not inside or any(source.tool(call.name) is None for call in inside):
            return nothing
        calls += inside
    return calls if any(_fits(source, call) for call in calls) else nothing


def _fits(source: Source, call: _Call) -> bool:
    """Whether the tool knows the arguments of a call and can run with them, so that it does not only look like one."""
    tool = source.tool(call.name)
    if tool is None or call.fault is not None or not isinstance(call.arguments, dict):
        return False
    if not set(call.arguments) <= set(tool.node.members):
        return False
    try:
        tool.mender.mend(call.arguments)
    except RepairError:
        return False
    return True


def _id(value: Mapping[str, JsonValue]) -> str | None:
    return next((value[key] for key in _IDS if isinstance(value.get(key), str)), None)
