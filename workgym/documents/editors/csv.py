"""Delimited text: delimiter, quoting and line ends stay."""

from __future__ import annotations

import re

from workgym.documents.csv import Field, Row, scan, sniff
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.text import decode
from workgym.errors import EditRefused

_AT = re.compile(r"r(\d+)c(\d+)")


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change fields, or remove lines."""
    text = decode(path, content)
    delimiter = sniff(text.body)
    rows = scan(path, text.body, delimiter)
    patches = []
    for target in targets:
        row, field = _find(path, rows, target)
        old = target.check(path, field.text)
        if target.edit.mode == "remove_row":
            patches.append(Patch(*_line(text.body, row), ""))
        else:
            patches.append(Patch(field.start, field.end, _written(target.new_text(old), delimiter, field.quoted)))
    return text.encode(apply(path, text.body, dict.fromkeys(patches)))


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
