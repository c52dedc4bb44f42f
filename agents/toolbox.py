"""The tools of one agent: which are offered to the model, which are run, and by what."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolmend.agents.errors import ConfigError
from toolmend.toolkit.errors import ToolDefinitionError, UnknownToolError
from toolmend.toolkit.handlers import check_handler
from toolmend.toolkit.registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolmend.repairs.policy import RepairPolicy
    from toolmend.toolkit.outcome import ToolCall
    from toolmend.toolkit.registry import ToolLike
    from toolmend.toolkit.spec import Handler, ToolSpec

__all__ = ("Toolbox",)

OWN_HANDLERS = ("handle", "handle_async")


@dataclass(frozen=True, slots=True)
class _Enabled:
    """What was said of one tool."""

    tool: ToolLike
    spec: ToolSpec
    use: bool
    handle: bool
    handler: Handler | None

    def is_made_of(self, tool: object) -> bool:
        """Whether a tool, or a name, means this one."""
        return tool is self.tool or tool is self.spec or tool is self.spec.source or tool == self.spec.name


class Toolbox:
    """Keeps the tools of an agent.

    Attributes:
        known: all tools: what the model writes is read with them, offered or not.
        offered: those that the model is told of.
        forced: name of the one that it must call.
    """

    def __init__(self, owner: object, base: type, *, policy: RepairPolicy, infer_tool_name: bool) -> None:
        """Start without tools.

        Args:
            owner: the agent, whose methods run the tools of their names.
            base: its base class: the methods from there on are not for tools.
            policy: which repairs are allowed.
            infer_tool_name: whether a call without a name goes to the one tool that it fits.
        """
        self.known = ToolRegistry(policy=policy, infer_tool_name=infer_tool_name)
        self.offered = ToolRegistry(policy=policy)
        self.forced: str | None = None
        self._owner = owner
        self._base = base
        self._enabled: dict[str, _Enabled] = {}

    def enable(
        self, tools: Sequence[ToolLike], *, use: bool, handle: bool, force: bool, handler: Handler | None
    ) -> None:
        """Let the model use tools, run their calls, or both: all of them or none.

        Args:
            tools: the tools.
            use: offer them.
            handle: run their calls.
            force: the model must call this one.
            handler: runs this one.

        Raises:
            ToolDefinitionError: one is defined wrongly, or another tool has its name.
            ConfigError: the settings do not go together, or nothing runs one of them.
        """
        if (force or handler is not None) and len(tools) != 1:
            field = "force" if force else "handler"
            raise ConfigError(f"{field}: give it for one tool at a time, not for {len(tools)}", fields=(field,))
        if force and not use:
            raise ConfigError("force: a tool that is not offered (use=False) cannot be forced", fields=("force",))
        if not (use or handle):
            raise ConfigError(
                "use, handle: one of them must be true; disable_message takes tools away", fields=("use", "handle")
            )
        enabled = dict(self._enabled)
        for tool in tools:
            entry = _Enabled(tool, self._compiled(tool), use, handle, handler)
            self._check(entry, enabled.get(entry.spec.name))
            enabled[entry.spec.name] = entry
        self._set(enabled)
        if force:
            self.forced = self._name_of(tools[0])

    def disable(self, tools: Sequence[ToolLike | str] | None, *, use: bool, handle: bool) -> None:
        """Take tools away again: all of them or none.

        Args:
            tools: the tools, or their names; None for all.
            use: no longer offer them.
            handle: no longer run their calls.

        Raises:
            UnknownToolError: one of them is not enabled.
        """
        names = list(self._enabled) if tools is None else [self._name_of(tool) for tool in tools]
        changed = {
            name: replace(
                entry,
                use=entry.use and not (use and name in names),
                handle=entry.handle and not (handle and name in names),
            )
            for name, entry in self._enabled.items()
        }
        self._set({name: entry for name, entry in changed.items() if entry.use or entry.handle})

    def handlers(self, *, prefer_async: bool) -> Mapping[str, Handler]:
        """What runs the tools that do not run themselves, by name.

        Args:
            prefer_async: take async methods of the agent before sync ones.
        """
        found = {
            name: entry.handler or self._method(name, prefer_async=prefer_async)
            for name, entry in self._enabled.items()
        }
        return {name: handler for name, handler in found.items() if handler is not None}

    def refusal(self, call: ToolCall, *, trusted: bool) -> str | None:
        """Why a call is not run here, for the model; None if it is.

        Args:
            call: a good call.
            trusted: whether it is known that the model made it: what only may have been said by a user never runs a
                tool that the model was not offered.
        """
        enabled = self._enabled.get(call.name)
        if enabled is None or not enabled.handle:
            return f"The call of {call.name!r} was not run: this tool is not run here."
        if not trusted and not enabled.use:
            return f"The call of {call.name!r} was not run: this tool is not offered."
        return None

    def of(self, owner: object) -> Toolbox:
        """The same tools for another agent, whose methods run them.

        Args:
            owner: the agent.
        """
        other = Toolbox(owner, self._base, policy=self.known.policy, infer_tool_name=self.known.infer_tool_name)
        other._set(dict(self._enabled))
        other.forced = self.forced
        return other

    def _compiled(self, tool: ToolLike) -> ToolSpec:
        same = next((entry.spec for entry in self._enabled.values() if entry.tool is tool), None)
        if same is not None:
            return same
        [spec] = ToolRegistry([tool], policy=self.known.policy)
        return spec

    def _check(self, entry: _Enabled, other: _Enabled | None) -> None:
        name = entry.spec.name
        if other is not None and not other.is_made_of(entry.tool):
            hint = "give one of the two another name, or disable the first"
            raise ToolDefinitionError("another tool of that name is enabled", tool=name, hint=hint)
        if entry.handler is not None:
            check_handler(entry.handler, name)
        method = self._method(name, prefer_async=False)
        if method is not None:
            check_handler(method, name, f"the agent's method `{method.__name__}`")
        runs_itself = entry.spec.handler or any(callable(getattr(entry.spec.source, own, None)) for own in OWN_HANDLERS)
        if entry.handle and not (entry.handler or runs_itself or method):
            raise ConfigError(
                f"handle: nothing runs the tool {name!r}: give its class a method `handle`, the agent's class a method "
                f"`{name}`, or enable_message a `handler`; with handle=False it is only offered",
                fields=("handle",),
            )

    def _method(self, name: str, *, prefer_async: bool) -> Handler | None:
        """The method of the agent's own class that is named like a tool; never one that every agent has."""
        kinds = type(self._owner).__mro__
        own = {key for kind in kinds[: kinds.index(self._base)] for key in vars(kind)}
        names = (f"{name}_async", name) if prefer_async else (name, f"{name}_async")
        found = (getattr(self._owner, one) for one in names if one in own and not hasattr(self._base, one))
        return next((method for method in found if callable(method)), None)

    def _name_of(self, tool: ToolLike | str) -> str:
        for name, entry in self._enabled.items():
            if entry.is_made_of(tool):
                return name
        raise UnknownToolError(getattr(tool, "__name__", tool), tuple(self._enabled))

    def _set(self, enabled: dict[str, _Enabled]) -> None:
        self._enabled = enabled
        policy, infer = self.known.policy, self.known.infer_tool_name
        self.known = ToolRegistry([entry.spec for entry in enabled.values()], policy=policy, infer_tool_name=infer)
        self.offered = ToolRegistry([entry.spec for entry in enabled.values() if entry.use], policy=policy)
        if self.forced not in self.offered.names:
            self.forced = None
