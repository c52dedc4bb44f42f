"""Conversations that are stored, and gone on with later, by this process or another.

    store = SessionStore()  # or SessionStore("postgresql+psycopg://...")
    session = store.session("ann")
    session.resume(agent)
    result = Task(agent).run("Where were we?")
    session.save(agent)

A write is one transaction, and builds on what was read: if somebody else wrote in between, nothing is written, and
`SessionConflictError` says so. What is stored is a whole conversation at any time, with an answer to each call.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from toolmend.agents._pairing import Pairing
from toolmend.agents.errors import MissingExtraError, SessionConflictError, SessionDataError, TranscriptError
from toolmend.agents.messages import Entry
from toolmend.agents.transcript import VERSION, entry_data, entry_of, transcript
from toolmend.agents.turn import INTERRUPTED
from toolmend.repairs.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from toolmend.agents._session_database import Database, Stored
    from toolmend.agents.chat_agent import ChatAgent

__all__ = ("Session", "SessionInfo", "SessionStore")

URL_VARIABLE: Final = "TOOLMEND_SESSIONS_URL"
LONGEST_ID: Final = 255  # characters: what all databases take in a key


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """What is known of a stored session without reading it.

    Attributes:
        id: its name.
        created: when it was first written.
        updated: when it was last written.
    """

    id: str
    created: datetime
    updated: datetime


class SessionStore:
    """Sessions in a database; safe to share between threads, and a context manager."""

    def __init__(self, url: str | None = None) -> None:
        """Open the database, and make it if it is not there.

        Args:
            url: its address as SQLAlchemy has it, `sqlite:///chats.db` say; None takes `TOOLMEND_SESSIONS_URL`, or else
                an SQLite file in the user's data folder.

        Raises:
            ConfigError: it is no address, or the driver for it is not installed.
            SessionStoreError: the database cannot be used.
            MissingExtraError: SQLAlchemy is not installed.
        """
        self._database = _open(url or os.environ.get(URL_VARIABLE) or _default_url())

    def __enter__(self) -> Self:
        """The store itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """Close it."""
        self.close()

    def session(self, session_id: str) -> Session:
        """A session by its name, whether it is stored already or not.

        Args:
            session_id: its name, of 1 to 255 printable characters.

        Raises:
            UsageError: it is no such name.
        """
        if not _is_name(session_id):
            raise UsageError(
                f"the name of a session has 1 to {LONGEST_ID} printable characters, got {session_id!r:.80}"
            )
        return Session(self._database, session_id)

    def sessions(self) -> list[SessionInfo]:
        """All stored sessions, the last written first.

        Raises:
            SessionStoreError: the database cannot be read.
        """
        rows = self._database.listed()
        return [
            SessionInfo(name, datetime.fromtimestamp(created, UTC), datetime.fromtimestamp(updated, UTC))
            for name, created, updated in rows
        ]

    def delete(self, session_id: str) -> bool:
        """Forget a session; who still holds it gets a conflict at the next save.

        Args:
            session_id: its name.

        Returns:
            Whether it was there.

        Raises:
            SessionStoreError: the database cannot be written.
        """
        return self._database.delete(session_id)

    def close(self) -> None:
        """Close all connections; a store that is used again opens new ones."""
        self._database.close()


