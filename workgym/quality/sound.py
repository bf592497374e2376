"""The expert's deliverables taken apart: where each fact stands, and how to make it say something else.

Where a fact stands is read off the verdict on those very deliverables, so a fact that is found nowhere is not there:
mutants and equivalents are made only of what full credit is given for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from workgym.documents import Document, Fragment, TextEdit, edit, read
from workgym.env import OfficeEnv
from workgym.errors import UsageError
from workgym.graph import Deliverable, Stated
from workgym.package import TaskPackage
from workgym.records import Value
from workgym.records.surface import numbers
from workgym.rollout import rollout
from workgym.verify import Verdict, grade
from workgym.verify.stated.asked import Asked, AskedRow, asked
from workgym.verify.stated.matching import Wanted, number_shows
from workgym.verify.truth import Truth, truths

_TEXT_DIGITS = 4
"""From how many significant digits on a number in a text is certainly the value looked for."""


class Spot(NamedTuple):
    """Where a value stands."""

    fragment: Fragment
    """The cell, paragraph or line."""
    start: int
    """First character of the value in its text; 0 for a cell."""
    end: int
    """One past its last character."""


@dataclass(frozen=True)
class Fact:
    """One value that a deliverable has to state, and where it does."""

    deliverable: Deliverable
    """The file."""
    stated: Stated
    """What it has to state of the unit."""
    row: AskedRow
    """The row."""
    column: str
    """The column."""
    wanted: Wanted
    """The value."""
    spots: tuple[Spot, ...]
    """Every place that states it; one for a fact of a table."""

    @property
    def concern(self) -> tuple[str, str]:
        """Deliverable and unit: what a verdict scores."""
        return self.deliverable.path, self.stated.unit

    @property
    def value(self) -> Value:
        """What is right."""
        return self.wanted.accepted[0]

    @property
    def name(self) -> str:
        """For people: ``npv[Alder Mills Ltd].npv``."""
        key = f"[{', '.join(self.row.key)}]" if self.row.key else ""
        return f"{self.stated.unit}{key}.{self.column}"


@dataclass(frozen=True)
class Part:
    """One stated unit of one deliverable."""

    deliverable: Deliverable
    """The file."""
    stated: Stated
    """What it has to state of the unit."""
    asked: Asked
    """The same with the right values."""
    facts: tuple[Fact, ...]
    """Facts whose places are known."""
    rows: Mapping[int, Spot]
    """A cell of each row's key, by position of the row, where the rows themselves are what is asked for."""

    @property
    def concern(self) -> tuple[str, str]:
        """Deliverable and unit: what a verdict scores."""
        return self.deliverable.path, self.stated.unit

    def of(self, column: str) -> tuple[Fact, ...]:
        """The facts of one column, in the order of the rows."""
        return tuple(fact for fact in self.facts if fact.column == column)

    @property
    def numeric(self) -> tuple[str, ...]:
        """Columns of numbers that are facts."""
        return tuple(column.name for column in self.asked.columns if column.type.numeric)


@dataclass(frozen=True)
class Sound:
    """A task with deliverables that get full credit."""

    package: TaskPackage
    """The task."""
    files: Mapping[str, bytes]
    """The whole final workspace: what was given and what was handed in."""
    verdict: Verdict
    """The verdict on it."""

    @cached_property
    def truth(self) -> Truth:
        """The answer that the deliverables give."""
        return truths(self.package, self.package.digest)[0]

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The deliverables as they were read, by path."""
        return {path: read(path, self.files[path]) for path in self.handed_in}

    @property
    def handed_in(self) -> tuple[str, ...]:
        """Paths of the deliverables."""
        return tuple(deliverable.path for deliverable in self.package.hidden.graph.deliverables)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Every stated unit with its facts."""
        return tuple(
            self._part(deliverable, stated)
            for deliverable in self.package.hidden.graph.deliverables
            for stated in deliverable.states
        )

    def _part(self, deliverable: Deliverable, stated: Stated) -> Part:
        wanted = asked(self.package.hidden.graph.unit(stated.unit), stated, self.truth)
        places = {
            (check.key, check.column): check.place
            for check in self.verdict.checks
            if check.kind == "fact" and (check.deliverable, check.unit) == (deliverable.path, stated.unit)
        }
        document = self.documents[deliverable.path]
        facts = []
        for row, column in wanted.facts:
            place = places.get((row.key, column))
            if column is None or place is None:
                continue
            value = row.values[column]
            spots = tuple(_spots(document, place, value, stated))
            if spots:
                facts.append(Fact(deliverable, stated, row, column, value, spots))
        rows = {
            position: Spot(fragment, 0, len(fragment.text))
            for position, row in enumerate(wanted.rows)
            if not wanted.columns and (fragment := _at(document, places.get((row.key, None)))) is not None
        }
        return Part(deliverable, stated, wanted, tuple(facts), rows)

    def with_edits(self, edits: Mapping[str, Sequence[TextEdit]]) -> dict[str, bytes]:
        """The workspace with edits made to deliverables. Raises EditRefused where one cannot be made."""
        changed = {path: edit(path, self.files[path], mine) for path, mine in edits.items()}
        return {**self.files, **changed}

    def with_files(self, changed: Mapping[str, bytes]) -> dict[str, bytes]:
        """The workspace with other deliverables."""
        return {**self.files, **changed}


