from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from toolmend.toolkit import (
    CallError,
    Defer,
    Deny,
    Edit,
    MissingHandlerError,
    ModelRetry,
    ParseResult,
    ToolCall,
    ToolFailed,
    ToolMessage,
    ToolRegistry,
    ToolResult,
    ToolUsageError,
    UnknownToolError,
    tool,
)
from toolmend.toolkit.dispatch import Dispatcher, Step

current = contextvars.ContextVar("current", default="nobody")


class Say(ToolMessage, name="say"):
    text: str

    def handle(self) -> str:
        return f"said {self.text}"


class Later(ToolMessage, name="later"):
    text: str

    async def handle_async(self) -> str:
        await asyncio.sleep(0)
        return f"later {self.text}"


class Both(ToolMessage, name="both"):
    def handle(self) -> str:
        return "sync"

    async def handle_async(self) -> str:
        return "async"


class Handle(ToolMessage, name="handle"):
    handle: str


class Slow(ToolMessage, name="slow", timeout=0.05):
    def handle(self) -> str:
        time.sleep(0.5)
        return "too late"

    async def handle_async(self) -> str:
        await asyncio.sleep(5)
        return "too late"


class Quick(ToolMessage, name="quick", timeout=5):
    fail: bool = False

    def handle(self) -> str:
        if self.fail:
            raise TimeoutError("the server's own")
        return current.get()


def registry() -> ToolRegistry:
    return ToolRegistry([Say, Later, Both, Handle, Slow, Quick])


def call(name: str, arguments: str = "{}", registry: ToolRegistry = registry()) -> ToolCall:  # noqa: B008
    [made] = registry.parse_call(name, arguments).calls
    return made


def raising(error: BaseException) -> ToolRegistry:
    def handler(message: object) -> object:
        raise error

    tools = ToolRegistry()
    tools.add_schema("boom", "", None, handler)
    return tools


def run_both(tools: ToolRegistry, items: Any, **more: Any) -> Iterator[tuple[ToolResult, ...]]:  # noqa: ANN401
    yield tools.dispatch(items, **more)
    yield asyncio.run(tools.dispatch_async(items, **more))


def test_each_call_and_each_error_has_one_result_in_order() -> None:
    """Whatever became of them, sync or async."""
    tools = registry()
    broken = tools.parse_call("say", "{}", id="b").errors[0]
    items = ParseResult((call("later", '{"text": "a"}'), broken, call("say", '{"text": "b"}')))
    for results in run_both(tools, items):
        assert [result.call for result in results] == list(items.items)
        assert [result.text for result in results] == ["later a", broken.message, "said b"]
        assert [result.ok for result in results] == [True, False, True]
        assert (results[1].error, results[1].retry, results[1].id, results[1].name) == (broken, True, "b", "say")


def test_no_calls_are_no_results() -> None:
    """And no loop is started for them."""
    for results in run_both(registry(), ()):
        assert results == ()


def test_a_tool_with_both_handlers_uses_the_fitting_one() -> None:
    """The async one only where it is awaited."""
    assert [results[0].text for results in run_both(registry(), [call("both")])] == ["sync", "async"]


def test_a_field_called_handle_is_a_field() -> None:
    """What runs the tool has to be given then."""
    tools = registry()
    made = call("handle", '{"handle": "left"}')
    with pytest.raises(MissingHandlerError, match="nothing runs the tool 'handle'"):
        tools.dispatch([made])
    for results in run_both(tools, [made], handlers={"handle": lambda message: message.handle}):
        assert results[0].text == "left"


def test_given_handlers_come_first() -> None:
    """Before what the registry and the tool declare."""
    tools = registry()
    tools.handler("say")(lambda message: "registered")
    assert tools.dispatch([call("say", '{"text": "a"}')])[0].text == "registered"
    assert tools.dispatch([call("say", '{"text": "a"}')], handlers={"say": lambda message: "given"})[0].text == "given"


def test_nothing_runs_if_one_call_cannot_be_run() -> None:
    """The user's mistake is told before anything happened."""
    ran: list[object] = []
    tools = ToolRegistry()
    tools.add_schema("a", "", None, ran.append)
    tools.add_schema("b", "", None)
    items = [*tools.parse_call("a", "").calls, *tools.parse_call("b", "").calls]
    with pytest.raises(MissingHandlerError):
        tools.dispatch(items)
    with pytest.raises(MissingHandlerError):
        asyncio.run(tools.dispatch_async(items))
    assert ran == []


