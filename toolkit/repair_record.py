"""One line of a repair log: a call that was mended or refused, as JSON and back."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Literal, TypeAlias

from toolmend.repairs.errors import Problem
from toolmend.repairs.record import JsonValue, Repair
from toolmend.toolkit.outcome import CallError, ErrorKind, ParseResult, ToolCall

__all__ = ("VERSION", "Outcome", "RepairRecord", "from_line", "is_torn", "records_of", "to_line")

VERSION: Final = 1
"""The version of what is written; a reader refuses later ones."""

Outcome: TypeAlias = Literal["mended", "refused", "message"]
"""What became of a call; `message` tells of changes that belong to no single one, such as an invented result."""

_HEAD: Final = '{"version": '


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRecord:
    """What a model wrote wrongly, and what became of it.

    Attributes:
        time: when it was read, in UTC.
        outcome: `mended`, `refused`, or `message` for changes that belong to no single call.
        tool: the tool that was meant, as far as it is known.
        format: the form in which the call was written; `api` for a call through a provider's API.
        id: the id of the call in that API.
        span: start and end in the whole message, for a call found in text.
        kind: why it was refused.
        repairs: each change; without contents, without what stood there before and after.
        problems: each fault of a refused call; without contents, without what stood there.
        labels: what the log was told to note on each of its records.
        raw: the text as the model wrote it; None without contents.
        arguments: the arguments after mending; None without contents.
        message: what the model was told; None without contents.
        version: the version of the record.
    """

    time: dt.datetime
    outcome: Outcome
    tool: str | None = None
    format: str | None = None
    id: str | None = None
    span: tuple[int, int] | None = None
    kind: ErrorKind | None = None
    repairs: tuple[Repair, ...] = ()
    problems: tuple[Problem, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    raw: str | None = None
    arguments: Mapping[str, JsonValue] | None = None
    message: str | None = None
    version: int = VERSION


# ---------------------------------------------------------------------- from a result


def records_of(result: ParseResult, *, contents: bool, labels: Mapping[str, str]) -> Iterator[RepairRecord]:
    """The records of a result; a call that was right as it stood has none.

    Args:
        result: what was parsed.
        contents: whether they hold what the model wrote.
        labels: noted on each of them.
    """
    now = dt.datetime.now(dt.UTC)
    for item in result.items:
        if isinstance(item, CallError):
            record = _refused(item, now)
        elif item.repairs:
            record = _mended(item, now)
        else:
            continue
        yield replace(record if contents else _without_contents(record), labels=labels)
    if result.repairs:
        record = RepairRecord(time=now, outcome="message", repairs=result.repairs)
        yield replace(record if contents else _without_contents(record), labels=labels)


def _mended(call: ToolCall, now: dt.datetime) -> RepairRecord:
    return RepairRecord(
        time=now,
        outcome="mended",
        tool=call.name,
        format=call.format,
        id=call.id,
        span=call.span,
        repairs=call.repairs,
        raw=call.raw,
        arguments=call.arguments,
    )


def _refused(error: CallError, now: dt.datetime) -> RepairRecord:
    return RepairRecord(
        time=now,
        outcome="refused",
        tool=error.tool,
        format=error.format,
        id=error.id,
        span=error.span,
        kind=error.kind,
        problems=error.problems,
        raw=error.raw,
        message=error.message,
    )


def _without_contents(record: RepairRecord) -> RepairRecord:
    """Leave out values; the names of tools and keys stay, also those that a model made up."""
    return replace(
        record,
        repairs=tuple(replace(repair, before="", after="") for repair in record.repairs),
        problems=tuple(replace(problem, message="", given="") for problem in record.problems),
        raw=None,
        arguments=None,
        message=None,
    )


# ---------------------------------------------------------------------- as a line


def to_line(record: RepairRecord) -> str:
    """A record as one line of JSON, in ASCII, so that any text of a model can be kept in it.

    Args:
        record: the record.
    """
    stated = _stated(record)
    stated["time"] = record.time.isoformat()
    for name in ("repairs", "problems"):
        if name in stated:
            stated[name] = [{"path": part.path, **_stated(part)} for part in stated[name]]
    return json.dumps({"version": record.version, **stated})


def from_line(line: str) -> RepairRecord:
    """A record out of its line.

    Args:
        line: the line.

    Raises:
        ValueError: if it is no record of this version or an earlier one.
    """
    given: Any = json.loads(line)
    if not isinstance(given, dict) or given.get("version") != VERSION:
        version = given.get("version") if isinstance(given, dict) else None
        raise ValueError(f"no record of version {VERSION}" + (f" but of version {version}" if version else ""))
    try:
        return RepairRecord(
            **{
                **given,
                "time": dt.datetime.fromisoformat(given["time"]),
                "span": _span(given.get("span")),
                "repairs": tuple(Repair(**_with_tuples(repair)) for repair in given.get("repairs", ())),
                "problems": tuple(
                    Problem(**{"message": "", **_with_tuples(problem)}) for problem in given.get("problems", ())
                ),
            }
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"no record: {error}") from error


def is_torn(line: str) -> bool:
    """Whether a line is the beginning of a record of which the rest was never written.

    Args:
        line: a line that is no JSON.
    """
    return line.startswith(_HEAD) or _HEAD.startswith(line)


def _stated(part: RepairRecord | Repair | Problem) -> dict[str, Any]:
    """The fields of a part that differ from their defaults."""
    found = {one.name: (getattr(part, one.name), one) for one in fields(part)}
    return {name: value for name, (value, one) in found.items() if value != one.default and (value or name != "labels")}


def _span(given: Any) -> tuple[int, int] | None:  # noqa: ANN401 - from JSON
    return None if given is None else (given[0], given[1])


def _with_tuples(given: dict[str, Any]) -> dict[str, Any]:
    spanned = {"span": _span(given["span"])} if "span" in given else {}
    return {**given, "path": tuple(given["path"]), **spanned}
