"""Errors of the agents layer.

ToolmendError                     root of everything that toolmend raises (toolmend.repairs.errors)
├── ConfigError                   a setting is wrong: the user's mistake, the field is named
├── MissingExtraError             a package that one of the extras brings is not installed (toolmend.toolkit.errors)
├── RealRequestError              a real model was to be asked while that is forbidden, as in tests
├── RecordingError                a recorded conversation is not there, or other requests are made than in it
├── LLMError                      the model gave no usable reply; `retryable` tells faults that may pass from mistakes
│   ├── LLMConnectionError        the server cannot be reached
│   │   └── CutStreamError        the reply broke off while it was streamed
│   ├── LLMTimeoutError           it did not answer in time
│   ├── LLMStatusError            it answered with an error status
│   │   ├── LLMRequestError       400, 409, 413, 422: the request itself is refused
│   │   │   ├── ContextLengthError  it is longer than the model's window
│   │   │   └── LLMNotFoundError  404: no such model, or no such API at this address
│   │   ├── LLMAuthenticationError  401, 403: the key is missing, wrong or not enough
│   │   ├── RateLimitedError      429: too many requests
│   │   │   └── QuotaExceededError  the account is used up
│   │   └── LLMServerError        5xx: the server failed
│   ├── MalformedReplyError       what came back is no chat completion
│   └── ScriptExhaustedError      the scripted double has no reply left
├── ContextOverflowError          (also a ValueError) the conversation cannot be made to fit the context window
├── LocalModelError               the embedded model cannot be used
│   ├── WeightsError              its weights are not to be had
│   └── ModelStartError           they cannot be loaded
├── SessionError                  a stored conversation cannot be read or written
│   ├── SessionConflictError      somebody else wrote it in the meantime
│   ├── SessionDataError          what is stored is no conversation
│   └── SessionStoreError         the database does not do what it is asked
├── TranscriptError               what is to be imported is no conversation that was exported
└── TaskFailedError               a run ended without an answer; carries the whole result
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, ClassVar

from toolmend.repairs.errors import ToolmendError
from toolmend.toolkit.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import ValidationError

    from toolmend.agents.task import TaskResult
    from toolmend.toolkit.wire import ModelReply

__all__ = (
    "ConfigError",
    "ContextLengthError",
    "ContextOverflowError",
    "CutStreamError",
    "LLMAuthenticationError",
    "LLMConnectionError",
    "LLMError",
    "LLMNotFoundError",
    "LLMRequestError",
    "LLMServerError",
    "LLMStatusError",
    "LLMTimeoutError",
    "LocalModelError",
    "MalformedReplyError",
    "MissingExtraError",
    "ModelStartError",
    "QuotaExceededError",
    "RateLimitedError",
    "RealRequestError",
    "RecordingError",
    "ScriptExhaustedError",
    "SessionConflictError",
    "SessionDataError",
    "SessionError",
    "SessionStoreError",
    "TaskFailedError",
    "ToolmendError",
    "TranscriptError",
    "WeightsError",
)


class ConfigError(ToolmendError):
    """A setting that cannot be used.

    Attributes:
        fields: the names of the fields that are wrong.
    """

    def __init__(self, message: str, *, fields: tuple[str, ...] = ()) -> None:
        """Keep the names of the fields beside the message."""
        super().__init__(message)
        self.fields = fields

    @classmethod
    def of(cls, owner: str, error: ValidationError, known: Iterable[str] = ()) -> ConfigError:
        """Tell a failed validation of settings, a line per field.

        Args:
            owner: name of the settings class.
            error: what pydantic found.
            known: the names of its fields, of which one may have been meant by a name that is none.

        Returns:
            The error to raise.
        """
        details = error.errors(include_url=False, include_input=False)
        places = [".".join(str(part) for part in detail["loc"]) for detail in details]
        told = [
            _no_setting(place, list(known))
            if detail["type"] == "extra_forbidden"
            else detail["msg"].removeprefix("Value error, ")
            for place, detail in zip(places, details, strict=True)
        ]
        lines = [f"{owner}{'.' if place else ''}{place}: {text}" for place, text in zip(places, told, strict=True)]
        return cls("\n".join(lines), fields=tuple(place for place in places if place))


def _no_setting(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(known) or 'none'}"
    return f"there is no such setting; {hint}"


class ContextOverflowError(ToolmendError, ValueError):
    """The conversation cannot be made to fit the context window; nothing was sent, and nothing was changed.

    Attributes:
        context_length: the tokens that the window has.
        needed: the least that the request would take, output and buffer included.
        system: the tokens of the system messages, and of the opening.
        last_turn: the tokens of the running turn, once its results are as short as they may be.
        earlier: the tokens of what was left of the turns before.
        tools: the tokens of the tool schemas.
        output: the least output that has to be possible.
        buffer: the tokens kept free because counts are not exact.
        framing: the tokens with which the reply begins, and those that the server was seen to count beyond all this.
    """

    def __init__(
        self,
        *,
        context_length: int,
        system: int,
        last_turn: int,
        earlier: int,
        tools: int,
        output: int,
        buffer: int,
        framing: int,
        hints: tuple[str, ...] = (),
    ) -> None:
        """Tell the numbers, and what to do about them."""
        self.context_length = context_length
        self.system = system
        self.last_turn = last_turn
        self.earlier = earlier
        self.tools = tools
        self.output = output
        self.buffer = buffer
        self.framing = framing
        self.needed = system + last_turn + earlier + tools + framing + output + buffer
        ways = (
            "raise chat_context_length if the model has more",
            "lower max_output_tokens and min_output_tokens",
            "shorten the system message or the last user message",
            *hints,
        )
        super().__init__(
            f"the conversation cannot be made to fit: the context length is {context_length} tokens, and at least "
            f"{self.needed} are needed (system {system}, last turn {last_turn}, earlier turns {earlier}, "
            f"tool schemas {tools}, framing {framing}, least output {output}, buffer {buffer}); " + ", or ".join(ways)
        )


class RealRequestError(ToolmendError):
    """A real model was to be asked while that is forbidden; it ends no run, it fails the test: hence no `LLMError`."""


class RecordingError(ToolmendError):
    """A recorded conversation cannot be read, or the test asks something else; no `LLMError`, as `RealRequestError`."""


class LLMError(ToolmendError):
    """The model gave no usable reply.

    Attributes:
        retryable: whether the same request may succeed later. The client has then tried again by itself, as often as
            its settings say. If it is false, something has to be changed first, and the message tells what.
    """

    retryable: ClassVar[bool] = False


class LLMConnectionError(LLMError):
    """The server cannot be reached, or hung up."""

    retryable = True


class CutStreamError(LLMConnectionError):
    """A reply broke off while it was streamed; nobody knows how it would have gone on, so that no call of it may run.

    Attributes:
        partial: what had come until then.
    """

    def __init__(self, message: str, *, partial: ModelReply) -> None:
        """Keep the part beside the message."""
        super().__init__(message)
        self.partial = partial


class LLMTimeoutError(LLMError):
    """The server did not answer in time."""

    retryable = True


class LLMStatusError(LLMError):
    """The server answered with an error.

    Attributes:
        status: the HTTP status; for an error that came in the place of a reply the one that it stands for.
        code: the provider's own code of the error, if it sent one.
    """

    def __init__(self, message: str, *, status: int, code: str | None = None) -> None:
        """Keep the status and the code beside the message."""
        super().__init__(message)
        self.status = status
        self.code = code


class LLMRequestError(LLMStatusError):
    """The server refused the request itself: a bad parameter, or a history that it does not take."""


class ContextLengthError(LLMRequestError):
    """The request does not fit into the context window, says the server; a shorter one may be taken.

    The numbers are the server's own, and thereby better than any count of ours.

    Attributes:
        context_length: the tokens that the window has, prompt and output together; None if the server did not tell.
        prompt_tokens: the tokens of what was sent, output not included; None if the server did not tell.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        code: str | None = None,
        context_length: int | None = None,
        prompt_tokens: int | None = None,
    ) -> None:
        """Keep the numbers beside the message."""
        super().__init__(message, status=status, code=code)
        self.context_length = context_length
        self.prompt_tokens = prompt_tokens


