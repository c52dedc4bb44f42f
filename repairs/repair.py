"""The two doors of the layer: mend a text, or mend a value, until it satisfies a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolmend.repairs.engine import Mender
from toolmend.repairs.policy import DEFAULT, RepairPolicy
from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.rule import RepairRule
from toolmend.repairs.schema import SchemaNode, compile_schema
from toolmend.repairs.text.ladder import mend_text

__all__ = ("repair_json", "repair_value")


def repair_json(
    text: str,
    schema: Mapping[str, JsonValue] | SchemaNode,
    *,
    rules: Sequence[RepairRule] = (),
    policy: RepairPolicy = DEFAULT,
    complete: bool | None = None,
) -> Mended:
    """Read a model's text as JSON and mend it until it satisfies a schema.

    Args:
        text: what the model wrote.
        schema: a JSON Schema; compile it once with `compile_schema` where many texts are mended.
        rules: repair rules of your own; they are asked before the built-in ones.
        policy: which repairs are allowed.
        complete: True if the model is known to have stopped by itself, False if it was cut off, None if unknown.

    Returns:
        The value, and every change on record.

    Raises:
        NotJsonError: if no reading of the text is JSON.
        CutOffError: if the text stops in the middle.
        AmbiguousError: if two different readings are valid.
        SchemaMismatchError: if it is JSON, and breaks the schema.
        LimitError: if it is too long, too deep, or takes too much work.
        SchemaError: if the schema cannot be used, or a rule does not fit it.
    """
    return mend_text(text, _mender(schema, rules, policy), complete=complete)


def repair_value(
    value: JsonValue,
    schema: Mapping[str, JsonValue] | SchemaNode,
    *,
    rules: Sequence[RepairRule] = (),
    policy: RepairPolicy = DEFAULT,
) -> Mended:
    """Mend a value that was read already until it satisfies a schema.

    Args:
        value: any JSON value; it is not changed.
        schema: a JSON Schema; compile it once with `compile_schema` where many values are mended.
        rules: repair rules of your own; they are asked before the built-in ones.
        policy: which repairs are allowed.

    Returns:
        The value, the very object given if it is valid, and every change on record.

    Raises:
        AmbiguousError: if it could be mended to several different values.
        SchemaMismatchError: if it breaks the schema in a way that no allowed repair mends.
        LimitError: if it is nested too deep, or has too many faults.
        SchemaError: if the schema cannot be used, or a rule does not fit it.
    """
    return _mender(schema, rules, policy).mend(value)


def _mender(schema: Mapping[str, JsonValue] | SchemaNode, rules: Sequence[RepairRule], policy: RepairPolicy) -> Mender:
    node = schema if isinstance(schema, SchemaNode) else compile_schema(schema)
    return Mender(node, rules=rules, policy=policy)