def sound(package: TaskPackage) -> Sound:
    """The task with the expert's deliverables: those that it carries, else those of one run of the expert.

    Raises UsageError where they do not get full credit: nothing can be shown of a task that its expert fails.
    """
    files = {**package.files, **package.hidden.expert_files}
    if not package.hidden.expert_files:
        files = _expert(package)
    verdict = grade(package, files)
    if verdict.state != "passed" or verdict.reward != 1.0:
        raise UsageError(
            f"{package.id}: the expert's deliverables get {verdict.reward:g} ({verdict.state})",
            fix=f"see why with: workgym rollout {package.id} --harness expert",
        )
    return Sound(package, files, verdict)


def _expert(package: TaskPackage) -> dict[str, bytes]:
    found: dict[str, bytes] = {}

    def keep(task: TaskPackage, files: Mapping[str, bytes]) -> Verdict:
        found.update(files)
        return grade(task, files)

    env = OfficeEnv(package=package, grade=keep)
    try:
        rollout(env, "expert")
    finally:
        env.close()
    return found


def _at(document: Document, place: str | None) -> Fragment | None:
    return next((fragment for fragment in document.fragments if fragment.at == place), None)


def _spots(document: Document, place: str, wanted: Wanted, stated: Stated) -> Iterator[Spot]:
    """Every place of one fact: its cell, or each place of the text where its number stands."""
    home = _at(document, place)
    if home is None:
        return
    if stated.form == "table":
        yield Spot(home, *(_token(home.text, wanted) or (0, len(home.text))))
        return
    if not wanted.type.numeric:
        yield Spot(home, 0, len(home.text))
        return
    line = [
        fragment
        for fragment in document.fragments
        if fragment is home or (home.table and (fragment.table, fragment.row) == (home.table, home.row))
    ]
    for fragment in document.fragments if wanted.digits >= _TEXT_DIGITS else line:
        if fragment.hidden:
            continue
        for number in numbers(fragment.text):
            if number_shows(number, wanted):
                yield Spot(fragment, number.start, number.end)


def _token(text: str, wanted: Wanted) -> tuple[int, int] | None:
    """The digits of a cell's number."""
    if not wanted.type.numeric:
        return None
    shown = [number for number in numbers(text) if number_shows(number, wanted)]
    return (shown[0].start, shown[0].end) if shown else None


def rewritten(changes: Iterable[tuple[Fact, Value]]) -> dict[str, list[TextEdit]]:
    """The edits, by deliverable, that make facts say other values wherever they stand."""
    parts: dict[tuple[str, str], tuple[Fragment, list[tuple[int, int, str]], Fact, Value]] = {}
    for fact, value in changes:
        for spot in fact.spots:
            at = (fact.deliverable.path, spot.fragment.at)
            pieces = parts.setdefault(at, (spot.fragment, [], fact, value))[1]
            pieces.append(_piece(spot, fact, value))
    edits: dict[str, list[TextEdit]] = {}
    for (path, _), (fragment, pieces, fact, value) in parts.items():
        typed = fragment.value is not None or (fact.stated.form == "table" and fact.wanted.type.kind == "date")
        kind = fact.wanted.type
        edits.setdefault(path, []).append(
            TextEdit(
                at=fragment.at,
                expected=fragment.text,
                replacement=_spliced(fragment.text, pieces),
                value=kind.dump(value) if typed and path.endswith(".xlsx") else None,
            )
        )
    return edits


def _piece(spot: Spot, fact: Fact, value: Value) -> tuple[int, int, str]:
    if not isinstance(value, (int, Decimal)):
        return spot.start, spot.end, fact.wanted.type.show(value)
    text = spot.fragment.text
    number = Decimal(value)
    start = spot.start
    if (start, spot.end) == (0, len(text)):
        return 0, len(text), fact.wanted.type.show(value)
    minus = start > 0 and text[start - 1] in "-\u2212"
    scale = 100 if fact.wanted.type.kind == "percent" else 1
    digits = styled(text[start : spot.end], abs(number) * scale, fact.wanted.places)
    sign = "-" if number < 0 and not minus else ""
    return start - (minus and number >= 0), spot.end, sign + digits


def styled(like: str, number: Decimal, places: int) -> str:
    """A number with so many decimal places, with the marks that another one is printed with."""
    marked = places > 0 and len(like) > places and not like[-places - 1].isdigit()
    point = like[-places - 1] if marked else "."
    group = next((mark for mark in like if not mark.isdigit() and mark != point), "")
    return f"{number:,.{places}f}".replace(",", "\0").replace(".", point).replace("\0", group)


def _spliced(text: str, pieces: Sequence[tuple[int, int, str]]) -> str:
    found, done = [], 0
    for start, end, new in sorted(set(pieces)):
        if start >= done:
            found += [text[done:start], new]
            done = end
    return "".join(found) + text[done:]
