"""Workbooks, written with XlsxWriter: native numbers and dates, formulas with their values, charts, comments.

Totals are live formulas with right cached values; formulas of the tree are recalculated while the file is written, and
one that does not give its unit's value is refused. Not written: pivot tables, pictures, macros, tracked changes.
"""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from xlsxwriter.exceptions import XlsxWriterException
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from workgym.documents.xlsx import numfmt
from workgym.documents.xlsx.a1 import column_letters, split_reference
from workgym.errors import MaterializeError
from workgym.materialize.carrier import Job, Rendered
from workgym.materialize.layout import Laid, Line
from workgym.materialize.look.look import look_of
from workgym.materialize.mess import draws, laid
from workgym.materialize.scope import Fault
from workgym.materialize.strip import Strip
from workgym.materialize.table import Content, holds_number
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.materialize.xlsx import style as sheetstyle
from workgym.materialize.xlsx.cells import Cells, Computed, single_cell, verify
from workgym.materialize.xlsx.columns import ColumnOf
from workgym.materialize.xlsx.extras import Extras
from workgym.materialize.xlsx.heads import Heads, Placed
from workgym.materialize.xlsx.notes import Notes
from workgym.records import Anchor, anchored

_SHEET = (
    *("title", "above", "tables", "below", "widths", "hidden", "comments", "chart", "charts", "freeze", "landscape"),
    *("page", "hide"),
)
_DEFINED = re.compile(r"^[A-Za-z_]\w{3,}$")
_PIECE = re.compile(r"\{(r|first|last)\}|\[([^\[\]]+)\]")


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A workbook from a tree with ``sheets``. Raises MaterializeError."""
    tree = Tree(job.path, job.view)
    with located(job.path, "content"):
        allow(content, ("sheets", "company", "look", "names"))
        sheets = content.get("sheets")
        if not isinstance(sheets, list) or not sheets:
            raise Fault("sheets: a list of sheets is needed")
    company = tree.text(content.get("company", ""), "company").plain
    seed = str(content.get("look", "")) or company or job.look
    buffer = io.BytesIO()
    look = look_of(seed)
    font = {"font_name": look.body_font, "font_size": 10 if look.body_font in ("Arial", "Verdana") else 11}
    book = Workbook(buffer, {"in_memory": True, "default_format_properties": font})
    notes: list[Notes] = []
    named: list[Anchor] = []
    computed: list[Computed] = []
    try:
        stamp = datetime.datetime.combine(job.today, datetime.time())
        book.set_properties({"title": job.title, "company": company, "created": stamp})
        styles = sheetstyle.Styles(book, look)
        for place, spec in enumerate(sheets, 1):
            with located(job.path, f"sheets[{place}]"):
                cells = _Sheet(job, tree, book, styles, spec, f"sheets[{place}]").written()
            notes.append(cells.notes)
            computed += cells.computed
        for name, target in dict(content.get("names", {})).items():
            one = single_cell(str(target))
            if one is None or not _DEFINED.match(name):
                raise MaterializeError(f"{job.path}: names.{name}: write a name and one cell, like `Rate: Terms!B4`")
            book.define_name(name, f"='{one[0]}'!{one[1]}")
            named += anchored(job.path, f"name.{name}", "decor", (), f"'{one[0]}'!{one[1]}")
        book.close()
    except XlsxWriterException as error:
        raise MaterializeError(f"{job.path}: {error}") from error
    if computed:
        verify(job, buffer.getvalue(), computed)
    return Rendered(job.path, buffer.getvalue(), lambda: chain(*(sheet.in_order() for sheet in notes), named))


class _Plan(NamedTuple):
    """A column of a table while its rows are written."""

    place: int
    """Its column on the sheet."""
    code: str
    """Its number format."""
    widen: bool
    """Whether it is as wide as its contents need."""
    formula: object
    """What the tree gives as the formula of its cells; None for values."""
    contents: Sequence[Content]
    """What its cells hold."""
    whole: ColumnOf | None
    """The column, where its cells need no look at each."""


class _Sheet:
    """One sheet while it is written."""

    def __init__(
        self, job: Job, tree: Tree, book: Workbook, styles: sheetstyle.Styles, spec: Mapping[str, Any], where: str
    ) -> None:
        self.job, self.tree, self.book, self.styles, self.spec, self.where = job, tree, book, styles, spec, where
        with located(job.path, where):
            if not isinstance(spec, Mapping):
                raise Fault("a sheet is a mapping with `title` and `tables`")
            allow(spec, _SHEET)
        self.name = tree.text(spec.get("title", f"Sheet{where[7:-1]}"), f"{where}.title").plain
        self.sheet: Worksheet = book.add_worksheet(self.name)
        self.cells = Cells(job, tree, self.sheet, self.name)
        self.heads = Heads(self.cells, styles)
        self.placed: list[Placed] = []
        self.row = 0

    def written(self) -> Cells:
        """Writes it; returns its cells."""
        if not self.styles.look.gridlines:
            self.sheet.hide_gridlines(2)
        for at, line in enumerate(self.spec.get("above", ())):
            text = self.tree.text(line, f"{self.where}.above")
            self.cells.text(self.row, 0, text, self.styles.title if at == 0 else self.styles.subtitle)
            self.row += 1
        if self.row:
            self.row += 1
        for at, spec in enumerate(self.spec.get("tables", ()), 1):
            where = f"{self.where}.tables[{at}]"
            table = self.tree.table(spec, where)
            with located(self.job.path, where):
                self._place(laid(self.tree, table, draws(self.job, where)))
        for line in self.spec.get("below", ()):
            self.cells.text(self.row, 0, self.tree.text(line, f"{self.where}.below"), self.styles.note)
            self.row += 1
        self._finish()
        return self.cells

    def _place(self, made: Laid) -> None:
        """One table, below what there is or beside the one before."""
        table = made.table
        top, left = self.row, 0
        if table.beside and self.placed:
            before = self.placed[-1]
            top, left = before.top, before.left + max(before.laid.width, 1) + 1 + bool(before.table.notes)
        start = top
        if table.title is not None:
            self.cells.text(start, left, table.title, self.styles.caption)
            start += 1
        elif table.beside and self.placed and self.placed[-1].table.title is not None:
            start += 1
        codes = [form or self.styles.code(column) for form, column in zip(table.formats, made.plain, strict=True)]
        right, lines = [*map(holds_number, made.plain)], made.lines
        placed = Placed(made, top, start, start + len(lines) - 1, left, {})
        if table.head:
            start = self.heads.write(placed, start, right)
        elif any(key in table.spec for key in ("groups", "units")):
            raise Fault("groups and units stand with headings, and this table has none")
        placed.first, placed.last = start, start + len(lines) - 1
        placed.rows = {line.row: start + at for at, line in enumerate(lines) if line.kind == "row"}
        self._lines(placed, lines, codes, right)
        end = start + len(lines)
        if table.sums and table.height:
            self._total(placed, end, codes)
            end += 1
        for at, note in enumerate(table.notes):
            self.cells.text(start + at, left + made.width + 1, note, self.styles.note)
        for at, width in enumerate(table.widths):
            if width is not None:
                self.cells.widths[placed.column(at)] = float(width)
        for gap in made.gaps:
            self.cells.widths[placed.column(gap) - 1] = 2.5
        self.placed.append(placed)
        self.row = max(self.row, end + 1, start + len(table.notes) + 1)

    def _lines(self, placed: Placed, lines: list[Line], codes: list[str], right: list[bool]) -> None:
        """All lines below the headings, a totals row aside."""
        plans = self._plans(placed, codes)
        for row, line in enumerate(lines, placed.first):
            if line.kind == "row":
                self._row(placed, line.row, row, plans)
            elif line.kind == "header":
                self.heads.labels(placed, row, right)
            elif line.kind == "subtotal":
                self._sum(placed, line, row, codes)
        wholes = [plan.whole for plan in plans if plan.whole is not None]
        self.cells.notes.block(wholes, [*placed.rows.items()])
        for plan in plans:
            if plan.whole is not None and plan.widen:
                self.cells.widen(plan.place, plan.whole.widest())

    def _plans(self, placed: Placed, codes: list[str]) -> list[_Plan]:
        """What the cells of each column have in common."""
        table, plans = placed.table, list[_Plan]()
        for at, (contents, code) in enumerate(zip(table.columns, codes, strict=True)):
            place, formula = placed.column(at), table.options[at].get("formula") if table.options else None
            whole = self._whole(contents, place, code, at > 0) if formula is None else None
            plans.append(_Plan(place, code, table.widths[at] is None, formula, contents, whole))
        return plans

    def _whole(self, contents: Sequence[Content], place: int, code: str, inner: bool) -> ColumnOf | None:
        """A column of values of one type, none of which a dial or a form has touched."""
        if not isinstance(contents, Strip):
            return None
        style = partial(self.styles.body, code, inner=inner, pairs=False)
        return ColumnOf(self.job.path, self.sheet, contents, place, code, style)

    def _row(self, placed: Placed, at: int, row: int, plans: list[_Plan]) -> None:
        """A row of the body."""
        table, merged, codes = placed.table, placed.laid.merged, placed.laid.codes
        for column, plan in enumerate(plans):
            if plan.whole is not None:
                plan.whole.put(at, row)
                continue
            height = merged.get((at, column), 1) if merged else 1
            if not height:
                continue
            content = plan.contents[at]
            code = codes.get((at, column), plan.code) if codes else plan.code
            code = self.styles.code([content]) if table.mixed else code
            style = self.styles.body(code, at, sheetstyle.sort_of(content), column > 0, table.pairs, height > 1)
            style = self.styles.label if table.pairs and column == 0 else style
            if height > 1:
                self.sheet.merge_range(row, plan.place, row + height - 1, plan.place, "", style)
            formula = None if plan.formula is None else self._formula(placed, str(plan.formula), row)
            self.cells.content(row, plan.place, content, style, code, widen=plan.widen, formula=formula)

    def _formula(self, placed: Placed, formula: str, row: int) -> str:
        """A formula of a column for one row: ``{r}`` is the row, ``[Heading]`` the cell under a heading."""
        numbers = {"r": row + 1, "first": placed.first + 1, "last": placed.last + 1}

        def put(match: re.Match[str]) -> str:
            if match[1]:
                return str(numbers[match[1]])
            return f"{column_letters(placed.column(placed.table.at(match[2])) + 1)}{row + 1}"

        return "=" + _PIECE.sub(put, formula.removeprefix("="))

    def _sum(self, placed: Placed, line: Line, row: int, codes: list[str]) -> None:
        """A subtotal of the rows above."""
        made = placed.laid
        rows = range(line.first, line.row + 1)
        for at in range(len(placed.table.formats)):
            style = self.styles.subtotal(codes[at] if at in made.sums else "General")
            if at in made.sums:
                self._added(placed, at, row, rows, (placed.rows[line.first], row - 1), style, codes[at])
            elif at == 0:
                self.cells.text(row, placed.left, made.labels[line.row], style)
                self.cells.widen(placed.left, made.labels[line.row].plain)
            else:
                self.sheet.write_blank(row, placed.column(at), None, style)

    def _total(self, placed: Placed, row: int, codes: list[str]) -> None:
        table = placed.table
        for at in range(len(table.formats)):
            style = self.styles.total(codes[at] if at in table.sums else "General")
            column = placed.column(at)
            if at in table.sums:
                rows = range(table.height)
                self._added(placed, at, row, rows, (placed.first, row - 1), style, codes[at])
            elif at == 0:
                self.sheet.write_string(row, column, table.total_label, style)
                self.cells.widen(column, table.total_label)
            else:
                self.sheet.write_blank(row, column, None, style)

    def _added(
        self, placed: Placed, at: int, row: int, rows: range, cells: tuple[int, int], style: Format, code: str
    ) -> None:
        """A sum as a live formula with its value; where a number is stored as text, only the value, as typed in."""
        made, column = placed.laid, placed.column(at)
        added = sum((made.number(line, at) or Decimal(0) for line in rows), Decimal(0))
        if made.native[at]:
            letters = column_letters(column + 1)
            function = "SUBTOTAL(9," if made.sums else "SUM("
            formula = f"={function}{letters}{cells[0] + 1}:{letters}{cells[1] + 1})"
            self.sheet.write_formula(row, column, formula, style, float(added))
        else:
            self.sheet.write_number(row, column, float(added), style)
        printed = numfmt.display(added, code)
        self.cells.anchor(row, column, printed)
        self.cells.widen(column, printed)

    def _finish(self) -> None:
        """Widths, panes, printing, and what the sheet has besides cells."""
        for letters, width in dict(self.spec.get("widths", {})).items():
            place = split_reference(f"{letters}1")
            if place is None:
                raise MaterializeError(f"{self.job.path}: {self.where}.widths: {letters} is no column")
            self.cells.widths[place[1] - 1] = float(width)
        for column, width in self.cells.widths.items():
            self.sheet.set_column(column, column, round(width, 1))
        main = self.placed[0] if len(self.placed) == 1 else None
        if self.spec.get("freeze", True) and main is not None and main.table.head and main.first <= 12:
            self.sheet.freeze_panes(main.first, 0)
        self.sheet.set_paper(9)
        self.sheet.fit_to_pages(1, 0)
        if self.spec.get("landscape", sum(self.cells.widths.values()) > 95):
            self.sheet.set_landscape()
        extras = Extras(self.book, self.cells, self.styles, self.placed)
        for at, spec in enumerate(self.spec.get("comments", ()), 1):
            with located(self.job.path, f"{self.where}.comments[{at}]"):
                extras.comment(spec, f"{self.where}.comments[{at}]")
        for at, placed in enumerate(self.placed, 1):
            with located(self.job.path, f"{self.where}.tables[{at}]"):
                extras.conditions(placed)
                extras.choices(placed)
        charts = [self.spec["chart"]] if "chart" in self.spec else []
        for spec in [*charts, *self.spec.get("charts", ())]:
            with located(self.job.path, f"{self.where}.chart"):
                extras.chart(spec, f"{self.where}.chart", self.row, bool(self.spec.get("below")))
        with located(self.job.path, self.where):
            if "page" in self.spec:
                extras.page(self.spec["page"])
            extras.hide(self.spec.get("hide", {}))
            hidden = self.spec.get("hidden", False)
            if hidden == "very":
                self.sheet.very_hidden()
            elif hidden:
                self.sheet.hide()
