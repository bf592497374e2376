"""What a Word document holds without saying it: struck and hidden text, targets, descriptions, lists of choices.

By the place at which it hangs: ``p3.del1`` struck text and the origin of a move, ``p3.vanished`` text that cannot be
seen, ``p3.link1`` targets of links and codes of fields that say something, ``p3.alt1`` descriptions of pictures and
watermarks, ``p3.option1`` choices of a content control.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workgym.documents.archive import Archive, Element
from workgym.documents.docx.sight import W
from workgym.documents.docx.word import BOX, FALLBACK, SIGNS, STRUCK, TEXTS, P, R, Spot, Word
from workgym.documents.model import Fragment

_STRUCK_TEXTS = TEXTS | {f"{W}delText"}
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_LEAVES = _STRUCK_TEXTS | {f"{_A}t"}
_PARAGRAPHS = {P, f"{_A}p"}
_DULL_CODES = frozenset(
    "PAGE NUMPAGES SECTIONPAGES SECTION SEQ TOC PAGEREF REF NOTEREF STYLEREF DATE TIME CREATEDATE SAVEDATE PRINTDATE"
    " FILENAME AUTHOR TITLE FORMTEXT FORMCHECKBOX FORMDROPDOWN".split()
)
_QUOTED = re.compile(r'"([^"]+)"')
_SAYING = ("descr", "title", "alt", "string")


def links(archive: Archive, part: str) -> dict[str, str]:
    """Of a part: relation id to the target outside the file."""
    folder, _, base = part.rpartition("/")
    rels = f"{folder}/_rels/{base}.rels"
    if rels not in archive:
        return {}
    return {n.get("Id", ""): n.get("Target", "") for n in archive.xml(rels) if n.get("TargetMode") == "External"}


def asides(spot: Spot, told: set[int], targets: dict[str, str]) -> Iterator[Fragment]:
    """The hidden fragments of a place, in order; the text elements that they tell are added to ``told``."""
    struck: list[tuple[str, str | None]] = []
    vanished: list[str] = []
    linked: list[str] = []
    described: list[str] = []
    chosen: list[str] = []
    code = ""
    for node in _own(spot.element):
        tag = node.tag
        if tag in STRUCK:
            text = _struck(node, told)
            if text:
                struck.append((text, node.get(f"{W}author")))
        elif tag in TEXTS:
            if id(node) not in told:
                told.add(id(node))
                vanished.append(node.text or "")
        elif tag == f"{W}hyperlink":
            linked += [targets.get(node.get(f"{R}id", ""), ""), node.get(f"{W}tooltip", "")]
        elif tag == f"{W}fldSimple":
            linked += _saying(node.get(f"{W}instr", ""))
        elif tag == f"{W}instrText":
            code += node.text or ""
        elif tag == f"{W}fldChar":
            linked += _saying(code)
            code = ""
        elif tag == f"{W}listItem":
            chosen.append(node.get(f"{W}displayText", "") or node.get(f"{W}value", ""))
        elif node.attrib:
            described += [text for name in _SAYING if (text := node.get(name, "").strip())]
    if not (struck or vanished or linked or described or chosen or code):
        return
    for number, (text, author) in enumerate(struck, 1):
        if text.strip():
            yield Fragment(at=f"{spot.at}.del{number}", text=text, label=author, hidden=True)
    if "".join(vanished).strip():
        yield Fragment(at=f"{spot.at}.vanished", text="".join(vanished), hidden=True)
    yield from _numbered(f"{spot.at}.link", [*linked, *_saying(code)])
    yield from _numbered(f"{spot.at}.alt", described)
    yield from _numbered(f"{spot.at}.option", chosen)


def _own(element: Element) -> Iterator[Element]:
    """All elements of a place, in order: not those in struck text, in text boxes, or for older programs only."""
    stack = [*reversed(element)]
    while stack:
        node = stack.pop()
        if node.tag == P and element.tag == P:
            continue  # a place of its own in a header, and in no sound document anything
        yield node
        if node.tag not in STRUCK and node.tag not in (BOX, FALLBACK):
            stack += reversed(node)


def _struck(node: Element, told: set[int]) -> str:
    parts = []
    for leaf in node.iter():
        if leaf.tag in _STRUCK_TEXTS:
            told.add(id(leaf))
            parts.append(leaf.text or "")
        elif leaf.tag in SIGNS:
            parts.append(SIGNS[leaf.tag])
    return "".join(parts)


def _saying(code: str) -> list[str]:
    """What a field's code says: its quoted parts, or all of it, unless it is one that says nothing."""
    words = code.split()
    if not words or words[0].upper() in _DULL_CODES:
        return []
    return _QUOTED.findall(code) or [" ".join(words[1:])]


def _numbered(at: str, texts: Iterable[str]) -> Iterator[Fragment]:
    for number, text in enumerate(dict.fromkeys(filter(str.strip, texts)), 1):
        yield Fragment(at=f"{at}{number}", text=text, hidden=True)


def left(part: str, root: Element, told: set[int]) -> Iterator[Fragment]:
    """The text of a part that no place tells, paragraph by paragraph: ``word/document.xml#t1``."""
    number, text = 0, ""
    stack: list[Element | None] = [root]
    while stack:
        node = stack.pop()
        if node is not None and node.tag in _LEAVES and id(node) not in told:
            text += node.text or ""
        if node is None or node.tag in _PARAGRAPHS:
            if text.strip():
                number += 1
                yield Fragment(at=f"{part}#t{number}", text=text, hidden=True)
            text = ""
        if node is not None:
            stack += [None, *reversed(node)] if node.tag in _PARAGRAPHS else reversed(node)
    if text.strip():
        yield Fragment(at=f"{part}#t{number + 1}", text=text, hidden=True)


def variables(word: Word) -> Iterator[Fragment]:
    """The variables of a document, which fields may show: ``variable.<name>``."""
    for kind, part in word.archive.relations(word.main).values():
        if kind == "settings" and part in word.archive and b"docVar" in word.archive.read(part):
            for node in word.root(part).iter(f"{W}docVar"):
                name, text = node.get(f"{W}name", ""), node.get(f"{W}val", "")
                if text.strip():
                    yield Fragment(at=f"variable.{name}", text=text, label=name, hidden=True)
