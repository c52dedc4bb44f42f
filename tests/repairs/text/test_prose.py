from __future__ import annotations

from collections.abc import Callable

import pytest

from toolmend.repairs.errors import AmbiguousError, CutOffError
from toolmend.repairs.record import JsonValue, Mended

ValueOf = Callable[..., JsonValue]

WEATHER = "city:text days?:whole"
OSLO = '{"city": "Oslo"}'


@pytest.mark.parametrize(
    "text",
    [
        f"Sure! {OSLO}",
        f"{OSLO}\n\nLet me know if {{city}} is right.",
        f"Here are the arguments:\n{OSLO}\nHope that helps.",
        f"1. {OSLO}",
        f"**{OSLO}**",
        f'The "args" are: {OSLO}',
        f"```json\n{OSLO}\n```\nDone.",
        f"Okay.\n```json\n{OSLO}\n```",
        f"hm, Rome? no. </think>{OSLO}",
        f"The weather: {OSLO}",
        "Sure: {'city': 'Oslo',}",
        f"<a>{OSLO}</a> as asked [1]",
    ],
)
def test_prose_around_the_one_object_is_left_out(text: str, mend: Callable[..., Mended]) -> None:
    """It is on record, with the object that was taken."""
    mended = mend(text, WEATHER)
    assert mended.value == {"city": "Oslo"}
    assert "prose" in {repair.rule for repair in mended.repairs}


@pytest.mark.parametrize(
    "text",
    [
        f"{OSLO}{OSLO}",
        f"{OSLO}\n{OSLO}\n",
        f"{{}}{OSLO}",
        f"{OSLO} {{}}",
        f"[{OSLO}, {OSLO}]",
        f"{{}} {{}} {OSLO} {OSLO}",
    ],
)
def test_the_same_object_again_counts_once(text: str, value_of: ValueOf) -> None:
    """So does an empty one beside it."""
    assert value_of(text, WEATHER) == {"city": "Oslo"}


@pytest.mark.parametrize(
    "text",
    [
        f'{OSLO}{{"city": "Rome"}}',
        f'{OSLO}\nor\n{{"city": "Rome"}}',
        f'{OSLO}{{"city": "Oslo", "days": 3}}',
        f'{OSLO} {{"days": 3}}',
        f'{OSLO} and {{"unrelated": 1}}',
        f'Either {OSLO} or {{"city": "Rome"}}.',
        f'```json\n{OSLO}\n```\nor\n```json\n{{"city": "Rome"}}\n```',
        "x = {'city': 'Oslo'}; y = {'city': 'Rome'}",
        f'[{OSLO}, {{"city": "Rome"}}]',
    ],
)
def test_two_different_objects_are_an_error(text: str, mend: Callable[..., Mended]) -> None:
    """Neither the first nor the last is taken."""
    with pytest.raises(AmbiguousError):
        mend(text, WEATHER)


@pytest.mark.parametrize(
    "text",
    [
        "Use {city} as the placeholder.",
        "No arguments are needed.",
        "{city}",
        "The set {a, b} and " + OSLO,
        f"{OSLO} {{...}}",
        f"{{...}} {OSLO}",
        f"city: Rome, {OSLO}",
        f"{OSLO} days: 3",
        f'{OSLO} "days": 3}}',
        f'"city" {OSLO}',
        f"{OSLO}Rome",
        f'{OSLO}{{"city": "Ro',
        f"<think>{OSLO}",
        f"Maybe <think>{OSLO}",
        f"Sure: [{OSLO}",
        'Sure: {"city": "Oslo"',
        'Sure: {"city": "Oslo"]',
        'Sure: {"city": "Os',
    ],
)
def test_what_may_belong_to_the_object_is_no_prose(text: str, value_of: ValueOf) -> None:
    """Pieces of members, other brackets, open reasoning, and prose without an object are an error."""
    assert value_of(text, WEATHER) is None


@pytest.mark.parametrize("end", [",", ", ", ":", ",\n"])
def test_a_text_that_ends_behind_a_comma_is_cut_off(end: str, mend: Callable[..., Mended]) -> None:
    """More was about to come."""
    with pytest.raises(CutOffError):
        mend(f"Sure: {OSLO}{end}", WEATHER)


def test_many_braces_are_looked_at_only_so_far(value_of: ValueOf) -> None:
    """A text full of braces costs little and gives nothing."""
    assert value_of("{x} " * 60 + OSLO, WEATHER) is None
