"""Texts made from a value by known faults: the value comes back, or an error does, and never another value."""

from __future__ import annotations

import html
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import LimitError, RepairError
from toolmend.repairs.policy import LOSSLESS, STRICT, Limits, RepairPolicy
from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.text.ladder import mend_text
from toolmend.repairs.text.strict import identical

# ---------------------------------------------------------------------- schemas and values

TEXT: Final = {"type": "string"}
WHOLE: Final = {"type": "integer"}
REAL: Final = {"type": "number"}
FLAG: Final = {"type": "boolean"}


def tool(required: dict[str, JsonValue], optional: dict[str, JsonValue] | None = None) -> dict[str, JsonValue]:
    """A closed schema."""
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": [*required], "additionalProperties": False}


def many(item: JsonValue) -> JsonValue:
    """A schema of lists."""
    return {"type": "array", "items": item}


SCHEMAS: Final[dict[str, JsonValue]] = {
    "note": tool({"title": TEXT, "body": TEXT}),
    "code": tool({"code": TEXT}, {"timeout": WHOLE}),
    "mail": tool(
        {"subject": TEXT, "body": TEXT}, {"to": many(TEXT), "urgent": FLAG, "cc": {"type": ["string", "null"]}}
    ),
    "order": tool({"items": many(tool({"name": TEXT, "qty": WHOLE}, {"tags": many(TEXT)}))}),
    "record": tool({"id": WHOLE, "fields": {"type": "object"}}),
    "person": tool(
        {"who": tool({"name": TEXT, "home": tool({"street": TEXT}, {"zip": TEXT})}), "n": REAL}, {"note": TEXT}
    ),
    "setting": tool(
        {"key": TEXT, "value": {"anyOf": [TEXT, WHOLE, many(TEXT), FLAG, {"type": "null"}]}}, {"ttl": REAL}
    ),
    "table": tool({"rows": many(many(REAL)), "name": TEXT}),
    "any": tool({"name": TEXT, "data": {}}),
}
MENDERS: Final = {name: Mender(compile_schema(schema)) for name, schema in SCHEMAS.items()}

ATOMS: Final = (
    *("a", "word", "1", "-2.5", "007", "true", "null", "None", ",", ":", "{", "}", "[", "]", "(", ")", '"', "'", "`"),
    *("\\", "é", "😀", "//", "#", "/*", "*/", "=", "=>", ";", "...", "<b>", "&quot;", "$", "%", "\\n", '\\"', "\\\\"),
    *("“", "”", "’", '"""', "'''", "\\d+", "\\alpha", "\\u00e9", "NaN", "1e5", "+47", "a,b,c", "```json", "<think>"),
    *("</tool_call>", "d['k']", '"hi"', "it's"),
)
PHRASES: Final = (
    " ",
    "\n",
    "\t",
    "\x01",
    "\xa0",
    "\u200b",
    'say "hi" now',
    'print("a")',
    '{"k": "v"}',
    '["a", "b"]',
    'SELECT "a", "b" FROM t',
    '<a class="x">',
    '5" pipe',
    "C:\\new\\tab",
    "https://a.b/c?d=1&e=2",
    '"a","b"\n"c","d"',
    "10:30",
    "key: value",
)
KEYLIKE: Final = ('", "title": "', '"}, {"name": "', "', 'id': '", '"body"', "body: 3", ', "to": 1', '", qty: "x')

WORDS: Final = st.sampled_from(("Oslo", "New York", "", "x", "42", "true", "a.txt"))
PIECES: Final = st.sampled_from((*ATOMS, *PHRASES))
STRINGS: Final = WORDS | st.lists(PIECES | st.text(max_size=3), max_size=6).map("".join)
NASTY: Final = STRINGS | st.lists(PIECES | st.sampled_from(KEYLIKE), max_size=6).map("".join)
FREE_KEYS: Final = st.sampled_from(("a", "first-name", "_rev", "$set", "k", "x y"))


