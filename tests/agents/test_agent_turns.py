from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Literal

import pytest

from toolmend.agents import ChatAgent, ChatAgentConfig, ConfigError, ModelReply, RawCall, ScriptedClient, Task, Usage
from toolmend.toolkit import DIALECTS, ToolCall, ToolMessage, ToolRegistry, ToolUsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolmend.agents.chat_agent import AgentResponse
    from toolmend.agents.clients.scripted import Line
    from toolmend.agents.config import ToolModeName
    from toolmend.repairs.record import JsonValue

    Check = Callable[[Sequence[dict[str, JsonValue]]], None]


class Add(ToolMessage, name="add"):
    """Add numbers."""

    numbers: list[int]

    def handle(self) -> int:
        return sum(self.numbers)


class Paint(ToolMessage, name="paint"):
    """Paint something."""

    color: Literal["red", "green"]

    def handle(self) -> str:
        return f"painted {self.color}"


def agent(
    script: Sequence[Line], mode: ToolModeName = "use_tools", tools: Sequence[type[ToolMessage]] = ()
) -> ChatAgent:
    """An agent whose model says what stands in the script."""
    chosen: dict[str, Any] = {mode: True}
    return ChatAgent(ChatAgentConfig(llm=ScriptedClient(script), **chosen), tools)


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


# ------------------------------------------------------------------ what a handler may ask for


class Deps:
    """What the handlers of a program need."""

    limit = 7


class Ask(ToolMessage, name="ask"):
    """Ask for everything."""

    def handle(self, agent: ChatAgent, deps: Deps, call: ToolCall) -> str:
        return f"{type(agent).__name__} {deps.limit} {call.id}"


class Keeper(ChatAgent):
    """An agent whose methods ask for things, too."""

    async def add_async(self, message: Add, context: object) -> str:
        return f"{sum(message.numbers)} {context}"


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_handler_may_ask_for_the_agent_the_context_and_the_call(is_async: bool) -> None:
    """By annotation, of the class or of one that it derives from."""
    script = [native(("ask", "{}", "c1"))]
    one = Keeper(ChatAgentConfig(llm=ScriptedClient(script)), [Ask], context=Deps())
    response = turn(one, "go", is_async=is_async)
    assert response is not None
    assert response.results[0].value == "Keeper 7 c1"


def test_a_method_of_the_agent_may_ask_for_the_context() -> None:
    """By name, where the class says nothing."""
    one = Keeper(ChatAgentConfig(llm=ScriptedClient([native(("add", '{"numbers": [1]}', "c1"))])), context="here")
    one.enable_message(Add)
    response = turn(one, "go")
    assert response is not None
    assert response.results[0].value == "1 here"


def test_a_handler_that_asks_for_what_is_not_there_is_told() -> None:
    """It is the program's mistake: nothing runs, and the call can still be answered."""
    one = ChatAgent(ChatAgentConfig(llm=ScriptedClient([native(("ask", "{}", "c1"))])), [Ask])
    reply = one.llm_response("go")
    with pytest.raises(ToolUsageError, match="the handler of 'ask' asks for 'deps', and there is only: ChatAgent, "):
        one.agent_response(reply)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_handler_may_ask_the_model_itself(is_async: bool, check_history: Check) -> None:
    """Without a trace in the conversation whose call it runs."""

    class Translate(ToolMessage, name="translate"):
        """Translate."""

        def handle(self, agent: ChatAgent) -> str:
            return agent.llm_response_forget("translate, please").text

        async def handle_async(self, agent: ChatAgent) -> str:
            return (await agent.llm_response_forget_async("translate, please")).text

    one = ChatAgent(ChatAgentConfig(llm=ScriptedClient([native(("translate", "{}", "c1")), "bonjour"])), [Translate])
    response = turn(one, "go", is_async=is_async)
    assert response is not None
    assert response.text == "Result of translate: bonjour"
    assert [message["role"] for message in one.messages] == ["user", "assistant", "tool"]
    check_history(one.messages)


