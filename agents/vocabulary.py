"""The vocabularies of tiktoken: where it looks for their files, what is there, and loading one without hanging.

tiktoken fetches a vocabulary from the network when it is first used, unless its file is in the folder named by
TIKTOKEN_CACHE_DIR (else by DATA_GYM_CACHE_DIR, else `data-gym-cache` in the folder for temporary files).
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import logging
import os
import pathlib
import tempfile
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from toolmend.agents.errors import MissingExtraError

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = (
    "FILES",
    "FOLDER_VARIABLES",
    "FileState",
    "VocabularyFile",
    "describe_vocabularies",
    "find_vocabularies",
    "load",
)

logger = logging.getLogger(__name__)

FileState: TypeAlias = Literal["ready", "missing", "damaged", "no folder"]
"""`damaged`: not the official content; `no folder`: the variable is set to nothing, so that nothing is ever kept."""

FOLDER_VARIABLES: Final = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
LOADING_SECONDS: Final = 10.0
"""How long a vocabulary may take to come, from the network above all, before counting goes on without it."""

# The name of a file is the SHA-1 of the address that tiktoken would fetch it from.
FILES: Final = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}


@dataclass(frozen=True, slots=True)
class VocabularyFile:
    """One file that tiktoken would read.

    Attributes:
        encoding: the name of the vocabulary.
        path: where it is looked for; None if nothing is kept.
        sha256: what its content must hash to.
        state: what was found there.
    """

    encoding: str
    path: pathlib.Path | None
    sha256: str
    state: FileState


def find_vocabularies() -> tuple[VocabularyFile, ...]:
    """Look for the files as tiktoken would, and check their content. Nothing is loaded or fetched."""
    folder = _folder()
    found = []
    for encoding, (name, sha256) in FILES.items():
        path = folder / name if folder else None
        found.append(VocabularyFile(encoding, path, sha256, _state(path, sha256)))
    return tuple(found)


def describe_vocabularies() -> str:
    """What `find_vocabularies` finds, a line for each file, with what to do about those that are not there."""
    lines = []
    for file in find_vocabularies():
        lines.append(f"{file.encoding}: {file.state} ({file.path or f'{_set_variable()} is empty'})")
        if file.state != "ready":
            lines.append(
                f"  it will be fetched when it is first needed; without network, put the official file there under "
                f"this name, sha256 {file.sha256}"
                if file.path
                else "  it will be fetched anew by each process; name a folder instead"
            )
    return "\n".join(lines)


def load(encoding: str, seconds: float = LOADING_SECONDS) -> Encoding | None:
    """Give a vocabulary, or None if it cannot be had in time. It is tried once in the life of the process.

    Args:
        encoding: its name.
        seconds: how long to wait: a network that swallows requests would block for ever.

    Raises:
        MissingExtraError: tiktoken is not installed.
    """
    return _loading(encoding).wait(seconds)


class _Loading:
    """A vocabulary on its way, in a thread of its own: tiktoken sets no limit to the time that it waits."""

    def __init__(self, encoding: str) -> None:
        try:
            self._tiktoken = importlib.import_module("tiktoken")
        except ModuleNotFoundError as error:
            raise MissingExtraError("tiktoken", extra="agents") from error
        self._encoding = encoding
        self._lock = threading.Lock()
        self._loaded: Encoding | Exception | None = None  # what the thread found, whenever that was
        self._outcome: Encoding | Exception | None = None  # what was settled when it was first asked for
        self._thread = threading.Thread(target=self._run, name=f"load {encoding}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._loaded = self._tiktoken.get_encoding(self._encoding)
        except (ImportError, OSError, ValueError) as error:  # from the network, the disk, or damaged content
            self._loaded = error

    def wait(self, seconds: float) -> Encoding | None:
        """The vocabulary; what was found when first asked is final, so that all counts are of one kind."""
        with self._lock:
            if self._outcome is None:
                self._thread.join(seconds)
                self._outcome = self._loaded or TimeoutError(f"it did not come within {seconds:g} s")
                self._warn(self._outcome)
        return None if isinstance(self._outcome, Exception) else self._outcome

    def _warn(self, outcome: Encoding | Exception) -> None:
        if isinstance(outcome, Exception):
            logger.warning(
                "the vocabulary %s cannot be loaded (%s: %s); tokens are counted as UTF-8 bytes, never too few but "
                "about four times too many for English: set TIKTOKEN_CACHE_DIR to a folder with its file",
                *(self._encoding, type(outcome).__name__, outcome),
            )


@functools.cache
def _loading(encoding: str) -> _Loading:
    return _Loading(encoding)


def _set_variable() -> str | None:
    return next((name for name in FOLDER_VARIABLES if name in os.environ), None)


def _folder() -> pathlib.Path | None:
    variable = _set_variable()
    if variable is None:
        return pathlib.Path(tempfile.gettempdir()) / "data-gym-cache"
    return pathlib.Path(os.environ[variable]) if os.environ[variable] else None


def _state(path: pathlib.Path | None, sha256: str) -> FileState:
    if path is None:
        return "no folder"
    try:
        content = path.read_bytes()
    except OSError:
        return "missing"
    return "ready" if hashlib.sha256(content).hexdigest() == sha256 else "damaged"
