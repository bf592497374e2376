"""Delimited files (csv, tsv): one table, plain numbers, a header, and lines around it as exports have them.

A field with the delimiter, a quote or a line break in it stands in quotes, as spreadsheets read it, with tabs between
the fields as well. Written by the standard library's ``csv``; read by our own scanner.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from workgym.materialize.bound import Bound
from workgym.materialize.carrier import Job, Rendered, rendered
from workgym.materialize.forms import plain
from workgym.materialize.marks import Marked
from workgym.materialize.mess import CSV_DIALS, draws, laid
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import Content, Tree, allow
from workgym.materialize.xlsx.layout import Laid, Line

_KNOWN = ("table", "decimal", "preamble", "below", "bom", "header")


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A csv file from a tree with ``table``. Raises MaterializeError."""
    with located(job.path, "content"):
        allow(content, (*_KNOWN, "delimiter"))
        delimiter = str(content.get("delimiter", ","))
        if len(delimiter) != 1:
            raise Fault("delimiter is one character")
    return _written(job, content, delimiter)


def write_tsv(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A file with tabs between its fields, from a tree like that of csv. Raises MaterializeError."""
    with located(job.path, "content"):
        allow(content, _KNOWN)
    return _written(job, content, "\t")


def _written(job: Job, content: Mapping[str, Any], delimiter: str) -> Rendered:
    tree = Tree(job.path, job.view)
    with located(job.path, "content"):
        point = str(content.get("decimal", "."))
        if point not in (".", ","):
            raise Fault("decimal is '.' or ','")
        if "table" not in content:
            raise Fault("table: a table is needed")
        if isinstance(content["table"], Mapping):
            allow(
                content["table"],
                ("rows", "as", "columns", "literal", "matrix", "down", "across", "cell", "heads", "pairs", "mess"),
            )
    table = tree.table(content["table"], "table")
    with located(job.path, "table"):
        made = laid(tree, table, draws(job, "table"), known=CSV_DIALS)
    records: list[list[Marked]] = [[tree.text(line, "preamble")] for line in content.get("preamble", ())]
    if table.head and content.get("header", True):
        records.append(_spread(made, [tree.shown(cell) for cell in table.head]))
    records += [_spread(made, _line(tree, made, line, point)) for line in made.lines]
    records += [[tree.text(line, "below")] for line in content.get("below", ())]
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n").writerows(
        [[f.plain for f in row] for row in records]
    )
    anchors = [
        anchor
        for line, row in enumerate(records, 1)
        for column, text in enumerate(row, 1)
        for anchor in text.anchors(job.path, f"r{line}c{column}")
    ]
    return rendered(job, buffer.getvalue().encode("utf-8-sig" if content.get("bom") else "utf-8"), anchors)


def _line(tree: Tree, made: Laid, line: Line, point: str) -> list[Marked]:
    """The fields of a line below the headings; sums between the rows are decor."""
    width = len(made.table.formats)
    if line.kind == "row":
        return [_field(tree, cell, point) for cell in made.table.body[line.row]]
    if line.kind == "header":
        return [tree.shown(cell) for cell in made.table.head]
    fields = [Marked("")] * width
    if line.kind == "subtotal":
        fields[0] = made.labels[line.row]
        for at in made.sums:
            rows = range(line.first, line.row + 1)
            text = f"{sum((made.number(row, at) or Decimal(0) for row in rows), Decimal(0)):f}".replace(".", point)
            fields[at] = Marked(text).decorated(0, len(text))
    return fields


def _spread(made: Laid, fields: list[Marked]) -> list[Marked]:
    """The fields with empty ones where the table has blank columns."""
    return [part for at, field in enumerate(fields) for part in ([Marked("")] if at in made.gaps else []) + [field]]


def _field(tree: Tree, content: Content, point: str) -> Marked:
    """A field; numbers without separators and with the file's decimal point where no filter chose a form."""
    if isinstance(content, Bound) and content.printed is None and content.value is not None:
        written = (
            content.type.show(content.value) if content.type.kind == "percent" else plain(content.value, content.type)
        )
        number = isinstance(content.value, (int, Decimal))
        return tree.shown(content.formed(written.replace(".", point) if number else written))
    shown = tree.shown(content)
    if isinstance(content, float) and point != ".":
        return Marked(shown.text.replace(".", point), shown.spans)
    return shown