class Session:
    """One stored conversation, as one writer sees it: not to be shared between threads.

    Attributes:
        id: its name.
    """

    def __init__(self, database: Database, session_id: str) -> None:
        """Made by `SessionStore.session`; reads nothing yet."""
        self.id = session_id
        self._database = database
        self._version = 0
        self._saved: list[tuple[Entry, str]] = []  # what is stored, with its text

    def resume(self, agent: ChatAgent) -> bool:
        """Let an agent go on with what is stored, in place of its own conversation.

        Who spoke is kept with each message: what a user said is no call of the model, whatever it looks like. A call
        whose answer is missing, because another program wrote the session and died, is answered so that the
        conversation can go on.

        Args:
            agent: who goes on.

        Returns:
            Whether there was something; if not, the agent's conversation is empty now.

        Raises:
            UsageError: that is no agent.
            SessionDataError: what is stored is no conversation; the agent's stands as before.
            SessionStoreError: the database cannot be read.
        """
        _check_agent(agent)
        stored = self._database.read(self.id)
        if stored is None:
            agent.clear_history()
            self._version, self._saved = 0, []
            return False
        try:
            agent.import_history(transcript(_completed(self._entries(stored))))
        except TranscriptError as error:
            raise SessionDataError(f"session {self.id!r}: {error}") from error
        self._version = stored.version
        self._saved = list(zip(agent.history, stored.bodies, strict=False))
        return True

    def save(self, agent: ChatAgent) -> None:
        """Store an agent's conversation as it stands, in one transaction; only what is new is written.

        It may be called at any point of a run: calls that were not run yet are stored as such.

        Args:
            agent: whose conversation.

        Raises:
            UsageError: that is no agent.
            SessionConflictError: somebody else wrote or deleted the session since it was read; nothing was written.
            SessionStoreError: the database cannot be written; nothing was.
        """
        from toolmend.agents._session_database import StaleError

        _check_agent(agent)
        now = self._with_texts(agent.history)
        same = _same_beginning(self._saved, now)
        if self._version and same == len(now) == len(self._saved):
            return
        try:
            self._database.write(self.id, self._version, same, [text for _, text in now[same:]], VERSION)
        except StaleError:
            raise SessionConflictError(self._conflict(), session_id=self.id) from None
        self._version += 1
        self._saved = now

    def _entries(self, stored: Stored) -> list[Entry]:
        if stored.format > VERSION:
            raise SessionDataError(
                f"session {self.id!r}: written in form {stored.format} by a newer version, and only {VERSION} is known"
            )
        entries = []
        for position, body in enumerate(stored.bodies):
            place = f"entry {position}"
            try:
                entries.append(entry_of(json.loads(body), place))
            except (ValueError, RecursionError) as error:
                raise SessionDataError(f"session {self.id!r}: {place} is no JSON: {error}") from error
        return entries

    def _with_texts(self, history: Sequence[Entry]) -> list[tuple[Entry, str]]:
        """Each entry with its text, which is made once: an entry does not change."""
        known = {id(entry): text for entry, text in self._saved}
        return [(entry, known.get(id(entry)) or json.dumps(entry_data(entry))) for entry in history]

    def _conflict(self) -> str:
        if not self._version:
            return f"session {self.id!r} is there already: `resume` an agent to go on with it, or choose another name"
        return (
            f"session {self.id!r} was written or deleted by somebody else since it was read; nothing was written: "
            "`resume` the agent, and run this turn again"
        )


def _check_agent(agent: object) -> None:
    from toolmend.agents.chat_agent import ChatAgent

    if not isinstance(agent, ChatAgent):
        raise UsageError(f"the conversation of a session is that of a ChatAgent, got {agent!r:.80}")


def _is_name(name: object) -> bool:
    return isinstance(name, str) and 0 < len(name) <= LONGEST_ID and name.isprintable()


def _open(url: str) -> Database:
    try:
        from toolmend.agents._session_database import Database
    except ModuleNotFoundError as error:
        raise MissingExtraError("SQLAlchemy", extra="sessions") from error
    return Database(url)


def _default_url() -> str:
    folder = _data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'sessions.db'}"


def _data_folder() -> Path:
    """The folder for toolmend's files among the user's data, as the platform has it."""
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "toolmend"


def _same_beginning(one: Sequence[tuple[Entry, str]], other: Sequence[tuple[Entry, str]]) -> int:
    """How many entries are the same in both."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (old, new) in pairs if old[1] != new[1]), min(len(one), len(other)))


def _completed(entries: list[Entry]) -> list[Entry]:
    """The conversation with an answer to each call of its last turn."""
    pairing = Pairing()
    for at, entry in enumerate(entries):
        for _ in pairing.take(entry.message, at):
            pass
    ending, _ = pairing.end()
    return [*entries, *(Entry({**message, "content": INTERRUPTED}, "tool") for message, at in ending if at < 0)]
