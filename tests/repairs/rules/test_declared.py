from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import pytest

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import AmbiguousError, RepairError, RuleMismatchError, SchemaMismatchError
from toolmend.repairs.numbers import SourcedFloat
from toolmend.repairs.policy import LOSSLESS
from toolmend.repairs.record import JsonValue
from toolmend.repairs.rule import Candidate, RepairRule, Violation
from toolmend.repairs.rules.declared import BareString, DropKey, JsonText, MapValue, RenameKey, SplitList
from toolmend.repairs.schema import compile_schema

Mend = Callable[..., JsonValue]
ERROR: Final = SchemaMismatchError

ITEM: Final[dict[str, JsonValue]] = {
    "type": "object",
    "properties": {"sku": {"type": "string"}, "size": {"enum": ["s", "m"]}},
    "required": ["sku"],
    "additionalProperties": False,
}
TOOL: Final[dict[str, JsonValue]] = {
    "type": "object",
    "properties": {
        "selector": {"type": "string"},
        "text": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "button": {"enum": ["left", "right"]},
        "item": ITEM,
        "items": {"type": "array", "items": ITEM},
    },
    "required": ["selector"],
    "additionalProperties": False,
}
GO: Final = {"selector": "#go"}


@pytest.mark.parametrize(
    ("rule", "given", "wanted"),
    [
        (RenameKey("element", to="selector"), {"element": "#go", "text": "x"}, {**GO, "text": "x"}),
        (RenameKey("element", to="selector"), {"Element": "#go", "text": "x"}, {**GO, "text": "x"}),
        (RenameKey("element", to="selector"), {"element": "#go", "selector": "#go"}, GO),
        (RenameKey("value", to="text"), {**GO, "value": "x"}, {**GO, "text": "x"}),
        (RenameKey("id", to="item.sku"), {**GO, "item": {"id": "a"}}, {**GO, "item": {"sku": "a"}}),
        (RenameKey("id", to="items.sku"), {**GO, "items": [{"id": "a"}]}, {**GO, "items": [{"sku": "a"}]}),
        (BareString("selector"), "#go", GO),
        (BareString("selector"), "[name=q]", {"selector": "[name=q]"}),
        (JsonText("text"), {**GO, "text": {"a": [1, "é"]}}, {**GO, "text": '{"a": [1, "é"]}'}),
        (JsonText("text"), {**GO, "text": [SourcedFloat.of(1.1, "1.10")]}, {**GO, "text": "[1.10]"}),
        (JsonText("tags"), {**GO, "tags": [{"a": 1}]}, {**GO, "tags": ['{"a": 1}']}),
        (DropKey("session"), {**GO, "session": 1}, GO),
        (DropKey("items.id"), {**GO, "items": [{"sku": "a", "id": 1}]}, {**GO, "items": [{"sku": "a"}]}),
        (SplitList("tags"), {**GO, "tags": "a, b,"}, {**GO, "tags": ["a", "b"]}),
        (SplitList("tags", separator="|"), {**GO, "tags": "a,b|c"}, {**GO, "tags": ["a,b", "c"]}),
        (SplitList("tags"), {**GO, "tags": '["a,b"]'}, {**GO, "tags": ["a,b"]}),
        (MapValue("button", {"primary": "left", 2: "right"}), {**GO, "button": "primary"}, {**GO, "button": "left"}),
        (MapValue("button", {"primary": "left", 2: "right"}), {**GO, "button": 2}, {**GO, "button": "right"}),
        (
            MapValue("items.size", {"big": "m"}),
            {**GO, "items": [{"sku": "a", "size": "big"}]},
            {**GO, "items": [{"sku": "a", "size": "m"}]},
        ),
    ],
    ids=str,
)
def test_a_declared_rule_does_what_it_says(mended: Mend, rule: RepairRule, given: JsonValue, wanted: JsonValue) -> None:
    """What the author knows is applied, in inner objects too."""
    assert mended(TOOL, given, rules=[rule]) == wanted


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        (RenameKey("element", to="selector"), {"element": "#go", "selector": "#stop"}),
        (RenameKey("element", to="selector"), {"elements": "#go", "text": "x", "other": "y"}),
        (RenameKey("element", to="text"), {"item": {"sku": "a", "element": "x"}, **GO}),
        (BareString("selector"), '{"selector": "#go'),
        (BareString("selector"), '["#go"'),
        (BareString("selector"), ""),
        (JsonText("text"), {**GO, "text": None, "selector": None}),
        (DropKey("session"), {**GO, "sessions": 1}),
        (DropKey("session"), {**GO, "item": {"sku": "a", "session": 1}}),
        (SplitList("tags"), {**GO, "tags": '["a'}),
        (SplitList("tags"), {**GO, "text": ["a", "b"]}),
        (MapValue("button", {"primary": "left", 1: "right"}), {**GO, "button": "Primary"}),
        (MapValue("button", {"primary": "left", 1: "right"}), {**GO, "button": True}),
    ],
    ids=str,
)
def test_and_nothing_else(mended: Mend, rule: RepairRule, given: JsonValue) -> None:
    """Another key, another place or another value is not its business."""
    assert mended(TOOL, given, rules=[rule]) is ERROR


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (RenameKey("element", to="target"), "there is no field 'target'; known fields: selector, text"),
        (RenameKey("text", to="selector"), "'text' is a field of the tool itself"),
        (RenameKey("id", to="item.id"), "there is no field 'item.id'; known fields: sku, size"),
        (RenameKey("size", to="items.sku"), "'size' is a field of the tool itself"),
        (BareString("target"), "there is no field 'target'"),
        (BareString("item"), "takes no string"),
        (JsonText("item"), "takes no string"),
        (JsonText("items.size.x"), "there is no field 'items.size.x'; known fields: none"),
        (DropKey("selector"), "'selector' is a field of the tool itself"),
        (DropKey("place.id"), "there is no field 'place'"),
        (SplitList("text"), "takes no array"),
        (SplitList("tags", separator=""), "the separator must not be empty"),
        (MapValue("button", {"primary": "middle"}), 'the field is one of "left", "right", never "middle"'),
        (MapValue("color", {"a": "b"}), "there is no field 'color'"),
    ],
    ids=str,
)
def test_a_rule_that_does_not_fit_is_refused_at_definition(rule: RepairRule, message: str) -> None:
    """The author is told the rule, the field and the known fields."""
    with pytest.raises(RuleMismatchError) as caught:
        Mender(compile_schema(TOOL), rules=[rule])
    assert message in str(caught.value)
    assert type(rule).__name__ in str(caught.value)


