"""Whole replies of Chat Completions, as objects of the `openai` package, with their calls mended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolmend.toolkit.integrations._chat_calls import MendedCall, mend_calls, result_of_calls
from toolmend.toolkit.outcome import ParseResult
from toolmend.toolkit.registry import ToolRegistry

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion, ChatCompletionMessage
    from openai.types.chat.chat_completion import Choice

__all__ = ("mended_reply",)


def mended_reply(completion: ChatCompletion, registry: ToolRegistry) -> tuple[ChatCompletion, tuple[ParseResult, ...]]:
    """A reply with its calls mended, and what was read of each of its choices.

    Args:
        completion: the reply, which stays as it is.
        registry: the tools.
    """
    choices, results = [], []
    for choice in completion.choices or ():
        mended, result = _mended_choice(choice, registry)
        choices.append(mended)
        results.append(result)
    if all(new is old for new, old in zip(choices, completion.choices or (), strict=True)):
        return completion, tuple(results)
    return completion.model_copy(update={"choices": choices}), tuple(results)


def _mended_choice(choice: Choice, registry: ToolRegistry) -> tuple[Choice, ParseResult]:
    reason = choice.finish_reason
    message: ChatCompletionMessage | None = choice.message  # some servers leave it out
    if message is None:
        return choice, ParseResult(finish_reason=reason)
    functions: list[Any] = [call for call in message.tool_calls or () if _is_function(call)]
    if functions:
        plain = [{"id": call.id, "function": _plain(call.function)} for call in functions]
        calls = mend_calls(registry, {"tool_calls": plain}, reason)
        update: dict[str, Any] = _tool_calls(message, calls)
    elif message.function_call is not None and not message.tool_calls:  # some servers send it in both places
        calls = mend_calls(registry, {"function_call": _plain(message.function_call)}, reason)
        update = _function_call(message, calls)
    else:
        calls, update = [], {}
    result = result_of_calls(calls, message.content or "", reason)
    if not update:
        return choice, result
    return choice.model_copy(update={"message": message.model_copy(update=update)}), result


def _tool_calls(message: ChatCompletionMessage, mended: list[MendedCall]) -> dict[str, Any]:
    """The list of calls as it is to be; nothing if it stays."""
    left = iter(mended)
    calls: list[Any] = []
    changed = False
    for call in message.tool_calls or ():
        if not _is_function(call):
            calls.append(call)
            continue
        function: Any = call.function  # type: ignore[union-attr]  # told by _is_function
        for written in next(left).written:
            if (written.id, written.name, written.arguments) == (call.id, function.name, function.arguments):
                calls.append(call)
                continue
            update = {"name": written.name, "arguments": written.arguments}
            calls.append(call.model_copy(update={"id": written.id, "function": function.model_copy(update=update)}))
            changed = True
    return {"tool_calls": calls} if changed else {}


def _function_call(message: ChatCompletionMessage, mended: list[MendedCall]) -> dict[str, Any]:
    """The call of the older field as it is to be, of which there can only be one; nothing if it stays."""
    given: Any = message.function_call
    written = mended[0].written
    if len(written) != 1 or (written[0].name, written[0].arguments) == (given.name, given.arguments):
        return {}
    return {"function_call": given.model_copy(update={"name": written[0].name, "arguments": written[0].arguments})}


def _is_function(call: object) -> bool:
    """Whether it is a call of a function: the input of a custom tool is any text."""
    return getattr(call, "function", None) is not None


def _plain(function: Any) -> dict[str, Any]:  # noqa: ANN401 - servers put anything there
    """A function as a dict, without a dump, which warns of a server that put an object in the place of the text."""
    return {"name": function.name, "arguments": function.arguments}
