"""What a person is shown of one check: the request, a question, the right answer, and what the deliverable says there.

Nothing says how the check came out: where the grader's finding would tell (rows too many, changed inputs), the
workspace's own facts stand instead. The files themselves lie beside, to be opened.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workgym.documents import Document, Fragment
from workgym.errors import UsageError
from workgym.graph import Deliverable, Stated
from workgym.package import TaskPackage
from workgym.quality.audit.population import Item
from workgym.quality.recorded import Recorded, load
from workgym.records import Record
from workgym.verify import CheckResult, Verdict
from workgym.verify.files import Opened, open_deliverables
from workgym.verify.judging.process import process_view
from workgym.verify.judging.rendering import view
from workgym.verify.stated.asked import shown

_REQUEST, _AROUND, _WORK, _LINE = 1200, 1500, 6000, 300
_ROWS = 60


class Card(Record):
    """One check as a person labels it; ``label`` and ``note`` are theirs."""

    item: str
    """The item's name."""
    task: str
    """Id of the task."""
    request: str
    """What the worker was asked to do, cut where it is long."""
    question: str
    """What is to be answered with yes or no."""
    expected: str = ""
    """What is right, by the task's graph; empty where the question says it all."""
    deliverable: str = ""
    """Path of the deliverable; empty where the whole workspace is meant."""
    file: str = ""
    """Where a copy of it lies, from the file of labels; empty where nothing was handed in under that name."""
    place: str = ""
    """Where the grader looked; empty where it found no place."""
    found: str = ""
    """What it took for the answer there; empty where it found none."""
    around: str = ""
    """What the deliverable says there."""
    label: str | None = None
    """``yes`` or ``no``; None while nobody has said."""
    note: str = ""
    """What the labeller wants to say."""


def cards(items: Iterable[Item], copies: Path) -> Iterator[Card]:
    """A card for each item, in their order; what was handed in is copied below ``copies``. Raises WorkgymError."""
    by_folder: dict[Path, list[Item]] = {}
    for item in items:
        by_folder.setdefault(item.folder, []).append(item)
    made: dict[str, Card] = {}
    for folder, mine in by_folder.items():
        desk = _Desk(_as_graded(folder), copies)
        made |= {item.id: desk.card(item) for item in mine}
    for name in sorted(made):
        yield made[name]


def _as_graded(folder: Path) -> Recorded:
    """A recorded rollout whose task is still the one that the verdict is on."""
    recorded = load(folder)
    record = None if recorded.before is None else recorded.before.record
    if not isinstance(record, dict) or record.get("package") != recorded.package.digest:
        raise UsageError(
            f"{folder}: {recorded.package.id} is not as it was when this was graded",
            fix="give the packages of that time, or leave this trajectory out",
        )
    return recorded


