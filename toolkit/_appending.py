"""A file to which several processes and threads append lines, and that is put aside when it is long enough."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, Final

if sys.platform != "win32":
    import fcntl

__all__ = ("append_line", "opened")

_threads: Final = threading.Lock()
"""Stands in for the lock of a file on Windows: threads are safe there, and processes are not."""


def append_line(path: Path, line: bytes, *, max_bytes: int, keep: int) -> None:
    """Append a line; where a crash left half of one, it begins on a line of its own.

    Args:
        path: the file.
        line: the line without its end.
        max_bytes: the longest that the file may become; a longer line has a file to itself.
        keep: how many full files are kept, as `path.1` (the latest), `path.2` and so on.

    Raises:
        OSError: if it cannot be written.
    """
    with _locked(path, write=True):
        if path.exists() and 0 < path.stat().st_size > max_bytes - len(line) - 1:
            _put_aside(path, keep)
        with path.open("ab+", buffering=0) as file:
            torn = file.seek(0, os.SEEK_END) > 0 and _last_byte(file) != b"\n"
            rest = memoryview((b"\n" if torn else b"") + line + b"\n")
            while rest:
                rest = rest[file.write(rest) :]


@contextmanager
def opened(path: Path) -> Iterator[Sequence[BinaryIO]]:
    """Open the file and those that were put aside, as they are at one moment.

    Args:
        path: the file.

    Yields:
        The files, the oldest first.

    Raises:
        OSError: if one cannot be read.
    """
    with ExitStack() as stack:
        with _locked(path, write=False):
            paths = [path, *(aside for _, aside in _aside(path))]
            files = [stack.enter_context(one.open("rb")) for one in reversed(paths)]
        yield files


def _put_aside(path: Path, keep: int) -> None:
    for number, aside in reversed(_aside(path)):
        if number >= keep:
            aside.unlink()
        else:
            aside.replace(_numbered(path, number + 1))
    if keep:
        path.replace(_numbered(path, 1))
    else:
        path.unlink()


def _aside(path: Path) -> list[tuple[int, Path]]:
    """The files that were put aside, the latest first."""
    numbers = [found.name[len(path.name) + 1 :] for found in path.parent.iterdir() if found.stem == path.name]
    return [(number, _numbered(path, number)) for number in sorted(int(one) for one in numbers if one.isdecimal())]


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}")


def _last_byte(file: BinaryIO) -> bytes:
    file.seek(-1, os.SEEK_END)
    return file.read(1)


@contextmanager
def _locked(path: Path, *, write: bool) -> Iterator[None]:
    """Keep others from the file; a reader that finds no lock has nobody to wait for."""
    lock = path.with_name(f"{path.name}.lock")
    if sys.platform == "win32":
        with _threads:
            yield
        return
    if not write and not lock.exists():
        yield
        return
    with lock.open("ab" if write else "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX if write else fcntl.LOCK_SH)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough where a fork in between holds the file open
