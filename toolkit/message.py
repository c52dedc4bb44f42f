"""Tools as pydantic classes: the fields are the parameters, everything else about the tool stands beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from toolmend.repairs.errors import UsageError
from toolmend.repairs.policy import RepairPolicy, policy_of
from toolmend.repairs.record import JsonValue
from toolmend.repairs.rule import RepairRule
from toolmend.toolkit.docstrings import read_docstring
from toolmend.toolkit.errors import ToolDefinitionError

__all__ = (
    "Example",
    "ToolMessage",
    "ToolOptions",
    "check_name",
    "options_of",
    "own_docstring",
    "read_examples",
    "read_rules",
    "snake_case",
)

Arguments: TypeAlias = Mapping[str, JsonValue] | BaseModel
ExampleLike: TypeAlias = "Arguments | Example | tuple[str, Arguments]"
"""An example as it may be declared: arguments, or what a user says with the arguments that answer it."""

T = TypeVar("T")

_NAME: Final = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_OPTIONS: Final = "__tool_options__"


@dataclass(frozen=True, slots=True)
class Example:
    """A right call of a tool, for instructions and few-shot turns.

    Attributes:
        arguments: the arguments, as JSON values.
        user: what a user says that calls for it; None if the example stands alone.
    """

    arguments: Mapping[str, JsonValue]
    user: str | None = None


@dataclass(frozen=True, slots=True)
class ToolOptions:
    """What a tool states beside its parameters; None where it states nothing.

    Attributes:
        name: the name that the model calls it by.
        description: what the model is told of it.
        repairs: repair rules of its own, tried before the general ones.
        examples: right calls.
        policy: which repairs are allowed, a policy or the name of one; else that of the registry.
        timeout: most seconds that its handler may take.
        sequential: whether its calls must not run beside others of the same message.
        max_result_tokens: the longest result that an agent tells the model, in tokens.
        max_retained_tokens: how much of a result an agent keeps once the model has answered it, in tokens.
    """

    name: str | None = None
    description: str | None = None
    repairs: tuple[RepairRule, ...] = ()
    examples: tuple[Example, ...] | None = None
    policy: RepairPolicy | None = None
    timeout: float | None = None
    sequential: bool = False
    max_result_tokens: int | None = None
    max_retained_tokens: int | None = None

    def __post_init__(self) -> None:
        """Refuse what can never work.

        Raises:
            ToolDefinitionError: names the option.
        """
        number = isinstance(self.timeout, (int, float)) and not isinstance(self.timeout, bool)
        checks = {
            "description": (self.description is None or isinstance(self.description, str), "must be text"),
            "timeout": (self.timeout is None or (number and self.timeout > 0), "must be a number of seconds above 0"),
        }
        for option in ("max_result_tokens", "max_retained_tokens"):
            value = getattr(self, option)
            whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
            checks[option] = (value is None or whole, "must be a whole number of tokens above 0")
        for option, (good, wanted) in checks.items():
            if not good:
                given = f"{getattr(self, option)!r:.60}"
                raise ToolDefinitionError(f"{option} {wanted}, got {given}", tool=str(self.name or ""))
        try:
            policy = policy_of(self.policy) if self.policy is not None else None
        except UsageError as error:
            raise ToolDefinitionError(str(error), tool=str(self.name or "")) from error
        object.__setattr__(self, "policy", policy)  # a name becomes the policy that it names


class ToolMessage(BaseModel):
    """Base of tools declared as classes.

    The fields are the parameters, the docstring is the description that the model sees. Everything else is stated by
    keywords of the class, so that a parameter may have any name, `name` and `description` included:

        class Fill(ToolMessage, name="fill", repairs=[RenameKey("element", to="selector")]):
            \"\"\"Type text into a field of the page.\"\"\"

            selector: str
            text: str

    The keywords are those of `ToolOptions`. A `ClassVar` of the same name states the same (`request` and `purpose` are
    read for `name` and `description`), and `examples` may be a classmethod that returns them. Without a name the tool
    is called by the name of the class in snake case. Rules, policy, timeout, order and limits are inherited; name,
    description and examples are not. A method `handle`, or `handle_async`, runs the tool. A parameter whose name
    pydantic uses itself (`json`, `schema`, `copy`) is declared by its alias: `schema_: str = Field(alias="schema")`.
    """

    model_config = ConfigDict(extra="forbid")

    def __init_subclass__(cls, **_keywords: object) -> None:
        """Leave the keywords to `__pydantic_init_subclass__`, when the fields are known."""
        super().__init_subclass__()

    @classmethod
    def __pydantic_init_subclass__(
        cls,
        *,
        name: str | None = None,
        description: str | None = None,
        repairs: Sequence[RepairRule] | None = None,
        examples: Iterable[ExampleLike] | None = None,
        policy: RepairPolicy | None = None,
        timeout: float | None = None,
        sequential: bool | None = None,
        max_result_tokens: int | None = None,
        max_retained_tokens: int | None = None,
        **unknown: object,
    ) -> None:
        """Keep what the class states of its tool.

        Args:
            name: the name that the model calls it by.
            description: what the model is told of it, in place of the docstring.
            repairs: repair rules of its own.
            examples: right calls: arguments, instances, or pairs of what a user says and either of them.
            policy: which repairs are allowed.
            timeout: most seconds that its handler may take.
            sequential: whether its calls must not run beside others.
            max_result_tokens: the longest result that an agent tells the model.
            max_retained_tokens: how much of a result an agent keeps once the model has answered it.
            unknown: anything else is a mistake.

        Raises:
            ToolDefinitionError: if the name cannot be one, a keyword is unknown, or the name was declared as a field.
        """
        if unknown:
            hint = f"there are {', '.join(ToolOptions.__dataclass_fields__)}"
            raise ToolDefinitionError(f"no keyword {', '.join(unknown)} is known", tool=cls.__name__, hint=hint)
        base = next((found for kind in cls.__mro__[1:] if (found := kind.__dict__.get(_OPTIONS))), ToolOptions())
        stated = _class_vars(cls)
        name = _first(name, stated.get("name"), stated.get("request"))
        if name is None:
            _refuse_name_as_field(cls)
        else:
            check_name(name, cls.__name__)
        examples = _first(examples, stated.get("examples"))
        own = ToolOptions(
            name=name,
            description=_first(description, stated.get("description"), stated.get("purpose")),
            repairs=read_rules(_first(repairs, stated.get("repairs"), base.repairs), cls.__name__),
            examples=None if examples is None else read_examples(examples, cls.__name__),
            policy=_first(policy, stated.get("policy"), base.policy),
            timeout=_first(timeout, stated.get("timeout"), base.timeout),
            sequential=bool(_first(sequential, stated.get("sequential"), base.sequential)),
            max_result_tokens=_first(max_result_tokens, stated.get("max_result_tokens"), base.max_result_tokens),
            max_retained_tokens=_first(
                max_retained_tokens, stated.get("max_retained_tokens"), base.max_retained_tokens
            ),
        )
        setattr(cls, _OPTIONS, own)


def options_of(tool: type[BaseModel]) -> ToolOptions:
    """What a tool's class states beside its parameters, with what follows from the class itself filled in.

    Args:
        tool: the class; one that is no `ToolMessage` states nothing, and has its name and docstring.

    Raises:
        ToolDefinitionError: if its name cannot be the name of a tool, or an example is none.
    """
    stated: ToolOptions = tool.__dict__.get(_OPTIONS, ToolOptions())
    name = stated.name if stated.name is not None else snake_case(tool.__name__)
    examples = stated.examples
    if examples is None and isinstance(method := tool.__dict__.get("examples"), classmethod):
        examples = read_examples(method.__get__(None, tool)(), tool.__name__)
    return replace(
        stated,
        name=check_name(name, tool.__name__),
        description=stated.description if stated.description is not None else read_docstring(own_docstring(tool)).text,
        examples=examples or (),
    )


def own_docstring(tool: type[BaseModel]) -> str:
    """The docstring that a class itself has: an inherited one describes something else.

    Args:
        tool: the class.
    """
    return tool.__dict__.get("__doc__") or ""


def check_name(name: object, tool: str) -> str:
    """Refuse what no provider takes as the name of a tool.

    Args:
        name: the name, or what was given for one.
        tool: the class or function, for the message.

    Returns:
        The name.

    Raises:
        ToolDefinitionError: if it is no string of 1 to 64 ASCII letters, digits, `_`, `-` and `.`.
    """
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        raise ToolDefinitionError(
            f"{name!r:.80} cannot be the name of a tool",
            tool=tool,
            hint='a name has 1 to 64 ASCII letters, digits, "_", "-" and "."; state one, as in name="fill_form"',
        )
    return name


def snake_case(name: str) -> str:
    """The name of a class in snake case: `FillHTMLForm` becomes `fill_html_form`.

    Args:
        name: name of a class.
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def read_rules(rules: object, tool: str) -> tuple[RepairRule, ...]:
    """The repair rules that a tool declares.

    Args:
        rules: what was declared.
        tool: name of the tool, for the message.

    Raises:
        ToolDefinitionError: if it is no list of rules.
    """
    given = tuple(rules) if isinstance(rules, Iterable) and not isinstance(rules, (str, Mapping)) else (rules,)
    for rule in given:
        if not callable(rule) or isinstance(rule, type):
            hint = "a rule is a function of one violation, as RenameKey(...) makes one"
            raise ToolDefinitionError(f"{rule!r:.80} is no repair rule", tool=tool, hint=hint)
    return given


