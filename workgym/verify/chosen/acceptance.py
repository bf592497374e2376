"""Acceptance: rules and objectives over handed tables, joined with the task's units, in a closed database.

A rule is kept where its query gives no row. No rule earns by an absent, empty or unreadable table, or by one that
leaves out what it must cover, and no objective by an answer that breaks a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from workgym.errors import GraphError
from workgym.graph import Deliverable
from workgym.graph.accepting import queries, uncovered
from workgym.graph.database import Database
from workgym.graph.lineage import schema
from workgym.graph.model import SupportGraph
from workgym.package import TaskPackage, apart
from workgym.records import Value
from workgym.verify.chosen.handed import Read, read
from workgym.verify.stated.sheets import Sheet
from workgym.verify.truth import Truth, kept, unkept

SHOWN = 50
"""Violations of one rule that are shown; all of them are counted."""
_Rows = list[list[Any]]


@dataclass(frozen=True)
class Answer:
    """What one query gave."""

    columns: tuple[str, ...] = ()
    """Names of its columns."""
    rows: tuple[tuple[Value, ...], ...] = ()
    """The first of its rows."""
    count: int = 0
    """How many there are."""
    error: str = ""
    """Why it could not be run; empty where it could."""

    @property
    def number(self) -> Decimal | None:
        """The one number that it gives; None for anything else."""
        if self.error or self.count != 1 or len(self.rows[0]) != 1:
            return None
        try:
            number = Decimal(str(self.rows[0][0]))
        except InvalidOperation:
            return None
        return number if number.is_finite() else None


@dataclass(frozen=True)
class Outcome:
    """How the handed tables of one deliverable stand."""

    tables: tuple[Read, ...]
    """What was read of each."""
    answers: Mapping[str, Answer]
    """By the name of the table (what it must cover and does not), rule or objective; ``best.`` leads the best."""


def judge(sheets: tuple[Sheet, ...], deliverable: Deliverable, truth: Truth, package: TaskPackage) -> Outcome:
    """Read the tables and run every query on what could be read."""
    tables = tuple(read(sheets, table, truth) for table in deliverable.handed)
    graph = package.hidden.graph
    rows: dict[str, Any] = {one.table.name: [list(map(kept, row)) for row in one.rows] for one in tables}
    if not apart.needed(package):
        return Outcome(tables, _answers(graph, deliverable, truth, rows))
    names = [name for name in truth.rounded if name in graph.by_name]
    payload = {
        "graph": graph.model_dump(mode="json"),
        "path": deliverable.path,
        "handed": rows,
        "units": {name: [list(map(kept, row)) for row in truth.rows(name).rows] for name in names},
    }
    try:
        raw = apart.computed("workgym.verify.chosen.acceptance:answers_json", payload)
    except apart.Refused as error:
        return Outcome(tables, dict.fromkeys(texts(deliverable), Answer(error=str(error))))
    return Outcome(tables, {name: _answer(one) for name, one in raw.items()})


def answers_json(payload: dict[str, Any]) -> dict[str, Any]:
    """What the child runs for a package that is not ours."""
    graph = SupportGraph.model_validate(payload["graph"])
    deliverable = next(one for one in graph.deliverables if one.path == payload["path"])
    found = _run(graph, deliverable, payload["units"], payload["handed"])
    return {
        name: [list(one.columns), [list(map(kept, map(_plain, row))) for row in one.rows], one.count, one.error]
        for name, one in found.items()
    }


def _answer(raw: list[Any]) -> Answer:
    columns, rows, count, error = raw
    return Answer(tuple(columns), tuple(tuple(map(unkept, row)) for row in rows), count, error)


def _plain(value: Any) -> Value:
    """A value as JSON keeps it; a double is text there."""
    return str(value) if isinstance(value, float) else value


def texts(deliverable: Deliverable) -> dict[str, str]:
    """The queries of a deliverable, by the name under which they are answered."""
    found = {table.name: text for table in deliverable.handed if (text := uncovered(table))}
    found |= {rule.name: rule.query for rule in deliverable.accepts}
    for goal in deliverable.objectives:
        found |= {goal.name: goal.query, f"best.{goal.name}": goal.best}
    return found


def _answers(
    graph: SupportGraph, deliverable: Deliverable, truth: Truth, handed: dict[str, _Rows]
) -> dict[str, Answer]:
    units = {name: [list(map(kept, row)) for row in relation.rows] for name, relation in truth.rounded.items()}
    return _run(graph, deliverable, units, handed)


def _run(
    graph: SupportGraph, deliverable: Deliverable, units: dict[str, _Rows], handed: dict[str, _Rows]
) -> dict[str, Answer]:
    known = {name: columns for name, columns in schema(graph.units).items() if name in units}
    wanted = {name for _, query in queries(deliverable, known) for name in query.reads}  # every query is closed
    with closing(Database()) as database:
        for name in sorted(wanted & units.keys()):
            _load(database, name, known[name], units[name])
        for table in deliverable.handed:
            columns = {column.name: column.type.sql for column in table.columns}
            _load(database, table.name, columns, handed[table.name])
        return {name: _select(database, text) for name, text in texts(deliverable).items()}


def _load(database: Database, name: str, columns: Mapping[str, str], rows: _Rows) -> None:
    database.table(name, columns, [tuple(map(unkept, row)) for row in rows])


def _select(database: Database, text: str) -> Answer:
    try:
        columns, _, rows = database.select(text)
    except GraphError as error:
        return Answer(error=error.message)
    ordered = sorted(rows, key=lambda row: tuple(map(str, row)))
    return Answer(tuple(columns), tuple(ordered[:SHOWN]), len(rows))
