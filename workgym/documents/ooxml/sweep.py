"""The raw sweep over an OOXML container: text in any part that no other rule reports, as hidden fragments.

What a reader's own rules do not open is looked at here, with as little knowledge as possible: characters and
attributes of XML parts (custom XML, tables, pivot caches, connections, links to other workbooks, drawings, VML), XML
comments, parts that are plain text, targets outside the file, and what is noted at the end of the container. Left
out: themes, styles, pictures and other binary parts, files embedded in the file, attributes of the standard's own
elements that only steer, and bare references. Of macros it is said that they are there.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from workgym.documents.archive import Archive, Element
from workgym.documents.limits import LIMITS, check
from workgym.documents.model import Fragment
from workgym.documents.xlsx.references import sheets_named, tokens
from workgym.errors import Unreadable

_OWN = re.compile(
    r"\{(?:https?://(?:schemas\.(?:openxmlformats\.org|microsoft\.com)|purl\.oclc\.org/ooxml)|urn:schemas-m)"
)
"""Namespaces of the standard and of its maker's additions."""
_SAYING = frozenset(
    "v caption comment title descr alt string tooltip display prompt promptTitle error errorTitle displayName"
    " userName user description connection command commandText odcFile sourceFile url person totalsRowLabel".split()
)
_NAMED = frozenset("tableColumn cacheField dataField pivotField connection definedName protectedRange scenario".split())
"""Elements whose ``name`` somebody chose."""
_DULL = frozenset(
    "theme styleSheet calcChain Types Relationships styleDef colorsDef layoutDef chartStyle colorStyle".split()
)
_FRAME = frozenset(
    "sheetData sheetViews sheetFormatPr sheetPr cols dimension mergeCells pageMargins pageSetup printOptions"
    " conditionalFormatting dataValidations headerFooter drawing legacyDrawing tableParts phoneticPr rowBreaks"
    " colBreaks sheetCalcPr ignoredErrors autoFilter sortState".split()
)
"""Parts of a sheet that other rules read, or that hold no text."""
_UNHEARD = frozenset("ClientData from to formatCode xfrm sqref id".split())
_AUTOMATIC = re.compile(r"[^\W\d]+(?: [^\W\d]+)* ?\d+")
_GUID = re.compile(r"\{?[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?")
_BINARY = re.compile(
    r"\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svgz|bin|ole|wav|mp[34]|avi|wmv|xls\w?|doc\w?|ppt\w?|pdf|zip)$", re.I
)
_MACROS = re.compile(r"(?:^|/)vbaProject\.bin$|(?:^|/)macrosheets/[^/]+$", re.I)
"""Parts that hold programs: that there are some is said, and nothing more."""
_OUTSIDE = "pieces of text outside its main parts"
_COMMENT = re.compile(rb"<!--(.*?)-->", re.S)
_TAG = re.compile(r"<[^<>]*>")


def sweep(archive: Archive, known: Collection[str], sheets: frozenset[str] = frozenset()) -> Iterator[Fragment]:
    """Text of all parts but those that ``known`` names; of these, XML comments only. ``sheets`` as in :func:`drawn`.

    Places are ``xl/tables/table1.xml#2``. Raises :class:`Unreadable` where the parts are beyond the limits.
    """
    yield from numbered("container", _said(archive.comment.decode("utf-8", "replace")), mark="#")
    count = size = 0
    for name in archive.names():
        if _MACROS.search(name):
            yield Fragment(at=name, text="macros, which are not run", label="macros", hidden=True)
        if name.endswith("/") or _BINARY.search(name):
            continue
        pieces: dict[str, None] = {}
        for piece in _part(archive, name, name in known, sheets):
            pieces[piece] = None
            check(archive.path, count + len(pieces), LIMITS.lines, _OUTSIDE)
        for fragment in numbered(name, pieces, mark="#"):
            count, size = count + 1, size + len(fragment.text)
            yield fragment
        check(archive.path, size, LIMITS.characters, "characters outside its main parts")


def numbered(place: str, texts: Iterable[str], mark: str = ".") -> Iterator[Fragment]:
    """Hidden fragments, numbered from 1 behind ``place``."""
    for number, text in enumerate(texts, 1):
        yield Fragment(at=f"{place}{mark}{number}", text=text, hidden=True)


