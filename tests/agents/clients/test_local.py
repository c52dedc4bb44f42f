from __future__ import annotations

import os
import sys
import types
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from toolmend.agents.clients.base import LLMClient, LLMConfig
from toolmend.agents.clients.local import LocalModel, LocalModelConfig
from toolmend.agents.clients.openai import OpenAIConfig
from toolmend.agents.errors import ConfigError, MissingExtraError, ModelStartError

if TYPE_CHECKING:
    import pathlib

    from toolmend.agents.clients.weights import Step


class Params:
    """Takes whatever is set, as the real one does."""

    def __init__(self) -> None:
        self.model = types.SimpleNamespace(path="")
        self.cpuparams = types.SimpleNamespace(n_threads=-1)
        self.cpuparams_batch = types.SimpleNamespace(n_threads=-1)


class Server:
    """Stands in for llama.cpp."""

    running: ClassVar[list[Params]] = []
    broken = False

    def __init__(self, params: Params) -> None:
        if Server.broken:
            raise RuntimeError("Failed to init server, please check the input params.")
        self.params = params
        self.listening_address = "http://127.0.0.1:9"
        Server.running.append(params)

    def __del__(self) -> None:
        if not Server.broken:
            Server.running.remove(self.params)


@pytest.fixture(autouse=True)
def _llama(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("xllamacpp")
    vars(module).update(CommonParams=Params, Server=Server)
    monkeypatch.setitem(sys.modules, "xllamacpp", module)
    monkeypatch.setattr(Server, "running", [])
    monkeypatch.setattr(Server, "broken", False)


@pytest.fixture
def gguf(tmp_path: pathlib.Path) -> pathlib.Path:
    """A file that begins like weights."""
    path = tmp_path / "my-model.gguf"
    path.write_bytes(b"GGUF....")
    return path


def test_the_server_lives_as_long_as_the_context(gguf: pathlib.Path) -> None:
    """It is started on entering and gone after leaving, since nothing else refers to it."""
    with LocalModel(LocalModelConfig(gguf=gguf, context_size=512, threads=1)) as model:
        [params] = Server.running
        assert (params.model.path, params.cpuparams.n_threads) == (str(gguf), 1)
        assert vars(params).items() >= {"n_ctx": 512, "port": 0, "verbosity": -1}.items()
        assert model.base_url == "http://127.0.0.1:9/v1"
    assert Server.running == []


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (8, 4), (None, 1)])
def test_half_of_the_cores_compute(
    gguf: pathlib.Path, monkeypatch: pytest.MonkeyPatch, cores: int | None, threads: int
) -> None:
    """Threads that wait for one another are slow on cores that others use."""
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    with LocalModel(LocalModelConfig(gguf=gguf)):
        [params] = Server.running
        assert params.cpuparams.n_threads == params.cpuparams_batch.n_threads == threads


def test_it_is_started_once_and_can_be_started_again(gguf: pathlib.Path) -> None:
    """Starting and closing twice does no harm."""
    model = LocalModel(LocalModelConfig(gguf=gguf))
    model.start()
    model.start()
    assert len(Server.running) == 1
    model.close()
    model.close()
    assert Server.running == []
    assert model.base_url
    assert len(Server.running) == 1
    model.close()


def test_it_gives_settings_for_an_openai_client(gguf: pathlib.Path) -> None:
    """The model is asked over HTTP like any server, under the name of its file."""
    with LocalModel(LocalModelConfig(gguf=gguf)) as model:
        assert model.openai_config() == OpenAIConfig(model="my-model", base_url="http://127.0.0.1:9/v1", api_key="none")


def test_it_is_a_client_and_its_settings_make_one(gguf: pathlib.Path) -> None:
    """It can be given to an agent in either form."""
    config = LocalModelConfig(gguf=gguf)
    assert isinstance(config, LLMConfig)
    assert isinstance(config.create_client(), LLMClient)
    assert Server.running == []  # nothing is loaded before it is asked


def test_loading_is_told(gguf: pathlib.Path) -> None:
    """Loading takes seconds with larger weights."""
    told: list[tuple[Step, int, int]] = []
    with LocalModel(LocalModelConfig(gguf=gguf), progress=lambda *words: told.append(words)):
        assert told == [("load", 0, 1), ("load", 1, 1)]


def test_the_environment_names_the_weights(gguf: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`TOOLMEND_GGUF` is enough."""
    monkeypatch.setenv("TOOLMEND_GGUF", str(gguf))
    assert LocalModelConfig().gguf == gguf


def test_a_path_to_nothing_is_a_wrong_setting(tmp_path: pathlib.Path) -> None:
    """The error names the field, the path and the reason."""
    with pytest.raises(
        ConfigError, match=r"LocalModelConfig\.gguf \(TOOLMEND_GGUF\): .*none\.gguf cannot be read: No such file"
    ) as caught:
        LocalModel(LocalModelConfig(gguf=tmp_path / "none.gguf")).start()
    assert caught.value.fields == ("gguf",)


def test_a_file_that_is_no_gguf_is_a_wrong_setting(tmp_path: pathlib.Path) -> None:
    """It is told before llama.cpp is asked, whose one answer fits every mistake."""
    (tmp_path / "x.gguf").write_text("PK")
    with pytest.raises(ConfigError, match="is no GGUF file"):
        LocalModel(LocalModelConfig(gguf=tmp_path / "x.gguf")).start()


def test_weights_that_cannot_be_loaded_are_told(gguf: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A damaged file is an error of ours that names it."""
    monkeypatch.setattr(Server, "broken", True)
    with pytest.raises(ModelStartError, match=r"cannot load .*my-model\.gguf"):
        LocalModel(LocalModelConfig(gguf=gguf)).start()


def test_without_the_library_the_error_names_the_extra(gguf: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra is told by its name."""
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtraError, match=r"toolmend\[local\]"):
        LocalModel(LocalModelConfig(gguf=gguf)).start()


@pytest.mark.parametrize("settings", [{"context_size": 1}, {"threads": 0}, {"verbosity": -2}])
def test_a_bad_setting_is_named(settings: dict[str, Any]) -> None:
    """An error of the settings says which field is wrong."""
    [field] = settings
    with pytest.raises(ConfigError, match=rf"LocalModelConfig\.{field}: "):
        LocalModelConfig(**settings)
