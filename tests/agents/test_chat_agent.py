from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import pytest

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient
from toolmend.agents.errors import ConfigError, LLMTimeoutError
from toolmend.toolkit import (
    ModelRetry,
    ToolDefinitionError,
    ToolFailed,
    ToolMessage,
    ToolUsageError,
    UnknownToolError,
    tool,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolmend.agents.chat_agent import AgentResponse
    from toolmend.agents.clients.scripted import Line
    from toolmend.agents.config import ToolModeName
    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]

MODES: tuple[ToolModeName, ...] = ("use_tools", "use_functions_api", "use_tools_api")


class Add(ToolMessage, name="add", examples=[("What is 1 and 2?", {"numbers": [1, 2]})]):
    """Add numbers."""

    numbers: list[int]

    def handle(self) -> str:
        return str(sum(self.numbers))


class Paint(ToolMessage, name="paint"):
    """Paint something."""

    color: Literal["red", "green"]

    def handle(self) -> str:
        return f"painted {self.color}"


class Fail(ToolMessage, name="fail"):
    """Fail in one of three ways."""

    how: Literal["crash", "retry", "final"]

    def handle(self) -> str:
        if self.how == "crash":
            raise RuntimeError("boom")
        raise (ModelRetry if self.how == "retry" else ToolFailed)(f"please {self.how}")


def agent(
    script: Sequence[Line], mode: ToolModeName = "use_tools", tools: Sequence[type[ToolMessage]] = ()
) -> ChatAgent:
    """An agent whose model says what stands in the script."""
    chosen: dict[str, Any] = {mode: True}
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(script), **chosen), tools)


def client_of(one: ChatAgent) -> ScriptedClient:
    """The scripted double behind an agent."""
    client = one._client
    assert isinstance(client, ScriptedClient)
    return client


def native(*calls: tuple[str, str, str | None], text: str = "", finish_reason: str = "tool_calls") -> ModelReply:
    """A reply with calls through the API: name, arguments, id."""
    raw = tuple(RawCall(name, arguments, call_id) for name, arguments, call_id in calls)
    return ModelReply(text, raw, finish_reason)


def written(name: str, **arguments: JsonValue) -> str:
    """A call as the instructions ask for it."""
    return json.dumps({"name": name, "arguments": arguments})


def turn(one: ChatAgent, text: str | None, *, is_async: bool = False) -> AgentResponse | None:
    """One turn of the model and the answer to it."""
    if not is_async:
        return one.agent_response(one.llm_response(text))

    async def both() -> AgentResponse | None:
        return await one.agent_response_async(await one.llm_response_async(text))

    return asyncio.run(both())


# ------------------------------------------------------------------ one call, three modes, both ways


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_prompt_mode_runs_a_call_written_as_text(is_async: bool, check_history: Check) -> None:
    """The tools are told in the system message, the call is read out of the text, the result goes back as user text."""
    one = agent([written("add", numbers=[2, 3]), "five"], tools=[Add])
    response = turn(one, "2 and 3?", is_async=is_async)
    assert response is not None
    assert response.text == "Result of add: 5"
    assert [result.value for result in response.results] == ["5"]
    assert turn(one, None, is_async=is_async) is None
    system, *rest = one.messages
    assert "add" in system["content"]
    assert rest == [
        {"role": "user", "content": "What is 1 and 2?"},
        {"role": "assistant", "content": written("add", numbers=[1, 2])},
        {"role": "user", "content": "2 and 3?"},
        {"role": "assistant", "content": written("add", numbers=[2, 3])},
        {"role": "user", "content": "Result of add: 5"},
        {"role": "assistant", "content": "five"},
    ]
    check_history(one.messages)
    request = client_of(one).requests[-1]
    assert request.messages == tuple(one.messages[:-1])
    assert (request.tools, request.functions) == ((), ())


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_tools_mode_answers_by_id(is_async: bool, check_history: Check) -> None:
    """The tools go out as `tools`, and each call id gets one message of role tool."""
    one = agent([native(("add", '{"numbers": [2, 3]}', "c1")), "five"], "use_tools_api", [Add])
    response = turn(one, "2 and 3?", is_async=is_async)
    assert response is not None
    assert [(result.id, result.text) for result in response.results] == [("c1", "5")]
    turn(one, None, is_async=is_async)
    function = {"name": "add", "arguments": '{"numbers": [2, 3]}'}
    assert one.messages == [
        {"role": "user", "content": "2 and 3?"},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": "5"},
        {"role": "assistant", "content": "five"},
    ]
    check_history(one.messages)
    assert [one["function"]["name"] for one in client_of(one).requests[0].tools] == ["add"]


