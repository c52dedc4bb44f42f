from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError, validators

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import RepairError
from toolmend.repairs.policy import DEFAULT, LOSSLESS, STRICT, RepairPolicy
from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.values import canonical, same

Schema = Mapping[str, JsonValue]

KEYS = ("selector", "file_path", "maxLines", "button", "query", "offset", "recipient", "zoom", "vehicle", "humidity")
"""Keys that do not resemble one another."""

WORDS = ("left", "dark_green", "NOT SPAM", "Montréal", "never", "x-large", "12", "true")

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
WHOLE = st.integers(-(10**20), 10**20)
REAL = st.floats(allow_nan=False, allow_infinity=False)


def scalars() -> st.SearchStrategy[JsonValue]:
    """Any scalar that JSON can hold."""
    return st.none() | st.booleans() | WHOLE | REAL | TEXT


def json_values() -> st.SearchStrategy[JsonValue]:
    """Any JSON value, small."""
    return st.recursive(
        scalars(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | TEXT, inner, max_size=3),
        max_leaves=8,
    )


def leaf_schemas() -> st.SearchStrategy[Schema]:
    """Schemas of scalars."""
    return st.one_of(
        st.sampled_from([{"type": kind} for kind in ("string", "integer", "number", "boolean")]),
        st.integers(-5, 5).map(lambda low: {"type": "integer", "minimum": low}),
        st.integers(0, 3).map(lambda size: {"type": "string", "minLength": size}),
        st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True).map(lambda words: {"enum": words}),
        st.lists(st.integers(0, 9), min_size=1, max_size=4, unique=True).map(lambda some: {"enum": some}),
    )


@st.composite
def object_schemas(draw: st.DrawFn, inner: st.SearchStrategy[Schema]) -> Schema:
    """Schemas of objects with declared keys."""
    keys = draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True))
    required = [key for key in keys if draw(st.booleans())]
    schema = {"type": "object", "properties": {key: draw(inner) for key in keys}, "required": required}
    return {**schema, "additionalProperties": False} if draw(st.booleans()) else schema


def schemas() -> st.SearchStrategy[Schema]:
    """Schemas as tools have them: nested objects, lists, unions, nullable fields."""
    return st.recursive(
        leaf_schemas(),
        lambda inner: st.one_of(
            object_schemas(inner),
            inner.map(lambda item: {"type": "array", "items": item}),
            inner.map(lambda item: {"type": "array", "items": item, "uniqueItems": True}),
            inner.map(lambda branch: {"anyOf": [branch, {"type": "null"}]}),
            st.lists(inner, min_size=2, max_size=3).map(lambda branches: {"anyOf": branches}),
            inner.map(lambda item: {"type": "object", "additionalProperties": item}),
        ),
        max_leaves=6,
    )


def tool_schemas() -> st.SearchStrategy[Schema]:
    """Schemas of whole arguments: an object with declared keys."""
    return object_schemas(schemas())


def values(schema: Schema) -> st.SearchStrategy[JsonValue]:
    """Values that satisfy a schema strictly.

    Args:
        schema: one of `schemas`.
    """
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([values(branch) for branch in schema["anyOf"]])
    return _BY_TYPE[schema["type"]](schema)


def _objects(schema: Schema) -> st.SearchStrategy[JsonValue]:
    if "properties" not in schema:
        return st.dictionaries(TEXT, values(schema["additionalProperties"]), max_size=3)
    properties = {key: values(inner) for key, inner in schema["properties"].items()}
    required = {key: value for key, value in properties.items() if key in schema["required"]}
    optional = {key: value for key, value in properties.items() if key not in schema["required"]}
    return st.fixed_dictionaries(required, optional=optional)


def _lists(schema: Schema) -> st.SearchStrategy[JsonValue]:
    unique = canonical if schema.get("uniqueItems") else None
    return st.lists(values(schema["items"]), max_size=4, unique_by=unique)


_BY_TYPE = {
    "string": lambda schema: st.text(st.characters(codec="utf-8"), min_size=schema.get("minLength", 0), max_size=12),
    "integer": lambda schema: st.integers(schema.get("minimum", -(10**20)), 10**20),
    "number": lambda schema: REAL | WHOLE,
    "boolean": lambda schema: st.booleans(),
    "null": lambda schema: st.none(),
    "object": _objects,
    "array": _lists,
}


