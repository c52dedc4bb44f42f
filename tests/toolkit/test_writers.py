from __future__ import annotations

from typing import Any

import pytest
from inline_snapshot import snapshot

from toolmend.repairs.schema import compile_schema
from toolmend.toolkit.writers import FUNCTION_TAGS, INVOKE_TAGS, Written, as_hermes, as_json, as_python

NODE = compile_schema(
    {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "count": {"type": "integer"},
            "either": {"type": ["integer", "string"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "day or night": {"type": "string"},
            "if": {"type": "boolean"},
        },
    }
)


def call(**arguments: Any) -> Written:  # noqa: ANN401
    return Written("put", arguments, NODE)


def test_json_takes_a_line_for_each_call() -> None:
    """Line breaks within strings are escaped, letters of all scripts are not."""
    assert as_json([call(text="a\nß"), Written("ping", {})]) == snapshot("""\
{"name": "put", "arguments": {"text": "a\\nß"}}
{"name": "ping", "arguments": {}}\
""")


def test_hermes_puts_each_call_between_tags() -> None:
    """A closing tag within a string is none, as a call ends where its value ends."""
    assert as_hermes([call(text="</tool_call>"), Written("ping", {})]) == snapshot("""\
<tool_call>
{"name": "put", "arguments": {"text": "</tool_call>"}}
</tool_call>
<tool_call>
{"name": "ping", "arguments": {}}
</tool_call>\
""")


def test_python_has_its_own_literals() -> None:
    """Also deep within a value, and never within a string."""
    arguments = {"a": True, "b": None, "c": [False, "true, null", {"k": None}], "d": "false", "e": 1e16}
    assert as_python([Written("put", arguments), Written("ping", {})]) == snapshot("""\
[put(a=True, b=None, c=[False, "true, null", {"k": None}], d="false", e=1e+16), ping()]\
""")


@pytest.mark.parametrize("key", ["day or night", "9", "x-y", "", 'a"b', "ключ"])
def test_what_call_syntax_cannot_carry_is_json(key: str) -> None:
    """A key that is no identifier has no place in it."""
    assert as_python([Written("put", {key: "x"}, NODE)]) == as_json([Written("put", {key: "x"})])


def test_tags_hold_values_as_they_are() -> None:
    """Strings without quotes, everything else as JSON."""
    written = call(text="it's <b>&\n", count=2, tags=["a", "b"])
    assert FUNCTION_TAGS([written]) == snapshot("""\
<function=put>
<parameter=text>
it's <b>&

</parameter>
<parameter=count>
2
</parameter>
<parameter=tags>
["a", "b"]
</parameter>
</function>\
""")
    assert INVOKE_TAGS([call(count=2), Written("ping", {})]) == snapshot("""\
<invoke name="put">
<parameter name="count">2</parameter>
</invoke>
<invoke name="ping">
</invoke>\
""")


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": "a </parameter> b"},
        {"text": '<parameter name="count">'},
        {"text": "<![CDATA[x]]>"},
        {"either": 1},
        {"unknown": 1},
        {"day or night": "x", "<": "y"},
    ],
)
def test_what_tags_cannot_carry_is_an_object_within_them(arguments: dict[str, Any]) -> None:
    """A value that would be read back as another one makes the call's arguments JSON, in which no tag stands."""
    written = FUNCTION_TAGS([Written("put", arguments, NODE)])
    assert written.startswith("<function=put>\n{")
    assert "</p" not in written
    assert "<p" not in written


def test_tags_within_a_list_are_escaped() -> None:
    """The list stays a list in its own tag."""
    assert FUNCTION_TAGS([call(tags=["</parameter>"])]) == snapshot("""\
<function=put>
<parameter=tags>
["\\u003c/parameter>"]
</parameter>
</function>\
""")


def test_a_value_at_the_edge_of_its_tags_keeps_its_line_breaks() -> None:
    """Where a tag has no room for them the arguments are JSON."""
    assert INVOKE_TAGS([call(text="\na")]) == snapshot("""\
<invoke name="put">
{"text": "\\na"}
</invoke>\
""")
