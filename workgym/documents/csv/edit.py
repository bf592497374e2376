"""Delimited text: delimiter, quoting and line ends stay."""

from __future__ import annotations

import re

from workgym.documents.csv.dialect import Field, Row, scan, sniff
from workgym.documents.decoding import decode
from workgym.documents.patches import Patch, Target, apply, said
from workgym.errors import EditRefused

_AT = re.compile(r"r(\d+)c(\d+)")
_END = re.compile(r"\r\n|\n|\r")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change fields, remove lines, or put new ones behind them."""
    text = decode(path, content)
    return text.encode(_edited(path, text.body, targets, sniff(text.body)))


def edit_tsv(path: str, content: bytes, targets: list[Target]) -> bytes:
    """The same with tabs between the fields."""
    text = decode(path, content)
    return text.encode(_edited(path, text.body, targets, "\t"))


def _edited(path: str, body: str, targets: list[Target], delimiter: str) -> str:
    rows = scan(path, body, delimiter)
    patches: list[Patch] = []
    added: list[Patch] = []
    for target in targets:
        row, field = _find(path, rows, target)
        old = target.check(path, field.text)
        if target.edit.mode == "remove_row":
            patches.append(Patch(*_line(body, row), ""))
        elif target.edit.mode == "insert_row":
            added.append(Patch(row.end, row.end, _new_line(path, body, target, row, delimiter)))
        else:
            patches.append(Patch(field.start, field.end, _written(target.new_text(old), delimiter, field.quoted)))
    return apply(path, body, [*dict.fromkeys(patches), *added])


def _new_line(path: str, body: str, target: Target, row: Row, delimiter: str) -> str:
    """A line as wide as ``row``, in quotes where all its fields are; the file ends as it did before."""
    cells, width = target.edit.cells, len(row.fields)
    if len(cells) > width:
        raise EditRefused(f"{path} {target.base}: the row has {width} fields, and the new one {len(cells)}")
    quoted = all(field.quoted for field in row.fields)
    texts = [*map(said, cells), *[""] * (width - len(cells))]
    line = delimiter.join(_written(text, delimiter, quoted) for text in texts) or '""'
    found = _END.search(body, row.fields[-1].end) or _END.search(body)
    end = found[0] if found else "\r\n"
    return line + end if body[: row.end].endswith(("\n", "\r")) else end + line


def _find(path: str, rows: list[Row], target: Target) -> tuple[Row, Field]:
    match = _AT.fullmatch(target.base)
    if match is not None:
        number, column = int(match[1]), int(match[2])
        if 1 <= number <= len(rows) and 1 <= column <= len(rows[number - 1].fields):
            return rows[number - 1], rows[number - 1].fields[column - 1]
    raise EditRefused(f"{path} has no place {target.base}")


def _line(body: str, row: Row) -> tuple[int, int]:
    """The characters of a row; of the last one, where it ends the file, the line end before it."""
    if row.end == len(body) and not body.endswith(("\n", "\r")):
        start = row.start
        while start and body[start - 1] in "\r\n":
            start -= 1
        return start, row.end
    return row.start, row.end


def _written(text: str, delimiter: str, quoted: bool) -> str:
    if quoted or any(mark in text for mark in (delimiter, '"', "\n", "\r")):
        return '"' + text.replace('"', '""') + '"'
    return text
