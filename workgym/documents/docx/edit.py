"""Word documents: characters change inside their runs, so that formatting stays; other parts keep their bytes.

Changed are paragraphs, cells, text boxes, headers and footers, notes and comments, also where a tracked insertion
stands; struck text, field codes and descriptions are not. ``insert_row`` puts a paragraph of the same style behind a
paragraph of the body, and a row of the same shape behind a table row (:mod:`.rows`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from workgym.documents.archive import Archive, Element
from workgym.documents.docx.rows import insertion, removal
from workgym.documents.docx.word import TEXTS, Leaf, P, Spot, Word, blocks, leaves
from workgym.documents.ooxml import runs
from workgym.documents.ooxml.repack import repacked
from workgym.documents.patches import Patch, Target, apply
from workgym.documents.xmlpos import Positions, encoded
from workgym.errors import EditRefused

_STRUCK = re.compile(r".*\.del\d+")
_PRESERVED = b'xml:space="preserve"'
_SPACE = re.compile(rb"\s+xml:space=(\"[^\"]*\"|'[^']*')")


class _Document:
    """The places of a document, looked for in order and each found once; its parts with positions."""

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        self.archive = Archive(path, content)
        self.parts: dict[str, Positions] = {}
        self._found: dict[str, Spot] = {}
        self._spots: Iterator[Spot] = Word(self.archive, lambda name: self.part(name).root).spots()

    def part(self, name: str) -> Positions:
        if name not in self.parts:
            self.parts[name] = Positions(self.path, name, self.archive.read(name))
        return self.parts[name]

    def find(self, target: Target) -> Spot:
        """The place of an edit. Raises :class:`EditRefused` where there is none, or none that changes."""
        if _STRUCK.fullmatch(target.base):
            raise EditRefused(f"{self.path} {target.base} is struck text, which stays as it was")
        while target.base not in self._found:
            spot = next(self._spots, None)
            if spot is None:
                raise EditRefused(f"{self.path} has no place {target.base} that can be edited")
            self._found[spot.at] = spot
        return self._found[target.base]


def edit(path: str, content: bytes, targets: list[Target]) -> bytes:
    """Change what places say; add or remove paragraphs and table rows."""
    document = _Document(path, content)
    patches: dict[str, list[Patch]] = {}
    for target in targets:
        spot = _found(document, path, target)
        positions = document.part(spot.part)
        shown = [*leaves(spot.element, spot.sight)]
        old = "".join(text for _, text in shown)
        target.check(path, old if old.strip() or target.edit.expected else "")
        mine = patches.setdefault(spot.part, [])
        if target.edit.mode == "remove_row":
            mine.append(removal(path, target, spot, positions))
        elif target.edit.mode == "insert_row":
            mine.append(insertion(path, target, spot, positions))
        else:
            mine += _changed(path, target, shown, spot.element, positions)
            copy = [] if spot.twin is None else [*leaves(spot.twin, spot.sight)]
            if spot.twin is not None and "".join(text for _, text in copy) == old:
                mine += _changed(path, target, copy, spot.twin, positions)
    changed = {}
    for name, mine in patches.items():
        # two edits may take the same row or break away; two new rows behind one place are two
        once = [*dict.fromkeys(patch for patch in mine if patch.start < patch.end)]
        once += [patch for patch in mine if patch.start == patch.end]
        changed[name] = apply(path, document.part(name).content, once)
    return repacked(document.archive, changed)


def _found(document: _Document, path: str, target: Target) -> Spot:
    try:
        return document.find(target)
    except (ValueError, RecursionError) as error:
        raise EditRefused(f"{path}: its structure is damaged ({error})") from error


def _changed(path: str, target: Target, shown: list[Leaf], element: Element, positions: Positions) -> list[Patch]:
    def added(_: Target, text: str) -> Patch:
        return _inserted(path, target, text, element, positions)

    return runs.changed(path, target, shown, positions, runs.Kind(TEXTS, _leaf_patch, added))


def _leaf_patch(leaf: Element, text: str, positions: Positions) -> Patch:
    """A text leaf with other characters; blanks at its ends are marked as meant."""
    span = positions.span(leaf)
    name = positions.tag(leaf)
    tag = positions.start_tag(leaf).rstrip(b"/>").rstrip()
    if text != text.strip() and _PRESERVED not in tag:
        tag = _SPACE.sub(b"", tag) + b" " + _PRESERVED
    return Patch(span.start, span.end, tag + b">" + encoded(text) + b"</" + name + b">")


def _inserted(path: str, target: Target, text: str, element: Element, positions: Positions) -> Patch:
    """A run in a paragraph that has none."""
    paragraph = element if element.tag == P else next((node for node in blocks(element) if node.tag == P), None)
    if paragraph is None:
        raise EditRefused(f"{path} {target.base} has no paragraph")
    span, name, prefix = positions.span(paragraph), positions.tag(paragraph), positions.prefix(paragraph)
    p = prefix.decode()
    run = f'<{p}r><{p}t xml:space="preserve">'.encode() + encoded(text) + f"</{p}t></{p}r>".encode()
    if span.close == span.end:
        tag = positions.start_tag(paragraph).rstrip(b"/>").rstrip()
        return Patch(span.start, span.end, tag + b">" + run + b"</" + name + b">")
    return Patch(span.close, span.close, run)