# ------------------------------------------------------------------ questions that leave little behind


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_forgotten_question_leaves_no_trace(is_async: bool) -> None:
    """The model is asked with the conversation, which stands as before."""
    client = ScriptedClient(["hello", "forget me"])
    one = ChatAgent(ChatAgentConfig(llm=client))
    one.llm_response("hi")
    before = one.messages
    if is_async:
        reply = asyncio.run(one.llm_response_forget_async("and this?"))
    else:
        reply = one.llm_response_forget("and this?")
    assert reply.text == "forget me"
    assert [message["content"] for message in client.requests[1].messages] == ["hi", "hello", "and this?"]
    assert one.messages == before


def test_a_forgotten_question_changes_nothing_about_a_turn_that_waits(check_history: Check) -> None:
    """The calls of the last turn can still be run."""
    one = agent([native(("add", '{"numbers": [1]}', "a")), "aside"], "use_tools_api", [Add])
    reply = one.llm_response("go")
    assert one.llm_response_forget("by the way").text == "aside"
    response = one.agent_response(reply)
    assert response is not None
    assert response.results[0].ok
    check_history(one.messages)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_long_prompt_is_sent_and_a_short_question_kept(is_async: bool) -> None:
    """Retrieved passages go out with the question once."""
    client = ScriptedClient(["Blue.", "Yes."])
    one = ChatAgent(ChatAgentConfig(llm=client))
    if is_async:
        asyncio.run(one.llm_response_temp_context_async("What colour?", "Passages: ...\nWhat colour?"))
    else:
        one.llm_response_temp_context("What colour?", "Passages: ...\nWhat colour?")
    one.llm_response("Sure?")
    asked = [[message["content"] for message in request.messages] for request in client.requests]
    assert asked == [["Passages: ...\nWhat colour?"], ["What colour?", "Blue.", "Sure?"]]


def test_a_call_after_a_long_prompt_is_run_as_any_other(check_history: Check) -> None:
    """The turn belongs to the short question."""
    one = agent([native(("add", '{"numbers": [1]}', "a")), "one"], "use_tools_api", [Add])
    response = one.agent_response(one.llm_response_temp_context("sum?", "passages, sum?"))
    assert response is not None
    assert one.llm_response().text == "one"
    assert one.messages[0]["content"] == "sum?"
    check_history(one.messages)


@pytest.mark.parametrize(
    ("text", "prompt", "told"), [("sum?", None, "prompt"), (None, "passages", "text"), (5, "", "text")]
)
def test_a_long_prompt_is_text_in_place_of_a_text(text: Any, prompt: Any, told: str) -> None:  # noqa: ANN401
    """What is none is told before anything is sent; in place of nothing it would be in place of a result."""
    one = agent([native(("add", '{"numbers": [1]}', "a"))], "use_tools_api", [Add])
    turn(one, "go")
    before = one.history
    with pytest.raises(ToolUsageError, match=f"{told} must be a str, got|user says must be a str"):
        one.llm_response_temp_context(text, prompt)
    with pytest.raises(ToolUsageError):
        asyncio.run(one.llm_response_temp_context_async(text, prompt))
    assert one.history == before


def test_where_there_is_nothing_to_send_nothing_is_sent() -> None:
    """No server takes a request without a message; one with a system message may begin."""
    client = ScriptedClient(["hello"])
    with pytest.raises(ToolUsageError, match="nothing to send"):
        ChatAgent(ChatAgentConfig(llm=client)).llm_response()
    assert client.requests == []
    assert ChatAgent(ChatAgentConfig(llm=client, system_message="Greet.")).llm_response().text == "hello"


# ------------------------------------------------------------------ copies, sums, other forms


def test_a_clone_has_the_tools_and_not_the_conversation() -> None:
    """Nor does what happens to one happen to the other; methods run on the clone."""

    class Counting(ChatAgent):
        count = 0

        def paint(self, call: Paint) -> int:
            self.count += 1
            return self.count

    client = ScriptedClient([written("paint", color="red")] * 3)
    one = Counting(ChatAgentConfig(llm=client, use_tools=True), [Paint])
    turn(one, "go")
    other = one.clone()
    assert type(other) is Counting
    assert other.history == ()
    assert other.messages == one.messages[: len(other.messages)]
    turn(other, "go")
    assert (one.count, other.count) == (1, 2)
    other.disable_message("paint")
    response = turn(one, "go")
    assert response is not None
    assert response.results[0].ok


