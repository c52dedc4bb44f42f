"""What has tools that can be enabled and disabled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toolmend.toolkit.given import several_of

if TYPE_CHECKING:
    from toolmend.agents.toolbox import Toolbox
    from toolmend.toolkit.registry import ToolLike
    from toolmend.toolkit.spec import Handler

__all__ = ("ToolUser",)


class ToolUser:
    """Base of agents: says which tools the model may use, and which of their calls are run."""

    _toolbox: Toolbox

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
        self._tools_changed()

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
        self._tools_changed()

    def _tools_changed(self) -> None:
        """Called after each change."""
