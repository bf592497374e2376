"""What a model fills in for the support graph. Sentences below the fields reach it as descriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from workgym.graph import Status
from workgym.models import Form

Scalar = str | int | float | bool | None
"""One value as JSON has it."""


class Part(Form):
    """A form that takes a number where a text is wanted: ``"scope": 2026`` is no reason to write a draft anew."""

    model_config = ConfigDict(coerce_numbers_to_str=True)


class ColumnDraft(Part):
    """A typed column."""

    name: str
    """Name in queries and templates: lower case letters, digits, underscores."""
    type: str
    """text, integer, date, time, quantity(unit, places), money(CUR, places), percent(places) or choice(a, b, ...)."""
    label: str = ""
    """What people call it in a document; empty for the name with spaces."""


class ControlDraft(Part):
    """A condition without which a derived unit is not computed."""

    name: str
    """Short name."""
    sql: str
    """A SELECT of one row with one boolean."""
    says: str
    """What is wrong when it is false, as a sentence."""


class DecisionDraft(Part):
    """A decision point."""

    options: str
    """Where the options come from, as unit.column, or a comma-separated list."""
    admissible: str
    """Which option is right, as unit.column of a derived unit."""
    rubric: str = ""
    """What a judge should mind where practice allows more than one answer."""


class MarginDraft(Part):
    """How clear-cut a discrete result must be."""

    of: str
    """unit.column: the numbers that the result ranks."""
    at_least: str
    """Smallest relative distance between the best two, as a percentage: 2%."""
    end: Literal["lowest", "highest"] = "lowest"
    """Which end of them wins."""


class UnitDraft(Part):
    """One information unit."""

    name: str
    """Name in queries and templates: lower case letters, digits, underscores."""
    status: Status
    """provided: a file prints it. external: a web page alone. derived: the solver works it out. internal: hidden."""
    content: str
    """What it says, as a phrase for a person."""
    entity: str
    """What a row is about: supplier; employee and day."""
    scope: str
    """Where it holds: this tender; plant, released version."""
    columns: tuple[ColumnDraft, ...] = ()
    """Typed columns; empty for a judgement, which is prose."""
    key: tuple[str, ...] = ()
    """The columns that name a row; empty for a unit of exactly one row."""
    rows: tuple[tuple[Scalar, ...], ...] = ()
    """Provided and external units: the rows, each with one value for each column, in their order. A percent as a
    fraction (0.085 is 8.5 %), dates as 2026-03-02, times as 07:45."""
    sql: str = ""
    """Derived units with columns: the one SELECT that computes the rows."""
    for_each: str = ""
    """The keys that must be there, no more and no fewer: `unit` or `unit where ...`; it has the same key columns."""
    rule: bool = False
    """Whether it is a rule or convention that the files state and queries read to choose a branch."""
    rounding: str = ""
    """The rule unit that prescribes rounding on the way; empty accepts all rounding that the queries write, or none."""
    permits: Mapping[str, str] = {}
    """Constructs that hide absence, each with the rule unit that allows it: {"outer join": "no_claim_rule"}."""
    controls: tuple[ControlDraft, ...] = ()
    """Conditions on the premises."""
    role: Literal["needed", "distractor"] = "needed"
    """A distractor is printed and read by no query."""
    superseded_by: str = ""
    """The unit that replaces it, for an old or draft version."""
    premises: tuple[str, ...] = ()
    """A judgement's premises, as unit or unit.column."""
    decision: DecisionDraft | None = None
    """Set for a decision point."""
    margin: MarginDraft | None = None
    """Set where a unit picks or ranks."""


class StatedDraft(Part):
    """What a deliverable must state of one unit."""

    unit: str
    """A derived unit."""
    form: Literal["table", "prose"]
    """Rows of a table under headings, or sentences."""
    labels: Mapping[str, str] = {}
    """By column, the heading that the request asks for; a column left out is not asked for. Key columns too."""
    places: Mapping[str, Annotated[int, Field(ge=0, le=6)]] = {}
    """By column, the decimal places that the request asks for."""
    sheet: str = ""
    """Sheet that the request names; empty for any."""
    weight: float = Field(default=1.0, gt=0, le=100)
    """Its share of the credit."""
    cites: tuple[str, ...] = ()
    """Units whose files the deliverable has to name as sources."""


