from __future__ import annotations

import datetime as dt
import decimal
import enum
import pathlib
import uuid
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from toolmend.toolkit.message import ToolMessage
from toolmend.toolkit.outcome import CallError, ToolCall
from toolmend.toolkit.pipeline import parse_arguments
from toolmend.toolkit.spec import ToolSpec, compile_class


class Level(enum.Enum):
    low = 1
    high = 2


class Inner(BaseModel):
    a: int


class Loose(BaseModel):
    model_config = ConfigDict(extra="ignore")
    a: int


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Rich(ToolMessage, name="rich"):
    when: dt.datetime | None = None
    day: dt.date | None = None
    key: uuid.UUID | None = None
    path: pathlib.Path | None = None
    price: decimal.Decimal | None = None
    pair: tuple[int, str] | None = None
    tags: set[str] = Field(default_factory=set)
    level: Level | None = None
    one: Literal[1] | None = None
    inner: Inner | None = None
    loose: Loose | None = None
    open: Open | None = None
    pattern: str = Field("abc", pattern=r"^[a-z]+$")
    share: float = Field(0.5, ge=0, le=1)
    anything: Any = None


RICH = compile_class(Rich)


def made(spec: ToolSpec, text: str) -> ToolCall:
    call = parse_arguments(spec, text)
    assert isinstance(call, ToolCall), call.message
    return call


def refused(spec: ToolSpec, text: str) -> CallError:
    call = parse_arguments(spec, text)
    assert isinstance(call, CallError), call
    return call


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ('{"when": "2024-05-01T10:00:00"}', "when", dt.datetime(2024, 5, 1, 10)),  # noqa: DTZ001 - naive on purpose
        ('{"day": "2024-05-01"}', "day", dt.date(2024, 5, 1)),
        ('{"key": "12345678123456781234567812345678"}', "key", uuid.UUID("12345678123456781234567812345678")),
        ('{"path": "a/b"}', "path", pathlib.Path("a/b")),
        ('{"price": "1.50"}', "price", decimal.Decimal("1.50")),
        ('{"price": 1}', "price", decimal.Decimal(1)),
        ('{"pair": [1, "a"]}', "pair", (1, "a")),
        ('{"tags": ["b", "a"]}', "tags", {"a", "b"}),
        ('{"level": 2}', "level", Level.high),
        ('{"loose": {"a": 1, "b": 2}}', "loose", Loose(a=1)),
        ('{"open": {"a": 1, "b": 2}}', "open", Open(a=1, b=2)),
        ('{"share": 1}', "share", 1.0),
        ('{"anything": {"x": [1.5, null]}}', "anything", {"x": [1.5, None]}),
    ],
)
def test_types_of_python_are_made_of_what_json_can_say(text: str, field: str, value: object) -> None:
    """Valid text is no repair, and the arguments stay JSON values."""
    call = made(RICH, text)
    assert getattr(call.message, field) == value
    assert call.repairs == ()


def test_mended_values_become_types_of_python_too() -> None:
    """A mended value is validated as if the model had written it."""
    call = made(RICH, "{'day': '2024-05-01', 'pair': [\"1\", 'a'],}")
    assert (call.message.day, call.message.pair) == (dt.date(2024, 5, 1), (1, "a"))
    assert call.arguments == {"day": "2024-05-01", "pair": [1, "a"]}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('{"one": true}', ("one",)),
        ('{"level": true}', ("level",)),
        ('{"tags": ["a", "a"]}', ("tags", 1)),
        ('{"inner": {"a": 1, "b": 2}}', ("inner", "b")),
        ('{"pattern": "A1"}', ("pattern",)),
        ('{"share": 1.5}', ("share",)),
        ('{"day": "2024-02-31"}', ("day",)),
        ('{"key": "nope"}', ("key",)),
        ('{"price": "much"}', ("price",)),
        ('{"anything": NaN}', ()),
        ('{"anything": 1e999}', ()),
    ],
)
def test_where_pydantic_is_laxer_the_schema_decides_and_the_other_way_round(
    text: str, path: tuple[str | int, ...]
) -> None:
    """Both have to accept a value; the error names the place."""
    found = refused(RICH, text)
    assert found.kind in ("invalid_arguments", "not_json")
    assert found.path == path


def test_a_whole_float_for_a_literal_is_mended_on_record() -> None:
    """Pydantic alone would take it silently."""
    call = made(RICH, '{"one": 1.0}')
    assert repr(call.arguments) == "{'one': 1}"
    assert [repair.rule for repair in call.repairs] == ["integral-number"]


def split(value: object) -> object:
    return value.split(",") if isinstance(value, str) else value


class Listed(ToolMessage, name="listed"):
    """A class that reads more than its schema tells."""

    names: Annotated[list[str], BeforeValidator(split)]
    level: Literal[1, 2] = 1
    inner: Inner | None = None

    @model_validator(mode="before")
    @classmethod
    def old_key(cls, data: dict[str, object]) -> dict[str, object]:
        return {("names" if key == "people" else key): value for key, value in data.items()}


class Renaming(ToolMessage, name="renaming"):
    model_config = ConfigDict(validate_by_name=True)
    from_: str = Field(alias="from")


LISTED = compile_class(Listed)