def test_an_async_handler_within_a_running_loop_is_told_before_anything_runs() -> None:
    """There is another method for that."""
    tools = registry()

    async def main() -> None:
        with pytest.raises(ToolUsageError, match=r"the handler of 'later' is async .* await `dispatch_async`"):
            tools.dispatch([call("say", '{"text": "a"}'), call("later", '{"text": "a"}')])
        assert tools.dispatch([call("say", '{"text": "a"}')])[0].text == "said a"

    asyncio.run(main())


def test_a_handler_that_turns_out_to_be_async_is_run_to_its_end() -> None:
    """Where no loop is running; else its result says what is wrong."""
    tools = ToolRegistry()

    async def work() -> str:
        return "done"

    tools.add_schema("hidden", "", None, lambda message: work())
    items = tools.parse_call("hidden", "").calls
    assert [results[0].text for results in run_both(tools, items)] == ["done", "done"]

    async def main() -> None:
        assert "turned out to be async" in tools.dispatch(items)[0].text

    asyncio.run(main())


@pytest.mark.parametrize(
    ("error", "text", "retry"),
    [
        (ValueError("no such file"), "The tool 'boom' failed: ValueError: no such file", False),
        (KeyError(), "The tool 'boom' failed: KeyError", False),
        (ModelRetry("Give a path."), "Give a path.", True),
        (ToolFailed("The disk is full."), "The disk is full.", False),
        (RecursionError("deep"), "The tool 'boom' failed: RecursionError: deep", False),
    ],
)
def test_what_a_handler_raises_becomes_its_result(error: Exception, text: str, retry: bool) -> None:
    """No exception of foreign code leaves; signals have their own words."""
    tools = raising(error)
    for [result] in run_both(tools, tools.parse_call("boom", "")):
        assert (result.text, result.retry, result.ok, result.value) == (text, retry, False, None)
        assert result.error is error


def test_a_long_exception_is_told_short() -> None:
    """The model needs no stack of megabytes."""
    tools = raising(ValueError("x" * 100_000))
    assert len(tools.dispatch(tools.parse_call("boom", ""))[0].text) < 600