def test_functions_mode_answers_by_name(check_history: Check) -> None:
    """Legacy calls have no ids: they are answered by a message of role function."""
    one = agent([native(("add", '{"numbers": [2, 3]}', None)), "five"], "use_functions_api", [Add])
    turn(one, "2 and 3?")
    turn(one, None)
    assert one.messages[1:3] == [
        {"role": "assistant", "content": None, "function_call": {"name": "add", "arguments": '{"numbers": [2, 3]}'}},
        {"role": "function", "name": "add", "content": "5"},
    ]
    check_history(one.messages)
    assert [one["name"] for one in client_of(one).requests[0].functions] == ["add"]


def test_a_server_that_answers_functions_with_tool_calls_gets_tool_messages(check_history: Check) -> None:
    """The shape of the answer is that of the call, whatever was asked for."""
    one = agent([native(("add", '{"numbers": [2]}', "c9"))], "use_functions_api", [Add])
    turn(one, "2?")
    assert one.messages[-1] == {"role": "tool", "tool_call_id": "c9", "content": "2"}
    check_history(one.messages)


def test_a_call_in_the_text_is_run_in_tools_mode_too(check_history: Check) -> None:
    """Some models write the call although the API has a place for it."""
    one = agent([written("add", numbers=[4])], "use_tools_api", [Add])
    response = turn(one, "4?")
    assert response is not None
    assert response.text == "Result of add: 4"
    assert one.messages[-1]["role"] == "user"
    check_history(one.messages)


@pytest.mark.parametrize("mode", MODES)
def test_prose_is_no_attempt(mode: ToolModeName) -> None:
    """A reply without a call is answered by nothing, and nothing is added."""
    one = agent(["Hello {there}."], mode, [Add])
    assert turn(one, "hi") is None
    assert one.messages[-1] == {"role": "assistant", "content": "Hello {there}."}


# ------------------------------------------------------------------ mending and errors


def test_the_history_replays_what_was_mended(check_history: Check) -> None:
    """Arguments come back as valid JSON; the model's own words stay beside them."""
    broken = "{'numbers': ['2', 3,]}"
    one = agent([native(("functions.add", broken, "c1"))], "use_tools_api", [Add])
    response = turn(one, "2 and 3?")
    assert response is not None
    assert response.results[0].text == "5"
    assert one.messages[1]["tool_calls"][0]["function"] == {"name": "add", "arguments": '{"numbers": [2, 3]}'}
    assert one.history[1].reply == native(("functions.add", broken, "c1"))
    check_history(one.messages)


def test_prompt_mode_replays_what_was_mended() -> None:
    """A call that had to be mended is shown to the model as it should have been; words around it are kept."""
    one = agent(["I will add.\n{'name': 'add', 'arguments': {'numbers': [2]}}"], tools=[Add])
    turn(one, "2?")
    assert one.messages[-2]["content"] == f"I will add.\n{written('add', numbers=[2])}"
    assert one.history[-2].reply is not None
    assert "'name'" in one.history[-2].reply.text


def test_a_good_reply_is_replayed_to_the_letter() -> None:
    """Nothing is rewritten where nothing was mended."""
    text = '{"name":   "add", "arguments": {"numbers": [1.0e0]}}'
    right = '{"name":   "add",\n "arguments": {"numbers": [1]}}'
    one = agent([right, text], tools=[Add])
    turn(one, "1?")
    assert one.messages[-2]["content"] == right
    reply = native(("add", '{ "numbers":[1] }', "c1"))
    two = agent([reply], "use_tools_api", [Add])
    turn(two, "1?")
    assert two.messages[1]["tool_calls"][0]["function"]["arguments"] == '{ "numbers":[1] }'


