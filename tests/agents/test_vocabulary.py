from __future__ import annotations

import builtins
import importlib
import logging
import pathlib
import threading
from typing import TYPE_CHECKING

import pytest
import tiktoken

from toolmend.agents import vocabulary
from toolmend.agents.errors import MissingExtraError
from toolmend.agents.vocabulary import describe_vocabularies, find_vocabularies, load

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def fresh() -> Iterator[None]:
    """No vocabulary was asked for yet, and what is asked for now is forgotten afterwards."""
    vocabulary._loading.cache_clear()
    yield
    vocabulary._loading.cache_clear()


def test_a_vocabulary_is_loaded_once(fresh: None) -> None:
    """It is the one of tiktoken."""
    loaded = load("o200k_base")
    assert loaded is not None
    assert loaded.encode_ordinary("hello world") == [24912, 2375]
    assert load("o200k_base") is loaded


def test_a_network_that_swallows_requests_does_not_block(
    fresh: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After a bounded time counting goes on without it, which is told once, and is final."""
    release = threading.Event()
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: release.wait(30))
    with caplog.at_level(logging.WARNING):
        assert load("o200k_base", seconds=0.02) is None
        release.set()
        vocabulary._loading("o200k_base")._thread.join()
        assert load("o200k_base") is None
    [record] = caplog.records
    assert "TimeoutError: it did not come within 0.02 s" in record.getMessage()
    assert "TIKTOKEN_CACHE_DIR" in record.getMessage()


def test_a_network_that_fails_does_no_harm(
    fresh: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever goes wrong is told, and is no exception."""

    def fail(name: str) -> None:
        raise ConnectionError("no route")

    monkeypatch.setattr(tiktoken, "get_encoding", fail)
    assert load("o200k_base") is None
    assert "ConnectionError: no route" in caplog.text


def test_a_missing_tiktoken_names_the_extra(fresh: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not taken for a missing network."""

    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(MissingExtraError, match=r"tiktoken is not installed: pip install 'toolmend\[agents\]'"):
        load("o200k_base")


def test_the_files_of_the_test_run_are_found() -> None:
    """Both are there under the names that tiktoken looks for, with the official content."""
    found = find_vocabularies()
    assert [file.encoding for file in found] == ["o200k_base", "cl100k_base"]
    assert {file.state for file in found} == {"ready"}
    for file in found:
        assert file.path is not None
        assert f"{file.encoding}: ready ({file.path})" in describe_vocabularies().splitlines()


def test_missing_and_damaged_files_are_told(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to put where."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    good, other = find_vocabularies()
    assert good.path is not None
    good.path.write_text("something else")
    assert [file.state for file in find_vocabularies()] == ["damaged", "missing"]
    assert other.sha256 in describe_vocabularies()
    assert str(other.path) in describe_vocabularies()


def test_without_the_variable_the_folder_for_temporary_files_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """As tiktoken does; and a second variable comes between."""
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR")
    monkeypatch.delenv("DATA_GYM_CACHE_DIR", raising=False)
    assert {file.path and file.path.parent.name for file in find_vocabularies()} == {"data-gym-cache"}
    monkeypatch.setenv("DATA_GYM_CACHE_DIR", "/somewhere")
    assert {file.path and file.path.parent for file in find_vocabularies()} == {pathlib.Path("/somewhere")}


def test_an_empty_variable_means_that_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiktoken fetches the files each time then."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert {(file.path, file.state) for file in find_vocabularies()} == {(None, "no folder")}
    assert "TIKTOKEN_CACHE_DIR is empty" in describe_vocabularies()


def test_looking_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The check neither imports tiktoken nor fetches anything."""
    real = builtins.__import__

    def guarded(name: str, *args: object) -> object:
        assert name != "tiktoken"
        return real(name, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", guarded)
    find_vocabularies()
