from __future__ import annotations

import json
import pathlib
import signal
import subprocess
import sys
import threading
from datetime import UTC, datetime
from typing import Any

import pytest
import session_writer
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from session_writer import TURNS, agent
from strictness import chat_complaint

from toolmend.agents import ChatAgent, ChatAgentConfig, ModelReply, RawCall, ScriptedClient, Task
from toolmend.agents.errors import (
    ConfigError,
    MissingExtraError,
    SessionConflictError,
    SessionDataError,
    SessionError,
    SessionStoreError,
)
from toolmend.agents.sessions import SessionStore
from toolmend.agents.turn import INTERRUPTED
from toolmend.repairs.errors import UsageError


@pytest.fixture
def url(tmp_path: pathlib.Path) -> str:
    """The address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'chats.db'}"


@pytest.fixture
def store(url: str) -> SessionStore:
    """A store without sessions."""
    return SessionStore(url)


def questions(one: ChatAgent) -> list[str]:
    """What the user has said, after a look at the whole conversation."""
    messages = one.messages
    assert not messages or chat_complaint({"model": "m", "messages": messages}) is None
    return [message["content"] for message in messages if message["role"] == "user"]


def stored(store: SessionStore, name: str = "shared") -> ChatAgent:
    """A fresh agent with what is stored."""
    one = agent()
    assert store.session(name).resume(one)
    return one


def execute(store: SessionStore, statement: str) -> None:
    """Change the database behind the back of the store."""
    with store._database._engine.begin() as connection:
        connection.execute(sa.text(statement))


# ------------------------------------------------------------------ one writer


def test_a_conversation_is_gone_on_with(url: str) -> None:
    """Another store, as another process has it, gives an agent the same conversation, word for word."""
    one = agent()
    with SessionStore(url) as store:
        session = store.session("ann")
        assert session.resume(one) is False
        Task(one).run("buy milk")
        session.save(one)
    other = agent()
    with SessionStore(url) as store:
        assert store.session("ann").resume(other) is True
    assert other.history == one.history
    assert Task(other).run("buy tea").output == "done: buy tea"


def test_resuming_an_unknown_session_empties_the_conversation(store: SessionStore) -> None:
    """The agent's conversation is that of the session, whatever it was before."""
    one = agent()
    Task(one).run("of another session")
    assert store.session("new").resume(one) is False
    assert one.history == ()


