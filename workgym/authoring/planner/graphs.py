"""From a graph as a model wrote it to the graph's own records and rows, with everything that does not fit named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, TypeVar

from pydantic import ValidationError

from workgym.authoring.planner.forms import (
    ColumnDraft,
    DeliverableDraft,
    GraphDraft,
    ObjectiveDraft,
    RuleDraft,
    Scalar,
    StatedDraft,
    TableDraft,
    UnitDraft,
)
from workgym.authoring.planner.names import name_problems
from workgym.authoring.planner.records import Problem
from workgym.graph import (
    Acceptance,
    Column,
    Conflict,
    Control,
    Decision,
    Deliverable,
    Handed,
    InfoUnit,
    Margin,
    Objective,
    Relation,
    RubricItem,
    Stated,
    SupportGraph,
    Trap,
)
from workgym.records import ColumnType, Record, Value

RESERVED = frozenset({"context", "rows", "row", "exists", "range", "loop", "true", "false", "none", "request"})
"""Names that templates and queries use otherwise."""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,47}")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,12})?")
_LARGEST_PERCENT = 3
"""The largest percent, as a fraction; more is taken for a percentage that was not divided by a hundred."""
_PERCENTAGE = re.compile(r"\d{1,2}(?:\.\d{1,4})?%")
_Kind = TypeVar("_Kind", bound=Record)

Given = Mapping[str, Relation]
"""The rows of the units that are given, by name."""


class Drafted:
    """A graph draft being turned into records; ``problems`` are what was wrong."""

    def __init__(self, draft: GraphDraft) -> None:
        self.draft = draft
        self.units: tuple[InfoUnit, ...] = ()
        """All units, where each could be made; then their queries can be looked at, whatever else is wrong."""
        self.problems: list[Problem] = []
        self.rows: dict[str, Relation] = {}
        self.graph = self._graph()

    def _graph(self) -> SupportGraph | None:
        units = tuple(unit for spec in self.draft.units if (unit := self._unit(spec)) is not None)
        self.units = units if len({unit.name for unit in units}) == len(self.draft.units) else ()
        deliverables = tuple(made for spec in self.draft.deliverables if (made := self._deliverable(spec)) is not None)
        self.problems += twice("units", [unit.name for unit in self.draft.units])
        self.problems += twice("deliverables", [spec.path for spec in self.draft.deliverables])
        self.problems += name_problems(self.draft)
        if self.problems:
            return None
        return self._made(
            "",
            SupportGraph,
            units=units,
            carriers=(),
            deliverables=deliverables,
            conflicts=tuple(
                Conflict(between=conflict.between, rule=conflict.rule, resolved_by="")
                for conflict in self.draft.conflicts
            ),
            traps=tuple(
                Trap(name=trap.name, given=trap.given, must_change=trap.must_change) for trap in self.draft.traps
            ),
        )

    def _say(self, place: str, message: str, fix: str = "", code: str = "unit") -> None:
        self.problems.append(Problem(code=code, place=place, message=message, fix=fix))

    def _made(self, place: str, kind: type[_Kind], **fields: Any) -> _Kind | None:
        try:
            return kind(**fields)
        except ValidationError as error:
            for wrong in error.errors()[:4]:
                at = ".".join(str(part) for part in (place, *wrong["loc"]) if part != "")
                self._say(at, wrong["msg"].removeprefix("Value error, "))
        return None

    def _unit(self, spec: UnitDraft) -> InfoUnit | None:
        place = f"units.{spec.name[:60]}"
        before = len(self.problems)
        if _NAME.fullmatch(spec.name) is None or spec.name in RESERVED:
            self._say(place, "is no name for a unit", "use lower case letters, digits, underscores; not a word of SQL")
        self._shape(spec, place)
        columns = self._columns(spec.columns, place)
        margin = self._margin(spec, place)
        if len(self.problems) > before:
            return None
        unit = self._made(
            place,
            InfoUnit,
            name=spec.name,
            content=spec.content,
            entity=spec.entity,
            scope=spec.scope,
            status=spec.status,
            columns=columns,
            key=spec.key,
            query=spec.sql or None,
            domain=domain(spec) if spec.for_each else None,
            controls=tuple(Control(name=item.name, query=item.sql, says=item.says) for item in spec.controls),
            rule=spec.rule,
            rounding=spec.rounding or None,
            permits=spec.permits,
            role=spec.role,
            superseded_by=spec.superseded_by or None,
            premises=spec.premises,
            decision=None if spec.decision is None else Decision.model_validate(spec.decision.model_dump()),
            margin=margin,
        )
        if unit is not None and columns and spec.status in ("provided", "external"):
            self.rows[unit.name] = self._relation(unit, spec, place)
        return unit

    def _shape(self, spec: UnitDraft, place: str) -> None:
        if spec.status == "derived" and spec.columns and not spec.sql.strip():
            self._say(f"{place}.sql", "a derived unit with columns has one query", "write its `sql`")
        if spec.sql and (spec.status != "derived" or not spec.columns):
            self._say(f"{place}.sql", "only a derived unit with columns has a query")
        if spec.status in ("provided", "external") and spec.columns and not spec.rows:
            self._say(f"{place}.rows", "it is given and has no rows")
        if spec.status not in ("provided", "external") and spec.rows:
            self._say(f"{place}.rows", "only provided and external units have rows", "leave them out")
        if spec.status in ("provided", "external") and not spec.columns:
            self._say(f"{place}.columns", "what is given has columns", "a scalar is one column and one row without key")
        if spec.for_each and not spec.key:
            self._say(f"{place}.for_each", "a unit without a key has exactly one row", "leave it out, or give a key")
        if spec.rule and not any(column.type.startswith("choice") for column in spec.columns):
            self._say(
                f"{place}.columns", "a rule has a column of type choice(...)", "name the options that practice knows"
            )

    def _columns(self, drafts: Sequence[ColumnDraft], place: str) -> tuple[Column, ...]:
        found = []
        for column in drafts:
            at = f"{place}.columns.{column.name[:60]}"
            if _NAME.fullmatch(column.name) is None:
                self._say(at, "is no name for a column", "use lower case letters, digits and underscores")
                continue
            try:
                kind = ColumnType.parse(column.type)
                if kind.places > 6:
                    raise ValueError(f"{column.type}: at most 6 places")
            except ValueError as error:
                self._say(at, str(error).removeprefix("Value error, ")[:200])
                continue
            found.append(Column(name=column.name, type=kind, label=column.label or None))
        return tuple(found)

    def _margin(self, spec: UnitDraft, place: str) -> Margin | None:
        if spec.margin is None:
            return None
        if _PERCENTAGE.fullmatch(spec.margin.at_least) is None:
            self._say(f"{place}.margin.at_least", f"{spec.margin.at_least[:40]!r} is no percentage", "write 2%")
            return None
        share = Decimal(spec.margin.at_least.removesuffix("%")) / 100
        return Margin(of=spec.margin.of, end=spec.margin.end, at_least=share)

    def _relation(self, unit: InfoUnit, spec: UnitDraft, place: str) -> Relation:
        table: list[tuple[Value, ...]] = []
        for number, row in enumerate(spec.rows, 1):
            if len(row) != len(unit.columns):
                names = ", ".join(column.name for column in unit.columns)
                self._say(f"{place}.rows[{number}]", f"has {len(row)} values for {len(unit.columns)} columns: {names}")
                continue
            try:
                cells = zip(unit.columns, row, strict=True)
                table.append(tuple(value(column.type, raw, column.name) for column, raw in cells))
            except ValueError as error:
                self._say(f"{place}.rows[{number}]", str(error)[:200])
        return Relation(unit, tuple(table))

    def _deliverable(self, spec: DeliverableDraft) -> Deliverable | None:
        place = f"deliverables.{spec.path[:120]}"
        return self._made(
            place,
            Deliverable,
            path=spec.path,
            states=tuple(_stated(item) for item in spec.states),
            live_formulas=spec.live_formulas,
            exact_rows=spec.exact_rows,
            edits=spec.edits,
            handed=tuple(table for item in spec.tables if (table := self._table(item, place)) is not None),
            accepts=tuple(rule for item in spec.accepts if (rule := self._rule(item, place)) is not None),
            objectives=tuple(goal for item in spec.objectives if (goal := self._objective(item, place)) is not None),
            rubric=tuple(RubricItem.model_validate(item.model_dump()) for item in spec.rubric),
        )

    def _table(self, item: TableDraft, place: str) -> Handed | None:
        place = f"{place}.tables.{item.name[:60]}"
        unit, _, condition = item.covers.partition(" where ")
        keys = {spec.name: spec.key for spec in self.draft.units}
        covers = None
        if item.covers:
            if not keys.get(unit.strip()):
                self._say(f"{place}.covers", f"there is no unit {unit[:60]!r} with a key")
                return None
            covers = key_query(keys[unit.strip()], unit, condition)
        return self._made(
            place,
            Handed,
            name=item.name,
            columns=self._columns(item.columns, place),
            key=item.key,
            of=item.of,
            sheet=item.sheet or None,
            covers=covers,
        )

    def _rule(self, item: RuleDraft, place: str) -> Acceptance | None:
        place = f"{place}.accepts.{item.name[:60]}"
        return self._made(place, Acceptance, name=item.name, says=item.says, query=item.sql)

    def _objective(self, item: ObjectiveDraft, place: str) -> Objective | None:
        place = f"{place}.objectives.{item.name[:60]}"
        fields = {"says": item.says, "query": item.sql, "best": item.best, "sense": item.sense, "gap": item.gap}
        return self._made(place, Objective, name=item.name, **fields)


def _stated(item: StatedDraft) -> Stated:
    return Stated.model_validate({**item.model_dump(), "sheet": item.sheet or None})


def value(kind: ColumnType, raw: Scalar, name: str) -> Value:
    """A value that a model wrote. Raises ValueError where it does not fit, or is no number as people write them.

    A text like ``1e999999999`` is a number of a gigabyte to whoever counts it out.
    """
    if kind.numeric and raw is not None:
        written = format(Decimal(repr(raw)), "f") if isinstance(raw, float) and abs(raw) < 1e15 else str(raw)
        if isinstance(raw, bool) or _NUMBER.fullmatch(written) is None:
            raise ValueError(f"{name}: {str(raw)[:40]!r} is no plain number for {kind}; write 1234.50")
        if len(written.partition(".")[2].rstrip("0")) > kind.scale:
            raise ValueError(f"{name}: {written} has more decimals than {kind} keeps ({kind.scale})")
        if kind.kind == "percent" and abs(Decimal(written)) > _LARGEST_PERCENT:
            raise ValueError(f"{name}: {written} would be {Decimal(written) * 100:f} %; a percent is a fraction, 0.085")
        raw = written
    try:
        return kind.load(raw)
    except (ValueError, ArithmeticError) as error:
        raise ValueError(f"{name}: {error}") from error


def domain(spec: UnitDraft) -> str:
    """The query of the keys that must be there."""
    unit, _, condition = spec.for_each.partition(" where ")
    return key_query(spec.key, unit, condition)


def key_query(key: Sequence[str], unit: str, condition: str) -> str:
    """The query of the keys of a unit's rows, or of those that a condition holds for."""
    return f"select distinct {', '.join(key)} from {unit}" + (f" where {condition}" if condition else "")


def twice(place: str, names: Sequence[str]) -> Iterator[Problem]:
    """Names that are there twice, case aside."""
    folded = [name.casefold() for name in names]
    for name in sorted({name for name in folded if folded.count(name) > 1}):
        yield Problem(code="names", place=f"{place}.{name[:120]}", message="is there twice")
