"""Many intents through all stages, a few at a time, to a corpus that is the same however often it was interrupted.

::

    OUT/tasks/<id>/              packages that went through every stage, ready for use
    OUT/work/<intent>.<condition>/  what was made on the way: the package as it ended, probes, ``entry.json``
    OUT/factory.jsonl            a FactoryEntry for each intent and condition, see ``workgym.records.factory``
    OUT/ledger.sqlite            every reply: nothing is paid for twice
    OUT/settings.json            how it was run; a run that goes on must be run the same way

A task is done when its ``entry.json`` is there. What was cut short is done again from its start: its replies lie in the
ledger, and everything else follows from them.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from workgym.engine.crew import Crew
from workgym.engine.line import Line
from workgym.engine.settings import Settings
from workgym.errors import UsageError
from workgym.package import save
from workgym.records import Intent, Record, pretty
from workgym.records.factory import Condition, FactoryEntry
from workgym.records.whole import write_whole

ENTRY = "entry.json"
JOURNAL = "factory.jsonl"


Progress = Callable[[str], None]
_Wanted = tuple[Intent, Condition]


class Summary(Record):
    """What a run came to."""

    entries: tuple[FactoryEntry, ...]
    """One for each intent and condition that was reached, in the order of the intents."""
    wanted: int
    """How many there are in all."""

    @property
    def kept(self) -> int:
        """Tasks in the corpus."""
        return sum(entry.kept and entry.condition == "planned" for entry in self.entries)

    @property
    def waiting(self) -> int:
        """How many were not reached, or stopped and can go on."""
        return self.wanted - sum(entry.last.outcome != "stopped" for entry in self.entries)

    @property
    def stopped(self) -> tuple[FactoryEntry, ...]:
        """Those that a later run may take up again."""
        return tuple(entry for entry in self.entries if entry.last.outcome == "stopped")


def run(
    intents: Iterable[Intent],
    crew: Crew,
    settings: Settings,
    out: Path,
    *,
    progress: Progress = lambda line: None,
) -> Summary:
    """Carry every intent through the stages under each condition; those that are done already are kept as they are.

    A budget that is spent, or an interrupt, ends it with everything kept: the same call goes on. Raises UsageError
    where ``out`` holds a run with other settings, and KeyboardInterrupt after the tasks in the works have ended.
    """
    out.mkdir(parents=True, exist_ok=True)
    _settle(settings, out)
    wanted = [(intent, condition) for intent in intents for condition in settings.conditions]
    ended = {(intent.id, condition): _ended(_home(out, intent, condition)) for intent, condition in wanted}
    found = {key: entry for key, entry in ended.items() if entry is not None}
    try:
        for entry in _worked([key for key in wanted if _key(key) not in found], crew, settings, out, progress):
            found[entry.intent, entry.condition] = entry
            done = sum(one.last.outcome != "stopped" for one in found.values())
            progress(f"{done}/{len(wanted)} {entry.intent} {entry.condition}: {_told(entry)}")
    finally:
        entries = tuple(found[_key(key)] for key in wanted if _key(key) in found)
        write_whole(out / JOURNAL, "".join(f"{entry.model_dump_json()}\n" for entry in entries))
    return Summary(entries=entries, wanted=len(wanted))


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
    home = _home(out, intent, condition)
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    entry, package = Line(intent, condition, crew, settings, home, out).run(progress)
    if package is not None and entry.kept and condition == "planned":
        save(package, out / "tasks" / package.id.rpartition("/")[2])
    if entry.last.outcome != "stopped":
        write_whole(home / ENTRY, pretty(entry.model_dump(mode="json")), durable=True)
    return entry


def _home(out: Path, intent: Intent, condition: Condition) -> Path:
    return out / "work" / f"{intent.id}.{condition}"


def _key(wanted: _Wanted) -> tuple[str, Condition]:
    return wanted[0].id, wanted[1]


def _ended(home: Path) -> FactoryEntry | None:
    file = home / ENTRY
    return FactoryEntry.model_validate_json(file.read_bytes()) if file.is_file() else None


def _told(entry: FactoryEntry) -> str:
    last = entry.last
    if entry.kept:
        return "kept" if entry.condition == "planned" else "measured"
    return f"{last.outcome} at {last.stage}: {last.reason}" + (f" ({last.detail[:200]})" if last.detail else "")


def _settle(settings: Settings, out: Path) -> None:
    """Keep how the run is made, or see that it is made as before; how many are at once does not matter."""
    file = out / "settings.json"
    now = settings.model_dump(mode="json", exclude={"at_once"})
    if not file.exists():
        write_whole(file, pretty(now))
        return
    try:
        before = json.loads(file.read_bytes())
    except ValueError:
        raise UsageError(f"{file}: is not what a run wrote", fix="name another folder") from None
    if before != now:
        odd = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
        raise UsageError(
            f"{out} holds a run that was made otherwise: {', '.join(odd)}",
            fix="name another folder, or go on as before",
        )
