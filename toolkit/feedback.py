"""What the model is told of a call that did not run: the tool, each place, what was expected there, what to send."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from toolmend.repairs.errors import Problem, RepairError
from toolmend.repairs.record import pointer, snippet
from toolmend.toolkit.dialects import DIALECTS, dialect_of
from toolmend.toolkit.sample import sample_arguments
from toolmend.toolkit.skeleton import in_braces, placeholders
from toolmend.toolkit.writers import Written

if TYPE_CHECKING:
    from toolmend.toolkit.outcome import ErrorKind
    from toolmend.toolkit.spec import ToolSpec
    from toolmend.toolkit.validation import ArgumentsError

__all__ = ("insistence", "no_tool_name", "refused", "unknown_tool", "unreadable")

MAX_PROBLEMS: Final = 8
"""Most faults that are told one by one: a model mends a few at a time, and the rest is told next time."""

MAX_NAMES: Final = 40
"""Most tools that are listed."""

MAX_SCHEMA: Final = 4000
"""Longest schema that is shown whole, in characters."""

_OPENINGS: Final[dict[ErrorKind, str]] = {
    "not_json": "its arguments are no JSON that can be read",
    "cut_off": "it was cut off before its end",
    "ambiguous": "its arguments can be read in more than one way",
    "too_large": "its arguments are too large",
    "too_deep": "its arguments are nested too deeply",
    "invalid_arguments": "its arguments do not fit",
    "refused_by_tool": "the tool refused its arguments",
}

_ADVICE: Final[dict[ErrorKind, str]] = {
    "cut_off": "Send the whole call again; if it is long, send less in one call. Its arguments have this form:",
    "too_large": "Send less in one call. Its arguments have this form:",
    "not_json": "Send the call again with arguments in strict JSON of this form:",
}

_ADVICE_IN_TEXT: Final[dict[ErrorKind, str]] = {
    "cut_off": "Send the whole call again; if it is long, send less in one call. It has this form:",
    "too_large": "Send less in one call. It has this form:",
}
"""The same for calls that the model wrote as text, which are shown whole."""

_OPENINGS_IN_TEXT: Final = {**_OPENINGS, "not_json": "it cannot be read"}


def unreadable(spec: ToolSpec, error: RepairError, format_name: str = "api") -> str:
    """The text for arguments that could not be read, or mended until they fit.

    Args:
        spec: the tool.
        error: what was found.
        format_name: the format in which the model wrote the call.
    """
    problems = error.problems or (Problem(error.path, error.message, error.expected, error.given),)
    told = error.line is None or f"line {error.line}" in error.message
    where = "" if told else f" (line {error.line}, column {error.column})"
    return _report(spec, error.kind, problems, where, format_name)


def refused(spec: ToolSpec, error: ArgumentsError, format_name: str = "api") -> str:
    """The text for arguments that the tool's own class refused.

    Args:
        spec: the tool.
        error: what it said.
        format_name: the format in which the model wrote the call.
    """
    return _report(spec, error.kind, error.problems, "", format_name)


def unknown_tool(name: str, known: Iterable[str]) -> str:
    """The text for a name that is not registered.

    Args:
        name: the name as the model wrote it.
        known: the registered names.
    """
    names = sorted(known)
    close = difflib.get_close_matches(name[:64], names, n=1, cutoff=0.8)
    lines = [f"There is no tool named {snippet(name, 64)!r}. Nothing was run.", _listing(names)]
    if close:
        lines.append(f"If you meant {close[0]!r}, send the call again with that name.")
    return "\n".join(lines)


def no_tool_name(known: Iterable[str], format_name: str = "api") -> str:
    """The text for a call that does not say which tool it is for.

    Args:
        known: the registered names.
        format_name: the format in which the model wrote the call.
    """
    form = DIALECTS[dialect_of(format_name) or "json"].empty
    listing = _listing(sorted(known))
    return f"The call does not name a tool. Nothing was run.\n{listing}\nSend the call again in this form:{_set(form)}"


def insistence(spec: ToolSpec, format_name: str = "api") -> str:
    """What is added where the same fault comes a second time: all that there is to say of the arguments.

    Args:
        spec: the tool.
        format_name: the format in which the model wrote the call.
    """
    lines = ["This is the same fault as before."]
    schema = json.dumps(spec.parameters, ensure_ascii=False)
    if len(schema) <= MAX_SCHEMA:
        lines.append(f"The JSON Schema of the arguments of {spec.name!r} is: {schema}")
    arguments = sample_arguments(spec)
    dialect = dialect_of(format_name)
    if arguments is not None and dialect is not None:
        example = DIALECTS[dialect].write([Written(spec.name, arguments, spec.node)])
        lines.append(f"A call that fits, for example:{_set(example)}")
    elif arguments is not None:
        lines.append(f"Arguments that fit, for example: {json.dumps(arguments, ensure_ascii=False)}")
    return "\n".join(lines)


def _report(spec: ToolSpec, kind: ErrorKind, problems: tuple[Problem, ...], where: str, format_name: str) -> str:
    dialect = dialect_of(format_name)
    openings = _OPENINGS if dialect is None else _OPENINGS_IN_TEXT
    lines = [f"The call of {spec.name!r} was not run: {openings[kind]}{where}."]
    lines += [f"- {_line(problem)}" for problem in problems[:MAX_PROBLEMS]]
    if len(problems) > MAX_PROBLEMS:
        lines.append(f"- and {len(problems) - MAX_PROBLEMS} more")
    texts = placeholders(spec.node, also=frozenset(str(problem.path[0]) for problem in problems if problem.path))
    if dialect is None:
        advice = _ADVICE.get(kind, "Send the call again with arguments of this form:")
        lines.append(f"{advice} {in_braces(texts)}")
    else:
        advice = _ADVICE_IN_TEXT.get(kind, "Send the call again in this form:")
        lines.append(f"{advice}{_set(DIALECTS[dialect].form(spec.name, texts))}")
    return "\n".join(lines)


def _set(form: str) -> str:
    """A form behind a colon: on lines of its own if it has several."""
    return f"\n{form}" if "\n" in form else f" {form}"


def _line(problem: Problem) -> str:
    """One fault: the place, what is wrong, and what the message does not yet say of what was expected and given."""
    parts = [f"at {pointer(problem.path)}: " if problem.path else "", problem.message]
    if problem.expected and problem.expected not in problem.message:
        parts.append(f"; expected {problem.expected}")
    if problem.given and problem.given[:20] not in problem.message:  # it may be shortened in another way there
        parts.append(f"; got {problem.given}")
    return "".join(parts)


def _listing(names: list[str]) -> str:
    if not names:
        return "No tools are available."
    more = f", and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"The tools are: {', '.join(names[:MAX_NAMES])}{more}."
