"""The parts of a workbook beside its sheets that say where rows are: each follows when rows of a sheet move.

Defined names, tables, notes and their boxes, threaded comments, drawings, charts, form controls, pivot tables and the
ranges they take their data from. What charts and pivots cache stays as it is, until a spreadsheet opens the file.
A kind of part that is not known here is refused, because nobody knows what it refers to.
"""

from __future__ import annotations

from collections.abc import Mapping

from workgym.documents.archive import Archive
from workgym.documents.ooxml.parts import PartEdit, local
from workgym.documents.xlsx.a1 import split_reference
from workgym.documents.xlsx.drawn import move_drawing, move_shapes
from workgym.documents.xlsx.read import NS, Workbook, sheet_entries
from workgym.documents.xlsx.shifts import GONE, Shifts
from workgym.documents.xlsx.tables import move_table
from workgym.errors import EditRefused

_STILL = {
    *("hyperlink", "printerSettings", "image", "customProperty", "slicer", "timeline", "queryTable", "oleObject"),
    *("package", "externalLink", "themeOverride", "chartUserShapes", "diagramData", "diagramLayout"),
    *("diagramQuickStyle", "diagramColors", "diagramDrawing", "customXml"),
}
"""Parts of a sheet or a drawing that say nothing about rows, or are handled with another one."""
_CONTROL = ("fmlaLink", "fmlaRange", "fmlaGroup", "fmlaTxbx", "fmlaMacro")
_UNMOVED = {"xlMacrosheet", "xlIntlMacrosheet", "dialogsheet", "revisionHeaders"}
"""Parts of a workbook that refer to cells in ways that nothing here can follow."""


def follow(
    path: str, archive: Archive, book: Workbook, changed: Mapping[str, bytes | None], moves: Shifts
) -> dict[str, bytes | None]:
    """The parts that differ, on top of those that have ``changed`` already. Raises :class:`EditRefused`."""
    walk = _Walk(path, archive, changed, moves)
    walk.names(book)
    for entry in sheet_entries(archive, book.part, book.root):
        walk.sheet(entry.name, entry.part)
    for kind, part in archive.relations(book.part).values():
        if kind in _UNMOVED:
            raise EditRefused(f"{path}: its part {part} refers to cells in ways that cannot be followed")
        if kind == "chartsheet":
            walk.sheet("", part)
        elif kind == "pivotCacheDefinition":
            walk.pivot_source(part)
    return walk.parts


class _Walk:
    """One pass over the parts that hang on sheets."""

    def __init__(self, path: str, archive: Archive, changed: Mapping[str, bytes | None], moves: Shifts) -> None:
        self.path, self.archive, self.changed, self.moves = path, archive, changed, moves
        self.parts: dict[str, bytes | None] = {}

    def names(self, book: Workbook) -> None:
        """What the workbook's names refer to; a print area or filter of which nothing is left goes."""
        part = self._open(book.part)
        for node in part.root.iter(f"{NS}definedName"):
            moved = self.moves.name(node.get("name", ""), node.text or "")
            if GONE in moved and GONE not in (node.text or "") and node.get("name", "").startswith("_xlnm."):
                part.drop(node)
            else:
                part.text(node, moved)
        self._close(part)

    def sheet(self, name: str, sheet_part: str) -> None:
        """All that hangs on one sheet; charts may refer to any."""
        self._links(sheet_part)
        moving = name != "" and self.moves.of(name) is not None
        for kind, target in self.archive.relations(sheet_part).values():
            if target not in self.archive:
                continue
            if kind == "drawing":
                self._drawing(name, target)
            elif kind == "table":
                part = self._open(target)
                move_table(part, name, self.moves, self.moves.of(name))
                self._close(part)
            elif kind == "vmlDrawing":
                old = self.archive.read(target)
                new = move_shapes(self.path, old, name, self.moves)
                if new != old:
                    self.parts[target] = new
            elif kind in ("comments", "threadedComment"):
                self._comments(name, target)
            elif kind == "pivotTable":
                self._pivot(name, target)
            elif kind == "ctrlProp":
                self._control(name, target)
            elif moving and kind not in _STILL:
                raise EditRefused(f"{self.path}: sheet {name} has a part of the kind {kind}, which cannot follow")

    def pivot_source(self, target: str) -> None:
        """The range that a pivot table takes its data from."""
        part = self._open(target)
        for node in part.root.iter(f"{NS}worksheetSource"):
            shift = self.moves.of(node.get("sheet", ""))
            first = split_reference(node.get("ref", "").partition(":")[0])
            if shift is None or first is None:
                continue
            moved = shift.range(node.get("ref", ""))
            if moved is None or first[0] in shift.removed:
                raise EditRefused(f"{self.path}: a pivot table takes its headers from {node.get('ref')}")
            part.attribute(node, "ref", moved)
        self._close(part)

    def _drawing(self, name: str, target: str) -> None:
        self._links(target)
        part = self._open(target)
        move_drawing(part, name, self.moves)
        self._close(part)
        for kind, chart in self.archive.relations(target).values():
            if kind in ("chart", "chartEx") and chart in self.archive:
                part = self._open(chart)
                for node in part.root.iter():
                    if local(node) in ("f", "sqref") and len(node) == 0 and node.text:
                        part.text(node, self.moves.formula(node.text, name))
                self._close(part)

    def _comments(self, name: str, target: str) -> None:
        shift = self.moves.of(name)
        if shift is None:
            return
        part = self._open(target)
        for node in part.root.iter():
            if local(node) in ("comment", "threadedComment") and node.get("ref"):
                moved = shift.range(node.get("ref", ""))
                if moved is None:
                    part.drop(node)
                else:
                    part.attribute(node, "ref", moved)
        self._close(part)

    def _pivot(self, name: str, target: str) -> None:
        shift = self.moves.of(name)
        if shift is None:
            return
        part = self._open(target)
        for node in part.root.iter(f"{NS}location"):
            written = node.get("ref", "")
            first, _, last = written.partition(":")
            top, bottom = split_reference(first), split_reference(last or first)
            if top is None or bottom is None:
                continue
            pages = int(node.get("rowPageCount", "0"))
            start = max(1, top[0] - pages - (1 if pages else 0))
            if shift.inside(start, bottom[0]) or shift.removed.issuperset(range(start, bottom[0] + 1)):
                raise EditRefused(f"{self.path}: the pivot table {name}!{written} cannot change but by its data")
            part.attribute(node, "ref", shift.range(written) or written)
        self._close(part)

    def _control(self, name: str, target: str) -> None:
        part = self._open(target)
        for attribute in _CONTROL:
            if part.root.get(attribute):
                part.attribute(part.root, attribute, self.moves.formula(part.root.get(attribute, ""), name))
        self._close(part)

    def _links(self, owner: str) -> None:
        """Links of pictures into the workbook stand in the relations, where nothing is changed."""
        folder, _, base = owner.rpartition("/")
        rels = f"{folder}/_rels/{base}.rels"
        for node in self.archive.xml(rels) if rels in self.archive else ():
            inner = node.get("Target", "")
            if inner.startswith("#") and self.moves.formula(inner[1:], "") != inner[1:]:
                raise EditRefused(f"{self.path}: a link leads to {inner[1:]}, which moves")

    def _open(self, name: str) -> PartEdit:
        known = self.parts.get(name) or self.changed.get(name) or self.archive.read(name)
        return PartEdit(self.path, name, known)

    def _close(self, part: PartEdit) -> None:
        made = part.made()
        if made is not None:
            self.parts[part.name] = made