def values(schema: JsonValue, strings: st.SearchStrategy[str], depth: int = 0) -> st.SearchStrategy[JsonValue]:
    """Values of one of the schemas above."""
    if "anyOf" in schema:
        return st.one_of([values(branch, strings, depth) for branch in schema["anyOf"]])
    kind = schema.get("type")
    if kind == "object" and "properties" in schema:
        members = {key: values(node, strings, depth + 1) for key, node in schema["properties"].items()}
        optional = {key: member for key, member in members.items() if key not in schema["required"]}
        return st.fixed_dictionaries({key: members[key] for key in schema["required"]}, optional=optional)
    if kind == "array":
        return st.lists(values(schema["items"], strings, depth + 1), max_size=3)
    simple: dict[str, st.SearchStrategy[JsonValue]] = {
        "string": strings,
        "integer": st.sampled_from((0, 3, 42, -7, 10**20)),
        "number": st.sampled_from((0.5, 12, -3.75, 1e21)),
        "boolean": st.booleans(),
        "null": st.none(),
    }
    if isinstance(kind, list):
        return st.one_of([simple[name] for name in kind])
    if kind in simple:
        return simple[kind]
    inner = st.one_of(*simple.values()) if depth > 1 else values({}, strings, depth + 1)
    objects = st.dictionaries(FREE_KEYS, inner, max_size=3)
    return objects if kind == "object" else st.one_of(*simple.values(), st.lists(inner, max_size=3), objects)


# ---------------------------------------------------------------------- texts with faults


@dataclass
class Token:
    """A token of a JSON text: its kind, what it means, and how it is written."""

    kind: str
    means: JsonValue
    written: str


def tokens_of(value: JsonValue) -> Iterator[Token]:
    """The tokens of the JSON text of a value; a key has the kind `key`."""
    if isinstance(value, dict):
        yield Token("{", None, "{")
        for index, (key, item) in enumerate(value.items()):
            yield from [Token(",", None, ", ")] * bool(index)
            yield Token("key", key, json.dumps(key))
            yield Token(":", None, ": ")
            yield from tokens_of(item)
        yield Token("}", None, "}")
    elif isinstance(value, list):
        yield Token("[", None, "[")
        for index, item in enumerate(value):
            yield from [Token(",", None, ", ")] * bool(index)
            yield from tokens_of(item)
        yield Token("]", None, "]")
    else:
        yield Token("string" if isinstance(value, str) else "scalar", value, json.dumps(value, ensure_ascii=False))


class Faulty:
    """The tokens of a value, into which faults are put."""

    def __init__(self, draw: st.DrawFn, value: JsonValue) -> None:
        self.draw = draw
        self.tokens = [Token(token.kind, token.means, token.written) for token in tokens_of(value)]

    def one(self, *kinds: str) -> Token:
        """Some token of these kinds; the example is given up if there is none."""
        found = [token for token in self.tokens if token.kind in kinds]
        assume(found)
        return self.draw(st.sampled_from(found))

    def pick(self, *options: str) -> str:
        """One of several ways to write something."""
        return self.draw(st.sampled_from(options))

    def quoted(self, quote: str, text: str) -> str:
        """A string in other quotes, properly escaped."""
        body = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"')
        return quote + body.replace(quote, "\\" + quote) + quote

    def requote(self, opening: str, closing: str, avoid: str) -> None:
        """Write every string in other quotes, none of which may stand in one."""
        for token in self.tokens:
            if token.kind in ("key", "string"):
                assume(not set(token.means) & set(avoid))
                token.written = opening + json.dumps(token.means, ensure_ascii=False)[1:-1] + closing

    def text(self) -> str:
        """The whole text."""
        return "".join(token.written for token in self.tokens)


def trailing_comma(doc: Faulty) -> None:
    """A comma behind the last member or item."""
    closers = [
        token
        for before, token in zip(doc.tokens, doc.tokens[1:], strict=False)
        if token.kind in "}]" and before.kind not in "{["
    ]
    assume(closers)
    token = doc.draw(st.sampled_from(closers))
    token.written = "," + token.written


def doubled_comma(doc: Faulty) -> None:
    """A comma twice."""
    doc.one(",").written = ", ,"


