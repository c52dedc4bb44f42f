"""Assertions on what is made of a faulty call; one that fails tells what was made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NoReturn

from pydantic import BaseModel

from toolmend.agents.testing._differences import differences
from toolmend.repairs.record import snippet
from toolmend.toolkit.errors import ToolUsageError
from toolmend.toolkit.outcome import ToolCall
from toolmend.toolkit.registry import ToolRegistry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolmend.repairs.record import JsonValue, Repair
    from toolmend.toolkit.outcome import CallError, ErrorKind
    from toolmend.toolkit.registry import ToolLike

__all__ = ("assert_mends", "assert_refuses")

_LONGEST: Final = 400


def assert_mends(
    tool: ToolLike | ToolRegistry,
    raw: JsonValue,
    expected: Mapping[str, JsonValue] | BaseModel,
    *,
    rules: Iterable[str] | None = None,
    finish_reason: str | None = None,
) -> ToolCall:
    """Assert that a faulty call is mended to a certain one.

    Args:
        tool: the tool; or a registry that has this one tool, with the policy that is meant.
        raw: the arguments as the model wrote them, or the JSON value of them.
        expected: the right arguments, compared strictly (`1`, `1.0` and `True` are three values); or an instance of the
            tool's class.
        rules: the names of the rules that make the repairs, in any order; None if that does not matter.
        finish_reason: why the model stopped, as a provider tells it.

    Returns:
        The call.

    Raises:
        AssertionError: if it is refused, or something else comes out.
        ToolUsageError: if a registry has not exactly one tool.
    """
    __tracebackhide__ = True
    item = _read(tool, raw, finish_reason)
    if not isinstance(item, ToolCall):
        _fail(f"it is refused ({item.kind})", raw, item.message.splitlines())
    wrong = list(_differences(item, expected))
    if wrong:
        _fail("something else comes out", raw, [*wrong, *_repairs(item.repairs)])
    named = None if rules is None else set(rules)
    if named is not None and named != {repair.rule for repair in item.repairs}:
        wanted = f"wanted repairs by: {', '.join(sorted(named)) or 'none'}"
        _fail("other rules make the repairs", raw, [wanted, *_repairs(item.repairs)])
    return item


def assert_refuses(
    tool: ToolLike | ToolRegistry, raw: JsonValue, kind: ErrorKind | None = None, *, finish_reason: str | None = None
) -> CallError:
    """Assert that a faulty call goes back to the model.

    Args:
        tool: the tool; or a registry that has this one tool, with the policy that is meant.
        raw: the arguments as the model wrote them, or the JSON value of them.
        kind: why, as in `CallError.kind`; None if that does not matter.
        finish_reason: why the model stopped, as a provider tells it.

    Returns:
        What goes back to the model.

    Raises:
        AssertionError: if a call comes out, or the kind is another.
        ToolUsageError: if a registry has not exactly one tool.
    """
    __tracebackhide__ = True
    item = _read(tool, raw, finish_reason)
    if isinstance(item, ToolCall):
        came = f"arguments: {snippet(item.arguments, _LONGEST)}"
        _fail("a call comes out", raw, [came, *_repairs(item.repairs)])
    if kind is not None and item.kind != kind:
        _fail(f"it is refused as {item.kind}, not as {kind}", raw, item.message.splitlines())
    return item


def _read(tool: ToolLike | ToolRegistry, raw: JsonValue, finish_reason: str | None) -> ToolCall | CallError:
    registry = tool if isinstance(tool, ToolRegistry) else ToolRegistry([tool])
    if len(registry) != 1:
        raise ToolUsageError(f"a tool, or a registry with one tool, is needed; this one has {len(registry)}")
    [name] = registry.names
    if isinstance(raw, str):
        return registry.parse_call(name, raw, finish_reason=finish_reason).items[0]
    return registry.check_call(name, raw).items[0]


def _fail(what: str, raw: JsonValue, lines: Iterable[str]) -> NoReturn:
    __tracebackhide__ = True
    shown = (snippet(raw, _LONGEST), *lines)
    raise AssertionError("\n".join((f"{what}; the model wrote:", *(f"  {line}" for line in shown))))


def _repairs(repairs: tuple[Repair, ...]) -> list[str]:
    return [f"mended: {repair}" for repair in repairs] or ["nothing was mended"]


def _differences(call: ToolCall, expected: Mapping[str, JsonValue] | BaseModel) -> Iterator[str]:
    if isinstance(expected, BaseModel):
        if call.message != expected:
            yield f"at /: wanted {expected!r}, got {call.message!r}"
    elif isinstance(expected, Mapping):
        yield from differences(dict(expected), call.arguments)
    else:
        raise ToolUsageError(f"arguments or an instance of the tool's class are expected, not {expected!r:.80}")