@st.composite
def faulty(draw: st.DrawFn, value: JsonValue) -> JsonValue:
    """A value with something done to it somewhere, as a model might.

    Args:
        draw: given by hypothesis.
        value: any JSON value.
    """
    if isinstance(value, dict) and value and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(value)))
        rest = {other: item for other, item in value.items() if other != key}
        changed = draw(faulty(value[key]))
        name = draw(st.sampled_from([key, key, key.upper(), f"{key}.x", "reason", "dry_run"]))
        return draw(st.sampled_from([{**rest, name: changed}, {**value, key: changed}, {**value, name: changed}, rest]))
    if isinstance(value, list) and value and draw(st.booleans()):
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], draw(faulty(value[at])), *value[at + 1 :]]
    return draw(st.one_of(st.just(_spoiled(value)), st.just([value]), st.just({"arguments": value}), scalars()))


def _spoiled(value: JsonValue) -> JsonValue:
    """A scalar as text, a list as its text, a text padded."""
    if isinstance(value, str):
        return f" {value.swapcase()} "
    if isinstance(value, (dict, list)):
        return _json(value)
    return str(value) if not isinstance(value, float) or len(str(value)) < 10 else value


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------------- the laws


def is_integer(_checker: object, value: object) -> bool:
    """The strict reading: an integer has no fraction, and a boolean is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def unique_items(_validator: object, wanted: bool, items: JsonValue, _schema: Schema) -> Iterator[ValidationError]:
    """The strict reading: `1` and `1.0` are two items."""
    if wanted and isinstance(items, list) and len({canonical(item) for item in items}) < len(items):
        yield ValidationError("an item is repeated")


StrictValidator = validators.extend(  # type: ignore[no-untyped-call]
    Draft202012Validator,
    validators={"uniqueItems": unique_items},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", is_integer),
)


def mend(schema: Schema, value: JsonValue, policy: RepairPolicy = DEFAULT) -> Mended | None:
    """The mended value, None if there is none."""
    try:
        return Mender(compile_schema(schema), name="click", policy=policy).mend(value)
    except RepairError:
        return None


def back(schema: Schema, value: JsonValue, corrupted: JsonValue) -> None:
    """Hold that a corrupted value is mended to what it was, on record."""
    mended = Mender(compile_schema(schema), name="click").mend(corrupted)
    assert same(mended.value, value)
    assert mended.repairs


@st.composite
def valid(draw: st.DrawFn, kinds: st.SearchStrategy[Schema]) -> tuple[Schema, JsonValue]:
    """A schema and a value that satisfies it."""
    schema = draw(kinds)
    return schema, draw(values(schema))


@st.composite
def corrupted(draw: st.DrawFn) -> tuple[Schema, JsonValue]:
    """A schema and a value with a few faults."""
    schema, value = draw(valid(tool_schemas()))
    for _ in range(draw(st.integers(1, 3))):
        value = draw(faulty(value))
    return schema, value


@given(valid(schemas()))
def test_a_valid_value_comes_back_as_the_same_object(case: tuple[Schema, JsonValue]) -> None:
    """Valid in, same object out, nothing on record."""
    schema, value = case
    mended = Mender(compile_schema(schema), name="click").mend(value)
    assert mended.value is value
    assert mended.repairs == ()


@given(schemas(), json_values())
def test_what_counts_as_valid_is_valid_for_jsonschema(schema: Schema, value: JsonValue) -> None:
    """The compiled walk is never laxer than jsonschema."""
    if not Mender(compile_schema(schema)).check(value):
        assert StrictValidator(schema).is_valid(value)


@settings(max_examples=200)
@given(corrupted() | st.tuples(tool_schemas(), json_values()))
def test_every_mended_value_validates(case: tuple[Schema, JsonValue]) -> None:
    """What comes out satisfies the schema, is on record, and needs no mending again; what went in is untouched."""
    schema, value = case
    before = copy.deepcopy(value)
    mended = mend(schema, value)
    assert same(value, before)
    if mended is None:
        return
    assert StrictValidator(schema).is_valid(mended.value)
    assert same(mended.value, value) is (mended.repairs == ())
    again = Mender(compile_schema(schema), name="click").mend(mended.value)
    assert again.value is mended.value


@given(corrupted(), st.sampled_from([STRICT, LOSSLESS]))
def test_a_policy_bounds_what_is_done(case: tuple[Schema, JsonValue], policy: RepairPolicy) -> None:
    """Only repairs of the kinds that a policy allows are made."""
    mended = mend(*case, policy=policy)
    assert mended is None or {repair.kind for repair in mended.repairs} <= policy.kinds


@given(st.lists(json_values(), max_size=6), schemas())
def test_no_item_is_ever_lost(items: list[JsonValue], item: Schema) -> None:
    """A list keeps its length, whatever its items are mended to."""
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": item}}, "required": ["items"]}
    mended = mend(schema, {"items": items})
    assert mended is None or len(mended.value["items"]) == len(items)


@given(corrupted())
def test_nothing_is_invented(case: tuple[Schema, JsonValue]) -> None:
    """Every letter and digit of a mended value stands in what was given, or is an allowed value or a key."""
    schema, value = case
    mended = mend(schema, value)
    assume(mended is not None and isinstance(mended.value, dict))
    known = letters(json.dumps(schema, ensure_ascii=False) + json.dumps(value, ensure_ascii=False))
    for text in leaves(mended.value if mended is not None else {}):
        assert letters(text) in known


def letters(text: str) -> str:
    """A text as far as escaping in JSON, once or twice, leaves it alone."""
    return text.casefold().translate(dict.fromkeys(map(ord, '\\"\n\t\r\b\f')))


def leaves(value: JsonValue) -> list[str]:
    """The texts in a value, as JSON writes them."""
    if isinstance(value, dict):
        return [text for item in value.values() for text in leaves(item)]
    if isinstance(value, list):
        return [text for item in value for text in leaves(item)]
    return [json.dumps(value, ensure_ascii=False)[1:-1]] if isinstance(value, str) else []


# ---------------------------------------------------------------------- one fault, and the value is back

SIMPLE = object_schemas(
    st.sampled_from([{"type": "string"}, {"type": "integer"}, {"type": "array", "items": {"type": "integer"}}])
)


def some_key(schema: Schema, value: dict[str, JsonValue], kind: str) -> str | None:
    """A key of the value whose field has a type."""
    return next((key for key in value if schema["properties"][key].get("type") == kind), None)


@given(valid(SIMPLE), st.sampled_from(["{}", " {} ", "{}.0"]))
def test_a_number_written_as_text_comes_back(case: tuple[Schema, JsonValue], form: str) -> None:
    """Digits in quotes are the number that they spell."""
    schema, value = case
    key = some_key(schema, value, "integer")
    assume(key is not None)
    back(schema, value, {**value, key: form.format(value[key])})


@given(valid(SIMPLE), st.data())
def test_a_key_in_another_case_comes_back(case: tuple[Schema, JsonValue], data: st.DataObject) -> None:
    """A key that differs in case and signs only is the declared one."""
    schema, value = case
    key = data.draw(st.sampled_from(sorted(value) or ["none"]))
    assume(key in value)
    other = data.draw(st.sampled_from([key.upper(), key.title(), key.replace("_", "-"), "_".join(key)]))
    closed = {**schema, "additionalProperties": False}
    assume(other != key)
    back(closed, value, {other if name == key else name: item for name, item in value.items()})


@given(valid(SIMPLE), st.sampled_from(["arguments", "parameters", "input", "properties", "click"]))
def test_an_envelope_comes_off(case: tuple[Schema, JsonValue], around: str) -> None:
    """Arguments in an envelope are taken out of it."""
    schema, value = case
    closed = {**schema, "additionalProperties": False}
    back(closed, value, {around: value})
    back(closed, value, {"name": "click", around: value})
    back(closed, value, {"arguments": {around: value}})


@given(valid(SIMPLE))
def test_arguments_in_a_list_come_out(case: tuple[Schema, JsonValue]) -> None:
    """A list of one object is the object."""
    back(*case, [case[1]])


@given(valid(SIMPLE))
def test_arguments_as_json_text_come_out(case: tuple[Schema, JsonValue]) -> None:
    """The JSON text of an object is the object."""
    back(*case, json.dumps(case[1]))


@given(leaf_schemas(), st.data())
def test_one_item_becomes_its_list(item: Schema, data: st.DataObject) -> None:
    """One item where a list is wanted is a list of one, unless it is text that may be several."""
    value = data.draw(values(item))
    assume(not isinstance(value, str) or (value.strip() and not set(value) & set(",;\n\r[{")))
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": item}}}
    back(schema, {"items": [value]}, {"items": value})


@given(valid(SIMPLE))
def test_null_for_an_optional_field_is_as_if_absent(case: tuple[Schema, JsonValue]) -> None:
    """A null where null is not allowed and nothing is required goes."""
    schema, value = case
    absent = [key for key in schema["properties"] if key not in value]
    assume(absent)
    back(schema, value, {**value, absent[0]: None})


@given(valid(SIMPLE), st.sampled_from(["thought", "reasoning", "Explanation"]))
def test_narration_goes(case: tuple[Schema, JsonValue], key: str) -> None:
    """Thinking aloud among the arguments is no argument."""
    schema, value = case
    back({**schema, "additionalProperties": False}, value, {key: "the user asked", **value})


@pytest.mark.parametrize("key", KEYS)
def test_an_unknown_key_is_never_dropped(key: str) -> None:
    """Any other key may carry meaning."""
    schema = {
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
        "additionalProperties": False,
    }
    assert mend(schema, {"path": "a", key: True}) is None
