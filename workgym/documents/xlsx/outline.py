"""The sheets of workbooks by name, those without a cell included: what a reader's fragments cannot tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from workgym.documents.archive import Archive
from workgym.documents.xlsx.read import Workbook, sheet_entries
from workgym.errors import Unreadable
from workgym.sandbox.child import JobLimits, run

_LIMITS = JobLimits(memory_mib=400, cpu_seconds=30)
_DRAWN = ("drawing", "vmlDrawing", "picture", "pivotTable", "control", "oleObject")


class SeenSheet(NamedTuple):
    """A worksheet that a person sees."""

    name: str
    """Its name."""
    drawn: bool
    """Whether something lies on it that is no cell: a chart, a picture, a pivot table."""


def visible_sheets(files: Mapping[str, bytes]) -> dict[str, tuple[SeenSheet, ...]]:
    """The worksheets that a person sees, in their order, by path of workbooks that an agent or a stranger made.

    They are read in a limited child; what cannot be read is left out. Raises ChildFailed.
    """
    found = run("workgym.documents.xlsx.outline:sheets_json", None, files=files, limits=_LIMITS) if files else {}
    return {path: tuple(SeenSheet(*sheet) for sheet in sheets) for path, sheets in found.items()}


def sheets_json(_: Any, files: Mapping[str, bytes]) -> dict[str, list[tuple[str, bool]]]:
    """What the child runs."""
    found = {}
    for path, content in files.items():
        try:
            archive = Archive(path, content)
            book = Workbook(archive)
            entries = [entry for entry in sheet_entries(archive, book.part, book.root) if not entry.hidden]
            found[path] = [(entry.name, _drawn(archive, entry.part)) for entry in entries]
        except (Unreadable, ValueError, IndexError, KeyError):
            continue
    return found


def _drawn(archive: Archive, part: str) -> bool:
    return any(kind in _DRAWN for kind, _ in archive.relations(part).values())
