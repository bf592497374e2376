"""What a file may hold before it is refused: counted, never timed, so that verdicts do not depend on the machine."""

from __future__ import annotations

from workgym.errors import Unreadable
from workgym.records import Record


class Limits(Record):
    """Upper bounds for one file."""

    file_bytes: int = 32 * 1024 * 1024
    """Size of the file itself."""
    unpacked_bytes: int = 128 * 1024 * 1024
    """Size of all parts of a zip container together, decompressed."""
    part_bytes: int = 48 * 1024 * 1024
    """Size of a single part that is read, decompressed."""
    ratio: int = 250
    """Decompressed over compressed size of one part; looked at above ``ratio_from`` only."""
    ratio_from: int = 4 * 1024 * 1024
    """Decompressed bytes below which any ratio is fine: a sheet of equal rows compresses well."""
    parts: int = 2000
    """Members of a zip container."""
    cells: int = 200_000
    """Cells, fields or values of one file: some 1.5 kB each once they are read, and the reader may take 512 MB."""
    headers: int = 20_000
    """Headers of a mail and its parts."""
    sheets: int = 500
    """Sheets of a workbook."""
    formula: int = 32_768
    """Characters of one formula; offices allow 8,192."""
    formulas: int = 50_000
    """Formulas of a workbook that is recalculated."""
    computed_cells: int = 100_000
    """Cells of such a workbook: it is read before, between and after."""
    containers: int = 4
    """How deep files may lie in files: an archive in an archive in a mail."""
    members: int = 500
    """Files that one file holds."""
    depth: int = 100
    """Nesting of JSON, tables and MIME parts."""
    pages: int = 300
    """Pages of a PDF."""
    lines: int = 200_000
    """Lines, paragraphs or properties of one file."""
    tags: int = 2_000_000
    """Tags and attributes of one XML part."""
    tree_bytes: int = 300 * 1024 * 1024
    """Memory that the elements and attributes of all XML parts of a file take at most once they are parsed."""
    characters: int = 20_000_000
    """Characters of text of one file."""
    page_characters: int = 1_000_000
    """Characters of a PDF, each of which is looked at on its own."""

    stream_bytes: int = 16 * 1024 * 1024
    """Size of one stream of a PDF, decompressed, other than a picture."""
    stream_characters: int = 500_000
    """Characters that one such stream shows: each takes some 400 bytes before it can be counted."""
    asked: int = 20
    """Workbooks within one file that LibreOffice is asked about, since no other engine knows their functions."""
    asked_bytes: int = 16 * 1024 * 1024
    """Size of these together, in base64."""
    pixels: int = 40_000_000
    """Pixels of a picture; a page of A4 in 300 dots per inch has 8.7 million."""
    pictures: int = 40
    """Pages of one file whose text is recognised in pictures."""


LIMITS = Limits()
"""The limits that hold; they are part of what a verdict means."""


def check(path: str, count: int, limit: int, what: str) -> None:
    """Refuse a file that has more than ``limit`` of something. Raises :class:`Unreadable` (``over-limit``)."""
    if count > limit:
        raise Unreadable(path, "over-limit", f"more than {limit:,} {what}")
