"""A log of what models wrote wrongly: each call that was mended or refused, as a line of JSON."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias, TypeGuard

from toolmend.toolkit._appending import append_line, opened
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.outcome import ParseResult
from toolmend.toolkit.repair_record import RepairRecord, from_line, is_torn, records_of, to_line

__all__ = ("MAX_BYTES", "Redact", "RepairLog", "read_repair_log")

MAX_BYTES: Final = 10_000_000
"""Longest file by default: some ten thousand records, which any editor still opens."""

_MOST_KEPT: Final = 1000

Redact: TypeAlias = Callable[[RepairRecord], RepairRecord | None]
"""Takes out of a record what must not be kept; None drops the whole record."""

_logger: Final = logging.getLogger(__name__)


class RepairLog:
    """Appends what it is told of to a file; a listener of a registry, or of an agent.

        registry.listen(RepairLog("repairs.jsonl"))
        agent = ChatAgent(ChatAgentConfig(llm=..., listener=RepairLog("repairs.jsonl")))

    Threads and, on POSIX, processes may share the file. Each record is a line; one that a crash left half written is
    passed over by readers. A disk that is full or gone breaks no call: the record is lost, and `logging` told of it.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        contents: bool = False,
        redact: Redact | None = None,
        labels: Mapping[str, str] | None = None,
        max_bytes: int = MAX_BYTES,
        keep: int = 5,
    ) -> None:
        """Make the file, if it is not there.

        Args:
            path: the file.
            contents: whether records hold what the model wrote; else only names, places, rules and kinds.
            redact: changes each record before it is written, or drops it.
            labels: noted on each record, the name of the model say.
            max_bytes: the longest that the file may become before it is put aside.
            keep: how many files that were put aside are kept, as `path.1` (the latest), `path.2` and so on.

        Raises:
            ToolUsageError: if the file cannot be written, or a setting cannot work.
        """
        _check(contents=contents, redact=redact, labels=labels, max_bytes=max_bytes, keep=keep)
        self.path = Path(path)
        self._contents = contents
        self._redact = redact
        self._labels = dict(labels or {})
        self._max_bytes = max_bytes
        self._keep = keep
        try:
            self.path.touch()
        except OSError as error:
            raise ToolUsageError(f"the repair log {self.path} cannot be written: {error}") from error

    def __call__(self, result: ParseResult, /) -> None:
        """Append what of a result was mended or refused.

        Args:
            result: what was parsed.
        """
        for made in records_of(result, contents=self._contents, labels=self._labels):
            record = self._redact(made) if self._redact is not None else made
            if record is not None:
                self._append(record)

    def records(self) -> Iterator[RepairRecord]:
        """What is in the log, as `read_repair_log` gives it."""
        return read_repair_log(self.path)

    def _append(self, record: RepairRecord) -> None:
        line = to_line(record).encode("ascii")
        try:
            append_line(self.path, line, max_bytes=self._max_bytes, keep=self._keep)
        except OSError:
            _logger.exception("a record of the repair log %s is lost", self.path)


def read_repair_log(path: str | os.PathLike[str]) -> Iterator[RepairRecord]:
    """Read a log, while it is being written or afterwards: the files that were put aside, then the last one.

    Args:
        path: the file that is written, or one that was put aside.

    Yields:
        The records, the oldest first; half a line that a crash left is passed over.

    Raises:
        ToolUsageError: if the file cannot be read, or a line is no record of a version that is known here.
    """
    try:
        with opened(Path(path)) as files:
            for file in files:
                for number, line in enumerate(file, 1):
                    record = _record(line, f"line {number} of {file.name}")
                    if record is not None:
                        yield record
    except OSError as error:
        raise ToolUsageError(f"the repair log {os.fspath(path)} cannot be read: {error}") from error


def _record(line: bytes, place: str) -> RepairRecord | None:
    text = line.decode("ascii", "replace").rstrip("\n")
    try:
        return from_line(text)
    except json.JSONDecodeError as error:
        if is_torn(text):
            return None
        raise ToolUsageError(f"{place} is none of a repair log: {error}") from error
    except ValueError as error:
        raise ToolUsageError(f"{place} cannot be read: {error}; a later toolmend may have written it") from error


def _check(*, contents: object, redact: object, labels: object, max_bytes: object, keep: object) -> None:
    """Refuse settings that cannot work, by their names."""
    texts = isinstance(labels, Mapping) and all(isinstance(part, str) for pair in labels.items() for part in pair)
    checks = {
        "contents": (isinstance(contents, bool), "True or False", contents),
        "redact": (redact is None or callable(redact), "a function of one record", redact),
        "labels": (labels is None or texts, "texts by name", labels),
        "max_bytes": (_is_whole(max_bytes) and max_bytes > 0, "a whole number above 0", max_bytes),
        "keep": (_is_whole(keep) and 0 <= keep <= _MOST_KEPT, f"a whole number up to {_MOST_KEPT}", keep),
    }
    for name, (good, wanted, given) in checks.items():
        if not good:
            raise ToolUsageError(f"{name}: {wanted} is needed, got {given!r:.80}")


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
