from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from toolmend.agents.modes import MODES
from toolmend.toolkit import DIALECTS, ToolMessage, ToolRegistry

if TYPE_CHECKING:
    from toolmend.agents.config import ToolModeName


class Eat(ToolMessage, name="eat", examples=[("Eat a pear.", {"what": "pear"}), ("Eat a fig.", {"what": "fig"})]):
    """Eat something."""

    what: str


class Sleep(ToolMessage, name="sleep", examples=[("Sleep an hour.", {"hours": 1})]):
    """Sleep."""

    hours: int


TOOLS = ToolRegistry([Eat, Sleep])


def test_examples_are_shown_in_rotation() -> None:
    """No tool has the last word by having more examples: small models favour what they saw last."""
    offer = MODES["use_tools"].offer(TOOLS, None, None, "json")
    assert [message["content"] for message in offer.opening if message["role"] == "user"] == [
        "Eat a pear.",
        "Sleep an hour.",
        "Eat a fig.",
    ]
    assert offer.opening[2]["content"] == '{"name": "eat", "arguments": {"what": "pear"}}'


def test_each_mode_puts_the_tools_in_one_place() -> None:
    """Told twice, the tools would cost twice."""
    offers = {name: mode.offer(TOOLS, "Hi.", None, "json") for name, mode in MODES.items()}
    assert [(bool(o.tools), bool(o.functions), "eat" in str(o.opening)) for o in offers.values()] == [
        (False, False, True),
        (False, True, False),
        (True, False, False),
    ]
    assert all(offer.opening[0]["content"].startswith("Hi.") for offer in offers.values())


@pytest.mark.parametrize("name", sorted(MODES))
def test_without_tools_nothing_is_told(name: ToolModeName) -> None:
    """An agent without tools is a plain chat."""
    offer = MODES[name].offer(ToolRegistry(), None, None, "json")
    assert (offer.opening, offer.tools, offer.functions, offer.tool_choice) == ((), (), (), None)


def test_only_the_prompt_asks_for_a_form() -> None:
    """Where the instructions asked for JSON, an object with an unknown name was meant as a call."""
    assert [name for name, mode in MODES.items() if mode.as_text] == ["use_tools"]


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_the_prompt_asks_for_one_form_throughout(dialect: str) -> None:
    """The examples are written in the form that the instructions ask for."""
    opening = MODES["use_tools"].offer(TOOLS, None, None, dialect).opening
    assert opening[0]["content"] == TOOLS.instructions(dialect)
    [call] = TOOLS.parse_text(opening[2]["content"], dialect=dialect).calls
    assert (call.name, call.arguments) == ("eat", {"what": "pear"})
