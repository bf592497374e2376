"""One XML part while it is edited: attributes, texts and elements change, and every other byte stays."""

from __future__ import annotations

import re

from workgym.documents.archive import Element
from workgym.documents.patches import Patch, apply
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused


def local(node: Element) -> str:
    """The name of an element without its namespace."""
    return str(node.tag).rpartition("}")[2]


class PartEdit:
    """Changes of one part, gathered and then made at once; what lies in a dropped element needs no care."""

    def __init__(self, path: str, name: str, content: bytes) -> None:
        """Parse it. Raises as :class:`Positions` does."""
        self.path, self.name = path, name
        self.positions = Positions(path, name, content)
        self.root = self.positions.root
        self._patches: list[Patch] = []
        self._dropped: list[Element] = []

    def attribute(self, node: Element, name: str, new: str) -> None:
        """Give an attribute that is there another value."""
        old = node.get(name)
        if old is None or old == new:
            return
        span, tag = self.positions.span(node), self.positions.start_tag(node)
        match = re.search(rf"\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)')".encode(), tag)
        if match is None:
            raise EditRefused(f"{self.path}: the attribute {name} in part {self.name} cannot be found")
        group = 1 if match[1] is not None else 2
        value = encoded(new).replace(b'"', b"&quot;").replace(b"'", b"&apos;")
        self._patches.append(Patch(span.start + match.start(group), span.start + match.end(group), value))

    def text(self, node: Element, new: str) -> None:
        """Give an element that holds nothing but text another one."""
        if (node.text or "") != new:
            span = self.positions.span(node)
            self._patches.append(Patch(span.inner, span.close, encoded(new)))

    def replace(self, node: Element, new: bytes) -> None:
        """Put other XML in the place of an element."""
        span = self.positions.span(node)
        self._patches.append(Patch(span.start, span.end, new))

    def insert(self, at: int, new: bytes) -> None:
        """Put XML where there is none."""
        self._patches.append(Patch(at, at, new))

    def drop(self, node: Element) -> None:
        """Take an element out; its parent too where nothing is left in it (see :meth:`made`)."""
        self._dropped.append(node)

    def append(self, parent: Element, new: bytes) -> None:
        """Put XML at the end of an element that has no prefix."""
        span = self.positions.span(parent)
        if self.positions.prefix(parent):
            raise EditRefused(f"{self.path}: nothing can be added to part {self.name}, whose XML has prefixes")
        if span.close == span.end:
            tag = self.positions.start_tag(parent).rstrip(b"/>").rstrip()
            self.replace(parent, tag + b">" + new + b"</" + self.positions.tag(parent) + b">")
        else:
            self.insert(span.close, new)

    def made(self) -> bytes | None:
        """The part as it becomes, or None where nothing changes. Lists that are empty now go, others keep count."""
        gone = self._without_empty_lists()
        spans = [self.positions.span(node) for node in gone]
        kept = [
            patch for patch in self._patches if not any(s.start <= patch.start and patch.end <= s.end for s in spans)
        ]
        outer = [s for s in spans if not any(o != s and o.start <= s.start and s.end <= o.end for o in spans)]
        patches = kept + [Patch(span.start, span.end, b"") for span in dict.fromkeys(outer)]
        return apply(self.path, self.positions.content, patches) if patches else None

    def _without_empty_lists(self) -> list[Element]:
        if not self._dropped:
            return []
        gone = {id(node): node for node in self._dropped}
        for parent in self.root.iter():
            leaving = sum(1 for child in parent if id(child) in gone)
            if not leaving or local(parent) in _MAY_BE_EMPTY:
                continue
            if leaving == len(parent):
                gone[id(parent)] = parent
            elif parent.get("count", "").isdecimal():
                self.attribute(parent, "count", str(int(parent.get("count", "0")) - leaving))
        return list(gone.values())


_MAY_BE_EMPTY = {"sheetData", "row", "commentList", "ThreadedComments", "wsDr"}
"""Elements that stay where they hold nothing any more; the others (``mergeCells``) must not be empty."""