class LLMNotFoundError(LLMRequestError):
    """The server does not know the model, or there is no such API at its address."""


class LLMAuthenticationError(LLMStatusError):
    """The key is missing, wrong, or does not allow this."""


class RateLimitedError(LLMStatusError):
    """Too many requests; the client has already tried again.

    Attributes:
        retry_after: the seconds that the server asks to wait; None if it did not tell.
    """

    retryable = True

    def __init__(self, message: str, *, status: int, code: str | None = None, retry_after: float | None = None) -> None:
        """Keep the time to wait beside the message."""
        super().__init__(message, status=status, code=code)
        self.retry_after = retry_after


class QuotaExceededError(RateLimitedError):
    """The account is used up: waiting does not help, paying does."""

    retryable = False


class LLMServerError(LLMStatusError):
    """The server failed; the client has already tried again."""

    retryable = True


class MalformedReplyError(LLMError):
    """What came back is no chat completion."""


class ScriptExhaustedError(LLMError):
    """The scripted double was asked more often than it has replies."""


class LocalModelError(ToolmendError):
    """The embedded model cannot be used."""


class WeightsError(LocalModelError):
    """The weights of the embedded model are not to be had; the message tells the ways out."""


class ModelStartError(LocalModelError):
    """The weights are there and cannot be loaded."""


class SessionError(ToolmendError):
    """A stored conversation cannot be read or written."""


class SessionConflictError(SessionError):
    """Somebody else wrote the session since it was read; nothing of ours was written.

    Attributes:
        session_id: which session.
    """

    def __init__(self, message: str, *, session_id: str) -> None:
        """Keep the session beside the message."""
        super().__init__(message)
        self.session_id = session_id


class SessionDataError(SessionError):
    """What is stored is no conversation, or was written by a newer version."""


class SessionStoreError(SessionError):
    """The database does not do what it is asked: it cannot be reached, is locked or full, or may not be written."""


class TranscriptError(ToolmendError):
    """What is to be imported is no conversation that was exported; the message names the place."""


class TaskFailedError(ToolmendError):
    """A run ended without an answer.

    Attributes:
        result: the whole result of the run, history included.
    """

    def __init__(self, message: str, *, result: TaskResult) -> None:
        """Keep the result beside the message."""
        super().__init__(message)
        self.result = result