@pytest.mark.parametrize("mode", MODES)
def test_an_error_goes_back_to_the_model(mode: ToolModeName, check_history: Check) -> None:
    """What cannot be mended is answered by a text that names the tool, the place and the allowed values."""
    call_id = "c1" if mode == "use_tools_api" else None
    reply = written("paint", color="blue") if mode == "use_tools" else native(("paint", '{"color": "blue"}', call_id))
    one = agent([reply, "sorry"], mode, [Paint])
    response = turn(one, "blue!")
    assert response is not None
    assert not response.results[0].ok
    for part in ("paint", "/color", "blue", "red", "green"):
        assert part in response.text
    assert response.text in one.messages[-1]["content"]
    turn(one, None)
    check_history(one.messages)


@pytest.mark.parametrize(
    "arguments", ['{"numbers": [1', "no json at all", "", "[1, 2, {", '{"numbers": NaN}', "\x00\ud800"]
)
def test_unreadable_arguments_are_replayed_as_json(arguments: str, check_history: Check) -> None:
    """The model sees what it wrote, and the server gets an object that it can read."""
    one = agent([native(("add", arguments, "c1")), "x"], "use_tools_api", [Add])
    response = turn(one, "go")
    assert response is not None
    assert response.results[0].error is not None
    turn(one, None)
    check_history(one.messages)


@pytest.mark.parametrize("name", ["", "läuft nicht!", "x" * 200, "multi_tool_use.parallels"])
def test_an_invented_name_is_replayed_as_one_that_the_api_takes(name: str, check_history: Check) -> None:
    """An illegal name in the history would be refused for ever after."""
    one = agent([native((name, "{}", "c1")), "x"], "use_tools_api", [Add])
    response = turn(one, "go")
    assert response is not None
    assert "add" in response.text
    turn(one, None)
    check_history(one.messages)


@pytest.mark.parametrize("how", ["crash", "retry", "final"])
def test_what_a_handler_raises_is_its_result(how: str, check_history: Check) -> None:
    """A handler that raises answers its call like one that returns."""
    one = agent([native(("fail", json.dumps({"how": how}), "c1"))], "use_tools_api", [Fail])
    response = turn(one, "go")
    assert response is not None
    assert ("boom" if how == "crash" else f"please {how}") in response.text
    assert response.results[0].retry is (how == "retry")
    check_history(one.messages)


def test_an_interrupt_leaves_a_history_that_can_go_on(check_history: Check) -> None:
    """KeyboardInterrupt passes through; of the call that was running nobody says that it was not executed."""

    def interrupted(_call: Add) -> str:
        raise KeyboardInterrupt

    one = agent([native(("add", '{"numbers": [1]}', "c1")), "what now?"], "use_tools_api")
    one.enable_message(Add, handler=interrupted)
    reply = one.llm_response("go")
    with pytest.raises(KeyboardInterrupt):
        one.agent_response(reply)
    check_history(one.messages)
    one.llm_response("and now?")
    check_history(one.messages)
    assert "nobody knows how far it came" in one.messages[2]["content"]


# ------------------------------------------------------------------ several calls, ids


def test_a_batch_with_one_bad_member_answers_every_id(check_history: Check) -> None:
    """The good calls run, the bad ones are told, in the order of the calls."""
    calls = (
        ("add", '{"numbers": [1]}', "a"),
        ("nothing", "{}", "b"),
        ("paint", '{"color": "RED"}', "c"),
        ("paint", '{"color": "blue"}', "d"),
    )
    one = agent([native(*calls), "x"], "use_tools_api", [Add, Paint])
    response = turn(one, "go")
    assert response is not None
    assert [(result.id, result.ok) for result in response.results] == [
        ("a", True),
        ("b", False),
        ("c", True),
        ("d", False),
    ]
    assert [message["tool_call_id"] for message in one.messages[2:]] == ["a", "b", "c", "d"]
    check_history(one.messages)


def test_missing_and_doubled_ids_become_unique(check_history: Check) -> None:
    """Within a reply and over the whole conversation, since servers count from one in each reply."""
    first = native(
        ("add", '{"numbers": [1]}', "call_1"), ("add", '{"numbers": [2]}', "call_1"), ("add", '{"numbers": [3]}', None)
    )
    second = native(("add", '{"numbers": [4]}', "call_1"), ("add", '{"numbers": [5]}', ""))
    one = agent([first, second], "use_tools_api", [Add])
    for _ in range(2):
        response = turn(one, "go")
        assert response is not None
    assert response is not None
    assert [result.text for result in response.results] == ["4", "5"]
    check_history(one.messages)