def missing_comma(doc: Faulty) -> None:
    """No comma between two members or items."""
    doc.one(",").written = doc.pick(" ", "\n")


def semicolon(doc: Faulty) -> None:
    """A semicolon or a full-width comma in place of a comma."""
    doc.one(",").written = doc.pick("; ", "，")


def comment(doc: Faulty) -> None:
    """A comment between two tokens."""
    text = doc.pick('/* "a": {1}, */', '// it\'s "x", {y}\n', '# don\'t, "b": 1\n', "/* } ] */", "// x: [1\n")
    token = doc.one("{", "}", "[", "]", ",", ":", "string", "scalar")
    token.written = f" {text} {token.written}" if token.kind in "}]" else f"{token.written} {text} "


def odd_space(doc: Faulty) -> None:
    """Invisible marks, no-break spaces or an escaped line break between two tokens."""
    token = doc.one("{", "}", "[", "]", ",", ":", "string", "scalar")
    token.written = token.written.rstrip() + doc.pick("\xa0", "\u200b", "\ufeff", " \\n ", "\u2060 ")


def single_quotes(doc: Faulty) -> None:
    """Every string in single quotes."""
    for token in doc.tokens:
        if token.kind in ("key", "string"):
            token.written = doc.quoted("'", token.means)


def other_quotes(doc: Faulty) -> None:
    """Every string in smart quotes, back-ticks or full-width quotes."""
    quotes = doc.pick("“”", "„“", "«»", "＂＂", "``", "‘’")
    doc.requote(quotes[0], quotes[1], quotes + "”“’'")


def bare_keys(doc: Faulty) -> None:
    """Every key without quotes."""
    for token in doc.tokens:
        if token.kind == "key":
            token.written = token.means


def bare_word(doc: Faulty) -> None:
    """One string without quotes."""
    token = doc.one("string")
    plain = token.means.replace(" ", "")
    assume(plain.isalpha() and token.means.strip() == token.means)
    assume(plain.lower() not in ("true", "false", "null", "none", "nan", "nil", "inf", "infinity", "undefined"))
    token.written = token.means


def python_literals(doc: Faulty) -> None:
    """The literals of Python."""
    for token in doc.tokens:
        if token.means is None and token.kind == "scalar":
            token.written = "None"
        elif isinstance(token.means, bool):
            token.written = str(token.means)


def separators(doc: Faulty) -> None:
    """Another sign in place of every colon."""
    sign = doc.pick(" = ", " => ", ":: ", "：")
    for token in doc.tokens:
        if token.kind == ":":
            token.written = sign


def missing_colon(doc: Faulty) -> None:
    """One colon missing."""
    doc.one(":").written = " "


def notation(doc: Faulty) -> None:
    """Integers in the notation of a programming language."""
    for token in doc.tokens:
        if isinstance(token.means, int) and not isinstance(token.means, bool) and token.means >= 0:
            token.written = doc.pick(hex(token.means), f"+{token.means}", f"{token.means:_}", f"00{token.means}")


def control_characters(doc: Faulty) -> None:
    """Strings with their control characters raw."""
    for token in doc.tokens:
        if token.kind == "string":
            token.written = '"' + token.means.replace("\\", "\\\\").replace('"', '\\"') + '"'


def surplus_closer(doc: Faulty) -> None:
    """A closer too many at the end."""
    doc.tokens[-1].written += doc.pick("}", "}}", "]", " }", ";")


def doubled_brace(doc: Faulty) -> None:
    """The outer braces twice."""
    doc.tokens[0].written = "{{"
    doc.tokens[-1].written = doc.pick("}}", "}")


Fault = Callable[[Faulty], None]

CERTAIN: Final[tuple[Fault, ...]] = (
    trailing_comma,
    doubled_comma,
    semicolon,
    single_quotes,
    other_quotes,
    bare_keys,
    python_literals,
    separators,
    control_characters,
    doubled_brace,
)
"""Faults after which the value must come back."""

FAULTS: Final[tuple[Fault, ...]] = (
    *CERTAIN,
    missing_comma,
    comment,
    odd_space,
    bare_word,
    missing_colon,
    notation,
    surplus_closer,
)