@dataclass(frozen=True)
class _Desk:
    """One hand-in as it lies before a labeller."""

    recorded: Recorded
    copies: Path

    @property
    def package(self) -> TaskPackage:
        return self.recorded.package

    @cached_property
    def checks(self) -> dict[str, CheckResult]:
        assert self.recorded.before is not None  # the population holds verdicts only
        return {check.name: check for check in Verdict.model_validate(self.recorded.before.record).checks}

    @cached_property
    def opened(self) -> dict[str, Opened]:
        return open_deliverables(self.package, self.recorded.files)

    @cached_property
    def copied(self) -> Mapping[str, str]:
        """Copies of what differs from what was given, by path. A path that leads elsewhere is left out."""
        files, given = self.recorded.files, self.package.files
        mine = {path: content for path, content in files.items() if given.get(path) != content}
        digests = "".join(f"{path}\0{hashlib.sha256(content).hexdigest()}\n" for path, content in sorted(mine.items()))
        home = self.copies / hashlib.sha256(digests.encode()).hexdigest()[:12]
        found = {}
        for path, content in mine.items():
            target = home / path
            if target.resolve().is_relative_to(home.resolve()) and target.resolve() != home.resolve():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                found[path] = target.relative_to(self.copies.parent).as_posix()
        return found

    def card(self, item: Item) -> Card:
        check = self.checks[item.check]
        path = check.deliverable or ""
        question, expected = self._question(check)
        telling = check.kind in ("fact", "rubric")
        return Card(
            item=item.id,
            task=self.package.id,
            request=self._excerpt(check),
            question=question,
            expected=expected,
            deliverable=path,
            file=self.copied.get(path, ""),
            place=check.place or "" if telling else "",
            found=_cut(check.found or "", _LINE) if telling else "",
            around=self._around(check),
        )

    def _excerpt(self, check: CheckResult) -> str:
        """What the request says of the deliverable, the unit's sheet and the column, behind its first lines."""
        lines = [line for line in self.package.request.splitlines() if line.strip()]
        names = {check.deliverable, self._label(check) if check.column else None}
        names |= {
            stated.sheet
            for deliverable, stated in self._states()
            if (deliverable.path, stated.unit) == (check.deliverable, check.unit)
        }
        wanted = [name for name in names if name]
        told = [line for at, line in enumerate(lines) if at < 2 or any(name in line for name in wanted)]
        return _cut("\n".join(told), _REQUEST)

    def _question(self, check: CheckResult) -> tuple[str, str]:
        """What is asked, and what is right."""
        if check.kind == "rubric":
            return f"Is this met in full? {check.expected}", ""
        if check.kind == "file":
            return f"Was {check.deliverable} handed in, as a file that opens and can be read?", ""
        if check.kind == "guard":
            if check.place:
                return f"Is {check.place} in {check.deliverable} as it was given?", check.expected or ""
            return _GUARDS.get(check.name, f"Does this hold: {check.name}?"), ""
        unit = self.package.hidden.graph.unit(check.unit or "")
        if check.kind == "structure":
            if check.name.startswith("no other rows"):
                return f"Are the rows in 'expected' the only ones in its table of {unit.content}?", self._rows(check)
            what = check.name.partition(":")[0]
            return _STRUCTURE.get(what, "Does this hold for it: {what}?").format(unit=unit.content, what=what), ""
        who = f" for {', '.join(check.key)}" if check.key else ""
        if check.column is None:
            return f"Does it name {check.expected} among: {unit.content}?", str(check.expected)
        label = self._label(check)
        return f"Does it say of {unit.content} that {label!r}{who} is {check.expected}?", str(check.expected)

    def _label(self, check: CheckResult) -> str:
        column = check.column or ""
        for deliverable, stated in self._states():
            if (deliverable.path, stated.unit) == (check.deliverable, check.unit) and column in stated.labels:
                return stated.labels[column]
        return column

    def _states(self) -> Iterator[tuple[Deliverable, Stated]]:
        for deliverable in self.package.hidden.graph.deliverables:
            for stated in deliverable.states:
                yield deliverable, stated

    def _rows(self, check: CheckResult) -> str:
        keys = [", ".join(map(shown, key)) for key in self.package.hidden.values[check.unit or ""].by_key]
        more = [f"and {len(keys) - _ROWS} more"] if len(keys) > _ROWS else []
        return "\n".join(keys[:_ROWS] + more)

    def _around(self, check: CheckResult) -> str:
        if check.kind == "guard":
            return _cut("\n".join(self._workspace()), _WORK)
        if check.kind == "rubric" and self._about_process(check):
            return _cut(process_view(self.recorded.trajectory, withhold=False).text, _WORK)
        path = check.deliverable or ""
        document = self.opened[path].document if path in self.opened else None
        if document is None:
            return "" if path in self.recorded.files else "nothing was handed in under that name"
        if check.kind == "fact":
            return _cut("\n".join(around(document, check)), _AROUND)
        return _cut(view(document, withhold=False).text, _AROUND if check.kind == "file" else _WORK)

    def _about_process(self, check: CheckResult) -> bool:
        items = [
            item
            for one in self.package.hidden.graph.deliverables
            if one.path == check.deliverable
            for number, item in enumerate(one.rubric, 1)
            if check.name == f"rubric {number} of {one.path}"
        ]
        return any(item.about == "process" for item in items)

    def _workspace(self) -> Iterator[str]:
        """Every file of the workspace with what it is, as far as bytes tell."""
        given, files = self.package.files, self.recorded.files
        asked = {deliverable.path for deliverable in self.package.hidden.graph.deliverables}
        for path in sorted({*given, *files, *asked}):
            if path in asked:
                state = f"asked for, begins with {files[path][:8]!r}" if path in files else "asked for, not there"
            elif path not in given:
                state = "neither given nor asked for"
            else:
                state = "gone" if path not in files else "as given" if files[path] == given[path] else "other bytes"
                state = f"given, {state}"
            yield f"{path}: {state}"


_GUARDS = {
    "guard inputs": "Do all files that were given still say what they said (saved again without a change is the same)?",
    "guard stray": "Is nothing left behind beside what was given and asked for (lock files and caches do not count)?",
    "guard collateral": "Is all else as it was in the files that were to be filled in or extended?",
    "guard types": "Is each file that was handed in of the format that its name says?",
}

_STRUCTURE = {
    "formulas": "Are the computed cells of {unit} formulas?",
    "sources": "Are the files that {unit} comes from named as its sources?",
}


def around(document: Document, check: CheckResult) -> Iterator[str]:
    """The lines of a document about a fact: at its place, else where the row's key is named, else its first."""
    seen = [fragment for one in document.whole() for fragment in one.fragments if not fragment.hidden]
    base = (check.place or "").partition("[")[0]
    at = next((place for place, fragment in enumerate(seen) if fragment.at == base), None)
    if at is not None:
        yield from _beside(seen, at)
        return
    lines = view(document, withhold=False).text.splitlines()
    names = [part.lower() for part in check.key if len(part) > 2]
    named = [line for line in lines if any(name in line.lower() for name in names)]
    yield from (_cut(line, _LINE) for line in (named or lines)[:12])


def _beside(seen: list[Fragment], at: int) -> Iterator[str]:
    """A cell with the first row of its table and the rows next to it; a paragraph with those next to it."""
    here = seen[at]
    if here.table is None or here.row is None:
        for fragment in seen[max(0, at - 1) : at + 2]:
            yield _cut(fragment.text, _LINE)
        return
    rows: dict[int, list[Fragment]] = {}
    for fragment in seen:
        if fragment.table == here.table and fragment.row is not None:
            rows.setdefault(fragment.row, []).append(fragment)
    for row in sorted({*sorted(rows)[:2], here.row - 1, here.row, here.row + 1} & rows.keys()):
        cells = " | ".join(" ".join(cell.text.split()) for cell in rows[row])
        yield _cut(f"[{here.table} {row}] {cells}", _LINE)


def _cut(text: str, most: int) -> str:
    """A text of at most ``most`` characters, without what an editor or a terminal would not show."""
    kept = "".join(char if char.isprintable() or char == "\n" else " " for char in text.strip())
    return kept if len(kept) <= most else f"{kept[:most]} [... cut here]"
