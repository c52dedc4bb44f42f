"""The faults that models make, made on purpose: each in a valid call, so that the right answer is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from toolmend.agents.testing._target import Target, target_of
from toolmend.agents.testing._text_faults import TEXT_FAULTS
from toolmend.agents.testing._value_faults import VALUE_FAULTS
from toolmend.toolkit.function import compile_tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import BaseModel

    from toolmend.repairs.record import JsonValue, RepairKind
    from toolmend.toolkit.function import ToolLike
    from toolmend.toolkit.outcome import ToolCall

__all__ = ("CORRUPTIONS", "Corrupted", "Corruption", "corrupt")


@dataclass(frozen=True, slots=True)
class Corruption:
    """A fault that models make, and that is mended.

    Attributes:
        name: its name.
        kind: how safe the repair is: `lossless` or `inferred`.
        sentence: what is wrong then.
        needs_tool: whether the schema of the tool has to be known.
        spoil: writes a call with the fault in it; None where the call leaves it no place.
    """

    name: str
    kind: RepairKind
    sentence: str
    needs_tool: bool
    spoil: Callable[[Target], str | None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Corrupted:
    """A valid call with a fault in it.

    Attributes:
        corruption: the fault.
        text: the arguments as a model with that fault writes them.
    """

    corruption: Corruption
    text: str

    @property
    def name(self) -> str:
        """The name of the fault."""
        return self.corruption.name


CORRUPTIONS: Final[Mapping[str, Corruption]] = {
    **{name: Corruption(name, "lossless", sentence, False, spoil) for name, sentence, spoil in TEXT_FAULTS},  # noqa: FBT003 - the table is read by its columns
    **{name: Corruption(name, kind, sentence, True, spoil) for name, kind, sentence, spoil in VALUE_FAULTS},  # noqa: FBT003 - as above
}
"""Every corruption by its name."""


def corrupt(call: ToolCall | BaseModel | Mapping[str, JsonValue], tool: ToolLike | None = None) -> Iterator[Corrupted]:
    """Write a valid call with each fault that has a place in it, one at a time.

    Under the policy `default` each of them is mended to the very call that was given; under `lossless` those of that
    kind are.

    Args:
        call: a valid call, an instance of a tool's class, or arguments.
        tool: the tool; without it only faults of text are made, as those of values depend on the schema.

    Yields:
        The corrupted calls.

    Raises:
        ToolUsageError: if the arguments are none that JSON can hold.
        ToolDefinitionError: if the tool is defined wrongly.
    """
    target = target_of(call, compile_tool(tool) if tool is not None else None)
    for corruption in CORRUPTIONS.values():
        text = corruption.spoil(target)
        if text is not None:
            yield Corrupted(corruption, text)