def test_a_clone_may_go_on_with_the_conversation() -> None:
    """Each then has its own."""
    one = agent(["hello", "a", "b"])
    one.llm_response("hi")
    other = one.clone(history=True)
    assert other.messages == one.messages
    other.llm_response("x")
    one.llm_response("y")
    assert [message["content"] for message in one.messages[-3:]] == ["hello", "y", "b"]
    assert [message["content"] for message in other.messages[-3:]] == ["hello", "x", "a"]


def test_the_cost_of_all_replies_is_added_up() -> None:
    """Those that were forgotten cost the same."""
    replies = [ModelReply("a", usage=Usage(3, 1)), ModelReply("b"), ModelReply("c", usage=Usage(5, 2))]
    one = agent(replies)
    one.llm_response("x")
    one.llm_response("y")
    one.llm_response_forget("z")
    assert one.usage == Usage(8, 3)
    one.clear_history()
    assert one.usage == Usage(8, 3)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_a_prompt_may_ask_for_calls_in_other_forms(dialect: str) -> None:
    """They are read and replayed in that form."""
    tools = ToolRegistry([Add])
    [call] = tools.parse_call("add", '{"numbers": [1, 2]}').calls
    config = ChatAgentConfig(llm=ScriptedClient([tools.render(call, dialect)]), use_tools=True, dialect=dialect)
    one = ChatAgent(config, [Add])
    response = turn(one, "go")
    assert response is not None
    assert response.text == "Result of add: 3"
    mended = ScriptedClient(["{'name': 'Add', 'arguments': {'numbers': ['1', 2]}}"])
    one = ChatAgent(ChatAgentConfig(llm=mended, use_tools=True, dialect=dialect), [Add])
    response = turn(one, "go")
    assert response is not None
    assert response.text == "Result of add: 3"
    assert one.history[1].message["content"] == tools.render(call, dialect)


@pytest.mark.parametrize("mode", ["use_tools", "use_functions_api", "use_tools_api"])
def test_text_of_unknown_origin_runs_no_tool_that_is_not_offered(mode: ToolModeName, check_history: Check) -> None:
    """A program that hands over a user's words for a model's has not given the user a tool."""
    ran: list[Add] = []
    one = agent(["x"], mode)
    one.enable_message(Add, use=False, handler=ran.append)
    response = one.agent_response(written("add", numbers=[1]))
    assert response is not None
    assert response.text == "The call of 'add' was not run: this tool is not offered."
    assert ran == []
    response = one.agent_response(ModelReply(written("add", numbers=[1])))
    assert response is not None
    assert len(ran) == 1
    check_history(one.messages)


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb"])
def test_half_a_character_is_not_sent(text: str) -> None:
    """Whoever said it: no request can carry it."""
    client = ScriptedClient([ModelReply(text), ModelReply(text, (RawCall("add", '{"numbers": [1]}', "c"),)), "x"])
    one = ChatAgent(ChatAgentConfig(llm=client, system_message=text), [Add])
    one.llm_response(text)
    turn(one, text)
    one.llm_response(text)
    for request in client.requests:
        json.dumps(request.messages, ensure_ascii=False).encode()


# ------------------------------------------------------------------ tools


@pytest.mark.parametrize("use", [False, True])
@pytest.mark.parametrize("handle", [False, True])
@pytest.mark.parametrize("force", [False, True])
def test_a_tool_is_offered_run_and_forced_as_it_was_said(use: bool, handle: bool, force: bool) -> None:
    """Each apart from the others; what cannot be is refused, and what is said later counts."""
    client = ScriptedClient([native(("add", '{"numbers": [1]}', "c1"))] * 2)
    one = ChatAgent(ChatAgentConfig(llm=client), [Add, Paint])
    if not (use or handle) or (force and not use):
        with pytest.raises(ConfigError):
            one.enable_message(Add, use=use, handle=handle, force=force)
        use, handle, force = True, True, False
    else:
        one.enable_message(Add, use=use, handle=handle, force=force)
    response = turn(one, "go")
    assert response is not None
    assert response.results[0].ok is handle
    assert ("add" in [tool["function"]["name"] for tool in client.requests[0].tools]) is use
    assert (client.requests[0].tool_choice is not None) is force
    one.enable_message(Add)
    response = turn(one, "again")
    assert response is not None
    assert response.results[0].ok


