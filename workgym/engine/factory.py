"""Many intents through all stages, a few at a time, to a corpus that is the same however often it was interrupted.

::

    OUT/tasks/<id>/              packages that went through every stage, ready for use
    OUT/work/<intent>.<condition>/  what was made on the way: the package as it ended, probes, ``entry.json``, what was
                                 found (``notes``), of a dropped task ``why.txt``; where a failure of ours stopped it,
                                 ``stopped.json`` and the traceback, ``fault.txt``
    OUT/factory.jsonl            a FactoryEntry for each intent and condition, see ``workgym.records.factory``
    OUT/ledger.sqlite            every reply: nothing is paid for twice
    OUT/settings.json            how it was run; a run that goes on must be run the same way
    OUT/.lock                    one run at a time is at work here

A task is done when its ``entry.json`` is there. What was cut short is done again from its start: its replies lie in the
ledger, and everything else follows from them. What a failure or a fault of ours stopped would meet it again and again:
``stopped.json`` counts, and after ``Settings.retries`` later runs the task is given up.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from pydantic import ValidationError

from workgym.engine.crew import Crew
from workgym.engine.faults import FAULT
from workgym.engine.line import Line
from workgym.engine.notes import WHY
from workgym.engine.opening import keep, opened
from workgym.engine.settings import Settings
from workgym.errors import UsageError
from workgym.package import save
from workgym.records import Intent, Record, pretty
from workgym.records.factory import Condition, FactoryEntry
from workgym.records.whole import write_whole

ENTRY = "entry.json"
STOPPED = "stopped.json"
"""The entry of a task that a failure of ours stopped, with how often that was; deleted, it is taken up anew."""
_OURS = ("failed", "fault")
"""Reasons of a stop that the next run is likely to meet again."""
JOURNAL = "factory.jsonl"


Progress = Callable[[str], None]
_Wanted = tuple[Intent, Condition]


class Summary(Record):
    """What a run came to."""

    entries: tuple[FactoryEntry, ...]
    """One for each intent and condition that was reached, in the order of the intents."""
    wanted: int
    """How many there are in all."""
    retries: int = Settings().retries
    """Later runs that take up what a failure of ours stopped."""

    @property
    def kept(self) -> int:
        """Tasks in the corpus."""
        return sum(entry.kept and entry.condition == "planned" for entry in self.entries)

    @property
    def waiting(self) -> int:
        """How many were not reached, or stopped and can go on."""
        return self.wanted - sum(entry.last.outcome != "stopped" for entry in self.entries) - len(self.given_up)

    @property
    def stopped(self) -> tuple[FactoryEntry, ...]:
        """Those that came to no end: a later run takes them up again, but for what is given up."""
        return tuple(entry for entry in self.entries if entry.last.outcome == "stopped")

    @property
    def given_up(self) -> tuple[FactoryEntry, ...]:
        """Those that failures of ours stopped so often that no run takes them up again unless it is told to."""
        return tuple(entry for entry in self.stopped if entry.stops > self.retries)

    @property
    def faults(self) -> Mapping[str, FactoryEntry]:
        """Those that an error in our code stopped, by the path of its traceback, from OUT."""
        found = (entry for entry in self.stopped if entry.last.reason == "fault")
        return {f"work/{_folder(entry.intent, entry.condition)}/{FAULT}": entry for entry in found}


def run(
    intents: Iterable[Intent],
    crew: Crew,
    settings: Settings,
    out: Path,
    *,
    again: bool = False,
    progress: Progress = lambda line: None,
) -> Summary:
    """Carry every intent through the stages under each condition; those that are done already are kept as they are.

    A budget that is spent, or an interrupt, ends it with everything kept: the same call goes on. A failure or a fault
    of ours stops its own task, and the run goes on; ``Settings.retries`` later runs take the task up once more, and
    with ``again`` counting begins anew. Raises what :func:`.opening.opened` raises before anything is asked, UsageError
    for an entry that is damaged, and KeyboardInterrupt after the tasks in the works have ended.
    """
    with opened(crew, settings, out):
        return _run(intents, crew, settings, out, again, progress)


def _run(
    intents: Iterable[Intent], crew: Crew, settings: Settings, out: Path, again: bool, progress: Progress
) -> Summary:
    keep(settings, out)
    wanted = [(intent, condition) for intent in intents for condition in settings.conditions]
    found: dict[tuple[str, Condition], FactoryEntry] = {}
    for key in wanted:
        home = out / "work" / _folder(*_key(key))
        if again:
            (home / STOPPED).unlink(missing_ok=True)
        entry = _read(home / ENTRY) or _read(home / STOPPED)
        if entry is not None and (entry.last.outcome != "stopped" or entry.stops > settings.retries):
            found[_key(key)] = entry
    try:
        for entry in _worked([key for key in wanted if _key(key) not in found], crew, settings, out, progress):
            found[entry.intent, entry.condition] = entry
            done = sum(one.last.outcome != "stopped" for one in found.values())
            progress(f"{done}/{len(wanted)} {entry.intent} {entry.condition}: {_told(entry)}")
    finally:
        entries = tuple(found[_key(key)] for key in wanted if _key(key) in found)
        write_whole(out / JOURNAL, "".join(f"{entry.model_dump_json()}\n" for entry in entries))
    return Summary(entries=entries, wanted=len(wanted), retries=settings.retries)


def _worked(
    waiting: Sequence[_Wanted], crew: Crew, settings: Settings, out: Path, progress: Progress
) -> Iterator[FactoryEntry]:
    """What became of each, as it ends; some are in the works at once. Tasks that have not begun when the run is ending
    are left; those in the works come to an end at their next call of a model."""
    left = iter(waiting)
    with ThreadPoolExecutor(settings.at_once) as pool:
        working: set[Future[FactoryEntry]] = set()
        try:
            while True:
                while len(working) < settings.at_once and not crew.ending.begun:
                    following = next(left, None)
                    if following is None:
                        break
                    working.add(pool.submit(_one, *following, crew, settings, out, progress))
                if not working:
                    return
                ready, working = wait(working, return_when=FIRST_COMPLETED)
                for future in ready:
                    yield future.result()
        except BaseException:
            crew.ending.begin("interrupted")
            raise


def _one(
    intent: Intent, condition: Condition, crew: Crew, settings: Settings, out: Path, progress: Progress
) -> FactoryEntry:
    home = out / "work" / _folder(intent.id, condition)
    before = _read(home / STOPPED)
    _clear(home)
    entry, package = Line(intent, condition, crew, settings, home, out).run(progress)
    if package is not None and entry.kept and condition == "planned":
        save(package, out / "tasks" / package.id.rpartition("/")[2])
    if entry.last.outcome == "stopped":
        ours = entry.last.reason in _OURS
        entry = entry.model_copy(update={"stops": ours + (0 if before is None else before.stops)})
        if ours:
            write_whole(home / STOPPED, pretty(entry.model_dump(mode="json")), durable=True)
        return entry
    write_whole(home / ENTRY, pretty(entry.model_dump(mode="json")), durable=True)
    (home / STOPPED).unlink(missing_ok=True)
    return entry


def _clear(home: Path) -> None:
    """A folder as a task finds it: empty, but for how often failures of ours have stopped it."""
    home.mkdir(parents=True, exist_ok=True)
    for path in home.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != STOPPED:
            path.unlink()


def _folder(intent: str, condition: Condition) -> str:
    return f"{intent}.{condition}"


def _key(wanted: _Wanted) -> tuple[str, Condition]:
    return wanted[0].id, wanted[1]


def _read(file: Path) -> FactoryEntry | None:
    """The entry of a file, or None where there is none. Raises UsageError for one that is damaged."""
    if not file.is_file():
        return None
    try:
        return FactoryEntry.model_validate_json(file.read_bytes())
    except ValidationError as error:
        said = error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"]
        fix = "delete it: the task is done again, and its replies lie in the ledger"
        raise UsageError(f"{file}: is not what a run wrote: {said}", fix=fix) from None


def _told(entry: FactoryEntry) -> str:
    last = entry.last
    if entry.kept and last.outcome != "stopped":
        return "kept" if entry.condition == "planned" else "measured"
    why = f"; work/{_folder(entry.intent, entry.condition)}/{WHY}" if last.outcome == "dropped" else ""
    return f"{last.outcome} at {last.stage}: {last.reason}" + (f" ({last.detail[:200]})" if last.detail else "") + why