def test_only_what_is_new_is_written(store: SessionStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long conversation is not written again for each turn, and not at all if nothing was said."""
    writes: list[tuple[int, int]] = []
    write = store._database.write

    def watched(session_id: str, version: int, keep: int, bodies: list[str], form: int) -> None:
        writes.append((keep, len(bodies)))
        write(session_id, version, keep, bodies, form)

    monkeypatch.setattr(store._database, "write", watched)
    one, session = agent(), store.session("shared")
    for text in ("one", "two"):
        Task(one).run(text)
        session.save(one)
        session.save(one)
    assert writes == [(0, 4), (4, 4)]
    later = agent()
    session = store.session("shared")
    session.resume(later)
    session.save(later)
    Task(later).run("three")
    session.save(later)
    assert writes[2:] == [(8, 4)]
    assert questions(stored(store)) == ["one", "two", "three"]


def test_a_history_that_was_cleared_is_stored_as_it_is(store: SessionStore) -> None:
    """What is stored is the agent's conversation, also if that became shorter or another one."""
    one, session = agent(), store.session("shared")
    Task(one).run("one")
    session.save(one)
    one.clear_history()
    session.save(one)
    assert stored(store).history == ()
    Task(one).run("two")
    session.save(one)
    assert questions(stored(store)) == ["two"]


def test_an_empty_conversation_makes_a_session_all_the_same(store: SessionStore) -> None:
    """It was saved, so it is there."""
    store.session("empty").save(agent())
    assert [info.id for info in store.sessions()] == ["empty"]


@settings(max_examples=30, deadline=None)
@given(st.text(), st.text())
def test_any_text_is_stored(tmp_path_factory: pytest.TempPathFactory, said: str, told: str) -> None:
    """Zeros, halves of characters and all other signs come back."""
    store = SessionStore(f"sqlite:///{tmp_path_factory.mktemp('any') / 'x.db'}")
    one = ChatAgent(ChatAgentConfig(llm=ScriptedClient([ModelReply(told + "\ud800")])))
    one.llm_response(said)
    store.session("any").save(one)
    other = ChatAgent(ChatAgentConfig(llm=ScriptedClient([])))
    store.session("any").resume(other)
    assert other.history == one.history


def test_what_a_user_said_is_no_call_after_it_was_stored(store: SessionStore) -> None:
    """Who spoke is kept: a call that is only quoted never runs."""
    call = '{"name": "note", "arguments": {"text": "stolen"}}'
    one = ChatAgent(ChatAgentConfig(llm=ScriptedClient(["No.", "Still no."]), use_tools=True), [session_writer.Note])
    one.llm_response(call)
    session = store.session("shared")
    session.save(one)
    session.resume(one)
    assert [entry.origin for entry in one.history] == ["user", "model"]
    result = Task(one).run()
    assert (result.output, result.calls) == ("Still no.", ())


def test_sessions_are_listed_and_forgotten(store: SessionStore) -> None:
    """The last written comes first."""
    before = datetime.now(UTC)
    for name in ("a", "b"):
        store.session(name).save(agent())
    one, again = agent(), store.session("a")
    again.resume(one)
    Task(one).run("hello")
    again.save(one)
    infos = store.sessions()
    assert [info.id for info in infos] == ["a", "b"]
    assert before <= infos[0].created <= infos[0].updated <= datetime.now(UTC)
    assert store.delete("a") is True
    assert store.delete("a") is False
    assert [info.id for info in store.sessions()] == ["b"]


# ------------------------------------------------------------------ several writers


def test_who_comes_second_is_told_and_writes_nothing(store: SessionStore) -> None:
    """Neither turn is lost: the first is stored, the second can be taken again on top of it."""
    store.session("shared").save(agent())
    ours, theirs = store.session("shared"), store.session("shared")
    mine, other = agent(), agent()
    ours.resume(mine)
    theirs.resume(other)
    Task(other).run("theirs")
    theirs.save(other)
    Task(mine).run("ours")
    with pytest.raises(SessionConflictError, match=r"'shared' was written .* `resume`") as caught:
        ours.save(mine)
    assert caught.value.session_id == "shared"
    assert questions(stored(store)) == ["theirs"]
    ours.resume(mine)
    Task(mine).run("ours")
    ours.save(mine)
    assert questions(stored(store)) == ["theirs", "ours"]


def test_a_name_that_is_taken_is_not_written_over(store: SessionStore) -> None:
    """Who did not read the session cannot know what it would destroy."""
    store.session("shared").save(agent())
    with pytest.raises(SessionConflictError, match="is there already"):
        store.session("shared").save(agent())


def test_a_session_that_was_deleted_does_not_come_back(store: SessionStore) -> None:
    """To write it again one has to say so, by resuming it as a new one."""
    one, session = agent(), store.session("shared")
    session.save(one)
    store.delete("shared")
    Task(one).run("hello")
    with pytest.raises(SessionConflictError, match="deleted"):
        session.save(one)
    assert store.sessions() == []


def assert_turns_are_whole(store: SessionStore, names: list[str]) -> None:
    """Each turn of each writer is there once, in one piece, and each writer's are in order."""
    one = stored(store)
    said = questions(one)
    for name in names:
        assert [text for text in said if text.startswith(name)] == [f"{name}{number}" for number in range(TURNS)]
    roles = [message["role"] for message in one.messages]
    assert roles == ["user", "assistant", "tool", "assistant"] * (TURNS * len(names))
    answers = [message["content"] for message in one.messages[3::4]]
    assert answers == [f"done: {text}" for text in said]


def test_threads_do_not_lose_or_mix_turns(store: SessionStore) -> None:
    """One store, a session and an agent for each thread."""
    store.session("shared").save(agent())
    names = ["a", "b", "c"]
    threads = [
        threading.Thread(target=session_writer.take_turns, args=(store.session("shared"), name)) for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_turns_are_whole(store, names)


def start(url: str, name: str, role: str) -> subprocess.Popen[str]:
    """Run the writer in a process of its own."""
    command = [sys.executable, "-P", session_writer.__file__, url, name, role]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def test_processes_do_not_lose_or_mix_turns(url: str) -> None:
    """Two processes that even make the database at the same time."""
    names = ["a", "b"]
    writers = [start(url, name, "turns") for name in names]
    for writer in writers:
        _, complaints = writer.communicate()
        assert writer.returncode == 0, complaints
    assert_turns_are_whole(SessionStore(url), names)


# ------------------------------------------------------------------ what goes wrong


def test_a_process_killed_within_a_tool_leaves_a_conversation_that_goes_on(url: str) -> None:
    """What was saved before each step is there, and the call says that nobody knows how far it came."""
    writer = start(url, "x", "dies-in-tool")
    _, complaints = writer.communicate()
    assert writer.returncode == -signal.SIGKILL, complaints
    store = SessionStore(url)
    one = stored(store)
    assert questions(one) == ["first", "please die"]
    assert one.messages[-1]["role"] == "tool"
    session = store.session("shared")
    session.resume(one)
    assert Task(one).run("and now?").output == "done: and now?"
    session.save(one)
    assert questions(stored(store)) == ["first", "please die", "and now?"]


def test_a_process_killed_within_a_write_leaves_what_was_there_before(url: str) -> None:
    """A write is done as a whole, or not at all, and locks nobody out afterwards."""
    writer = start(url, "x", "dies-in-commit")
    _, complaints = writer.communicate()
    assert writer.returncode == -signal.SIGKILL, complaints
    store = SessionStore(url)
    one, session = agent(), store.session("shared")
    session.resume(one)
    assert questions(one) == ["first"]
    Task(one).run("second")
    session.save(one)
    assert questions(stored(store)) == ["first", "second"]


def test_a_missing_answer_is_made_up_for(store: SessionStore) -> None:
    """Another program may have stored half a turn: the call is answered, and the next save stores that too."""
    one, session = agent(), store.session("shared")
    Task(one).run("first")
    session.save(one)
    execute(store, "DELETE FROM toolmend_entries WHERE position >= 2")
    other = stored(store)
    assert other.messages[-1] == {"role": "tool", "tool_call_id": "call_1", "content": INTERRUPTED}
    session = store.session("shared")
    session.resume(other)
    session.save(other)
    assert len(store._database.read("shared").bodies) == 3  # type: ignore[union-attr]  # it is there


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE toolmend_entries SET body = '{' WHERE position = 1", "entry 1 is no JSON"),
        ("UPDATE toolmend_entries SET body = '[]' WHERE position = 1", "entry 1: an object is needed"),
        (
            """UPDATE toolmend_entries SET body = '{"origin": "model", "message": {"role": "user"}}'""",
            "entry 0.message: a message of role assistant is needed",
        ),
        ("DELETE FROM toolmend_entries WHERE position = 1", "is no open call"),
        ("UPDATE toolmend_sessions SET format = 99", "form 99 by a newer version"),
    ],
)
def test_what_is_no_conversation_is_refused(store: SessionStore, statement: str, words: str) -> None:
    """The error names session and place, and the agent keeps what it has."""
    one = agent()
    Task(one).run("first")
    store.session("shared").save(one)
    execute(store, statement)
    with pytest.raises(SessionDataError, match=f"session 'shared': .*{words}"):
        store.session("shared").resume(one)
    assert questions(one) == ["first"]


