"""An agent that holds a conversation with a model and runs the tools that the model calls."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolmend.agents.clients.base import ChatRequest
from toolmend.agents.errors import ConfigError
from toolmend.agents.messages import (
    Entry,
    answer_messages,
    assistant_message,
    call_ids,
    joined_text,
    not_executed_messages,
    unique_call_ids,
    unique_item_ids,
    user_message,
)
from toolmend.agents.modes import MODES
from toolmend.agents.toolbox import Toolbox
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.feedback import insistence
from toolmend.toolkit.given import several_of
from toolmend.toolkit.outcome import CallError, ParseResult, ToolResult
from toolmend.toolkit.wire import ModelReply

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolmend.agents.clients.base import Message
    from toolmend.agents.config import ChatAgentConfig
    from toolmend.agents.modes import Offer
    from toolmend.toolkit.registry import ToolLike
    from toolmend.toolkit.spec import Handler

__all__ = ("AgentResponse", "ChatAgent")


@dataclass(frozen=True, slots=True)
class AgentResponse:
    """What an agent answers to the model's calls.

    Attributes:
        text: what goes back to the model, as one text.
        results: one result per call, faulty ones included, in the order in which they were made.
    """

    text: str
    results: tuple[ToolResult, ...]


@dataclass(frozen=True, slots=True)
class _Turn:
    """The model's last turn: what it said, what was read out of it, and the answer, once there is one."""

    reply: ModelReply
    result: ParseResult
    answer: AgentResponse | None = None


