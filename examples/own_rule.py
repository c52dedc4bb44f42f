"""A repair rule of your own: a function from a violation to candidates.

The model says "next friday" where the tool wants a date. Only the application knows what day that is.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from pydantic import Field

from toolmend.repairs import Candidate, Violation
from toolmend.toolkit import ToolMessage, ToolRegistry

TODAY = dt.date(2026, 3, 4)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def weekday_to_date(violation: Violation) -> Iterator[Candidate]:
    """Offer the date of the next weekday that the text names."""
    text = str(violation.value).lower().removeprefix("next ")
    if violation.path == ("day",) and text in WEEKDAYS:
        ahead = (WEEKDAYS.index(text) - TODAY.weekday() - 1) % 7 + 1
        yield Candidate((TODAY + dt.timedelta(days=ahead)).isoformat(), "inferred")


class Book(ToolMessage, name="book", repairs=[weekday_to_date]):
    """Book a table."""

    day: dt.date = Field(description="the day, as YYYY-MM-DD")
    people: int

    def handle(self) -> str:
        """Book it."""
        return f"booked for {self.people} on {self.day:%A, %d %B %Y}"


def main() -> None:
    """Run a call that only this rule can mend, and one that it does not know."""
    registry = ToolRegistry([Book])
    for text in ('{"day": "next Friday", "people": "4"}', '{"day": "in two weeks", "people": 4}'):
        parsed = registry.parse_call("book", text)
        [result] = registry.dispatch(parsed)
        print(f"the model wrote  {text}")
        for call in parsed.calls:
            for repair in call.repairs:
                print(f"    mended       {repair}")
        print(f"    goes back    {result.text}")


if __name__ == "__main__":
    main()