def test_a_database_that_cannot_be_used_is_told_as_such(tmp_path: pathlib.Path) -> None:
    """The address is named, without its password."""
    with pytest.raises(SessionStoreError, match="unable to open"):
        SessionStore(f"sqlite:///{tmp_path}/no/such/folder/x.db")
    (tmp_path / "text.db").write_text("this is no database, but a text of some length")
    with pytest.raises(SessionStoreError, match="not a database"):
        SessionStore(f"sqlite:///{tmp_path}/text.db")


def test_a_database_without_its_tables_is_told_as_such(store: SessionStore) -> None:
    """Whatever happens behind the back of the store, the error is one of ours."""
    execute(store, "DROP TABLE toolmend_entries")
    with pytest.raises(SessionStoreError, match="toolmend_entries"):
        store.session("a").resume(agent())
    with pytest.raises(SessionStoreError, match="toolmend_entries"):
        store.delete("a")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("chats.db", "give one such as sqlite:///"),
        ("nosuch://x", "knows no such database"),
        ("oracle+nosuchdriver://u:secret@h/x", "knows no such database"),
        ("mssql+pymssql://u:secret@h/x", "the driver pymssql is not installed"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        ("sqlite:///file::memory:?uri=true", "in memory"),
        ("sqlite:///file:chats?mode=memory&cache=shared&uri=true", "in memory"),
    ],
)
def test_a_wrong_address_is_the_users_mistake(url: str, words: str) -> None:
    """The error says what to give instead."""
    with pytest.raises(ConfigError, match=words) as caught:
        SessionStore(url)
    assert caught.value.fields == ("url",)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("name", ["", "x" * 256, "a\nb", "a\x00", None, 3])
