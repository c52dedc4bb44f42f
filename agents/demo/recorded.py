"""Faulty replies of many kinds, for the replay: what models are known to write, put down here by hand.

Each answers a request whose right call is known, and either comes to that call by mending, or must lead to an error
first, which the second reply then answers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from toolmend.agents.demo.requests import Expected, Request

__all__ = ("RECORDED", "Channel", "Recorded", "Reply")

Channel: TypeAlias = Literal["text", "api"]
"""Whether the call stands in the text of the reply, or came through the API."""


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply as a server sends it.

    Attributes:
        body: the text, or the arguments of the call through the API.
        tool: name of the tool called through the API; None for a reply in text.
        finish_reason: why the model stopped.
    """

    body: str
    tool: str | None = None
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A faulty reply to a request, and the next one if the first must be refused.

    Attributes:
        kind: what is wrong with it.
        request: what was asked, with the right call.
        replies: what the model said, turn by turn.
    """

    kind: str
    request: Request
    replies: tuple[Reply, ...]

    @property
    def channel(self) -> Channel:
        """Where the calls stand."""
        return "api" if self.replies[0].tool else "text"

    @property
    def refused(self) -> bool:
        """Whether the first reply must lead to an error in place of a call."""
        return len(self.replies) > 1


ATTIC = Request(
    "Make the attic light warm at 40 percent.",
    Expected("set_light", {"room": "attic", "color": "warm", "brightness": 40}),
)
BREAD = Request("Put bread on the shopping list.", Expected("add_items", {"list_name": "shopping", "items": ["bread"]}))
ROPES = Request(
    "Add a rope, a map and a torch to the packing list.",
    Expected("add_items", {"list_name": "packing", "items": ["rope", "map", "torch"]}),
)
INES = Request(
    "Send a parcel of 1.5 kg to Ines in Porto.",
    Expected("send_parcel", {"recipient": {"name": "Ines", "city": "Porto"}, "weight_kg": 1.5}),
)
SOUP = Request("Start a timer of 25 minutes for the soup.", Expected("start_timer", {"label": "soup", "minutes": 25}))
JAM = Request(
    'Start a timer of 25 minutes for the "good" jam.',
    Expected("start_timer", {"label": 'the "good" jam', "minutes": 25}),
)

RIGHT_ATTIC = '{"name": "set_light", "arguments": {"room": "attic", "color": "warm", "brightness": 40}}'
RIGHT_INES = '{"name": "send_parcel", "arguments": {"recipient": {"name": "Ines", "city": "Porto"}, "weight_kg": 1.5}}'
RIGHT_SOUP = '{"name": "start_timer", "arguments": {"label": "soup", "minutes": 25}}'


def _text(kind: str, request: Request, body: str) -> Recorded:
    return Recorded(kind, request, (Reply(body),))


def _api(kind: str, request: Request, *bodies: str) -> Recorded:
    replies = tuple(Reply(body, tool=request.expected.name, finish_reason="tool_calls") for body in bodies)
    return Recorded(f"{kind}, through the API", request, replies)


def _refused(kind: str, request: Request, first: str, second: str, *, finish_reason: str = "stop") -> Recorded:
    return Recorded(kind, request, (Reply(first, finish_reason=finish_reason), Reply(second)))


_ALL = (
    _text("a fence, and words around it", ATTIC, f"Sure, here is the call:\n```json\n{RIGHT_ATTIC}\n```"),
    _text(
        "commas too many",
        ROPES,
        '{"name": "add_items", "arguments": {"list_name": "packing", "items": ["rope", "map", "torch",],},}',
    ),
    _text(
        "a Python dict",
        ROPES,
        "{'name': 'add_items', 'arguments': {'list_name': 'packing', 'items': ['rope', 'map', 'torch']}}",
    ),
    _text("closing braces forgotten", SOUP, '{"name": "start_timer", "arguments": {"label": "soup", "minutes": 25'),
    _text(
        "comments",
        SOUP,
        '{"name": "start_timer", // the tool\n "arguments": {"label": "soup", /* for 25 minutes */ "minutes": 25}}',
    ),
    _text("typographic quotes", SOUP, "{“name”: “start_timer”, “arguments”: {“label”: “soup”, “minutes”: 25}}"),
    _text("keys without quotes", SOUP, '{name: "start_timer", arguments: {label: "soup", minutes: 25}}'),
    _text(
        "quotes inside a string",
        JAM,
        '{"name": "start_timer", "arguments": {"label": "the "good" jam", "minutes": 25}}',
    ),
    _text(
        "a number as text",
        ATTIC,
        '{"name": "set_light", "arguments": {"room": "attic", "color": "warm", "brightness": "40"}}',
    ),
    _text(
        "an enum in capitals",
        ATTIC,
        '{"name": "set_light", "arguments": {"room": "attic", "color": "WARM", "brightness": 40}}',
    ),
    _text(
        "one item in place of a list",
        BREAD,
        '{"name": "add_items", "arguments": {"list_name": "shopping", "items": "bread"}}',
    ),
    _text(
        "an object as JSON text",
        INES,
        '{"name": "send_parcel", "arguments": {"recipient": "{\\"name\\": \\"Ines\\", \\"city\\": \\"Porto\\"}", '
        '"weight_kg": 1.5}}',
    ),
    _text(
        "a key in another style",
        INES,
        '{"name": "send_parcel", "arguments": {"recipient": {"name": "Ines", "city": "Porto"}, "weightKg": 1.5}}',
    ),
    _text(
        "a key that the tool's own rule knows",
        ATTIC,
        '{"name": "set_light", "arguments": {"room": "attic", "colour": "warm", "brightness": 40}}',
    ),
    _text(
        "arguments inside arguments",
        SOUP,
        '{"name": "start_timer", "arguments": {"arguments": {"label": "soup", "minutes": 25}}}',
    ),
    _text("tags around the call", SOUP, f"<tool_call>\n{RIGHT_SOUP}\n</tool_call>"),
    _text("a call in Python", ATTIC, '[set_light(room="attic", color="warm", brightness=40)]'),
    _text("a decorated name", SOUP, '{"name": "functions.start_timer", "arguments": {"label": "soup", "minutes": 25}}'),
    _api("encoded twice", SOUP, '"{\\"label\\": \\"soup\\", \\"minutes\\": 25}"'),
    _api("the tool's name around the arguments", SOUP, '{"start_timer": {"label": "soup", "minutes": 25}}'),
    _api(
        "two calls in one",
        SOUP,
        '{"label": "soup", "minutes": 25}{"label": "rice", "minutes": 20}',
        '{"label": "soup", "minutes": 25}',
    ),
    _refused(
        "cut off in a string",
        INES,
        '{"name": "send_parcel", "arguments": {"recipient": {"name": "Ines", "city": "Por',
        RIGHT_INES,
        finish_reason="length",
    ),
    _refused(
        "a unit in a number",
        SOUP,
        '{"name": "start_timer", "arguments": {"label": "soup", "minutes": "25 minutes"}}',
        RIGHT_SOUP,
    ),
    _refused(
        "a value that the enum lacks",
        ATTIC,
        '{"name": "set_light", "arguments": {"room": "attic", "color": "cosy", "brightness": 40}}',
        RIGHT_ATTIC,
    ),
    _refused(
        "a tool that does not exist",
        ATTIC,
        '{"name": "dim_lamp", "arguments": {"room": "attic", "percent": 40}}',
        RIGHT_ATTIC,
    ),
    _refused(
        "a key that may carry meaning",
        INES,
        '{"name": "send_parcel", "arguments": {"recipient": {"name": "Ines", "city": "Porto"}, "weight_kg": 1.5, '
        '"dry_run": true}}',
        RIGHT_INES,
    ),
)


def _told_apart(number: int, recorded: Recorded) -> Recorded:
    """The same under words that no other has: the server knows it again by them."""
    request = recorded.request
    return replace(recorded, request=replace(request, text=f"{request.text} (no. {number})"))


RECORDED = tuple(_told_apart(number, recorded) for number, recorded in enumerate(_ALL, 1))
