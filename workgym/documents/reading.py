"""Any file to a :class:`Document`, in this process: for files of our own, see :mod:`.strangers` for others."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from workgym.documents.limits import LIMITS, check
from workgym.documents.members import members
from workgym.documents.model import Document, Refusal
from workgym.documents.recalculation.engines import IN_PROCESS
from workgym.documents.recalculation.recalc import recalculate
from workgym.errors import Unreadable
from workgym.records import FormatName, by_ending

READERS: dict[FormatName, str] = {
    "xlsx": "workgym.documents.xlsx.read:read",
    "docx": "workgym.documents.docx.read:read",
    "pptx": "workgym.documents.pptx.read:read",
    "pdf": "workgym.documents.pdf.read:read",
    "csv": "workgym.documents.csv.read:read",
    "md": "workgym.documents.text.read:read_md",
    "txt": "workgym.documents.text.read:read_txt",
    "log": "workgym.documents.text.read:read_log",
    "code": "workgym.documents.text.read:read_code",
    "tsv": "workgym.documents.csv.read:read_tsv",
    "yaml": "workgym.documents.yaml.read:read",
    "xml": "workgym.documents.xml.read:read",
    "json": "workgym.documents.json.read:read",
    "eml": "workgym.documents.mail.read:read",
    "mbox": "workgym.documents.mbox.read:read",
    "html": "workgym.documents.html.read:read",
    "ics": "workgym.documents.ics.read:read",
    "vcf": "workgym.documents.vcf.read:read",
    "sqlite": "workgym.documents.sqlite.read:read",
    "zip": "workgym.documents.zip.read:read",
    "png": "workgym.documents.image.read:read_png",
    "jpg": "workgym.documents.image.read:read_jpg",
}
Recalculating = Callable[[str, bytes], bytes]
"""What makes of a workbook, by its path, one with the value of every formula. Raises :class:`Unreadable`."""


def format_of(path: str) -> FormatName:
    """The format, by the file's name. Raises :class:`Unreadable` (``unknown-format``)."""
    found = by_ending(path)
    if found is None or found.name not in READERS:
        raise Unreadable(path, "unknown-format", f"only {', '.join(READERS)} files are read")
    return found.name


def read(path: str, content: bytes, *, recalculated: bool = False) -> Document:
    """Read a trusted file in this process, and the files that it holds. Raises :class:`Unreadable`, and nothing else.

    With ``recalculated``, workbooks within the file are recalculated before they are read, by the engines that run in
    this process; one that calls a function that none of them knows keeps the values that it brings.

    A member that cannot be read does not spoil the rest: ``Document.refused`` says why. All files within the file
    together stand under the limits that one file has.
    """
    return read_using(path, content, _recalculated if recalculated else None)


def read_using(path: str, content: bytes, recalculating: Recalculating | None) -> Document:
    """The same with another way to recalculate the workbooks within the file; None leaves them as they are."""
    return _read(path, content, 0, _Budget(path, recalculating))


class _Budget:
    """What the files within one file take together, however deep they lie."""

    def __init__(self, path: str, recalculating: Recalculating | None) -> None:
        self.path, self.recalculating = path, recalculating
        self.members = self.unpacked = self.fragments = 0

    def file(self, content: bytes) -> None:
        self.unpacked += len(content)
        check(self.path, self.unpacked, LIMITS.unpacked_bytes, "bytes in the files within it")

    def room(self) -> None:
        self.members += 1
        check(self.path, self.members, LIMITS.members, "files within it")
        check(self.path, self.fragments, LIMITS.cells, "pieces in the files within it")


def _read(path: str, content: bytes, depth: int, budget: _Budget) -> Document:
    module, _, name = READERS[format_of(path)].partition(":")
    reader = cast("Callable[[str, bytes], Document]", getattr(importlib.import_module(module), name))
    document = reader(path, content)
    if depth or document.kind.holds_files:
        budget.fragments += len(document.fragments)
    if not document.kind.holds_files:
        return document
    found: list[Document] = []
    refused: list[Refusal] = []
    held = members(path, content)
    for member in held:
        within = f"{path}//{member}"
        try:
            if depth == LIMITS.containers:
                raise Unreadable(within, "over-limit", f"it lies in more than {LIMITS.containers} files")
            budget.room()
            inner = held[member]
            budget.file(inner)
            if budget.recalculating is not None and format_of(within) == "xlsx":
                inner = budget.recalculating(within, inner)
            found.append(_read(within, inner, depth + 1, budget))
        except Unreadable as error:
            refused.append(Refusal(path=within, reason=error.reason, detail=error.detail))
    return document.model_copy(update={"members": tuple(found), "refused": tuple(refused)})


def _recalculated(path: str, content: bytes) -> bytes:
    try:
        return recalculate(content, path=path, engines=IN_PROCESS)
    except Unreadable as error:
        if error.reason != "unknown-function":
            raise
        return content
