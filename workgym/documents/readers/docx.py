"""Word documents, read from their OOXML parts (ECMA-376 part 1, WordprocessingML).

``p3`` is the third paragraph of the body outside tables, empty ones counted; ``t1r2c3`` a cell of a table of the body
by its grid column; ``h1``/``f1`` paragraphs of the headers and footers in the order of the sections, ``n1`` notes. Text
is what stands when all tracked changes are accepted. Hidden: ``c1`` comments, ``p3.deleted``, ``p3.vanished`` (with
runs of less than 4 points and, outside tables, in the colour of the paper), properties. ``label`` is the paragraph's
style where it has one.
"""

from __future__ import annotations

from collections.abc import Iterator

from workgym.documents import ink
from workgym.documents.archive import Archive, Element
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Document, Fragment
from workgym.documents.readers.properties import properties
from workgym.errors import Unreadable

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_REL = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_P, _TBL, _TR, _TC, _R, _T = (f"{W}{name}" for name in ("p", "tbl", "tr", "tc", "r", "t"))
_SIGNS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-", f"{W}softHyphen": ""}
_APART = {f"{W}del", f"{W}moveFrom", f"{W}txbxContent", _FALLBACK, f"{W}pPr", f"{W}rPr"}
_WRAPPERS = {f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}moveTo", f"{W}customXml", f"{W}smartTag"}


def main_part(archive: Archive) -> str:
    """The part of the body. Raises :class:`Unreadable` where the container holds no document."""
    for kind, target in archive.relations("").values():
        if kind == "officeDocument" and target in archive and target.startswith("word/"):
            return target
    if "word/document.xml" in archive:
        return "word/document.xml"
    raise Unreadable(archive.path, "corrupt", "it holds no Word document")


def blocks(parent: Element, depth: int = 0) -> Iterator[Element]:
    """The paragraphs and tables directly in a body, a cell or a note; content controls are looked through."""
    for child in parent:
        if child.tag in (_P, _TBL):
            yield child
        elif child.tag in _WRAPPERS and depth < LIMITS.depth:
            yield from blocks(child, depth + 1)


def cells(table: Element) -> Iterator[tuple[int, int, Element]]:
    """Row, grid column and element of each cell of a table, from 1."""
    for row_number, row in enumerate(_inside(table, _TR), 1):
        column = 1
        before = row.find(f"{W}trPr/{W}gridBefore")
        if before is not None:
            column += int(before.get(f"{W}val", "0"))
        for cell in _inside(row, _TC):
            yield row_number, column, cell
            span = cell.find(f"{W}tcPr/{W}gridSpan")
            column += 1 if span is None else max(1, int(span.get(f"{W}val", "1")))


def _inside(parent: Element, tag: str, depth: int = 0) -> Iterator[Element]:
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _WRAPPERS and depth < LIMITS.depth:
            yield from _inside(child, tag, depth + 1)


def texts(parent: Element, depth: int = 0, paper: str | None = None) -> Iterator[tuple[Element, str]]:
    """The leaves of a paragraph that print something, each with its text, in order.

    Runs in the colour of the ``paper`` are left out; None where it is not known.
    """
    for child in parent:
        tag = child.tag
        if tag == _T:
            yield child, child.text or ""
        elif tag in _SIGNS:
            yield child, _SIGNS[tag]
        elif len(child) and tag not in _APART and depth < LIMITS.depth:
            if tag == _R and _vanished(child, paper):
                continue
            yield from texts(child, depth + 1, paper)


def _vanished(run: Element, paper: str | None) -> bool:
    """Whether a run is hidden, too small to see, or in the colour of the paper."""
    properties_of = run.find(f"{W}rPr")
    if properties_of is None:
        return False
    mark = properties_of.find(f"{W}vanish")
    if mark is not None and mark.get(f"{W}val", "1") not in ("0", "false"):
        return True
    size = _value(properties_of, "sz")
    if size is not None and size.isdecimal() and int(size) < 2 * ink.SMALLEST:  # written in half points
        return True
    if properties_of.find(f"{W}highlight") is not None:
        return False
    return ink.unseen(ink.colour(_value(properties_of, "color")), _fill(properties_of, paper))


def _value(parent: Element, name: str) -> str | None:
    node = parent.find(f"{W}{name}")
    return None if node is None else node.get(f"{W}val")


def _fill(parent: Element | None, paper: str | None) -> str | None:
    """The colour behind what has these properties: their shading, else the paper."""
    shading = None if parent is None or paper is None else parent.find(f"{W}shd")
    if shading is None:
        return paper
    return ink.colour(shading.get(f"{W}fill")) if shading.get(f"{W}val") == "clear" else None


def paragraph_text(paragraph: Element, paper: str | None = None) -> str:
    """What a paragraph says."""
    return "".join(text for _, text in texts(paragraph, paper=_fill(paragraph.find(f"{W}pPr"), paper)))


