"""Asking before a call runs: for some tools only, or with decisions that came later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from toolmend.agents.errors import ConfigError
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.given import several_of
from toolmend.toolkit.hooks import Defer

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from toolmend.agents.turn import Turn
    from toolmend.toolkit.hooks import BeforeCall, Decision
    from toolmend.toolkit.outcome import ToolCall

__all__ = ("approve_tools", "as_hook")


def approve_tools(tools: type | str | Iterable[type | str], ask: BeforeCall) -> BeforeCall:
    """Ask before calls of some tools; calls of all others run.

    A class of a tool is the better way to name it: a name that is misspelt names no tool, and nothing is asked.

    Args:
        tools: names or classes of tools; one, or several.
        ask: asked for each call of them, sync or async.

    Returns:
        What `ChatAgentConfig(approve=...)` takes.

    Raises:
        ConfigError: what is listed are no tools, or there is nothing to ask.
    """
    listed = several_of(tools)
    if not listed or not all(isinstance(tool, (str, type)) for tool in listed):
        raise ConfigError(f"approve_tools: names or classes of tools are needed, got {tools!r:.80}", fields=("tools",))
    if not callable(ask):
        raise ConfigError(f"approve_tools: a function of one call is needed, got {ask!r:.80}", fields=("ask",))
    names = frozenset(tool for tool in listed if isinstance(tool, str))
    kinds = tuple(tool for tool in listed if isinstance(tool, type))

    def before(call: ToolCall) -> Decision | Awaitable[Decision]:
        return ask(call) if call.name in names or isinstance(call.message, kinds) else None

    return before


def as_hook(decisions: BeforeCall | Mapping[str, Decision], turn: Turn) -> BeforeCall:
    """Decisions that were made about calls that wait, in the form of a hook.

    Args:
        decisions: by the ids of the calls, where those that are not there go on waiting; or a hook.
        turn: the turn whose calls wait.

    Raises:
        ConfigError: it is neither.
        ToolUsageError: no call of one of the ids waits.
    """
    given: object = decisions
    if callable(decisions):
        return decisions
    if not isinstance(given, Mapping):
        wanted = "decisions by the ids of calls, or a function of one call, are needed"
        raise ConfigError(f"resolve: {wanted}, got {decisions!r:.80}", fields=("decisions",))
    ids = [call.id for call in turn.response.deferred] if turn.response is not None else []
    unknown = [key for key in decisions if key not in ids]
    if unknown:
        raise ToolUsageError(f"no call of the id {unknown[0]!r:.60} waits; there are: {', '.join(map(str, ids))}")
    return lambda call: decisions.get(call.id or "", Defer())
