"""Content trees of structured carriers: templates in strings, and rows of units as tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from workgym.materialize.bound import Bound
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, Row, View, near
from workgym.materialize.table import Content, Table, number
from workgym.materialize.template import expression, located, single, text
from workgym.records import Value

_NAME = re.compile(r"^[a-z][a-z0-9_]*$")


class Tree:
    """Evaluates the templates of one content tree; ``where`` in its methods is the place, for messages."""

    def __init__(self, path: str, view: View) -> None:
        self.path, self.view = path, view

    def text(self, source: object, where: str, names: Mapping[str, Any] | None = None) -> Marked:
        """A text; numbers of the tree become decor."""
        if isinstance(source, (int, float)) and not isinstance(source, bool):
            whole = Marked(str(source))
            return whole.decorated(0, len(whole.text))
        if not isinstance(source, str):
            with located(self.path, where):
                raise Fault(f"a text is needed here, not {source!r}")
        with located(self.path, where):
            return text(source, self.view, names)

    def content(self, source: object, where: str, names: Mapping[str, Any] | None = None) -> Content:
        """What a string, or plain data, of the tree stands for."""
        if source is None or isinstance(source, (bool, int, float)):
            return source
        if not isinstance(source, str):
            with located(self.path, where):
                raise Fault(f"a text, a number or nothing is needed here, not {source!r}")
        only = single(source)
        if only is None:
            return self.text(source, where, names)
        with located(self.path, where):
            found = expression(only, self.view, names)
            if found is None or isinstance(found, (Bound, bool)):
                return found
            return self.view.registry.read(str(found))

    def shown(self, content: Content) -> Marked:
        """A content as text, in the form that its filters chose or its type has."""
        if isinstance(content, Marked):
            return content
        if isinstance(content, Bound):
            return content.marked
        whole = Marked("" if content is None else str(content))
        return whole.decorated(0, len(whole.text)) if isinstance(content, (int, float)) and whole else whole

    def rows(self, source: object, where: str, names: Mapping[str, Any] | None = None) -> list[Row]:
        """The rows that ``unit`` or ``{unit, where, order, match}`` names."""
        with located(self.path, where):
            if isinstance(source, str):
                return self.view.unit(source).here()
            if not isinstance(source, Mapping) or "unit" not in source:
                raise Fault("rows are a unit's name, or a mapping with `unit`")
            allow(source, ("unit", "where", "order", "match"))
            match = {
                str(column): expression(str(wanted), self.view, names)
                for column, wanted in dict(source.get("match", {})).items()
            }
            return self.view.chosen(source["unit"], source.get("where"), source.get("order"), match)

    def unit_of(self, source: object) -> str:
        """The name of the unit whose rows a source gives."""
        return str(source["unit"]) if isinstance(source, Mapping) else str(source)

    def field(self, source: object, unit: str, row: Row, name: str, where: str) -> Content:
        """A column of ``row`` by its plain name, or a template over it."""
        if isinstance(source, str) and _NAME.match(source):
            with located(self.path, where):
                return row.bound(source)
        return self.content(source, where, {name: row})

    def table(self, spec: object, where: str) -> Table:
        """A table of the tree: ``rows``, ``matrix``, ``pairs`` or ``literal``."""
        with located(self.path, where):
            if not isinstance(spec, Mapping):
                raise Fault("a table is a mapping with rows, matrix, pairs or literal")
            known: dict[str, Callable[[Mapping[str, Any], str], Table]] = {
                "rows": self._rows,
                "matrix": self._matrix,
                "pairs": self._pairs,
                "literal": self._literal,
            }
            kinds = [kind for kind in known if kind in spec]
            if len(kinds) != 1:
                raise Fault(f"a table has one of {', '.join(known)}; here: {', '.join(map(str, spec)) or 'nothing'}")
        made = known[kinds[0]](spec, where)
        made.spec = spec
        if "title" in spec:
            made.title = self.text(spec["title"], f"{where}.title")
        made.notes = [self.text(note, f"{where}.notes") for note in spec.get("notes", ())]
        made.beside = bool(spec.get("beside", False))
        if "total" in spec:
            self._total(made, spec["total"], f"{where}.total")
        return made

    def _rows(self, spec: Mapping[str, Any], where: str) -> Table:
        with located(self.path, where):
            allow(spec, ("rows", "as", "columns", *_COMMON))
            columns = spec.get("columns")
            if not isinstance(columns, Mapping) or not columns:
                raise Fault("columns: a mapping from heading to column or template is needed")
        unit, name = self.unit_of(spec["rows"]), str(spec.get("as", "row"))
        rows = self.rows(spec["rows"], f"{where}.rows")
        strips = self.view.unit(unit).strips(rows)
        made = Table(height=len(rows))
        for heading, column in columns.items():
            place = f"{where}.columns.{heading}"
            with located(self.path, place):
                if isinstance(column, Mapping):
                    allow(column, ("value", "format", "width", *_COLUMN))
                    source, form, width = column.get("value"), column.get("format"), column.get("width")
                else:
                    source, form, width = column, None, None
                named = isinstance(source, str) and _NAME.match(source) is not None
                strip = strips(str(source)) if named else None
            head = self.text(heading, place)
            made.head.append(head)
            made.labels.append(head.plain)
            made.formats.append(form)
            made.widths.append(width)
            made.options.append(column if isinstance(column, Mapping) else {})
            if strip is None:
                made.columns.append([self.content(source, place, {name: row}) for row in rows])
            else:
                made.columns.append(strip)
        return made

    def _pairs(self, spec: Mapping[str, Any], where: str) -> Table:
        with located(self.path, where):
            allow(spec, ("pairs", *_COMMON))
            if not isinstance(spec["pairs"], Mapping):
                raise Fault("pairs: a mapping from label to value is needed")
        body: list[list[Content]] = [
            [self.text(label, f"{where}.pairs"), self.content(value, f"{where}.pairs.{label}")]
            for label, value in spec["pairs"].items()
        ]
        return Table.of_rows(body, 2, pairs=True, mixed=True)

    def _literal(self, spec: Mapping[str, Any], where: str) -> Table:
        with located(self.path, where):
            allow(spec, ("literal", "header", *_COMMON))
            if not isinstance(spec["literal"], list) or not all(isinstance(row, list) for row in spec["literal"]):
                raise Fault("literal: a list of lists is needed")
        width = max((len(row) for row in spec["literal"]), default=0)
        body: list[list[Content]] = [
            [self.content(cell, f"{where}.literal") for cell in row] + [None] * (width - len(row))
            for row in spec["literal"]
        ]
        head: list[Content] = []
        if spec.get("header") and body:
            head, *body = body
        labels = [self.shown(content).plain for content in head]
        return Table.of_rows(body, width, head=head, labels=labels, mixed=True)

    def _matrix(self, spec: Mapping[str, Any], where: str) -> Table:
        """Rows of a unit as a grid: one line for each ``down``, one column for each ``across``."""
        with located(self.path, where):
            allow(spec, ("matrix", "as", "down", "across", "cell", "heads", "format", *_COMMON))
            for needed in ("down", "across", "cell"):
                if needed not in spec:
                    raise Fault(f"a matrix needs {needed}")
        rows = self.rows(spec["matrix"], f"{where}.matrix")
        down = [spec["down"]] if isinstance(spec["down"], str) else list(spec["down"])
        heads, name, unit = dict(spec.get("heads", {})), str(spec.get("as", "row")), self.unit_of(spec["matrix"])
        lines: dict[tuple[Value, ...], list[Row]] = {}
        across: dict[Value, list[Row]] = {}
        with located(self.path, where):
            for row in rows:
                lines.setdefault(tuple(row.bound(column).value for column in down), []).append(row)
                across.setdefault(row.bound(spec["across"]).value, []).append(row)
        order = sorted(across, key=lambda value: (value is None, value if value is not None else 0))
        named = heads.get("down", {})
        titles = dict(zip(down, [named] if isinstance(named, str) else list(named), strict=False))
        head: list[Content] = []
        for column in down:
            head.append(self.text(titles.get(column, column.replace("_", " ").capitalize()), f"{where}.heads"))
        for value in order:
            label = self.field(
                heads.get("across", spec["across"]), unit, across[value][0], name, f"{where}.heads.across"
            )
            head.append(_all(label, across[value], spec["across"]))
        labels = [self.shown(content).plain for content in head]
        formats = [*[None] * len(down), *[spec.get("format")] * len(order)]
        body: list[list[Content]] = []
        for line in lines.values():
            cells: list[Content] = [_all(line[0].bound(column), line, column) for column in down]
            for value in order:
                here = [row for row in line if row.bound(spec["across"]).value == value]
                if len(here) > 1:
                    with located(self.path, where):
                        raise Fault(f"two rows of {unit} fall into one cell: {here[0].key} and {here[1].key}")
                cells.append(self.field(spec["cell"], unit, here[0], name, f"{where}.cell") if here else None)
            body.append(cells)
        return Table.of_rows(body, len(head), head=head, labels=labels, formats=formats)

    def _total(self, table: Table, spec: object, where: str) -> None:
        with located(self.path, where):
            if not isinstance(spec, Mapping):
                raise Fault("total: a mapping with `label` and `sum` is needed")
            allow(spec, ("label", "sum"))
            for heading in spec.get("sum", ()):
                column = table.at(heading)
                for cell in table.columns[column]:
                    empty = cell is None or (isinstance(cell, Bound) and cell.value is None)
                    if not empty and number(cell) is None:
                        raise Fault(f"column {heading!r} holds more than numbers and cannot be added up")
                table.sums.append(column)
            table.total_label = str(spec.get("label", "Total"))


_COMMON = ("title", "notes", "beside", "total", "groups", "units", "conditional", "mess")
_COLUMN = ("formula", "choices", "hidden")


def allow(spec: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuses keys that nothing reads. Raises Fault."""
    for name in spec:
        if name not in known:
            raise Fault(f"unknown key {name!r}: {near(str(name), list(known))}")


def _all(content: Content, rows: list[Row], column: str) -> Content:
    """A content that prints ``column`` of the first of ``rows``, as printing that of every one of them."""
    cells = tuple(row.bound(column).cells[0] for row in rows)
    if isinstance(content, Bound) and content.cells and content.cells[0].column == column:
        return Bound(content.registry, cells, content.type, content.value, content.printed, content.state)
    return content
