"""Sufficiency: the expert script solves the task from its visible side, and depends on what it should.

Three ways: it agrees with the graph; with any needed cell taken out of the files it stops and names a
place in that carrier and that row's key; with a cell changed in the files it follows the recomputed truth.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Literal

from workgym.errors import EvaluationError
from workgym.graph import columns_read, evaluate, needed, provided
from workgym.mutation import DropRow, Revision, SetCell, Withhold, apply
from workgym.package import TaskPackage
from workgym.records import Cell, ColumnType, Finding, Record, Value, page_path
from workgym.records.surface import dates, numbers
from workgym.rollout import Rollout, rollout
from workgym.verify import failing

Run = Callable[[TaskPackage], Rollout]
"""How the expert is run; the default is one rollout in a sandbox of its own."""
Revise = Callable[[TaskPackage, Revision], TaskPackage]
"""How a cell is taken out or changed; the default does it in this process, which renders the package's templates."""


class Trial(Record):
    """One run of the expert on a task in which one cell was taken out or changed."""

    kind: Literal["removal", "change"]
    """What was done to the cell."""
    cell: Cell
    """Which cell."""
    ok: bool
    """Whether the expert did what it should."""
    said: str
    """What came of it, in one line."""


def expert_run(package: TaskPackage) -> Rollout:
    """The expert on a package, unrecorded."""
    return rollout(package, "expert")


def cells(package: TaskPackage) -> tuple[Cell, ...]:
    """Every needed cell: values that a query reads, and whole rows of units that are nothing but keys."""
    graph = package.hidden.graph
    read = columns_read(graph)
    return tuple(
        cell
        for name in sorted(needed(graph))
        for cell in dict.fromkeys(_first_of_row(package, cell) for cell, _ in package.hidden.values[name].cells())
        if cell.column in read.get(name, ())
    )


def _first_of_row(package: TaskPackage, cell: Cell) -> Cell:
    unit = package.hidden.graph.unit(cell.unit)
    return cell if unit.value_columns else cell.model_copy(update={"column": unit.columns[0].name})


def removal(package: TaskPackage, cell: Cell, run: Run = expert_run, revise: Revise = apply) -> Trial:
    """Take one cell out; the expert must stop, having looked where it stood, and name its row."""
    edit = Withhold(cell=cell) if package.hidden.graph.unit(cell.unit).value_columns else DropRow(cell=cell)
    spoiled = revise(package, Revision(purpose="inject", why=f"{cell} is taken out", edits=(edit,)))
    result = run(spoiled)
    stood = {
        path
        for a in package.hidden.anchors
        if a.cell and (a.cell.unit, a.cell.key, a.cell.column) == (cell.unit, cell.key, cell.column)
        for path in (a.place.path, a.place.file)
    }
    if result.blocked is None:
        return _trial(
            "removal", cell, False, f"it did not stop: {result.end}, reward {result.reward}, {result.error or ''}"
        )
    what, looked = str(result.blocked.get("what", "")), set(map(_path, result.blocked.get("looked_at", ())))
    if not stood & looked:
        return _trial(
            "removal",
            cell,
            False,
            f"it looked at {', '.join(sorted(looked)) or 'nothing'}, not at {', '.join(sorted(stood))}: {what}",
        )
    missing = [part for part in cell.key if not names(what, part)]
    if missing:
        return _trial("removal", cell, False, f"it does not name {', '.join(missing)}: {what}")
    return _trial("removal", cell, True, what)


def _path(named: str) -> str:
    """The path of a carrier that a person names: a page goes by its address."""
    try:
        return page_path(named)
    except ValueError:
        return named


def change(
    package: TaskPackage, cell: Cell, rng: random.Random, run: Run = expert_run, revise: Revise = apply
) -> Trial | None:
    """Change one cell; the expert must follow the recomputed truth, or stop where there is none.

    None where no other value fits.
    """
    unit = package.hidden.graph.unit(cell.unit)
    if not unit.value_columns:
        return None
    kind = unit.column(cell.column).type
    other = another(kind, package.hidden.values[cell.unit].value(cell.key, cell.column), rng)
    if other is None:
        return None
    edit = SetCell(cell=cell, value=kind.dump(other))
    changed = revise(package, Revision(purpose="inject", why=f"{cell} is changed", edits=(edit,)))
    result = run(changed)
    try:
        evaluate(changed.hidden.graph, provided(changed.hidden.graph, changed.hidden.values))
    except EvaluationError as error:
        stopped = result.blocked is not None
        return _trial("change", cell, stopped, f"{'it stops' if stopped else 'it does not stop'} though {error}")
    said = f"reward {result.reward:.3f}" + (f", {result.blocked['what']}" if result.blocked else "")
    return _trial("change", cell, result.reward == 1.0, f"{kind.dump(other)}: {said} {result.error or ''}")


def another(kind: ColumnType, value: Value, rng: random.Random) -> Value:
    """Another value of the same type, near enough to be plausible; None where there is none."""
    if kind.options:
        others = [option for option in kind.options if option != value]
        return rng.choice(others) if others else None
    if isinstance(value, datetime.date):
        return value + datetime.timedelta(days=rng.choice((1, 2)))
    if isinstance(value, datetime.time):
        minute = value.hour * 60 + value.minute
        moved = minute + 17 if minute < 23 * 60 else minute - 17
        return datetime.time(moved // 60, moved % 60)
    if isinstance(value, int):
        return value + 1
    if isinstance(value, Decimal):
        return kind.load((value * Decimal(rng.choice(("1.10", "0.90"))) + kind.step).quantize(kind.step))
    return None


def names(text: str, part: str) -> bool:
    """Whether a text names a part of a key: as it stands, as the same date, or as the same number."""
    if part.casefold() in text.casefold():
        return not part.isdigit() or any(
            reading.value == Decimal(part) for n in numbers(text) for reading in n.readings
        )
    try:
        wanted = datetime.date.fromisoformat(part)
    except ValueError:
        return False
    return any(wanted in token.values for token in dates(text))


def trials(
    package: TaskPackage, which: Iterable[Cell], run: Run = expert_run, revise: Revise = apply
) -> Iterator[Trial]:
    """Removal and change of each of some cells."""
    for cell in which:
        yield removal(package, cell, run, revise)
        changed = change(package, cell, random.Random(f"{package.id}/{cell}"), run, revise)
        if changed is not None:
            yield changed


def sufficiency(package: TaskPackage, which: Iterable[Cell] = (), run: Run = expert_run) -> Iterator[Finding]:
    """Findings of the expert's agreement, and of the trials on ``which`` cells."""
    result = run(package)
    if result.reward != 1.0:
        why = result.blocked["what"] if result.blocked else result.error or failing(result.evidence)
        says = f"the expert does not solve the task from its visible side: reward {result.reward:g}, {why}"
        yield _finding(says, None)
    for trial in trials(package, which, run):
        if not trial.ok:
            yield _finding(f"{trial.kind} of {trial.cell}: {trial.said}", trial.cell)


def _trial(kind: Literal["removal", "change"], cell: Cell, ok: bool, said: str) -> Trial:
    return Trial(kind=kind, cell=cell, ok=ok, said=said.strip())


def _finding(message: str, cell: Cell | None) -> Finding:
    return Finding(
        check="sufficiency",
        severity="hard",
        defect="broken derivation",
        message=message,
        unit=cell.unit if cell else None,
        key=cell.key if cell else (),
        column=cell.column if cell else None,
    )
