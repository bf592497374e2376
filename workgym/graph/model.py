"""The information support graph as records: ``G_info = (V_info, V_carrier, E_info, E_loc)``.

Source: WorkFactory. What differs here is that it is executable: a derived unit carries the query
that computes it, and ``E_info`` is read off the queries, never declared.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from typing import ClassVar, Literal

import networkx as nx
from pydantic import Field, model_validator

from workgym.errors import GraphError
from workgym.graph.acceptance import Acceptance, Handed, Objective
from workgym.graph.areas import Area, area
from workgym.records import Column, Record, Sparse

Status = Literal["provided", "external", "derived", "internal"]


class Control(Record):
    """A condition on premises without which a unit is not computed: a statement that foots, a count that agrees.

    It is how the absence of a row hurts where no key announces that row.
    """

    name: str
    """Name, for messages."""
    query: str
    """A SELECT of one row with one boolean; false or NULL stops the evaluation."""
    says: str
    """What is wrong when it is false, as one sentence for a person."""


class Margin(Record):
    """How clear-cut a discrete result must be."""

    of: str
    """``unit.column``: the numbers that the result ranks."""
    end: Literal["lowest", "highest"] = "lowest"
    """Which end of them wins."""
    at_least: Decimal
    """Smallest relative distance between the best two, as a fraction."""


class Decision(Record):
    """A decision point: what may be decided, and on what."""

    options: str
    """Where the options come from, as ``unit.column``, or a comma-separated list."""
    admissible: str
    """Which option is right, as ``unit.column`` of a derived unit."""
    rubric: str = ""
    """What a judge should mind where practice allows more than one answer; empty for nothing."""


class InfoUnit(Record):
    """One piece of information. With ``columns`` it is a relation; without, it is prose or a judgement."""

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    """Name in queries and templates."""
    content: str
    """What it says, as a phrase for a person."""
    entity: str
    """What it is about: ``supplier``, ``employee and day``."""
    scope: str
    """Where it holds: ``this tender``, ``plant, released version 3``."""
    status: Status
    """Given to the solver, to be acquired outside, to be worked out, or for construction only."""
    columns: tuple[Column, ...] = ()
    """Its typed columns; empty for prose and judgements."""
    key: tuple[str, ...] = ()
    """The columns that name a row; empty for a scalar, which has exactly one row."""
    query: str | None = None
    """For a derived unit the one SQL query that computes it; None otherwise."""
    domain: str | None = None
    """A query that lists the keys which must be there, no more and no fewer; None for no such list."""
    controls: tuple[Control, ...] = ()
    """Conditions on the premises of a derived unit."""
    rule: bool = False
    """Whether it is a rule or convention, which queries may read to choose a branch."""
    rounding: str | None = None
    """The rule unit that prescribes intermediate rounding; None accepts results with and without it."""
    permits: Mapping[str, str] = Field(default_factory=dict)
    """Otherwise refused SQL constructs (``outer join``, ``coalesce``...) and the rule unit that permits each."""
    role: Literal["needed", "distractor"] = "needed"
    """A distractor is printed and never read by a query."""
    superseded_by: str | None = None
    """The unit that replaces it, for an old version; None otherwise."""
    premises: tuple[str, ...] = ()
    """Declared premises of a judgement; empty for relations, whose premises are read off the query."""
    decision: Decision | None = None
    """Set for a decision point."""
    margin: Margin | None = None
    """How clear-cut a discrete result must be; None for no demand."""

    @model_validator(mode="after")
    def _whole(self) -> InfoUnit:
        names = [column.name for column in self.columns]
        odd = [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)]
        if odd:
            raise ValueError(f"{self.name}: column {odd[0]!r} is not lower case letters, digits and underscores")
        if len(set(names)) != len(names):
            raise ValueError(f"{self.name}: a column is named twice")
        missing = [part for part in self.key if part not in names]
        if missing:
            raise ValueError(f"{self.name}: key {missing[0]} is not a column")
        if (self.status == "derived" and bool(self.columns)) != (self.query is not None):
            raise ValueError(f"{self.name}: a derived relation has one query, and nothing else has one")
        return self

    def column(self, name: str) -> Column:
        """The column of that name. Raises GraphError where there is none."""
        for column in self.columns:
            if column.name == name:
                return column
        raise GraphError(f"unit {self.name} has no column {name}")

    @property
    def value_columns(self) -> tuple[Column, ...]:
        """The columns outside the key."""
        return tuple(column for column in self.columns if column.name not in self.key)


class Carrier(Record):
    """Something that holds information."""

    path: str
    """Path from the solver's root; ``request.md`` for the request."""
    kind: Literal["request", "reference", "external", "deliverable", "internal"]
    """What it is in the flow of the task."""
    role: Literal["needed", "distractor"] = "needed"
    """A distractor holds no needed value."""
    title: str = ""
    """What a person would call it; empty where the path says it."""


class Support(Record):
    """An edge of ``E_info``, read off a query: ``unit`` needs these columns of ``premise``."""

    unit: str
    """The unit that is worked out."""
    premise: str
    """The unit that it needs."""
    columns: tuple[str, ...]
    """Which columns of the premise are read, sorted; empty for a judgement's premise."""


class Binding(Record):
    """An edge of ``E_loc``: a unit stands in a carrier."""

    unit: str
    """The unit."""
    carrier: str
    """Path of the carrier."""
    form: Literal["value", "state", "stated", "prose"]
    """Printed, told in words, to be stated by the solver, or judged."""
    visible: bool
    """Whether the solver sees it there; false for what deliverables must come to state."""


