from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from toolmend.repairs import BareString
from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import AmbiguousError, CutOffError, LimitError, NotJsonError, RepairError
from toolmend.repairs.policy import DEFAULT, LOSSLESS, STRICT, Limits, RepairPolicy
from toolmend.repairs.record import JsonValue, Mended
from toolmend.repairs.schema import compile_schema
from toolmend.repairs.text.ladder import MAX_READINGS, mend_text

Mend = Callable[..., Mended]
ValueOf = Callable[..., JsonValue]

WEATHER = "city:text days?:whole"
OSLO = {"city": "Oslo"}


# ---------------------------------------------------------------------- the steps


def test_strict_json_takes_the_first_step(mend: Mend) -> None:
    """The value comes back without a record."""
    mended = mend('{"city": "Oslo", "days": 3}', WEATHER)
    assert mended.value == {"city": "Oslo", "days": 3}
    assert mended.repairs == ()


def test_repairs_are_in_the_order_in_which_they_were_made(mend: Mend) -> None:
    """Wrappers first, then what stands between tokens, then what rules did to the value."""
    rules = [repair.rule for repair in mend("```json\n{'City': 'Oslo', days: \"3\",}\n```", WEATHER).repairs]
    assert rules[0] == "fence"
    assert rules.index("quote-style") < rules.index("bare-key") < rules.index("extra-comma")
    assert rules.index("extra-comma") < rules.index("key-spelling")


def test_spans_are_counted_from_the_start_of_the_raw_text(mend: Mend) -> None:
    """Also where wrappers stand in front; not where the text was decoded."""
    text = "```json\nargs = {city: 'Oslo'}\n```"
    spans = {repair.rule: repair.span for repair in mend(text, WEATHER).repairs}
    bare_key, quotes = spans["bare-key"], spans["quote-style"]
    assert bare_key is not None
    assert quotes is not None
    assert text[slice(*bare_key)] == "city"
    assert text[slice(*quotes)] == "'Oslo'"
    assert all(repair.span is None for repair in mend(json.dumps("{city: 'Oslo'}"), WEATHER).repairs)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {}),
        ("   \n", {}),
        ("null", {}),
        ('""', {}),
        ("[]", {}),
        ("{}", {}),
        ("```\nnull\n```", {}),
        *(
            (text, None)
            for text in ("{", "}", "[", "nul", "None", "...", "N/A", '""}', "()", "[,]", "''", "0", "false")
        ),
    ],
)
def test_empty_arguments_for_a_tool_that_needs_none(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """No text and JSON's own nothings are no arguments; anything else that is empty is an error."""
    assert value_of(text, "verbose?:flag") == value


@pytest.mark.parametrize("text", ["", "null", '""', "[]", "{}", "{"])
def test_empty_arguments_are_never_filled_in(text: str, value_of: ValueOf) -> None:
    """With a required field they are an error."""
    assert value_of(text, WEATHER) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('[{"city": "Oslo"}]', OSLO),
        ('[{"city": "Oslo"},]', OSLO),
        ('[{"city": "Oslo"}, {"city": "Oslo"}]', OSLO),
        ('[{"city": "Oslo"}, {"city": "Rome"}]', None),
        ('[["city", "Oslo"]]', None),
        ("[Oslo]", None),
        ('[{"city": "Oslo"}, "x"]', None),
    ],
)
def test_a_list_around_the_object(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """One object is unwrapped; several are an error."""
    assert value_of(text, WEATHER) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"red shoes"', {"query": "red shoes"}),
        ("'red shoes'", {"query": "red shoes"}),
        ("red shoes", None),
        ('"{query: x"', None),
        ('"query"', None),
        ('"red {shoes}', None),
        ("5", None),
    ],
)
def test_a_quoted_string_for_the_one_field(text: str, value: JsonValue, value_of: ValueOf) -> None:
    """Text that looks like broken JSON is no plain text, nor are words without quotes."""
    assert value_of(text, "query:text") == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("red shoes, size 9", {"query": "red shoes, size 9"}),
        ('who said "hi"?', {"query": 'who said "hi"?'}),
        ('{"query": "x"}', {"query": "x"}),
        ('Sure: {"query": "x"}', {"query": "x"}),
        ('{"query": "x', None),
        ('"red shoes', None),
    ],
)
def test_bare_text_where_the_tool_declares_it(text: str, value: JsonValue, mend: Mend) -> None:
    """It counts only if nothing in it looks like JSON."""
    try:
        got = mend(text, "query:text", rules=[BareString("query")]).value
    except RepairError:
        got = None
    assert got == value


