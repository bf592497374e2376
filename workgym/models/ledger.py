"""The ledger of calls: cache, resume and accounts in one sqlite file, for any number of threads and processes.

A reply is stored under what it depends on: the model's name, messages, tools, schema, sampling, sample index. Whoever
asks for the same gets the stored one. A call is marked before it is sent, so that

- of many who ask for the same at once, one asks the model and the others wait for its reply;
- one whose process was killed is taken over by the next who asks for it, and counted in ``repeats``: the marks of a
  process hold as long as it has its lock file locked, and the kernel unlocks that when the process ends in any way.

A stored reply survives kill -9 (WAL). A power cut may take the last ones, which are then asked for once more: syncing
each commit would guard money, not truth. ``:memory:`` is a ledger for one process.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from workgym.errors import BudgetSpent, ModelError, UsageError
from workgym.model import ModelReply
from workgym.models.budget import Budget, Spent
from workgym.models.owners import Owner

FORMAT = 1
"""Version of the file; another one is refused."""
SUMS = tuple(Spent.model_fields)
_TABLES = f"""
create table calls (
  key text primary key, request text not null, model text not null, stage text not null, owner text, reply text,
  hits integer not null default 0, repeats integer not null default 0, nano integer
) without rowid;
create index by_request on calls (request);
create table failures (
  id integer primary key, key text not null, model text not null, stage text not null, error text not null,
  attempts integer not null
);
create table sums (
  model text not null, stage text not null, {", ".join(f"{name} integer not null default 0" for name in SUMS)},
  primary key (model, stage)
) without rowid;
pragma user_version = {FORMAT}
"""


class Entry(NamedTuple):
    """What a call is booked under."""

    key: str
    """Digest of all that its reply depends on, the model included."""
    request: str
    """Digest of the request as it was made."""
    model: str
    """The model's name."""
    stage: str
    """The stage of the pipeline that asks."""


