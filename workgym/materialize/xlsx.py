"""Workbooks, written with XlsxWriter: native numbers and dates, totals as live formulas with their values, charts."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from xlsxwriter.exceptions import XlsxWriterException
from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook
from xlsxwriter.worksheet import Worksheet

from workgym.documents import numfmt
from workgym.documents.cells import column_letters, split_place, split_reference
from workgym.errors import MaterializeError
from workgym.materialize import sheetstyle
from workgym.materialize.bound import Bound
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.look import look_of
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, near
from workgym.materialize.template import located
from workgym.materialize.tree import Content, Table, Tree, allow, exact, number
from workgym.records import Anchor, Place

_SHEET = ("title", "above", "tables", "below", "widths", "hidden", "comments", "chart", "freeze", "landscape")
_CHARTS = ("column", "bar", "line", "pie")
_CHART_ROWS = 16
"""As many rows as a chart is high."""
_LONGEST = 32_767
_DEFINED = re.compile(r"^[A-Za-z_]\w{3,}$")
_EPOCH = datetime.date(1899, 12, 30)


@dataclass
class _Placed:
    """A table and where it stands; rows and columns from 0."""

    table: Table
    top: int
    first: int
    last: int
    left: int


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
    anchors: list[Anchor] = []
    try:
        stamp = datetime.datetime.combine(job.today, datetime.time())
        book.set_properties({"title": job.title, "company": company, "created": stamp})
        styles = sheetstyle.Styles(book, look)
        for place, spec in enumerate(sheets, 1):
            with located(job.path, f"sheets[{place}]"):
                anchors += _Sheet(job, tree, book, styles, spec, f"sheets[{place}]").written()
        for name, target in dict(content.get("names", {})).items():
            one = split_place(str(target))
            if one is None or not _DEFINED.match(name):
                raise MaterializeError(f"{job.path}: names.{name}: write a name and one cell, like `Rate: Terms!B4`")
            book.define_name(name, f"='{one[0]}'!${column_letters(one[2])}${one[1]}")
        book.close()
    except XlsxWriterException as error:
        raise MaterializeError(f"{job.path}: {error}") from error
    return rendered(job, buffer.getvalue(), anchors)


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
        self.anchors: list[Anchor] = []
        self.placed: list[_Placed] = []
        self.widths: dict[int, float] = {}
        self.row = 0

    def written(self) -> list[Anchor]:
        """Writes it; returns its anchors in reading order."""
        if not self.styles.look.gridlines:
            self.sheet.hide_gridlines(2)
        for at, line in enumerate(self.spec.get("above", ())):
            text = self.tree.text(line, f"{self.where}.above")
            self._text(self.row, 0, text, self.styles.title if at == 0 else self.styles.subtitle)
            self.row += 1
        if self.row:
            self.row += 1
        for at, spec in enumerate(self.spec.get("tables", ()), 1):
            self._place(self.tree.table(spec, f"{self.where}.tables[{at}]"))
        for line in self.spec.get("below", ()):
            self._text(self.row, 0, self.tree.text(line, f"{self.where}.below"), self.styles.note)
            self.row += 1
        self._finish()
        order = {id(anchor): self._position(anchor) for anchor in self.anchors}
        return sorted(self.anchors, key=lambda anchor: order[id(anchor)])

    @staticmethod
    def _position(anchor: Anchor) -> tuple[int, int]:
        return split_reference(anchor.place.base.rpartition("!")[2]) or (0, 0)

    def _place(self, table: Table) -> None:
        """One table, below what there is or beside the one before."""
        top, left = self.row, 0
        if table.beside and self.placed:
            before = self.placed[-1]
            top, left = before.top, before.left + max(len(before.table.formats), 1) + 1 + bool(before.table.notes)
        start = top
        if table.title is not None:
            self._text(start, left, table.title, self.styles.caption)
            start += 1
        elif table.beside and self.placed and self.placed[-1].table.title is not None:
            start += 1
        columns = _columns(table)
        codes = [form or self.styles.code(column) for form, column in zip(table.formats, columns, strict=True)]
        if table.head:
            for at, head in enumerate(table.head):
                code = self.styles.code([head])
                style = self.styles.head(code, right=_numeric(columns[at]), inner=at > 0)
                self._content(start, left + at, head, style, code)
            start += 1
        for line, row in enumerate(table.body):
            for at, content in enumerate(row):
                code = self.styles.code([content]) if table.mixed else codes[at]
                style = self.styles.body(code, line, content, at > 0, table.pairs)
                style = self.styles.label if table.pairs and at == 0 else style
                self._content(start + line, left + at, content, style, code, table.widths[at])
        end = start + len(table.body)
        if table.sums and table.body:
            self._total(table, start, end, left, codes)
            end += 1
        for at, note in enumerate(table.notes):
            self._text(start + at, left + len(table.formats) + 1, note, self.styles.note)
        for at, width in enumerate(table.widths):
            if width is not None:
                self.widths[left + at] = float(width)
        self.placed.append(_Placed(table, top, start, start + len(table.body) - 1, left))
        self.row = max(self.row, end + 1, start + len(table.notes) + 1)

    def _total(self, table: Table, first: int, row: int, left: int, codes: list[str]) -> None:
        for at in range(len(table.formats)):
            style = self.styles.total(codes[at] if at in table.sums else "General")
            if at in table.sums:
                letters = column_letters(left + at + 1)
                added = sum((number(line[at]) or Decimal(0) for line in table.body), Decimal(0))
                formula = f"=SUM({letters}{first + 1}:{letters}{row})"
                self.sheet.write_formula(row, left + at, formula, style, float(added))
                printed = numfmt.display(added, codes[at])
                self._anchor(row, left + at, printed)
                self._widen(left + at, printed)
            elif at == 0:
                self.sheet.write_string(row, left, table.total_label, style)
                self._widen(left, table.total_label)
            else:
                self.sheet.write_blank(row, left + at, None, style)

    def _at(self, row: int, column: int) -> str:
        return f"{self.name}!{column_letters(column + 1)}{row + 1}"

    def _anchor(self, row: int, column: int, printed: str, content: Bound | None = None) -> None:
        place = Place.model_construct(path=self.job.path, at=self._at(row, column))
        kind = "decor" if content is None else content.kind
        for cell in (content.cells if content is not None else ()) or (None,):
            self.anchors.append(Anchor.model_construct(kind=kind, cell=cell, place=place, printed=printed))

    def _text(self, row: int, column: int, text: Marked, style: Format) -> None:
        """A line that may run over the columns to its right."""
        if text:
            self._string(row, column, text, style)

    def _string(self, row: int, column: int, text: Marked, style: Format) -> None:
        if len(text.plain) > _LONGEST:
            raise Fault(f"a cell holds at most {_LONGEST} characters")
        self.sheet.write_string(row, column, text.plain, style)
        self.anchors += text.anchors(self.job.path, self._at(row, column))

    def _widen(self, column: int, printed: str) -> None:
        longest = max(map(len, printed.split("\n")), default=0)
        self.widths[column] = max(self.widths.get(column, 8.5), min(longest * 1.1 + 2, 46))

    def _content(
        self, row: int, column: int, content: Content, style: Format, code: str, width: float | None = None
    ) -> None:
        """One cell: a native value where it is one, else its text."""
        printed = self._native(row, column, content, style, code)
        if printed is None:
            text = self.tree.shown(content)
            printed = text.plain
            if text:
                self._string(row, column, text, style)
            else:
                self.sheet.write_blank(row, column, None, style)
        if width is None:
            self._widen(column, printed)

    def _native(self, row: int, column: int, content: Content, style: Format, code: str) -> str | None:
        """Writes a number, date, time or truth; returns what the cell shows, or None where it is text or nothing."""
        figure = number(content)
        bound = content if isinstance(content, Bound) and content.printed is None else None
        if figure is not None:
            self.sheet.write_number(row, column, exact(figure), style)
            printed = numfmt.display(figure, code)
        elif bound is not None and isinstance(bound.value, datetime.date):
            self.sheet.write_datetime(row, column, bound.value, style)
            printed = numfmt.display(Decimal((bound.value - _EPOCH).days), code)
        elif bound is not None and isinstance(bound.value, datetime.time):
            self.sheet.write_datetime(row, column, bound.value, style)
            seconds = bound.value.hour * 3600 + bound.value.minute * 60 + bound.value.second
            printed = numfmt.display(Decimal(seconds) / 86400, code)
        elif isinstance(content, bool):
            self.sheet.write_boolean(row, column, content, style)
            return str(content).upper()
        else:
            return None
        self._anchor(row, column, printed, bound)
        return printed

    def _finish(self) -> None:
        """Widths, panes, printing, comments, chart, visibility."""
        for letters, width in dict(self.spec.get("widths", {})).items():
            place = split_reference(f"{letters}1")
            if place is None:
                raise MaterializeError(f"{self.job.path}: {self.where}.widths: {letters} is no column")
            self.widths[place[1] - 1] = float(width)
        for column, width in self.widths.items():
            self.sheet.set_column(column, column, round(width, 1))
        main = self.placed[0] if self.placed else None
        if (
            self.spec.get("freeze", True)
            and main is not None
            and main.table.head
            and main.first <= 12
            and len(self.placed) == 1
        ):
            self.sheet.freeze_panes(main.first, 0)
        self.sheet.set_paper(9)
        self.sheet.fit_to_pages(1, 0)
        if self.spec.get("landscape", sum(self.widths.values()) > 95):
            self.sheet.set_landscape()
        for at, spec in enumerate(self.spec.get("comments", ()), 1):
            self._comment(spec, f"{self.where}.comments[{at}]")
        if "chart" in self.spec:
            self._chart(self.spec["chart"], f"{self.where}.chart")
        if self.spec.get("hidden", False):
            self.sheet.hide()

    def _column(self, spec: Mapping[str, Any], label: object) -> tuple[_Placed, int]:
        """The table that ``table`` of a spec numbers from 1, and the column that a heading names."""
        wanted = int(spec.get("table", 1))
        if not 1 <= wanted <= len(self.placed):
            raise Fault(f"there is no table {wanted} on this sheet")
        placed = self.placed[wanted - 1]
        if label not in placed.table.labels:
            raise Fault(f"there is no column {label!r}: {near(str(label), placed.table.labels)}")
        return placed, placed.left + placed.table.labels.index(str(label))

    def _comment(self, spec: Mapping[str, Any], where: str) -> None:
        text = self.tree.text(spec.get("text", ""), f"{where}.text")
        with located(self.job.path, where):
            allow(spec, ("at", "text", "table", "row", "column"))
            if any(span.cells for span in text.spans):
                raise Fault("a comment has no place that an anchor could name: it may not print values")
            if "at" in spec:
                place = split_reference(str(spec["at"]))
                if place is None:
                    raise Fault(f"{spec['at']!r} is no cell")
                row, column = place[0] - 1, place[1] - 1
            else:
                placed, column = self._column(spec, spec.get("column"))
                row = placed.first + int(spec.get("row", 1)) - 1
            self.sheet.write_comment(row, column, text.plain, {"author": "", "x_scale": 1.4, "font_size": 9})

    def _chart(self, spec: Mapping[str, Any], where: str) -> None:
        with located(self.job.path, where):
            allow(spec, ("kind", "table", "x", "y", "title"))
            kind = spec.get("kind", "column")
            if kind not in _CHARTS:
                raise Fault(f"kind is one of {', '.join(_CHARTS)}")
            chart: Any = self.book.add_chart({"type": kind})
            placed, x = self._column(spec, spec.get("x"))
            colours = (self.styles.look.accent, "8A94A0", "C9A227", "5B8DB8", "A0522D")
            for at, label in enumerate(spec.get("y", ())):
                _, y = self._column(spec, label)
                colour = {"color": "#" + colours[at % len(colours)]}
                series: dict[str, Any] = {
                    "name": [self.name, placed.first - 1, y],
                    "categories": [self.name, placed.first, x, placed.last, x],
                    "values": [self.name, placed.first, y, placed.last, y],
                }
                if kind != "pie":
                    series |= {"line": colour | {"width": 2.25}} if kind == "line" else {"fill": colour, "gap": 80}
                chart.add_series(series)
            title = self.tree.text(spec.get("title", ""), f"{where}.title").plain
            chart.set_title({"name": title, "name_font": {"size": 11}} if title else {"none": True})
            chart.set_legend({"position": "bottom"} if len(spec.get("y", ())) > 1 or kind == "pie" else {"none": True})
            chart.set_size({"width": 460, "height": 270})
            right = max(p.left + len(p.table.formats) + (2 if p.table.notes else 0) for p in self.placed)
            covered = bool(self.spec.get("below")) and self.row - placed.top < _CHART_ROWS
            corner = (self.row + 1, 0) if covered else (placed.top, right + 1)
            self.sheet.insert_chart(*corner, chart, {"object_position": 2})


def _columns(table: Table) -> list[list[Content]]:
    return [[row[at] for row in table.body] for at in range(len(table.formats))]


def _numeric(column: list[Content]) -> bool:
    return any(number(content) is not None for content in column)