def test_a_name_that_databases_do_not_take_is_refused(store: SessionStore, name: str) -> None:
    """It is told before anything is read or written."""
    with pytest.raises(UsageError, match="the name of a session has 1 to 255"):
        store.session(name)


@pytest.mark.parametrize("given", ["agent", None, ChatAgent])
def test_a_session_is_that_of_an_agent(store: SessionStore, given: Any) -> None:  # noqa: ANN401
    """Anything else is told before anything is read or written."""
    session = store.session("ann")
    for use in (session.save, session.resume):
        with pytest.raises(UsageError, match="the conversation of a session is that of a ChatAgent, got"):
            use(given)
    assert store.sessions() == []


def test_the_default_is_a_file_among_the_users_data(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address in the environment comes before it."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("TOOLMEND_SESSIONS_URL", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    SessionStore().session("a").save(agent())
    assert (tmp_path / "toolmend" / "sessions.db").is_file()
    monkeypatch.setenv("TOOLMEND_SESSIONS_URL", f"sqlite:///{tmp_path / 'other.db'}")
    assert SessionStore().sessions() == []
    assert (tmp_path / "other.db").is_file()


def test_without_the_library_the_error_names_the_extra(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A missing extra is told by its name."""
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    monkeypatch.delitem(sys.modules, "toolmend.agents._session_database", raising=False)
    with pytest.raises(MissingExtraError, match=r"toolmend\[sessions\]"):
        SessionStore(url)


def test_all_errors_of_sessions_have_one_base() -> None:
    """Who stores conversations can catch them together."""
    assert {kind.__base__ for kind in (SessionConflictError, SessionDataError, SessionStoreError)} == {SessionError}


def test_a_reply_is_stored_as_the_model_wrote_it(store: SessionStore) -> None:
    """The raw text stays beside what is sent, for those who look for the model's faults later."""
    raw = RawCall("note", "{'text': 'x',}", "call_9")
    one = ChatAgent(
        ChatAgentConfig(llm=ScriptedClient([ModelReply("so", (raw,), "tool_calls")])), [session_writer.Note]
    )
    one.llm_response("go")
    store.session("shared").save(one)
    reply = stored(store).history[1].reply
    assert reply is not None
    assert reply.tool_calls == (raw,)
    body = store._database.read("shared").bodies[1]  # type: ignore[union-attr]  # it is there
    assert json.loads(body)["message"]["tool_calls"][0]["function"]["arguments"] == '{"text": "x"}'
