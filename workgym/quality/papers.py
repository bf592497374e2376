"""Word documents of our own expert written again in another way, with python-docx."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

import docx
from docx.document import Document as Word

from workgym.graph import Column, Relation, Values
from workgym.quality.settled import settled
from workgym.quality.sound import Part
from workgym.records import Value
from workgym.verify.stated.matching import Wanted

Rows = Sequence[Sequence[str]]
SENTENCES = ("{label} of {who}: {value}.", "{who}: {label} {value}", "The {label} of {who} comes to {value}.")
"""How sentences state a value of an entity."""


def mirrored(content: bytes) -> bytes | None:
    """Every table with its columns in reverse order; None where there is no table."""
    document = docx.Document(io.BytesIO(content))
    if not document.tables:
        return None
    for table in document.tables:
        for row in table.rows:
            texts = [cell.text for cell in row.cells]
            for cell, text in zip(row.cells, reversed(texts), strict=True):
                cell.text = text
    return _saved(document)


def upended(content: bytes) -> bytes | None:
    """Every table from its last row up, the head in its place; None where there is no table."""
    document = docx.Document(io.BytesIO(content))
    if not document.tables:
        return None
    for table in document.tables:
        for row in [*table.rows][:0:-1]:
            table._tbl.remove(row._tr)
            table._tbl.append(row._tr)
    return _saved(document)


def noted(content: bytes, lines: Iterable[str]) -> bytes:
    """Further paragraphs at the end."""
    document = docx.Document(io.BytesIO(content))
    for line in lines:
        document.add_paragraph(line)
    return _saved(document)


def stated_anew(parts: Sequence[Part], values: Values, pattern: str | None = None) -> bytes:
    """A plain document that states of the parts what ``values`` say, and nothing else.

    What a text may state stands in sentences after ``pattern``, or in tables where that is None; what has to be a table
    is one.
    """
    document = docx.Document()
    for part in parts:
        document.add_heading(_title(part), level=2)
        relation = values[part.stated.unit]
        if (pattern is None and part.asked.parts) or part.stated.form == "table":
            _table(document, _rows(part, relation))
            continue
        for key in relation.by_key:
            for column in part.asked.columns:
                label, value = part.asked.label(column.name), _coined(part, column, relation.value(key, column.name))
                if key:
                    text = (pattern or SENTENCES[0]).format(label=label, who=", ".join(key), value=value)
                    document.add_paragraph(text, style="List Bullet")
                else:
                    document.add_paragraph(f"{label}: {value}.")
    return _saved(document)


def _title(part: Part) -> str:
    return part.asked.unit.content[:1].upper() + part.asked.unit.content[1:]


def _shown(part: Part, column: Column, value: Value) -> str:
    """A value to the places asked for."""
    return (
        ""
        if value is None
        else Wanted(column.type, (value,), part.stated.places.get(column.name, column.type.places)).shown
    )


def _coined(part: Part, column: Column, value: Value) -> str:
    """The same with its currency."""
    shown = _shown(part, column, value)
    return f"{column.type.unit} {shown}" if column.type.kind == "money" else shown


def _rows(part: Part, relation: Relation) -> Rows:
    columns = (*part.asked.parts, *part.asked.columns)
    body = [[_shown(part, column, relation.value(key, column.name)) for column in columns] for key in relation.by_key]
    return [[part.asked.label(column.name) for column in columns], *body]


def _table(document: Word, rows: Rows) -> None:
    table = document.add_table(rows=0, cols=len(rows[0]))
    for row in rows:
        cells = table.add_row().cells
        for cell, text in zip(cells, row, strict=True):
            cell.text = text


def _saved(document: Word) -> bytes:
    made = io.BytesIO()
    document.save(made)
    return settled(made.getvalue())
