"""Variants: results that hang on a convention which no paper states.

Each operator of a query that people read in two ways is turned around, see :mod:`workgym.graph.variants`. Where a
deliverable would then state what grading takes for wrong, the papers have to decide: near a place where what the
operator looks at is printed, or in the request, there have to be words for such a choice. Whether those words decide it
the right way is for a person, or for the independent solution, to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import NamedTuple

from workgym.check.conventions import Papers
from workgym.check.reading import Visible
from workgym.errors import GraphError
from workgym.graph import InfoUnit, Relation, SupportGraph, evaluating, provided
from workgym.graph.turning import Turning
from workgym.graph.variants import Kind, Variant
from workgym.graph.variants import variants as variants_of
from workgym.records import Finding, Value
from workgym.verify.stated.asked import Asked, asked, shown
from workgym.verify.truth import truths


class Change(NamedTuple):
    """A stated fact that comes out wrong when a convention is turned around."""

    path: str
    unit: str
    who: str
    """The row, for people; empty for a scalar."""
    what: str
    """What it is called in the deliverable."""
    now: str
    then: str


def variants(view: Visible) -> Iterator[Finding]:
    """What a deliverable states hangs on no convention that nothing visible speaks of."""
    papers = Papers(view)
    told: set[tuple[str, Kind]] = set()
    for variant, change in changes(view):
        choice = variant.unit, variant.kind
        if choice not in told and not papers.decides(variant.kind, *_about(view.package.hidden.graph, variant)):
            told.add(choice)
            yield _finding(view, variant, change, spoken=papers.speak(variant.kind))


def _about(graph: SupportGraph, variant: Variant) -> tuple[frozenset[str], str]:
    """The given columns that a choice is about, as ``unit.column``, and words for it.

    These are what the operator looks at; where that is derived, parameters that it is derived from; of a rounding every
    parameter behind the unit.
    """
    units = {name: graph.unit(name) for name, _ in variant.reads}
    about = {f"{name}.{column}" for name, column in variant.reads if units[name].status != "derived"}
    if variant.kind == "rounding":
        about |= _parameters(graph, graph.behind(variant.unit))
    elif not about:
        about |= _parameters(graph, {edge.premise for edge in graph.supports if edge.unit in units})
    words = [graph.unit(variant.unit).content]
    for name, column in sorted(variant.reads):
        words += [name, units[name].entity, units[name].column(column).title]
    return frozenset(about), " ".join(words).replace("_", " ")


def _parameters(graph: SupportGraph, names: Iterable[str]) -> set[str]:
    """The columns of those that are one row: rules, rates, limits."""
    single = [unit for unit in map(graph.unit, names) if unit.status != "derived" and not unit.key]
    return {f"{unit.name}.{column.name}" for unit in single for column in unit.columns}


def _finding(view: Visible, variant: Variant, change: Change, *, spoken: bool) -> Finding:
    planned = view.package.hidden.origin.author == "model"
    graph = view.package.hidden.graph
    path = _place(graph, variant)
    where = f"in {path} or the request" if path else "in a rule or the request"
    row = f" of {change.who}" if change.who else ""
    return Finding(
        check="variants",
        severity="hard" if planned and not spoken and not variant.mixed else "soft",
        defect="request under-specification",
        unit=variant.unit,
        path=change.path,
        expected=change.now,
        found=change.then,
        message=f"nothing says {_ASKED[variant.kind]}: with {variant.says} in {variant.unit}, {change.what}{row} is "
        f"{change.then} and not {change.now}; say it {where}",
    )


_DOCUMENTS = frozenset({"docx", "pdf", "md", "txt", "html"})
"""Endings of files in which an office writes its rules; mails come next, then data."""


def _place(graph: SupportGraph, variant: Variant) -> str:
    """The file in which a convention would be stated: prose rather than data, and best with rules or what it is about.

    Empty where none shows any of that.
    """
    about = {column.partition(".")[0] for column in _about(graph, variant)[0]}
    about = {name for name in about if not graph.unit(name).key} or about
    rules = {unit.name for unit in graph.units if unit.rule}
    behind = rules & graph.behind(variant.unit)
    given = {one.path for one in graph.carriers if one.kind == "reference" and one.role == "needed"}
    shows: dict[str, set[str]] = {}
    for edge in graph.bindings:
        if edge.visible and edge.carrier in given and edge.unit in about | rules:
            shows.setdefault(edge.carrier, set()).add(edge.unit)

    def fits(path: str) -> tuple[int, int, int]:
        ending = path.rpartition(".")[2].lower()
        prose = 2 if ending in _DOCUMENTS else 1 if ending in ("eml", "mbox") else 0
        return prose, bool(shows[path] & behind) + bool(shows[path] & about), len(shows[path])

    return max(sorted(shows), key=fits, default="")


_ASKED: Mapping[Kind, str] = {
    "rounding": "where it is rounded",
    "limit": "on which side of a limit what just reaches it falls",
    "days": "whether both the first and the last day count",
    "term": "whether the day from which the days are counted is the first of them",
}


def changes(view: Visible) -> Iterator[tuple[Variant, Change]]:
    """Every variant that changes what grading would accept, with the first fact that it changes."""
    hidden = view.package.hidden
    graph, values = hidden.graph, hidden.values
    stated = [(one.path, item) for one in graph.deliverables for item in one.states]
    wanted = {item.unit for _, item in stated if graph.unit(item.unit).status == "derived"}
    if not wanted:
        return
    turned: list[tuple[Variant, Mapping[str, Relation]]] = []
    with evaluating(graph) as evaluator:
        evaluator.evaluate(provided(graph, values))
        evaluator.sync()
        turning = Turning(evaluator, wanted)
        for variant in (one for unit in turning.units for one in variants_of(graph, unit)):
            try:
                rows = turning.rows(variant)
            except GraphError:
                continue  # the work cannot be done that way: whoever tries will notice
            if rows:
                turned.append((variant, rows))
    answers = truths(view.package, view.package.digest) if turned else ()
    known = [[(path, asked(graph.unit(item.unit), item, truth)) for path, item in stated] for truth in answers]
    for variant, new in turned:
        found = [_changed(facts, new) for facts in known]
        if all(found):
            yield variant, min(found, key=len)[0]


def _changed(facts: list[tuple[str, Asked]], rows: Mapping[str, Relation]) -> list[Change]:
    """What does not stand any more as one consistent answer has it, grading's tolerance allowed."""
    return [change for path, wanted in facts if wanted.unit.name in rows for change in _rows(path, wanted, rows)]


