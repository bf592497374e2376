"""Delimited files (csv, tsv): one table, plain numbers, a header, and lines around it as exports have them.

A field with the delimiter, a quote or a line break in it stands in quotes, as spreadsheets read it, with tabs between
the fields as well. Written by the standard library's ``csv``; read by our own scanner.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

from workgym.materialize.bound import Bound
from workgym.materialize.carrier import Job, Rendered
from workgym.materialize.forms import plain, plainly
from workgym.materialize.layout import Laid, Line
from workgym.materialize.marks import Marked, refuse_unprintable, standing
from workgym.materialize.mess import CSV_DIALS, draws, laid
from workgym.materialize.scope import Fault
from workgym.materialize.strip import Strip
from workgym.materialize.table import Content
from workgym.materialize.template import located
from workgym.materialize.tree import Tree, allow
from workgym.records import Anchor

_Part = TypeVar("_Part")
_Anchors = Callable[[int, str], list[Anchor]]
_END = "\r\n"
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
        columns = [_column(tree, contents, point) for contents in table.columns]
    head = _spread(made, [tree.shown(cell) for cell in table.head], Marked(""))
    parts: list[list[Marked] | range] = [[tree.text(line, "preamble")] for line in content.get("preamble", ())]
    if table.head and content.get("header", True):
        parts.append(head)
    parts += [part if isinstance(part, range) else _line(made, part, head, point) for part in made.pieces()]
    parts += [[tree.text(line, "below")] for line in content.get("below", ())]
    body = zip(*_spread(made, [texts for texts, _ in columns], [""] * table.height), strict=True)
    places = {made.place(at) + 1: anchors for at, (_, anchors) in enumerate(columns)}
    lines = _Lines(job.path, parts, list(body) or [()] * table.height, places)
    coding = "utf-8-sig" if content.get("bom") else "utf-8"
    return Rendered(job.path, _delimited(lines.fields(), delimiter).encode(coding), lines.anchors)


class _Lines(NamedTuple):
    """The lines of a file from its top."""

    path: str
    """Path of the file."""
    parts: list[list[Marked] | range]
    """Lines by their fields, and rows of the table's body."""
    body: Sequence[Sequence[str]]
    """The fields of the table's body."""
    columns: Mapping[int, _Anchors]
    """What gives the anchors of each column of the body that is not blank, by its number from 1."""

    def fields(self) -> list[Sequence[str]]:
        """What is written."""
        found: list[Sequence[str]] = []
        for part in self.parts:
            found += self.body[part.start : part.stop] if isinstance(part, range) else [[text.plain for text in part]]
        return found

    def anchors(self) -> Iterator[Anchor]:
        """Where its values came to stand."""
        number = 0
        for part in self.parts:
            for row in part if isinstance(part, range) else ():
                number += 1
                for column, anchors in self.columns.items():
                    yield from anchors(row, f"r{number}c{column}")
            if not isinstance(part, range):
                number += 1
                for column, text in enumerate(part, 1):
                    yield from text.anchors(self.path, f"r{number}c{column}")


def _delimited(lines: Sequence[Sequence[str]], delimiter: str) -> str:
    """The text of a file, with quotes around those fields that need them.

    The library's writer asks each field by itself; most files have none, and one look at all of them says so.
    """
    joined = "".join([delimiter.join(fields) + _END for fields in lines])
    ends, between = len(lines), sum(map(len, lines)) - len(lines)
    bare = '"' not in joined and joined.count(delimiter) == between and joined.count("\n") == joined.count("\r") == ends
    if bare and all(fields and (len(fields) > 1 or fields[0]) for fields in lines):
        return joined
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator=_END).writerows(lines)
    return buffer.getvalue()


def _line(made: Laid, line: Line, head: list[Marked], point: str) -> list[Marked]:
    """The fields of a line below the headings that is no row of the body; sums between the rows are decor."""
    if line.kind == "header":
        return head
    fields = [Marked("")] * len(made.table.formats)
    if line.kind == "subtotal":
        fields[0] = made.labels[line.row]
        for at in made.sums:
            rows = range(line.first, line.row + 1)
            text = f"{sum((made.number(row, at) or Decimal(0) for row in rows), Decimal(0)):f}".replace(".", point)
            fields[at] = Marked(text).decorated(0, len(text))
    return _spread(made, fields, Marked(""))


def _spread(made: Laid, fields: list[_Part], empty: _Part) -> list[_Part]:
    """The fields of a line, or whole columns, with empty ones where the table has blank columns."""
    return [part for at, field in enumerate(fields) for part in ([empty] if at in made.gaps else []) + [field]]


def _column(tree: Tree, contents: Sequence[Content], point: str) -> tuple[list[str], _Anchors]:
    """The fields of a column, and what gives the anchors of one of them at its place. Raises MarkError."""
    path = tree.path
    if not isinstance(contents, Strip):
        fields = [_field(tree, content, point) for content in contents]
        return [field.plain for field in fields], lambda row, at: fields[row].anchors(path, at)
    type_ = contents.type
    write = type_.show if type_.kind == "percent" else plainly(type_)
    texts = ["" if value is None else write(value) for value in contents.values]
    if type_.numeric and point != ".":
        texts = [text.replace(".", point) for text in texts]
    refuse_unprintable(texts)
    return texts, lambda row, at: standing(path, at, "value", contents.cells(row), texts[row])


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
