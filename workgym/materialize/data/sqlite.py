"""SQLite databases: tables with types, keys and indexes; the same bytes for the same rows.

Written and read by the standard library: there is no second one. Money, quantities and percents (as fractions) are
numbers of columns declared ``DECIMAL``, and what a double would not keep exactly is an error; dates and times are ISO
text. Page size, encoding and header are fixed: the header's counts, and the version of the library that it names, are
set to one value, so that only the layout of pages, which the file format fixes, could differ. Not supported: views,
triggers, foreign keys.
"""

from __future__ import annotations

import datetime
import re
import sqlite3
import struct
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from workgym.materialize.bound import Bound, isoformat
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.marks import Marked
from workgym.materialize.scope import Fault, near
from workgym.materialize.table import Content, Table, exact
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.records import Anchor, ColumnType, anchored

_VERSION = 3_040_001
"""What the header says of the library that wrote it, whichever did."""
_TABLE = ("name", "rows", "as", "columns", "literal", "header", "key", "index")
_DIGITS = re.compile(r"\d+(?:,\d+)*")
_DECLARED = {"text": "TEXT", "choice": "TEXT", "integer": "INTEGER", "date": "DATE", "time": "TIME"}

Stored = str | int | float | None
"""What a cell is given."""


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A database from a tree with ``tables``. Raises MaterializeError."""
    tree = Tree(job.path, job.view)
    with located(job.path, "content"):
        allow(content, ("tables",))
        specs = content.get("tables")
        if not isinstance(specs, list) or not specs:
            raise Fault("tables: a list of tables is needed, each with `name`, `rows` and `columns`")
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for setting in ("page_size = 4096", "encoding = 'UTF-8'", "secure_delete = on", "user_version = 1"):
            connection.execute(f"pragma {setting}")
        anchors: list[Anchor] = []
        for number, spec in enumerate(specs, 1):
            anchors += _Made(job, tree, spec, f"tables[{number}]").written(connection)
        made = bytearray(connection.serialize())
    finally:
        connection.close()
    struct.pack_into(">I", made, 24, 1)  # how often it was changed
    struct.pack_into(">II", made, 92, 1, _VERSION)  # for which of these the header holds, and by which library
    return rendered(job, bytes(made), anchors)


class _Made:
    """One table of the tree."""

    def __init__(self, job: Job, tree: Tree, spec: object, where: str) -> None:
        self.job, self.tree, self.where = job, tree, where
        with located(job.path, where):
            if not isinstance(spec, Mapping) or "name" not in spec:
                raise Fault("a table needs `name`, `rows` and `columns`")
            allow(spec, _TABLE)
            self.name = tree.text(spec["name"], f"{where}.name").plain
            if not self.name or "!" in self.name or self.name.startswith("sqlite_"):
                raise Fault(f"{self.name!r} cannot be the name of a table")
            self.table: Table = tree.table(
                {key: part for key, part in spec.items() if key not in ("name", "key", "index")}
                | ({"header": True} if "literal" in spec else {}),
                where,
            )
            if len({label.casefold() for label in self.table.labels}) < len(self.table.labels):
                raise Fault("two columns have the same name")
            self.types = [_type(column) for column in self.table.columns]
            self.key = self._key(spec)
            self.indexes = [self._named(part, "index") for part in spec.get("index", ())]

    def _named(self, part: object, what: str) -> list[int]:
        labels = [str(label) for label in (part if isinstance(part, list) else [part])]
        for label in labels:
            if label not in self.table.labels:
                raise Fault(f"{what}: there is no column {label!r}: {near(label, self.table.labels)}")
        return [self.table.labels.index(label) for label in labels]

    def _key(self, spec: Mapping[str, Any]) -> list[int]:
        """The columns of the primary key: those that the tree names, else the unit's key where it stands whole."""
        if spec.get("key") is False or "literal" in spec:
            return []
        if "key" in spec:
            return self._named(spec["key"], "key")
        unit = self.tree.view.unit(self.tree.unit_of(spec["rows"])).spec
        plain = {source: at for at, source in enumerate(spec["columns"].values()) if isinstance(source, str)}
        return [plain[name] for name in unit.key] if unit.key and set(unit.key) <= set(plain) else []

    def written(self, connection: sqlite3.Connection) -> list[Anchor]:
        """Makes the table; returns the anchors of its cells."""
        labels, name = [_quoted(label) for label in self.table.labels], _quoted(self.name)
        body = list(self.table.rows())
        with located(self.job.path, self.where):
            rows = [[_stored(cell) for cell in row] for row in body]
            order = list(range(len(rows)))
            if self._numbered():  # then the engine keeps the rows in the order of their key
                order.sort(key=lambda at: rows[at][self.key[0]])  # type: ignore[arg-type, return-value]
            try:
                for statement in self._statements(name, labels):
                    connection.execute(statement)
                marks = ", ".join("?" * len(labels))
                connection.executemany(f"insert into {name} values ({marks})", [rows[at] for at in order])
            except (sqlite3.Error, OverflowError) as error:
                raise Fault(f"table {self.name}: {error}") from error
        anchors = [*self._schema(connection)]
        for column, head in enumerate(self.table.head, 1):
            anchors += self.tree.shown(head).anchors(self.job.path, f"{self.name}!r1c{column}")
        for row, at in enumerate(order, 2):
            for column, (cell, value) in enumerate(zip(body[at], rows[at], strict=True), 1):
                anchors += self._anchors(cell, value, f"{self.name}!r{row}c{column}")
        return anchors

    def _numbered(self) -> bool:
        return len(self.key) == 1 and self.types[self.key[0]] == "INTEGER"

    def _statements(self, name: str, labels: list[str]) -> list[str]:
        needed = dict.fromkeys(self.key, " NOT NULL")
        lines = [
            f"{label} {declared}{needed.get(at, '')}"
            for at, (label, declared) in enumerate(zip(labels, self.types, strict=True))
        ]
        if self.key:
            lines.append(f"PRIMARY KEY ({', '.join(labels[at] for at in self.key)})")
        found = ["CREATE TABLE {} (\n  {}\n)".format(name, ",\n  ".join(lines))]
        for columns in self.indexes:
            label = "_".join(["idx", self.name, *(self.table.labels[at] for at in columns)])
            found.append(f"CREATE INDEX {_quoted(label)} ON {name} ({', '.join(labels[at] for at in columns)})")
        return found

    def _schema(self, connection: sqlite3.Connection) -> list[Anchor]:
        """What the schema says of the table, as decor where it holds digits."""
        found: list[Anchor] = []
        query = "select name, sql from sqlite_schema where tbl_name = ? and sql is not null"
        for name, sql in connection.execute(query, (self.name,)):
            text = Marked(sql)
            for match in _DIGITS.finditer(sql):
                text = text.decorated(*match.span())
            found += text.anchors(self.job.path, f"schema.{name}")
        return found

    def _anchors(self, cell: Content, value: Stored, at: str) -> list[Anchor]:
        if isinstance(value, str):
            text = self.tree.shown(cell) if not _native(cell) else None
            if text is not None:
                return text.anchors(self.job.path, at)
        printed = _printed(value)
        if not printed:
            return []
        if isinstance(cell, Bound):
            return anchored(self.job.path, at, cell.kind, cell.cells, printed)
        return anchored(self.job.path, at, "decor", (), printed)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _native(cell: Content) -> bool:
    return isinstance(cell, Bound) and cell.printed is None and (bool(cell.cells) or cell.type.numeric)


