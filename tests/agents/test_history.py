from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolmend.agents.conversation import Conversation
from toolmend.agents.history import History
from toolmend.agents.sizes import MessageCounter
from toolmend.agents.tokens import TokenCounter
from toolmend.repairs.errors import UsageError
from toolmend.repairs.record import JsonValue

Message = dict[str, JsonValue]


def user(text: str = "hi") -> Message:
    return {"role": "user", "content": text}


def answer(text: str = "yes") -> Message:
    return {"role": "assistant", "content": text}


def system(text: str = "rule") -> Message:
    return {"role": "system", "content": text}


def called(*ids: str) -> Message:
    calls = [{"id": one, "type": "function", "function": {"name": "look", "arguments": "{}"}} for one in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(call_id: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": "found"}


class Recorded(MessageCounter):
    """Tells which messages are counted."""

    def __init__(self, tokens: TokenCounter) -> None:
        super().__init__(tokens)
        self.counted: list[Message] = []

    def message(self, message: Message) -> int:
        self.counted.append(message)
        return super().message(message)


@pytest.fixture
def counter(letters: TokenCounter) -> Recorded:
    return Recorded(letters)


def seen(conversation: Conversation) -> tuple[object, ...]:
    """All that a conversation is, to be compared."""
    return (
        conversation.messages,
        conversation.sizes,
        conversation.origins,
        conversation.turns,
        conversation.opening,
        conversation.notes,
    )


def test_the_parts_of_a_conversation_are_told_apart(counter: Recorded) -> None:
    """System messages at the beginning, turns that begin with questions, and system messages among them."""
    messages = [system(), system(), user(), called("a"), result("a"), system("note"), user(), called("b"), result("b")]
    conversation, changes = History(counter).conversation(messages)
    assert (conversation.opening, conversation.notes, conversation.turns) == (2, [5], [2, 6])
    assert (conversation.last_turn, conversation.last_block) == (6, 7)
    assert conversation.tokens == sum(map(counter.message, messages))
    assert list(conversation) == messages
    assert conversation[1:3] == messages[1:3]
    assert changes == ()


def test_an_opening_is_no_conversation(counter: Recorded) -> None:
    """Examples that stand before it are no turns; nor are results that are given as messages of the user."""
    messages = [system(), user("example"), answer(), user(), answer("call"), user("result")]
    conversation, _ = History(counter).conversation(messages, opening=3, results={5})
    assert (conversation.opening, conversation.turns, conversation.last_turn) == (3, [3], 3)


@pytest.mark.parametrize(
    ("messages", "opening", "last_turn", "last_block"),
    [
        ([system()], 1, 1, 0),
        ([system(), called("a"), result("a")], 1, 1, 1),
        ([answer(), answer()], 0, 1, 1),
        ([called("a"), result("a"), answer()], 0, 2, 2),
    ],
)
def test_where_nobody_asked_the_last_block_is_the_running_turn(
    counter: Recorded, messages: list[Message], opening: int, last_turn: int, last_block: int
) -> None:
    """There is always something that must not go."""
    conversation, _ = History(counter).conversation(messages)
    assert (conversation.opening, conversation.last_turn, conversation.last_block) == (opening, last_turn, last_block)


def test_a_message_is_counted_once(counter: Recorded) -> None:
    """However often the conversation is sent as it grows."""
    history, messages = History(counter), [system(), user(), called("a"), result("a"), answer()]
    for end in range(1, len(messages) + 1):
        history.conversation(copy.deepcopy(messages[:end]))
    stored = [message for message in counter.counted if message in messages]
    assert stored == messages


Edit = Callable[[list[Message]], object]
EDITS: list[Edit] = [
    lambda messages: messages.pop(),
    lambda messages: messages.append(user("more")),
    lambda messages: messages.append(result("a")),
    lambda messages: messages.__setitem__(0, system("other")),
    lambda messages: messages.__setitem__(-1, answer("other")),
    lambda messages: messages.insert(2, user("between")),
    lambda messages: [call.__setitem__("id", "z") for message in messages for call in message.get("tool_calls", ())],
    lambda messages: messages[5].__setitem__("content", "changed in place"),
    lambda messages: messages.__delitem__(slice(3, None)),
    lambda messages: messages.clear(),
]


@settings(max_examples=300)
@given(data=st.data())
def test_whatever_is_changed_the_conversation_is_as_if_read_anew(letters: TokenCounter, data: st.DataObject) -> None:
    """Going on from what is known, and going back to where it still holds, give what reading all of it gives."""
    counter = MessageCounter(letters)
    messages = [system(), user(), answer(), called("a", "b"), result("a"), user(), called("a"), user("z"), system("n")]
    history = History(counter)
    for edit in data.draw(st.lists(st.sampled_from(EDITS), max_size=6)):
        if len(messages) > 6:
            edit(messages)
        mended, changes = history.conversation(messages)
        fresh, wanted = History(counter).conversation(messages)
        assert seen(mended) == seen(fresh)
        assert changes == wanted


def test_a_result_may_take_the_place_of_the_question_that_came_without_it(counter: Recorded) -> None:
    """What was put there for want of it goes as well."""
    history, messages = History(counter), [user(), called("a"), user("well?")]
    assert len(history.conversation(messages)[0]) == 4
    conversation, changes = history.conversation([*messages[:2], result("a")])
    assert (conversation.messages, changes) == ([*messages[:2], result("a")], ())


def test_forgetting_the_last_turn_reads_nothing_anew(counter: Recorded) -> None:
    """What stands before it is known."""
    history, messages = History(counter), [system(), user(), answer(), user("second"), answer("second")]
    history.conversation(messages)
    counter.counted.clear()
    history.conversation([*messages[:3], user("third")])
    assert counter.counted == [user("third")]


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("text", r"messages\[1\]: a dict is needed, got str"),
        ({"content": "x"}, r"messages\[1\]\.role: .*missing"),
        ({"role": 5}, r"messages\[1\]\.role: str is needed, got int"),
        ({"role": "user", "content": 5}, r"messages\[1\]\.content: str or list is needed, got int"),
        ({"role": "user", "content": ["x"]}, r"messages\[1\]\.content\[0\]: a dict is needed, got str"),
        ({"role": "user", "name": 5}, r"messages\[1\]\.name: str is needed"),
        ({"role": "tool", "tool_call_id": 5}, r"messages\[1\]\.tool_call_id: str is needed"),
        ({"role": "assistant", "tool_calls": {}}, r"messages\[1\]\.tool_calls: list is needed, got dict"),
        ({"role": "assistant", "tool_calls": [5]}, r"messages\[1\]\.tool_calls\[0\]: a dict is needed"),
        ({"role": "assistant", "tool_calls": [{"id": 5}]}, r"messages\[1\]\.tool_calls\[0\]\.id: str is needed"),
        (
            {"role": "assistant", "tool_calls": [{"function": {"arguments": {}}}]},
            r"messages\[1\]\.tool_calls\[0\]\.function\.arguments: str is needed, got dict",
        ),
        ({"role": "assistant", "function_call": "f"}, r"messages\[1\]\.function_call: dict is needed, got str"),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(counter: Recorded, message: Message, fault: str) -> None:
    """And nothing half read stays behind."""
    history = History(counter)
    with pytest.raises(UsageError, match=fault):
        history.conversation([user(), message])
    assert history.conversation([user()])[0].messages == [user()]


def test_depth_is_refused(counter: Recorded) -> None:
    """No server takes it either."""
    deep: JsonValue = "x"
    for _ in range(10_000):
        deep = [deep]
    with pytest.raises(UsageError, match=r"messages\[0\]: nested too deeply"):
        History(counter).conversation([{"role": "user", "content": [{"type": "text", "text": "x", "extra": deep}]}])


def test_what_is_no_list_is_refused(counter: Recorded) -> None:
    """A single message is a likely mistake."""
    with pytest.raises(UsageError, match="messages: a list of Chat Completions messages is needed, got dict"):
        History(counter).conversation(user())  # type: ignore[arg-type]
