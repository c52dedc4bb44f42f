from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolmend.repairs.schema import normalise_name
from toolmend.toolkit.names import find_name

NAMES = ("get_weather", "read_file", "delete_file", "museum.get_hours", "ping2")


@pytest.mark.parametrize(
    "raw",
    [
        "functions.get_weather",
        "functions:get_weather",
        "default_api.get_weather",
        "default_api:get_weather",
        "tools.get_weather",
        "get_weather()",
        "get_weather.call()",
        "get_weather:0",
        "functions.get_weather:12",
        "get_weather.get_weather",
        " get_weather\n",
        '"get_weather"',
        "`get_weather`",
        "**get_weather**",
        "<|constrain|>get_weather",
        "get_weather<|channel|>",
        "<function>get_weather</function>",
    ],
)
def test_dress_around_a_name_is_taken_off(raw: str) -> None:
    """Known prefixes, suffixes, quotes and special tokens around a name lose nothing, and are on record."""
    match = find_name(raw, NAMES)
    assert match.name == "get_weather"
    assert [(repair.rule, repair.kind, repair.after) for repair in match.repairs] == [
        ("tool-name", "lossless", "get_weather")
    ]


@pytest.mark.parametrize("raw", ["Get-Weather", "GetWeather", "get weather", "__get_weather__", "get\\_weather"])
def test_case_and_punctuation_are_looked_through(raw: str) -> None:
    """The letters and digits of a name find it if one registered name has them."""
    match = find_name(raw, NAMES)
    assert match.name == "get_weather"
    assert [repair.kind for repair in match.repairs] == ["inferred"]


@pytest.mark.parametrize(
    "raw",
    [
        "delete_files",
        "get_weathers",
        "weather",
        "api.get_weather",
        "get_hours",
        "ping",
        "",
        " ",
        "...",
        "3",
        "x" * 10_000,
    ],
)
def test_a_near_miss_is_no_match(raw: str) -> None:
    """Similar, longer and shorter names are never taken for a registered one."""
    assert find_name(raw, NAMES).name is None


def test_two_names_with_the_same_letters_are_told_apart_or_refused() -> None:
    """Where two registered names share their letters, only their exact spelling is one of them."""
    names = {"getweather", "get_weather"}
    assert find_name("get_weather", names).name == "get_weather"
    assert find_name("functions.getweather", names).name == "getweather"
    assert find_name("Get-Weather", names).name is None


@pytest.mark.parametrize("raw", ["functions.x", "x:0", "a.a", "None", "multi_tool_use.parallel", "x()"])
def test_a_registered_name_stands_for_itself(raw: str) -> None:
    """A registered name wins exactly, whatever it looks like, and leaves no record."""
    match = find_name(raw, {raw, "x", "a"})
    assert (match.name, match.repairs) == (raw, ())


@pytest.mark.parametrize("raw", ["None", "directly-answer", "multi_tool_use.parallel"])
def test_names_that_mean_no_tool_match_none(raw: str) -> None:
    """The words for no call, and the holder of parallel calls, are not mended to a tool with the same letters."""
    assert find_name(raw, {"none_", "directlyanswer", "multi_tool_use_parallel"}).name is None


@given(raw=st.text(max_size=60), names=st.sets(st.text(min_size=1, max_size=12), max_size=6))
def test_a_match_shares_its_letters_with_what_was_written(raw: str, names: set[str]) -> None:
    """Whatever is written, a match is a registered name whose letters stand in it, and each change is on record."""
    match = find_name(raw, names)
    if match.name is not None:
        assert match.name in names
        assert match.name in raw or normalise_name(match.name) in normalise_name(raw)
        assert bool(match.repairs) == (match.name != raw)
