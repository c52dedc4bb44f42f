from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest

from toolmend.repairs.numbers import plain
from toolmend.toolkit.extract.fields import NAMED, PAIRS, Fields, children_of, read_fields
from toolmend.toolkit.extract.source import Source
from toolmend.toolkit.spec import ToolSpec

Read: TypeAlias = Callable[..., Fields]
BOTH = {"selector": "#go", "count": 2}


@pytest.fixture
def read(source_of: Callable[..., Source], tools: Mapping[str, ToolSpec]) -> Read:
    """Reads named parameters of `fill`."""

    def fields(text: str, *, complete: bool | None = None) -> Fields:
        return read_fields(source_of(text, complete=complete), 0, NAMED, tools["fill"])

    return fields


@pytest.mark.parametrize(
    "text",
    [
        "<parameter=selector>\n#go\n</parameter>\n<parameter=count>\n2\n</parameter>\n</function>",
        '<parameter name="selector">#go</parameter><parameter name="count" string="false">2</parameter></invoke>',
        "<parameter = 'selector'>#go</parameter><parameter=count>2</parameter></function>",
        '<x:parameter name="selector">#go</x:parameter><x:parameter name="count">2</x:parameter></x:invoke>',
        '<param name="selector"><![CDATA[#go]]></param><param name="count">2</param></function>',
        "<parameter=selector>#go</parameter><parameter=count>2</function>",
    ],
)
def test_named_parameters_are_read_and_typed(text: str, read: Read) -> None:
    """With or without a namespace, quotes, or the closer of a field in front of the next one."""
    fields = read(text)
    assert fields.fault is None
    assert plain(fields.values) == BOTH
    assert (fields.ended, fields.end) == (True, len(text))


@pytest.mark.parametrize(
    "value",
    [
        "a </parameter> b",
        "a </function> b",
        "<b>x</b> && y < z",
        "<parameter=unknown>x</parameter> y",
        "&lt;kept&gt;",
        "</parameter>",
        "",
    ],
)
def test_a_closing_tag_ends_a_value_only_where_the_call_goes_on(value: str, read: Read) -> None:
    """Whatever else looks like a tag belongs to the value, and nothing in it is decoded."""
    fields = read(f"<parameter=selector>\n{value}\n</parameter>\n</function>")
    assert fields.fault is None
    assert fields.values == {"selector": value}


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<parameter=selector>#g", "cut_off"),
        ("<parameter=selector>#go\n</function>", "cut_off"),
        ("<parameter=selector>#go</parameter> so <parameter=count>2</parameter></function>", "ambiguous"),
        ("<parameter=selector>a</parameter><parameter=selector>b</parameter></function>", "not_json"),
        ("<parameter=selector>a</parameter></function></parameter></function>", None),
        ("<parameter=selector>#go\n<parameter=count>2</parameter></function>", "ambiguous"),
        ("words", "not_json"),
    ],
)
def test_what_may_be_cut_mixed_or_doubled_is_a_fault(text: str, kind: str | None, read: Read) -> None:
    """An end that is not known, tags of another parameter in a value, a key with two values, anything in between."""
    fault = read(text).fault
    assert (fault.kind if fault is not None else None) == kind


def test_the_same_value_twice_is_one(read: Read) -> None:
    """Nothing is lost then."""
    fields = read("<parameter=selector>a</parameter><parameter=selector>a</parameter></function>")
    assert (fields.fault, fields.values) == (None, {"selector": "a"})


def test_a_model_that_stopped_ended_its_last_value(read: Read) -> None:
    """Unless half a tag shows that it did not."""
    assert read("<parameter=selector>#go", complete=True).values == {"selector": "#go"}
    assert read("<parameter=selector>#go</para", complete=True).fault is not None


def test_pairs_forgive_a_doubled_closing_tag_of_a_key(
    source_of: Callable[..., Source], tools: Mapping[str, ToolSpec]
) -> None:
    """The key is what stands in front of it."""
    text = (
        "<arg_key>selector</arg_key></arg_key>\n<arg_value>#go</arg_value>\n"
        "<arg_key> count </arg_key><arg_value>2</arg_value></tool_call>"
    )
    assert plain(read_fields(source_of(text), 0, PAIRS, tools["fill"]).values) == BOTH


def test_a_tag_for_each_parameter(source_of: Callable[..., Source], tools: Mapping[str, ToolSpec]) -> None:
    """Only declared parameters are fields; other tags are text."""
    text = "<selector><b>#go</b></selector>\n<count>2</count>\n</fill>"
    grammar = children_of("fill", frozenset(BOTH))
    fields = read_fields(source_of(text), 0, grammar, tools["fill"])
    assert plain(fields.values) == {"selector": "<b>#go</b>", "count": 2}
    assert fields.ended


def test_without_a_schema_everything_is_text(source_of: Callable[..., Source]) -> None:
    """Types are never guessed."""
    fields = read_fields(source_of("<parameter=a>1</parameter></function>"), 0, NAMED, None)
    assert fields.values == {"a": "1"}
