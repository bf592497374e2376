"""The families' own tasks: deliverables written from the truth pass, every small change to one fact fails."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from workgym.authoring import families
from workgym.graph import Deliverable, Stated
from workgym.package import TaskPackage
from workgym.records import Value
from workgym.verify import grade

Table = list[list[Value]]
Tables = dict[tuple[str, str], Table]
"""Rows with their headings, by deliverable and unit."""


def tables(package: TaskPackage) -> Tables:
    """What has to be stated, taken from the truth."""
    found: Tables = {}
    for deliverable in package.hidden.graph.deliverables:
        for stated in deliverable.states:
            relation = package.truth(stated.unit)
            names = [c.name for c in relation.unit.columns if c.name in stated.labels or c.name in relation.unit.key]
            labels: list[Value] = [stated.labels.get(name) or relation.unit.column(name).title for name in names]
            found[deliverable.path, stated.unit] = [
                labels,
                *[[row[relation.index[name]] for name in names] for row in relation.rows],
            ]
    return found


def plain(value: Value, places: int | None = None) -> Any:
    return float(value) if isinstance(value, Decimal) else value


def said(value: Value, places: int | None) -> str:
    if isinstance(value, Decimal):
        return f"{value:,.{2 if places is None else places}f}"
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def write(
    package: TaskPackage, made: Tables, book: Callable[..., bytes], word: Callable[..., bytes]
) -> dict[str, bytes]:
    files = dict(package.files)
    for deliverable in package.hidden.graph.deliverables:
        mine = [(stated, made[deliverable.path, stated.unit]) for stated in deliverable.states]
        if deliverable.path.endswith(".xlsx"):
            sheets = {
                stated.sheet or stated.unit: [[plain(cell) for cell in row] for row in rows] for stated, rows in mine
            }
            files[deliverable.path] = book(sheets)
        elif deliverable.path.endswith(".csv"):
            out = io.StringIO()
            csv.writer(out).writerows(mine[0][1])
            files[deliverable.path] = out.getvalue().encode()
        else:
            files[deliverable.path] = word(*(block for stated, rows in mine for block in blocks(stated, rows)))
    return files


def blocks(stated: Stated, rows: Table) -> Iterator[Any]:
    places = next(iter(stated.places.values()), None)
    if stated.form == "table":
        yield [[said(cell, 2) for cell in row] for row in rows]
    elif len(rows[0]) == 1 and isinstance(rows[1][0], str):
        yield f"{rows[0][0]}: {rows[1][0]}"
    elif len(rows[0]) == 1:
        yield f"The {rows[0][0]} is {said(rows[1][0], places)}."
    else:
        for name, value in rows[1:]:
            yield f"{name}: {rows[0][1]} {said(value, places)}"


FAMILIES = ("supplier-selection", "bank-reconciliation", "overtime-payroll")


@pytest.fixture(scope="module", params=FAMILIES)
def package(request: pytest.FixtureRequest) -> TaskPackage:
    return families.build(request.param, seed=7)


@pytest.fixture
def written(
    book: Callable[..., bytes], word: Callable[..., bytes]
) -> Callable[[TaskPackage, Tables], dict[str, bytes]]:
    return lambda package, made: write(package, made, book, word)


def test_the_truth_passes(package: TaskPackage, written: Callable[..., dict[str, bytes]]) -> None:
    verdict = grade(package, written(package, tables(package)))
    assert [check.name for check in verdict.failed()] == []
    assert verdict.reward == 1.0


def deliverable_of(package: TaskPackage, path: str) -> Deliverable:
    return next(one for one in package.hidden.graph.deliverables if one.path == path)


def mutants(package: TaskPackage) -> Iterator[tuple[str, Tables]]:
    """Each table with one row dropped, one row doubled with another value, one value moved, and two values swapped."""
    for (path, name), rows in tables(package).items():
        unit = package.hidden.graph.unit(name)
        stated = next(one for one in deliverable_of(package, path).states if one.unit == name)
        asked = [at for at, label in enumerate(rows[0]) if label in stated.labels.values()]
        facts = [at for at in asked if rows[0][at] not in [stated.labels.get(part) for part in unit.key]]

        def changed(number: int, at: int, value: Value, path: str = path, name: str = name) -> Tables:
            made = tables(package)
            made[path, name][number][at] = value
            return made

        if unit.key:
            made = tables(package)
            del made[path, name][len(rows) // 2]
            yield f"{name}: a row dropped", made
        for at in facts:
            values = [row[at] for row in rows[1:]]
            for number, value in enumerate(values, 1):
                other = moved(value, values, stated, unit.columns)
                if other is not None:
                    yield f"{name}: {rows[0][at]} of row {number} moved", changed(number, at, other)
                if isinstance(value, Decimal) and value:
                    yield f"{name}: {rows[0][at]} of row {number} turned", changed(number, at, -value)
            if len(set(values)) > 1 and unit.key:
                first = next(n for n, value in enumerate(values) if value != values[-1])
                made = changed(first + 1, at, values[-1])
                made[path, name][-1][at] = values[first]
                yield f"{name}: {rows[0][at]} swapped", made


def moved(value: Value, values: list[Value], stated: Stated, columns: Any) -> Value:
    if isinstance(value, Decimal):
        places = next(iter(stated.places.values()), 2)
        return value + 3 * Decimal(1).scaleb(-places)
    if isinstance(value, int):
        return value + 1
    if isinstance(value, datetime.date):
        return value + datetime.timedelta(days=1)
    others = [other for other in values if other != value]
    options = [
        option
        for column in columns
        for option in column.type.options
        if option != value and value in column.type.options
    ]
    return next(iter([*options, *others]), None)


def test_every_mutant_fails(package: TaskPackage, written: Callable[..., dict[str, bytes]], full_size: bool) -> None:
    accepted = []
    for number, (name, made) in enumerate(mutants(package)):
        if full_size or number % 7 == 0 or not name.endswith(("moved", "turned")):
            verdict = grade(package, written(package, made))
            if verdict.reward == 1.0:
                accepted.append(name)
    assert accepted == []
