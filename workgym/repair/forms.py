"""What a reviser and a reviewer fill in. Sentences below the fields reach them as descriptions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationError

from workgym.errors import MutationError
from workgym.graph import InfoUnit
from workgym.models import Form
from workgym.mutation import AddFact, AddRow, Edit, Restore, Revision, Reword, SetCell
from workgym.records import Cell, Column, ColumnType, Scalar

MOST_EDITS = 12
"""Edits that one proposal may make."""


class Named(Form):
    """A value under the name of its column."""

    column: str
    """Name of the column."""
    value: Scalar
    """The value: numbers and amounts as plain text ("0.1500"), dates as 2026-03-02, a percentage as a fraction."""


class SetValue(Form):
    """Give a cell of a provided unit a value, in the graph and in every file that prints it."""

    kind: Literal["set"]
    """Which edit this is."""
    unit: str
    """Name of the unit."""
    key: tuple[str, ...]
    """Key of the row, part by part; empty for a unit of one row."""
    column: str
    """Name of the column; never a part of the key."""
    value: str | int | float
    """The new value, in its JSON form."""

    def edit(self) -> Edit:
        """The typed edit."""
        return SetCell(cell=Cell(unit=self.unit, key=self.key, column=self.column), value=self.value)


class ChangeWords(Form):
    """Replace words in the template of one file or of the request."""

    kind: Literal["reword"]
    """Which edit this is."""
    path: str
    """Path of the file, or request.md."""
    old: str
    """The words as the template has them, braces and all, standing there exactly once; of a JSON tree: of one text."""
    new: str
    """What stands there afterwards: words, and {{ unit.column }} where a provided value is printed."""
    at: str = ""
    """Of a JSON tree in which `old` stands in several texts, the pointer of the one that is meant:
    /table/columns/Price."""

    def edit(self) -> Edit:
        """The typed edit."""
        return Reword(path=self.path, old=self.old, new=self.new, at=self.at)


class NewColumn(Form):
    """A column of a new fact."""

    name: str
    """Name: lower case letters, digits, underscores."""
    type: str
    """text, integer, date, time, quantity(unit, places), money(CUR, places), percent(places) or choice(a, b, ...)."""


class NewFact(Form):
    """Something that nobody had written down, as a provided unit of its own, printed in a file that is there."""

    kind: Literal["fact"]
    """Which edit this is."""
    unit: str
    """Its name: lower case letters, digits, underscores."""
    content: str
    """What it says, as a phrase."""
    entity: str
    """What it is about: supplier, contract, employee and day."""
    columns: tuple[NewColumn, ...] = ()
    """Its columns; none for words without a value."""
    key: tuple[str, ...] = ()
    """Columns that name a row; none for a unit of one row."""
    rows: tuple[tuple[Named, ...], ...] = ()
    """Its rows, every column in each."""
    path: str
    """The file that comes to say it, or request.md."""
    after: str
    """Words of that file's template, standing there exactly once, behind which the new text comes."""
    text: str
    """The new text, beginning with a blank or a line break where one is needed; it prints every row of the unit."""

    def edit(self) -> Edit:
        """The typed edit. Raises MutationError for a type that there is not."""
        try:
            columns = tuple(Column(name=one.name, type=ColumnType.parse(one.type)) for one in self.columns)
            unit = InfoUnit(
                name=self.unit,
                content=self.content,
                entity=self.entity,
                scope="this task",
                status="provided",
                columns=columns,
                key=self.key,
            )
            rows = tuple({one.column: one.value for one in row} for row in self.rows)
            return AddFact(unit=unit, rows=rows, path=self.path, after=self.after, text=self.text)
        except ValidationError as error:
            raise MutationError(f"{self.unit}: {error.errors()[0]['msg']}") from error
        except ValueError as error:
            raise MutationError(f"{self.unit}: {error}") from error


class NewRow(Form):
    """A row that a provided unit lacks, in the graph and wherever the unit is printed."""

    kind: Literal["row"]
    """Which edit this is."""
    unit: str
    """Name of the unit."""
    row: tuple[Named, ...]
    """Every column with its value."""

    def edit(self) -> Edit:
        """The typed edit."""
        return AddRow(unit=self.unit, row={one.column: one.value for one in self.row})


class WriteAgain(Form):
    """Write a file again from its template and the values as they stand: it was damaged, or says something else."""

    kind: Literal["restore"]
    """Which edit this is."""
    path: str
    """Path of the file."""

    def edit(self) -> Edit:
        """The typed edit."""
        return Restore(path=self.path)


Change = Annotated[SetValue | ChangeWords | NewFact | NewRow | WriteAgain, Field(discriminator="kind")]
"""One edit as a reviser writes it."""


class Proposal(Form):
    """A repair of a task."""

    reasons: str
    """For each problem: what causes it, where, and which smallest edit takes the cause away."""
    summary: str
    """What was wrong and what is changed, in one sentence for the record."""
    edits: tuple[Change, ...] = Field(max_length=MOST_EDITS)
    """The edits, made together, in this order; none where no permitted edit can repair the task."""

    def revision(self, findings: tuple[str, ...]) -> Revision:
        """The typed revision. Raises MutationError where an edit cannot be one."""
        try:
            edits = tuple(change.edit() for change in self.edits)
        except ValidationError as error:
            first = error.errors()[0]
            raise MutationError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
        return Revision(purpose="repair", why=self.summary, edits=edits, findings=findings)


class Preservation(Form):
    """Whether a task is still the task that was intended."""

    reasons: str
    """What each change does to the task: the work asked for, the deliverables, the judgement left to the solver."""
    same_work: bool
    """Whether the same person still has to do the same work, for the same deliverables, with the same decisions."""
    answers_left: bool
    """Whether every computation, comparison, selection and judgement is still left to the solver."""
    natural: bool
    """Whether the changed texts read as this request and these files would at such a workplace."""
    preserved: bool
    """Your verdict on the whole."""

    @property
    def accepted(self) -> bool:
        """Whether every answer is yes."""
        return self.same_work and self.answers_left and self.natural and self.preserved