class ChatAgent:
    """Holds a conversation, offers tools, reads and runs the calls.

    Nothing here loops: `llm_response` asks the model once, `agent_response` runs what it called, `Task` does both in
    turn. A tool is run by the function given for it, else by the method of a subclass that is named like the tool,
    else by the tool's own `handle`. One agent holds one conversation: it is not to be shared between threads.
    """

    def __init__(self, config: ChatAgentConfig, tools: ToolLike | Iterable[ToolLike] = ()) -> None:
        """Start an empty conversation.

        Args:
            config: the settings.
            tools: tools to be enabled, offered and run; one, or several.

        Raises:
            ConfigError: these are no settings of an agent, or nothing runs one of the tools.
            ToolDefinitionError: a tool is defined wrongly.
        """
        _check_config(config)
        self.config = config
        self._client = config.create_client()
        self._mode = MODES[config.tool_mode]
        self._toolbox = Toolbox(self, ChatAgent, policy=config.policy, infer_tool_name=config.infer_tool_name)
        self._history: list[Entry] = []
        self._turn: _Turn | None = None
        self._faults: frozenset[tuple[str | None, str]] = frozenset()  # of the last answer: tools and errors
        self._obeyed = False  # whether the forced tool was called since the user spoke
        self.enable_message(several_of(tools))

    # ------------------------------------------------------------------ tools

    def enable_message(
        self,
        tools: ToolLike | Sequence[ToolLike],
        *,
        use: bool = True,
        handle: bool = True,
        force: bool = False,
        handler: Handler | None = None,
    ) -> None:
        """Let the model use tools, run their calls, or both. What was said of a tool before no longer counts.

        Args:
            tools: a tool, or several: classes, or functions made tools by `@tool`.
            use: offer them to the model.
            handle: run their calls.
            force: the model must call this one in its next answers, until another is forced or it is disabled.
            handler: runs the calls of this one, in place of the tool's own `handle`.

        Raises:
            ToolDefinitionError: a tool is defined wrongly.
            ConfigError: `force` or `handler` is given for several tools, or `force` for one that is not offered.
        """
        self._toolbox.enable(several_of(tools), use=use, handle=handle, force=force, handler=handler)
        self._read_again()

    def disable_message(
        self, tools: ToolLike | str | Sequence[ToolLike | str] | None = None, *, use: bool = True, handle: bool = True
    ) -> None:
        """Take tools away again.

        Args:
            tools: a tool, its name, or several; None for all.
            use: no longer offer them to the model.
            handle: no longer run their calls.

        Raises:
            UnknownToolError: one of them is not enabled.
        """
        if tools is not None and (isinstance(tools, str) or not isinstance(tools, Sequence)):
            tools = [tools]
        self._toolbox.disable(tools, use=use, handle=handle)
        self._read_again()

    # ------------------------------------------------------------------ history

    @property
    def messages(self) -> list[Message]:
        """A copy of what would be sent now, as Chat Completions messages: the opening, then the conversation."""
        return copy.deepcopy([*self._offer().opening, *(entry.message for entry in self._settled())])

    @property
    def history(self) -> tuple[Entry, ...]:
        """The conversation without the opening, with who spoke and what the model wrote word for word."""
        return tuple(self._history)

    def clear_history(self) -> None:
        """Start a new conversation with the same tools."""
        self._history.clear()
        self._faults = frozenset()
        self._turn = None

    # ------------------------------------------------------------------ the model's turn

    def llm_response(self, text: str | None = None) -> ModelReply:
        """Ask the model once. If that fails, the conversation stands as before.

        Args:
            text: what the user says; None sends what is there, such as the results of tools.

        Returns:
            What the model said; its calls are not run yet.

        Raises:
            LLMError: there is no usable reply.
        """
        entries = self._with_user(text)
        return self._commit(entries, self._client.complete(self._request(entries))).reply

    async def llm_response_async(self, text: str | None = None) -> ModelReply:
        """Ask the model once. If that fails, the conversation stands as before.

        Args:
            text: what the user says; None sends what is there, such as the results of tools.

        Returns:
            What the model said; its calls are not run yet.

        Raises:
            LLMError: there is no usable reply.
        """
        entries = self._with_user(text)
        return self._commit(entries, await self._client.complete_async(self._request(entries))).reply

    # ------------------------------------------------------------------ the agent's turn

    def agent_response(self, reply: ModelReply | str) -> AgentResponse | None:
        """Run the calls of a reply, and add what goes back to the model to the conversation.

        A reply that did not come from `llm_response`, or a plain string, counts as the model's next turn. The calls of
        a turn are run once: asked again, the same answer is given.

        Args:
            reply: what the model said.

        Returns:
            The results; None if the reply holds no attempt at a call.

        Raises:
            ToolUsageError: it is no reply, or was an earlier turn; or a handler is async and an event loop is running.
        """
        turn = self._turn_of(reply)
        if turn.answer is None and turn.result.items:
            mine, foreign = self._toolbox.split(turn.result)
            ran = self._toolbox.known.dispatch(mine, handlers=self._toolbox.handlers(prefer_async=False))
            return self._answer(turn, (*ran, *foreign))
        return turn.answer

    async def agent_response_async(self, reply: ModelReply | str) -> AgentResponse | None:
        """Run the calls of a reply, and add what goes back to the model to the conversation.

        Args:
            reply: what the model said, as for `agent_response`.

        Returns:
            The results; None if the reply holds no attempt at a call.

        Raises:
            ToolUsageError: it is no reply, or was an earlier turn.
        """
        turn = self._turn_of(reply)
        if turn.answer is None and turn.result.items:
            mine, foreign = self._toolbox.split(turn.result)
            ran = await self._toolbox.known.dispatch_async(mine, handlers=self._toolbox.handlers(prefer_async=True))
            return self._answer(turn, (*ran, *foreign))
        return turn.answer

    # ------------------------------------------------------------------ behind both

    def _offer(self) -> Offer:
        forced = None if self._obeyed else self._toolbox.forced
        return self._mode.offer(self._toolbox.offered, self.config.system_message, forced)

    def _request(self, entries: Sequence[Entry]) -> ChatRequest:
        offer = self._offer()
        return ChatRequest(
            messages=(*offer.opening, *(entry.message for entry in entries)),
            tools=offer.tools,
            functions=offer.functions,
            tool_choice=offer.tool_choice,
            max_tokens=self.config.max_output_tokens,
        )

    def _settled(self) -> list[Entry]:
        """The conversation with an answer to every call: the model may be asked again before all were run."""
        turn = self._turn
        if turn is None or turn.answer is not None:
            return list(self._history)
        answers = not_executed_messages(turn.result.items)
        return [*self._history, *(Entry(message, "tool") for message in answers)]

    def _with_user(self, text: str | None) -> list[Entry]:
        entries = self._settled()
        if text is not None:
            if not isinstance(text, str):
                raise ToolUsageError(f"what the user says must be a str, got {type(text).__name__}")
            entries.append(Entry(user_message(text), "user"))
            self._obeyed = False
        return entries

    def _commit(self, entries: list[Entry], reply: ModelReply) -> _Turn:
        """Add the model's turn, now that there is one."""
        taken = call_ids(entry.message for entry in entries)
        reply = unique_call_ids(reply, taken, keep_missing=self._mode.legacy)
        legacy = self._mode.legacy and not any(call.id for call in reply.tool_calls)
        read = self._toolbox.known.parse_reply(reply, dialect=self._mode.dialect)
        result = unique_item_ids(read, taken, legacy=legacy)
        self._history = [*entries, Entry(assistant_message(reply, result), "model", reply)]
        self._turn = _Turn(reply, result)
        return self._turn

    def _read_again(self) -> None:
        """Read the last turn with the tools as they are now, if it was not answered yet."""
        if self._turn is None or self._turn.answer is not None:
            return
        self._commit(self._history[:-1], self._turn.reply)

    def _turn_of(self, reply: ModelReply | str) -> _Turn:
        """The turn that a reply is, after adding it to the conversation if it is not there."""
        turn = self._turn
        if isinstance(reply, str):
            if turn is not None and turn.answer is None and not turn.reply.tool_calls and turn.reply.text == reply:
                return turn
            reply = ModelReply(text=reply)
        elif not isinstance(reply, ModelReply):
            raise ToolUsageError(f"a reply is a ModelReply or a str, got {type(reply).__name__}")
        elif turn is not None and turn.reply is reply:
            return turn
        elif any(entry.reply is reply for entry in self._history):
            raise ToolUsageError(
                "this reply was a turn of the conversation before; only the calls of the last turn can be run "
                "(to run them once more, hand over a copy)"
            )
        return self._commit(self._settled(), reply)

    def _insisting(self, result: ToolResult) -> ToolResult:
        """A fault that was told in the last answer word for word is told with the schema and an example."""
        known = result.name in self._toolbox.known and isinstance(result.error, CallError)
        if not known or result.name is None or _fault_of(result) not in self._faults:
            return result
        return replace(result, text=f"{result.text}\n{insistence(self._toolbox.known[result.name])}")

    def _answer(self, turn: _Turn, results: Iterable[ToolResult]) -> AgentResponse:
        """Add the results to the conversation, in the order of the calls."""
        by_call = {id(result.call): result for result in results}
        ordered = tuple(self._insisting(by_call[id(item)]) for item in turn.result.items)
        self._faults = frozenset(_fault_of(result) for result in ordered if isinstance(result.error, CallError))
        answer = AgentResponse(joined_text(ordered), ordered)
        self._history += [Entry(message, "tool") for message in answer_messages(ordered)]
        self._turn = replace(turn, answer=answer)
        self._obeyed = self._obeyed or any(result.ok and result.name == self._toolbox.forced for result in ordered)
        return answer


def _fault_of(result: ToolResult) -> tuple[str | None, str]:
    """What a fault is known again by: the tool, and what the model was told first."""
    return result.name, result.call.message if isinstance(result.call, CallError) else ""


def _check_config(config: object) -> None:
    """Tell what an agent is made of: a model alone is a likely mistake."""
    from toolmend.agents.config import ChatAgentConfig

    if not isinstance(config, ChatAgentConfig):
        raise ConfigError(f"ChatAgent: a ChatAgentConfig(llm=...) is needed, got {config!r:.80}", fields=("config",))
