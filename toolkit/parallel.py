"""A call that only holds other calls, as some models write several at once: opened into those calls."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final, Unpack

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError
from toolmend.repairs.record import JsonValue, Repair
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.text.ladder import mend_text
from toolmend.toolkit.names import PARALLEL
from toolmend.toolkit.outcome import CallError, ToolCall
from toolmend.toolkit.pipeline import Origin, fault, kept, parse_arguments, resolve, unknown
from toolmend.toolkit.spec import ToolSpec
from toolmend.toolkit.validation import DictValidator

__all__ = ("open_parallel",)

_USE: Final[Mapping[str, JsonValue]] = {
    "type": "object",
    "properties": {"recipient_name": {"type": "string"}, "parameters": {"type": ["object", "string", "null"]}},
    "required": ["recipient_name", "parameters"],
    "additionalProperties": False,
}
_SCHEMA: Final[Mapping[str, JsonValue]] = {
    "type": "object",
    "properties": {"tool_uses": {"type": "array", "items": _USE, "minItems": 1}},
    "required": ["tool_uses"],
    "additionalProperties": False,
}


def open_parallel(
    arguments: JsonValue,
    tools: Mapping[str, ToolSpec],
    *,
    complete: bool | None = None,
    **origin: Unpack[Origin],
) -> tuple[ToolCall | CallError, ...]:
    """Open a call of `multi_tool_use.parallel` into the calls that it holds, in order.

    The first keeps the id; the others get ids made of it, so that each can be answered.

    Args:
        arguments: its arguments, as text or as a value.
        tools: the registered tools.
        complete: whether the model is known to have stopped by itself, or to have been cut off.
        origin: where the call was found.
    """
    holder = _holder()
    try:
        text = isinstance(arguments, str)
        mended = mend_text(arguments, holder.mender, complete=complete) if text else holder.mender.mend(arguments)
    except RepairError as error:
        return (fault(holder, error, **origin),)
    return tuple(
        _open(use, number, tools, mended.repairs, origin) for number, use in enumerate(mended.value["tool_uses"])
    )


def _open(
    use: dict[str, JsonValue],
    number: int,
    tools: Mapping[str, ToolSpec],
    repairs: tuple[Repair, ...],
    origin: Origin,
) -> ToolCall | CallError:
    """One of the calls held."""
    given = origin.get("id")
    where: Origin = {**origin, "id": f"{given}_{number + 1}" if given is not None and number else given}
    written: str = use["recipient_name"]
    found = resolve(written, tools)
    if found is None:
        return unknown(written, tools, **where)
    spec, mended = found
    opened = Repair("parallel-calls", "lossless", before=PARALLEL, after=spec.name)
    arguments = use["parameters"] if use["parameters"] is not None else ""
    return kept(spec, parse_arguments(spec, arguments, repairs=(*repairs, opened, *mended), **where))


@cache
def _holder() -> ToolSpec:
    """The call that holds others, as a tool."""
    mender = Mender(compile_schema(_SCHEMA), name=PARALLEL)
    return ToolSpec(PARALLEL, "", _SCHEMA, mender, DictValidator(), "schema")
