"""What a model wrote, with the tools of one moment: names are found, and the pipeline has the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolmend.repairs.record import JsonValue
from toolmend.toolkit.as_written import UNREAD, call_as_written, decode
from toolmend.toolkit.dialects import dialect_named
from toolmend.toolkit.names import PARALLEL, bare_name
from toolmend.toolkit.outcome import CallError, ParseResult, ToolCall
from toolmend.toolkit.parallel import open_parallel
from toolmend.toolkit.pipeline import Origin, completeness, kept, nameless, parse_arguments, resolve, unknown

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("read_call", "read_text")


def read_call(
    name: str,
    arguments: JsonValue,
    tools: Mapping[str, ToolSpec],
    finish_reason: str | None,
    call_id: str | None,
) -> tuple[ToolCall | CallError, ...]:
    """Read one call made through a provider's API.

    Args:
        name: the name as the model wrote it.
        arguments: the text of the arguments, or their value.
        tools: the registered tools.
        finish_reason: why the model stopped.
        call_id: the id of the call.
    """
    spec = tools.get(name)
    decoded = UNREAD
    if spec is not None and isinstance(arguments, str):
        decoded = decode(arguments, spec.mender.policy.limits.strict_chars)
        call = call_as_written(spec, decoded, arguments, call_id)
        if call is not None:
            return (call,)
    complete = completeness(finish_reason)
    origin: Origin = {"id": call_id}
    if isinstance(arguments, str):
        origin["raw"] = arguments
    found = resolve(name, tools)
    if found is not None:
        spec, repairs = found
        item = parse_arguments(spec, arguments, complete=complete, repairs=repairs, decoded=decoded, **origin)
        return (kept(spec, item),)
    if bare_name(name) == PARALLEL:
        return open_parallel(arguments, tools, complete=complete, **origin)
    if not name.strip():
        return (nameless(tools, **origin),)
    return (unknown(name, tools, **origin),)


def read_text(
    text: str,
    tools: Mapping[str, ToolSpec],
    finish_reason: str | None,
    dialect: str | None,
    *,
    infer_tool_name: bool,
) -> ParseResult:
    """Find the calls in a text.

    Args:
        text: the whole text.
        tools: the registered tools.
        finish_reason: why the model stopped.
        dialect: the form of calls that the instructions asked for.
        infer_tool_name: whether a call that names no tool goes to the one tool that it fits.

    Raises:
        ToolUsageError: if the dialect is unknown.
    """
    from toolmend.toolkit.text import parse_text  # calls through an API are read without it

    if dialect is not None:
        dialect_named(dialect)
    return parse_text(text, tools, finish_reason=finish_reason, dialect=dialect, infer_tool_name=infer_tool_name)
