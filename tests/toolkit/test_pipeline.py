from __future__ import annotations

from typing import Literal

import pytest
from pydantic import field_validator

from toolmend.repairs.errors import NotJsonError
from toolmend.repairs.numbers import SourcedFloat
from toolmend.repairs.policy import DEFAULT, LOSSLESS, STRICT, Limits, RepairPolicy
from toolmend.repairs.record import JsonValue, Repair
from toolmend.toolkit.message import ToolMessage
from toolmend.toolkit.outcome import CallError, ErrorKind, ToolCall
from toolmend.toolkit.pipeline import completeness, fault, nameless, parse_arguments, resolve, unknown
from toolmend.toolkit.spec import ToolSpec, compile_class


class Move(ToolMessage, name="move"):
    """Move a piece."""

    to: str
    steps: int = 1
    side: Literal["left", "right"] = "left"

    @field_validator("steps")
    @classmethod
    def not_too_far(cls, steps: int) -> int:
        if steps > 9:
            raise ValueError("nine steps are the most")
        if steps == 7:
            raise LookupError("seven is not in the table")
        assert steps != 8, "eight never"
        return steps


SPEC = compile_class(Move)


def call(arguments: JsonValue, spec: ToolSpec = SPEC, *, complete: bool | None = None) -> ToolCall:
    made = parse_arguments(spec, arguments, complete=complete)
    assert isinstance(made, ToolCall), made
    return made


def error(arguments: JsonValue, spec: ToolSpec = SPEC, *, complete: bool | None = None) -> CallError:
    made = parse_arguments(spec, arguments, complete=complete)
    assert isinstance(made, CallError), made
    return made


def test_valid_arguments_come_back_as_they_are() -> None:
    """No repair, the text beside the value, and the message made of it."""
    text = '{"to": "b\\u0034 \\"x\\"", "steps": 2}'
    made = call(text)
    assert made.arguments == {"to": 'b4 "x"', "steps": 2}
    assert made.message == Move(to='b4 "x"', steps=2)
    assert (made.repairs, made.raw, made.name) == ((), text, "move")


def test_mended_arguments_carry_their_record() -> None:
    """What came before, the name say, stands first."""
    before = Repair("tool-name", "inferred")
    made = parse_arguments(SPEC, "{'to': 'b4', 'steps': '2',}", repairs=(before,), id="c1", format="x", span=(3, 9))
    assert isinstance(made, ToolCall)
    assert made.arguments == {"to": "b4", "steps": 2}
    assert made.repairs[0] is before
    assert "numeric-text" in [repair.rule for repair in made.repairs]
    assert (made.id, made.format, made.span) == ("c1", "x", (3, 9))


def test_a_value_that_was_read_already_is_mended_as_text_is() -> None:
    """Its numbers remember how they were written."""
    made = call({"to": SourcedFloat.of(1.1, "1.10"), "steps": "3"})
    assert made.arguments == {"to": "1.10", "steps": 3}
    assert call({"to": "a"}).repairs == ()


@pytest.mark.parametrize(
    ("arguments", "kind", "path"),
    [
        ('{"to": "b4', "cut_off", ("to",)),
        ("move it to b4", "not_json", ()),
        ('{"to": NaN}', "not_json", ()),
        ('{"to": "a", "to": "b"}', "not_json", ()),
        ('{"to": "\\ud800"}', "not_json", ()),
        ('{"to": "b4", "steps": 2.5}', "invalid_arguments", ("steps",)),
        ('{"to": "b4", "side": "up"}', "invalid_arguments", ("side",)),
        ('{"to": "b4", "dry_run": true}', "invalid_arguments", ("dry_run",)),
        ("{}", "invalid_arguments", ("to",)),
        ("", "invalid_arguments", ("to",)),
        ('{"to": "b4", "steps": 10}', "refused_by_tool", ("steps",)),
        ('{"to": "b4", "steps": 8}', "refused_by_tool", ("steps",)),
        ('{"to": "b4", "steps": 7}', "refused_by_tool", ()),
        ('{"a":' * 150 + "1" + "}" * 150, "too_deep", ()),
        ("[" * 100_000, "too_deep", ()),
    ],
)
def test_what_cannot_run_is_an_error_of_its_kind(arguments: str, kind: ErrorKind, path: tuple[str, ...]) -> None:
    """With the place, as far as there is one, the tool and the raw text."""
    found = error(arguments)
    assert (found.kind, found.path, found.tool, found.raw) == (kind, path, "move", arguments)


