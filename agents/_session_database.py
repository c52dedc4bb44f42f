"""Where sessions are stored: two tables, in any database that SQLAlchemy knows."""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql

from toolmend.agents.errors import ConfigError, SessionStoreError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ("Database", "StaleError", "Stored")

LONGEST_ID = 255
SQLITE_WAIT = 30.0  # seconds for another writer to finish

_TABLES = sa.MetaData()
_SESSIONS = sa.Table(
    "toolmend_sessions",
    _TABLES,
    sa.Column("id", sa.String(LONGEST_ID), primary_key=True),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),  # counts the writes, so that a stale writer is found out
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("updated", sa.Double, nullable=False),
)
_ENTRIES = sa.Table(
    "toolmend_entries",
    _TABLES,
    sa.Column("session_id", sa.String(LONGEST_ID), sa.ForeignKey(_SESSIONS.c.id), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("body", sa.Text().with_variant(mysql.LONGTEXT(), "mysql", "mariadb"), nullable=False),
)


class StaleError(Exception):
    """The version that a write builds on is not the stored one."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A session as it stands in the database.

    Attributes:
        format: the version of the form of its entries.
        version: how often it was written.
        bodies: its entries as JSON texts, in order.
    """

    format: int
    version: int
    bodies: tuple[str, ...]


class Database:
    """Reads and writes sessions, each time in one transaction; safe to share between threads."""

    def __init__(self, url: str) -> None:
        """Connect, and make the tables if they are not there.

        Args:
            url: the address of the database, as SQLAlchemy has it.

        Raises:
            ConfigError: it is none, or the driver for it is not installed.
            SessionStoreError: the database cannot be used.
        """
        self._engine = _engine(url)
        self.shown_url = self._engine.url.render_as_string(hide_password=True)
        with self._typed():
            _create_tables(self._engine)

    def read(self, session_id: str) -> Stored | None:
        """The session as of one moment; None if it is not there.

        Args:
            session_id: which.

        Raises:
            SessionStoreError: the database cannot be read.
        """
        # One statement, so that no other writer can come in between.
        query = (
            sa.select(_SESSIONS.c.format, _SESSIONS.c.version, _ENTRIES.c.body)
            .select_from(_SESSIONS.outerjoin(_ENTRIES))
            .where(_SESSIONS.c.id == session_id)
            .order_by(_ENTRIES.c.position)
        )
        with self._typed(), self._engine.connect() as connection:
            rows = connection.execute(query).all()
        if not rows:
            return None
        return Stored(rows[0].format, rows[0].version, tuple(row.body for row in rows if row.body is not None))

    def write(self, session_id: str, version: int, keep: int, bodies: Sequence[str], form: int) -> None:
        """Replace the end of a session, in one transaction.

        Args:
            session_id: which.
            version: how often it was written when it was read; 0 for a new one.
            keep: how many of its entries stay.
            bodies: the entries behind them.
            form: the version of their form.

        Raises:
            StaleError: it was written or deleted since; nothing was changed.
            SessionStoreError: the database cannot be written.
        """
        now = time.time()
        with self._typed(), self._engine.begin() as connection:
            # The write to this row comes first: it locks out every other writer of the session until the end.
            if version == 0:
                row = {"id": session_id, "format": form, "version": 1, "created": now, "updated": now}
                try:
                    connection.execute(_SESSIONS.insert(), row)
                except sa.exc.IntegrityError as error:
                    raise StaleError from error
            else:
                mine = (_SESSIONS.c.id == session_id) & (_SESSIONS.c.version == version)
                change = _SESSIONS.update().where(mine).values(version=version + 1, updated=now, format=form)
                if connection.execute(change).rowcount != 1:
                    raise StaleError
                gone = (_ENTRIES.c.session_id == session_id) & (_ENTRIES.c.position >= keep)
                connection.execute(_ENTRIES.delete().where(gone))
            rows = [
                {"session_id": session_id, "position": position, "body": body}
                for position, body in enumerate(bodies, start=keep)
            ]
            if rows:
                connection.execute(_ENTRIES.insert(), rows)

    def listed(self) -> list[tuple[str, float, float]]:
        """The sessions, the last written first: their names, and when they were made and written.

        Raises:
            SessionStoreError: the database cannot be read.
        """
        query = sa.select(_SESSIONS.c.id, _SESSIONS.c.created, _SESSIONS.c.updated)
        with self._typed(), self._engine.connect() as connection:
            rows = connection.execute(query.order_by(_SESSIONS.c.updated.desc(), _SESSIONS.c.id)).all()
        return [(row.id, row.created, row.updated) for row in rows]

    def delete(self, session_id: str) -> bool:
        """Forget a session.

        Args:
            session_id: which.

        Returns:
            Whether it was there.

        Raises:
            SessionStoreError: the database cannot be written.
        """
        mine = _SESSIONS.c.id == session_id
        with self._typed(), self._engine.begin() as connection:
            connection.execute(_SESSIONS.update().where(mine).values(version=-1))  # locks out every writer, as above
            connection.execute(_ENTRIES.delete().where(_ENTRIES.c.session_id == session_id))
            return connection.execute(_SESSIONS.delete().where(mine)).rowcount > 0

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _typed(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.SQLAlchemyError as error:
            cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
            raise SessionStoreError(f"{self.shown_url}: {cause}") from error


def _engine(url: str) -> sa.Engine:
    try:
        address = sa.make_url(url)
        return sa.create_engine(address, **_options(address))
    except sa.exc.NoSuchModuleError as error:
        raise ConfigError(f"SessionStore: SQLAlchemy knows no such database: {error}", fields=("url",)) from error
    except sa.exc.ArgumentError as error:
        raise ConfigError(
            "SessionStore: that is no address of a database; give one such as sqlite:///chats.db or "
            "postgresql+psycopg://user:password@host/name",
            fields=("url",),
        ) from error
    except ModuleNotFoundError as error:
        raise ConfigError(f"SessionStore: the driver {error.name} is not installed", fields=("url",)) from error


def _options(url: sa.URL) -> dict[str, Any]:
    if url.get_backend_name() != "sqlite":
        return {"pool_pre_ping": True}
    if url.database in (None, "", ":memory:", "file::memory:") or url.query.get("mode") == "memory":
        raise ConfigError(
            "SessionStore: a database in memory ends with its connection; give a file, as sqlite:///chats.db does",
            fields=("url",),
        )
    # A connection for each transaction: it costs next to nothing, and nothing is shared between threads or processes.
    return {"poolclass": sa.NullPool, "connect_args": {"timeout": SQLITE_WAIT}}


def _create_tables(engine: sa.Engine) -> None:
    try:
        _TABLES.create_all(engine)
    except sa.exc.DBAPIError:
        _TABLES.create_all(engine)  # another process may have been quicker; then they are there now
