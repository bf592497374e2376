"""Typed edits, bound to units: the closed set of what a revision can do to a task.

==============  ===================================================================  ======================
edit            what it is for                                                       who may make it
==============  ===================================================================  ======================
``set``         a missing or wrong value                                             repair, inject, user
``reword``      the words around values: units, conventions, places, a file's name   repair, inject
``fact``        something that nobody had written down, as a unit of its own         repair, inject
``row``         a row that a list of premises lacks                                  repair, inject
``restore``     a file that was damaged, or says what its plan does not say          repair, inject
``withhold``    take a value out                                                     inject
``drop``        take a row out                                                       inject
``contradict``  let one file say something else                                      inject
``damage``      let a file be unreadable, or end too early                           inject
==============  ===================================================================  ======================

No edit makes, renames or removes a file, touches a derived unit, or changes what a deliverable states.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from workgym.graph import InfoUnit
from workgym.mutation.damage import How
from workgym.records import Cell, Record, Scalar

LONGEST = 20_000
"""Characters of a text that an edit brings."""
MOST_ROWS = 200
"""Rows of a unit that an edit brings."""


class SetCell(Record):
    """Give a cell a value, in the graph and wherever it is printed; restores one that was withheld."""

    kind: Literal["set"] = "set"
    """Names this edit in JSON."""
    cell: Cell
    """Which cell; its row must be there."""
    value: Scalar
    """The new value, in its JSON form."""

    def __str__(self) -> str:
        return f"set {self.cell} to {self.value}"


class Reword(Record):
    """Replace a text in the template of a carrier, or in one string of its content tree; it is written again."""

    kind: Literal["reword"] = "reword"
    """Names this edit in JSON."""
    path: str
    """Which carrier: ``request.md``, or a file's path. What lies within an archive or a mail is reworded in the
    archive's or the mail's own template."""
    old: str = Field(min_length=1, max_length=LONGEST)
    """The text as the template has it; it stands there exactly once."""
    new: str = Field(max_length=LONGEST)
    """What stands there afterwards; it may print provided units. In place of a number of a tree, a number stays one."""
    at: str = ""
    """In a content tree the JSON pointer of the text that is meant (``/table/columns/Price``), so that ``old`` has to
    stand once in that text alone; empty for wherever it stands."""

    def __str__(self) -> str:
        return f"reword {self.path}: {self.old!r} to {self.new!r}"


class AddFact(Record):
    """Add a provided unit and print it in a carrier that is there.

    No query reads it, since queries do not change: it tells the solver how the rest is to be taken.
    """

    kind: Literal["fact"] = "fact"
    """Names this edit in JSON."""
    unit: InfoUnit
    """The unit; its status is ``provided``, and it has no query."""
    rows: tuple[Mapping[str, Scalar], ...] = Field(default=(), max_length=MOST_ROWS)
    """Its rows, by column and in JSON form; none for prose."""
    path: str
    """The carrier that comes to say it."""
    after: str = Field(min_length=1, max_length=LONGEST)
    """A text of its template, standing there exactly once, behind which the new text comes."""
    text: str = Field(min_length=1, max_length=LONGEST)
    """The new text; it prints each row of the unit, or is a ``state`` of it."""

    def __str__(self) -> str:
        return f"fact {self.unit.name} in {self.path}, behind {self.after!r}: {self.text!r}"


class AddRow(Record):
    """Add a row to a provided unit, in the graph and wherever the unit is printed."""

    kind: Literal["row"] = "row"
    """Names this edit in JSON."""
    unit: str
    """Which unit; it has a key."""
    row: Mapping[str, Scalar]
    """Every column's value, in its JSON form."""

    def __str__(self) -> str:
        return f"row of {self.unit}: {', '.join(f'{name} {value}' for name, value in self.row.items())}"


class Restore(Record):
    """Write a carrier again, as the plan says for the rows as they stand."""

    kind: Literal["restore"] = "restore"
    """Names this edit in JSON."""
    path: str
    """Which carrier."""

    def __str__(self) -> str:
        return f"restore {self.path}"


class Withhold(Record):
    """Take a cell out of the graph and out of every file; its row and its places stay."""

    kind: Literal["withhold"] = "withhold"
    """Names this edit in JSON."""
    cell: Cell
    """Which cell."""

    def __str__(self) -> str:
        return f"withhold {self.cell}"


class DropRow(Record):
    """Take a row out of the graph and out of every file, of a unit that is nothing but its keys."""

    kind: Literal["drop"] = "drop"
    """Names this edit in JSON."""
    cell: Cell
    """The row, by any of its cells."""

    def __str__(self) -> str:
        return f"drop the row of {self.cell}"


class Contradict(Record):
    """Print another value in one file only: the graph and the other files keep theirs."""

    kind: Literal["contradict"] = "contradict"
    """Names this edit in JSON."""
    cell: Cell
    """Which cell."""
    value: Scalar
    """What that file says."""
    path: str
    """Which file."""

    def __str__(self) -> str:
        return f"let {self.path} say {self.value} for {self.cell}"


class Damage(Record):
    """Spoil the bytes of a file; plan and graph say what it should be."""

    kind: Literal["damage"] = "damage"
    """Names this edit in JSON."""
    path: str
    """Which file."""
    how: How = "truncated"
    """What happened to it; see :mod:`.damage`."""


Edit = Annotated[
    SetCell | Reword | AddFact | AddRow | Restore | Withhold | DropRow | Contradict | Damage,
    Field(discriminator="kind"),
]
"""One typed edit."""

REPAIRS = (SetCell, Reword, AddFact, AddRow, Restore)
"""What a repair may do."""
WRITTEN = (Reword, AddFact)
"""Edits that bring text for a template, which whoever wrote it can have filled with anything."""
