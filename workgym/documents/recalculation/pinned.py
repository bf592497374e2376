"""Copies of a workbook that say outright what engines would have to guess: the date, and the table around a formula.

Engines look at the clock for ``TODAY()``, and none of them knows which table ``[Units]`` means in a totals row, though
files may leave it out there.
"""

from __future__ import annotations

import datetime

from workgym.documents.archive import Archive
from workgym.documents.ooxml.parts import PartEdit
from workgym.documents.ooxml.repack import repacked
from workgym.documents.recalculation.cached import cells_of
from workgym.documents.xlsx.a1 import split_place, split_reference
from workgym.documents.xlsx.read import NS, Workbook, sheet_entries
from workgym.documents.xlsx.references import functions, tokens

CLOCK = ("TODAY", "NOW")
"""Functions that ask for the date."""
RANDOM = ("RAND", "RANDBETWEEN", "RANDARRAY")
"""Functions that give something else each time."""
_Table = tuple[str, int, int, int, int]


def pinned(path: str, content: bytes, today: datetime.date | None) -> bytes:
    """A copy with the date in it (None leaves ``TODAY()`` alone) and tables named, or the bytes as they are.

    Raises :class:`workgym.errors.Unreadable`.
    """
    archive = Archive(path, content)
    book = Workbook(archive)
    changed: dict[str, bytes | None] = {}
    for entry in sheet_entries(archive, book.part, book.root):
        tables = _tables(archive, entry.part)
        if not tables and today is None:
            continue
        part = PartEdit(path, entry.part, archive.read(entry.part))
        for at, cell in cells_of(entry.name, part.root):
            node = cell.find(f"{NS}f")
            if node is not None and node.text:
                _, row, column = split_place(at) or ("", 0, 0)
                around = next((one[0] for one in tables if one[1] <= row <= one[3] and one[2] <= column <= one[4]), "")
                part.text(node, _plain(node.text, around, today))
        changed[entry.part] = part.made()
    if today is not None:
        part = PartEdit(path, book.part, archive.read(book.part))
        for node in part.root.iter(f"{NS}definedName"):
            part.text(node, _plain(node.text or "", "", today))
        changed[book.part] = part.made()
    differing = {name: made for name, made in changed.items() if made is not None}
    return repacked(archive, differing) if differing else content


def _tables(archive: Archive, part: str) -> list[_Table]:
    found: list[_Table] = []
    for kind, target in archive.relations(part).values():
        if kind == "table" and target in archive:
            root = archive.xml(target)
            first, _, last = root.get("ref", "").partition(":")
            start, end = split_reference(first), split_reference(last or first)
            if start is not None and end is not None:
                found.append((root.get("displayName", ""), *start, *end))
    return found


def _plain(formula: str, table: str, today: datetime.date | None) -> str:
    if "[" not in formula and not (today is not None and set(functions(formula)) & set(CLOCK)):
        return formula
    found = tokens(formula)
    texts = [token.text for token in found]
    for index, token in enumerate(found):
        before = found[index - 1].kind if index else "other"
        if token.kind == "structured" and table and before not in ("name", "sheet", "structured"):
            texts[index] = table + token.text
        elif today is not None and token.text.upper() in CLOCK and texts[index + 1 : index + 3] == ["(", ")"]:
            texts[index : index + 3] = [f"DATE({today.year},{today.month},{today.day})", "", ""]
    return "".join(texts)
