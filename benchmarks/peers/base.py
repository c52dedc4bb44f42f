"""What a peer is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel

Read = Callable[[str], Any]
"""Gives validated arguments, a dict or a model, or raises; None is a refusal, too."""


@dataclass(frozen=True)
class Peer:
    """A library that validates calls of tools.

    Attributes:
        name: what it is called in the tables.
        package: the distribution, for its version.
        importing: the import that a program needs.
        arguments: makes a reader of the arguments of one API call of a tool; None if it has none for that tool.
        content: makes a reader of a message that holds a call; None if it finds no calls in text.
        schemas: what it makes of many tools for a model; None if it is not measured.
        value: the arguments in what a reader gave.
    """

    name: str
    package: str
    importing: str
    arguments: Callable[[type[BaseModel]], Read | None] | None = None
    content: Callable[[type[BaseModel]], Read] | None = None
    schemas: Callable[[list[type[BaseModel]]], Callable[[], object]] | None = None
    value: Callable[[Any], Any] = lambda made: made

    @property
    def version(self) -> str:
        """The installed version."""
        return version(self.package)
