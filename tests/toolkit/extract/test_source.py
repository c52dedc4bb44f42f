from __future__ import annotations

from collections.abc import Callable

from toolmend.toolkit.extract.source import Source


def test_a_hint_is_the_next_name_of_a_registered_tool(source_of: Callable[..., Source]) -> None:
    """Found in one scan, in any quotes, and only from the place on that is asked for."""
    source = source_of("{name: 'other'} {'request': “fill”} {\"tool\": \"functions.ping\"}")
    first, second = source.hint(0), source.hint(30)
    assert first is not None
    assert second is not None
    assert (first.name, second.name) == ("fill", "ping")
    assert source.hint(0, 10) is None
    assert source.hint(60) is None
    assert source.keys.has_name(0)
    assert not source.keys.has_name(60)


def test_the_keys_in_sight_tell_how_a_call_is_put_down(source_of: Callable[..., Source]) -> None:
    """Places of the next wrapper, name, second name and argument keys; the end of the text for what does not follow."""
    text = '{"tool_calls": [{"name": "fill", "arguments": {"name": "x"}}]}'
    wrapper, name, second, arguments = source_of(text).keys.following(0)
    assert text[wrapper:].startswith('"tool_calls"')
    assert text[name:].startswith('"name": "fill"')
    assert text[second:].startswith('"name": "x"')
    assert text[arguments:].startswith('"arguments"')
    assert source_of("{}").keys.following(0) == (2, 2, 2, 2)


def test_names_are_resolved_as_everywhere(source_of: Callable[..., Source]) -> None:
    """By the same rules as the names of API calls; nothing is nothing."""
    source = source_of("")
    found = source.tool("functions.Fill")
    assert found is not None
    assert found.name == "fill"
    assert source.tool("fil") is None
    assert source.tool(None) is None


def test_reading_in_vain_has_a_bound(source_of: Callable[..., Source]) -> None:
    """A text is not read over and over."""
    source = source_of("x" * 1000)
    for _ in range(500):
        source.charge(1000)
    assert source.exhausted


def test_a_marker_is_around_only_while_it_is(source_of: Callable[..., Source]) -> None:
    """Bolder shapes are tried behind a marker, and nowhere else."""
    source = source_of("")
    with source.behind_marker():
        assert source.marked
    assert not source.marked