def read_examples(examples: Iterable[ExampleLike], tool: str) -> tuple[Example, ...]:
    """Examples in their one form, however they were declared.

    Args:
        examples: arguments, instances, or pairs of what a user says and either of them.
        tool: name of the tool, for the message.

    Raises:
        ToolDefinitionError: if one is none of these.
    """
    return tuple(_read_example(example, tool) for example in examples)


def _read_example(example: object, tool: str) -> Example:
    if isinstance(example, Example):
        return example
    user = None
    if isinstance(example, tuple) and len(example) == 2 and isinstance(example[0], str):
        user, example = example
    if isinstance(example, BaseModel):
        example = example.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if not isinstance(example, Mapping):
        raise ToolDefinitionError(
            f"the example {example!r:.80} is neither arguments nor an instance",
            tool=tool,
            hint='an example is {"selector": "#name"}, an instance, or ("what the user says", either of them)',
        )
    return Example(dict(example), user)


def _class_vars(cls: type[BaseModel]) -> dict[str, Any]:
    """The options that a class states as `ClassVar`s of its own."""
    names = (*ToolOptions.__dataclass_fields__, "request", "purpose")
    return {name: cls.__dict__[name] for name in names if name in cls.__class_vars__ and name in cls.__dict__}


def _first(*values: T | None) -> T | None:
    """The first value that was stated."""
    return next((value for value in values if value is not None), None)


def _refuse_name_as_field(cls: type[BaseModel]) -> None:
    """A field whose default is the name of the tool was meant as its name; the model would be asked to fill it."""
    for field in ("request", "name"):
        info = cls.__pydantic_fields__.get(field)
        if info is None or not isinstance(info.default, str) or _NAME.fullmatch(info.default) is None:
            continue
        raise ToolDefinitionError(
            f"the field `{field}` has the default {info.default!r}, which looks like the name of the tool",
            tool=cls.__name__,
            hint=f'write `class {cls.__name__}(ToolMessage, name="{info.default}")`, or make it a `ClassVar[str]`; '
            "if a parameter is meant, state the tool's name beside it by the keyword `name`",
        )