def inner_quotes(doc: Faulty) -> None:
    """The quotes in one string not escaped."""
    token = doc.one("string")
    assume('"' in token.means)
    token.written = '"' + json.dumps(token.means, ensure_ascii=False)[1:-1].replace('\\"', '"') + '"'


def lost_quote(doc: Faulty) -> None:
    """A key or string without one of its quotes."""
    token = doc.one("key", "string")
    token.written = doc.pick(token.written[1:], token.written[:-1])


def lost_bracket(doc: Faulty) -> None:
    """A closer too few."""
    doc.one("}", "]").written = ""


def wrong_bracket(doc: Faulty) -> None:
    """A closer of the other kind."""
    token = doc.one("}", "]")
    token.written = {"}": "]", "]": "}"}[token.kind]


WRAPPERS: Final[dict[str, Callable[[str], str]]] = {
    "fence": lambda text: f"```json\n{text}\n```",
    "open fence": lambda text: f"```\n{text}",
    "language": lambda text: f"json\n{text}",
    "encoded": json.dumps,
    "encoded twice": lambda text: json.dumps(json.dumps(text)),
    "over-escaped": lambda text: json.dumps(text)[1:-1],
    "entities": html.escape,
    "tag": lambda text: f"<arguments>\n{text}\n</arguments>",
    "token": lambda text: f"<|python_tag|>{text}<|eom_id|>",
    "assignment": lambda text: f"args = {text};",
    "parentheses": lambda text: f"({text})",
    "list": lambda text: f"[{text}]",
    "twice": lambda text: text + text,
    "empty first": lambda text: "{}" + text,
    "reasoning": lambda text: f'<think>{{"a": 1}}</think>{text}',
}


@st.composite
def cases(
    draw: st.DrawFn, faults: tuple[Fault, ...] = (), count: int = 0, strings: st.SearchStrategy[str] = NASTY
) -> tuple[str, JsonValue, str]:
    """The name of a schema, a value of it, and its text with some faults."""
    name = draw(st.sampled_from([*SCHEMAS]))
    value = draw(values(SCHEMAS[name], strings))
    doc = Faulty(draw, value)
    for fault in [draw(st.sampled_from(faults)) for _ in range(count)]:
        fault(doc)
    return name, value, doc.text()


def read(name: str, text: str, *, complete: bool | None = None) -> Mended | None:
    """What the text is read as; None for an error."""
    try:
        return mend_text(text, MENDERS[name], complete=complete)
    except RepairError:
        return None


def is_strict(text: str) -> bool:
    """Whether a text is JSON by the letter, control characters in strings aside."""
    try:
        json.loads(text, strict=False)
    except ValueError:
        return False
    return True


def assert_same_or_refused(name: str, value: JsonValue, text: str, *, complete: bool | None = None) -> None:
    """The value comes back, on record, or an error does."""
    mended = read(name, text, complete=complete)
    if mended is not None:
        assert identical(mended.value, value), (text, mended.value)
        assert mended.repairs or is_strict(text)


# ---------------------------------------------------------------------- the laws

many_examples = settings(max_examples=150, suppress_health_check=[*HealthCheck])


@given(cases(), st.sampled_from((None, 2)), st.booleans(), st.sampled_from((None, True, False)))
def test_valid_text_comes_back_untouched(
    case: tuple[str, JsonValue, str], indent: int | None, ascii_only: bool, complete: bool | None
) -> None:
    """Strict JSON that satisfies the schema gives its value without any repair."""
    name, value, _ = case
    mended = read(name, json.dumps(value, indent=indent, ensure_ascii=ascii_only), complete=complete)
    assert mended is not None
    assert identical(mended.value, value)
    assert mended.repairs == ()


@many_examples
@given(cases(CERTAIN, 1))
def test_a_plain_fault_is_mended(case: tuple[str, JsonValue, str]) -> None:
    """One fault between tokens that leaves a single reading gives the value back, on record."""
    name, value, text = case
    mended = read(name, text)
    assert mended is not None
    assert identical(mended.value, value)
    assert mended.repairs or is_strict(text)


