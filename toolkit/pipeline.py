"""One call's arguments, stage by stage: read, mend, validate. At each stage a call error may be what comes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from json import JSONDecodeError
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

from toolmend.repairs.errors import CutOffError, Problem, RepairError
from toolmend.repairs.record import JsonValue, Mended, Repair, counted
from toolmend.repairs.text.ladder import mend_text
from toolmend.repairs.text.slips import mend_slips
from toolmend.toolkit import feedback
from toolmend.toolkit.as_written import ODD_TEXT, UNREAD, Taken, decode
from toolmend.toolkit.dispatch_guard import Raised
from toolmend.toolkit.names import find_name
from toolmend.toolkit.outcome import CallError, ErrorKind, ToolCall
from toolmend.toolkit.spec import ToolSpec
from toolmend.toolkit.validation import ArgumentsError, refusal_of

if TYPE_CHECKING:
    from toolmend.toolkit.extract.arguments_markup import Markup
    from toolmend.toolkit.extract.candidate import Evidence

__all__ = ("Origin", "completeness", "fault", "kept", "nameless", "parse_arguments", "resolve", "unknown")

_STOPPED: Final = frozenset({"stop", "tool_calls", "function_call", "tool_use", "end_turn", "completed", "eos_token"})
_CUT: Final = frozenset({"length", "max_tokens", "max_output_tokens", "incomplete", "model_length", "content_filter"})
_CUT_TEXT: Final = "the model reached its output limit in the middle of the call"


class Origin(TypedDict, total=False):
    """Where a call was found; kept beside it."""

    raw: str
    id: str | None
    span: tuple[int, int] | None
    format: str
    evidence: Evidence | None


def completeness(finish_reason: str | None) -> bool | None:
    """Whether the model stopped by itself (True), was cut off (False), or nobody knows (None).

    Args:
        finish_reason: what the provider told.
    """
    if not isinstance(finish_reason, str):
        return None
    reason = finish_reason.lower()  # some providers shout
    if reason in _STOPPED:
        return True
    return False if reason in _CUT else None


def resolve(name: str, tools: Mapping[str, ToolSpec]) -> tuple[ToolSpec, tuple[Repair, ...]] | None:
    """The tool that a written name stands for, and what had to be mended in the name; None if there is none.

    Args:
        name: the name as the model wrote it.
        tools: the registered tools.
    """
    if (registered := tools.get(name)) is not None:
        return registered, ()
    match = find_name(name, tools)
    if match.name is None:
        return None
    spec = tools[match.name]
    allowed = all(spec.mender.policy.allows(repair.rule, repair.kind) for repair in match.repairs)
    return (spec, match.repairs) if allowed else None


def parse_arguments(
    spec: ToolSpec,
    arguments: JsonValue,
    *,
    complete: bool | None = None,
    repairs: tuple[Repair, ...] = (),
    decoded: JsonValue = UNREAD,
    **origin: Unpack[Origin],
) -> ToolCall | CallError:
    """Turn the arguments of one call into a validated call, or into an error that the model can act on.

    Args:
        spec: the tool.
        arguments: text that is to be read as JSON; or a value that was read already, its numbers with their source.
        complete: whether the model is known to have stopped by itself, or to have been cut off.
        repairs: what was changed before, the name say; it comes first in the record.
        decoded: what `decode` made of the text, if it was asked already.
        origin: where the call was found.
    """
    try:
        if not isinstance(arguments, str):
            mended = spec.mender.mend(arguments, repairs=repairs)
            return _validated(spec, mended.value, None, mended.repairs, origin)
        origin.setdefault("raw", arguments)
        value = decode(arguments, spec.mender.policy.limits.strict_chars) if decoded is UNREAD else decoded
        if isinstance(value, dict) and (call := _as_written(spec, value, arguments, repairs, origin)) is not None:
            return call
        # Before the readers of JSON, which would find the arguments of a call of another tool among its text.
        is_json = not isinstance(value, JSONDecodeError) and value is not ODD_TEXT
        in_markup = not is_json or isinstance(value, list)
        markup = _markup(arguments, spec, complete) if in_markup else None
        if markup is not None and spec.mender.policy.allows("markup", "lossless"):
            before = (*repairs, *markup.repairs)
            return parse_arguments(spec, markup.arguments, complete=complete, repairs=before, **origin)
        if not is_json and complete is False:
            raise CutOffError(_CUT_TEXT)
        return _repaired(spec, arguments, value, complete=complete, repairs=repairs, origin=origin)
    except RepairError as error:
        return fault(spec, error, **origin)


def kept(spec: ToolSpec, item: ToolCall | CallError) -> ToolCall | CallError:
    """A call as it leaves the pipeline: with no more records than its tool's policy keeps one by one.

    Args:
        spec: the tool.
        item: the call, or the faulty one.
    """
    if not isinstance(item, ToolCall):
        return item
    repairs = counted(item.repairs, spec.mender.policy.limits.records)
    return item if repairs is item.repairs else replace(item, repairs=repairs)


def fault(spec: ToolSpec, error: RepairError, **origin: Unpack[Origin]) -> CallError:
    """The error of a call whose arguments cannot be read or mended.

    Args:
        spec: the tool.
        error: why.
        origin: where the call was found.
    """
    problems = error.problems or (Problem(error.path, error.message, error.expected, error.given),)
    return _error(spec.name, error.kind, feedback.unreadable(spec, error, _format(origin)), origin, problems)


def unknown(name: str, known: Iterable[str], **origin: Unpack[Origin]) -> CallError:
    """The error of a call of a tool that is not registered.

    Args:
        name: the name as the model wrote it.
        known: the registered names.
        origin: where the call was found.
    """
    return _error(name, "unknown_tool", feedback.unknown_tool(name, known), origin)


def nameless(known: Iterable[str], **origin: Unpack[Origin]) -> CallError:
    """The error of a call that names no tool.

    Args:
        known: the registered names.
        origin: where the call was found.
    """
    return _error(None, "no_tool_name", feedback.no_tool_name(known, _format(origin)), origin)


def _format(origin: Origin) -> str:
    """The format in which the model wrote a call, so that it is answered in it."""
    return origin.get("format", "api")


def _error(
    tool: str | None, kind: ErrorKind, message: str, origin: Origin, problems: tuple[Problem, ...] = ()
) -> CallError:
    path = problems[0].path if problems else ()
    return CallError(kind, message, tool=tool, path=path, problems=problems, **origin)


def _markup(text: str, spec: ToolSpec, complete: bool | None) -> Markup | None:
    """The arguments in the markup of a text format, whose readers are loaded for the first text that may be such."""
    if text.lstrip().startswith("{"):
        return None
    from toolmend.toolkit.extract.arguments_markup import read_markup

    return read_markup(text, spec, complete=complete)


def _repaired(
    spec: ToolSpec,
    text: str,
    decoded: JsonValue,
    *,
    complete: bool | None,
    repairs: tuple[Repair, ...],
    origin: Origin,
) -> ToolCall | CallError:
    """The outcome of a text that is not right as it stands."""
    # Of strict JSON the class was asked before, and did not take it.
    taken = Taken(spec.decider) if spec.decider is not None and not isinstance(decoded, dict) else None
    mended: Mended | None = None
    if taken is not None and isinstance(decoded, JSONDecodeError):
        mended = _without_slips(spec, text, decoded, taken)
    if mended is None:
        broken, callees = isinstance(decoded, JSONDecodeError), frozenset({spec.name})
        mended = mend_text(text, spec.mender, complete=complete, callees=callees, broken=broken, decide=taken)
    for made, message in taken.made if taken is not None else ():
        if made is mended.value:
            return ToolCall(spec.name, made, message, repairs + mended.repairs, **origin)
    return _validated(spec, mended.value, None, repairs + mended.repairs, origin)


def _without_slips(spec: ToolSpec, text: str, stop: JSONDecodeError, taken: Taken) -> Mended | None:
    """Arguments with small slips in them, if they are right without; None if they have to be read with care."""
    policy = spec.mender.policy
    if not text.startswith("{") or len(text) > policy.limits.lenient_chars:
        return None
    found = mend_slips(text, stop, lambda mended: decode(mended, len(mended)))
    if found is None:
        return None
    right, value, repairs = found
    allowed = isinstance(value, dict) and all(policy.allows(repair.rule, repair.kind) for repair in repairs)
    return Mended(value, repairs) if allowed and taken.take(right, value) else None


def _validated(
    spec: ToolSpec, value: dict[str, JsonValue], text: str | None, repairs: tuple[Repair, ...], origin: Origin
) -> ToolCall | CallError:
    """The last stage: the tool's own class has its say."""
    try:
        message = spec.validator(value, text)
    except ArgumentsError as error:
        return _refused(spec, error, origin)
    return ToolCall(spec.name, value, message, repairs=repairs, **origin)


def _refused(spec: ToolSpec, error: ArgumentsError, origin: Origin) -> CallError:
    return _error(spec.name, error.kind, feedback.refused(spec, error, _format(origin)), origin, error.problems)


def _as_written(
    spec: ToolSpec, value: dict[str, JsonValue], text: str, repairs: tuple[Repair, ...], origin: Origin
) -> ToolCall | CallError | None:
    """The outcome of arguments that fit the schema as they are; None if they do not."""
    if spec.decider is None:
        return None if spec.mender.check(value) else _validated(spec, value, text, repairs, origin)
    message = spec.decider.take(text)
    if not isinstance(message, Raised):
        return ToolCall(spec.name, value, message, repairs, **origin)
    return None if spec.mender.check(value) else _refused(spec, refusal_of(message.error, value), origin)