def test_the_reply_that_is_returned_has_the_ids_of_the_history() -> None:
    """A user who answers by hand finds the same ids everywhere."""
    one = agent([native(("add", '{"numbers": [1]}', None))], "use_tools_api", [Add])
    reply = one.llm_response("go")
    response = one.agent_response(reply)
    assert response is not None
    assert [call.id for call in reply.tool_calls] == [result.id for result in response.results]
    assert one.messages[-1]["tool_call_id"] == reply.tool_calls[0].id


def test_a_call_that_holds_others_is_opened(check_history: Check) -> None:
    """Each call in `multi_tool_use.parallel` gets an id and an answer of its own."""
    uses = [{"recipient_name": "functions.add", "parameters": {"numbers": [n]}} for n in (1, 2)]
    one = agent(
        [native(("multi_tool_use.parallel", json.dumps({"tool_uses": uses}), "c1")), "x"], "use_tools_api", [Add]
    )
    response = turn(one, "go")
    assert response is not None
    assert [result.text for result in response.results] == ["1", "2"]
    turn(one, None)
    check_history(one.messages)


def test_several_calls_in_text_are_answered_in_one_message() -> None:
    """A conversation in plain text has one answer per turn."""
    one = agent([f"{written('add', numbers=[1])}\n{written('paint', color='blue')}"], tools=[Add, Paint])
    response = turn(one, "go")
    assert response is not None
    assert len(response.results) == 2
    assert one.messages[-1] == {"role": "user", "content": response.text}
    assert response.text.startswith("Result of add: 1\n\n")


def test_calls_that_were_not_run_are_answered_before_the_conversation_goes_on(check_history: Check) -> None:
    """Asking again without `agent_response` leaves no call open."""
    one = agent([native(("add", '{"numbers": [1]}', "a")), "x"], "use_tools_api", [Add])
    one.llm_response("go")
    check_history(one.messages)
    one.llm_response("never mind")
    check_history(one.messages)
    assert [message["role"] for message in one.messages] == ["user", "assistant", "tool", "user", "assistant"]


# ------------------------------------------------------------------ agent_response


def test_a_turn_is_run_once() -> None:
    """Asked again for the same reply, the agent gives the same answer and runs nothing."""
    ran: list[Add] = []
    one = agent([written("add", numbers=[1])])
    one.enable_message(Add, handler=ran.append)
    reply = one.llm_response("go")
    assert one.agent_response(reply) is one.agent_response(reply)
    assert len(ran) == 1


def test_an_earlier_turn_is_not_run() -> None:
    """Its calls were answered, or given up: running them later would be a surprise."""
    ran: list[Add] = []
    one = agent([written("add", numbers=[1]), "x"])
    one.enable_message(Add, handler=ran.append)
    reply = one.llm_response("go")
    one.llm_response("never mind")
    with pytest.raises(ToolUsageError, match="only the calls of the last turn"):
        one.agent_response(reply)
    assert ran == []
    assert one.agent_response(replace(reply)) is not None
    assert len(ran) == 1


def test_a_string_counts_as_the_models_words(check_history: Check) -> None:
    """No model is needed to run what it wrote."""
    one = agent([], tools=[Add])
    response = one.agent_response("{'name': 'add', 'arguments': {'numbers': [7]}}")
    assert response is not None
    assert response.text == "Result of add: 7"
    assert [entry.origin for entry in one.history] == ["model", "tool"]
    check_history(one.messages)


def test_the_text_of_the_last_reply_is_that_turn() -> None:
    """Handing over `reply.text` does not make a second turn of it."""
    one = agent([written("add", numbers=[7])], tools=[Add])
    reply = one.llm_response("go")
    assert one.agent_response(reply.text) is not None
    assert [entry.origin for entry in one.history] == ["user", "model", "tool"]


def test_a_reply_from_elsewhere_becomes_a_turn(check_history: Check) -> None:
    """Replies that another client got are run and recorded all the same."""
    one = agent(["x"], "use_tools_api", [Add])
    response = one.agent_response(native(("add", '{"numbers": [7]}', "z")))
    assert response is not None
    one.llm_response()
    check_history(one.messages)


def test_what_the_user_says_is_never_run() -> None:
    """A call in the user's words runs nothing, even if the model repeats nothing of it."""
    ran: list[Add] = []
    one = agent(["I see."])
    one.enable_message(Add, handler=ran.append)
    reply = one.llm_response(written("add", numbers=[1]))
    assert one.agent_response(reply) is None
    assert ran == []


