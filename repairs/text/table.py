"""All rules of ours that read text, in words, each with an example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from toolmend.repairs.rules.info import RuleInfo

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolmend.repairs.record import JsonValue, RepairKind

__all__ = ("TEXT_RULES",)


def _schema(required: str, optional: str = "") -> Mapping[str, JsonValue]:
    """A flat object schema from `name:type` words."""
    words = [word.split(":") for word in f"{required} {optional}".split()]
    kinds = {
        "list": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "number"}},
    }
    return {
        "type": "object",
        "properties": {name: kinds.get(kind, {"type": kind}) for name, kind in words},
        "required": [word.split(":")[0] for word in required.split()],
        "additionalProperties": False,
    }


def _rule(
    name: str,
    sentence: str,
    given: str,
    wanted: JsonValue,
    /,
    schema: Mapping[str, JsonValue],
    *,
    kind: RepairKind = "lossless",
) -> RuleInfo:
    return RuleInfo(name, sentence, schema, given, wanted, kind, layer="text")


_WEATHER: Final = _schema("city:string", "days:integer")
_NOTE: Final = _schema("title:string body:string")
_TAGS: Final = _schema("id:integer tags:list")
_OSLO: Final = {"city": "Oslo"}
_OSLO_3: Final = {"city": "Oslo", "days": 3}

TEXT_RULES: Final[tuple[RuleInfo, ...]] = (
    _rule(
        "control-character",
        "A raw line break, tab or other control character inside a string is kept.",
        '{"title": "a", "body": "one\ntwo"}',
        {"title": "a", "body": "one\ntwo"},
        _NOTE,
    ),
    _rule(
        "duplicate-key",
        "A key given twice with one value counts once; with two different values it is an error.",
        '{"city": "Oslo", "city": "Oslo"}',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "empty-arguments",
        "No text, `null` or `[]` is an empty object, for a tool that requires nothing.",
        "null",
        {},
        _schema("", "verbose:boolean"),
    ),
    _rule(
        "invisible-mark",
        "Byte-order marks, zero-width marks and no-break spaces between tokens are white space.",
        '\ufeff{"city":\u200b "Oslo"}',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "fence",
        "A code fence, back-ticks or the word of a language around the whole are taken off.",
        '```json\n{"city": "Oslo"}\n```',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "reasoning",
        "Closed reasoning in front of the object is taken off; nothing in it is read.",
        '<think>Rome? {"city": "Rome"}</think>{"city": "Oslo"}',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "wrapper-tag",
        "A tag around the object is taken off.",
        '<arguments>{"city": "Oslo"}</arguments>',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "special-token",
        "Tokens of a chat template around the object are taken off.",
        '<|im_start|>{"city": "Oslo"}<|im_end|>',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "assignment",
        "An assignment or a label in front of the object is taken off.",
        'const args = {"city": "Oslo"};',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "html-entities",
        "HTML entities are decoded once, if the quotes of the JSON itself are entities.",
        "{&quot;city&quot;: &quot;Oslo&quot;}",
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "over-escaped",
        "One level of escaping around quotes that no string encloses is taken off.",
        '{\\"city\\": \\"Oslo\\"}',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "double-encoded",
        "A JSON string that holds the object is decoded, twice at most.",
        '"{\\"city\\": \\"Oslo\\"}"',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "prose",
        "Prose around the one object is left out; a second, different object is an error.",
        'Sure: {"city": "Oslo"} is what I need.',
        _OSLO,
        _WEATHER,
    ),
    _rule(
        "repeated-object",
        "The same object again, or an empty one beside it, counts once.",
        '{}{"city": "Oslo"}',
        _OSLO,
        _WEATHER,
    ),
    _rule("object-in-list", "A list that holds one object is that object.", '[{"city": "Oslo"}]', _OSLO, _WEATHER),
    _rule(
        "comment",
        "A comment between tokens is white space.",
        '{"city": "Oslo", // capital\n "days": 3}',
        _OSLO_3,
        _WEATHER,
    ),
    _rule("extra-comma", "A comma too many is passed over.", '{"city": "Oslo",}', _OSLO, _WEATHER),
    _rule(
        "missing-comma",
        "A comma that lacks between two complete values is put in.",
        '{"city": "Oslo" "days": 3}',
        _OSLO_3,
        _WEATHER,
    ),
    _rule(
        "comma-style",
        "A semicolon or a full-width comma between members is a comma.",
        '{"city": "Oslo"; "days": 3}',
        _OSLO_3,
        _WEATHER,
    ),
    _rule(
        "separator",
        "`=`, `=>`, a doubled or full-width colon between a key and its value is a colon.",
        '{"city" => "Oslo"}',
        _OSLO,
        _WEATHER,
    ),
    _rule("missing-colon", "A colon that lacks behind a known key is put in.", '{"city" "Oslo"}', _OSLO, _WEATHER),
    _rule("full-width-mark", "Full-width brackets are brackets.", '｛"city": "Oslo"｝', _OSLO, _WEATHER),
    _rule(
        "quote-style",
        "Single, smart, full-width, triple quotes and back-ticks are quotes.",
        "{'city': “Oslo”}",
        _OSLO,
        _WEATHER,
    ),
    _rule("bare-key", "A key without quotes is a key.", '{city: "Oslo"}', _OSLO, _WEATHER),
    _rule(
        "bare-text",
        "Words without quotes are a string, where a string may stand.",
        '{"city": New York, "days": 3}',
        {"city": "New York", "days": 3},
        _WEATHER,
    ),
    _rule(
        "literal",
        "The literals of Python and JavaScript are those of JSON.",
        '{"on": True}',
        {"on": True},
        _schema("on:boolean"),
    ),
    _rule(
        "number-notation",
        "A number in the notation of a programming language is a number.",
        '{"n": 0x1F, "x": [.5, 1_000, +2]}',
        {"n": 31, "x": [0.5, 1000, 2]},
        _schema("n:integer x:numbers"),
    ),
    _rule("tuple", "A tuple is a list.", '{"id": 4, "tags": ("a", "b")}', {"id": 4, "tags": ["a", "b"]}, _TAGS),
    _rule(
        "set",
        "A set is a list, where no object may stand.",
        "{'id': 4, 'tags': {'a', 'b'}}",
        {"id": 4, "tags": ["a", "b"]},
        _TAGS,
    ),
    _rule(
        "call-wrapper",
        "A call that only wraps its keywords, `dict(...)` or the tool's own name, is the object of them.",
        'dict(city="Oslo", days=3)',
        _OSLO_3,
        _WEATHER,
    ),
    _rule(
        "escape",
        "An escape that JSON does not know keeps its backslash; `\\x41` and `\\U0001F600` are decoded.",
        '{"title": "a", "body": "\\d+"}',
        {"title": "a", "body": "\\d+"},
        _NOTE,
    ),
    _rule("doubled-brace", "A doubled opening brace is one.", '{{"city": "Oslo"}}', _OSLO, _WEATHER),
    _rule(
        "extra-closer",
        "A closer too many is passed over.",
        '{"id": 4, "tags": ["a"]]}',
        {"id": 4, "tags": ["a"]},
        _TAGS,
        kind="inferred",
    ),
    _rule(
        "wrong-closer",
        "The wrong closer ends the innermost container, if the text goes on accordingly.",
        '{"tags": ["a"}, "id": 4}',
        {"tags": ["a"], "id": 4},
        _TAGS,
        kind="inferred",
    ),
    _rule(
        "missing-closer",
        "A closer that lacks before a known key, a closer further out, or the end of a whole object is put in.",
        '{"tags": ["a", "b", "id": 4}',
        {"tags": ["a", "b"], "id": 4},
        _TAGS,
        kind="inferred",
    ),
    _rule(
        "missing-opener",
        "An opener that lacks in front of the members, or of the items of a list, is put in.",
        '"city": "Oslo", "days": 3}',
        _OSLO_3,
        _WEATHER,
    ),
    _rule(
        "inner-quotes",
        "Quotes inside a string that were not escaped belong to it, if the schema leaves one place where it can end.",
        '{"title": "a", "body": "She said "hi" to me"}',
        {"title": "a", "body": 'She said "hi" to me'},
        _NOTE,
        kind="inferred",
    ),
    _rule(
        "lost-quote",
        "A quote lost at one end of a known key or of a value is put back.",
        '{"title: "a", "body": "b"}',
        {"title": "a", "body": "b"},
        _NOTE,
        kind="inferred",
    ),
    _rule(
        "json-repair",
        "The json-repair library read the text, and every string, number and bracket of it is still there, in order.",
        '{"id": 4, "tags": ["a" , : "b"]}',
        {"id": 4, "tags": ["a", "b"]},
        _TAGS,
        kind="inferred",
    ),
)
"""Each way of reading a text that is not strict JSON, by the name in its records."""
