from __future__ import annotations

import json
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, create_model, field_validator

from toolmend.toolkit import ToolRegistry
from toolmend.toolkit.dispatch_guard import Raised
from toolmend.toolkit.spec import ToolSpec


class Colour(Enum):
    RED = "red"
    DARK = "dark"


class Point(BaseModel):
    x: int
    y: float = 0.0


class Tree(BaseModel):
    kids: list[Tree] = []


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")


class Cat(BaseModel):
    kind: Literal["cat"]


class Dog(BaseModel):
    kind: Literal["dog"]


class Full(BaseModel):
    """Every kind of place that agrees."""

    text: Annotated[str, Field(min_length=1, pattern="^[a-z]")]
    count: Annotated[int, Field(ge=0)]
    ratio: float
    flag: bool = False
    maybe: int | None = None
    either: int | str | list[bool] = 0
    choice: Literal["a", "b"] = "a"
    colour: Colour = Colour.RED
    points: Annotated[list[Point], Field(max_length=3)] = []
    table: dict[str, Point | None] = {}
    made: list[str] = Field(default_factory=list)
    open: int | str | None = None

    @field_validator("count")
    @classmethod
    def _even(cls, value: int) -> int:
        if value % 2:
            raise ValueError("must be even")
        return value


def _spec(tool: type[BaseModel]) -> ToolSpec:
    return next(iter(ToolRegistry([tool])))


def _with(kind: object, **config: object) -> type[BaseModel]:
    return create_model(
        "made", __config__=cast("ConfigDict", config) if config else None, field=(cast("type", kind), ...)
    )


def test_ordinary_classes_decide_alone() -> None:
    """Texts, numbers, choices, lists, maps and nested classes, optional or not, with validators behind them."""
    assert _spec(Full).decider is not None


def test_the_parameters_of_a_function_decide_alone() -> None:
    """A function's parameters are a typed dict, its descriptions no demands."""

    def move(to: str, steps: int = 1, *, over: list[str] | None = None) -> None:
        """Move.

        Args:
            to: where.
            steps: how often.
            over: what is passed.
        """

    assert next(iter(ToolRegistry([move]))).decider is not None


@pytest.mark.parametrize(
    "kind",
    [
        Any,
        Literal[1],
        Literal["a", True],
        Decimal,
        set[int],
        tuple[int, str],
        Tree,
        Loose,
        list[Any],
        dict[str, Any],
        dict[int, str],
        Annotated[Cat | Dog, Field(discriminator="kind")],
        Annotated[str, Field(json_schema_extra={"format": "date"})],
        Annotated[str, Field(json_schema_extra={"enum": ["a"]})],
        Annotated[int, Field(strict=False)],
        Annotated[int, Field(validation_alias=AliasChoices("one", "two"))],
    ],
)
def test_what_is_not_known_to_agree_is_asked_of_both(kind: object) -> None:
    """Where pydantic takes more than the schema tells, or asks what is not compared, the schema is asked, too."""
    assert _spec(_with(kind)).decider is None


@pytest.mark.parametrize("config", [{"strict": False}, {"extra": "ignore"}, {"validate_by_name": True}])
def test_settings_that_loosen_a_class_are_seen(config: dict[str, object]) -> None:
    """A class that takes more by its settings does not decide alone."""
    assert _spec(_with(str, **config)).decider is None


def test_nesting_beyond_the_limit_is_asked_of_both() -> None:
    """A class whose own depth may break the policy's limit does not decide alone."""
    kind: Any = int
    for _ in range(110):
        kind = list[kind]
    assert _spec(_with(kind)).decider is None


SPEC = _spec(Full)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([1.0, 2.5, "a", "b", "red", "zz", "", "Z"]),
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(st.sampled_from(["x", "y", "z"]), inside, max_size=3),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries({"text": _VALUES, "count": _VALUES, "ratio": _VALUES}),
    st.dictionaries(st.sampled_from([*Full.model_fields, "unknown"]), _VALUES, max_size=4),
)
def test_what_a_class_takes_fits_its_schema(required: dict[str, Any], more: dict[str, Any]) -> None:
    """Whatever a deciding class takes, the walk finds nothing wrong with."""
    good = {"text": "a", "count": 2, "ratio": 1.5}
    for value in ({**required, **more}, {**good, **more}):
        assert SPEC.decider is not None
        if not isinstance(SPEC.decider.take(json.dumps(value)), Raised):
            assert not SPEC.mender.check(value)