# ------------------------------------------------------------------ which tools


def test_a_tool_that_is_only_offered_is_not_run(check_history: Check) -> None:
    """Its call is answered, so that the history stays valid, and says that nothing ran."""
    one = agent(
        [native(("add", '{"numbers": [1]}', "a"), ("paint", '{"color": "red"}', "b"))], "use_tools_api", [Paint]
    )
    one.enable_message(Add, handle=False)
    response = turn(one, "go")
    assert response is not None
    assert [result.ok for result in response.results] == [False, True]
    assert "not run here" in response.results[0].text
    check_history(one.messages)


def test_a_tool_that_is_only_run_is_not_told_of() -> None:
    """The model can still call it, as one that knows it from elsewhere does."""
    one = agent([written("add", numbers=[1])], tools=[Paint])
    one.enable_message(Add, use=False)
    assert "add" not in one.messages[0]["content"]
    response = turn(one, "go")
    assert response is not None
    assert response.text == "Result of add: 1"


def test_disabled_tools_are_gone() -> None:
    """Once disabled, a tool is neither told of nor run; one of the two can be taken away alone."""
    one = agent([written("add", numbers=[1])] * 3, tools=[Add, Paint])
    one.disable_message(Add, handle=False)
    assert "add" not in one.messages[0]["content"]
    response = turn(one, "go")
    assert response is not None
    assert response.results[0].ok
    one.disable_message("add")
    response = turn(one, "go")
    assert response is not None
    assert "There is no tool named 'add'" in response.text
    one.disable_message()
    assert one.messages[0]["role"] == "user"
    with pytest.raises(UnknownToolError, match="Add"):
        one.disable_message([Add])


def test_a_change_of_tools_counts_for_the_turn_that_waits() -> None:
    """A tool enabled after the model spoke is there when its words are run."""
    one = agent([written("add", numbers=[1])], tools=[Paint])
    reply = one.llm_response("go")
    one.enable_message(Add)
    response = one.agent_response(reply)
    assert response is not None
    assert response.text == "Result of add: 1"


def test_functions_and_lists_of_tools_can_be_enabled() -> None:
    """A function is a tool like a class."""

    @tool
    def double(number: int) -> int:
        """Double a number."""
        return 2 * number

    one = agent([written("double", number="4")])
    one.enable_message([Add, double])
    response = turn(one, "go")
    assert response is not None
    assert response.text == "Result of double: 8"


def test_enabling_the_same_tool_again_changes_what_was_said_of_it() -> None:
    """The last word counts, and it is no clash of names."""
    one = agent([], tools=[Add])
    one.enable_message(Add, use=False)
    assert one.messages == []
    one.enable_message(Add)
    assert "add" in one.messages[0]["content"]


def test_two_tools_of_one_name_are_refused() -> None:
    """It is told when the second one is enabled, and nothing has changed then."""

    class Other(ToolMessage, name="add"):
        text: str

        def handle(self) -> str:
            return self.text

    one = agent([], tools=[Add])
    with pytest.raises(ToolDefinitionError, match="another tool of that name is enabled"):
        one.enable_message([Paint, Other])
    assert "paint" not in one.messages[0]["content"]
    with pytest.raises(ToolDefinitionError, match="another tool of that name is enabled"):
        agent([], tools=[Add, Other])


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        ({"force": True, "use": False}, ("force",)),
        ({"use": False, "handle": False}, ("use", "handle")),
    ],
)
def test_settings_of_a_tool_that_do_not_go_together_are_refused(
    settings: dict[str, bool], fields: tuple[str, ...]
) -> None:
    """The error names the settings."""
    with pytest.raises(ConfigError) as caught:
        agent([]).enable_message(Add, **settings)  # type: ignore[arg-type]  # the keywords are the case
    assert caught.value.fields == fields


def test_force_and_handler_are_for_one_tool() -> None:
    """Given for a list they are a mistake."""
    with pytest.raises(ConfigError, match="force: give it for one tool at a time, not for 2"):
        agent([]).enable_message([Add, Paint], force=True)
    with pytest.raises(ConfigError, match="handler: give it for one tool"):
        agent([]).enable_message([Add, Paint], handler=str)


