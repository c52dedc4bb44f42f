"""Mend a model's JSON until it fits a schema, and keep a record of every repair.

Useful alone, on any JSON Schema:

    mended = repair_json('{"element": "#name", "text": "Ann",}', schema, rules=[RenameKey("element", to="selector")])
    mended.value  # {"selector": "#name", "text": "Ann"}
    mended.repairs  # what was changed, in order
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from toolmend.repairs.engine import Mender
    from toolmend.repairs.errors import (
        AmbiguousError,
        CutOffError,
        LimitError,
        NotJsonError,
        Problem,
        RepairError,
        RuleFailedError,
        RuleMismatchError,
        SchemaError,
        SchemaMismatchError,
        ToolmendError,
        UsageError,
    )
    from toolmend.repairs.judge import Judge
    from toolmend.repairs.policy import DEFAULT, LOSSLESS, STRICT, Limits, RepairPolicy, policy_of
    from toolmend.repairs.record import Mended, Path, Refusal, Repair, RepairKind
    from toolmend.repairs.repair import repair_json, repair_value
    from toolmend.repairs.rule import Candidate, RepairRule, Violation
    from toolmend.repairs.rules.declared import BareString, DropKey, JsonText, MapValue, RenameKey, SplitList
    from toolmend.repairs.schema import SchemaNode, compile_schema

__all__ = (
    "DEFAULT",
    "LOSSLESS",
    "STRICT",
    "AmbiguousError",
    "BareString",
    "Candidate",
    "CutOffError",
    "DropKey",
    "JsonText",
    "Judge",
    "LimitError",
    "Limits",
    "MapValue",
    "Mended",
    "Mender",
    "NotJsonError",
    "Path",
    "Problem",
    "Refusal",
    "RenameKey",
    "Repair",
    "RepairError",
    "RepairKind",
    "RepairPolicy",
    "RepairRule",
    "RuleFailedError",
    "RuleMismatchError",
    "SchemaError",
    "SchemaMismatchError",
    "SchemaNode",
    "SplitList",
    "ToolmendError",
    "UsageError",
    "Violation",
    "compile_schema",
    "policy_of",
    "repair_json",
    "repair_value",
)

# Loaded when they are first asked for, so that a part of the layer never costs the import of the whole.
_HOMES: Final = {
    "AmbiguousError": "toolmend.repairs.errors",
    "BareString": "toolmend.repairs.rules.declared",
    "Candidate": "toolmend.repairs.rule",
    "CutOffError": "toolmend.repairs.errors",
    "DEFAULT": "toolmend.repairs.policy",
    "DropKey": "toolmend.repairs.rules.declared",
    "JsonText": "toolmend.repairs.rules.declared",
    "Judge": "toolmend.repairs.judge",
    "LOSSLESS": "toolmend.repairs.policy",
    "LimitError": "toolmend.repairs.errors",
    "Limits": "toolmend.repairs.policy",
    "MapValue": "toolmend.repairs.rules.declared",
    "Mended": "toolmend.repairs.record",
    "Mender": "toolmend.repairs.engine",
    "NotJsonError": "toolmend.repairs.errors",
    "Path": "toolmend.repairs.record",
    "Problem": "toolmend.repairs.errors",
    "Refusal": "toolmend.repairs.record",
    "RenameKey": "toolmend.repairs.rules.declared",
    "Repair": "toolmend.repairs.record",
    "RepairError": "toolmend.repairs.errors",
    "RepairKind": "toolmend.repairs.record",
    "RepairPolicy": "toolmend.repairs.policy",
    "RepairRule": "toolmend.repairs.rule",
    "RuleFailedError": "toolmend.repairs.errors",
    "RuleMismatchError": "toolmend.repairs.errors",
    "STRICT": "toolmend.repairs.policy",
    "SchemaError": "toolmend.repairs.errors",
    "SchemaMismatchError": "toolmend.repairs.errors",
    "SchemaNode": "toolmend.repairs.schema",
    "SplitList": "toolmend.repairs.rules.declared",
    "ToolmendError": "toolmend.repairs.errors",
    "UsageError": "toolmend.repairs.errors",
    "Violation": "toolmend.repairs.rule",
    "compile_schema": "toolmend.repairs.schema",
    "policy_of": "toolmend.repairs.policy",
    "repair_json": "toolmend.repairs.repair",
    "repair_value": "toolmend.repairs.repair",
}


def __getattr__(name: str) -> object:
    """Load what is exported here on first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The exported names, loaded or not."""
    return sorted({*globals(), *__all__})
