"""The containers that are open while a text is read, and the keys that are known in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toolmend.repairs.record import JsonValue, Path
from toolmend.repairs.schema import SchemaNode, json_type, normalise_name

__all__ = ("Frame", "Keys", "fits", "path_of")


@dataclass(slots=True)
class Frame:
    """One open container.

    Attributes:
        closer: the mark that ends it; empty for the place of the root.
        schema: what is asked of it; None if nothing is known.
        members: what an object holds so far.
        items: what a list holds so far; None for an object.
        given: the declared keys that `members` stand for.
        state: what is read next: `key`, `separator`, `value` or `after`.
        key: the member that is being read.
        comma: offset of the last comma.
        fresh: whether no comma came since the last value.
        implicit: whether its opener was not in the text.
        call: whether it was opened like a call, `dict(`.
        opened: offset of its opener.
        around: whether it is a list around the object that its schema asks for.
    """

    closer: str
    schema: SchemaNode | None
    members: dict[str, JsonValue] = field(default_factory=dict)
    items: list[JsonValue] | None = None
    given: set[str] = field(default_factory=set)
    state: str = "key"
    key: str = ""
    comma: int = 0
    fresh: bool = True
    implicit: bool = False
    call: bool = False
    opened: int = 0
    around: bool = False

    @property
    def is_list(self) -> bool:
        """Whether it is a list (or tuple, or set)."""
        return self.items is not None

    @property
    def empty(self) -> bool:
        """Whether nothing was read into it yet."""
        return not self.items and not self.members

    @property
    def step(self) -> str | int:
        """The part of a path that leads to the value being read."""
        return len(self.items) if self.items is not None else self.key


def path_of(stack: Sequence[Frame]) -> Path:
    """The path of the value that is being read in the innermost of several containers.

    Args:
        stack: the open containers, the place of the root first.
    """
    return tuple([frame.step for frame in stack[1:]])


def fits(schema: SchemaNode | None, value: JsonValue, depth: int = 3) -> bool:
    """Whether the type of a value, and those of the items of lists in it, may stand here.

    Args:
        schema: what is asked.
        value: the value.
        depth: how many lists within lists are looked into.
    """
    if schema is None:
        return True
    if not schema.allows(json_type(value)):
        return False
    inside = value if isinstance(value, list) and depth else ()
    return all(fits(schema.item(index), item, depth - 1) for index, item in enumerate(inside))


def _requires(schema: SchemaNode | None, key: str) -> bool:
    """Whether an object needs a member, so that it cannot stand elsewhere."""
    return schema is not None and key in schema.required_members


class Keys:
    """Which keys are known where: declared ones, other spellings of them, and aliases of declared rules."""

    __slots__ = ("aliases",)

    def __init__(self, aliases: Mapping[str, str]) -> None:
        """Know the aliases of the tool's rules."""
        self.aliases = aliases

    def declared(self, key: str, schema: SchemaNode | None) -> str | None:
        """The declared key that a spelling stands for.

        Args:
            key: the key as written.
            schema: the schema of the object.

        Returns:
            The declared key; None if the spelling is not known.
        """
        if schema is None:
            return None
        members = schema.members
        if key in members:
            return key
        alias = self.aliases.get(key)
        if alias in members:
            return alias
        return schema.spellings.get(normalise_name(key)) if len(key) < 200 else None

    def is_open(self, frame: Frame) -> bool:
        """Whether an object may hold keys that nobody declared.

        Args:
            frame: the object.
        """
        if frame.schema is None:
            return True
        return not any(part.additional is not None and part.additional.never for part in frame.schema.parts)

    def is_next(self, key: str, frame: Frame, *, quoted: bool) -> bool:
        """Whether a key may come next in an object: known there and not yet given.

        Args:
            key: the key as written.
            frame: the object.
            quoted: whether it stands in quotes; where keys are free, only such a key counts.
        """
        if key in frame.members:
            return False
        if (name := self.declared(key, frame.schema)) is not None:
            return name not in frame.given
        return quoted and (frame.schema is None or not frame.schema.members)

    def may_hold(self, key: str, schema: SchemaNode | None, members: Mapping[str, JsonValue]) -> bool:
        """Whether a key in quotes may be a further member of an object.

        Args:
            key: the key as written.
            schema: the schema of the object.
            members: what it holds.
        """
        return self.is_next(key, Frame("}", schema, given={*members}), quoted=True) and key not in members

    def may_end_earlier(self, frame: Frame) -> bool:
        """Whether the last member of an object may as well be one of the object around it, or of one further out.

        Where a closer is missing, this tells whether it may be missing further in.

        Args:
            frame: the object that has no closer.
        """
        schema, members = frame.schema, frame.members
        while members:
            key, value = next(reversed(members.items()))
            if not isinstance(value, dict) or not value:
                return False
            inner = self._member(schema, key)
            last = next(reversed(value))
            if not _requires(inner, last) and self.may_hold(last, schema, members):
                return True
            schema, members = inner, value
        return False

    def may_end_later(self, value: JsonValue, schema: SchemaNode | None) -> bool:
        """Whether an object in a value may as well hold the member that follows it.

        Where a closer is one too many, this tells whether it may be another than the last.

        Args:
            value: the whole value.
            schema: its schema.
        """
        todo = [(value, schema)]
        while todo:
            one, node = todo.pop()
            if isinstance(one, list):
                todo += [(item, node.item(index) if node else None) for index, item in enumerate(one)]
            elif isinstance(one, dict):
                places = [(item, self._member(node, key)) for key, item in one.items()]
                todo += places
                for (item, child), following in zip(places, list(one)[1:], strict=False):
                    fits_inside = isinstance(item, dict) and self.may_hold(following, child, item)
                    if fits_inside and not _requires(node, following):
                        return True
        return False

    def _member(self, schema: SchemaNode | None, key: str) -> SchemaNode | None:
        return schema.member(self.declared(key, schema) or key) if schema is not None else None

    def child(self, frame: Frame) -> SchemaNode | None:
        """The schema of the value that is being read in a container."""
        if frame.schema is None or frame.around:
            return frame.schema
        if frame.items is not None:
            return frame.schema.item(len(frame.items))
        return self._member(frame.schema, frame.key)
