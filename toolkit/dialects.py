"""The forms in which a model is asked to write calls, and in which calls are written for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.outcome import ToolCall
from toolmend.toolkit.skeleton import in_braces
from toolmend.toolkit.writers import FUNCTION_TAGS, INVOKE_TAGS, Tags, Writer, Written, as_hermes, as_json, as_python

if TYPE_CHECKING:
    from toolmend.toolkit.spec import ToolSpec

__all__ = ("DIALECTS", "Dialect", "dialect_named", "dialect_of", "render_calls")

Form: TypeAlias = Callable[[str, Mapping[str, str]], str]
"""A call with a text in place of each value, made of the name of the tool and these texts."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One form of calls.

    Attributes:
        name: what it is asked for by.
        request: what is asked for, in words.
        empty: an empty call.
        write: writes calls.
        form: writes a call whose values are placeholders.
        formats: the formats of results in whose calls and errors this form is used.
        markers: the unmarked formats that show that a call was meant where this form was asked for.
    """

    name: str
    request: str
    empty: str
    write: Writer
    form: Form
    formats: frozenset[str]
    markers: frozenset[str] = frozenset()

    @property
    def head(self) -> str:
        """The sentences that ask for it."""
        return f"{_HEAD} {self.request}\n{self.empty}\n{_TAIL}"


_HEAD: Final = "You can call these tools. To call one, answer with"
_TAIL: Final = "If no tool is needed, answer in plain words."


# ---------------------------------------------------------------------- forms to be filled in


def _json_form(name: str, texts: Mapping[str, str]) -> str:
    return f'{{"name": "{name}", "arguments": {in_braces(texts)}}}'


def _hermes_form(name: str, texts: Mapping[str, str]) -> str:
    return f"<tool_call>\n{_json_form(name, texts)}\n</tool_call>"


def _python_form(name: str, texts: Mapping[str, str]) -> str:
    return f"[{name}({', '.join(f'{key}={text}' for key, text in texts.items())})]"


def _form_with(tags: Tags) -> Form:
    """The form of a dialect with tags, in which strings have no quotes."""
    return lambda name, texts: tags.form(name, {key: _unquoted(text) for key, text in texts.items()})


def _unquoted(text: str) -> str:
    return text[1:-1] if text[:1] == text[-1:] == '"' else text


# ---------------------------------------------------------------------- the table

_ANY_CALL: Final = {"name_of_parameter": "value"}

DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {
        dialect.name: dialect
        for dialect in (
            Dialect(
                "json",
                "one JSON object and nothing else:",
                '{"name": "<name of the tool>", "arguments": {...}}',
                as_json,
                _json_form,
                formats=frozenset({"json"}),
                markers=frozenset({"json"}),
            ),
            Dialect(
                "hermes",
                "one JSON object between these tags and nothing else:",
                '<tool_call>\n{"name": "<name of the tool>", "arguments": {...}}\n</tool_call>',
                as_hermes,
                _hermes_form,
                formats=frozenset({"hermes"}),
                markers=frozenset({"json"}),
            ),
            Dialect(
                "pythonic",
                "a list with one call in Python syntax and nothing else:",
                "[name_of_tool(name_of_parameter=value)]",
                as_python,
                _python_form,
                formats=frozenset({"pythonic"}),
                markers=frozenset({"pythonic"}),
            ),
            Dialect(
                "xml",
                "these tags and nothing else, one <parameter> for each parameter:",
                FUNCTION_TAGS.form("name_of_tool", _ANY_CALL),
                FUNCTION_TAGS,
                _form_with(FUNCTION_TAGS),
                formats=frozenset({"function-tag"}),
            ),
            Dialect(
                "invoke",
                "these tags and nothing else, one <parameter> for each parameter:",
                INVOKE_TAGS.form("name_of_tool", _ANY_CALL),
                INVOKE_TAGS,
                _form_with(INVOKE_TAGS),
                formats=frozenset({"invoke", "invoke-legacy"}),
            ),
        )
    }
)
"""Every form that can be asked for, by name."""

_OF_FORMAT: Final = {format_name: dialect.name for dialect in DIALECTS.values() for format_name in dialect.formats}


def dialect_named(name: str) -> Dialect:
    """A form by its name.

    Args:
        name: the name.

    Raises:
        ToolUsageError: if there is none of that name.
    """
    dialect = DIALECTS.get(name)
    if dialect is None:
        raise ToolUsageError(f"no dialect {name!r} is known; there are: {', '.join(sorted(DIALECTS))}")
    return dialect


def render_calls(calls: Iterable[ToolCall], tools: Mapping[str, ToolSpec], dialect: str) -> str:
    """Write calls as text.

    Args:
        calls: the calls.
        tools: the registered tools.
        dialect: name of the form.

    Raises:
        ToolUsageError: if there is none of that name, or they are no calls.
    """
    nodes = {name: tool.node for name, tool in tools.items()}
    listed = list(calls)
    for given in cast("list[object]", listed):
        if not isinstance(given, ToolCall):
            raise ToolUsageError(f"render takes a ToolCall, or several, got {given!r:.80}")
    return dialect_named(dialect).write([Written(call.name, call.arguments, nodes.get(call.name)) for call in listed])


def dialect_of(format_name: str) -> str | None:
    """The dialect in which the model wrote a call, so that it is answered in it and the call written in it again.

    Args:
        format_name: the `format` of a call or an error.

    Returns:
        Its name; None for calls through an API, and for formats that are read but not written.
    """
    return _OF_FORMAT.get(format_name)