def test_a_text_that_is_too_long_is_refused_before_it_is_read() -> None:
    """The limits are those of the policy."""
    spec = compile_class(Move, RepairPolicy(limits=Limits(strict_chars=50)))
    assert error('{"to": "' + "x" * 60 + '"}', spec).kind == "too_large"


def test_a_validator_may_raise_anything() -> None:
    """What it says goes to the model, under its type where it is no refusal in itself."""
    assert "nine steps are the most" in error('{"to": "a", "steps": 10}').message
    assert "eight never" in error('{"to": "a", "steps": 8}').message
    assert "LookupError: seven is not in the table" in error('{"to": "a", "steps": 7}').message


@pytest.mark.parametrize("text", ["{'to': 'b4'}", '{"to": "b4",}', '{"to": "b4"', "", '{"to": "b4"}}'])
def test_nothing_is_mended_after_a_cut(text: str) -> None:
    """At the output limit, what is no whole JSON counts as cut off, whatever could be closed."""
    assert error(text, complete=False).kind == "cut_off"


def test_whole_json_counts_even_at_the_output_limit() -> None:
    """Its values may still be mended."""
    assert call('{"to": "b4"}', complete=False).repairs == ()
    assert call('{"to": "b4", "steps": "2"}', complete=False).arguments == {"to": "b4", "steps": 2}


def test_a_missing_brace_is_put_there_if_the_model_stopped_by_itself() -> None:
    """Not otherwise: more might have been meant to come."""
    assert call('{"to": "b4"', complete=True).arguments == {"to": "b4"}
    assert error('{"to": "b4"').kind == "cut_off"


@pytest.mark.parametrize(
    ("policy", "text", "runs"),
    [
        (STRICT, '{"to": "b4", "steps": 2}', True),
        (STRICT, '{"to": "b4",}', False),
        (STRICT, '{"to": "b4", "steps": "2"}', False),
        (LOSSLESS, '{"to": "b4", "steps": "2"}', True),
        (LOSSLESS, '{"to": "b4", "side": "LEFT"}', False),
        (DEFAULT, '{"to": "b4", "side": "LEFT"}', True),
        (DEFAULT, '{"to": "b4", "dry_run": true}', False),
        (DEFAULT.allowing("drop-unknown-key"), '{"to": "b4", "dry_run": true}', True),
    ],
)
def test_the_policy_decides_what_is_mended(policy: RepairPolicy, text: str, runs: bool) -> None:
    """From nothing at all to what is allowed by name."""
    assert isinstance(parse_arguments(compile_class(Move, policy), text), ToolCall) is runs


@pytest.mark.parametrize(
    ("policy", "name", "found"),
    [
        (DEFAULT, "Move", True),
        (LOSSLESS, "Move", False),
        (LOSSLESS, "functions.move", True),
        (STRICT, "functions.move", False),
    ],
)
def test_the_policy_holds_for_names_too(policy: RepairPolicy, name: str, found: bool) -> None:
    """A name is mended by the rules of the tool that it would stand for."""
    assert (resolve(name, {"move": compile_class(Move, policy)}) is not None) is found
    assert resolve("move", {"move": compile_class(Move, policy)}) is not None


@pytest.mark.parametrize(
    ("finish_reason", "complete"),
    [
        ("stop", True),
        ("tool_calls", True),
        ("length", False),
        ("max_output_tokens", False),
        ("MAX_TOKENS", False),
        ("model_length", False),
        ("content_filter", False),
        ("STOP", True),
        (None, None),
        ("odd", None),
    ],
)
def test_the_finish_reason_tells_whether_the_model_stopped_by_itself(
    finish_reason: str | None, complete: bool | None
) -> None:
    """What is not known is treated as unknown."""
    assert completeness(finish_reason) is complete


def test_errors_of_readers_of_text_have_the_same_form() -> None:
    """They carry where the call was found."""
    assert fault(SPEC, NotJsonError("no"), raw="x", span=(0, 1)).span == (0, 1)
    assert unknown("fly", ["move"], id="c").kind == "unknown_tool"
    assert nameless(["move"], format="tag").format == "tag"


@pytest.mark.parametrize("reason", [["stop"], {}, 7])
def test_a_finish_reason_of_another_type_tells_nothing(reason: object) -> None:
    """Whatever a server puts there is no reason to fail."""
    assert completeness(reason) is None  # type: ignore[arg-type]