def _type(cells: Iterable[Content]) -> str:
    """What a column is declared to hold: that of its values where they are all of one type, else text."""
    kinds: set[str] = set()
    for cell in cells:
        if isinstance(cell, Bound) and _native(cell):
            kinds.add(_declared(cell.type))
        elif isinstance(cell, (bool, int)):
            kinds.add("INTEGER")
        elif isinstance(cell, float):
            kinds.add("NUMERIC")
        elif cell is not None:
            kinds.add("TEXT")
    if kinds == {"INTEGER", "NUMERIC"}:
        return "NUMERIC"
    return kinds.pop() if len(kinds) == 1 else "TEXT" if kinds <= {"TEXT"} else ""


def _declared(kind: ColumnType) -> str:
    return _DECLARED.get(kind.kind) or f"DECIMAL(18,{kind.scale})"


def _stored(cell: Content) -> Stored:
    """What the engine is given. Raises Fault where a number would lose digits."""
    if isinstance(cell, Bound) and (cell.printed is None or cell.value is None) and not cell.state:
        value = isoformat(cell.value)
        if isinstance(value, Decimal):
            return int(value) if value == value.to_integral_value() else exact(value)
        return str(value) if isinstance(value, (datetime.date, datetime.time)) else value
    if isinstance(cell, Bound):
        return cell.shown
    if isinstance(cell, Marked):
        return cell.plain
    return int(cell) if isinstance(cell, bool) else cell


def _printed(value: Stored) -> str:
    """A stored value as people read it."""
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    return "" if value is None else str(value)
