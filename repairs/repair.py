"""The two doors of the layer: mend a text, or mend a value, until it satisfies a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import UsageError
from toolmend.repairs.policy import DEFAULT, PolicyLike, policy_of
from toolmend.repairs.record import JsonValue, Mended, counted
from toolmend.repairs.rule import RepairRule
from toolmend.repairs.schema import SchemaNode, compile_schema
from toolmend.repairs.text.ladder import mend_text

__all__ = ("repair_json", "repair_value")


def repair_json(
    text: str,
    schema: Mapping[str, JsonValue] | SchemaNode,
    *,
    rules: Sequence[RepairRule] = (),
    policy: PolicyLike = DEFAULT,
    complete: bool | None = None,
) -> Mended:
    """Read a model's text as JSON and mend it until it satisfies a schema.

    Args:
        text: what the model wrote.
        schema: a JSON Schema; compile it once with `compile_schema` where many texts are mended.
        rules: repair rules of your own; they are asked before the built-in ones.
        policy: which repairs are allowed; a policy, or `strict`, `lossless` or `default`.
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
        UsageError: if the text is no string, or the policy is none.
    """
    if not isinstance(text, str):
        raise UsageError(f"text must be a str, got {type(text).__name__}")
    mender = _mender(schema, rules, policy)
    return _counted(mend_text(text, mender, complete=complete), mender)


def repair_value(
    value: JsonValue,
    schema: Mapping[str, JsonValue] | SchemaNode,
    *,
    rules: Sequence[RepairRule] = (),
    policy: PolicyLike = DEFAULT,
) -> Mended:
    """Mend a value that was read already until it satisfies a schema.

    Args:
        value: any JSON value; it is not changed.
        schema: a JSON Schema; compile it once with `compile_schema` where many values are mended.
        rules: repair rules of your own; they are asked before the built-in ones.
        policy: which repairs are allowed; a policy, or `strict`, `lossless` or `default`.

    Returns:
        The value, the very object given if it is valid, and every change on record.

    Raises:
        AmbiguousError: if it could be mended to several different values.
        SchemaMismatchError: if it breaks the schema in a way that no allowed repair mends.
        LimitError: if it is nested too deep, or has too many faults.
        SchemaError: if the schema cannot be used, or a rule does not fit it.
        UsageError: if the policy is none.
    """
    mender = _mender(schema, rules, policy)
    return _counted(mender.mend(value), mender)


def _counted(mended: Mended, mender: Mender) -> Mended:
    """The same, with no more records than the policy keeps one by one."""
    repairs = counted(mended.repairs, mender.policy.limits.records)
    return mended if repairs is mended.repairs else replace(mended, repairs=repairs)


def _mender(schema: Mapping[str, JsonValue] | SchemaNode, rules: Sequence[RepairRule], policy: PolicyLike) -> Mender:
    node = schema if isinstance(schema, SchemaNode) else compile_schema(schema)
    return Mender(node, rules=rules, policy=policy_of(policy))
