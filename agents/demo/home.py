"""The tools of the demo: a home whose lights, lists, parcels and timers a model controls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from toolmend.agents.chat_agent import ChatAgent
from toolmend.repairs import RenameKey
from toolmend.toolkit import ToolMessage

if TYPE_CHECKING:
    from toolmend.agents.config import ChatAgentConfig

__all__ = ("AddItems", "HomeAgent", "Recipient", "SendParcel", "SetLight", "StartTimer")

SYSTEM_MESSAGE = "You control a home. Answer each request with one call of a tool, and with nothing else."


class SetLight(
    ToolMessage,
    name="set_light",
    repairs=[RenameKey("colour", to="color")],
    examples=[
        ("Make the kitchen light warm at 80 percent.", {"room": "kitchen", "color": "warm", "brightness": 80}),
        ("Turn the hall light blue at 20 percent.", {"room": "hall", "color": "blue", "brightness": 20}),
        ("Make the office light cold at 65 percent.", {"room": "office", "color": "cold", "brightness": 65}),
    ],
):
    """Set the light of a room."""

    room: str
    color: Literal["warm", "cold", "red", "green", "blue"]
    brightness: int = Field(ge=0, le=100, description="percent")


class AddItems(
    ToolMessage,
    name="add_items",
    examples=[
        ("Put milk and bread on the shopping list.", {"list_name": "shopping", "items": ["milk", "bread"]}),
        (
            "Add socks, shirts and a coat to the packing list.",
            {"list_name": "packing", "items": ["socks", "shirts", "coat"]},
        ),
        ("Add ironing to the chores list.", {"list_name": "chores", "items": ["ironing"]}),
    ],
):
    """Put things on a list."""

    list_name: Literal["shopping", "packing", "chores"]
    items: list[str] = Field(min_length=1)


class Recipient(BaseModel):
    """Who gets a parcel."""

    model_config = ConfigDict(extra="forbid")

    name: str
    city: str


class SendParcel(
    ToolMessage,
    name="send_parcel",
    examples=[
        (
            "Send a parcel of 2.5 kg to Anna in Berlin.",
            {"recipient": {"name": "Anna", "city": "Berlin"}, "weight_kg": 2.5},
        ),
        ("Ship 12 kg to Omar in Cairo.", {"recipient": {"name": "Omar", "city": "Cairo"}, "weight_kg": 12}),
        (
            "Send a parcel of 0.9 kg to Paul in Paris.",
            {"recipient": {"name": "Paul", "city": "Paris"}, "weight_kg": 0.9},
        ),
    ],
):
    """Send a parcel."""

    recipient: Recipient
    weight_kg: float = Field(gt=0)


class StartTimer(
    ToolMessage,
    name="start_timer",
    examples=[
        ("Start a timer of 7 minutes for the eggs.", {"label": "eggs", "minutes": 7}),
        ("Set a timer for the laundry, 45 minutes.", {"label": "laundry", "minutes": 45}),
        ("Start a timer of 20 minutes for the rice.", {"label": "rice", "minutes": 20}),
    ],
):
    """Start a timer."""

    label: str
    minutes: int = Field(gt=0)


TOOLS = (SetLight, AddItems, SendParcel, StartTimer)


class HomeAgent(ChatAgent):
    """An agent with a home; each of its methods runs the tool of that name."""

    def __init__(self, config: ChatAgentConfig) -> None:
        """Furnish the home.

        Args:
            config: the settings of the agent.
        """
        super().__init__(config, TOOLS)
        self.lists: dict[str, list[str]] = {"shopping": [], "packing": [], "chores": []}

    def set_light(self, call: SetLight) -> str:
        """Set the light of a room.

        Args:
            call: what the model called.
        """
        return f"the light in the {call.room} is {call.color} at {call.brightness} %"

    def add_items(self, call: AddItems) -> str:
        """Put things on a list.

        Args:
            call: what the model called.
        """
        items = self.lists[call.list_name]
        items += call.items
        return f"the {call.list_name} list has {len(items)} items: {', '.join(items)}"

    def send_parcel(self, call: SendParcel) -> str:
        """Send a parcel.

        Args:
            call: what the model called.
        """
        return f"{call.weight_kg:g} kg are on their way to {call.recipient.name} in {call.recipient.city}"

    def start_timer(self, call: StartTimer) -> str:
        """Start a timer.

        Args:
            call: what the model called.
        """
        return f"the timer for {call.label} rings in {call.minutes} minutes"