@many_examples
@given(cases(FAULTS, 1))
def test_one_fault_never_gives_another_value(case: tuple[str, JsonValue, str]) -> None:
    """One lossless fault gives the value back or an error."""
    assert_same_or_refused(*case)


@many_examples
@given(cases(FAULTS, 2))
def test_two_faults_never_give_another_value(case: tuple[str, JsonValue, str]) -> None:
    """Two lossless faults at once give the value back or an error."""
    assert_same_or_refused(*case)


@many_examples
@given(cases(CERTAIN, 1), st.sampled_from([*WRAPPERS]))
def test_wrappers_come_off_exactly(case: tuple[str, JsonValue, str], wrapper: str) -> None:
    """Whatever is written around the whole comes off without touching the value."""
    name, value, text = case
    assume(wrapper not in ("over-escaped", "entities") or '"' in text.lstrip("{ \n")[:1])
    assert_same_or_refused(name, value, WRAPPERS[wrapper](text))


@given(cases(), st.sampled_from([*WRAPPERS]))
def test_a_wrapper_around_valid_json_is_mended(case: tuple[str, JsonValue, str], wrapper: str) -> None:
    """A wrapper is the only fault: the value comes back."""
    name, value, text = case
    mended = read(name, WRAPPERS[wrapper](text))
    assert mended is not None
    assert identical(mended.value, value)
    assert mended.repairs


@many_examples
@given(cases((inner_quotes,), 1, STRINGS))
def test_inner_quotes_never_give_another_value(case: tuple[str, JsonValue, str]) -> None:
    """Quotes that were not escaped in one string belong to it, or the text is refused."""
    name, value, text = case
    assume(not is_strict(text) and '"""' not in text)  # three begin a string in triple quotes
    assert_same_or_refused(name, value, text)


@many_examples
@given(cases((lost_quote,), 1, STRINGS))
def test_a_lost_quote_never_gives_another_value(case: tuple[str, JsonValue, str]) -> None:
    """A quote lost at one end of a key or string is put back where it was, or the text is refused."""
    name, value, text = case
    assume(not is_strict(text))
    assert_same_or_refused(name, value, text)


@many_examples
@given(cases((lost_bracket, wrong_bracket), 1))
def test_a_bracket_never_gives_another_value(case: tuple[str, JsonValue, str]) -> None:
    """A closer that is missing or wrong is set right where it was, or the text is refused."""
    assert_same_or_refused(*case)


@many_examples
@given(cases(), st.data())
def test_a_cut_text_is_never_completed(case: tuple[str, JsonValue, str], data: st.DataObject) -> None:
    """A text that ends anywhere before its last closers is an error."""
    name, value, text = case
    assert_same_or_refused(name, value, text[: data.draw(st.integers(0, len(text) - 1))])


@many_examples
@given(cases(FAULTS, 1, STRINGS), st.data())
def test_a_cut_text_with_a_fault_is_never_completed(case: tuple[str, JsonValue, str], data: st.DataObject) -> None:
    """The same with a fault in the text."""
    name, value, text = case
    assert_same_or_refused(name, value, text[: data.draw(st.integers(0, len(text) - 1))])


@many_examples
@given(cases(), st.data())
def test_what_was_cut_off_is_an_error(case: tuple[str, JsonValue, str], data: st.DataObject) -> None:
    """A text that is known to be cut off is an error, whatever could be closed."""
    name, _, text = case
    assert read(name, text[: data.draw(st.integers(0, len(text) - 1))], complete=False) is None


@many_examples
@given(cases(FAULTS, 1), st.sampled_from((STRICT, LOSSLESS)))
def test_no_repair_is_made_that_the_policy_forbids(case: tuple[str, JsonValue, str], policy: object) -> None:
    """Under a narrower policy a text that needs more is an error; nothing in the record is forbidden."""
    name, _, text = case
    narrow = STRICT if policy is STRICT else LOSSLESS
    try:
        mended = mend_text(text, Mender(compile_schema(SCHEMAS[name]), policy=narrow))
    except RepairError:
        return
    assert all(narrow.allows(repair.rule, repair.kind) for repair in mended.repairs)


