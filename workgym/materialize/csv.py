"""Comma-separated files: one table, plain numbers, a header, and lines around it as exports have them."""

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
from workgym.materialize.scope import Fault
from workgym.materialize.template import located
from workgym.materialize.tree import Content, Tree, allow

_KNOWN = ("table", "delimiter", "decimal", "preamble", "below", "bom", "header")


def write(job: Job, content: Mapping[str, Any]) -> Rendered:
    """A csv file from a tree with ``table``. Raises MaterializeError."""
    tree = Tree(job.path, job.view)
    with located(job.path, "content"):
        allow(content, _KNOWN)
        delimiter, point = str(content.get("delimiter", ",")), str(content.get("decimal", "."))
        if len(delimiter) != 1 or point not in (".", ","):
            raise Fault("delimiter is one character, and decimal is '.' or ','")
        if "table" not in content:
            raise Fault("table: a table is needed")
        if isinstance(content["table"], Mapping):
            allow(
                content["table"],
                ("rows", "as", "columns", "literal", "matrix", "down", "across", "cell", "heads", "pairs"),
            )
    table = tree.table(content["table"], "table")
    records: list[list[Marked]] = [[tree.text(line, "preamble")] for line in content.get("preamble", ())]
    if table.head and content.get("header", True):
        records.append([tree.shown(cell) for cell in table.head])
    records += [[_field(tree, cell, point) for cell in row] for row in table.body]
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
