"""An agent that holds a conversation with a model and runs the tools that the model calls."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from toolmend.agents.acting import Acting
from toolmend.agents.approval import as_hook
from toolmend.agents.asking import Asking, Shown
from toolmend.agents.dialogue import Dialogue
from toolmend.agents.errors import ConfigError
from toolmend.agents.messages import Entry, user_message
from toolmend.agents.tool_user import ToolUser
from toolmend.agents.toolbox import Toolbox
from toolmend.agents.transcript import read_transcript, transcript
from toolmend.agents.turn import AgentResponse
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.given import several_of
from toolmend.toolkit.wire import ModelReply, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Iterator

    from toolmend.agents.clients.base import Message
    from toolmend.agents.config import ChatAgentConfig
    from toolmend.toolkit.hooks import BeforeCall, Decision
    from toolmend.toolkit.jobs import Step
    from toolmend.toolkit.registry import ToolLike

__all__ = ("AgentResponse", "ChatAgent")


class ChatAgent(ToolUser):
    """Holds a conversation, offers tools, reads and runs the calls.

    Nothing here loops: `llm_response` asks the model once, `agent_response` runs what it called, `Task` does both in
    turn. A tool is run by the function given for it, else by the method of a subclass that is named like the tool,
    else by the tool's own `handle`. What runs it gets the message, and what it asks for beside it: the agent, the
    `ToolCall`, the context. One agent holds one conversation: it is not to be shared between threads.
    """

    def __init__(
        self, config: ChatAgentConfig, tools: ToolLike | Iterable[ToolLike] = (), *, context: object = None
    ) -> None:
        """Start an empty conversation.

        Args:
            config: the settings.
            tools: tools to be enabled, offered and run; one, or several.
            context: whatever handlers need; one that asks for it, by its class or by the name `context`, is given it.

        Raises:
            ConfigError: these are no settings of an agent, or nothing runs one of the tools.
            ToolDefinitionError: a tool is defined wrongly.
        """
        _check_config(config)
        self.config = config
        self.context = context
        self._client = config.create_client()
        self._begin(Toolbox(self, ChatAgent, policy=config.policy, infer_tool_name=config.infer_tool_name))
        self.enable_message(several_of(tools))

    # ------------------------------------------------------------------ the conversation

    @property
    def messages(self) -> list[Message]:
        """A copy of what would be sent now, as Chat Completions messages: the opening, then the conversation."""
        opening = self._dialogue.offer(forced=not self._dialogue.obeyed).opening
        return copy.deepcopy([*opening, *(entry.message for entry in self._dialogue.settled())])

    @property
    def history(self) -> tuple[Entry, ...]:
        """The conversation without the opening, with who spoke and what the model wrote word for word."""
        return tuple(self._dialogue.settled())

    @property
    def usage(self) -> Usage:
        """The tokens of all replies that the model has given to this agent."""
        return self._dialogue.usage

    def clear_history(self) -> None:
        """Start a new conversation with the same tools.

        Raises:
            ToolUsageError: a call of the last turn is being run.
        """
        self._dialogue.replace_with(())
        self._acting.forget_faults()

    def export_history(self) -> str:
        """The conversation as JSON text, without the opening, which follows from the settings and the tools."""
        return transcript(self._dialogue.settled())

    def import_history(self, text: str) -> None:
        """Go on with a conversation that was exported, in place of this one.

        Args:
            text: what `export_history` gave.

        Raises:
            TranscriptError: it is something else; the conversation stands as before.
            ToolUsageError: a call of the last turn is being run.
        """
        entries = read_transcript(text)
        self._dialogue.replace_with(entries)
        self._acting.forget_faults()
        self._dialogue.reopen()

    def clone(self, *, history: bool = False) -> Self:
        """Make another agent with the same settings, tools and attributes.

        Args:
            history: whether it goes on with a copy of the conversation; else it starts an empty one.
        """
        other = copy.copy(self)
        other._begin(self._toolbox.of(other))  # noqa: SLF001 - of the same class
        if history:
            other._dialogue.replace_with(copy.deepcopy(self._dialogue.settled()))  # noqa: SLF001 - of the same class
        return other

    # ------------------------------------------------------------------ the model's turn

    def llm_response(self, text: str | None = None) -> ModelReply:
        """Ask the model once. If that fails, the conversation stands as before.

        Args:
            text: what the user says; None sends what is there, such as the results of tools.

        Returns:
            What the model said; its calls are not run yet.

        Raises:
            LLMError: there is no usable reply.
            ContextOverflowError: the conversation cannot be made to fit the model's window.
        """
        entries = self._dialogue.going_on(text)
        return self._heard(entries, self._asking.ask(entries))

    async def llm_response_async(self, text: str | None = None) -> ModelReply:
        """Ask the model once, as `llm_response` does.

        Args:
            text: what the user says; None sends what is there, such as the results of tools.
        """
        entries = self._dialogue.going_on(text)
        return self._heard(entries, await self._asking.ask_async(entries))

    def llm_stream(self, text: str | None = None) -> Iterator[Shown | ModelReply]:
        """Ask the model once, as `llm_response` does, and show its reply as it is written.

        Args:
            text: what the user says; None sends what is there, such as the results of tools.

        Yields:
            What can be shown, and last the whole reply. Only then the conversation goes on: a reply that breaks off
            leaves it as it was.
        """
        entries = self._dialogue.going_on(text)
        for part in self._asking.stream(entries):
            yield self._heard(entries, part) if isinstance(part, ModelReply) else part

    async def llm_stream_async(self, text: str | None = None) -> AsyncGenerator[Shown | ModelReply, None]:
        """Ask the model once, as `llm_stream` does.

        Args:
            text: what the user says; None sends what is there, such as the results of tools.
        """
        entries = self._dialogue.going_on(text)
        async with contextlib.aclosing(self._asking.stream_async(entries)) as parts:
            async for part in parts:
                yield self._heard(entries, part) if isinstance(part, ModelReply) else part

    def llm_response_forget(self, text: str | None = None) -> ModelReply:
        """Ask the model once, and leave no trace of it in the conversation.

        Args:
            text: what the user says.

        Returns:
            What the model said; handing it to `agent_response` would make it a turn of the conversation.

        Raises:
            LLMError: there is no usable reply.
            ContextOverflowError: the conversation cannot be made to fit the model's window.
        """
        return self._asking.ask(self._dialogue.with_user(text))

    async def llm_response_forget_async(self, text: str | None = None) -> ModelReply:
        """Ask the model once without a trace, as `llm_response_forget` does.

        Args:
            text: what the user says.
        """
        return await self._asking.ask_async(self._dialogue.with_user(text))

    def llm_response_temp_context(self, text: str, prompt: str) -> ModelReply:
        """Ask the model once with a long prompt, and keep only the short text of it.

        Args:
            text: what the user says, as it stays in the conversation.
            prompt: what is sent in its place this once: the text with retrieved passages, say.

        Returns:
            What the model said; its calls are not run yet.

        Raises:
            LLMError: there is no usable reply.
            ContextOverflowError: the conversation cannot be made to fit the model's window.
        """
        entries = self._dialogue.going_on(text)
        return self._heard(entries, self._asking.ask(_with_prompt(entries, text, prompt)))

    async def llm_response_temp_context_async(self, text: str, prompt: str) -> ModelReply:
        """Ask the model once with a long prompt, as `llm_response_temp_context` does.

        Args:
            text: what the user says, as it stays in the conversation.
            prompt: what is sent in its place this once.
        """
        entries = self._dialogue.going_on(text)
        return self._heard(entries, await self._asking.ask_async(_with_prompt(entries, text, prompt)))

    # ------------------------------------------------------------------ the agent's turn

    def agent_response(self, reply: ModelReply | str) -> AgentResponse | None:
        """Run the calls of a reply, and add what goes back to the model to the conversation.

        A reply that did not come from `llm_response` counts as the model's next turn. So does a plain string, but as
        nobody knows who wrote it, it runs no tool that the model was not offered. The calls of a turn are run once:
        asked again, the same answer is given.

        Args:
            reply: what the model said.

        Returns:
            The results; None if the reply holds no attempt at a call and `handle_llm_no_tool` says nothing.

        Raises:
            ToolUsageError: it is no reply, or was an earlier turn; or a handler is async and an event loop is running.
        """
        turn = self._dialogue.turn_of(reply)
        for _step in self._acting.steps(turn, self.config.approve):
            pass
        return turn.response

    async def agent_response_async(self, reply: ModelReply | str) -> AgentResponse | None:
        """Run the calls of a reply, as `agent_response` does, beside one another.

        Args:
            reply: what the model said.
        """
        turn = self._dialogue.turn_of(reply)
        async with contextlib.aclosing(self._acting.steps_async(turn, self.config.approve)) as steps:
            async for _step in steps:
                pass
        return turn.response

    def agent_steps(self, reply: ModelReply | str) -> Iterator[Step]:
        """Run the calls of a reply, and tell of each as it starts and as it has its result.

        At the end `agent_response` with the same reply gives the answer.

        Args:
            reply: what the model said.

        Raises:
            ToolUsageError: as for `agent_response`.
        """
        return self._acting.steps(self._dialogue.turn_of(reply), self.config.approve)

    def agent_steps_async(self, reply: ModelReply | str) -> AsyncGenerator[Step, None]:
        """Run the calls of a reply, as `agent_steps` does; whoever stops before the end has to close it.

        Args:
            reply: what the model said.
        """
        return self._acting.steps_async(self._dialogue.turn_of(reply), self.config.approve)

    def nudge(self, text: str) -> None:
        """Tell the model something about its last turn, in which it made no attempt at a call.

        Args:
            text: what it is told when it is asked the next time.

        Raises:
            ToolUsageError: there is no such turn.
        """
        turn = self._dialogue.turn
        if turn is None or turn.read.items:
            raise ToolUsageError("the last turn is none of the model without an attempt at a call")
        turn.nudge = text

    def resolve(self, decisions: Mapping[str, Decision] | BeforeCall) -> AgentResponse:
        """Decide on the calls of the last turn that wait, and run those that may run.

        Args:
            decisions: what is decided of each, by its id; or a function of a call. Those that are not decided go on
                waiting.

        Returns:
            The answer to the whole turn.

        Raises:
            ToolUsageError: no call waits, or none of that id.
            ConfigError: they are no decisions.
        """
        turn = self._dialogue.waiting_turn()
        for _step in self._acting.steps(turn, as_hook(decisions, turn)):
            pass
        return turn.response or AgentResponse("")

    async def resolve_async(self, decisions: Mapping[str, Decision] | BeforeCall) -> AgentResponse:
        """Decide on the calls of the last turn that wait, as `resolve` does.

        Args:
            decisions: what is decided of each, by its id; or a function of a call.
        """
        turn = self._dialogue.waiting_turn()
        async with contextlib.aclosing(self._acting.steps_async(turn, as_hook(decisions, turn))) as steps:
            async for _step in steps:
                pass
        return turn.response or AgentResponse("")

    # ------------------------------------------------------------------ behind both

    def _begin(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._dialogue = Dialogue(self.config, self._toolbox)
        self._asking = Asking(self._client, self._dialogue)
        beside = {"agent": self, **({"context": self.context} if self.context is not None else {})}
        self._acting = Acting(self.config, self._toolbox, self._dialogue, beside)

    def _tools_changed(self) -> None:
        self._dialogue.read_again()

    def _heard(self, entries: Sequence[Entry], reply: ModelReply) -> ModelReply:
        return self._dialogue.heard(entries, reply, self._acting.retained).reply


def _with_prompt(entries: Sequence[Entry], text: object, prompt: Any) -> list[Entry]:  # noqa: ANN401 - checked here
    """The conversation with another text in the user's last message."""
    for name, given in (("text", text), ("prompt", prompt)):
        if not isinstance(given, str):
            raise ToolUsageError(f"the {name} must be a str, got {type(given).__name__}")
    return [*entries[:-1], Entry(user_message(prompt), "user")]


def _check_config(config: object) -> None:
    """Tell what an agent is made of: a model alone is a likely mistake."""
    from toolmend.agents.config import ChatAgentConfig

    if not isinstance(config, ChatAgentConfig):
        raise ConfigError(f"ChatAgent: a ChatAgentConfig(llm=...) is needed, got {config!r:.80}", fields=("config",))
