# ruff: noqa: E501  # the texts are as long as they are
from __future__ import annotations

import datetime as dt
from typing import Any, Literal

import pytest
from inline_snapshot import snapshot
from pydantic import BaseModel, Field

from toolmend.toolkit import ToolMessage, ToolRegistry, ToolUsageError


class Place(BaseModel):
    city: str
    zip_code: str | None = None


class Book(
    ToolMessage,
    name="book_room",
    examples=[
        ("A double room in Rome, please.", {"place": {"city": "Rome"}, "kind": "double"}),
        {"place": {"city": "Oslo"}, "kind": "single", "nights": 2},
    ],
):
    """Book a room.

    Only one at a time.
    """

    place: Place
    kind: Literal["single", "double"] = Field(description="how many beds")
    nights: int = Field(1, description="how long")
    start: dt.date | None = None
    wishes: list[str] = Field(default_factory=list)


class Now(ToolMessage, name="now"):
    """Tell the time."""


def test_the_instructions_show_a_form_the_parameters_and_an_example() -> None:
    """Word for word, because small models depend on it."""
    assert ToolRegistry([Book, Now]).instructions() == snapshot("""\
You can call these tools. To call one, answer with one JSON object and nothing else:
{"name": "<name of the tool>", "arguments": {...}}
If no tool is needed, answer in plain words.

Tool book_room: Book a room.

Only one at a time.
{"name": "book_room", "arguments": {"place": {"city": "<string>", "zip_code": "<string>"}, "kind": "<single|double>", "nights": <integer>, "start": "<string (date)>", "wishes": ["<string>"]}}
- place (object)
- kind (one of "single", "double"): how many beds
- nights (integer, may be left out, default 1): how long
- start (string or null, may be left out)
- wishes (list of string, may be left out)
Example: {"name": "book_room", "arguments": {"place": {"city": "Rome"}, "kind": "double"}}

Tool now: Tell the time.
{"name": "now", "arguments": {}}\
""")


class Guest(BaseModel):
    name: str = Field(description="as in the passport")
    age: int | None = Field(None, description="only of children")
    nickname: str | None = None


class Room(BaseModel):
    guests: list[Guest] = Field(description="who sleeps there")
    payer: Guest | None = Field(None, description="who pays")


class Group(ToolMessage, name="book_group"):
    """Book for a group."""

    rooms: list[Room]
    leader: Guest
    extras: dict[str, "Extra"] = Field(default_factory=dict)


class Extra(BaseModel):
    price: float = Field(description="in euros")
    within: "Extra | None" = None


Group.model_rebuild()


def test_what_is_said_of_keys_within_is_told() -> None:
    """Each class of them once, however often it is used: a model without a tool API sees nothing else of it."""
    lines = ToolRegistry([Group]).instructions().splitlines()
    assert [line for line in lines if line.startswith("- ")] == snapshot(
        [
            "- rooms (list of object)",
            "- rooms[].guests (list of object): who sleeps there",
            "- rooms[].guests[].name (string): as in the passport",
            "- rooms[].guests[].age (integer or null, may be left out): only of children",
            "- rooms[].payer (object or null, may be left out): who pays",
            "- leader (object)",
            "- extras (object, may be left out)",
            "- extras.<key>.price (number): in euros",
        ]
    )


def test_examples_are_turns_of_a_conversation() -> None:
    """Those that have what a user says."""
    assert ToolRegistry([Book, Now]).example_turns() == snapshot(
        [
            {"role": "user", "content": "A double room in Rome, please."},
            {
                "role": "assistant",
                "content": '{"name": "book_room", "arguments": {"place": {"city": "Rome"}, "kind": "double"}}',
            },
        ]
    )


def test_what_is_shown_can_be_read_back() -> None:
    """The form of the answers is one that the registry reads without a repair."""
    registry = ToolRegistry([Book, Now])
    for turn in registry.example_turns()[1::2]:
        [call] = registry.parse_text(turn["content"]).calls
        assert call.repairs == ()


@pytest.mark.parametrize("dialect", ["yaml", "", None])
def test_an_unknown_dialect_is_the_callers_mistake(dialect: Any) -> None:  # noqa: ANN401
    """The known ones are listed, tools or not."""
    for registry in (ToolRegistry(), ToolRegistry([Now])):
        with pytest.raises(ToolUsageError, match=r"no dialect .* is known; there are: hermes, invoke, json"):
            registry.instructions(dialect)
        with pytest.raises(ToolUsageError):
            registry.example_turns(dialect)
