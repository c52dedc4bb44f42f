"""A model inside the own process: llama.cpp behind its OpenAI-compatible endpoint on loopback."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from pydantic import Field

from toolmend.agents._settings import Settings
from toolmend.agents.clients._guard import check_real_requests
from toolmend.agents.clients.openai import OpenAIClient, OpenAIConfig
from toolmend.agents.clients.weights import SMOLLM2, fetch_weights
from toolmend.agents.errors import ConfigError, MissingExtraError, ModelStartError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from types import TracebackType

    from toolmend.agents.clients.base import ChatRequest, LLMClient, StreamPart
    from toolmend.agents.clients.weights import Progress
    from toolmend.toolkit.wire import ModelReply

__all__ = ("LocalModel", "LocalModelConfig")

GGUF_MAGIC = b"GGUF"
GGUF_SETTING = "LocalModelConfig.gguf (TOOLMEND_GGUF)"
QUIET = -1  # not even the errors, which come as exceptions


class LocalModelConfig(Settings):
    """Which weights to load, and how.

    Attributes:
        gguf: path of the weights, a GGUF file (`TOOLMEND_GGUF`); None takes SmolLM2-135M-Instruct, fetched once.
        cache_dir: where fetched weights are kept (`TOOLMEND_CACHE_DIR`); None for the user's cache.
        context_size: length of the context window, in tokens; it costs memory.
        threads: how many threads compute; None takes half of the cores.
        verbosity: how much llama.cpp logs to standard error; -1 nothing, 3 everything.
    """

    gguf: Path | None = None
    cache_dir: Path | None = None
    context_size: int = Field(default=4096, ge=256)
    threads: int | None = Field(default=None, ge=1)
    verbosity: int = Field(default=QUIET, ge=-1)

    def create_client(self) -> LLMClient:
        """Make a client that loads the model when it is first asked."""
        return LocalModel(self)


class _Server(Protocol):
    """What is used of the server class of xllamacpp, which has no types of its own."""

    listening_address: str


class LocalModel:
    """An embedded model with its HTTP endpoint; a context manager, and a client like any other.

        with LocalModel() as model:
            agent = ChatAgent(ChatAgentConfig(llm=model, use_tools=True))

    The server runs while the manager is open, or from the first request on until `close`.
    """

    def __init__(self, config: LocalModelConfig | None = None, *, progress: Progress | None = None) -> None:
        """Load nothing yet.

        Args:
            config: which weights, and how; by default the small model.
            progress: told while the weights are fetched and loaded.
        """
        self.config = config or LocalModelConfig()
        self._progress = progress
        self._server: _Server | None = None
        self._client: OpenAIClient | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        """Start the server."""
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """End the server."""
        self.close()

    def start(self) -> None:
        """Fetch the weights if need be, load them and open the endpoint; nothing to do if it is open.

        Raises:
            ConfigError: the given path is no file, or no GGUF.
            WeightsError: the default weights are not to be had.
            ModelStartError: llama.cpp cannot load the weights.
            MissingExtraError: xllamacpp is not installed.
        """
        with self._lock:
            if self._server is None:
                weights = self._weights()
                self._tell(0)
                self._server = _start_server(weights, self.config)
                self._tell(1)

    def close(self) -> None:
        """End the server; nothing to do if there is none."""
        with self._lock:
            # llama.cpp's server has no method for it: it ends with the last reference.
            if self._client is not None:
                self._client.close()
            self._client = None
            self._server = None

    async def close_async(self) -> None:
        """Close the connections that the running event loop opened; the server goes on."""
        if self._client is not None:
            await self._client.close_async()

    @property
    def base_url(self) -> str:
        """The address that an OpenAI client is pointed at; starts the server if need be."""
        self.start()
        if self._server is None:  # closed by another thread
            raise ModelStartError("the embedded model was closed while it started")
        return f"{self._server.listening_address}/v1"

    @property
    def name(self) -> str:
        """The model's name: that of its file."""
        return (self.config.gguf or Path(SMOLLM2.file_name)).stem

    def openai_config(self) -> OpenAIConfig:
        """Settings with which an OpenAI client speaks to this model over HTTP."""
        return OpenAIConfig(model=self.name, base_url=self.base_url, api_key="none")

    def complete(self, request: ChatRequest, /) -> ModelReply:
        """Ask the model over its endpoint, and wait for its reply.

        Args:
            request: the conversation and its bounds.

        Returns:
            What the model said.

        Raises:
            LLMError: the model gave no usable reply.
            LocalModelError: it could not be started.
        """
        return self._ensure_client().complete(request)

    async def complete_async(self, request: ChatRequest, /) -> ModelReply:
        """Ask the model without blocking the event loop; only the start of the server blocks.

        Args:
            request: the conversation and its bounds.

        Returns:
            What the model said.

        Raises:
            LLMError: the model gave no usable reply.
            LocalModelError: it could not be started.
        """
        return await self._ensure_client().complete_async(request)

    def stream(self, request: ChatRequest, /) -> Iterator[StreamPart]:
        """Ask the model over its endpoint, and give its reply as it is written.

        Args:
            request: the conversation and its bounds.

        Yields:
            Chunks, and as the last the whole reply.

        Raises:
            LLMError: the model gave no usable reply.
            LocalModelError: it could not be started.
        """
        return self._ensure_client().stream(request)

    def stream_async(self, request: ChatRequest, /) -> AsyncIterator[StreamPart]:
        """Ask the model, and give its reply as it is written; only the start of the server blocks the event loop.

        Args:
            request: the conversation and its bounds.

        Yields:
            Chunks, and as the last the whole reply.

        Raises:
            LLMError: the model gave no usable reply.
            LocalModelError: it could not be started.
        """
        return self._ensure_client().stream_async(request)

    def _ensure_client(self) -> OpenAIClient:
        check_real_requests(self.name)
        if self._client is None:
            self._client = OpenAIClient(self.openai_config())
        return self._client

    def _weights(self) -> Path:
        if self.config.gguf is None:
            return fetch_weights(folder=self.config.cache_dir, progress=self._progress)
        _check_gguf(self.config.gguf)
        return self.config.gguf

    def _tell(self, done: int) -> None:
        if self._progress:
            self._progress("load", done, 1)


def _check_gguf(path: Path) -> None:
    """Tell a wrong path from a broken model before llama.cpp gives its one answer to both."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"{GGUF_SETTING}: {path} cannot be read: {reason}", fields=("gguf",)) from error
    if magic != GGUF_MAGIC:
        raise ConfigError(f"{GGUF_SETTING}: {path} is no GGUF file", fields=("gguf",))


def _start_server(weights: Path, config: LocalModelConfig) -> _Server:
    try:
        import xllamacpp
    except ModuleNotFoundError as error:
        raise MissingExtraError("xllamacpp", extra="local") from error
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = config.context_size
    params.n_parallel = 1
    params.port = 0  # any free one
    params.ui = False
    params.verbosity = config.verbosity
    # llama.cpp's threads wait for one another without sleeping: where they compete for cores, all of them stand still.
    threads = config.threads or max(1, (os.cpu_count() or 2) // 2)
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    try:
        server: _Server = xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelStartError(
            f"llama.cpp cannot load {weights}: the file may be damaged, of an unknown architecture, or too large "
            f"for the memory (LocalModelConfig(verbosity=3) shows its log)"
        ) from error
    return server
