"""The context window of an agent's model: each request is fitted to it before it is sent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    from toolmend.agents.clients.base import ChatRequest
    from toolmend.agents.config import ChatAgentConfig
    from toolmend.agents.fitting import Fitted, HistoryFitter
    from toolmend.agents.tokens import TokenCounter
    from toolmend.toolkit.wire import Usage

__all__ = ("Window",)


class Window:
    """Fits the requests of one conversation, and learns from what the server counts.

    Where the length of the window is not known nothing is fitted, until a server refuses a request and names it.
    """

    def __init__(self, config: ChatAgentConfig) -> None:
        """Start without a conversation.

        Args:
            config: the settings of the agent.
        """
        self._config = config
        self._model = str(getattr(config.llm, "model", ""))
        self._length = config.chat_context_length
        self._fitter: HistoryFitter | None = None
        self._sent: Fitted | None = None

    @property
    def counter(self) -> TokenCounter:
        """What counts tokens for the model."""
        from toolmend.agents.tokens import counter_for

        return self._config.token_counter or counter_for(self._model)

    def fit(
        self, request: ChatRequest, *, opening: int, results: Container[int], limit: int | None = None
    ) -> ChatRequest:
        """Make a request fit; what is stored of the conversation is not touched.

        Args:
            request: the request as it would be.
            opening: how many of its first messages are no conversation yet.
            results: the positions of messages of the user that hold results of tools.
            limit: the length that a server has named when it refused the request.

        Raises:
            ContextOverflowError: it cannot be made to fit.
        """
        self._length = limit or self._length
        if self._length is None or not request.messages:
            return request
        fitter = self._fitter = self._fitter or self._new_fitter(self._length)
        self._sent = fitter.fit(
            request.messages,
            tools=request.tools or request.functions,
            opening=opening,
            results=results,
            context_length=self._length,
        )
        return replace(request, messages=tuple(self._sent.messages), max_tokens=self._sent.max_output_tokens)

    def learn(self, usage: Usage | None) -> None:
        """Compare the own count of the last request with the server's.

        Args:
            usage: what the reply cost, if it told that.
        """
        if usage is not None and usage.input_tokens and self._fitter is not None and self._sent is not None:
            self._fitter.calibrate(usage.input_tokens, self._sent)
        self._sent = None

    def _new_fitter(self, length: int) -> HistoryFitter:
        from toolmend.agents.fitting import HistoryFitter

        config = self._config
        return HistoryFitter(
            context_length=length,
            max_output_tokens=config.max_output_tokens,
            min_output_tokens=config.min_output_tokens,
            strategy=config.context_overflow_strategy,
            context_overflow_fallback=config.context_overflow_fallback,
            context_buffer_tokens=config.context_buffer_tokens,
            model=self._model,
            counter=config.token_counter,
        )
