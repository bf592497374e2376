"""Content trees of structured carriers: templates in strings, and rows of units as tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from workgym.materialize.bound import Bound
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, Row, View, near
from workgym.materialize.template import expression, located, single, text
from workgym.records import Value

Content = Bound | Marked | int | float | bool | None
"""What one cell holds: a value in its own form, a text, or plain data (decor) as the tree gives it."""
_NAME = re.compile(r"^[a-z][a-z0-9_]*$")
_SHORT = re.compile(r"-?[0-9.]{1,15}")
"""A number that every double gives back as it was (IEEE 754: up to 15 digits)."""


@dataclass
class Table:
    """A grid of contents, ready to be written in any format."""

    head: list[Content] = field(default_factory=list)
    """Headings; empty for none."""
    body: list[list[Content]] = field(default_factory=list)
    """Rows; all as long as ``head`` where there is one."""
    formats: list[str | None] = field(default_factory=list)
    """Number format for each column; None for that of the value's type."""
    widths: list[float | None] = field(default_factory=list)
    """Width of each column in characters; None for what the content needs."""
    labels: list[str] = field(default_factory=list)
    """Headings as plain text, by which totals and charts name columns."""
    sums: list[int] = field(default_factory=list)
    """Columns that the totals row adds up; empty for no such row."""
    total_label: str = "Total"
    """What the totals row is called."""
    title: Marked | None = None
    """A line above it."""
    notes: list[Marked] = field(default_factory=list)
    """Lines to the right of it."""
    beside: bool = False
    """Whether it stands to the right of the table before it."""
    pairs: bool = False
    """Whether it is labels and values."""
    mixed: bool = False
    """Whether the cells of a column may be of different types."""
    options: list[Mapping[str, Any]] = field(default_factory=list)
    """What the tree says about each column besides its value; empty for nothing, and for tables without columns."""
    spec: Mapping[str, Any] = field(default_factory=dict)
    """The table as the tree writes it, for what only some writers know: ``groups``, ``units``, ``mess``."""

    def at(self, heading: object) -> int:
        """The column that a heading names. Raises Fault."""
        if heading not in self.labels:
            raise Fault(f"there is no column {heading!r}: {near(str(heading), self.labels)}")
        return self.labels.index(str(heading))


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
        made, filled = Table(), list[list[Content]]()
        for heading, column in columns.items():
            place = f"{where}.columns.{heading}"
            with located(self.path, place):
                if isinstance(column, Mapping):
                    allow(column, ("value", "format", "width", *_COLUMN))
                    source, form, width = column.get("value"), column.get("format"), column.get("width")
                else:
                    source, form, width = column, None, None
                named = isinstance(source, str) and _NAME.match(source) is not None
                values = self.view.unit(unit).bound(str(source), rows) if named else []
            head = self.text(heading, place)
            made.head.append(head)
            made.labels.append(head.plain)
            made.formats.append(form)
            made.widths.append(width)
            made.options.append(column if isinstance(column, Mapping) else {})
            filled.append([*values] if named else [self.content(source, place, {name: row}) for row in rows])
        made.body = [list(line) for line in zip(*filled, strict=True)]
        return made

    def _pairs(self, spec: Mapping[str, Any], where: str) -> Table:
        with located(self.path, where):
            allow(spec, ("pairs", *_COMMON))
            if not isinstance(spec["pairs"], Mapping):
                raise Fault("pairs: a mapping from label to value is needed")
        body = [
            [self.text(label, f"{where}.pairs"), self.content(value, f"{where}.pairs.{label}")]
            for label, value in spec["pairs"].items()
        ]
        return Table(body=list(body), formats=[None, None], widths=[None, None], pairs=True, mixed=True)

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
        made = Table(formats=[None] * width, widths=[None] * width, mixed=True)
        if spec.get("header") and body:
            made.head, body = body[0], body[1:]
            made.labels = [self.shown(content).plain for content in made.head]
        made.body = body
        return made

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
        labels = dict(zip(down, [named] if isinstance(named, str) else list(named), strict=False))
        made = Table()
        for column in down:
            made.head.append(self.text(labels.get(column, column.replace("_", " ").capitalize()), f"{where}.heads"))
        for value in order:
            head = self.field(
                heads.get("across", spec["across"]), unit, across[value][0], name, f"{where}.heads.across"
            )
            made.head.append(_all(head, across[value], spec["across"]))
        made.labels = [self.shown(content).plain for content in made.head]
        made.formats = [*[None] * len(down), *[spec.get("format")] * len(order)]
        made.widths = [None] * len(made.head)
        for line in lines.values():
            cells: list[Content] = [_all(line[0].bound(column), line, column) for column in down]
            for value in order:
                here = [row for row in line if row.bound(spec["across"]).value == value]
                if len(here) > 1:
                    with located(self.path, where):
                        raise Fault(f"two rows of {unit} fall into one cell: {here[0].key} and {here[1].key}")
                cells.append(self.field(spec["cell"], unit, here[0], name, f"{where}.cell") if here else None)
            made.body.append(cells)
        return made

    def _total(self, table: Table, spec: object, where: str) -> None:
        with located(self.path, where):
            if not isinstance(spec, Mapping):
                raise Fault("total: a mapping with `label` and `sum` is needed")
            allow(spec, ("label", "sum"))
            for heading in spec.get("sum", ()):
                column = table.at(heading)
                for row in table.body:
                    cell = row[column]
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


def number(content: Content) -> Decimal | None:
    """A content as the number that a sheet would hold, or None where it would hold something else."""
    if isinstance(content, Bound) and content.printed is None and content.type.numeric and content.value is not None:
        return content.value if isinstance(content.value, Decimal) else Decimal(str(content.value))
    if isinstance(content, (int, float)) and not isinstance(content, bool):
        return Decimal(str(content))
    return None


def exact(figure: Decimal) -> float:
    """A number as the double that sheets and JSON keep. Raises Fault where it would lose digits."""
    double = float(figure)
    if not _SHORT.fullmatch(str(figure)) and Decimal(repr(double)) != figure:
        raise Fault(f"{figure} has more digits than a cell keeps: choose a form, and it is written as text")
    return double


def _all(content: Content, rows: list[Row], column: str) -> Content:
    """A content that prints ``column`` of the first of ``rows``, as printing that of every one of them."""
    cells = tuple(row.bound(column).cells[0] for row in rows)
    if isinstance(content, Bound) and content.cells and content.cells[0].column == column:
        return Bound(content.registry, cells, content.type, content.value, content.printed, content.state)
    return content