def test_a_bare_number_may_be_cut(mend: Mend) -> None:
    """Digits may be missing, unless the model is known to have stopped by itself."""
    with pytest.raises(CutOffError, match="digits"):
        mend("5", "n:whole")
    assert mend("5", "n:whole", complete=True).value == {"n": 5}


def test_other_values_than_objects_may_be_wanted() -> None:
    """A schema may want a list or a string."""
    numbers = Mender(compile_schema({"type": "array", "items": {"type": "integer"}}))
    assert mend_text("[1, 2, 0x3,]", numbers).value == [1, 2, 3]
    assert mend_text("[]", numbers).value == []
    text = Mender(compile_schema({"type": "string"}))
    assert mend_text('"{\\"a\\": 1}"', text).value == '{"a": 1}'


def test_arguments_are_decoded_twice_at_most(mend: Mend) -> None:
    """A third level is an error."""
    text = json.dumps(OSLO)
    for _ in range(2):
        text = json.dumps(text)
        assert mend(text, WEATHER).value == OSLO
    with pytest.raises(NotJsonError, match="more than twice"):
        mend(json.dumps(text), WEATHER)


def test_faults_within_an_encoding_are_mended(mend: Mend) -> None:
    """What is decoded takes all steps again."""
    assert mend(json.dumps("```json\n{'city': 'Oslo',}\n```"), WEATHER).value == OSLO


# ---------------------------------------------------------------------- several readings


def test_readings_that_differ_and_validate_are_an_error(mend: Mend) -> None:
    """Where brackets leave two valid values, neither is taken."""
    with pytest.raises(RepairError, match=r"more than one way|one too many"):
        mend('{"x": [[1}, 2]}', "x:any")


def test_the_schema_decides_between_readings(mend: Mend) -> None:
    """A reading that does not validate is none."""
    assert mend('{"x": [[1}, [2]]}', "x:rows").value == {"x": [[1], [2]]}


def test_brackets_wrong_in_too_many_places_are_an_error(mend: Mend) -> None:
    """More ways than can be compared."""
    with pytest.raises(RepairError, match=r"too many places|one too many"):
        mend('{"x": [' + ", ".join(["[1}"] * MAX_READINGS) + ", [2]]}", "x:rows")


def test_two_guesses_are_none(mend: Mend) -> None:
    """Where strings end by the keys that are known, no key may be guessed; where brackets were wrong, no list."""
    assert mend('{"label": "say "hi""}', "label:text").value == {"label": 'say "hi"'}
    assert mend('{"lable": "hi"}', "label:text").value == {"label": "hi"}
    with pytest.raises(RepairError):
        mend('{"lable": "say "hi""}', "label:text")
    with pytest.raises(RepairError):
        mend('{"label": ["x"], "tags": "a"]]}', "label:text tags:texts")


# ---------------------------------------------------------------------- policies

FAULTS = (
    ("{'city': 'Oslo'}", "lossless"),
    ('{"city": "Oslo",}', "lossless"),
    ("```\n{}\n```".format('{"city": "Oslo"}'), "lossless"),
    ('"{\\"city\\": \\"Oslo\\"}"', "lossless"),
    ('[{"city": "Oslo"}]', "lossless"),
    ('{"city": "a\nb"}', "lossless"),
    ('{"city": "Oslo", "city": "Oslo"}', "lossless"),
    ('{"city": "say "hi""}', "inferred"),
    ('{"city: "Oslo"}', "inferred"),
    ('{"city": "Oslo", "days": 3]', "inferred"),
)


