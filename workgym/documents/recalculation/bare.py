"""A copy of a workbook for an engine that only computes: sheets keep their tables, and lose what else hangs on them.

ironcalc 0.9 refuses workbooks whose notes or tables are named from the root of the container, as openpyxl names them.
"""

from __future__ import annotations

from posixpath import relpath
from xml.sax.saxutils import quoteattr

from workgym.documents.archive import Archive
from workgym.documents.ooxml.repack import repacked
from workgym.documents.xlsx.read import Workbook, sheet_entries

_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
)


def bare(path: str, content: bytes) -> bytes:
    """The copy; formulas and values of cells are the same. Raises :class:`workgym.errors.Unreadable`."""
    archive = Archive(path, content)
    book = Workbook(archive)
    changed: dict[str, bytes | None] = {}
    for entry in sheet_entries(archive, book.part, book.root):
        folder, _, base = entry.part.rpartition("/")
        rels = f"{folder}/_rels/{base}.rels"
        if rels not in archive:
            continue
        kept = [
            f'<Relationship Id={quoteattr(name)} Type="{_TYPES}table" Target={quoteattr(relpath(target, folder))}/>'
            for name, (kind, target) in archive.relations(entry.part).items()
            if kind == "table" and target in archive
        ]
        changed[rels] = f"{_HEAD}{''.join(kept)}</Relationships>".encode() if kept else None
    return repacked(archive, changed) if changed else content