class Ledger:
    """One ledger file. Thread-safe; a forked child opens it anew."""

    def __init__(self, path: Path | str = ":memory:", *, sleep: Callable[[float], None] = time.sleep) -> None:
        """Open or make the file. Raises UsageError where it is no ledger, or one of another version."""
        self.path = str(path)
        self._sleep = sleep
        self._lock = threading.RLock()
        self._open: tuple[int, sqlite3.Connection] | None = None
        self._owner: tuple[int, Owner] | None = None
        self._inherited: list[object] = []
        self._base()

    def spent(self, *, stage: str | None = None, model: str | None = None) -> Spent:
        """The sums of everything, of a stage, of a model."""
        with self._lock:
            return _sums(self._base(), stage, model)

    def stages(self) -> tuple[tuple[str, str], ...]:
        """All (stage, model) that something is booked under, sorted."""
        with self._lock:
            return tuple(self._base().execute("select stage, model from sums order by stage, model").fetchall())

    def failures(self) -> tuple[tuple[str, str, str], ...]:
        """(stage, model, error) of all calls that failed, in their order."""
        with self._lock:
            return tuple(self._base().execute("select stage, model, error from failures order by id").fetchall())

    def recorded(self, request: str) -> ModelReply | None:
        """A stored reply to the request of this digest, whichever model gave it; None where there is none."""
        query = "select reply from calls where request = ? and reply is not null order by key limit 1"
        with self._lock:
            row = self._base().execute(query, (request,)).fetchone()
        return None if row is None else ModelReply.model_validate_json(row[0])

    def claim(self, entry: Entry, budget: Budget | None = None) -> ModelReply | None:
        """The stored reply; or None, and the call is the caller's to make and to ``keep`` or ``fail``.

        Waits while another makes the same call. Raises BudgetSpent where it would have to be paid for and cannot be.
        """
        wait = 0.01
        while True:
            with self._lock, self._transaction() as base:
                reply, mine = self._claim(base, entry, budget)
            if mine or reply is not None:
                return None if reply is None else ModelReply.model_validate_json(reply)
            self._sleep(wait)
            wait = min(wait * 1.5, 0.25)

    def keep(self, entry: Entry, reply: str, took: Spent, nano: int | None) -> None:
        """Store the reply (JSON) of a claimed call, and book what it took."""
        with self._lock, self._transaction() as base:
            base.execute("update calls set reply = ?, nano = ?, owner = null where key = ?", (reply, nano, entry.key))
            _book(base, entry, took)

    def fail(self, entry: Entry, error: str, attempts: int) -> None:
        """Give a claimed call up, and book that it failed; ``attempts`` 0 is one that was never sent."""
        with self._lock, self._transaction() as base:
            base.execute("delete from calls where key = ? and reply is null", (entry.key,))
            if attempts:
                row = (entry.key, entry.model, entry.stage, error, attempts)
                base.execute("insert into failures (key, model, stage, error, attempts) values (?, ?, ?, ?, ?)", row)
                _book(base, entry, Spent(failures=1, retries=attempts - 1))

    def close(self) -> None:
        """Close the file and give up its marks. Calling it again does nothing; a later use opens it anew."""
        with self._lock:
            if self._open is not None and self._open[0] == os.getpid():
                self._open[1].close()
            if self._owner is not None and self._owner[0] == os.getpid():
                self._owner[1].release()
            self._open = self._owner = None

    def _claim(self, base: sqlite3.Connection, entry: Entry, budget: Budget | None) -> tuple[str | None, bool]:
        """(the stored reply, whether the call is ours to make)."""
        owner = self._mine()
        row = base.execute("select reply, owner from calls where key = ?", (entry.key,)).fetchone()
        if row is not None and row[0] is not None:
            base.execute("update calls set hits = hits + 1 where key = ?", (entry.key,))
            _book(base, entry, Spent(hits=1))
            return row[0], False
        if row is not None and owner.lives(row[1]):
            return None, False
        over = "" if budget is None else budget.over(_sums(base, None, None))
        if over:
            raise BudgetSpent(f"{entry.model}: the budget is used up: {over}")
        if row is None:
            insert = "insert into calls (key, request, model, stage, owner) values (?, ?, ?, ?, ?)"
            base.execute(insert, (*entry, owner.name))
        else:
            base.execute("update calls set owner = ?, repeats = repeats + 1 where key = ?", (owner.name, entry.key))
            _book(base, entry, Spent(repeats=1))
        return None, True

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        base = self._base()
        try:
            base.execute("begin immediate")
            try:
                yield base
            except BaseException:
                base.execute("rollback")
                raise
            base.execute("commit")
        except sqlite3.Error as error:  # a full disk, say
            raise ModelError(f"{self.path}: the ledger cannot be kept: {error}") from error

    def _base(self) -> sqlite3.Connection:
        if self._open is None or self._open[0] != os.getpid():  # a connection does not survive a fork,
            self._inherited.append(self._open)  # and must not be closed by the child either
            self._open = (os.getpid(), self._connect())
        return self._open[1]

    def _mine(self) -> Owner:
        """This process as an owner of marks; who only reads is none."""
        if self._owner is None or self._owner[0] != os.getpid():
            self._inherited.append(self._owner)
            self._owner = (os.getpid(), Owner(self.path))
        return self._owner[1]

    def _connect(self) -> sqlite3.Connection:
        try:
            if self.path != ":memory:":
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
            base = sqlite3.connect(self.path, timeout=60, isolation_level=None, check_same_thread=False)
            self._prepare(base)
        except (sqlite3.Error, OSError) as error:
            raise UsageError(f"{self.path}: no ledger can be kept here: {error}") from error
        return base

    def _prepare(self, base: sqlite3.Connection) -> None:
        base.execute("begin immediate")
        version = base.execute("pragma user_version").fetchone()[0]
        if version == 0 and base.execute("select count(*) from sqlite_master").fetchone()[0] == 0:
            for statement in _TABLES.split(";"):
                base.execute(statement)
        elif version != FORMAT:
            base.close()
            raise UsageError(f"{self.path}: no ledger, or one of another version; this workgym reads version {FORMAT}")
        base.execute("commit")
        if base.execute("pragma journal_mode").fetchone()[0] != "wal":
            base.execute("pragma journal_mode = wal")
        base.execute("pragma synchronous = normal")


def _book(base: sqlite3.Connection, entry: Entry, took: Spent) -> None:
    amounts = {name: value for name, value in took.model_dump().items() if value}
    base.execute("insert or ignore into sums (model, stage) values (?, ?)", (entry.model, entry.stage))
    if amounts:
        changes = ", ".join(f"{name} = {name} + ?" for name in amounts)
        where = (*amounts.values(), entry.model, entry.stage)
        base.execute(f"update sums set {changes} where model = ? and stage = ?", where)


def _sums(base: sqlite3.Connection, stage: str | None, model: str | None) -> Spent:
    wanted = [(name, value) for name, value in (("stage", stage), ("model", model)) if value is not None]
    where = " and ".join(f"{name} = ?" for name, _ in wanted) or "1"
    columns = ", ".join(f"coalesce(sum({name}), 0)" for name in SUMS)
    values: Sequence[str] = [value for _, value in wanted]
    row = base.execute(f"select {columns} from sums where {where}", values).fetchone()
    return Spent(**dict(zip(SUMS, row, strict=True)))