def cell_text(cell: Element, depth: int = 0) -> str:
    """What a table cell says: a line for each paragraph, and for each row of a table inside it."""
    parts = []
    for block in blocks(cell):
        if block.tag == _P:
            parts.append(paragraph_text(block))
        elif depth < LIMITS.depth:
            parts += [
                "\t".join(cell_text(inner, depth + 1) for inner in _inside(row, _TC)) for row in _inside(block, _TR)
            ]
    return "\n".join(parts)


def _style(paragraph: Element) -> str | None:
    style = paragraph.find(f"{W}pPr/{W}pStyle")
    return None if style is None else style.get(f"{W}val")


def _aside(paragraph: Element, at: str, paper: str | None) -> Iterator[Fragment]:
    """What a paragraph holds without showing it: deleted and vanished text."""
    behind = _fill(paragraph.find(f"{W}pPr"), paper)
    deleted = "".join(node.text or "" for node in paragraph.iter(f"{W}delText"))
    if deleted:
        yield Fragment(at=f"{at}.deleted", text=deleted, hidden=True)
    vanished = "".join(
        leaf.text or "" for run in paragraph.iter(_R) if _vanished(run, behind) for leaf in run if leaf.tag == _T
    )
    if vanished:
        yield Fragment(at=f"{at}.vanished", text=vanished, hidden=True)


def read(path: str, content: bytes) -> Document:
    """Read a document. Raises :class:`Unreadable`."""
    archive = Archive(path, content)
    part = main_part(archive)
    root = archive.xml(part)
    body = root.find(f"{W}body")
    if body is None:
        raise Unreadable(path, "corrupt", "the document has no body")
    try:
        fragments = list(_body(body, ink.WHITE if root.find(f"{W}background") is None else None))
        fragments += _margins(archive, part, root)
        fragments += _notes(archive, part)
        fragments += properties(archive)
    except (ValueError, RecursionError) as error:
        raise Unreadable(path, "corrupt", f"its structure is damaged ({error})") from error
    check(path, len(fragments), LIMITS.lines, "paragraphs and cells")
    return Document(path=path, format="docx", fragments=tuple(fragments))


def _body(body: Element, paper: str | None) -> Iterator[Fragment]:
    paragraph_number = table_number = box_number = 0
    for block in blocks(body):
        if block.tag == _P:
            paragraph_number += 1
            at = f"p{paragraph_number}"
            text = paragraph_text(block, paper)
            if text.strip():
                yield Fragment(at=at, text=text, label=_style(block))
            yield from _aside(block, at, paper)
        else:
            table_number += 1
            for row, column, cell in cells(block):
                text = cell_text(cell)
                if text.strip():
                    name = f"t{table_number}"
                    yield Fragment(at=f"{name}r{row}c{column}", text=text, table=name, row=row, column=column)
        if block.find(f".//{W}txbxContent") is not None:
            for box in block.iter(f"{W}txbxContent"):
                text = cell_text(box)
                if text.strip():
                    box_number += 1
                    yield Fragment(at=f"x{box_number}", text=text)


def margin_parts(archive: Archive, part: str, root: Element) -> list[tuple[str, str]]:
    """``h`` or ``f`` and the part, for each header and footer in the order in which the sections name them."""
    targets = archive.relations(part)
    found: list[tuple[str, str]] = []
    for letter, tag in (("h", f"{W}headerReference"), ("f", f"{W}footerReference")):
        for node in root.iter(tag):
            target = targets.get(node.get(_REL, ""), ("", ""))[1]
            if target in archive and (letter, target) not in found:
                found.append((letter, target))
    return found


def _margins(archive: Archive, part: str, root: Element) -> Iterator[Fragment]:
    count = {"h": 0, "f": 0}
    for letter, target in margin_parts(archive, part, root):
        for paragraph in archive.xml(target).iter(_P):
            count[letter] += 1
            text = paragraph_text(paragraph)
            if text.strip():
                yield Fragment(at=f"{letter}{count[letter]}", text=text)


def _notes(archive: Archive, part: str) -> Iterator[Fragment]:
    parts = dict(archive.relations(part).values())
    number = 0
    for kind, tag in (("footnotes", f"{W}footnote"), ("endnotes", f"{W}endnote")):
        if parts.get(kind, "") in archive:
            for node in archive.xml(parts[kind]).iter(tag):
                text = cell_text(node)
                if node.get(f"{W}type", "normal") == "normal" and text.strip():
                    number += 1
                    yield Fragment(at=f"n{number}", text=text)
    if parts.get("comments", "") in archive:
        for number, node in enumerate(archive.xml(parts["comments"]).iter(f"{W}comment"), 1):
            yield Fragment(at=f"c{number}", text=cell_text(node), label=node.get(f"{W}author"), hidden=True)