def test_a_tool_that_nothing_runs_is_refused() -> None:
    """It is told when the tool is enabled, not when the model first calls it."""

    class Mute(ToolMessage, name="mute"):
        text: str

    with pytest.raises(ConfigError, match="nothing runs the tool 'mute'"):
        agent([]).enable_message(Mute)
    agent([]).enable_message(Mute, handle=False)


# ------------------------------------------------------------------ force


@pytest.mark.parametrize(
    ("mode", "choice"),
    [
        ("use_tools", None),
        ("use_functions_api", {"name": "paint"}),
        ("use_tools_api", {"type": "function", "function": {"name": "paint"}}),
    ],
)
def test_a_forced_tool_is_asked_for_until_it_was_called(mode: ToolModeName, choice: JsonValue) -> None:
    """It is forced when the user has spoken and while its calls are faulty, not after it ran."""
    text = mode == "use_tools"
    call_id = "c1" if mode == "use_tools_api" else None
    bad = written("paint", color="blue") if text else native(("paint", '{"color": "blue"}', call_id))
    good = written("paint", color="red") if text else native(("paint", '{"color": "red"}', call_id))
    one = agent([bad, good, "done", "x"], mode, [Add])
    one.enable_message(Paint, force=True)
    for text_of_user in ("go", None, None, "again"):
        turn(one, text_of_user)
    requests = client_of(one).requests
    forced = [True, True, False, True]
    if mode == "use_tools":
        assert ["must call the tool paint" in request.messages[0]["content"] for request in requests] == forced
    else:
        assert [request.tool_choice for request in requests] == [choice if one else None for one in forced]


def test_a_disabled_tool_is_no_longer_forced() -> None:
    """What is not offered cannot be asked for."""
    one = agent(["x"], "use_tools_api", [Add])
    one.enable_message(Paint, force=True)
    one.disable_message(Paint)
    one.llm_response("go")
    assert client_of(one).requests[0].tool_choice is None


# ------------------------------------------------------------------ what runs a tool


class Painter(ChatAgent):
    """An agent with handlers of its own."""

    def paint(self, call: Paint) -> str:
        return f"the agent painted {call.color}"

    async def add_async(self, call: Add) -> str:
        return f"awaited {sum(call.numbers)}"


def test_a_method_named_like_the_tool_runs_it() -> None:
    """It comes before the message's own `handle`, and after a function given for the tool."""
    one = Painter(ChatAgentConfig(llm=ScriptedClient([written("paint", color="red")] * 2), use_tools=True), [Paint])
    response = turn(one, "go")
    assert response is not None
    assert response.results[0].value == "the agent painted red"
    one.enable_message(Paint, handler=lambda call: f"given {call.color}")
    response = turn(one, "go")
    assert response is not None
    assert response.results[0].value == "given red"


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_an_async_method_runs_it(is_async: bool) -> None:
    """Its name ends in `_async`, as everywhere."""
    one = Painter(ChatAgentConfig(llm=ScriptedClient([written("add", numbers=[1])]), use_tools=True), [Add])
    response = turn(one, "go", is_async=is_async)
    assert response is not None
    assert response.results[0].value == "awaited 1"


@pytest.mark.parametrize("name", ["clear_history", "config", "messages", "llm_response", "_commit", "__init__"])
def test_what_every_agent_has_is_no_handler(name: str) -> None:
    """A tool may be named like a method of the base class: that method is not called for it."""

    class Named(ToolMessage, name=name):
        text: str

        def handle(self) -> str:
            return f"handled {self.text}"

    class Sub(ChatAgent):
        def clear_history(self) -> None:
            raise AssertionError

    one = Sub(ChatAgentConfig(llm=ScriptedClient([written(name, text="x")]), use_tools=True), [Named])
    response = turn(one, "go")
    assert response is not None
    assert response.text == f"Result of {name}: handled x"


def test_a_method_is_no_tool_unless_enabled() -> None:
    """The model's words never choose a method."""
    one = Painter(ChatAgentConfig(llm=ScriptedClient([written("paint", color="red")]), use_tools=True), [Add])
    response = turn(one, "go")
    assert response is not None
    assert "There is no tool named 'paint'" in response.text


# ------------------------------------------------------------------ the conversation


def test_a_failed_request_changes_nothing() -> None:
    """The user's words are not left half-added, so that they can be said again."""
    one = agent([LLMTimeoutError("late"), "hello"], tools=[Add])
    before = one.messages
    with pytest.raises(LLMTimeoutError):
        one.llm_response("hi")
    assert one.messages == before
    assert one.llm_response("hi").text == "hello"


