from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import pytest
from pydantic import Field

from toolmend.repairs.policy import LOSSLESS
from toolmend.repairs.rule import Candidate, Violation
from toolmend.toolkit.errors import ToolDefinitionError
from toolmend.toolkit.message import Example, ToolMessage, check_name, options_of, read_rules, snake_case


def rule(violation: Violation) -> Iterable[Candidate]:
    """A rule that never has anything to offer."""
    return ()


class Fill(ToolMessage, name="fill", repairs=[rule], policy=LOSSLESS, timeout=2.5, sequential=True):
    """Type text into a field.

    Twice if need be.
    """

    name: str
    description: str = ""
    request: str = "post it"


class Renamed(Fill):
    other: int


class Stated(ToolMessage):
    request: ClassVar[str] = "stated"
    purpose: ClassVar[str] = "Say how it is."
    name: str = "Ann Lee"


class Shown(ToolMessage, name="shown"):
    number: int
    note: str = "none"

    @classmethod
    def examples(cls) -> list[object]:
        return [cls(number=1), ("show two", cls(number=2)), {"number": 3}, ("show four", {"number": 4})]


class HTMLFormFill(ToolMessage):
    """A tool without a stated name."""


def test_what_the_class_states_stands_beside_its_fields() -> None:
    """Keywords of the class are kept, and parameters may have the same names."""
    options = options_of(Fill)
    assert (options.name, options.repairs, options.policy) == ("fill", (rule,), LOSSLESS)
    assert (options.timeout, options.sequential) == (2.5, True)
    assert options.description == "Type text into a field.\n\nTwice if need be."
    assert list(Fill.model_fields) == ["name", "description", "request"]


def test_the_base_has_no_attribute_that_a_parameter_could_shadow() -> None:
    """All that `ToolMessage` adds to a pydantic class are names that no parameter has."""
    from pydantic import BaseModel

    added = set(dir(ToolMessage)) - set(dir(BaseModel))
    assert {name for name in added if not name.startswith("_")} == set()


def test_rules_and_policy_are_inherited_name_and_description_are_not() -> None:
    """A class derived from a tool is another tool."""
    options = options_of(Renamed)
    assert (options.name, options.description, options.examples) == ("renamed", "", ())
    assert (options.repairs, options.policy, options.timeout, options.sequential) == ((rule,), LOSSLESS, 2.5, True)


def test_class_variables_state_the_same() -> None:
    """`request` and `purpose` are read for name and description."""
    options = options_of(Stated)
    assert (options.name, options.description) == ("stated", "Say how it is.")


def test_examples_may_be_dicts_instances_and_pairs() -> None:
    """Each becomes arguments, with what the user said; what an instance did not set is left out."""
    assert options_of(Shown).examples == (
        Example({"number": 1}),
        Example({"number": 2}, "show two"),
        Example({"number": 3}),
        Example({"number": 4}, "show four"),
    )


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Fill", "fill"),
        ("HTMLFormFill", "html_form_fill"),
        ("get_weather", "get_weather"),
        ("Add2Numbers", "add2_numbers"),
    ],
)
def test_a_class_without_a_name_is_called_by_its_own_in_snake_case(name: str, wanted: str) -> None:
    """The name of the class, as a name of a tool is written."""
    assert snake_case(name) == wanted


def test_the_derived_name_is_used() -> None:
    """A class that states no name has one all the same."""
    assert options_of(HTMLFormFill).name == "html_form_fill"


@pytest.mark.parametrize("name", ["", "a b", "x/y", "näh", "a" * 65, None, 3, "<lambda>"])
def test_a_name_that_no_provider_takes_is_refused(name: object) -> None:
    """The message says what a name may be."""
    with pytest.raises(ToolDefinitionError, match="1 to 64 ASCII letters"):
        check_name(name, "X")


def test_a_bad_name_is_refused_where_the_class_is_defined() -> None:
    """The error comes at the class statement, and names the class."""
    with pytest.raises(ToolDefinitionError, match="tool Wrong: 'a b' cannot be"):

        class Wrong(ToolMessage, name="a b"):
            pass


def test_no_name_possible_is_an_error_when_the_tool_is_used() -> None:
    """A class whose own name cannot be one needs a stated one."""

    class Größe(ToolMessage):  # noqa: PLC2401
        pass

    with pytest.raises(ToolDefinitionError, match="state one"):
        options_of(Größe)


@pytest.mark.parametrize("field", ["request", "name"])
def test_a_name_declared_as_a_field_is_an_error_with_a_hint(field: str) -> None:
    """The model would be asked to fill it in."""
    namespace = {"__annotations__": {field: str}, field: "fill", "__module__": __name__}
    with pytest.raises(ToolDefinitionError, match=rf"field `{field}`.*name=\"fill\""):
        type("Fill2", (ToolMessage,), namespace)


def test_a_field_called_request_is_a_parameter_beside_a_stated_name() -> None:
    """Who states the name means the field."""

    class Send(ToolMessage, name="send"):
        request: str = "ping"

    assert options_of(Send).name == "send"
    assert Send.model_fields["request"].default == "ping"


def test_a_required_field_called_request_is_a_parameter() -> None:
    """Without a default it cannot have been meant as the name."""

    class Send(ToolMessage):
        request: str
        name: str = Field(description="who")

    assert options_of(Send).name == "send"


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"nme": "x"}, "no keyword nme is known; there are name, description"),
        ({"repairs": "x"}, "'x' is no repair rule"),
        ({"repairs": 3}, "3 is no repair rule"),
        ({"repairs": [int]}, "<class 'int'> is no repair rule"),
        ({"examples": [3]}, "the example 3 is neither arguments nor an instance"),
        ({"timeout": 0}, "timeout must be a number of seconds above 0, got 0"),
        ({"timeout": "1"}, "timeout must be a number of seconds above 0, got '1'"),
        ({"policy": "lax"}, "policy must be a RepairPolicy, or one of 'strict', 'lossless', 'default'; got 'lax'"),
        ({"description": 3}, "description must be text, got 3"),
    ],
)
def test_a_wrong_keyword_is_an_error_that_names_it(keywords: dict[str, Any], said: str) -> None:
    """What can never work fails at the class statement."""
    with pytest.raises(ToolDefinitionError) as caught:
        type("Bad", (ToolMessage,), {"__module__": __name__}, **keywords)
    assert said in str(caught.value)


def test_a_single_rule_may_stand_for_a_list() -> None:
    """A rule alone is read as a list of one."""
    assert read_rules(rule, "x") == (rule,)


@pytest.mark.parametrize("option", ["max_result_tokens", "max_retained_tokens"])
@pytest.mark.parametrize("wrong", [0, -1, True, 2.5, "9"])
def test_a_limit_of_results_is_a_number_of_tokens(option: str, wrong: Any) -> None:  # noqa: ANN401
    """None would mean that nothing is ever told."""
    with pytest.raises(ToolDefinitionError, match=f"{option} must be a whole number of tokens above 0"):
        type("Say", (ToolMessage,), {"__module__": __name__}, **{option: wrong})


def test_limits_of_results_are_inherited() -> None:
    """As the other options are that say nothing of what the tool does."""

    class Long(ToolMessage, max_result_tokens=10):
        max_retained_tokens: ClassVar[int] = 5

    class Longer(Long, max_result_tokens=20):
        pass

    options = options_of(Longer)
    assert (options.max_result_tokens, options.max_retained_tokens) == (20, 5)