def test_declared_rules_come_first_and_count_as_lossless() -> None:
    """What the author decided is not inferred."""
    mender = Mender(compile_schema(TOOL), rules=[RenameKey("element", to="selector")], policy=LOSSLESS)
    mended = mender.mend({"element": "#go"})
    [repair] = mended.repairs
    assert (repair.rule, repair.kind, repair.path) == ("rename-key", "lossless", ("element",))
    assert (repair.before, repair.after) == ("element", "selector")


def test_a_mender_knows_the_spellings_of_its_rules() -> None:
    """The reader of text asks for them."""
    rules: list[RepairRule] = [
        RenameKey("element", to="selector"),
        RenameKey("id", to="items.sku"),
        BareString("selector"),
    ]
    mender = Mender(compile_schema(TOOL), rules=rules)
    assert mender.aliases == {"element": "selector", "id": "sku"}
    assert mender.bare_text
    assert not Mender(compile_schema(TOOL)).bare_text


def test_any_function_is_a_rule() -> None:
    """A function that takes a violation and offers candidates; its name is the one in the records."""

    def metres(violation: Violation) -> Iterator[Candidate]:
        if isinstance(violation.value, str) and violation.value.endswith(" m"):
            yield Candidate(float(violation.value[:-2]))

    schema = compile_schema({"type": "object", "properties": {"height": {"type": "number"}}})
    mended = Mender(schema, rules=[metres]).mend({"height": "2.5 m"})
    assert mended.value == {"height": 2.5}
    assert [repair.rule for repair in mended.repairs] == ["metres"]


def test_what_a_rule_offers_is_mended_and_judged_in_turn() -> None:
    """A candidate may need repairs of its own, and one that does not fit is none."""

    def opened(violation: Violation) -> list[Candidate]:
        return (
            [Candidate({"sku": 7}), Candidate(float("nan")), Candidate({"sku": {1, 2}})]
            if violation.value == "x"
            else []
        )

    mender = Mender(compile_schema(TOOL), rules=[opened])
    assert mender.mend({**GO, "item": "x"}).value == {**GO, "item": {"sku": "7"}}


def test_rules_that_disagree_are_an_error() -> None:
    """Two results that are equally safe are no choice of ours, be they the author's."""

    def first(violation: Violation) -> list[Candidate]:
        return [Candidate({"selector": "#a"})] if violation.keyword == "required" else []

    def second(violation: Violation) -> list[Candidate]:
        return [Candidate({"selector": "#b"})] if violation.keyword == "required" else []

    assert Mender(compile_schema(TOOL), rules=[first, first]).mend({}).value == {"selector": "#a"}
    with pytest.raises(RepairError, match="first and second disagree about it"):
        Mender(compile_schema(TOOL), rules=[first, second]).mend({})


def test_single_values_on_which_rules_disagree_are_an_error() -> None:
    """The same holds for a value that is replaced."""

    def left(violation: Violation) -> list[Candidate]:
        return [Candidate("left")] if violation.keyword == "enum" else []

    def right(violation: Violation) -> list[Candidate]:
        return [Candidate("right")] if violation.keyword == "enum" else []

    with pytest.raises(AmbiguousError):
        Mender(compile_schema(TOOL), rules=[left, right]).mend({**GO, "button": "main"})


def test_a_rule_may_lose_only_with_leave() -> None:
    """A lossy candidate is refused unless the policy allows its rule, whoever wrote it."""

    def rounded(violation: Violation) -> list[Candidate]:
        return [Candidate(round(violation.value), "lossy")] if isinstance(violation.value, float) else []

    schema = compile_schema({"type": "object", "properties": {"count": {"type": "integer"}}})
    with pytest.raises(RepairError) as caught:
        Mender(schema, rules=[rounded]).mend({"count": 2.7})
    assert [refusal.rule for refusal in caught.value.refused] == ["rounded"]
    policy = Mender(schema).policy.allowing("rounded")
    assert Mender(schema, rules=[rounded], policy=policy).mend({"count": 2.7}).value == {"count": 3}
