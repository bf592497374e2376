"""The library of intents on disk: what was admitted, and what was not, each with its reasons and where it comes from.

``library.jsonl`` has a line for each candidate, written whole and synced before ``add`` returns. A kill in the middle
of a line loses that line only: the next writer cuts it off. Any number of processes may write to one library; a lock
file keeps their lines apart, and each sees what the others have written before it decides.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from workgym.errors import UsageError
from workgym.intents.coverage import spread
from workgym.intents.dedup import Index, Match
from workgym.intents.entries import FORMAT, Entry, Stats, Status, tally
from workgym.intents.reviewing import Review
from workgym.records import Intent
from workgym.records.soc import soc

FILE = "library.jsonl"
REPEATS = 0.3
"""Share of rare word triples from which on a goal repeats another one: goals are short and of one style, so that less
is no sign of a copy."""


class Library:
    """A folder of intents. Thread-safe."""

    def __init__(self, folder: Path | str) -> None:
        """Open or make it. Raises UsageError where it holds something else."""
        self.folder = Path(folder)
        self._path = self.folder / FILE
        self._lock = threading.RLock()
        self._index = Index(REPEATS)
        self._numbers: list[str] = []
        self._decided: dict[str, tuple[int, int]] = {}
        self._read = self._lines = 0
        if self.folder.exists() and not self.folder.is_dir():
            raise UsageError(f"{self.folder} is not a folder", fix="name a folder for the library")
        with self._lock:
            self._refresh()

    def add(self, intent: Intent, review: Review) -> Entry:
        """Decide on a reviewed intent, and write that down: the same intent again gives what was decided before.

        A near-duplicate of an admitted one is refused with that one's id, whatever its review.
        """
        with self._lock, self._writing():
            known = self._known(intent)
            if known is not None:
                return known
            match = self._index.nearest(intent.goal)
            if match is not None:
                return self._write(self._repeated(intent, match, review))
            status: Status = "admitted" if review.admitted else "rejected"
            return self._write(Entry(slot=_slot(intent), status=status, intent=intent, review=review))

    def refuse(self, intent: Intent) -> Entry | None:
        """Write down that it repeats an admitted one; what was decided before, where something was; else None.

        It is for a look before a judge is paid.
        """
        with self._lock, self._writing():
            known = self._known(intent)
            if known is not None:
                return known
            match = self._index.nearest(intent.goal)
            return None if match is None else self._write(self._repeated(intent, match, None))

    def drop(self, slot: str, reason: str) -> Entry:
        """Write down that a candidate came to no intent."""
        with self._lock, self._writing():
            return self._write(Entry(slot=slot, status="dropped", reason=reason))

    def all(self) -> Iterator[Intent]:
        """Admitted intents, in their order."""
        return (entry.intent for entry in self.entries() if entry.status == "admitted" and entry.intent is not None)

    def entries(self) -> Iterator[Entry]:
        """All candidates, in their order."""
        with self._lock:
            self._refresh()
            end = self._read
        if end:
            with open(self._path, "rb") as file:
                while file.tell() < end:
                    yield Entry.model_validate_json(file.readline())

    def entry(self, name: str) -> Entry:
        """The candidate with an intent of this id, or of this slot. Raises UsageError."""
        for entry in self.entries():
            if name == entry.slot or (entry.intent is not None and entry.intent.id == name):
                return entry
        raise UsageError(f"{self.folder}: no intent {name}", fix="list them: workgym intents show DIR")

    @property
    def slots(self) -> frozenset[str]:
        """Slots that something has become of."""
        with self._lock:
            self._refresh()
            return frozenset(self._decided)

    def gaps(
        self, count: int, *, within: Sequence[str] | None = None, seed: int = 0, coming: Iterable[str] = ()
    ) -> tuple[str, ...]:
        """Detailed occupations that ``count`` new intents should be of, to fill what is covered least.

        ``within`` are codes or prefixes; None is all of SOC 2018. ``coming`` are occupations of intents that are being
        made. Raises UsageError for a code that is none.
        """
        have = Counter(coming)
        have.update(intent.role.occupation for intent in self.all())
        return spread(soc().many(within), count, seed, have)

    def stats(self) -> Stats:
        """What is in it."""
        return tally(self.entries())

    def _repeated(self, intent: Intent, match: Match, review: Review | None) -> Entry:
        how = f"{match.kind}, {match.containment:.0%} of the smaller goal's rare word triples"
        return Entry(
            slot=_slot(intent),
            status="duplicate",
            intent=intent,
            review=review,
            repeats=self._numbers[match.first],
            reason=how if match.kind == "near" else match.kind,
        )

    def _known(self, intent: Intent) -> Entry | None:
        """What was decided on this intent of this slot."""
        place = self._decided.get(_slot(intent))
        if place is None:
            return None
        with open(self._path, "rb") as file:
            file.seek(place[0])
            entry = Entry.model_validate_json(file.read(place[1]))
        return entry if entry.intent is not None and entry.intent.id == intent.id else None

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Alone with the file, and up to date."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / ".lock", "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._refresh()
            yield

    def _write(self, entry: Entry) -> Entry:
        line = (entry.model_dump_json() + "\n").encode()
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT, 0o644)
        try:
            os.ftruncate(handle, self._read)  # a line that a kill cut short
            os.lseek(handle, self._read, os.SEEK_SET)
            with open(handle, "wb", closefd=False) as file:
                file.write(line)
            os.fsync(handle)
        finally:
            os.close(handle)
        self._index.extend(self._take(entry, len(line)))
        return entry

    def _refresh(self) -> None:
        """Take in the whole lines that others have written."""
        try:
            with open(self._path, "rb") as file:
                file.seek(self._read)
                content = file.read()
        except FileNotFoundError:
            return
        goals: list[str] = []
        for line in content.split(b"\n")[:-1]:
            goals += self._take(self._entry(line), len(line) + 1)
        self._index.extend(goals)

    def _entry(self, line: bytes) -> Entry:
        place = f"{self._path}:{self._lines + 1}"
        try:
            entry = Entry.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            at = ".".join(str(part) for part in first["loc"])
            raise UsageError(f"{place}: {at + ': ' if at else ''}{first['msg']}", fix="take the line out") from None
        if entry.format != FORMAT:
            raise UsageError(f"{place}: format {entry.format} is not known here", fix="use a newer workgym")
        return entry

    def _take(self, entry: Entry, size: int) -> list[str]:
        """Note where it stands; the goals that are new."""
        self._decided[entry.slot] = (self._read, size)
        self._read += size
        self._lines += 1
        if entry.status != "admitted" or entry.intent is None:
            return []
        self._numbers.append(entry.intent.id)
        return [entry.intent.goal]


def _slot(intent: Intent) -> str:
    return intent.provenance.get("slot", intent.id)