class Stated(Sparse):
    """What a deliverable must state of one unit, where and how precisely."""

    left_out: ClassVar[tuple[str, ...]] = ("cites",)

    unit: str
    """A derived unit (or a provided one that has to be carried over)."""
    form: Literal["table", "prose"]
    """Rows of a table under column headings, or sentences."""
    labels: Mapping[str, str] = Field(default_factory=dict)
    """Column heading that the request asks for, by column; a column that is left out is not asked for."""
    places: Mapping[str, int] = Field(default_factory=dict)
    """Decimal places that the request asks for, by column; the type's own where left out."""
    sheet: str | None = None
    """Sheet that the request names, and on which it has to stand; None for any."""
    weight: float = 1.0
    """Its share of the credit, relative to the other stated units of the task."""
    cites: tuple[str, ...] = ()
    """Units of which the deliverable has to name the files where they stand; empty where no sources are asked for."""


class RubricItem(Record):
    """One thing that a judge scores because code does not check it."""

    item: str
    """What must be so, as a sentence about the deliverable or the process."""
    rests_on: tuple[str, ...]
    """The units, or ``unit.column``, that it rests on."""
    about: Literal["deliverable", "process"] = "deliverable"
    """What it is judged on."""


class Deliverable(Sparse):
    """A file that the solver hands in."""

    left_out: ClassVar[tuple[str, ...]] = ("edits", "handed", "accepts", "objectives")

    path: str
    """Path that the request asks for."""
    states: tuple[Stated, ...]
    """What it must state."""
    live_formulas: bool = False
    """Whether computed cells must be formulas."""
    exact_rows: bool = True
    """Whether rows beyond those asked for count as wrong in its tables."""
    rubric: tuple[RubricItem, ...] = ()
    """What a judge scores."""
    edits: tuple[str, ...] = ()
    """For a file that is given and filled in or extended in place the areas where it may be changed, see
    :mod:`workgym.graph.areas`; empty for a file that the solver makes."""
    handed: tuple[Handed, ...] = ()
    """Tables that it must contain whose rows are the solver's choice."""
    accepts: tuple[Acceptance, ...] = ()
    """Rules over these tables."""
    objectives: tuple[Objective, ...] = ()
    """How good they must be."""

    @model_validator(mode="after")
    def _areas(self) -> Deliverable:
        parts = [table.name for table in self.handed] + [rule.name for rule in self.accepts]
        parts += [goal.name for goal in self.objectives]
        names = [*parts, *(stated.unit for stated in self.states)]
        twice = [name for name in parts if names.count(name) > 1]
        if twice:
            raise ValueError(f"{self.path}: {twice[0]} is there twice")
        if not self.handed and parts:
            raise ValueError(f"{self.path}: {parts[0]} needs a table that is handed in")
        for written in self.edits:
            area(self.path, written)
        return self

    @property
    def areas(self) -> dict[str, Area]:
        """The areas where it may be changed, as they are written."""
        return {written: area(self.path, written) for written in self.edits}


class Conflict(Record):
    """Two units that say different things, and what settles it."""

    between: tuple[str, str]
    """The two units; the first one holds."""
    rule: str
    """The rule unit that says so."""
    resolved_by: str
    """Path of the carrier where that rule stands."""


class Trap(Record):
    """A mistake that a hasty solver makes: premises replaced, and what must then come out differently."""

    name: str
    """What the hasty solver did."""
    given: Mapping[str, str]
    """By provided unit, a query over the units that gives the rows it would have used."""
    must_change: tuple[str, ...]
    """Derived units that must come out differently by more than their tolerance."""


class SupportGraph(Record):
    """Units, carriers, and the edges between them."""

    units: tuple[InfoUnit, ...]
    """All units; names are unique."""
    carriers: tuple[Carrier, ...]
    """All carriers; paths are unique."""
    supports: tuple[Support, ...] = ()
    """``E_info``; computed by ``graph.lineage`` and checked against the queries."""
    bindings: tuple[Binding, ...] = ()
    """``E_loc``; computed from the anchors that the renderers recorded."""
    deliverables: tuple[Deliverable, ...] = ()
    """What is handed in."""
    conflicts: tuple[Conflict, ...] = ()
    """Documented conflicts."""
    traps: tuple[Trap, ...] = ()
    """Known mistakes."""

    @model_validator(mode="after")
    def _whole(self) -> SupportGraph:
        for what, names in (("unit", [u.name for u in self.units]), ("carrier", [c.path for c in self.carriers])):
            twice = {name for name in names if names.count(name) > 1}
            if twice:
                raise ValueError(f"{what} {sorted(twice)[0]} is there twice")
        return self

    @cached_property
    def by_name(self) -> dict[str, InfoUnit]:
        """Units by name."""
        return {unit.name: unit for unit in self.units}

    def unit(self, name: str) -> InfoUnit:
        """The unit of that name. Raises GraphError where there is none."""
        try:
            return self.by_name[name]
        except KeyError:
            raise GraphError(f"there is no unit {name}") from None

    def premises(self) -> nx.DiGraph:
        """``E_info`` as a directed graph from premise to unit."""
        graph: nx.DiGraph = nx.DiGraph()
        graph.add_nodes_from(unit.name for unit in self.units)
        graph.add_edges_from((edge.premise, edge.unit) for edge in self.supports)
        return graph

    def behind(self, name: str) -> frozenset[str]:
        """All that a unit rests on, directly or not."""
        return frozenset(nx.ancestors(self.premises(), name))

    def relations(self, *statuses: Status) -> tuple[InfoUnit, ...]:
        """Units with columns, of the given statuses (all where none is given)."""
        return tuple(unit for unit in self.units if unit.columns and (not statuses or unit.status in statuses))
