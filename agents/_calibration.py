"""What the server counted against the own count, and what it says about the next request."""

from __future__ import annotations

from typing import Final

__all__ = ("Calibration",)

TELLING: Final = 1_000
"""Below so many tokens a difference is taken for what the server adds to any request, not for another tokenizer."""
LARGEST_FACTOR: Final = 4
"""No tokenizer makes so many more tokens of the same text; such a report counts something else."""


class Calibration:
    """Raises own counts by what the last report says; it never lowers them."""

    def __init__(self) -> None:
        """Trust the own count until there is a report."""
        self._ratio = (1, 1)  # reported to counted, kept as whole numbers so that rounding goes the safe way
        self._added = 0

    def learn(self, reported: int | None, counted: int) -> None:
        """Take in a report.

        Args:
            reported: the tokens of a request as the server counted them; anything but a positive number says nothing.
            counted: the own count of the same request.
        """
        if (
            not isinstance(reported, int)
            or reported <= 0
            or counted <= 0
            or reported > counted * LARGEST_FACTOR + TELLING
        ):
            return
        above = max(reported, counted)
        self._ratio, self._added = ((above, counted), 0) if counted >= TELLING else ((1, 1), above - counted)

    def expected(self, counted: int) -> int:
        """What the server will count.

        Args:
            counted: the own count.
        """
        reported, own = self._ratio
        return -(-counted * reported // own) + self._added

    def countable(self, tokens: int) -> int:
        """The largest own count for which the server will not count more.

        Args:
            tokens: what the server may count.
        """
        reported, own = self._ratio
        return (tokens - self._added) * own // reported