@pytest.mark.parametrize("text", ['{"names": "a,b"}', '{"names": "a,b",}', '{"people": ["a", "b"]}'])
def test_what_the_class_reads_itself_is_valid(text: str) -> None:
    """A validator that runs before pydantic's is the author's decision, in mended text too."""
    assert made(LISTED, text).message.names == ["a", "b"]


@pytest.mark.parametrize("text", ['{"names": "a", "level": true}', '{"names": "a", "inner": {"a": 1, "b": 2}}'])
def test_a_class_that_reads_more_is_no_licence(text: str) -> None:
    """What pydantic would take or drop silently is refused all the same."""
    assert refused(LISTED, text).kind == "invalid_arguments"


def test_an_alias_and_its_field_may_both_be_taken() -> None:
    """If the class says so."""
    spec = compile_class(Renaming)
    assert made(spec, '{"from": "a"}').message.from_ == "a"
    assert made(spec, '{"from_": "a"}').message.from_ == "a"


class Aliased(ToolMessage, name="aliased"):
    schema_: str = Field(alias="schema")

    @classmethod
    def examples(cls) -> list[Aliased]:
        return [cls(schema="x")]


def test_a_parameter_may_have_a_name_that_pydantic_uses_itself() -> None:
    """By its alias, which is all that the model sees."""
    spec = compile_class(Aliased)
    assert list(spec.parameters["properties"]) == ["schema"]
    assert spec.examples[0].arguments == {"schema": "x"}
    call = made(spec, '{"Schema": "a"}')
    assert (call.arguments, call.message.schema_) == ({"schema": "a"}, "a")
    assert refused(spec, '{"schema": {}}').path == ("schema",)


class Choosy(ToolMessage, name="choosy"):
    items: list[Annotated[int, AfterValidator(lambda value: value)]] = Field(default_factory=list)
    inner: Inner | None = None

    @field_validator("items")
    @classmethod
    def few(cls, items: list[int]) -> list[int]:
        if len(items) > 2:
            raise PydanticCustomError("too_many", "at most {most} items", {"most": 2})
        return items

    @model_validator(mode="after")
    def not_both(self) -> Choosy:
        if self.items and self.inner:
            raise ValueError("items and inner exclude one another")
        return self


def test_what_a_validator_refuses_is_told_in_its_words() -> None:
    """Also with an error type of its own, and for the whole object."""
    spec = compile_class(Choosy)
    found = refused(spec, '{"items": [1, 2, 3]}')
    assert (found.kind, found.path, found.problems[0].message) == ("refused_by_tool", ("items",), "at most 2 items")
    found = refused(spec, '{"items": [1], "inner": {"a": 1}}')
    assert (found.kind, found.path) == ("refused_by_tool", ())
    assert found.problems[0].message == "items and inner exclude one another"


def test_a_class_is_validated_once() -> None:
    """Validators may have effects: a refused call is not tried twice."""
    ran = []

    class Counted(ToolMessage, name="counted"):
        number: int

        @field_validator("number")
        @classmethod
        def count(cls, number: int) -> int:
            ran.append(number)
            raise ValueError("no")

    refused(compile_class(Counted), '{"number": 1}')
    assert ran == [1]


@pytest.mark.parametrize("text", ['{"price": 12345678901234567890.123456789}', "{'price': 100000000000000000000.5}"])
def test_a_decimal_number_is_never_rounded(text: str) -> None:
    """A float cannot hold all its digits, and pydantic would not say so."""
    found = refused(RICH, text)
    assert found.kind == "invalid_arguments"
    assert "send it as text" in found.message


@pytest.mark.parametrize("number", ["1.10", "0.1000000000000000", "0.1234567890123456", "-1e30"])
def test_a_decimal_number_that_a_float_holds_is_kept(number: str) -> None:
    """Zeros at the end, exponents and signs are no digits too many."""
    assert made(RICH, f'{{"price": {number}}}').message.price == decimal.Decimal(number)


def test_a_float_may_have_as_many_digits_as_it_likes() -> None:
    """Whoever declares a float gets the nearest one."""
    assert made(RICH, '{"share": 0.12345678901234567890123, "price": 0.5}').message.share == 0.12345678901234568


@pytest.mark.parametrize("field", ["when", "day"])
@pytest.mark.parametrize("value", ["2024", '"2024"', '"20240101"', "0", "1700000000.5", '"-5"'])
def test_a_mere_number_is_no_time(field: str, value: str) -> None:
    """Pydantic takes it for seconds since 1970."""
    assert refused(RICH, f'{{"{field}": {value}}}').kind == "invalid_arguments"


class Due(ToolMessage, name="due"):
    when: dt.datetime
    until: dt.datetime | None = None
    names: Annotated[list[str], BeforeValidator(split)] = Field(default_factory=list)


@pytest.mark.parametrize("text", ['{"when": "2024"}', '{"when": "2024-05-01", "until": "2024"}', '"2024"'])
def test_a_mere_number_is_no_time_for_a_class_that_reads_more_either(text: str) -> None:
    """Validators of other fields are no licence."""
    assert refused(compile_class(Due), text).kind == "invalid_arguments"


def test_a_key_that_a_class_allows_is_not_taken_for_another() -> None:
    """A class with `extra="allow"` keeps what it does not know, so nothing tells that the key is a wrong one."""
    found = refused(RICH, '{"open": {"b": 5}}')
    assert [problem.path for problem in found.problems] == [("open", "a")]
