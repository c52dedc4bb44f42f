"""What an agent does between asking its model and hearing from it: no request is sent here, and no tool is run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from toolmend.agents.clients.base import ChatRequest
from toolmend.agents.errors import ContextLengthError
from toolmend.agents.messages import Entry, call_ids, unique_call_ids, unique_item_ids, user_message
from toolmend.agents.modes import MODES
from toolmend.agents.turn import Turn
from toolmend.agents.window import Window
from toolmend.toolkit.dialects import dialect_of
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.wire import ModelReply, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from toolmend.agents.config import ChatAgentConfig
    from toolmend.agents.modes import Offer
    from toolmend.agents.toolbox import Toolbox
    from toolmend.toolkit.outcome import ToolResult
    from toolmend.toolkit.stream import ReplyStream

__all__ = ("Dialogue",)

_EARLIER: Final = (
    "this reply was a turn of the conversation before; only the calls of the last turn can be run (to run them once "
    "more, hand over a copy)"
)
_BUSY: Final = (
    "a call of the last turn is being run: the conversation goes on once it is answered; a handler that asks the model "
    "uses `llm_response_forget`, or another agent"
)


class Dialogue:
    """A conversation: what was said before, and the last turn.

    Attributes:
        turn: the model's last turn, if it has spoken.
        usage: what all requests have cost.
        window: fits what is sent.
        obeyed: whether the forced tool was called since the user spoke.
        busy: whether a call of the last turn is being run; then nothing can be added to the conversation.
    """

    def __init__(self, config: ChatAgentConfig, toolbox: Toolbox) -> None:
        """Start without a word.

        Args:
            config: the settings of the agent.
            toolbox: its tools.
        """
        self.turn: Turn | None = None
        self.usage = Usage()
        self.window = Window(config)
        self.obeyed = False
        self.busy = False
        self._before: list[Entry] = []
        self._config = config
        self._toolbox = toolbox
        self._mode = MODES[config.tool_mode]

    # ------------------------------------------------------------------ what was said

    def settled(self, text_of: Callable[[ToolResult], str] | None = None) -> list[Entry]:
        """The conversation with an answer to every call, whatever became of it.

        Args:
            text_of: gives what is told of the results of the last turn; by default what the model was told.
        """
        if self.turn is None:
            return list(self._before)
        return [*self._before, *self.turn.entries(text_of)]

    def replace_with(self, entries: Sequence[Entry]) -> None:
        """Go on with another conversation.

        Args:
            entries: what was said in it.

        Raises:
            ToolUsageError: a call of the last turn is being run.
        """
        self.check_free()
        self._before, self.turn, self.obeyed = list(entries), None, False

    def reopen(self) -> None:
        """Let the calls wait again that waited when the conversation was stored, if the tools still read them so."""
        whole = self._before
        at = next((at for at in reversed(range(len(whole))) if whole[at].reply is not None), None)
        reply = whole[at].reply if at is not None and whole[at].held is not None else None
        if reply is not None and not self.commit(whole[:at], reply).reopen(whole[at:], self._toolbox.known.specs):
            self.replace_with(whole)

    def with_user(self, text: str | None) -> list[Entry]:
        """The conversation as it is once the user has said something.

        Args:
            text: what the user says; None for nothing.

        Raises:
            ToolUsageError: that is no text.
        """
        entries = self.settled()
        if text is None:
            return entries
        if not isinstance(text, str):
            raise ToolUsageError(f"what the user says must be a str, got {type(text).__name__}")
        return [*entries, Entry(user_message(text), "user")]

    def going_on(self, text: str | None) -> list[Entry]:
        """The same, for a question whose answer will be added to the conversation.

        Args:
            text: what the user says; None for nothing.

        Raises:
            ToolUsageError: that is no text, or a call of the last turn is being run.
        """
        self.check_free()
        return self.with_user(text)

    # ------------------------------------------------------------------ asking

    def offer(self, *, forced: bool = True) -> Offer:
        """What of a request depends on the tools.

        Args:
            forced: whether the tool that must be called is still to be.
        """
        name = self._toolbox.forced if forced else None
        return self._mode.offer(self._toolbox.offered, self._config.system_message, name, self._config.dialect)

    def asking(self, entries: Sequence[Entry]) -> Generator[ChatRequest, ModelReply, ModelReply]:
        """Yield what is to be sent, get the reply or the error of the client, and return the reply.

        A server that names the length of its window when it refuses a request is asked again: once with what fits by
        our own count, and once by its count, if it told that and ours was too low.

        Args:
            entries: the conversation.

        Raises:
            ContextOverflowError: it cannot be made to fit.
            ToolUsageError: what the client gave is no reply.
        """
        limit: int | None = None
        for attempts_left in reversed(range(3)):
            try:
                reply = yield self._request(entries, limit)
                break
            except ContextLengthError as error:
                if error.context_length is None or not attempts_left:
                    raise
                limit = error.context_length
                self.window.learn(Usage(error.prompt_tokens or 0))
        given: object = reply
        if not isinstance(given, ModelReply):
            what = type(given).__name__
            raise ToolUsageError(f"a client gives back a ModelReply, as ModelReply(text=...) makes one, got {what}")
        self.window.learn(reply.usage)
        self.usage += reply.usage or Usage()
        return reply

    def _request(self, entries: Sequence[Entry], limit: int | None = None) -> ChatRequest:
        asked_anew = bool(entries) and entries[-1].origin == "user"
        offer = self.offer(forced=asked_anew or not self.obeyed)
        request = ChatRequest(
            messages=(*offer.opening, *(entry.message for entry in entries)),
            tools=offer.tools,
            functions=offer.functions,
            tool_choice=offer.tool_choice,
            max_tokens=self._config.max_output_tokens,
        )
        opening = len(offer.opening)
        results = frozenset(at for at, entry in enumerate(entries, start=opening) if entry.origin == "tool")
        if not request.messages:
            raise ToolUsageError(
                "there is nothing to send: nobody has said anything yet, and there is no system message"
            )
        return self.window.fit(request, opening=opening, results=results, limit=limit)

    # ------------------------------------------------------------------ the model's turn

    def reading(self) -> ReplyStream:
        """What reads a reply while it is being written."""
        return self._toolbox.known.stream(dialect=self._asked_form)

    @property
    def _asked_form(self) -> str | None:
        """The form of calls in text that the instructions ask for; None if they ask for none."""
        return self._config.dialect if self._mode.as_text else None

    def check_free(self) -> None:
        """Refuse to go on while a call of the last turn is being run.

        Raises:
            ToolUsageError: one is.
        """
        if self.busy:
            raise ToolUsageError(_BUSY)

    def commit(self, entries: Sequence[Entry], reply: ModelReply, *, trusted: bool = True) -> Turn:
        """Add a turn of the model.

        Args:
            entries: what was said before it.
            reply: what it said.
            trusted: whether it is known that the model said it.

        Returns:
            The turn; its reply has unique ids.

        Raises:
            ToolUsageError: a call of the last turn is being run.
        """
        self.check_free()
        taken = call_ids(entry.message for entry in entries)
        reply = unique_call_ids(reply, taken, keep_missing=self._mode.legacy)
        legacy = self._mode.legacy and not any(call.id for call in reply.tool_calls)
        known, asked = self._toolbox.known, self._asked_form
        read = unique_item_ids(known.parse_reply(reply, dialect=asked), taken, legacy=legacy)
        if entries and entries[-1].origin == "user":
            self.obeyed = False
        before = [replace(entry, held=None) if entry.held is not None else entry for entry in entries]
        turn = Turn(
            reply, read, lambda calls: known.render(calls, asked or dialect_of(calls[0].format) or "json"), trusted
        )
        self._before, self.turn = before, turn  # at once: an interrupt in between would leave the last turn there twice
        return turn

    def heard(self, entries: Sequence[Entry], reply: ModelReply, retained: Callable[[ToolResult], str]) -> Turn:
        """Add the turn with which the model answers; the results that it has read now are kept as long as they may be.

        Args:
            entries: what was sent.
            reply: what it said.
            retained: gives what is kept of a result.
        """
        if self.turn is not None:
            kept = self.settled(retained)
            entries = [*kept, *entries[len(kept) :]]
        return self._told(self.commit(entries, reply))

    def read_again(self) -> None:
        """Read the last turn with the tools as they are now, if nothing was done about it yet."""
        if self.turn is not None and self.turn.untouched and not self.busy:
            self.commit(self._before, self.turn.reply, trusted=self.turn.trusted)

    def turn_of(self, reply: ModelReply | str) -> Turn:
        """The turn that a reply is, after adding it to the conversation if it is not there.

        Args:
            reply: what the model said.

        Raises:
            ToolUsageError: it is no reply, or was an earlier turn.
        """
        turn = self.turn
        if isinstance(reply, str):
            if turn is not None and turn.response is None and not turn.reply.tool_calls and turn.reply.text == reply:
                return turn
            return self._told(self.commit(self.settled(), ModelReply(text=reply), trusted=False))
        if not isinstance(reply, ModelReply):
            raise ToolUsageError(f"a reply is a ModelReply or a str, got {type(reply).__name__}")
        if turn is not None and turn.reply is reply:
            return turn
        if any(entry.reply is reply for entry in self._before):
            raise ToolUsageError(_EARLIER)
        return self._told(self.commit(self.settled(), reply))

    def waiting_turn(self) -> Turn:
        """The last turn, if calls of it wait for a decision.

        Raises:
            ToolUsageError: none does.
        """
        turn = self.turn
        if turn is None or turn.response is None or not turn.response.deferred:
            raise ToolUsageError("no call waits for a decision")
        return turn

    def _told(self, turn: Turn) -> Turn:
        """Tell who listens of a turn that is new; one that is read again was told of."""
        if self._config.listener is not None:
            self._config.listener(turn.read)
        return turn
