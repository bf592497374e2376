"""A revision being made: what its edits do to graph, plan and rows, before anything is printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workgym.errors import EvaluationError, GraphError, MutationError
from workgym.graph import InfoUnit, Relation, SupportGraph, compile_graph, evaluating, provided
from workgym.mutation.damage import How
from workgym.mutation.edits import (
    AddFact,
    AddRow,
    Contradict,
    Damage,
    DropRow,
    Restore,
    Reword,
    SetCell,
    Withhold,
)
from workgym.mutation.revision import Revision
from workgym.mutation.wording import reworded, spec_of, with_spec
from workgym.package import TaskPackage
from workgym.plan import ConstructionPlan
from workgym.records import Cell, Scalar, Value

_GIVEN = ("provided", "external")


@dataclass
class Draft:
    """Graph, plan and rows as the edits so far leave them."""

    package: TaskPackage
    """The package before; its anchors say what stands where."""
    closed: bool
    """Whether its words may bring no loop, condition or query."""
    graph: SupportGraph
    plan: ConstructionPlan
    rows: dict[str, Relation]
    by_file: dict[str, dict[str, Relation]] = field(default_factory=dict)
    """Rows that single files print, by their path."""
    units: set[str] = field(default_factory=set)
    """Units whose rows changed: what prints them is written again."""
    paths: set[str] = field(default_factory=set)
    """Carriers that are written again whatever they print."""
    damaged: dict[str, How] = field(default_factory=dict)
    """How files are spoiled, by path."""
    facts: list[AddFact] = field(default_factory=list)
    """Units that were added."""


def drafted(package: TaskPackage, revision: Revision) -> Draft:
    """What the edits of a revision make of a package, derived rows following. Raises MutationError."""
    hidden = package.hidden
    draft = Draft(package, revision.purpose == "repair", hidden.graph, hidden.plan, dict(hidden.values))
    for item in revision.edits:
        _DOES[item.kind](draft, item)
    for rows in draft.by_file.values():
        for name, relation in draft.rows.items():
            rows.setdefault(name, relation)
    if draft.units:
        draft.rows = _derived(draft)
    return draft


def _set(draft: Draft, edit: SetCell) -> None:
    _put(draft, edit.cell, edit.value)


def _withhold(draft: Draft, edit: Withhold) -> None:
    _put(draft, edit.cell, None)


def _put(draft: Draft, cell: Cell, raw: Scalar) -> None:
    value = _value(draft, cell, raw)
    draft.rows[cell.unit] = _with(draft.rows[cell.unit], cell, value)
    draft.units.add(cell.unit)


def _contradict(draft: Draft, edit: Contradict) -> None:
    cell = edit.cell
    value = _value(draft, cell, edit.value)
    if not any(a.cell == cell and a.place.path == edit.path for a in draft.package.hidden.anchors):
        raise MutationError(f"{cell} does not stand in {edit.path}")
    rows = draft.by_file.setdefault(edit.path, {})
    rows[cell.unit] = _with(rows.get(cell.unit, draft.rows[cell.unit]), cell, value)
    draft.units.add(cell.unit)


def _drop(draft: Draft, edit: DropRow) -> None:
    cell = edit.cell
    unit = _relation(draft, cell.unit)
    if unit.value_columns or unit.status not in _GIVEN:
        raise MutationError(f"{cell.unit} is more than its keys: withhold a cell instead")
    if cell.key not in draft.rows[cell.unit].by_key:
        raise MutationError(f"{cell.unit} has no row {', '.join(cell.key)}")
    draft.rows[cell.unit] = draft.rows[cell.unit].without(cell.key)
    draft.units.add(cell.unit)


def _row(draft: Draft, edit: AddRow) -> None:
    unit = _relation(draft, edit.unit)
    if unit.status not in _GIVEN:
        raise MutationError(f"{unit.name} is {unit.status}: its rows follow its premises and cannot be added")
    if not unit.key:
        raise MutationError(f"{unit.name} has one row and no key: set its cells instead")
    relation = draft.rows[unit.name]
    added = _loaded(unit, (edit.row,))
    key = added.key(added.rows[0])
    if key in relation.by_key:
        raise MutationError(f"{unit.name} has a row {', '.join(key)} already: set its cells instead")
    if draft.closed and any(value is None for value in added.rows[0]):
        raise MutationError(f"{unit.name} {', '.join(key)}: a row that is added has every value")
    draft.rows[unit.name] = Relation(unit, _placed(relation, added.rows[0]))
    draft.units.add(unit.name)


def _placed(relation: Relation, row: tuple[Value, ...]) -> tuple[tuple[Value, ...], ...]:
    """The rows with one more: in the order of their keys where they are in it, else at the end."""
    at = [relation.index[name] for name in relation.unit.key]

    def key(one: tuple[Value, ...]) -> tuple[Any, ...]:
        return tuple(one[position] for position in at)

    ordered = list(relation.rows) == sorted(relation.rows, key=key)
    rows = (*relation.rows, row)
    return tuple(sorted(rows, key=key)) if ordered else rows


def _reword(draft: Draft, edit: Reword) -> None:
    _rewrite(draft, edit.path, edit.old, edit.new, edit.at)


def _rewrite(draft: Draft, path: str, old: str, new: str, at: str = "") -> None:
    spec = reworded(spec_of(draft.plan, path), old, new, at=at, closed=draft.closed)
    draft.plan = with_spec(draft.plan, path, spec)
    draft.paths.add(path)


def _fact(draft: Draft, edit: AddFact) -> None:
    unit = edit.unit
    if unit.status != "provided" or unit.query or unit.domain or unit.controls or unit.permits or unit.decision:
        raise MutationError(f"{unit.name}: a fact is a provided unit without a query, domain, control or decision")
    if unit.premises or unit.superseded_by or unit.margin or unit.rounding:
        raise MutationError(f"{unit.name}: a fact rests on nothing and replaces nothing")
    if unit.name in draft.graph.by_name:
        raise MutationError(f"there is a unit {unit.name} already: set its cells, or add a row")
    if bool(unit.columns) != bool(edit.rows):
        raise MutationError(f"{unit.name}: a unit with columns has rows, and prose has none")
    unit = unit.model_copy(update={"role": "distractor"})  # no query reads it, and the checks shall know
    grown = draft.graph.model_copy(update={"units": (*draft.graph.units, unit)})
    try:
        compiled = compile_graph(grown)
    except GraphError as error:
        raise MutationError(str(error)) from error
    if compiled.supports != draft.graph.supports:
        raise MutationError(f"{unit.name}: the queries of other units would read it")
    draft.graph = compiled
    if unit.columns:
        relation = _loaded(unit, edit.rows)
        if len(relation.rows) != len(_keys(relation)) or any(None in row for row in relation.rows):
            raise MutationError(f"{unit.name}: its rows have a key of their own each, and every value")
        draft.rows[unit.name] = relation
    _rewrite(draft, edit.path, edit.after, edit.after + edit.text)
    draft.facts.append(edit)


def _restore(draft: Draft, edit: Restore) -> None:
    draft.paths.add(spec_of(draft.plan, edit.path).path)


def _damage(draft: Draft, edit: Damage) -> None:
    if edit.path not in draft.package.files:
        raise MutationError(f"there is no file {edit.path}")
    draft.damaged[edit.path] = edit.how


def _relation(draft: Draft, name: str) -> InfoUnit:
    unit = draft.graph.by_name.get(name)
    if unit is None or name not in draft.rows:
        raise MutationError(f"there is no unit {name}" if unit is None else f"{name} has no rows")
    return unit


def _value(draft: Draft, cell: Cell, raw: object) -> Value:
    unit = _relation(draft, cell.unit)
    if unit.status not in _GIVEN:
        raise MutationError(f"{cell.unit} is {unit.status}: its values follow its premises and cannot be set")
    if cell.column in unit.key:
        raise MutationError(f"{cell} is a key: renaming a row is not an edit of a cell")
    if cell.column not in {column.name for column in unit.columns}:
        raise MutationError(f"unit {cell.unit} has no column {cell.column}")
    try:
        return unit.column(cell.column).type.load(raw)
    except (ValueError, ArithmeticError) as error:
        raise MutationError(f"{cell}: {error}") from error


def _loaded(unit: InfoUnit, rows: tuple[Mapping[str, Scalar], ...]) -> Relation:
    names = {column.name for column in unit.columns}
    for row in rows:
        if row.keys() != names:
            wrong = ", ".join(sorted(row.keys() ^ names))
            raise MutationError(f"{unit.name}: a row has every column of it and no other: {wrong}")
    try:
        return Relation.load(unit, rows)
    except EvaluationError as error:
        raise MutationError(str(error)) from error


def _keys(relation: Relation) -> set[tuple[str, ...]]:
    return {relation.key(row) for row in relation.rows}


def _with(relation: Relation, cell: Cell, value: Value) -> Relation:
    try:
        return relation.with_value(cell.key, cell.column, value)
    except EvaluationError as error:
        raise MutationError(str(error)) from error


def _derived(draft: Draft) -> dict[str, Relation]:
    """Values follow the premises; where a premise is absent the derived rows stay, and the checks say so."""
    with evaluating(draft.graph) as evaluator:
        try:
            return {**draft.rows, **evaluator.evaluate(provided(draft.graph, draft.rows))}
        except EvaluationError:
            return dict(draft.rows)


_DOES: Mapping[str, Callable[[Draft, Any], None]] = {
    "set": _set,
    "reword": _reword,
    "fact": _fact,
    "row": _row,
    "restore": _restore,
    "withhold": _withhold,
    "drop": _drop,
    "contradict": _contradict,
    "damage": _damage,
}
"""What each edit does, by its kind."""