def test_tools_are_given_as_one_argument() -> None:
    """Two in a row would be taken for a tool and a setting."""
    enable: Any = agent([]).enable_message
    with pytest.raises(TypeError):
        enable(Add, Paint)


def test_each_agent_reads_a_reply_with_its_own_tools() -> None:
    """What one agent made of it is not handed on with it."""
    one, other = agent([], tools=[Add]), agent([], tools=[Paint])
    reply = ModelReply(written("paint", color="red"))
    first, second = one.agent_response(reply), other.agent_response(reply)
    assert first is not None
    assert second is not None
    assert "There is no tool named 'paint'" in first.text
    assert second.text == "Result of paint: painted red"


@pytest.mark.parametrize("mode", ["use_tools", "use_functions_api", "use_tools_api"])
def test_what_a_tool_returns_is_never_searched_for_calls(mode: ToolModeName, check_history: Check) -> None:
    """Not even if it looks like one: only what the model says is."""
    call = native(("add", '{"numbers": [1]}', None)) if mode != "use_tools" else written("add", numbers=[1])
    one = agent([call, "ready"], mode, [Paint])
    ran: list[Add] = []

    def handler(message: Add) -> str:
        ran.append(message)
        return written("add", numbers=[2])

    one.enable_message(Add, handler=handler)
    result = Task(one).run("go")
    assert (result.output, result.turns, len(ran)) == ("ready", 2, 1)
    check_history(result.messages)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_handler_may_change_the_agent(is_async: bool) -> None:
    """The agent that it is given is the one that runs it."""

    class Counter(ChatAgent):
        total = 0

    class Count(ToolMessage, name="count"):
        by: int

        def handle(self, agent: Counter) -> int:
            agent.total += self.by
            return agent.total

    one = Counter(ChatAgentConfig(llm=ScriptedClient([native(("count", '{"by": 3}', "c1"))] * 2)), [Count])
    turn(one, "go", is_async=is_async)
    turn(one, "go", is_async=is_async)
    assert one.total == 6


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_conversation_does_not_go_on_while_a_call_runs(is_async: bool, check_history: Check) -> None:
    """The call has no answer yet; the handler is told what to do instead."""

    class Chat(ToolMessage, name="chat"):
        async def handle_async(self, agent: ChatAgent) -> str:
            return (await agent.llm_response_async("and you?")).text

    one = agent([native(("chat", "{}", "c1")), "x"], "use_tools_api", [Chat])
    response = turn(one, "go", is_async=is_async)
    assert response is not None
    assert "a handler that asks the model uses `llm_response_forget`" in response.text
    assert len(one.history) == 3
    assert one.llm_response().text == "x"
    check_history(one.messages)


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("what", ["clear", "import"])
def test_a_handler_does_not_replace_the_conversation(what: str, is_async: bool, check_history: Check) -> None:
    """Its own call would be gone, and with it whatever was to be answered."""

    class Reset(ToolMessage, name="reset"):
        def handle(self, agent: ChatAgent) -> None:
            agent.clear_history() if what == "clear" else agent.import_history(agent.export_history())

    one = agent([native(("reset", "{}", "c1")), "x"], "use_tools_api", [Reset])
    response = turn(one, "go", is_async=is_async)
    assert response is not None
    assert "a call of the last turn is being run" in response.text
    assert one.llm_response().text == "x"
    check_history(one.messages)
    one.clear_history()
    assert one.history == ()


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
def test_a_handler_may_change_the_tools(is_async: bool, check_history: Check) -> None:
    """The next turn has them; what is being run is not read again."""

    class Learn(ToolMessage, name="learn"):
        def handle(self, agent: ChatAgent) -> None:
            agent.enable_message(Add)

    calls = (("learn", "{}", "c1"), ("learn", "{}", "c2"), ("add", '{"numbers": [1]}', "c3"))
    one = agent([native(*calls), native(("add", '{"numbers": [1]}', "c4"))], "use_tools_api", [Learn])
    response = turn(one, "go", is_async=is_async)
    assert response is not None
    assert [result.ok for result in response.results] == [True, True, False]
    response = turn(one, None, is_async=is_async)
    assert response is not None
    assert response.results[0].value == 1
    check_history(one.messages)
