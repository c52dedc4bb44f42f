"""What the model is asked in the demo, each request with the one right call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolmend.repairs.record import JsonValue

__all__ = ("REQUESTS", "Expected", "Request")


@dataclass(frozen=True, slots=True)
class Expected:
    """The call that a request asks for.

    Attributes:
        name: the tool.
        arguments: its arguments, exactly.
    """

    name: str
    arguments: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Request:
    """What a user asks for.

    Attributes:
        text: the words.
        expected: the right call.
    """

    text: str
    expected: Expected


def _light(text: str, room: str, color: str, brightness: int) -> Request:
    return Request(text, Expected("set_light", {"room": room, "color": color, "brightness": brightness}))


def _items(text: str, to: str, *items: str) -> Request:
    return Request(text, Expected("add_items", {"list_name": to, "items": list(items)}))


def _parcel(text: str, name: str, city: str, weight: float) -> Request:
    return Request(text, Expected("send_parcel", {"recipient": {"name": name, "city": city}, "weight_kg": weight}))


def _timer(text: str, label: str, minutes: int) -> Request:
    return Request(text, Expected("start_timer", {"label": label, "minutes": minutes}))


REQUESTS = (
    _light("Make the bedroom light red at 30 percent.", "bedroom", "red", 30),
    _light("Turn the garage light cold at 100 percent.", "garage", "cold", 100),
    _light("Set the bathroom light to green, 55 percent.", "bathroom", "green", 55),
    _items("Put eggs, butter and honey on the shopping list.", "shopping", "eggs", "butter", "honey"),
    _items("Add a tent and a lamp to the packing list.", "packing", "tent", "lamp"),
    _items("Add vacuuming to the chores list.", "chores", "vacuuming"),
    _parcel("Send a parcel of 3.75 kg to Lucia in Madrid.", "Lucia", "Madrid", 3.75),
    _parcel("Ship 8 kg to Ken in Tokyo.", "Ken", "Tokyo", 8),
    _parcel("Send a parcel of 0.4 kg to Maria in Lisbon.", "Maria", "Lisbon", 0.4),
    _timer("Start a timer of 12 minutes for the pasta.", "pasta", 12),
    _timer("Set a timer for the cake, 50 minutes.", "cake", 50),
    _timer("Start a timer of an hour and a half for the roast.", "roast", 90),
)
