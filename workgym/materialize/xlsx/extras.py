"""What a sheet has besides cells: comments, choices, colours by condition, charts, page headers, what is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xlsxwriter.workbook import Workbook

from workgym.documents.xlsx.a1 import column_letters, split_reference
from workgym.materialize.bound import Bound
from workgym.materialize.scope import Fault, near
from workgym.materialize.tree import allow
from workgym.materialize.xlsx.cells import Cells
from workgym.materialize.xlsx.heads import Placed
from workgym.materialize.xlsx.style import Styles

_CHARTS = ("column", "bar", "line", "pie")
_SERIES = ("8A94A0", "C9A227", "5B8DB8", "A0522D")
_CHART_ROWS = 16
"""As many rows as a chart is high."""
_CHART_WIDTH = 460
"""Its width, in pixels."""
_LIST = 255
"""Characters that a list of choices has at most."""
_MARKS = {"red": ("FFC7CE", "9C0006"), "amber": ("FFEB9C", "7F6000"), "green": ("C6EFCE", "006100")}
"""Fill and ink of cells that a condition marks."""
_CONDITIONS = ("bar", "scale", "duplicates", "above", "below", "marks")


class Extras:
    """Adds to one sheet, once its cells are written."""

    def __init__(self, book: Workbook, cells: Cells, styles: Styles, placed: list[Placed]) -> None:
        self.book, self.cells, self.styles, self.placed = book, cells, styles, placed
        self.sheet, self.charts = cells.sheet, 0
        self._conditions: dict[str, int] = {}

    def _column(self, spec: Mapping[str, Any], label: object) -> tuple[Placed, int]:
        """The table that ``table`` of a spec numbers from 1, and the column of it that a heading names."""
        wanted = int(spec.get("table", 1))
        if not 1 <= wanted <= len(self.placed):
            raise Fault(f"there is no table {wanted} on this sheet")
        placed = self.placed[wanted - 1]
        return placed, placed.table.at(label)

    def comment(self, spec: Mapping[str, Any], where: str) -> None:
        """A comment at a cell, or at a row and column of a table."""
        text = self.cells.tree.text(spec.get("text", ""), f"{where}.text")
        allow(spec, ("at", "text", "table", "row", "column"))
        if any(span.cells for span in text.spans):
            raise Fault("a comment has no place that an anchor could name: it may not print values")
        if "at" in spec:
            place = split_reference(str(spec["at"]))
            if place is None:
                raise Fault(f"{spec['at']!r} is no cell")
            row, column = place[0] - 1, place[1] - 1
        else:
            placed, at = self._column(spec, spec.get("column"))
            wanted = int(spec.get("row", 1)) - 1
            row, column = placed.rows.get(wanted, placed.first + wanted), placed.column(at)
        self.sheet.write_comment(row, column, text.plain, {"author": "", "x_scale": 1.4, "font_size": 9})
        self.cells.aside(f"!{column_letters(column + 1)}{row + 1}.comment", text.plain)

    def conditions(self, placed: Placed) -> None:
        """``conditional`` of a table: a mapping from heading to ``bar``, ``scale``, ``duplicates`` or thresholds."""
        wanted = placed.table.spec.get("conditional", {})
        if not isinstance(wanted, Mapping):
            raise Fault("conditional: a mapping from heading to condition is needed")
        if placed.last < placed.first:
            return
        for heading, condition in wanted.items():
            area = placed.area(placed.table.at(heading))
            options = condition if isinstance(condition, Mapping) else {str(condition): True}
            allow(options, _CONDITIONS)
            if len(set(options) - {"marks"}) != 1:
                raise Fault(f"conditional.{heading}: one of {', '.join(_CONDITIONS[:-1])} is needed")
            kind = next(name for name in options if name != "marks")
            self.sheet.conditional_format(area, self._rule(area, kind, options[kind], options.get("marks")))

    def _rule(self, area: str, kind: str, limit: Any, marks: object) -> dict[str, Any]:
        if kind == "bar":
            colour = "#" + self.styles.pale(0.6)
            return {"type": "data_bar", "bar_color": colour, "bar_solid": True, "data_bar_2010": True}
        if kind == "scale":
            return {"type": "2_color_scale", "min_color": "#FFFFFF", "max_color": "#" + self.styles.pale(0.5)}
        usual = {"duplicates": "amber", "above": "green", "below": "red"}[kind]
        fill, ink = _MARKS[_marks(usual if marks is None else marks)]
        style = self.book.add_format({"bg_color": "#" + fill, "font_color": "#" + ink})
        if kind == "duplicates":
            return {"type": "duplicate", "format": style}
        if not isinstance(limit, (int, float)) or isinstance(limit, bool):
            raise Fault(f"conditional: {kind} needs a number; a value of a unit has no place there")
        word = "greaterThan" if kind == "above" else "lessThan"
        number = self._conditions[area] = self._conditions.get(area, 0) + 1
        self.cells.aside(f"!{area}.conditional{number if number > 1 else ''}", f"{word} {limit}")
        return {"type": "cell", "criteria": ">" if kind == "above" else "<", "value": limit, "format": style}

    def choices(self, placed: Placed) -> None:
        """Lists to choose from, for columns with ``choices``: texts, or true for the options of the column's type."""
        for at, option in enumerate(placed.table.options):
            wanted = option.get("choices")
            if not wanted or placed.last < placed.first:
                continue
            if wanted is True:
                bound = next((cell for cell in placed.table.columns[at] if isinstance(cell, Bound)), None)
                wanted = () if bound is None else bound.type.options
            texts = [str(text) for text in wanted]
            if not texts or any("," in text for text in texts) or len(",".join(texts)) > _LIST:
                raise Fault(f"choices: texts without commas are needed, together at most {_LIST} characters")
            area = placed.area(at)
            self.sheet.data_validation(area, {"validate": "list", "source": texts})
            self.cells.aside(f"!{area}.validation", ",".join(texts), numbers=False)

    def page(self, spec: Mapping[str, Any]) -> None:
        """``header`` and ``footer`` of printed pages, and whether headings are repeated on each (``repeat``)."""
        allow(spec, ("header", "footer", "repeat"))
        for kind, put in (("header", self.sheet.set_header), ("footer", self.sheet.set_footer)):
            text = self.cells.tree.text(spec.get(kind, ""), f"page.{kind}")
            if any(span.cells for span in text.spans):
                raise Fault(f"the {kind} of a page has no place that an anchor could name: it may not print values")
            plain = " ".join(text.plain.split())
            if plain or kind == "footer":
                code = "&L&8" + (" " if plain[:1].isdigit() else "") + plain.replace("&", "&&")
                if len(code) > _LIST - 20:
                    raise Fault(f"the {kind} of a page is at most {_LIST - 30} characters")
                put(code if kind == "header" else f"{code}&R&8&P / &N")
            self.cells.aside(f".{kind}", f"{plain} /" if kind == "footer" and plain else plain)
        main = self.placed[0] if self.placed else None
        if spec.get("repeat", True) and main is not None and main.table.head:
            self.sheet.repeat_rows(main.top if main.table.title is None else main.top + 1, main.first - 1)

    def hide(self, spec: Mapping[str, Any]) -> None:
        """``rows`` (numbers) and ``columns`` (letters) of the sheet that are hidden."""
        allow(spec, ("rows", "columns"))
        for row in spec.get("rows", ()):
            if not isinstance(row, int) or row < 1:
                raise Fault(f"hide.rows: {row!r} is no row")
            self.sheet.set_row(row - 1, None, None, {"hidden": True})
        for letters in spec.get("columns", ()):
            place = split_reference(f"{letters}1")
            if place is None:
                raise Fault(f"hide.columns: {letters!r} is no column")
            self._hide_column(place[1] - 1)
        for placed in self.placed:
            for at, option in enumerate(placed.table.options):
                if option.get("hidden", False):
                    self._hide_column(placed.column(at))

    def _hide_column(self, column: int) -> None:
        self.sheet.set_column(column, column, self.cells.widths.get(column, 8.5), None, {"hidden": True})

    def chart(self, spec: Mapping[str, Any], where: str, row: int, below: bool) -> None:
        """A chart of columns of a table, beside the tables or under them where that would cover what stands there."""
        allow(spec, ("kind", "table", "x", "y", "title", "stacked", "labels"))
        kind = spec.get("kind", "column")
        if kind not in _CHARTS:
            raise Fault(f"kind is one of {', '.join(_CHARTS)}")
        stacked = bool(spec.get("stacked", False)) and kind in ("column", "bar")
        chart: Any = self.book.add_chart({"type": kind, **({"subtype": "stacked"} if stacked else {})})
        placed, x = self._column(spec, spec.get("x"))
        if any(line.kind != "row" for line in placed.laid.lines):
            raise Fault("a chart needs rows without others in between: no subtotals, blank rows, repeated headings")
        for at, label in enumerate(spec.get("y", ())):
            y = self._column(spec, label)[1]
            chart.add_series(self._series(placed, x, y, at, spec, kind))
        title = self.cells.tree.text(spec.get("title", ""), f"{where}.title")
        if any(span.cells for span in title.spans):
            raise Fault("the title of a chart has no place that an anchor could name: it may not print values")
        chart.set_title({"name": title.plain, "name_font": {"size": 11}} if title else {"none": True})
        several = len(spec.get("y", ())) > 1
        chart.set_legend({"position": "bottom"} if several or kind == "pie" else {"none": True})
        _axes(chart, kind)
        chart.set_size({"width": _CHART_WIDTH, "height": 270})
        right = max(placed.right for placed in self.placed)
        covered = below and row - placed.top < _CHART_ROWS
        line, place = divmod(self.charts, 2) if covered else (self.charts, 0)
        corner = (row + 1, 0) if covered else (placed.top, right + 1)
        corner = (corner[0] + line * (_CHART_ROWS - 1), corner[1])
        self.charts += 1
        self.sheet.insert_chart(*corner, chart, {"object_position": 2, "x_offset": place * (_CHART_WIDTH + 15)})
        self.cells.aside(f".chart{self.charts}.1", title.plain)

    def _series(self, placed: Placed, x: int, y: int, at: int, spec: Mapping[str, Any], kind: str) -> dict[str, Any]:
        """One series, named by its heading."""
        name, first, last = self.cells.name, placed.first, placed.last
        head = first - 1 - bool(placed.table.spec.get("units"))
        colours = (self.styles.look.accent, *_SERIES)
        colour = {"color": "#" + colours[at % len(colours)]}
        series: dict[str, Any] = {
            "name": [name, head, placed.column(y)],
            "categories": [name, first, placed.column(x), last, placed.column(x)],
            "values": [name, first, placed.column(y), last, placed.column(y)],
        }
        if kind == "line":
            series |= {"line": colour | {"width": 2.25}}
        elif kind != "pie":
            series |= {"fill": colour, "gap": 80}
        else:
            slices = placed.last - placed.first + 1
            series |= {"points": [{"fill": {"color": "#" + shade}} for shade in self.styles.shades(slices)]}
        if spec.get("labels", False):
            shown: dict[str, Any] = (
                {"percentage": True, "position": "outside_end"} if kind == "pie" else {"value": True}
            )
            series |= {"data_labels": shown | {"font": {"size": 8}}}
        return series


def _axes(chart: Any, kind: str) -> None:
    """Pale lines and small figures; bars from top to bottom in the order of the rows, with the scale below."""
    if kind == "pie":
        return
    lines = {"visible": True, "line": {"color": "#D9DCE0", "width": 0.75}}
    scale = {"major_gridlines": lines, "num_font": {"size": 8}, "num_format": "#,##0.##", "line": {"none": True}}
    names = {"num_font": {"size": 8}, "line": {"color": "#8A94A0"}}
    if kind == "bar":
        chart.set_y_axis(names | {"reverse": True, "crossing": "max"})
        chart.set_x_axis(scale)
    else:
        chart.set_x_axis(names)
        chart.set_y_axis(scale)


def _marks(wanted: object) -> str:
    """A name of a colour of conditions. Raises Fault."""
    if wanted not in _MARKS:
        raise Fault(f"marks is one of {', '.join(_MARKS)}: {near(str(wanted), list(_MARKS))}")
    return str(wanted)