def test_an_exception_that_cannot_be_shown_is_told_by_its_type() -> None:
    """Even that is foreign code."""

    class Rude(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    tools = raising(Rude())
    assert tools.dispatch(tools.parse_call("boom", ""))[0].text == "The tool 'boom' failed: Rude"


def wait_for_cancelled() -> None:
    """Wait for what was cancelled."""
    future: concurrent.futures.Future[None] = concurrent.futures.Future()
    future.cancel()
    future.result()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_interrupts_and_cancellation_pass_through(error: type[BaseException]) -> None:
    """They are not for the model."""
    tools = raising(error())
    with pytest.raises(error):
        tools.dispatch(tools.parse_call("boom", ""))
    with pytest.raises(error):
        asyncio.run(tools.dispatch_async(tools.parse_call("boom", "")))


@pytest.mark.parametrize("timeout", [None, 30])
def test_the_cancellation_of_a_foreign_future_is_a_fault_of_the_handler(timeout: float | None) -> None:
    """Nobody has cancelled the run: other calls go on, sync or async."""
    tools = ToolRegistry([tool(timeout=timeout)(wait_for_cancelled)])
    calls = tools.parse_call("wait_for_cancelled", "").calls
    for result in (*tools.dispatch(calls), *asyncio.run(tools.dispatch_async(calls))):
        assert "CancelledError" in result.text
        assert not result.ok


def test_cancelling_stops_all_that_runs() -> None:
    """No handler goes on behind one's back."""
    ended: list[str] = []

    async def wait(message: object) -> None:
        try:
            await asyncio.sleep(10)
        finally:
            ended.append("ended")

    tools = ToolRegistry()
    tools.add_schema("wait", "", None, wait)
    items = tools.parse_call("wait", "").calls * 3

    async def main() -> None:
        task = asyncio.create_task(tools.dispatch_async(items))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert ended == ["ended"] * 3


def test_calls_run_beside_one_another_and_keep_their_order() -> None:
    """Sync handlers in threads: each of these waits for the other."""
    meeting = threading.Barrier(2, timeout=5)

    def meet(message: dict[str, Any]) -> object:
        meeting.wait()
        time.sleep(message["wait"])
        return message["wait"]

    tools = ToolRegistry()
    schema = {"type": "object", "properties": {"wait": {"type": "number"}}, "required": ["wait"]}
    tools.add_schema("meet", "", schema, meet)
    items = [tools.parse_call("meet", f'{{"wait": {seconds}}}').calls[0] for seconds in (0.05, 0.0)]
    assert [result.value for result in asyncio.run(tools.dispatch_async(items))] == [0.05, 0.0]


def test_a_sequential_tool_never_runs_beside_others() -> None:
    """All calls of that message wait for one another."""
    running: list[str] = []

    async def work(message: object) -> int:
        running.append("in")
        await asyncio.sleep(0.001)
        count = len(running)
        running.remove("in")
        return count

    tools = ToolRegistry()
    tools.add_schema("work", "", None, work, sequential=True)
    results = asyncio.run(tools.dispatch_async(tools.parse_call("work", "").calls * 4))
    assert [result.value for result in results] == [1, 1, 1, 1]


def test_a_handler_that_takes_too_long_is_given_up() -> None:
    """The others are not held up by it."""
    started = time.monotonic()
    for slow, said in run_both(registry(), [call("slow"), call("say", '{"text": "a"}')]):
        assert slow.text == "The tool 'slow' failed: TimeoutError: it took longer than 0.05 seconds and was given up"
        assert isinstance(slow.error, TimeoutError)
        assert said.text == "said a"
    assert time.monotonic() - started < 1


def test_a_handler_within_its_time_is_as_any_other() -> None:
    """It sees the context of the caller, and may raise a timeout of its own."""
    current.set("Ann")
    for results in run_both(registry(), [call("quick"), call("quick", '{"fail": true}')]):
        assert results[0].text == "Ann"
        assert results[1].text == "The tool 'quick' failed: TimeoutError: the server's own"


def test_an_interrupt_within_its_time_passes_through() -> None:
    """Though the handler runs in a thread of its own."""

    def stop(message: object) -> None:
        raise KeyboardInterrupt

    tools = ToolRegistry()
    tools.add_schema("stop", "", None, stop, timeout=5)
    with pytest.raises(KeyboardInterrupt):
        tools.dispatch(tools.parse_call("stop", ""))


def test_a_dict_is_the_handlers_own() -> None:
    """What it does to it does not change the record of the call."""
    tools = ToolRegistry()
    schema = {"type": "object", "properties": {"tags": {"type": "array"}}}
    tools.add_schema("clear", "", schema, lambda message: message["tags"].clear())
    [made] = tools.parse_call("clear", '{"tags": [1]}').calls
    tools.dispatch([made])
    assert made.arguments == {"tags": [1]}


def test_a_hook_may_deny_a_call() -> None:
    """The model is told why, and the others run."""
    asked: list[str] = []

    def before(made: ToolCall) -> Deny | None:
        asked.append(made.name)
        return Deny("Not without a password.") if made.name == "say" else None

    items = [call("say", '{"text": "a"}'), call("both")]
    for denied, ran in run_both(registry(), items, before=before):
        assert (denied.text, denied.ok, denied.value) == ("Not without a password.", False, None)
        assert isinstance(denied.error, ToolFailed)
        assert ran.ok
    assert asked == ["say", "both", "say", "both"]


def test_a_hook_may_edit_a_call() -> None:
    """The result answers the call that the model made."""
    made = call("say", '{"text": "a"}')
    for [result] in run_both(registry(), [made], before=lambda _: Edit({"text": "b"})):
        assert result.text == "said b"
        assert result.call is made
        assert result.edited is not None
        assert result.edited.arguments == {"text": "b"}


@pytest.mark.parametrize(
    ("decision", "told"),
    [
        (Edit({}), "gave it arguments that do not fit as they stand, at /text"),
        (Edit({"text": 1}), "gave it arguments that do not fit as they stand, at /text"),
        (Edit({"text": "b", "secret": "hush"}), "gave it arguments that do not fit as they stand, at /secret"),
        ("yes", "decided by a str, which is no decision"),
        (1, "decided by a int, which is no decision"),
    ],
)
def test_a_hook_that_decides_what_cannot_be_done_denies(
    decision: Any,  # noqa: ANN401
    told: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """In doubt a call does not run; the log tells its author why, and no values."""
    for [result] in run_both(registry(), [call("say", '{"text": "a"}')], before=lambda _: decision):
        assert result.text == "The call of 'say' was not allowed to run."
    assert caplog.messages == [f"the hook before the call of say {told}: the call is denied"] * 2


def test_a_hook_that_raises_denies(caplog: pytest.LogCaptureFixture) -> None:
    """And that is logged, since it is a fault of the program."""

    def before(made: ToolCall) -> None:
        raise LookupError

    for [result] in run_both(registry(), [call("say", '{"text": "a"}')], before=before):
        assert result.text == "The call of 'say' was not allowed to run."
    assert "the hook before the call of say raised LookupError: the call is denied" in caplog.messages


def test_a_hook_may_be_async() -> None:
    """Within a running loop only where it is awaited."""

    async def before(made: ToolCall) -> Deny:
        await asyncio.sleep(0)
        return Deny("no")

    tools = registry()
    items = [call("say", '{"text": "a"}')]
    assert [results[0].text for results in run_both(tools, items, before=before)] == ["no", "no"]

    async def main() -> None:
        with pytest.raises(ToolUsageError, match="the hook is async"):
            tools.dispatch(items, before=before)

    asyncio.run(main())


@pytest.mark.parametrize(("decision", "text"), [(True, "said a"), (False, "The call of 'say' was not allowed to run.")])
def test_a_hook_may_say_yes_or_no(decision: bool, text: str, caplog: pytest.LogCaptureFixture) -> None:
    """Neither is a fault of the program."""
    for [result] in run_both(registry(), [call("say", '{"text": "a"}')], before=lambda _: decision):
        assert (result.text, result.edited) == (text, None)
    assert caplog.messages == []


def test_a_hook_may_let_a_call_wait() -> None:
    """It did not run, and is no failure of the tool either; the others run."""

    def before(made: ToolCall) -> Defer | None:
        return Defer("the owner's word") if made.name == "say" else None

    for waits, ran in run_both(registry(), [call("say", '{"text": "a"}'), call("both")], before=before):
        assert waits.text == "The call of 'say' was not run: it waits for the owner's word."
        assert (waits.deferred, waits.ok, waits.retry) == (True, False, False)
        assert (ran.deferred, ran.ok) == (False, True)


def test_steps_tell_of_each_call_as_it_starts_and_ends() -> None:
    """A faulty one never starts; a slow one does not keep the news of a quick one back."""

    async def wait(message: dict[str, float]) -> None:
        await asyncio.sleep(message["wait"])

    tools = ToolRegistry()
    schema = {"type": "object", "properties": {"wait": {"type": "number"}}, "required": ["wait"]}
    tools.add_schema("wait", "", schema, wait)
    items = [tools.parse_call("wait", text).items[0] for text in ('{"wait": 0.05}', "{}", '{"wait": 0.0}')]
    dispatcher = Dispatcher(tools.specs)

    async def main() -> list[Step]:
        return [step async for step in dispatcher.steps_async(items)]

    def told(steps: list[Step]) -> list[tuple[int, bool]]:
        return [(step.index, step.result is not None) for step in steps]

    assert told(list(dispatcher.steps(items))) == [(0, False), (0, True), (1, True), (2, False), (2, True)]
    assert told(asyncio.run(main())) == [(0, False), (1, True), (2, False), (2, True), (0, True)]


def test_who_stops_listening_stops_the_calls() -> None:
    """Closing the steps ends what still runs."""
    ended: list[str] = []

    async def wait(message: object) -> None:
        try:
            await asyncio.sleep(10)
        finally:
            ended.append("ended")

    tools = ToolRegistry()
    tools.add_schema("wait", "", None, wait)

    async def main() -> None:
        async with contextlib.aclosing(
            Dispatcher(tools.specs).steps_async(tools.parse_call("wait", "").calls)
        ) as steps:
            async for _step in steps:
                await asyncio.sleep(0.01)
                break
        assert ended == ["ended"]

    asyncio.run(main())


class Owner:
    """Something that handlers may ask for."""

    name = "Ann"


class Asking(ToolMessage, name="asking"):
    def handle(self, owner: Owner, call: ToolCall) -> str:
        return f"{owner.name} {call.id}"


def test_a_handler_asks_for_more_by_annotation() -> None:
    """By the class, or one that it derives from; the call is always there."""

    class Heir(Owner):
        name = "Ben"

    tools = ToolRegistry([Asking])
    items = tools.parse_call("asking", "{}", id="c1").items
    assert Dispatcher(tools.specs, beside={"x": 1, "y": Heir()}).run(items)[0].text == "Ben c1"


def test_a_handler_that_asks_for_what_is_not_there_is_told_before_anything_runs() -> None:
    """It is the program's mistake, not the model's."""
    tools = ToolRegistry([Asking, Say])
    items = [call("say", '{"text": "a"}', tools), *tools.parse_call("asking", "{}").calls]
    with pytest.raises(ToolUsageError, match="the handler of 'asking' asks for 'owner', and there is only: ToolCall"):
        tools.dispatch(items)


def test_what_ran_after_an_edit_is_what_a_handler_is_told() -> None:
    """The call that it asks for is the one with the new arguments."""
    tools = ToolRegistry()
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    tools.add_schema("n", "", schema, lambda message, call: [message, call.arguments])
    items = tools.parse_call("n", '{"n": 1}').items
    assert tools.dispatch(items, before=lambda _: Edit({"n": 2}))[0].value == [{"n": 2}, {"n": 2}]


def test_faulty_calls_are_not_asked_about() -> None:
    """There is nothing to allow."""
    error = registry().parse_call("say", "{}").errors[0]

    def before(made: ToolCall) -> None:
        pytest.fail("asked")

    for results in run_both(registry(), [error], before=before):
        assert results[0].error is error


def test_a_fault_in_a_tool_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """The model is told in one line; who wrote the tool has to find the place."""
    error = NameError("nme")
    tools = raising(error)
    with caplog.at_level(logging.DEBUG):
        tools.dispatch(tools.parse_call("boom", ""))
    [record] = caplog.records
    assert (record.levelno, record.getMessage()) == (logging.WARNING, "the tool boom raised NameError")
    assert record.exc_info is not None
    assert record.exc_info[1] is error


@pytest.mark.parametrize("signal", [ModelRetry("again"), ToolFailed("no")])
def test_a_signal_is_no_fault(signal: Exception, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing is logged of it above the level of debugging."""
    tools = raising(signal)
    with caplog.at_level(logging.DEBUG):
        tools.dispatch(tools.parse_call("boom", ""))
    assert [record.levelno for record in caplog.records] == [logging.DEBUG]


def test_a_call_of_a_tool_that_is_gone_is_run_by_its_own_method() -> None:
    """The call was valid when it was parsed."""
    tools = registry()
    made = call("say", '{"text": "a"}')
    tools.remove("say")
    assert tools.dispatch([made])[0].text == "said a"


def test_results_answer_calls_made_by_hand() -> None:
    """A call error of one's own is a result as any other."""
    error = CallError("invalid_arguments", "no", tool="say")
    assert registry().dispatch([error])[0].text == "no"


@pytest.mark.parametrize("wrong", [CallError("invalid_arguments", "no"), None, 3, "say", [3], {"say": 1}])
def test_what_came_out_of_no_parsing_is_not_run(wrong: Any) -> None:  # noqa: ANN401
    """The error says what is taken, sync and async."""
    with pytest.raises(ToolUsageError, match="dispatch takes a ParseResult, or a list of calls and errors"):
        registry().dispatch(wrong)
    with pytest.raises(ToolUsageError, match="dispatch takes"):
        asyncio.run(registry().dispatch_async(wrong))


def test_handlers_are_checked_before_anything_runs() -> None:
    """A name without a tool is a slip of the pen, and what cannot be called runs nothing."""
    with pytest.raises(UnknownToolError, match="no tool is registered as 'nope'"):
        registry().dispatch([], handlers={"nope": print})
    wrong: Any = "h"
    with pytest.raises(ToolUsageError, match="the handler of 'say' must be a function, got 'h'"):
        registry().dispatch([], handlers={"say": wrong})


def test_a_handler_that_raises_stop_iteration_ends() -> None:
    """It becomes a result like any other failure, and nobody waits for ever."""

    class Empty(ToolMessage, name="empty"):
        """Take the first of nothing."""

        def handle(self) -> object:
            return next(iter([]))

    registry = ToolRegistry([Empty])
    waiting = asyncio.wait_for(registry.dispatch_async(registry.parse_call("empty", "{}")), 5)
    [result] = asyncio.run(waiting)
    assert not result.ok
    assert "StopIteration" in result.text