@many_examples
@given(cases(FAULTS, 1, STRINGS))
def test_records_point_into_the_raw_text(case: tuple[str, JsonValue, str]) -> None:
    """The span of a record holds what the record says was there."""
    name, _, text = case
    mended = read(name, text)
    for repair in mended.repairs if mended else ():
        if repair.span and repair.before and "..." not in repair.before:
            assert text[slice(*repair.span)] == repair.before


SNIPPETS: Final = (*ATOMS, *PHRASES, *KEYLIKE, '"title":', '"items": [{', '"fields": {', "```", "{", "}", '"', ",")


@many_examples
@given(st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=3), max_size=12).map("".join), st.sampled_from([*SCHEMAS]))
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    """Whatever the text, nothing but a `RepairError` is raised."""
    for complete in (None, True, False):
        read(name, text, complete=complete)


# ---------------------------------------------------------------------- work

HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "quotes": lambda n: '{"code": ' + '"' * n,
    "quotes and words": lambda n: '{"code": "' + 'x" ' * n,
    "backslashes": lambda n: '{"code": "' + "\\" * n,
    "openers": lambda n: "{" * n,
    "keys": lambda n: '{"code":' * n,
    "commas": lambda n: '{"code": "x"' + "," * n + "}",
    "closers": lambda n: '{"code": "x"' + "}" * n,
    "colons": lambda n: '{"code"' + ":" * n,
    "unclosed": lambda n: '{"code": "' + "some words, and more " * n,
    "bare words": lambda n: "{code: " + "word, " * n + "}",
    "bare keys": lambda n: "{" + "".join(f"k{i}: 1, " for i in range(n)) + "}",
    "objects": lambda n: '{"code": "x"}' * n,
    "prose": lambda n: "foo {bar} " * n,
    "open comments": lambda n: '{"code": "x" ' + "/* x " * n,
    "quotes and comments": lambda n: '{"code": "' + 'x" //"' * n,
    "quotes and block comments": lambda n: '{"code": "' + '" /*' * n + "*/",
    "blanks": lambda n: '{"code": "' + ('" ' + " " * 50) * n,
    "inner quotes": lambda n: '{"code": "' + 'say "hi" and, "b" ' * n + '"}',
    "wrong brackets": lambda n: '{"code": ' + "[1}" * n,
    "fences": lambda n: "```\n" * n,
    "escaped breaks": lambda n: "\\n" * n,
    "apostrophes": lambda n: "{'code': '" + "it's " * n + "'}",
    "paths": lambda n: '{"code": "' + "C:\\q\\n " * n + '"}',
    "smart quotes": lambda n: "{“code”: “" + "x”y" * n,
    "duplicates": lambda n: "{" + '"code":"x",' * n + "}",
    "lost quotes": lambda n: '{"code": "x' + ', "z": 1' * n + "}",
    "tags": lambda n: "<a>" * n + "{",
    "assignments": lambda n: "a=" * n,
    "calls": lambda n: "f(" * n,
    "letters": lambda n: "a" * n,
    "digits": lambda n: '{"timeout": ' + "1" * min(n, 4000) + " 1" * n + "}",
}


def work(text: str) -> int:
    """How many functions are called while a text is read: a measure of work that no clock disturbs."""
    calls = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        read("code", text)
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("family", HOSTILE)
def test_work_grows_no_faster_than_the_text(family: str) -> None:
    """Four times the text is at most about four times the work."""
    make = HOSTILE[family]
    work(make(10))
    small, large = work(make(500)), work(make(2000))
    assert large < 5 * small + 2000


def test_work_is_bounded() -> None:
    """Where a text costs more than its length allows, an error says so."""
    policy = RepairPolicy(limits=Limits(steps_per_char=1))
    with pytest.raises(LimitError, match="too many ways"):
        mend_text('{"code": "' + '-"a"-' * 500, Mender(compile_schema(SCHEMAS["code"]), policy=policy))
