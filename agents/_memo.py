"""Remembering within bounds."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

__all__ = ("Memo",)

ValueT = TypeVar("ValueT")


class Memo(Generic[ValueT]):
    """Remembers values by key within a bound on their cost; what was not asked for longest is forgotten.

    Two halves instead of an order: when the young half is full, it becomes the old one, and the old one is dropped.
    """

    def __init__(self, bound: int) -> None:
        """Start empty.

        Args:
            bound: what all values together may cost.
        """
        self._bound = bound // 2
        self._young: dict[object, tuple[ValueT, int]] = {}
        self._old: dict[object, tuple[ValueT, int]] = {}
        self._spent = 0
        self._lock = threading.Lock()

    def get(self, key: object) -> ValueT | None:
        """The value of a key, or None.

        Args:
            key: what it was put under.
        """
        found = self._young.get(key)
        if found is None and (found := self._old.get(key)) is not None:
            self.put(key, *found)
        return None if found is None else found[0]

    def put(self, key: object, value: ValueT, cost: int) -> None:
        """Remember a value.

        Args:
            key: what to find it by.
            value: what to remember.
            cost: what it takes of the bound.
        """
        with self._lock:
            if self._spent + cost > self._bound:
                self._old, self._young, self._spent = self._young, {}, 0
            self._young[key] = (value, cost)
            self._spent += cost