def _rows(path: str, wanted: Asked, rows: Mapping[str, Relation]) -> Iterator[Change]:
    name = wanted.unit.name
    new = rows[name]
    for row, column in wanted.facts:
        who = ", ".join(map(shown, row.parts))
        if row.key not in new.by_key:
            if not _nothing(wanted.unit, {one: row.values[one].accepted[0] for one in row.values}):
                yield Change(path, name, who, "row", "there", "not there")
        elif column is not None:
            cell, value = row.values[column], new.value(row.key, column)
            if isinstance(value, (int, Decimal)) and wanted.unit.column(column).type.numeric:
                number = Decimal(value)
                rounded = number.quantize(cell.step) if cell.places >= 0 and cell.step < 1 else number
                if not (cell.near(rounded) or cell.near(number)):
                    yield Change(path, name, who, wanted.label(column), cell.shown, cell.type.show(rounded))
            elif value not in cell.accepted:
                yield Change(path, name, who, wanted.label(column), cell.shown, cell.type.show(value))
    known = {row.key for row in wanted.rows}
    for key, values in new.by_key.items():
        given = {column.name: value for column, value in zip(wanted.unit.columns, values, strict=True)}
        if key not in known and not _nothing(wanted.unit, given):
            yield Change(path, name, ", ".join(key), "row", "not there", "there")


def _nothing(unit: InfoUnit, row: Mapping[str, Value]) -> bool:
    """Whether a row says nothing: all its numbers are 0, so that nobody would list it."""
    numbers = [row[column.name] for column in unit.value_columns if column.type.numeric and column.name in row]
    return bool(numbers) and not any(numbers)
