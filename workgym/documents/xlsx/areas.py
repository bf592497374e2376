"""Ranges of a sheet that many cells are asked about, row by row: merged cells, conditional formats, tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from workgym.documents.archive import Archive, Element
from workgym.documents.limits import LIMITS, check
from workgym.documents.xlsx.a1 import split_reference
from workgym.documents.xlsx.ink import NS


class Area(NamedTuple):
    """A range of cells; rows and columns from 1, the last ones included."""

    top: int
    left: int
    bottom: int
    right: int


class Areas:
    """Ranges, looked up for one row after the other; rows may come back, which costs more."""

    def __init__(self, path: str, areas: Iterable[Area], what: str) -> None:
        """``what`` they are, for the message where there are too many. Raises :class:`Unreadable`."""
        self.path, self.what = path, what
        self.all = sorted(areas)
        check(path, len(self.all), LIMITS.cells, what)
        self._row = self._next = self._work = 0
        self._here: list[Area] = []

    def over(self, row: int, column: int) -> Area | None:
        """The first range that a cell lies in, or None."""
        if row != self._row:
            self._go_to(row)
        if not self._here:
            return None
        return next((area for area in self._here if area.left <= column <= area.right), None)

    def _go_to(self, row: int) -> None:
        if row < self._row:
            self._work += self._next
            self._here, self._next = [], 0
        self._row = row
        self._here = [area for area in self._here if area.bottom >= row]
        while self._next < len(self.all) and self.all[self._next].top <= row:
            if self.all[self._next].bottom >= row:
                self._here.append(self.all[self._next])
            self._next += 1
        self._work += len(self._here)
        check(self.path, self._work, 25 * LIMITS.cells, f"{self.what} over several rows")


def area(written: str) -> Area | None:
    """A range as it is written (``A1:B9``, or a single cell), or None where it is none."""
    first, _, last = written.partition(":")
    start, end = split_reference(first), split_reference(last or first)
    return None if start is None or end is None else Area(*start, *end)


def merged(path: str, root: Element) -> Areas:
    """The merged cells of a sheet."""
    written = (node.get("ref", "") for node in root.iter(f"{NS}mergeCell"))
    return Areas(path, _sound(written), "merged cells")


def painted(archive: Archive, part: str, root: Element) -> Areas:
    """Where a table's style or a conditional format may give cells other colours than their own."""
    return Areas(archive.path, _sound(_painted(archive, part, root)), "ranges of formats")


def painted_areas(archive: Archive, part: str, root: Element) -> list[Area]:
    """The same ranges as a list."""
    return list(_sound(_painted(archive, part, root)))


def _painted(archive: Archive, part: str, root: Element) -> Iterator[str]:
    for node in root.iter(f"{NS}conditionalFormatting"):
        written = node.get("sqref", "")
        check(archive.path, written.count(" "), LIMITS.cells, "ranges of formats")
        yield from written.split()
    for kind, target in archive.relations(part).values():
        if kind == "table" and target in archive:
            yield archive.xml(target).get("ref", "")


def _sound(written: Iterable[str]) -> Iterator[Area]:
    return (found for one in written if (found := area(one)) is not None)