def spoken(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def drawn(root: Element, sheets: frozenset[str]) -> Iterator[str]:
    """Texts of a drawing or chart: paragraphs, descriptions, names that are not automatic, copies of foreign cells.

    ``sheets`` are the sheets of the workbook itself: what a chart copies from them is left out.
    """
    stack = [root]
    while stack:
        node = stack.pop()
        tag = _local(node.tag)
        if tag == "p":
            yield from _said("".join(leaf.text or "" for leaf in node.iter() if _local(leaf.tag) in ("t", "br")))
            continue
        if tag in ("strRef", "numRef", "multiLvlStrRef") and _inside(node, sheets):
            continue
        if tag in ("v", "f", "t"):
            yield from _said(node.text or "")
        if tag == "cNvPr":
            for key in ("name", "descr", "title"):
                if key != "name" or not _AUTOMATIC.fullmatch(node.get(key, "")):
                    yield from _said(node.get(key, ""))
        stack += [child for child in reversed(node) if _local(child.tag) not in _UNHEARD]


def remarks(root: Element) -> Iterator[str]:
    """Texts of a sheet's part outside its cells and what other rules read: links, scenarios, extensions."""
    for child in root:
        if _local(child.tag) not in _FRAME:
            yield from _pieces(child)


def _inside(node: Element, sheets: frozenset[str]) -> bool:
    """Whether a copy in a chart is of cells of the workbook's own sheets."""
    formula = next((leaf.text or "" for leaf in node if _local(leaf.tag) == "f"), "")
    prefixes = [token.reference.sheet for token in tokens(formula) if token.reference is not None]
    named = [sheets_named(prefix) for prefix in prefixes if prefix]
    return bool(named) and all(pair is not None and pair[0] in sheets for pair in named)


def _part(archive: Archive, name: str, known: bool, sheets: frozenset[str]) -> Iterator[str]:
    try:
        content = archive.read(name)
    except Unreadable as error:
        if error.reason == "corrupt":
            return
        raise
    if content.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"<":
        if b"<!--" in content:
            for match in _COMMENT.finditer(content):
                yield from _said(match[1].decode("utf-8", "replace"))
        if not known:
            yield from _markup(archive, name, content, sheets)
    elif not known:
        yield from _plain(content)


def _markup(archive: Archive, name: str, content: bytes, sheets: frozenset[str]) -> Iterator[str]:
    try:
        root = archive.parsed(name, content)
    except Unreadable as error:
        if error.reason != "corrupt":
            raise
        yield from _said(_TAG.sub(" ", content.decode("utf-8", "replace")))
        return
    if _local(root.tag) == "Relationships":
        for node in root:
            if node.get("TargetMode") == "External":
                yield from _said(node.get("Target", ""))
    elif _local(root.tag) not in _DULL:
        picture = _local(root.tag) in ("wsDr", "chartSpace", "userShapes")
        yield from drawn(root, sheets) if picture else _pieces(root)


def _plain(content: bytes) -> Iterator[str]:
    """The lines of a part that is text; a binary part has none."""
    if b"\x00" in content[:4096]:
        return
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return
    if sum(map(str.isprintable, text[:4096])) * 20 > len(text[:4096]) * 17:
        for line in text.splitlines():
            yield from _said(line)


def _pieces(root: Element) -> Iterator[str]:
    """Characters and saying attributes of an element and of all in it."""
    stack, vml = [root], root.tag == "xml"
    while stack:
        node = stack.pop()
        if not isinstance(node.tag, str) or (_local(node.tag) in _UNHEARD and _OWN.match(node.tag)):
            continue
        yield from _said(node.text or "")
        own, named = vml or _OWN.match(node.tag) is not None, _local(node.tag) in _NAMED
        for key, value in node.attrib.items():
            if not own or _local(key) in _SAYING or (named and key == "name"):
                yield from _said(value)
        stack += reversed(node)
        yield from _said(node.tail or "")


def _said(text: str) -> Iterator[str]:
    """The text on one line, unless it says nothing: signs, an identifier, a bare reference."""
    plain = spoken(text)
    if not any(map(str.isalnum, plain)) or _GUID.fullmatch(plain):
        return
    if len(plain) <= 200 and ("!" in plain or "$" in plain):
        found = tokens(plain)
        if any(token.reference is not None for token in found) and all(
            token.reference is not None or (token.kind == "other" and not any(map(str.isalnum, token.text)))
            for token in found
        ):
            return
    yield plain


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]
