"""What the Chat Completions API refuses in a request, in its own words; and what stricter servers refuse on top."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from toolmend.repairs.record import JsonValue

__all__ = ("chat_complaint", "prompt_tokens", "responses_complaint")

NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")

TOP: Final = frozenset(
    {
        *("model", "messages", "tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "stream"),
        *("stream_options", "max_tokens", "max_completion_tokens", "temperature", "top_p", "stop", "seed", "n", "user"),
        *("response_format", "logprobs", "presence_penalty", "frequency_penalty", "metadata", "store"),
    }
)
MEMBERS: Final = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "refusal", "tool_calls", "function_call"},
    "tool": {"role", "content", "tool_call_id"},
    "function": {"role", "content", "name"},
}


def chat_complaint(body: JsonValue) -> str | None:
    """What is wrong with the body of a request to Chat Completions; None if it is taken."""
    if not isinstance(body, dict):
        return "We could not parse the JSON body of your request."
    return next(_top(body), None)


def prompt_tokens(body: dict[str, JsonValue]) -> int:
    """The tokens of a prompt, as this server counts them: three characters each."""
    return sum(len(json.dumps(body.get(part) or "")) for part in ("messages", "tools", "functions", "input")) // 3


def _top(body: dict[str, JsonValue]) -> Iterator[str]:
    if unknown := sorted(body.keys() - TOP):
        yield f"Unrecognized request argument supplied: {unknown[0]}"
    if not isinstance(body.get("model"), str):
        yield "you must provide a model parameter"
    for name in ("max_tokens", "max_completion_tokens"):
        if name in body and (not isinstance(body[name], int) or body[name] < 1):
            yield f"Invalid '{name}': integer below minimum value. Expected a value >= 1, but got {body[name]} instead."
    if "stream_options" in body and not body.get("stream"):
        yield "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    yield from _tools(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        yield "Invalid 'messages': empty array. Expected an array with minimum length 1."
        return
    for at, message in enumerate(messages):
        yield from _message(message, f"messages[{at}]")
    yield from _pairs(messages)


def _tools(body: dict[str, JsonValue]) -> Iterator[str]:
    if "tools" in body and "functions" in body:
        yield "'functions' and 'tools' are not allowed in the same request."
    for list_name, choice in (("tools", "tool_choice"), ("functions", "function_call")):
        if choice in body and list_name not in body:
            yield f"Invalid value for '{choice}': '{choice}' is only allowed when '{list_name}' are specified."
        if list_name not in body:
            continue
        if not body[list_name]:
            yield f"Invalid '{list_name}': empty array. Expected an array with minimum length 1."
        names: list[str] = []
        for at, tool in enumerate(body[list_name]):
            place = f"{list_name}[{at}]"
            if list_name == "tools" and tool.get("type") != "function":
                yield f"Missing required parameter: '{place}.type'."
            function = tool.get("function") if list_name == "tools" else tool
            yield from _definition(function or {}, place)
            names.append((function or {}).get("name") or "")
        if len(set(names)) != len(names):
            yield f"Invalid '{list_name}': names must be unique."
        yield from _choice(body.get(choice), choice, names)


def _definition(function: dict[str, JsonValue], place: str) -> Iterator[str]:
    if not NAME.fullmatch(function.get("name") or ""):
        yield (
            f"Invalid '{place}.function.name': string does not match pattern. Expected a string that matches the "
            "pattern '^[a-zA-Z0-9_-]+$'."
        )
    schema = function.get("parameters")
    if schema is not None and (not isinstance(schema, dict) or schema.get("type") != "object"):
        name = function.get("name")
        yield f"Invalid schema for function '{name}': schema must be a JSON Schema of 'type: \"object\"'."


def _choice(choice: JsonValue, field: str, names: list[str]) -> Iterator[str]:
    if isinstance(choice, dict):
        wanted = (choice.get("function") or choice).get("name")
        if wanted not in names:
            yield f"Tool choice '{wanted}' not found in '{field}'."
    elif choice not in (None, "auto", "none", "required"):
        yield f"Invalid value: '{choice}'. Supported values are: 'none', 'auto', and 'required'."


def _message(message: JsonValue, place: str) -> Iterator[str]:
    role = message.get("role") if isinstance(message, dict) else None
    if role not in MEMBERS:
        yield (
            f"Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
            "'developer'."
        )
        return
    if unknown := sorted(message.keys() - MEMBERS[role]):
        yield f"Unknown parameter: '{place}.{unknown[0]}'."
    calls = message.get("tool_calls")
    if calls is not None and not calls:
        yield f"Invalid '{place}.tool_calls': empty array. Expected an array with minimum length 1."
    content = message.get("content")
    if content is None and (role != "assistant" or not (calls or message.get("function_call"))):
        yield f"Invalid value for 'content': expected a string, got null. ({place})"
    if content is not None and not isinstance(content, (str, list)):
        yield f"Invalid type for '{place}.content': expected one of a string or array of objects."
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        yield f"Missing required parameter: '{place}.tool_call_id'."
    if role == "function" and not NAME.fullmatch(message.get("name") or ""):
        yield f"Missing required parameter: '{place}.name'."
    yield from _calls(message, place)


def _calls(message: dict[str, JsonValue], place: str) -> Iterator[str]:
    for number, call in enumerate(message.get("tool_calls") or ()):
        if not isinstance(call.get("id"), str) or not call["id"]:
            yield f"Missing required parameter: '{place}.tool_calls[{number}].id'."
        if call.get("type") != "function":
            yield f"Missing required parameter: '{place}.tool_calls[{number}].type'."
        yield from _call(call.get("function") or {}, f"{place}.tool_calls[{number}].function")
    if message.get("function_call"):
        yield from _call(message["function_call"], f"{place}.function_call")


def _call(function: dict[str, JsonValue], place: str) -> Iterator[str]:
    if not NAME.fullmatch(function.get("name") or ""):
        yield f"Invalid '{place}.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
    arguments = function.get("arguments")
    if not isinstance(arguments, str):
        yield f"Invalid type for '{place}.arguments': expected a string."
        return
    try:
        readable = isinstance(json.loads(arguments), dict)
    except ValueError:
        readable = False
    if not readable:  # what servers say that hand the arguments on as an object
        yield f"Invalid '{place}.arguments': not a JSON object."


def _pairs(messages: list[dict[str, JsonValue]]) -> Iterator[str]:
    """Orphaned, unanswered and doubled calls."""
    waiting: list[str] = []
    function: str | None = None
    seen: Counter[str] = Counter()
    for at, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                yield (
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    f"'tool_calls'. (messages[{at}])"
                )
                return
            waiting.remove(message["tool_call_id"])
        elif waiting:
            break
        if role == "function":
            if message.get("name") != function:
                yield f"Invalid parameter: messages[{at}] answers no preceding 'function_call'."
            function = None
        elif function is not None:
            yield f"Invalid parameter: the 'function_call' before messages[{at}] has no answer."
        calls = message.get("tool_calls") or ()
        waiting += [call["id"] for call in calls]
        seen.update(call["id"] for call in calls)
        function = (message.get("function_call") or {}).get("name")
    if waiting:
        yield (
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}"
        )
    if doubled := [call_id for call_id, count in seen.items() if count > 1]:
        yield f"Duplicate value for 'tool_call_id' of '{doubled[0]}'."


def responses_complaint(body: JsonValue) -> str | None:
    """What is wrong with the body of a request to the Responses API; None if it is taken."""
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        return "Missing required parameter: 'model'."
    return next(_input(body.get("input")), None)


def _input(items: JsonValue) -> Iterator[str]:
    if not isinstance(items, list) or not items:
        yield "Missing required parameter: 'input'."
        return
    calls: list[str] = []
    answered: list[str] = []
    for at, item in enumerate(items):
        kind = item.get("type", "message")
        if kind == "function_call":
            yield from _call(item, f"input[{at}]")
            calls.append(item.get("call_id"))
        elif kind == "function_call_output":
            yield from _output(item, calls)
            answered.append(item.get("call_id"))
        elif kind == "message":
            yield from _input_message(item, f"input[{at}]")
        else:
            yield f"Invalid value: '{kind}'."
    for call_id in calls:
        if call_id not in answered:
            yield f"No tool output found for function call {call_id}."
    if len(set(calls)) != len(calls) or len(set(answered)) != len(answered):
        yield "Duplicate call_id in 'input'."


def _output(item: dict[str, JsonValue], calls: list[str]) -> Iterator[str]:
    if item.get("call_id") not in calls:
        yield f"No tool call found for function call output with call_id {item.get('call_id')}."
    if not isinstance(item.get("output"), (str, list)):
        yield "Missing required parameter: 'output'."


def _input_message(item: dict[str, JsonValue], place: str) -> Iterator[str]:
    if item.get("role") not in ("user", "assistant", "system", "developer"):
        yield f"Invalid value: '{item.get('role')}'. Supported values are: 'assistant', 'system', 'developer', 'user'."
    if not isinstance(item.get("content"), (str, list)):
        yield f"Missing required parameter: '{place}.content'."
