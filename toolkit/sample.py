"""Right arguments made up from a schema, for a model that did not get by with the form of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import ToolmendError
from toolmend.repairs.record import JsonValue
from toolmend.toolkit.validation import ArgumentsError

if TYPE_CHECKING:
    from toolmend.repairs.schema import SchemaNode
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("sample_arguments",)

MAX_LEVELS: Final = 6
"""Deepest level that is filled in: a schema may refer to itself."""

_VALUES: Final[dict[str, JsonValue]] = {"string": "text", "number": 1.5, "integer": 1, "boolean": True, "null": None}


def sample_arguments(spec: ToolSpec) -> dict[str, JsonValue] | None:
    """Arguments that the tool takes: those of its first example, else made up.

    Args:
        spec: the tool.

    Returns:
        The arguments; None if none could be made up that are valid.
    """
    if spec.examples:
        return dict(spec.examples[0].arguments)
    made = _sample(spec.node, 0)
    if not isinstance(made, dict):
        return None
    try:
        if spec.mender.check(made):
            return None
        spec.validator(made)
    except (ArgumentsError, ToolmendError):
        return None
    return made


def _sample(node: SchemaNode, level: int) -> JsonValue:
    """A value that probably fits; whether it does is looked at in the end."""
    if node.choices:
        return node.choices[0]
    branch = next((one for one in node.alternatives if one.types != {"null"}), None)
    if branch is not None and not node.properties and level < MAX_LEVELS:
        return _sample(branch, level + 1)
    if node.allows("object") and (node.members or not node.allows("string")):
        members = node.members.items() if level < MAX_LEVELS else ()
        return {key: _sample(member, level + 1) for key, member in members if key in node.required_members}
    if node.allows("array") and not node.allows("string"):
        item = node.item(0) if level < MAX_LEVELS else None
        return [_sample(item, level + 1)] if item is not None else []
    kind = next((kind for kind in _VALUES if node.allows(kind)), "null")
    least = node.keyword("minimum")
    return least if kind in ("integer", "number") and isinstance(least, (int, float)) else _VALUES[kind]