def test_results_can_be_sent_again_after_a_failure(check_history: Check) -> None:
    """What tools gave is kept when the request that sends it fails."""
    one = agent([native(("add", '{"numbers": [1]}', "a")), LLMTimeoutError("late"), "one"], "use_tools_api", [Add])
    turn(one, "go")
    with pytest.raises(LLMTimeoutError):
        one.llm_response()
    assert one.llm_response().text == "one"
    check_history(one.messages)


def test_a_new_conversation_keeps_the_tools() -> None:
    """Clearing takes the words away, not the settings."""
    one = agent(["x"], tools=[Add])
    opening = one.messages
    one.llm_response("hi")
    one.clear_history()
    assert one.messages == opening


def test_the_opening_follows_the_settings() -> None:
    """The system message comes first; without one and without tools there is no opening."""
    client = ScriptedClient(["x"])
    config = ChatAgentConfig(llm=client, system_message="Be brief.", use_tools=True, max_output_tokens=5)
    one = ChatAgent(config)
    assert one.messages == [{"role": "system", "content": "Be brief."}]
    one.enable_message(Add)
    assert one.messages[0]["content"].startswith("Be brief.\n\n")
    one.llm_response("hi")
    assert client.requests[0].max_tokens == 5


def test_the_messages_are_a_copy() -> None:
    """Whoever changes what was given out does not change the conversation."""
    one = agent([native(("add", '{"numbers": [1]}', "a"))], "use_tools_api", [Add])
    turn(one, "go")
    before = one.messages
    one.messages[1]["tool_calls"][0]["id"] = "b"
    one.messages.clear()
    assert one.messages == before


@pytest.mark.parametrize("wrong", [ScriptedClient(["x"]), None, "gpt"], ids=["client", "none", "name"])
def test_an_agent_is_made_of_its_settings(wrong: Any) -> None:  # noqa: ANN401
    """A model alone, or anything else, is an error that says what is needed."""
    with pytest.raises(ConfigError, match=r"a ChatAgentConfig\(llm=\.\.\.\) is needed, got"):
        ChatAgent(wrong)


@pytest.mark.parametrize("wrong", [None, 5, {"content": "x"}])
def test_what_is_no_reply_is_not_run(wrong: Any) -> None:  # noqa: ANN401
    """The error says what a reply is, and the conversation stands as before."""
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient(["x"])), Add)
    with pytest.raises(ToolUsageError, match="a reply is a ModelReply or a str, got"):
        agent.agent_response(wrong)
    assert agent.history == ()


def test_the_name_of_a_tool_is_no_tool() -> None:
    """It is told as it was given, not letter by letter."""
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient(["x"])))
    with pytest.raises(ToolDefinitionError, match="'fill' is no tool"):
        agent.enable_message("fill")  # type: ignore[arg-type]


def test_a_user_says_text() -> None:
    """What is none is told before anything is sent."""
    client = ScriptedClient(["x"])
    wrong: Any = 5
    with pytest.raises(ToolUsageError, match="what the user says must be a str, got int"):
        ChatAgent(ChatAgentConfig(llm=client)).llm_response(wrong)
    assert client.requests == []


def test_the_same_fault_again_gets_the_schema_and_an_example() -> None:
    """The first time it is told in short; another value at the same place is the same fault, another place is not."""
    agent = ChatAgent(ChatAgentConfig(llm=ScriptedClient([]), use_tools=True), Paint)

    def told(color: str) -> str:
        answer = agent.agent_response(f'{{"name": "paint", "arguments": {{"color": "{color}"}}}}')
        assert answer is not None
        assert agent.messages[-1]["content"].endswith(answer.text)
        return answer.text

    short = told("pink")
    assert "JSON Schema" not in short
    for color in ("pink", "pink", "mauve"):
        again = told(color)
        assert again.startswith(short.replace("pink", color))
        assert '"enum": ["red", "green"]' in again
        assert again.endswith('for example: {"name": "paint", "arguments": {"color": "red"}}')
    assert agent.agent_response('{"name": "paint", "arguments": {"color": "red", "tone": "x"}}') is not None
    assert told("pink") == short
    agent.clear_history()
    assert told("pink") == short
