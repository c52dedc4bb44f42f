"""How tools reach the model: as text in the prompt, as legacy functions, or as tools of the API."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolmend.agents.messages import system_message
from toolmend.toolkit.registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolmend.agents.clients.base import Message
    from toolmend.agents.config import ToolModeName

__all__ = ("MODES", "Offer", "ToolMode")


@dataclass(frozen=True, slots=True)
class Offer:
    """What of a request depends on the tools.

    Attributes:
        opening: messages before the conversation.
        tools: for the field of that name.
        functions: for the field of that name.
        tool_choice: the tool that must be called, in the shape that goes with it.
    """

    opening: tuple[Message, ...] = ()
    tools: tuple[Message, ...] = ()
    functions: tuple[Message, ...] = ()
    tool_choice: str | Message | None = None


@dataclass(frozen=True, slots=True)
class ToolMode:
    """One way of offering tools and reading calls.

    Attributes:
        offer: makes the offer out of the offered tools, the system message, the name of the tool to be forced, and the
            form of calls in text.
        as_text: whether the instructions ask for calls in text.
        legacy: whether calls come without ids, as legacy functions do.
    """

    offer: Callable[[ToolRegistry, str | None, str | None, str], Offer]
    as_text: bool = False
    legacy: bool = False


def _in_the_prompt(tools: ToolRegistry, system: str | None, forced: str | None, dialect: str) -> Offer:
    parts = [system]
    turns: tuple[Message, ...] = ()
    if tools:
        parts.append(tools.instructions(dialect=dialect))
        turns = _mixed_turns(tools, dialect)
    if forced:
        parts.append(f"Your next answer must call the tool {forced}.")
    text = "\n\n".join(part for part in parts if part)
    return Offer(opening=(*_system(text), *turns))


def _mixed_turns(tools: ToolRegistry, dialect: str) -> tuple[Message, ...]:
    """The examples as turns, tool by tool in rotation: small models favour the tool that they saw last."""
    per_tool = [ToolRegistry([spec]).example_turns(dialect=dialect) for spec in tools]
    pairs = [zip(turns[::2], turns[1::2], strict=True) for turns in per_tool]
    rounds = itertools.zip_longest(*pairs, fillvalue=())
    return tuple(message for one in rounds for pair in one for message in pair)


def _as_functions(tools: ToolRegistry, system: str | None, forced: str | None, _dialect: str) -> Offer:
    choice: Message | None = {"name": forced} if forced else None
    return Offer(
        opening=_system(system), functions=tuple(tools.openai_functions()), tool_choice=choice and dict(choice)
    )


def _as_tools(tools: ToolRegistry, system: str | None, forced: str | None, _dialect: str) -> Offer:
    choice: Message | None = {"type": "function", "function": {"name": forced}} if forced else None
    return Offer(opening=_system(system), tools=tuple(tools.openai_tools()), tool_choice=choice)


def _system(text: str | None) -> tuple[Message, ...]:
    return (system_message(text),) if text else ()


MODES: Mapping[ToolModeName, ToolMode] = {
    "use_tools": ToolMode(_in_the_prompt, as_text=True),
    "use_functions_api": ToolMode(_as_functions, legacy=True),
    "use_tools_api": ToolMode(_as_tools),
}
