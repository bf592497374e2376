"""Web pages: the characters of a text change where they stand in the source, and nothing else does.

Every edit is read back before it is handed out: a page in which anything but the named places would read otherwise
(two blanks in a row, a loose text that is emptied) is refused. Characters that the encoding lacks become references.
New line breaks become ``<br>``. What is not shown (comments, attributes, scripts) is not edited.
"""

from __future__ import annotations

import re

from workgym.documents.decoding import Text
from workgym.documents.html.grid import Row, Table
from workgym.documents.html.lines import Block, Element, Segment
from workgym.documents.html.markup import SPACE, decode
from workgym.documents.html.page import COUNTED, Page
from workgym.documents.patches import Patch, Target, apply, said
from workgym.errors import EditRefused, Unreadable
from workgym.records import Scalar

_TAG = re.compile(r"<[A-Za-z](?:\"[^\"]*\"|'[^']*'|[^>\"'])*>")
_ID = re.compile(r"(\"[^\"]*\"|'[^']*')|\s+id\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+)", re.IGNORECASE)
_ITEMS = frozenset(("li", "dt", "dd"))


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change blocks, cells and the title; remove or add table rows, list items, paragraphs and headings."""
    written = decode(path, content)
    if written.mark + written.body.encode(written.encoding, "surrogateescape") != content:
        raise EditRefused(f"{path}: its bytes cannot be kept: they are not sound {written.encoding}")
    page = _Page(path, written)
    patches: list[Patch] = []
    for target in targets:
        patches += page.patches(target)
    body = apply(path, written.body, patches)
    made = written.mark + body.encode(written.encoding, "surrogateescape")
    page.prove(made)
    return made


class _Page:
    """A page that is edited."""

    def __init__(self, path: str, written: Text) -> None:
        self.path, self.source, self.encoding = path, written.body, written.encoding
        self.page = Page(path, written.body)
        self.places = _places(self.page)
        self._order = {id(block): at for at, block in enumerate(self.page.blocks)}
        self._changes: dict[str, list[Patch]] = {}
        self._gone: set[int] = set()
        self._behind: dict[int, list[str]] = {}

    def patches(self, target: Target) -> list[Patch]:
        """What one edit changes in the source."""
        block, mode = self.places.get(target.base), target.edit.mode
        if block is None:
            raise EditRefused(f"{self.path} has no place {target.base} that can be edited")
        text = block.text
        target.check(self.path, text if text.strip() or target.edit.expected else "")
        if mode not in ("remove_row", "insert_row"):
            return self._changed(target, block)
        if block is self.page.title:
            raise EditRefused(f"{self.path}: the title is no row")
        return self._removed(block) if mode == "remove_row" else [self._inserted(block, target.edit.cells)]

    # texts

    def _changed(self, target: Target, block: Block) -> list[Patch]:
        start, end, new = target.change(block.text)
        if not new and start == end:
            return []
        self._changes.setdefault(block.at, []).append(Patch(start, end, new))
        return self._replaced(target.base, block, start, end, self._escaped(new, block))

    def _replaced(self, at: str, block: Block, start: int, end: int, new: str) -> list[Patch]:
        """Characters ``start`` to ``end`` of a block go, and ``new``, source already, comes in their place."""
        segments = block.segments
        receiver = _receiver(segments, start, end) if new else -1
        if new and not segments:
            return [Patch(block.element.inner, block.element.inner, new)]
        patches: list[Patch] = []
        position = 0
        for number, segment in enumerate(segments):
            left = min(max(start - position, 0), len(segment.text))
            right = min(max(end - position, 0), len(segment.text))
            again = not segment.text and start < position <= end  # white space behind a blank that goes
            position += len(segment.text)
            comes = new if number == receiver else ""
            if again:
                patches.append(Patch(segment.start, segment.end, comes))
            elif left < right or comes:
                patches.append(self._patch(at, segment, left, max(left, right), comes))
        return patches

    def _patch(self, at: str, segment: Segment, left: int, right: int, comes: str) -> Patch:
        if segment.kind == "edge":
            raise EditRefused(f"{self.path} {at}: the edit goes over the end of a block")
        if segment.kind == "plain":
            return Patch(segment.start + left, segment.start + right, comes)
        if left == right:
            place = segment.start if left == 0 else segment.end
            return Patch(place, place, comes)
        kept = self._refer(segment.text[:left]), self._refer(segment.text[right:])
        return Patch(segment.start, segment.end, kept[0] + comes + kept[1])

    def _escaped(self, text: str, block: Block) -> str:
        """Text as source."""
        broken = text if block.element.kept else text.replace("\n", "\0")
        return self._refer(broken).replace("\0", "<br>")

    def _refer(self, text: str) -> str:
        """Characters, with references for those that mean markup or that the encoding lacks."""
        plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return plain.encode(self.encoding, "xmlcharrefreplace").decode(self.encoding)

    # rows

    def _removed(self, block: Block) -> list[Patch]:
        element = self._own(block) if block.table is None else self._row(block)[1].element
        if element.first in self._gone:
            return []
        self._gone.update(range(element.first, element.last))
        start, end = self._blanks_before(element.start), element.end
        while self.source[end : end + 1] in (" ", "\t"):
            end += 1
        if start < 1 or self.source[start - 1] != "\n" or self.source[end : end + 1] not in ("\n", "\r"):
            return [Patch(element.start, element.end, "")]
        return [Patch(start, end + (2 if self.source.startswith("\r\n", end) else 1), "")]

    def _inserted(self, block: Block, cells: tuple[Scalar, ...]) -> Patch:
        texts = [said(cell) for cell in cells]
        if block.table is not None:
            return self._inserted_row(block, texts)
        if len(texts) != 1:
            raise EditRefused(f"{self.path} {block.at}: a block takes one text, not {len(texts)}")
        element = self._own(block, among=True)
        if element.kept:
            raise EditRefused(f"{self.path} {block.at}: nothing is added behind preformatted text")
        self._behind.setdefault(element.last - 1, []).append(texts[0])
        tag = _nameless(self.source[element.start : element.inner])
        new = tag + self._escaped(texts[0], block) + f"</{element.name}>"
        end = self._end(element)
        return Patch(end, end, self._line_start(element.start) + new)

    def _inserted_row(self, block: Block, texts: list[str]) -> Patch:
        """A copy of the row; behind a row of headings, of the one that follows it."""
        table, row = self._row(block)
        model = next((other for other in table.rows[block.row :][:1] if row.heading and not other.heading), row)
        if model.shared or any(cell.width > 1 for cell in model.cells):
            raise EditRefused(f"{self.path} {block.at}: the row has cells over several rows or columns")
        if len(texts) > len(model.cells):
            raise EditRefused(f"{self.path} {block.at}: the row has {len(model.cells)} cells, not {len(texts)}")
        texts += [""] * (len(model.cells) - len(texts))
        start, end = model.element.start, self._end(model.element)
        patches: list[Patch] = []
        for cell, text in zip(model.cells, texts, strict=True):
            held = cell.block
            if held is None or any(segment.kind == "edge" for segment in held.segments):
                raise EditRefused(f"{self.path} {block.at}: a cell of several blocks is not copied")
            for patch in self._replaced(held.at, held, 0, len(held.text), self._escaped(text, held)):
                patches.append(Patch(patch.start - start, patch.end - start, patch.new))
        self._behind.setdefault((row.element.last if model is row else model.element.first) - 1, []).extend(texts)
        copy = _nameless(apply(self.path, self.source[start:end], patches))
        line = self._line_start(start)
        return Patch(end, end, line + copy) if model is row else Patch(start, start, copy + line)

    def _row(self, block: Block) -> tuple[Table, Row]:
        table = next(table for table in self.page.tables if table.name == block.table)
        row = table.rows[block.row - 1]
        if row.shared:
            raise EditRefused(f"{self.path} {block.at}: the row shares a cell with another row")
        if row.element.last - row.element.first != len(row.cells):
            raise EditRefused(f"{self.path} {block.at}: a table stands in the row")
        return table, row

    def _own(self, block: Block, among: bool = False) -> Element:
        """The paragraph, heading or list item whose text this is, and, unless ``among``, that holds nothing else."""
        found: Element | None = None
        for element in block.element.within():
            first = self.page.blocks[element.first] is block if element.first < len(self.page.blocks) else False
            if element.parent is None or not first or (element.last - element.first > 1 and not among):
                break
            if element.name in COUNTED and (found is None or (element.name in _ITEMS and found.name not in _ITEMS)):
                found = element
        if found is None:
            raise EditRefused(
                f"{self.path} {block.at} is no paragraph, heading or list item of its own",
                fix="change its text instead",
            )
        return found

    def _end(self, element: Element) -> int:
        """Where an element ends; without the white space behind it where it has no end tag."""
        end = element.end
        while element.close == element.end > element.inner and self.source[end - 1] in SPACE:
            end -= 1
        return end

    def _blanks_before(self, at: int) -> int:
        while at > 0 and self.source[at - 1] in " \t":
            at -= 1
        return at

    def _line_start(self, start: int) -> str:
        """The line end and the blanks before an element that begins a line."""
        left = self._blanks_before(start)
        if left < 1 or self.source[left - 1] != "\n":
            return ""
        return ("\r\n" if self.source.startswith("\r\n", left - 2) else "\n") + self.source[left:start]

    # proof

    def prove(self, made: bytes) -> None:
        """Raises :class:`EditRefused` where the page would not read as meant."""
        try:
            after = Page(self.path, decode(self.path, made).body)
        except Unreadable as error:
            raise EditRefused(f"{self.path}: the page could not be read afterwards: {error.detail}") from error
        meant = [] if self.page.title is None else [("title", self._said(self.page.title))]
        for at, block in enumerate(self.page.blocks):
            if at not in self._gone:
                meant.append((block.at, self._said(block)))
            meant += [("behind", text) for text in self._behind.get(at, ())]
        reads = ([] if after.title is None else [after.title]) + after.blocks
        for (where, says), block in zip(meant, reads, strict=False):
            if block.text != says and (block.text.strip() or says.strip()):
                raise EditRefused(f"{self.path} {where}: it would read {block.text[:60]!r}, and {says[:60]!r} is meant")
        same = bool(self._gone or self._behind) or _hidden(after) == _hidden(self.page)
        if len(meant) != len(reads) or not same:
            raise EditRefused(f"{self.path}: the edit would change what stands around it")

    def _said(self, block: Block) -> str:
        """What a block says after the edits."""
        return apply(self.path, block.text, self._changes.get(block.at, ()))


def _nameless(markup: str) -> str:
    """Markup without ``id`` attributes: no two elements may have the same."""
    return _TAG.sub(lambda tag: _ID.sub(lambda match: match[1] or "", tag[0]), markup)


def _places(page: Page) -> dict[str, Block]:
    return {block.at: block for block in ([] if page.title is None else [page.title]) + page.blocks}


def _hidden(page: Page) -> list[object]:
    return [*((block.at, block.hidden, block.aside) for block in page.blocks), *(part.text for part in page.asides)]


def _receiver(segments: list[Segment], start: int, end: int) -> int:
    """The segment that takes new characters: the first that loses some, else one that touches the place."""
    touching, best, at = -1, 0, 0
    for number, segment in enumerate(segments):
        after = at + len(segment.text)
        if segment.kind != "edge":
            if max(start, at) < min(end, after):
                return number
            worth = 0 if not at <= start <= after else 2 if segment.kind == "plain" else 1
            if worth > best:
                touching, best = number, worth
        at = after
    return touching
