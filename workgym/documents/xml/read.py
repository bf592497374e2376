"""XML data, by expat: a fragment for each text and attribute, at a path (``/orders/order[2]/@id``).

An index stands where an element has siblings of its name. Text beside elements stands at ``/note/text()[1]``. Elements
that repeat are rows of a grid named by their path; columns are the paths within them, labels the names of elements and
attributes without prefixes. Hidden are comments and instructions (``l3.comment``, ``l2.instruction``) and attributes
about the file (``@xmlns``, ``@xml:space``). Not read: document types and what they declare.
"""

from __future__ import annotations

from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.xml.tree import BLANK, Node, Piece, Tree, records


class _Grid:
    """The grid that an element stands in: its name, the row, the columns seen so far, and where the row begins."""

    __slots__ = ("columns", "name", "row", "start")

    def __init__(self, name: str, row: int, columns: dict[str, int], start: int) -> None:
        self.name, self.row, self.columns, self.start = name, row, columns, start


class _Walk:
    def __init__(self, path: str) -> None:
        self.path = path
        self.fragments: list[Fragment] = []

    def add(self, at: str, text: str, label: str, grid: _Grid | None, hidden: bool = False) -> None:
        check(self.path, len(self.fragments), LIMITS.cells, "values")
        if grid is None or hidden:
            self.fragments.append(Fragment(at=at, text=text, label=label, hidden=hidden))
            return
        column = grid.columns.setdefault(at[grid.start :], len(grid.columns) + 1)
        self.fragments.append(Fragment(at=at, text=text, label=label, table=grid.name, row=grid.row, column=column))

    def walk(self, node: Node, grid: _Grid | None) -> None:
        for attribute in node.attributes:
            if attribute.text:
                name = attribute.name.rpartition(":")[2]
                self.add(f"{node.at}/@{attribute.name}", attribute.text, name, grid, attribute.technical)
        if node.plain:
            if node.text:
                self.add(node.at, node.text, node.local, grid)
            return
        rows = {id(row): (name, number) for name, all_ in records(node).items() for number, row in enumerate(all_, 1)}
        columns: dict[str, dict[str, int]] = {}
        number = 0
        for part in node.content:
            if isinstance(part, Piece):
                if part.text.strip(BLANK):
                    number += 1
                    self.add(f"{node.at}/text()[{number}]", node.shown(part.text), node.local, grid)
            elif id(part) in rows:
                name, row = rows[id(part)]
                own = columns.setdefault(name, {})
                self.walk(part, _Grid(f"{node.at}/{name}", row, own, len(part.at)))
            else:
                self.walk(part, grid)


def read(path: str, content: bytes) -> Document:
    """Read it. Raises :class:`Unreadable`."""
    tree = Tree(path, content)
    walk = _Walk(path)
    walk.walk(tree.root, None)
    seen: dict[str, int] = {}
    for remark in tree.remarks:
        at = f"l{remark.line}.{remark.kind}"
        seen[at] = seen.get(at, 0) + 1
        text = " ".join(remark.text.split())
        if text:
            at += str(seen[at]) if seen[at] > 1 else ""
            walk.fragments.append(Fragment(at=at, text=text, hidden=True))
    return Document(path=path, format="xml", fragments=tuple(walk.fragments))