@pytest.mark.parametrize(("text", "kind"), FAULTS)
def test_a_narrow_policy_refuses_what_it_does_not_allow(text: str, kind: str, mend: Mend) -> None:
    """Nothing is mended under `STRICT`, and nothing is inferred under `LOSSLESS`."""
    assert mend(text, WEATHER).repairs
    with pytest.raises(RepairError):
        mend(text, WEATHER, policy=STRICT)
    if kind == "inferred":
        with pytest.raises(NotJsonError, match="not allowed here") as caught:
            mend(text, WEATHER, policy=LOSSLESS)
        assert caught.value.refused
    else:
        assert mend(text, WEATHER, policy=LOSSLESS).repairs


def test_strict_policies_tell_where_the_text_is_no_json(mend: Mend) -> None:
    """The place is that of the first fault."""
    with pytest.raises(NotJsonError, match="not strict JSON") as caught:
        mend('{"city":\n "Oslo",}', WEATHER, policy=STRICT)
    assert (caught.value.line, caught.value.column) in {(2, 8), (2, 9)}


def test_strict_policies_take_no_empty_arguments(mend: Mend) -> None:
    """An empty object must be written."""
    for text in ("", "null", "[]"):
        with pytest.raises(RepairError):
            mend(text, "v?:flag", policy=STRICT)
    assert mend("{}", "v?:flag", policy=STRICT).value == {}


def test_rules_are_allowed_and_denied_by_name(mend: Mend) -> None:
    """One rule more or less."""
    assert mend('{"city": "Oslo",}', WEATHER, policy=STRICT.allowing("extra-comma")).value == OSLO
    with pytest.raises(NotJsonError, match="extra-comma"):
        mend('{"city": "Oslo",}', WEATHER, policy=DEFAULT.denying("extra-comma"))


# ---------------------------------------------------------------------- limits and errors


@pytest.mark.parametrize(
    ("limits", "text", "kind"),
    [
        (Limits(strict_chars=10), '{"city": "Oslo"}', "too_large"),
        (Limits(lenient_chars=10), '{"city": "Oslo",}', "too_large"),
        (Limits(depth=3), "[" * 4 + "]" * 4, "too_deep"),
        (Limits(steps_per_char=0), "{" + '"city": "Oslo",' * 50 + "}", "too_large"),
    ],
)
def test_limits_are_errors(limits: Limits, text: str, kind: str, mend: Mend) -> None:
    """Length, nesting and work are bounded, each with a kind."""
    with pytest.raises(LimitError) as caught:
        mend(text, WEATHER, policy=RepairPolicy(limits=limits))
    assert caught.value.kind == kind


def test_records_are_counted_beyond_a_hundred(mend: Mend) -> None:
    """The rest is one record that tells their number."""
    text = '{"tags": [' + "'x'," * 300 + "]}"
    repairs = mend(text, "tags:texts").repairs
    assert len(repairs) <= 301
    assert len(mend(text, "tags:texts").value["tags"]) == 300


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"city": "Os', CutOffError),
        ('{"city": }', NotJsonError),
        ('{"city": NaN}', NotJsonError),
        ('{"city": "a"}{"city": "b"}', AmbiguousError),
        ("words only", NotJsonError),
    ],
)
def test_errors_have_a_kind_and_say_what_was_expected(text: str, error: type[RepairError], mend: Mend) -> None:
    """A model can act on them."""
    with pytest.raises(error) as caught:
        mend(text, WEATHER)
    assert caught.value.kind == error.default_kind
    assert caught.value.expected


@pytest.mark.parametrize(
    "text", ['{"city": "Oslo"', '{"city": "Oslo", "days": 3', '{"city": "O', '{"days": [1}', "{city: Oslo"]
)
def test_output_that_was_cut_off_is_never_mended(text: str, mend: Mend) -> None:
    """Not even if it could be closed."""
    with pytest.raises(RepairError):
        mend(text, WEATHER, complete=False)


def test_whole_output_may_be_mended_whatever_ended_it(mend: Mend) -> None:
    """A length limit behind the object does no harm."""
    assert mend('{"city": "Oslo",}', WEATHER, complete=False).value == OSLO