class RubricDraft(Part):
    """One thing that a judge scores because code does not check it."""

    item: str
    """What must be so, as one sentence that a stranger can answer with yes or no."""
    rests_on: tuple[str, ...] = ()
    """The units, or unit.column, that it rests on."""
    about: Literal["deliverable", "process"] = "deliverable"
    """What it is judged on."""


class TableDraft(Part):
    """A table that must be handed in and whose rows are the solver's choice: a roster, a plan, an allocation."""

    name: str
    """Its name in `accepts` and `objectives`; no unit has it."""
    columns: tuple[ColumnDraft, ...]
    """Typed columns; each label is the heading that the request asks for."""
    key: tuple[str, ...]
    """The columns that name a row; no two rows have the same."""
    of: Mapping[str, str] = {}
    """By column, the unit.column whose values it may have."""
    covers: str = ""
    """`unit` or `unit where ...`: each of its keys has a row at least, by columns of the same names."""
    sheet: str = ""
    """Sheet that the request names; empty for any."""


class RuleDraft(Part):
    """A rule that an acceptable answer keeps."""

    name: str
    """Short name: lower case letters, digits, underscores."""
    says: str
    """What is wrong with a row that the query gives, as a sentence."""
    sql: str
    """A SELECT over tables of this deliverable and units; each row is a violation. Literals are allowed."""


class ObjectiveDraft(Part):
    """How good an answer must be that keeps all rules."""

    name: str
    """Short name: lower case letters, digits, underscores."""
    says: str
    """What the number is, as a phrase."""
    sql: str
    """A SELECT of one number over tables of this deliverable and units."""
    best: str
    """A SELECT of the best number, over units alone."""
    sense: Literal["min", "max"] = "min"
    """Which numbers are better."""
    gap: str = "0"
    """How far from the best earns all: 5% or an amount."""


class DeliverableDraft(Part):
    """A file that the solver hands in."""

    path: str
    """Path from the workspace's root; the ending names the format."""
    states: tuple[StatedDraft, ...] = ()
    """What it must state: results of which exactly one is right."""
    rubric: tuple[RubricDraft, ...] = ()
    """What a judge scores."""
    tables: tuple[TableDraft, ...] = ()
    """For work with many right answers: tables whose rows the solver chooses."""
    accepts: tuple[RuleDraft, ...] = ()
    """Rules over these tables."""
    objectives: tuple[ObjectiveDraft, ...] = ()
    """How good they must be."""
    live_formulas: bool = False
    """Whether computed cells must be formulas."""
    exact_rows: bool = True
    """Whether other rows count as wrong in its tables."""
    edits: tuple[str, ...] = ()
    """Only for a given file that is filled in: where it may be changed, as `Sheet![Heading]` or `+rows`."""


class ConflictDraft(Part):
    """Two units that disagree, and what settles it."""

    between: tuple[str, str]
    """The unit that holds, then the one that does not."""
    rule: str
    """The rule unit that says so; a file that the solver sees states it."""


class TrapDraft(Part):
    """A mistake of a hasty solver that must come out differently."""

    name: str
    """What the hasty solver did, as a phrase."""
    given: Mapping[str, str]
    """By provided unit, a SELECT with the same columns that gives the rows it would have used."""
    must_change: tuple[str, ...]
    """Derived units that must come out differently."""


class GraphDraft(Part):
    """The information support graph of one task."""

    backwards: str
    """First of all, in a few lines: from the deliverables to the computations and judgements behind them, to the
    premises of each, to the conventions that they rest on."""
    units: tuple[UnitDraft, ...]
    """All units."""
    deliverables: tuple[DeliverableDraft, ...]
    """What is handed in."""
    conflicts: tuple[ConflictDraft, ...] = ()
    """Documented conflicts."""
    traps: tuple[TrapDraft, ...] = ()
    """Known mistakes."""


class GraphChange(Part):
    """What changes in a graph; all else stays as it is."""

    thought: str
    """First: for each problem its cause and what you do about it, in a line."""
    units: tuple[UnitDraft, ...] = ()
    """New units, and whole units in place of those with their names. Rows left out stay where the columns do."""
    drop_units: tuple[str, ...] = ()
    """Names of units that go."""
    deliverables: tuple[DeliverableDraft, ...] = ()
    """New deliverables, and whole ones in place of those with their paths."""
    drop_deliverables: tuple[str, ...] = ()
    """Paths of deliverables that go."""
    conflicts: tuple[ConflictDraft, ...] | None = None
    """All conflicts anew; null keeps them."""
    traps: tuple[TrapDraft, ...] | None = None
    """All traps anew; null keeps them."""
