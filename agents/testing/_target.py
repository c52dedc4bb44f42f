"""The text of a valid call, ready to be spoilt."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.outcome import ToolCall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from toolmend.repairs.record import JsonValue
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("Target", "is_key", "target_of")

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be spoilt.

    Attributes:
        arguments: the arguments of a valid call.
        tool: the tool, if it is known: faults of values need its schema.
        text: the arguments as strict JSON.
        tokens: the tokens of the text.
    """

    arguments: Mapping[str, JsonValue]
    tool: ToolSpec | None
    text: str
    tokens: tuple[str, ...] = field(repr=False)

    @property
    def strings(self) -> Iterator[str]:
        """Keys and string values as they stand in the text, with their quotes."""
        return (token for token in self.tokens if token.startswith('"'))

    @property
    def properties(self) -> Mapping[str, Mapping[str, Any]]:
        """What the schema says of each parameter; nothing if there is no tool."""
        if self.tool is None:
            return {}
        stated = self.tool.parameters.get("properties", {})
        return {name: schema for name, schema in stated.items() if isinstance(schema, dict)}

    def written(self, change: Callable[[int, str], str]) -> str:
        """Write the text with other tokens.

        Args:
            change: gives what stands for a token, by its place and itself; a blank follows commas and colons.
        """
        return "".join(
            f"{change(at, token)} " if token in {",", ":"} else change(at, token)
            for at, token in enumerate(self.tokens)
        )


def is_key(tokens: tuple[str, ...], at: int) -> bool:
    """Whether a token is the key of an object.

    Args:
        tokens: the tokens of a text.
        at: the place of the token.
    """
    return at + 1 < len(tokens) and tokens[at + 1] == ":"


def target_of(call: ToolCall | BaseModel | Mapping[str, JsonValue], tool: ToolSpec | None) -> Target:
    """Write a valid call as JSON.

    Args:
        call: a call, an instance of a tool's class, or arguments.
        tool: the tool, if it is known.

    Raises:
        ToolUsageError: if the arguments are none that JSON can hold.
    """
    arguments: object = call
    if isinstance(call, ToolCall):
        arguments = call.arguments
    elif isinstance(call, BaseModel):
        arguments = call.model_dump(mode="json", by_alias=True, exclude_unset=True)
    try:
        text = json.dumps(dict(arguments), ensure_ascii=False, allow_nan=False)  # type: ignore[call-overload]
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolUsageError(f"a call, an instance of a tool or its arguments are needed: {error}") from error
    return Target(json.loads(text), tool, text, tuple(_TOKEN.findall(text)))
