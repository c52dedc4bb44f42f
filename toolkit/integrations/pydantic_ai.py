"""Agents of pydantic-ai whose tool calls are mended before they are validated.

    agent.run_sync("type my name", capabilities=[MendCalls()])      # or Agent(..., capabilities=[MendCalls()])

Arguments are mended by the schema of each tool, output tools included. What cannot be mended goes back to the model
with an error text, as a retry.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from toolmend.repairs.policy import DEFAULT
from toolmend.toolkit.errors import MissingExtraError, ToolUsageError
from toolmend.toolkit.integrations._declared import declared_tool
from toolmend.toolkit.outcome import CallError, ParseResult, ToolCall
from toolmend.toolkit.registry import ToolRegistry

try:
    from pydantic_ai import ModelRetry, RunContext
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelResponse, ToolCallPart
except ModuleNotFoundError as error:
    raise MissingExtraError("pydantic-ai", extra="pydantic-ai") from error

if TYPE_CHECKING:
    from pydantic_ai.output import OutputContext
    from pydantic_ai.tools import ToolDefinition

__all__ = ("MendCalls", "OnResult")

OnResult: TypeAlias = Callable[[ParseResult], object]
"""Told what was read of each call."""

MAX_RESULTS: Final = 1000
"""Most calls of which the record is kept: an agent that serves for weeks stays small."""

_REASONS: Final = {"tool_call": "tool_calls"}
"""What the library calls otherwise than the providers."""


class MendCalls(AbstractCapability[Any]):
    """Mends the arguments of tool calls, for an agent or for one run.

    Attributes:
        results: what was read of each call, the newest last: the call with its repairs, or its error. Runs at the same
            time share it; the ids of the calls tell them apart.
    """

    def __init__(
        self,
        registry: ToolRegistry | None = None,
        *,
        leave: Collection[str] = (),
        on_result: OnResult | None = None,
    ) -> None:
        """Go by the schemas of the agent's tools.

        Args:
            registry: tools with rules of their own, which come before the agent's schemas of the same names; and the
                policy.
            leave: names of tools whose arguments are left to the library, as those whose validators take what their
                schemas do not tell.
            on_result: told what was read of each call.

        Raises:
            ToolUsageError: if the registry is none, or names are given as one string.
        """
        given: tuple[object, object] = registry, leave
        if not (given[0] is None or isinstance(given[0], ToolRegistry)):
            raise ToolUsageError(f"the tools must be a ToolRegistry, got {given[0]!r:.80}")
        if isinstance(given[1], str):
            raise ToolUsageError(f"leave takes several names, got {given[1]!r:.80}; write [{given[1]!r:.80}]")
        self.results: deque[ParseResult] = deque(maxlen=MAX_RESULTS)
        self._registry = registry
        self._leave = frozenset(leave)
        self._on_result = on_result

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """None: it holds tools and functions, which no file of settings can."""
        return None

    async def before_tool_validate(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: str | dict[str, Any]
    ) -> str | dict[str, Any]:
        """Mend the arguments of a tool.

        Args:
            ctx: the run.
            call: the call in the history, which is mended too: providers refuse a history with broken JSON.
            tool_def: the tool.
            args: its arguments, as text or parsed.

        Raises:
            ModelRetry: if they cannot be mended.
        """
        return self._mended(ctx, call, tool_def, args)

    async def before_output_validate(
        self, ctx: RunContext[Any], *, output_context: OutputContext, output: str | dict[str, Any]
    ) -> str | dict[str, Any]:
        """Mend the arguments of a tool by which the model gives its result, once they are whole.

        Args:
            ctx: the run.
            output_context: what is known of the result.
            output: the arguments, as text or parsed.

        Raises:
            ModelRetry: if they cannot be mended.
        """
        call, tool_def = output_context.tool_call, output_context.tool_def
        if ctx.partial_output or call is None or tool_def is None:
            return output
        return self._mended(ctx, call, tool_def, output)

    # ------------------------------------------------------------------ behind

    def _mended(
        self, ctx: RunContext[Any], call: ToolCallPart, tool_def: ToolDefinition, args: str | dict[str, Any]
    ) -> str | dict[str, Any]:
        if tool_def.name in self._leave:
            return args
        result = self._read(ctx, call, tool_def, args)
        self.results.append(result)
        if self._on_result is not None:
            self._on_result(result)
        [item] = result.items
        if isinstance(item, CallError):
            raise ModelRetry(item.message)
        if not item.repairs:
            return args
        mended = _as_given(item, args)
        call.args = mended
        call.id = None  # a provider that keeps a copy of the call under this id would show the model that one
        return mended

    def _read(
        self, ctx: RunContext[Any], call: ToolCallPart, tool_def: ToolDefinition, args: str | dict[str, Any]
    ) -> ParseResult:
        tools = self._tools(tool_def)
        if isinstance(args, str):
            reason = _finish_reason(ctx)
            return tools.parse_call(tool_def.name, args, id=call.tool_call_id, finish_reason=reason)
        return tools.check_call(tool_def.name, args, id=call.tool_call_id)

    def _tools(self, tool_def: ToolDefinition) -> ToolRegistry:
        registry = self._registry
        if registry is not None and tool_def.name in registry:
            return registry
        policy = DEFAULT if registry is None else registry.policy
        return ToolRegistry([declared_tool(tool_def.name, tool_def.parameters_json_schema, policy)])


def _as_given(call: ToolCall, args: str | dict[str, Any]) -> str | dict[str, Any]:
    """Mended arguments in the shape in which the provider gave them."""
    return json.dumps(call.arguments, ensure_ascii=False) if isinstance(args, str) else call.arguments


def _finish_reason(ctx: RunContext[Any]) -> str | None:
    """Why the model stopped behind the call."""
    replies = (message for message in reversed(ctx.messages) if isinstance(message, ModelResponse))
    reply = next(replies, None)
    reason = None if reply is None else reply.finish_reason
    return None if reason is None else _REASONS.get(reason, reason)
