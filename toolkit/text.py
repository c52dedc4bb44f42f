"""Reads a whole assistant text: finds the calls in it, parses each, and leaves the prose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from toolmend.repairs.errors import CutOffError, NotJsonError, RepairError, SchemaMismatchError
from toolmend.repairs.record import Refusal, Repair, snippet
from toolmend.repairs.text.brackets import BRACKETS
from toolmend.repairs.text.reading import Reading, may_close
from toolmend.toolkit.dialects import DIALECTS
from toolmend.toolkit.extract.candidate import Evidence
from toolmend.toolkit.extract.evidence import is_attempt, is_sure
from toolmend.toolkit.extract.scan import find_calls
from toolmend.toolkit.extract.source import Source
from toolmend.toolkit.names import find_name
from toolmend.toolkit.outcome import CallError, ParseResult, ToolCall
from toolmend.toolkit.pipeline import completeness, fault, kept, nameless, parse_arguments, unknown
from toolmend.toolkit.retold import Retold

if TYPE_CHECKING:
    from toolmend.toolkit.extract.candidate import CallCandidate
    from toolmend.toolkit.pipeline import Origin
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("parse_text",)


def parse_text(
    text: str,
    tools: Mapping[str, ToolSpec],
    *,
    finish_reason: str | None = None,
    dialect: str | None = None,
    infer_tool_name: bool = False,
) -> ParseResult:
    """Read a whole assistant text.

    Args:
        text: the text as the model wrote it.
        tools: the registered tools.
        finish_reason: why the model stopped, as the provider told it.
        dialect: the form that the conversation's instructions asked for; it counts as a marker then.
        infer_tool_name: whether arguments without a name are given to the one tool that they fit.

    Returns:
        The calls and the faulty ones, in order, and the prose around them.
    """
    asked = DIALECTS[dialect].markers if dialect is not None else frozenset[str]()
    nameless_too = infer_tool_name or dialect is not None
    source = Source(text, tools, complete=completeness(finish_reason), nameless=nameless_too, asked=asked)
    extraction = find_calls(source)
    items: list[ToolCall | CallError] = []
    spans = list(extraction.hidden)
    repairs = list(extraction.repairs)
    retold = Retold(text)
    torn = False
    for candidate in sorted(extraction.candidates, key=lambda found: found.span):
        if torn and candidate.evidence is Evidence.SHAPE:
            continue  # where the call before it ends is not known: this may be a piece of its arguments
        item = _item(source, candidate, infer_tool_name=infer_tool_name)
        torn = torn or (candidate.part.fault is not None and candidate.evidence is not Evidence.SHAPE)
        if item is None:
            continue
        spans.append(candidate.span)
        if retold.knows(item) and candidate.evidence is Evidence.SHAPE:
            repairs.append(Repair("repeated-call", "lossless", before=snippet(item.raw), span=item.span))
        else:
            items.append(item)
    prose = _prose(text, spans, extraction.cut)
    return ParseResult(tuple(items), prose, finish_reason, tuple(repairs))


# ---------------------------------------------------------------------- one candidate


def _item(source: Source, candidate: CallCandidate, *, infer_tool_name: bool) -> ToolCall | CallError | None:
    """What becomes of one candidate: a call, a faulty one, or nothing, which leaves it prose."""
    part = candidate.part
    tool = source.tool(part.name)
    if tool is None and part.name is None and infer_tool_name:
        tool = _inferred(source, candidate)
    if not is_attempt(candidate, source.asked, registered=tool is not None):
        return None
    raw = source.text[candidate.span[0] : candidate.span[1]]
    origin: Origin = {
        "raw": raw,
        "id": part.id,
        "span": candidate.span,
        "format": candidate.format,
        "evidence": candidate.evidence,
    }
    if tool is not None:
        return _parsed(source, candidate, tool, origin)
    if part.name is not None:
        return unknown(part.name, source.tools, **origin)
    error = nameless(source.tools, **origin)
    return error if part.fault is None else replace(error, kind=part.fault.kind)


def _parsed(source: Source, candidate: CallCandidate, tool: ToolSpec, origin: Origin) -> ToolCall | CallError:
    """A call of a registered tool, as far as its arguments can be read and mended."""
    part = candidate.part
    name = find_name(part.name, source.tools) if part.name is not None else None
    repairs = (*(name.repairs if name is not None else (_inferred_name(tool),)), *part.repairs)
    try:
        if part.fault is not None:
            raise part.fault
        _refuse_open(source, candidate, tool)
        _refuse_repairs(tool, repairs)
    except RepairError as error:
        return fault(tool, error, **origin)
    # What stands before the end of the text was not cut off there.
    complete = source.complete if part.span[1] >= len(source.text.rstrip()) else True
    item = parse_arguments(tool, part.arguments, complete=complete, repairs=repairs, **origin)
    if isinstance(item, ToolCall) and not is_sure(candidate, item.repairs, source.asked):
        message = "fields beside the name of a tool are taken for its arguments only if they fit as they are"
        expected = "every argument under its own name, inside 'arguments'"
        return fault(tool, SchemaMismatchError(message, expected=expected), **origin)
    return kept(tool, item)


def _refuse_open(source: Source, candidate: CallCandidate, tool: ToolSpec) -> None:
    """Refuse arguments that the end of the text left open where something may have followed."""
    part = candidate.part
    reading = Reading(part.arguments, part.span[1], (), part.unclosed)
    if not may_close(reading, tool.node, source.complete):
        message = "the text ends before the arguments are closed: further ones may be missing"
        raise CutOffError(message, path=part.unclosed[0], expected="the whole call again")
    at_end = part.span[1] >= len(source.text.rstrip())
    if source.complete is False and at_end and any(repair.rule in BRACKETS for repair in part.repairs):
        message = "the output was cut off, and brackets are wrong or missing"
        raise CutOffError(message, expected="the whole call again")


def _refuse_repairs(tool: ToolSpec, repairs: Iterable[Repair]) -> None:
    """Refuse what the tool's policy does not allow."""
    refused = [repair for repair in repairs if not tool.mender.policy.allows(repair.rule, repair.kind)]
    if refused:
        names = ", ".join(dict.fromkeys(repair.rule for repair in refused))
        refusals = tuple(Refusal(repair.rule, repair.path, "the policy does not allow it") for repair in refused)
        message = f"the call needs repairs that are not allowed here: {names}"
        raise NotJsonError(message, expected="the exact form", refused=refusals)


def _inferred(source: Source, candidate: CallCandidate) -> ToolSpec | None:
    """The one tool that arguments without a name fit: it has a required parameter, and knows each key."""
    arguments = candidate.part.arguments
    if candidate.part.fault is not None or not isinstance(arguments, dict):
        return None
    fitting = [
        tool
        for tool in source.tools.values()
        if tool.node.required_members
        and set(arguments) <= set(tool.node.members)
        and isinstance(parse_arguments(tool, arguments), ToolCall)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _inferred_name(tool: ToolSpec) -> Repair:
    return Repair("inferred-tool-name", "inferred", after=tool.name)


# ---------------------------------------------------------------------- prose


def _prose(text: str, spans: list[tuple[int, int]], cut: int) -> str:
    """The text without calls, markers, reasoning, and what was cut off."""
    if not spans and cut == len(text):
        return text
    pieces, pos = [], 0
    for start, end in sorted(spans):
        if start > pos:
            pieces.append(text[pos:start])
        pos = max(pos, end)
    if pos < cut:
        pieces.append(text[pos:cut])
    return "\n".join(piece.strip() for piece in pieces if piece.strip())
